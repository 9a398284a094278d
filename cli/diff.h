/* diff.h - two profiles side by side, per kernel and source line. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <stdio.h>
#include "profile.h"

enum { SIDE_A, SIDE_B, SIDES };

enum verdict { VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE, VERDICT_CHANGED, VERDICT_NEW, VERDICT_GONE };
const char *verdict_name(enum verdict v);

struct diff_metric {
    int index[SIDES]; /* in its profile; -1: not there */
    const char *handler, *name, *unit;
    bool is_ratio;
    int direction; /* 1: more is worse, -1: less is worse */
};

/* One number on both sides. */
struct diff_value {
    bool has[SIDES];
    double value[SIDES];
    bool inexact[SIDES];
    double change; /* percent; INFINITY from 0 */
    enum verdict verdict;
};

/* A source line; or a kernel's total, whose lines are NULL. */
struct diff_entry {
    const struct ls_p_line
        *line[SIDES]; /* the first of the lines that were added up; NULL: not on that side */
    struct ls_p_values sum[SIDES];
    struct ls_p_texts reasons[SIDES]; /* why numbers are not exact; malloc'd texts */
    struct diff_value *values;        /* per metric */
    bool changed;                     /* a verdict is not VERDICT_SAME */
};

struct diff_kernel {
    const struct ls_p_kernel *kernel[SIDES]; /* NULL: not on that side */
    struct diff_entry total;
    struct diff_entry *lines;
    size_t n_lines;
};

struct diff {
    struct ls_profile *profile[SIDES];
    double threshold; /* percent */
    bool per_dispatch;
    struct diff_metric *metrics;
    size_t n_metrics;
    struct diff_kernel *kernels;
    size_t n_kernels;
    size_t compared; /* kernels with numbers on both sides */
    size_t worse;    /* verdicts that count for the exit code */
};

/* Fills kernels, compared and worse from profiles and metrics. */
void diff_compute(struct diff *d);
void diff_free(struct diff *d);

void diff_text(const struct diff *d, bool all, bool full_paths, FILE *out);
int diff_json(const struct diff *d, FILE *out); /* 0, or -1 when out of memory */
void diff_csv(const struct diff *d, FILE *out);

#endif
