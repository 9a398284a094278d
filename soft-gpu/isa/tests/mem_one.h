/* mem_one.h - tests that have one wavefront each, `t`, on the GPU that the list of tests names. */
#ifndef SOFT_GPU_ISA_MEM_ONE_H
#define SOFT_GPU_ISA_MEM_ONE_H

#include "mem_test.h"

static struct bench t;

/* Before a test; *state: the GPU's name. */
static inline int bench_setup(void **state)
{
    bench_open(&t, *state);
    return 0;
}

static inline int bench_teardown(void **state)
{
    (void)state;
    bench_close(&t);
    return 0;
}

/* An entry of the list; `setup`: bench_setup, or one that calls it. */
#define ON(gpu, setup, test)                                                                                 \
    cmocka_unit_test_prestate_setup_teardown(test, setup, bench_teardown, (void *)(uintptr_t)(gpu))

#endif
