/* advice_rows.h - what the kinds of advice share: rows of the handler, and the sentences made of them. */
#ifndef RESULTS_ADVICE_ROWS_H
#define RESULTS_ADVICE_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "advice.h"
#include "compiler_words.h"

struct ls_sentences {
    struct ls_advice_item *items;
    size_t n;
};

/* Of the sentence that comes next: filled where it has such parts. */
static const struct ls_advice_item ls_why = {.kind = LS_ADVICE_WHY},
                                   ls_no_change = {.kind = LS_ADVICE_NO_CHANGE};

/* Adds a sentence, the text of `item`. */
__attribute__((format(printf, 3, 4))) void ls_say(struct ls_sentences *s, struct ls_advice_item item,
                                                  const char *format, ...);
/* A change, of which `what` (malloc'd, taken over) says what to do. */
struct ls_advice_item ls_change_of(char *what, struct ls_advice_number number);
struct ls_advice_item ls_change_of_two(char *what, struct ls_advice_number a, struct ls_advice_number b);

/* "15,872"; static storage of eight results. */
const char *ls_commas(int64_t n);
/* A member of a row; 0 and "" where there is none. */
int64_t ls_row_integer(const json_t *row, const char *key);
const char *ls_row_string(const json_t *row, const char *key);

/* The line's rows of one table. */
struct ls_rows {
    json_t **row;               /* borrowed */
    const struct ls_p_row **of; /* what each was made of */
    size_t n;
    int64_t observed;   /* dispatches of the kernel */
    bool triton;        /* the kernel is one of Triton's */
    bool atomic;        /* then: of an atomic */
    const char *kernel; /* its name */
    bool has_tile;      /* then: its compiler told what memory in LDS the line accesses */
    struct ls_compiler_tile tile;
};
/* Other rows of the same line. */
static inline struct ls_rows ls_rows_beside(const struct ls_rows *r)
{
    struct ls_rows others = *r;
    others.row = NULL;
    others.of = NULL;
    others.n = 0;
    return others;
}

/* Rows that the handler cannot have written are left out. */
struct ls_rows ls_rows_of(const struct ls_p_kernel *k, const struct ls_p_line *line, const char *table);
void ls_rows_free(struct ls_rows *r);
/* Ends at the ends of what a number can hold (saturate.h). */
int64_t ls_rows_sum(const struct ls_rows *r, const char *key);
/* Whether each row has that member. */
bool ls_rows_have(const struct ls_rows *r, const char *key);
/* What part of the rows' accesses was replayed. */
double ls_rows_part(const struct ls_rows *r);
/* "in 20 % of the accesses ", of those that were replayed, in which lanes are as far apart as the rows say; malloc'd. NULL: in
 * all of them, or the recording does not tell. */
char *ls_rows_with_step(const struct ls_rows *r);
/* Whether there, some neighbouring lanes are another distance apart: not all have it, but most. */
bool ls_rows_most(const struct ls_rows *r);
/* " (of the 87 % of the accesses that were replayed)" when not all of them were in the sample; static storage. */
const char *ls_rows_share(const struct ls_rows *r);
/* " (in 2 of 3 dispatches: the others have no conflicts now, and were not tried)", when rows are missing of some; static storage. */
const char *ls_rows_dispatches(const struct ls_rows *r);

/* Dispatches that the rows are of. */
int64_t ls_rows_n_dispatches(const struct ls_rows *r);
/* Of which of the line's accesses a part of its rows is: "column 15, in 1 of 2 dispatches: "; malloc'd. NULL: it is all of them. */
char *ls_rows_which(const struct ls_profile *p, const struct ls_p_line *line, const struct ls_rows *all,
                    const struct ls_rows *part);
/* Writes "16 of the line's 64 executions", or "a part of the line's executions" where they are more than all that were counted. */
void ls_put_executions(FILE *out, int64_t executions, double all);
/* Puts "tile: " before a malloc'd text; a text that is NULL, or nothing to put, changes nothing. */
void ls_put_before(char **text, const char *before);

/* What lanes that update one address can do instead. */
#define LS_AGGREGATE                                                                                         \
    "aggregate the lanes of a wavefront first: one lane for each address, for all of its lanes"
#define LS_AGGREGATED "aggregated in the wavefront first (one lane per address, for all of its lanes)"

/* The kinds of advice. */
void ls_advise_lanes(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                     const struct ls_rows *r);
void ls_advise_lds(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                   const struct ls_rows *r);
void ls_advise_global(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                      const struct ls_rows *r);
/* Atomics in global memory, by the numbers of the line. */
void ls_advise_waiting(struct ls_sentences *s, const struct ls_profile *p, const struct ls_p_line *line,
                       bool triton);

#endif
