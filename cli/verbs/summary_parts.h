/* summary_parts.h - what a summary tells, for its two forms. */
#ifndef CLI_SUMMARY_PARTS_H
#define CLI_SUMMARY_PARTS_H

#include <jansson.h>
#include "results/profile/tables.h"

struct summary_counts {
    size_t instrumented, alone;           /* kernels; alone: observed by their machine instructions */
    int64_t dispatches, observed;         /* of all kernels */
    size_t instructions, covered;         /* memory instructions of kernels that were observed */
    int64_t dropped, unlisted;            /* messages; accesses by code without a symbol */
    uint64_t unexplained, contradictions; /* instructions */
};
struct summary_counts summary_count(const struct ls_profile *p);

/* The worst line of a handler. */
struct summary_line {
    const struct ls_p_kernel *kernel;
    const struct ls_p_line *line;
    double weight; /* 0: nothing is wrong */
    const struct ls_table *table;
};
struct summary_worst {
    struct summary_line *list; /* by handler */
    size_t n;
    struct ls_table **tables; /* of each kernel, which lines of the list belong to */
    size_t *n_tables, n_kernels;
};
void summary_find_worst(struct summary_worst *w, const struct ls_profile *p);
void summary_worst_free(struct summary_worst *w);

/* Schema lanescope-summary/1; a new reference, NULL when out of memory. The profile has texts as they are
 * (raw). */
json_t *summary_json(const struct ls_profile *p);

#endif
