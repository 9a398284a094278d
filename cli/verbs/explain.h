/* explain.h - what a line costs, why, what to do about it and what that will bring: `lanescope explain`. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>
#include "results/advice/advice.h"
#include "results/profile/tables.h"

/* A number of the line: what is reported as cost. */
struct explain_cost {
    size_t metric;
    double value;
    bool exact;
};

enum explain_confidence { EXPLAIN_HIGH, EXPLAIN_MEDIUM, EXPLAIN_LOW };
const char *explain_confidence_name(enum explain_confidence c);

/* One line of one kernel. */
struct explain_finding {
    const struct ls_p_kernel *kernel;
    const struct ls_p_line *line;
    double excess; /* ls_line_excess */
    struct explain_cost *costs;
    size_t n_costs;
    char **why; /* sentences, malloc'd */
    size_t n_why;
    struct ls_advice_item *advice;
    size_t n_advice;
    enum explain_confidence confidence;
    char *doubt; /* why it is not high; NULL: it is */
};

/* What a small budget leaves of a finding without, as bits: other costs than the first, other changes than the first. */
enum explain_part {
    EXPLAIN_REMARKS = 1,
    EXPLAIN_LAUNCH = 2, /* grid, work-group, dispatches, types of the kernel's parameters */
    EXPLAIN_WHY = 4,
    EXPLAIN_SOURCE = 8,
    EXPLAIN_CHANGES = 16,
    EXPLAIN_COSTS = 32,
    EXPLAIN_PARTS = 6
};
/* Of a part, in JSON and in text. */
extern const char *const explain_part_field[EXPLAIN_PARTS], *const explain_part_words[EXPLAIN_PARTS];

struct explain {
    const struct ls_profile *profile;
    struct explain_finding *findings; /* most excess first */
    size_t n_findings, n_all;         /* n_all: before --top */
    bool full_paths;
    size_t cut;       /* texts from a database are cut to so many bytes; 0: they are not */
    unsigned dropped; /* enum explain_part */
};

/* Fills the finding's costs, reasons, advice and confidence. */
void explain_fill(const struct ls_profile *p, struct explain_finding *f);
void explain_free(struct explain *e);
/* The kernel's name without its parameters, and these, without their parentheses ("" when it has none). malloc'd. */
char *explain_kernel(const char *name);
char *explain_arguments(const char *name);
/* "1,024": of a ratio with two decimals and its unit. Static storage of four results. */
const char *explain_number(const struct ls_p_metric *m, double value);

/* A text as long as `cut` allows, cut between characters and then with "..." behind it. malloc'd. */
char *explain_cut(const struct explain *e, const char *text);

/* Of what a budget drops, what the finding has. */
unsigned explain_dropped(const struct explain *e, const struct explain_finding *f);
/* Whether a cost is shown; where only one is, it is the first of those that lines are sorted by. */
bool explain_shows_cost(const struct explain *e, const struct explain_finding *f, size_t cost);

/* The first `n` findings. */
void explain_text(const struct explain *e, size_t n, bool markdown, FILE *out);
/* Schema lanescope-explain/1. 0, or -1 when out of memory. */
int explain_json(const struct explain *e, size_t n, FILE *out);

#endif
