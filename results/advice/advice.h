/* advice.h - sentences made of the rows that the handler `advice` stored (docs/handlers/advice.md). */
#ifndef RESULTS_ADVICE_H
#define RESULTS_ADVICE_H

#include "results/profile/profile.h"

#define LS_ADVICE_HANDLER "advice"

enum ls_advice_kind {
    LS_ADVICE_WHY,       /* where the cost comes from */
    LS_ADVICE_CHANGE,    /* what would make it less, and how much is left then */
    LS_ADVICE_NO_CHANGE, /* that nothing was found */
};

/* A metric of the line, as it is and as it will be. */
struct ls_advice_number {
    const char *metric;
    int64_t before, after;
};

/* A sentence, and what it is made of. */
struct ls_advice_item {
    enum ls_advice_kind kind;
    char *text; /* the sentence */
    bool
        of_some; /* it begins with which of the line's accesses it is about: "column 9: ...", "in 1 of 2 dispatches: ..." */
    char *change; /* of a change: what to do, without its numbers; else NULL */
    struct ls_advice_number number[2];
    size_t n_numbers;
    const char *handler; /* in whose table it stands */
    int64_t step;        /* bytes from lane to lane; 0: no single distance, or it is not about one */
    bool most;           /* of the lanes have it, not all */
    char *where; /* "in 20 % of the accesses ", in which they are that far apart; NULL: in all, or unknown */
    int64_t reached,
        banks;     /* of LDS, with such a step: which part of the banks the lanes fall into; 0: neither */
    int64_t every; /* of LDS: each so many lanes are on one bank */
    int64_t
        row; /* of LDS: lanes of a row of the work-group, of which the distance tells; 0: unknown, or all of a wavefront */
    int64_t line_bytes; /* of a cache line, with a step in global memory; 0: neither */
    bool idle;          /* with idle lanes among the neighbours */
    bool misaligned;    /* their distance is right, but not where they begin */
    double replayed;    /* part of the accesses that the numbers were computed of, 0 to 1 */
};

/* The sentences of ls_advice with their parts; freed with ls_advice_items_free. */
struct ls_advice_item *ls_advice_items(const struct ls_profile *p, const struct ls_p_kernel *k,
                                       const struct ls_p_line *line, const char *handler, size_t *n);
void ls_advice_items_free(struct ls_advice_item *items, size_t n);

/* Why a line costs what it costs and what would change it, summed over its sites and dispatches. handler: the
 * one in whose table the line stands (LS_LDS_HANDLER, LS_GLOBAL_HANDLER), NULL for both. malloc'd
 * array of malloc'd texts, freed with ls_advice_free; NULL and *n 0 when there is none. */
char **ls_advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                 const char *handler, size_t *n);
void ls_advice_free(char **advice, size_t n);

#endif
