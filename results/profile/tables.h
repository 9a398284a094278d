/*
 * tables.h - a kernel's lines as the tables that reports show: one per handler, worst line first.
 */
#ifndef RESULTS_TABLES_H
#define RESULTS_TABLES_H

#include "profile.h"

struct ls_column {
    int metric; /* index in the profile */
    enum lanescope_show show;
    const char *head; /* short name for a table's head; NULL: the metric's */
};

struct ls_table {
    const char *handler;
    const char *title; /* for people */
    /* what to say when no line does more than it needs; NULL: that the first metric is 0 */
    const char *clean;
    char *note;    /* what a reader has to know of these numbers, a sentence; or NULL */
    bool by_count; /* times are missing: rows stand in order of how often, not how long */
    struct ls_column *columns;
    size_t n_columns;
    struct ls_p_line **rows; /* sorted, cut to `top` */
    size_t n_rows, n_all;    /* n_all: before the cut */
};

struct ls_table_options {
    int sort;   /* metric index; -1: what each handler's table is about */
    size_t top; /* rows per table; 0: all */
};

/* The tables of a kernel in order of handler. malloc'd; free with ls_tables_free. */
struct ls_table *ls_tables(const struct ls_profile *p, const struct ls_p_kernel *k,
                           const struct ls_table_options *o, size_t *n);
void ls_tables_free(struct ls_table *t, size_t n);

/* Sorts the profile's kernels: most waste first (or most of options->sort), then in order of arrival. */
void ls_sort_kernels(struct ls_profile *p, const struct ls_table_options *o);

/* The metric that a handler's table is about, -1 for none; and what a line is sorted by in it unless the user
 * chooses otherwise: the hardware's excess work. */
int ls_worst_metric(const struct ls_profile *p, const char *handler);
/* Whether the number is part of what its table is about: what `diff` compares, and what colours a row. */
bool ls_is_cost(const struct ls_profile *p, int metric);
/* What a cost is only a part of: all LDS cycles, or where there are atomics on global memory, what these and
 * the cache lines cost beyond need together. More of a part and less of the whole is no loss. false: the
 * metric is no part, or nothing is known of the whole. */
bool ls_whole_cost(const struct ls_profile *p, int metric, const struct ls_p_values *values, double *whole);
/* Whether the metric tells how lanes of atomics wait for each other. */
bool ls_is_contention(const struct ls_profile *p, int metric);
/* Whether the metric is the average of active lanes, and `value` of it says that a quarter or more of a
 * wavefront's `lanes` were idle. */
bool ls_shows_idle_lanes(const struct ls_profile *p, int metric, double value, unsigned lanes);
double ls_line_weight(const struct ls_profile *p, const char *handler, const struct ls_p_line *line);
/* The line's work beyond need, of all handlers that say what that is: in about cycles of the memory path. And
 * a kernel's, by which kernels are sorted. */
double ls_line_excess(const struct ls_profile *p, const struct ls_p_line *line);
double ls_kernel_excess(const struct ls_profile *p, const struct ls_p_kernel *k);

/* What a larger value of the metric means: 1 worse, -1 better, 0 neither (how much was done, not how well).
 * Of handlers that Lanescope does not know, the first metric is about what costs. */
int ls_metric_direction(const struct ls_profile *p, int metric);

/* Where Coalescing says 100 % of a line that touches more cache lines than it needs: both are right. */
#define LS_COALESCING_NOTE                                                                                   \
    "Coalescing 100 % is about requests only: each four neighbouring lanes stay in 64 bytes. More cache "    \
    "lines than needed are touched all the same: compare the lines with the lines needed"
bool ls_shows_all_coalesced(const struct ls_profile *p, const struct ls_p_line *line);

/* Whether the handler measures times: those of the software GPU say nothing about a GPU. */
bool ls_measures_time(const struct ls_profile *p, const char *handler);
/* Where the kernel's times come from:
 * "GPU", "software GPU", or of recordings of both "GPU and software GPU". */
const char *ls_time_source(const struct ls_p_kernel *k);

/* Whether the metric is a number that stands beside source lines: what lines cost, but for the whole that has
 * parts, and how well they coalesce. Of a handler that said nothing of its numbers: none. */
bool ls_beside_source(const struct ls_profile *p, size_t metric);
/* What of the metric's work was needed: of the same handler's metrics the one that it is counted against in the
 * order of lines; -1: there is none. */
int ls_needed_metric(const struct ls_profile *p, size_t metric);

/* The metrics that a user's text fits ("Bank Conflict" or "lds_bank_conflicts.Bank Conflict"): those of that
 * name, else those that begin so. Case does not matter. Two handlers may have metrics of one name. malloc'd
 * indices. */
int *ls_metrics_named(const struct ls_profile *p, const char *text, size_t *n);

#endif
