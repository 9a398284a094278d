/* gate.h - a comparison with a baseline, judged for `lanescope gate`, and its forms. */
#ifndef CLI_GATE_H
#define CLI_GATE_H

#include <stdbool.h>
#include <stdio.h>
#include "diff.h"

/* What fails: numbers that are worse than allowed; also lines and kernels with costs that the baseline does
 * not have; also anything else that is not as it was. */
enum gate_fails { GATE_ON_WORSE, GATE_ON_NEW, GATE_ON_ANY };

enum gate_state {
    GATE_PASSED,
    GATE_FAILED,
    GATE_NOT_JUDGED,   /* it differs, or would be judged, but cannot repeat exactly */
    GATE_NOT_COMPARED, /* a kernel that was observed on one side only, or on none */
};

/* A number that fails, or would if it could repeat. */
struct gate_number {
    size_t metric;
    const char *why; /* static: what is wrong with it, or why it is not judged */
    bool failed;
};

struct gate_place {
    const char *file;      /* "" when unknown */
    uint32_t line, column; /* 0: unknown */
};

/* A kernel as a whole, or one of its lines. */
struct gate_check {
    const struct diff_kernel *kernel;
    const struct diff_entry *entry; /* &kernel->total: the whole kernel */
    enum gate_state state;
    const char *why; /* static: of a state that is not about single numbers; or NULL */
    struct gate_number *numbers;
    size_t n_numbers;
    struct gate_place place; /* where a reader should look */
};

struct gate {
    struct diff d;
    enum gate_fails fails;
    bool junit_without_lines; /* test cases have neither file nor line: Jenkins' junit-10.xsd knows none */
    const char *why_nothing;  /* was compared: what went wrong before; NULL: unknown, or something was */
    const char *root;         /* of the sources: an absolute path without a slash at its end */
    struct gate_check *checks;
    size_t n_checks;
    size_t judged, not_judged,
        failed;          /* numbers; failed: also those of one side, which are not among the judged */
    size_t kernels;      /* of which a number was judged */
    size_t not_compared; /* kernels that were observed on one side only, or on none */
};

/* Fills the checks of a comparison that diff_compute filled. Both profiles were loaded with LOAD_CODE. */
void gate_judge(struct gate *g);
void gate_free(struct gate *g);
/* Whether the gate is open: numbers were judged, and none failed. */
bool gate_is_open(const struct gate *g);

const struct ls_p_kernel *gate_kernel(const struct gate_check *c);
/* "nothing was compared with the baseline: the run of ./app ended with exit code 7". malloc'd. */
char *gate_nothing_text(const struct gate *g);
/* "Bank Conflict 0 -> 15,872: worse than the baseline, 0 % more is allowed". malloc'd. */
char *gate_number_text(const struct gate *g, const struct gate_check *c, const struct gate_number *n);
/* Of the numbers that failed, those that only one recording has. */
size_t gate_one_sided(const struct gate *g);
/* What would make a failed line better (results/advice/advice.h): malloc'd array, for ls_advice_free. */
char **gate_advice(const struct gate *g, const struct gate_check *c, size_t *n);
/* The path of a file relative to the root; also when the program was compiled elsewhere and the end of the
 * path is there. malloc'd; NULL: it is not below the root. */
char *gate_relative(const struct gate *g, const char *file);

void gate_text(const struct gate *g, FILE *out);
/* Schema lanescope-gate/1. 0, or -1 when out of memory. */
int gate_json(const struct gate *g, FILE *out);
/* JUnit XML: a test suite for each kernel, a test case for the kernel and each of its lines. */
void gate_junit(const struct gate *g, FILE *out);
/* SARIF 2.1.0: a result for each number that failed. 0, or -1 when out of memory. */
int gate_sarif(const struct gate *g, FILE *out);

#endif
