/* diff.h - two profiles side by side, per kernel and source line. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <stdio.h>
#include "results/profile/profile.h"

enum { SIDE_A, SIDE_B, SIDES };

enum verdict { VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE, VERDICT_CHANGED, VERDICT_NEW, VERDICT_GONE };
const char *verdict_name(enum verdict v);

struct diff_metric {
    int index[SIDES]; /* in its profile; -1: not there */
    const char *handler, *name, *unit;
    bool is_ratio;
    int direction; /* 1: more is worse, -1: less is worse */
    bool chosen;   /* by the user: judged alone */
};

/* One number on both sides. */
struct diff_value {
    bool has[SIDES];
    double value[SIDES];
    bool inexact[SIDES];
    double change;  /* percent; INFINITY from 0 */
    double allowed; /* percent */
    bool placed;    /* by an allowance that names its place */
    bool in_part;   /* more by more than that, but VERDICT_CHANGED: what it is a part of costs no more */
    enum verdict verdict;
};

/* A source line; or a kernel's total, whose lines are NULL. */
struct diff_entry {
    const struct ls_p_line *line[SIDES]; /* the first of those added up; NULL: not on that side */
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

/* A kernel or a source file that the user says was renamed. */
struct diff_rename {
    char *from, *to;
};

/* By how much a number may grow (gate --allow). The last one that fits a number holds. */
struct diff_allowance {
    const char *handler, *metric; /* NULL: all */
    double percent;
    const char *place; /* a kernel as `called` by diff_match.h, or a source file; NULL: all */
    uint32_t line;     /* of the file; 0: all */
};

struct diff {
    struct ls_profile *profile[SIDES];
    struct diff_rename *renames;
    size_t n_renames;
    double threshold;                  /* percent */
    struct diff_allowance *allowances; /* in their places of the threshold */
    size_t n_allowances;
    bool per_dispatch;
    struct diff_metric *metrics;
    size_t n_metrics;
    struct diff_kernel *kernels;
    size_t n_kernels;
    size_t compared; /* kernels with numbers on both sides */
    size_t numbers;  /* of theirs that both sides have */
    size_t worse;    /* verdicts that count for the exit code */
    /* the recordings are of different wavefronts: what differs is neither better nor worse */
    bool other_waves;
};

/* Reads "5" or "5%"; false: it is no percentage. */
bool diff_percent(const char *text, double *percent);
/* Reads OLD=NEW, which is cut in two and stays in use; false: it is none. diff_check_renames may cut it at another `=`. */
bool diff_rename_of(char *text, struct diff_rename *rename);

/* The metrics to compare, once both profiles are loaded: those named, else costs. Metrics of one side are
 * left out, and told. 0, or an exit code after a message: EXIT_FAILED, when none is left. */
int diff_choose_metrics(struct diff *d, const char *const *names, size_t n);
/* Why no number was compared; a text that lasts. */
const char *diff_why_nothing(const struct diff *d);
/* Says it, and what helps. */
void diff_tell_nothing(const struct diff *d);
/* Whether a metric of one of the recordings is among them. */
bool diff_compares(const struct diff *d, const struct ls_p_metric *m);
/* Tells when the recordings are of different wavefronts, and notes it for the verdicts. */
void diff_check_filters(struct diff *d);
/* Tells when kernels that are compared ran on different GPUs. */
void diff_tell_gpus(const struct diff *d);

/* Percent by which a metric of an entry may change. *placed: an allowance says so that names its kernel, file
 * or line. */
double diff_allowed(const struct diff *d, const struct diff_kernel *k, const struct diff_entry *e,
                    const struct diff_metric *m, bool *placed);
/* Whether an allowance's place names something in the recordings. */
bool diff_allowance_fits(const struct diff *d, const struct diff_allowance *a);

/* What a kernel is called by: the newer side's, where there is one. */
static inline const struct ls_p_kernel *diff_kernel_of(const struct diff_kernel *k)
{
    return k->kernel[SIDE_B] ? k->kernel[SIDE_B] : k->kernel[SIDE_A];
}

/* The same as a heading: with its place where another kernel has its name, too (names.h). malloc'd. */
char *diff_heading(const struct diff *d, const struct diff_kernel *k);

static inline bool diff_observed_in_both(const struct diff_kernel *k)
{
    return k->kernel[SIDE_A] && k->kernel[SIDE_B] && k->kernel[SIDE_A]->observed &&
           k->kernel[SIDE_B]->observed;
}

/* The side whose line is shown: the newer one, where there is one. */
static inline int diff_side_of(const struct diff_entry *e)
{
    return e->line[SIDE_B] ? SIDE_B : SIDE_A;
}

/* Its line there; NULL: a kernel's total. */
static inline const struct ls_p_line *diff_line_of(const struct diff_entry *e)
{
    return e->line[diff_side_of(e)];
}

/* Whether a side's LDS cycles rest on phases that nobody has measured. */
bool diff_assumed(const struct diff *d, const struct diff_entry *e);

/* Why no number of a kernel was compared; in the order in which it is told. */
enum diff_left {
    LEFT_NONE,
    LEFT_ONLY_BEFORE,
    LEFT_ONLY_AFTER,
    LEFT_NOT_OBSERVED,
    LEFT_NO_NUMBERS,
    LEFT_WAYS
};
/* LEFT_NONE also for the runtime's own kernels that nothing observed: they are nobody's to compare. */
enum diff_left diff_left_of(const struct diff_kernel *k);
/* Kernels that were not compared. */
size_t diff_count_left(const struct diff *d);
/* The sentence with which a comparison ends, on what was compared and on what was not. malloc'd; NULL: out of memory. */
char *diff_conclusion(const struct diff *d);

/* Fills kernels, compared, numbers and worse from profiles and metrics. */
void diff_compute(struct diff *d);
void diff_free(struct diff *d);

void diff_text(const struct diff *d, bool all, bool full_paths, FILE *out);
int diff_json(const struct diff *d, FILE *out); /* 0, or -1 when out of memory */
void diff_csv(const struct diff *d, FILE *out);

#endif
