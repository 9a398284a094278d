/* step.h - one step of the self-test: a part of the program lanescope-selftest, run under `lanescope run`. */
#ifndef CLI_SELFTEST_STEP_H
#define CLI_SELFTEST_STEP_H

#include <jansson.h>

/* What is done with what was observed. */
enum step_check {
    STEP_PLAIN,   /* nothing: the part has no probes */
    STEP_EXACT,   /* all that the part expects was seen */
    STEP_DROPPED, /* what was seen and what was dropped make all */
    STEP_SUMMARY, /* the executions that the GPU counted */
};

struct step {
    const char *name, *part;
    enum step_check check;
    const char *options[4]; /* for `run`; NULL behind the last */
};

/* Runs a step in `directory` and returns its object, with what went wrong among its "problems"; NULL when out of
 * memory or stopped by a signal (child.h). `gpu`: for --gpu, or NULL. */
json_t *step_run(const struct step *s, const char *directory, const char *gpu);
/* Adds a sentence to the problems. */
void step_problem(json_t *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Holds the recording against what the part expected. */
void step_check(const struct step *s, const char *database, json_t *o);

#endif
