/*
 * stall.c (test) - loops that never end although they count are stopped, loops that end late are not.
 * Argument: directory of stall-<arch>-O<level>.co.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../loader.h"

static const char *directory;

enum {
    LIMIT = 4 << 20,      /* rounds: more than those after which a loop is asked whether it only counts */
    LIMIT_O0 = 300 << 10, /* more than those after which it is watched; there counters live in memory */
};

struct gpu {
    struct sg_device *d;
    struct sg_object *o;
    uint32_t *out;
};

static struct gpu open_gpu(const char *arch, unsigned level)
{
    char path[1024], why[256];
    const char *cause;
    struct gpu g = {0};
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated(arch), .threads = 1};
    g.d = sg_device_create(&c, &cause);
    assert_non_null(g.d);
    snprintf(path, sizeof path, "%s/stall-%s-O%u.co", directory, arch, level);
    g.o = sg_object_load(g.d, path, why, sizeof why);
    if (!g.o)
        fail_msg("%s", why);
    g.out = sg_device_alloc(g.d, 4096);
    return g;
}

static int launch_groups(const struct gpu *g, const char *kernel, uint32_t groups, uint16_t items,
                         uint32_t limit, struct sg_fault *fault)
{
    struct {
        void *out;
        uint32_t limit;
    } block = {g->out, limit};
    struct sg_launch l = {.kernel = kernel,
                          .grid = {groups * items},
                          .workgroup = {items},
                          .arguments = &block,
                          .argument_bytes = sizeof block};
    return sg_object_launch(g->d, g->o, &l, fault);
}

static int launch(const struct gpu *g, const char *kernel, uint16_t items, uint32_t limit,
                  struct sg_fault *fault)
{
    return launch_groups(g, kernel, 1, items, limit, fault);
}

static const char *const arches[] = {"gfx90a", "gfx942"};

static void test_never(void **state)
{
    (void)state;
    static const char *const kernels[] = {"counts_scalar", "counts_vector", "counts_long", "counts_time",
                                          "counts_lds"};
    for (unsigned a = 0; a < 2; a++) {
        struct gpu g = open_gpu(arches[a], 3);
        for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
            struct sg_fault fault;
            assert_int_equal(launch(&g, kernels[i], 128, 3, &fault), -1);
            if (fault.kind != SG_FAULT_DEADLOCK || !strstr(fault.message, "but for those that only count"))
                fail_msg("%s on %s: %s", kernels[i], arches[a], fault.message);
            assert_true(!strstr(kernels[i], "lds") == !strstr(fault.message, "it reads only LDS"));
        }
        sg_device_destroy(g.d);
    }
}

/* Sleeping ends the way to what stands behind it: these loops store nothing. */
static void test_sleep(void **state)
{
    static const char *const both[] = {"gfx90a", "gfx1201"};
    (void)state;
    for (unsigned a = 0; a < 2; a++) {
        struct gpu g = open_gpu(both[a], 3);
        struct sg_fault fault;
        assert_int_equal(launch(&g, "sleeps_elsewhere", 64, 3, &fault), -1);
        if (fault.kind != SG_FAULT_DEADLOCK)
            fail_msg("sleeps_elsewhere on %s: %s", both[a], fault.message);
        sg_device_destroy(g.d);
    }
}

/* `expected`: what stands in the first word at the end. */
static void check_end(const struct gpu *g, const char *kernel, uint32_t limit, uint32_t expected)
{
    struct sg_fault fault;
    if (launch(g, kernel, 64, limit, &fault))
        fail_msg("%s: %s (%s)", kernel, fault.message, fault.instruction);
    if (g->out[0] != expected)
        fail_msg("%s: %u rounds instead of %u", kernel, g->out[0], expected);
}

static void test_late(void **state)
{
    (void)state;
    for (unsigned level = 0; level <= 3; level += 3) {
        struct gpu g = open_gpu("gfx90a", level);
        const uint32_t limit = level ? LIMIT : LIMIT_O0;
        check_end(&g, "ends_scalar", limit, limit);
        check_end(&g, "ends_vector", limit, limit);
        /* `earlier` is two less than n, and its upper bits are limit's first at limit itself. */
        check_end(&g, "ends_delayed", limit, limit + 2);
        check_end(&g, "ends_by_address", limit, limit);
        check_end(&g, "ends_by_lds", limit, limit);
        check_end(&g, "ends_by_lane", limit / 8, limit / 8 / 64);
        check_end(&g, "ends_by_time", 20000000, 20000000);
        check_end(&g, "ends_outside", limit, limit);
        sg_device_destroy(g.d);
    }
}

/* 32 work-groups, until the first one has done its part, with at most so many instructions in all. */
static void check_cost(const char *arch, const char *kernel, uint32_t limit, uint64_t most)
{
    struct gpu g = open_gpu(arch, 3);
    struct sg_fault fault;
    uint64_t instructions, lanes;
    if (launch_groups(&g, kernel, 32, 64, limit, &fault))
        fail_msg("%s on %s: %s", kernel, arch, fault.message);
    assert_int_equal(g.out[0], limit);
    sg_engine_counters(sg_device_engine(g.d), &instructions, &lanes);
    if (instructions > most)
        fail_msg("%s on %s: %llu instructions, at most %llu expected", kernel, arch,
                 (unsigned long long)instructions, (unsigned long long)most);
    sg_device_destroy(g.d);
}

/* A work-group that sleeps is not kept from its work by those that poll for its result: it sleeps 16,000 times, in a loop of
 * fewer than 8 instructions; 31 work-groups that poll may cost 1000 times as much, and the whole still takes a second.
 * Nor is one that loops by those that sleep between looking: a million rounds of fewer than 8 instructions; the others may cost
 * as much. */
static void test_others(void **state)
{
    enum { SLEEPS = 16000, ROUNDS = 1 << 20, LOOP = 8 };
    (void)state;
    check_cost("gfx90a", "others_poll", SLEEPS, (uint64_t)SLEEPS * LOOP * 1000);
    check_cost("gfx1201", "others_poll", SLEEPS, (uint64_t)SLEEPS * LOOP * 1000);
    check_cost("gfx90a", "others_sleep", ROUNDS, (uint64_t)ROUNDS * LOOP * 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never), cmocka_unit_test(test_sleep),
                                       cmocka_unit_test(test_late), cmocka_unit_test(test_others)};
    if (argc != 2) {
        fprintf(stderr, "usage: test_sg_stall DIRECTORY\n");
        return 2;
    }
    directory = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
