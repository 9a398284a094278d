/* test_rocr.h - the files of test_rocr: each has a table of tests, which main looks through. */
#ifndef SOFT_GPU_KFD_TESTS_TEST_ROCR_H
#define SOFT_GPU_KFD_TESTS_TEST_ROCR_H

#include "rocr.h"

/* A name that is NULL ends a table. */
struct rocr_test {
    const char *name;
    void (*run)(void);
};
extern const struct rocr_test work_tests[], error_tests[], process_tests[];

/* Of kernels.cl, as the command line named them; NULL: it did not. */
extern const char *code_object, *other_code_object;

/* Fills memory with what tells places and seeds apart. */
void fill_pattern(uint8_t *p, size_t n, unsigned seed);

/* Two tests of work_tests, each of which brings the runtime up and down. */
void copy(void);
void barrier(void);

#endif
