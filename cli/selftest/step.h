/* step.h - one step of the self-test: a part of the program lanescope-selftest, run under `lanescope run` or rocprofv3. */
#ifndef CLI_SELFTEST_STEP_H
#define CLI_SELFTEST_STEP_H

#include <jansson.h>
#include <stdbool.h>

/* What is done with what was observed. */
enum step_check {
    STEP_PLAIN,   /* nothing: the part has no probes */
    STEP_EXACT,   /* all that the part expects was seen */
    STEP_TOTALS,  /* the same of all launches together */
    STEP_DROPPED, /* what was seen and what was dropped make all */
    STEP_SUMMARY, /* the executions that the GPU counted */
    STEP_COUNTED, /* rocprofv3 ran it: its counters are held against the model */
};

struct step {
    const char *name, *part;
    enum step_check check;
    const char *options[4]; /* for `run`; of STEP_COUNTED, counters. NULL behind the last */
};

/* Where steps run. */
struct step_place {
    const char *directory;
    const char *gpu;       /* for --gpu, or NULL */
    const char *gpu_name;  /* "gfx90a", as the first step found it */
    const char *rocprofv3; /* path; NULL: there is none */
    int seconds;           /* what a step may take; 0: as long as is usual on this GPU */
    bool late;             /* one took longer: the others are not waited for as long */
};

/* Runs a step and returns its object, with what went wrong among its "problems"; NULL when out of memory or stopped by
 * a signal (child.h). */
json_t *step_run(const struct step *s, struct step_place *place);
/* Adds a sentence to the problems. */
void step_problem(json_t *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Holds the recording against what the part expected. */
void step_check(const struct step *s, const char *database, json_t *o);
/* Holds the CSV file of rocprofv3 against the model of this GPU: "counts" in the place of the part's "rows", or why
 * there are none as "skipped". Counts that differ from phases that were measured are problems. */
void step_check_counted(const struct step *s, const char *csv, const char *gpu, json_t *o);

#endif
