/*
 * far.c - calls into code that lies anywhere in the address space: the system places code objects where it likes, a
 * GiB or a hundred TiB from the kernel. Argument: the code object of far.cmake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "../loader.h"
#include "gcn/tests/assemble.h"

static const char *file;

struct rig {
    struct sg_device *device;
    struct sg_object *object;
    int *out;
    uint64_t entry;
};

static void open_rig(struct rig *r)
{
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated("gfx90a"), .threads = 1};
    char why[256];
    const char *cause;
    r->device = sg_device_create(&c, &cause);
    assert_non_null(r->device);
    r->object = sg_object_load(r->device, file, why, sizeof why);
    if (!r->object)
        fail_msg("%s", why);
    r->out = sg_device_alloc(r->device, 4096);
    r->entry = sg_object_symbol(r->object, "far", NULL) & ~4095ull;
}

/* 0 and the fault, or -1. */
static int call(struct rig *r, uint64_t target, struct sg_fault *fault)
{
    struct {
        int *out;
        uint64_t target;
    } arguments = {r->out, target};
    struct sg_launch l = {.kernel = "far",
                          .grid = {64},
                          .workgroup = {64},
                          .arguments = &arguments,
                          .argument_bytes = sizeof arguments};
    return sg_object_launch(r->device, r->object, &l, fault);
}

/* Distances from the kernel, in GiB. Just below it lies what the launch allocates. */
static const int64_t distances[] = {1, 3, 7, 9, 100, -200, 4096, -4096, 50000};
enum { N = sizeof distances / sizeof *distances };

static uint64_t at(const struct rig *r, unsigned i)
{
    return (r->entry + (uint64_t)(distances[i] * (1ll << 30))) & 0x7fffffffffff;
}

/* Each function adds a number of its own, and returns to the kernel. */
static void test_calls(void **state)
{
    (void)state;
    struct rig r;
    struct sg_fault fault;
    open_rig(&r);
    for (unsigned i = 0; i < N; i++) {
        char text[80];
        snprintf(text, sizeof text, "v_add_u32 v0, %u, v0\ns_setpc_b64 s[30:31]", i + 1);
        const struct code *c = assemble("gfx90a", text);
        assert_true(sg_device_place_code(r.device, at(&r, i), c->words, c->n));
    }
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < N; i++) {
            if (call(&r, at(&r, i), &fault))
                fail_msg("%lld GiB: %s", (long long)distances[i], fault.message);
            for (int lane = 0; lane < 64; lane++)
                assert_int_equal(r.out[lane], lane + (int)i + 1);
        }
    sg_device_destroy(r.device);
}

/* A fault in far code names its place. */
static void test_faults(void **state)
{
    (void)state;
    struct rig r;
    struct sg_fault fault;
    open_rig(&r);
    const struct code *c = assemble("gfx90a", "s_nop 0\ns_trap 2");
    for (unsigned i = 0; i < N; i++) {
        assert_true(sg_device_place_code(r.device, at(&r, i), c->words, c->n));
        assert_int_equal(call(&r, at(&r, i), &fault), -1);
        assert_int_equal(fault.kind, SG_FAULT_TRAP);
        assert_true(fault.pc == at(&r, i) + 4);
    }
    sg_device_destroy(r.device);
}

int main(int argc, char **argv)
{
    file = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
