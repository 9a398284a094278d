/*
 * unread.c - decode/unread.c: half of a product is left out only where nobody can tell. Each piece of code multiplies lane
 * by a constant with v_mad_u64_u32 whose mask goes to NULL, does something, and returns a number in v0, which is worked
 * out by hand beside it. Argument: the code object of unread.cmake, whose kernel calls the code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "../loader.h"
#include "gcn/tests/assemble.h"

static const char *file;

/* v[2:3] = (lane + 1) * (2^32 - 1) + 5 = (lane + 1) * 2^32 + 4 - lane. */
#define PRODUCT                                                                                              \
    "v_add_nc_u32 v1, 1, v0\nv_mov_b32 v3, 99\nv_mov_b32 v4, 5\nv_mov_b32 v5, 0\n"                           \
    "v_mad_u64_u32 v[2:3], null, v1, -1, v[4:5]\n"
#define RETURN "\ns_setpc_b64 s[30:31]"

static uint64_t product(unsigned lane)
{
    return (uint64_t)(lane + 1) * 0xffffffff + 5;
}
static uint32_t low(unsigned lane)
{
    return (uint32_t)product(lane);
}
static uint32_t high(unsigned lane)
{
    return (uint32_t)(product(lane) >> 32);
}
static uint32_t low_and_one(unsigned lane)
{
    return low(lane) + 1;
}
static uint32_t high_behind_eight(unsigned lane)
{
    return lane < 8 ? 7 : high(lane);
}
static uint32_t high_but_byte(unsigned lane)
{
    return (high(lane) & ~255u) | lane;
}
/* row_shr:1 has no source for the first lane of a row, which stays. */
static uint32_t high_or_left(unsigned lane)
{
    return lane % 16 ? lane - 1 : high(lane);
}
static uint32_t high_of_lane_5(unsigned lane)
{
    (void)lane;
    return high(5);
}
/* The upper half of the turn before is added to what is multiplied: two turns. */
static uint32_t of_two_turns(unsigned lane)
{
    return (uint32_t)((uint64_t)(lane + 1 + high(lane)) * 0xffffffff + 5);
}

static const struct {
    const char *text;
    uint32_t (*expected)(unsigned lane);
} cases[] = {
    {PRODUCT "v_mov_b32 v0, v3", high},
    {PRODUCT "v_mov_b32 v3, 1\nv_add_nc_u32 v0, v2, v3", low_and_one},
    /* who overwrites it does not do so in all lanes */
    {PRODUCT "s_mov_b32 exec_lo, 255\nv_mov_b32 v3, 7\ns_mov_b32 exec_lo, -1\nv_mov_b32 v0, v3",
     high_behind_eight},
    {PRODUCT
     "v_mov_b32_sdwa v3, v0 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\nv_mov_b32 v0, v3",
     high_but_byte},
    {PRODUCT "v_mov_b32_dpp v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf\nv_mov_b32 v0, v3", high_or_left},
    {PRODUCT "v_readlane_b32 s4, v3, 5\nv_mov_b32 v3, 0\nv_mov_b32 v0, s4", high_of_lane_5},
    /* one of two ways reads it */
    {PRODUCT
     "s_cmp_eq_u32 s31, s31\ns_cbranch_scc1 .Lread\nv_mov_b32 v3, 0\nv_mov_b32 v0, v3\ns_branch .Lout\n"
     ".Lread:\nv_mov_b32 v0, v3\n.Lout:",
     high},
    {PRODUCT "s_cmp_eq_u32 s31, s31\ns_cbranch_scc1 .Lover\nv_mov_b32 v0, v3\n.Lover:\nv_mov_b32 v3, 1\n"
             "v_add_nc_u32 v0, v2, v3",
     low_and_one},
    /* the next turn of a loop does */
    {"v_add_nc_u32 v1, 1, v0\nv_mov_b32 v3, 0\nv_mov_b32 v4, 5\nv_mov_b32 v5, 0\ns_mov_b32 s4, 2\n"
     ".Lturn:\nv_add_nc_u32 v1, v1, v3\nv_mad_u64_u32 v[2:3], null, v1, -1, v[4:5]\n"
     "s_add_i32 s4, s4, -1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lturn\nv_mov_b32 v3, 0\nv_mov_b32 v0, v2",
     of_two_turns},
};
enum { N = sizeof cases / sizeof *cases, LANES = 32 };

static void as_if_written(void **state)
{
    (void)state;
    const struct sg_engine_config c = {.arch = ls_gpu_find_emulated("gfx1030"), .threads = 1};
    const char *cause;
    char why[256], text[1024];
    struct sg_device *device = sg_device_create(&c, &cause);
    assert_non_null(device);
    struct sg_object *object = sg_object_load(device, file, why, sizeof why);
    if (!object)
        fail_msg("%s", why);
    uint32_t *out = sg_device_alloc(device, 4096);
    const uint64_t base = (sg_object_symbol(object, "far", NULL) & ~4095ull) + (1ull << 32);
    for (unsigned i = 0; i < N; i++) {
        struct sg_fault fault;
        struct {
            uint32_t *out;
            uint64_t target;
        } arguments = {out, base + 4096ull * i};
        struct sg_launch l = {.kernel = "far",
                              .grid = {LANES},
                              .workgroup = {LANES},
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments};
        snprintf(text, sizeof text, "%s%s", cases[i].text, RETURN);
        const struct code *code = assemble("gfx1030", text);
        assert_true(sg_device_place_code(device, arguments.target, code->words, code->n));
        if (sg_object_launch(device, object, &l, &fault))
            fail_msg("case %u: %s", i, fault.message);
        for (unsigned lane = 0; lane < LANES; lane++)
            if (out[lane] != cases[i].expected(lane))
                fail_msg("case %u, lane %u: %x instead of %x", i, lane, out[lane], cases[i].expected(lane));
    }
    sg_device_destroy(device);
}

int main(int argc, char **argv)
{
    file = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_if_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
