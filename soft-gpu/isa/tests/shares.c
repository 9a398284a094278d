/*
 * shares.c - work-groups of many threads: each is run once, and threads meet at the engine's lock for shares
 * of work-groups, not for each. Argument: the code object of shares.cmake.
 *
 * The share of a thread is half of what an even split of the rest would give it, at most 32. So of G groups
 * and T threads there are at most G / 32 whole shares; while the rest shrinks from 64 T to 2 T groups it takes 2 T ln 32
 * = 6.9 T shares, and 2 T for the last ones. A thread also takes the lock when it steals or finds nothing, a few times at
 * the end: the bar is twice G / 32 + 9 T.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "../loader.h"

enum { GROUPS = 1 << 17 };

static const char *path;

/* The last work-group is a half. */
static void one_kernel(const char *kernel, uint16_t items, unsigned threads)
{
    char why[256];
    const char *cause;
    struct sg_fault fault;
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated("gfx90a"), .threads = threads};
    struct sg_device *d = sg_device_create(&c, &cause);
    assert_non_null(d);
    struct sg_object *o = sg_object_load(d, path, why, sizeof why);
    if (!o)
        fail_msg("%s", why);
    uint32_t *out = sg_device_alloc(d, GROUPS * sizeof *out);
    memset(out, 0, GROUPS * sizeof *out);
    struct sg_launch l = {.kernel = kernel,
                          .grid = {(uint32_t)GROUPS * items - items / 2},
                          .workgroup = {items},
                          .arguments = &out,
                          .argument_bytes = sizeof out};
    if (sg_object_launch(d, o, &l, &fault))
        fail_msg("%s: %s", kernel, fault.message);
    for (unsigned i = 0; i < GROUPS; i++)
        if (out[i] != 1)
            fail_msg("%s: work-group %u was run %u times", kernel, i, out[i]);
    uint64_t locks = sg_engine_lock_turns(sg_device_engine(d));
    print_message("%s, %u threads: %u work-groups, the lock taken %llu times\n", kernel, threads, GROUPS,
                  (unsigned long long)locks);
    assert_in_range(locks, 1, 2 * (GROUPS / 32 + 9 * threads));
    sg_device_destroy(d);
}

static void test_plain(void **state)
{
    (void)state;
    one_kernel("plain", 64, 64);
}

/* Also with a last work-group that needs half of its slots. */
static void test_scratch(void **state)
{
    (void)state;
    one_kernel("scratch", 64, 64);
    one_kernel("scratch", 256, 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_scratch),
    };
    if (argc != 2) {
        fprintf(stderr, "usage: test_sg_shares CODE-OBJECT\n");
        return 2;
    }
    path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
