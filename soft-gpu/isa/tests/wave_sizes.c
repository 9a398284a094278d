/*
 * wave_sizes.c - gfx1030 in both wavefront sizes: how wide masks of lanes are, NULL, and what its instructions do
 * otherwise than those of gfx9. Expected: "AMD RDNA 2 Instruction Set Architecture", sections 3 (wave32 and
 * wave64, EXEC, VCC), 5.2 (saveexec), 6 (VOPC, DPP8, DPP16), 12.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/tests/assemble.h"
#include "soft-gpu/isa/code/uop.h"

#define WAVE32 "gfx1030"
#define WAVE64 "gfx1030 -mattr=+wavefrontsize64,-wavefrontsize32"

enum { VCC = 106, JUNK = 0x5a5a5a5a };

static struct sg_wave_image *image;

/* All lanes active, v0 the lane's number, v1 ten times that, all scalars JUNK. */
static int begin(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    for (unsigned i = 0; image && i < 128; i++)
        image->s[i] = JUNK;
    for (unsigned i = 0; image && i < 64; i++) {
        image->v[0][i] = i;
        image->v[1][i] = 10 * i;
    }
    return image ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(image);
    return 0;
}

static void run(unsigned lanes, const char *text)
{
    const struct code *c = assemble(lanes == 32 ? WAVE32 : WAVE64, text);
    struct sg_fault fault;
    image->lanes = lanes;
    image->s[SG_S_EXEC] = ~0u;
    if (lanes == 64)
        image->s[SG_S_EXEC + 1] = ~0u;
    if (sg_engine_exec_raw(ls_gpu_find("gfx1030"), NULL, c->words, c->n, image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

/* Lanes whose number is below 5 and those from 40 on. */
static void compares(void **state)
{
    (void)state;
    run(32, "v_cmp_gt_u32 vcc_lo, 5, v0\nv_cmp_le_u32 s4, 40, v0\nv_cmp_le_u32 s6, 4, v0");
    assert_int_equal(image->s[VCC], 0x1f);
    assert_int_equal(image->s[VCC + 1], JUNK);
    assert_int_equal(image->s[4], 0);
    assert_int_equal(image->s[5], JUNK);
    assert_int_equal(image->s[6], 0xfffffff0);
    assert_int_equal(image->s[7], JUNK);
    run(64, "v_cmp_gt_u32 vcc, 5, v0\nv_cmp_le_u32 s[4:5], 40, v0");
    assert_int_equal(sg_s64(image->s, VCC), 0x1f);
    assert_int_equal(sg_s64(image->s, 4), ~0ull << 40);
}

/* v_cmpx writes EXEC and nothing else; EXEC_HI is no part of it with 32 lanes. */
static void compares_to_exec(void **state)
{
    (void)state;
    run(32, "v_cmpx_gt_u32 5, v0\nv_mov_b32 v2, 7");
    assert_int_equal(image->s[SG_S_EXEC], 0x1f);
    assert_int_equal(image->s[SG_S_EXEC + 1], JUNK);
    assert_int_equal(image->s[VCC], JUNK);
    assert_int_equal(image->v[2][4], 7);
    assert_int_equal(image->v[2][5], 0);
    run(64, "v_cmpx_gt_u32 5, v0");
    assert_int_equal(sg_s64(image->s, SG_S_EXEC), 0x1f);
    assert_int_equal(image->s[VCC], JUNK);
}

/* The mask read is one register: that of the upper lanes, JUNK, must not matter. */
static void selects(void **state)
{
    (void)state;
    run(32, "s_mov_b32 s8, 0x6\nv_cndmask_b32 v2, v0, v1, s8\ns_mov_b32 vcc_lo, 1\nv_cndmask_b32 v3, v0, v1, "
            "vcc_lo");
    assert_int_equal(image->v[2][1], 10);
    assert_int_equal(image->v[2][2], 20);
    assert_int_equal(image->v[2][3], 3);
    assert_int_equal(image->v[3][0], 0);
    assert_int_equal(image->v[3][31], 31);
    assert_int_equal(image->v[2][40], 0); /* no lane of it */
}

/* 0xffffffff + lane carries in all lanes but 0. */
static void carries(void **state)
{
    (void)state;
    run(32, "v_add_co_u32 v2, vcc_lo, -1, v0\nv_add_co_ci_u32 v3, s4, 0, v1, vcc_lo\n"
            "v_add_co_ci_u32_e64 v4, null, 0, v1, vcc_lo\nv_mov_b32 v5, null");
    assert_int_equal(image->s[VCC], 0xfffffffe);
    assert_int_equal(image->s[VCC + 1], JUNK);
    assert_int_equal(image->v[3][0], 0);
    assert_int_equal(image->v[3][3], 31);
    assert_int_equal(image->s[4], 0);
    assert_int_equal(image->s[5], JUNK);
    assert_int_equal(image->v[4][3], 31);
    assert_int_equal(image->v[5][3], 0);
    run(64, "v_add_co_u32 v2, vcc, -1, v0\nv_mad_u64_u32 v[6:7], s[4:5], v0, -1, -1");
    assert_int_equal(sg_s64(image->s, VCC), ~1ull);
}

static void save_exec(void **state)
{
    (void)state;
    run(32, "s_mov_b32 s4, 0xf0\ns_and_saveexec_b32 s6, s4\nv_mov_b32 v2, 1\ns_or_b32 exec_lo, exec_lo, s6\n"
            "v_mov_b32 v3, 1\ns_mov_b32 s4, 0xff\ns_andn2_saveexec_b32 s8, s4");
    assert_int_equal(image->s[6], ~0u);
    assert_int_equal(image->s[7], JUNK);
    assert_int_equal(image->v[2][3], 0);
    assert_int_equal(image->v[2][4], 1);
    assert_int_equal(image->v[3][31], 1);
    assert_int_equal(image->v[3][32], 0);
    assert_int_equal(image->s[SG_S_EXEC], 0);
    assert_int_equal(image->s[SG_S_EXEC + 1], JUNK);
    assert_int_equal(image->scc, 0);
}

/* Branches look at the lower half alone: VCC_HI and EXEC_HI are JUNK. */
static void branches(void **state)
{
    (void)state;
    run(32, "s_mov_b32 s4, 0\ns_mov_b32 vcc_lo, 0\ns_cbranch_vccnz l1\ns_or_b32 s4, s4, 1\nl1:\n"
            "s_mov_b32 exec_lo, 0\ns_cbranch_execz l2\ns_or_b32 s4, s4, 2\nl2:\ns_nop 0");
    assert_int_equal(image->s[4], 1);
}

/* The other half stays: gfx9's v_add_f16 writes zeros there. 1.0 + 1.0 = 2.0. */
static void halves(void **state)
{
    (void)state;
    run(32,
        "v_mov_b32 v2, 0xdead3c00\nv_add_f16 v2, 1.0, v2\nv_mov_b32 v3, 0xdead0001\nv_add_nc_u16 v3, v3, 1");
    assert_int_equal(image->v[2][0], 0xdead4000);
    assert_int_equal(image->v[3][0], 0xdead0002);
}

/* Lane i of DPP8 reads 7 - i of its eight, of row_xmask:3 lane i ^ 3, of row_share:5 lane 5 of its sixteen. A
 * source that is not active gives 0 in DPP8, and its value with fi. */
static void data_parallel_primitives(void **state)
{
    (void)state;
    run(32, "v_mov_b32_dpp v2, v0 dpp8:[7,6,5,4,3,2,1,0]\nv_mov_b32_dpp v3, v0 row_xmask:3 row_mask:0xf "
            "bank_mask:0xf\n"
            "v_mov_b32_dpp v4, v0 row_share:5 row_mask:0xf bank_mask:0xf\ns_mov_b32 exec_lo, 1\n"
            "v_mov_b32_dpp v5, v1 dpp8:[7,6,5,4,3,2,1,0]\nv_mov_b32_dpp v6, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1");
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(image->v[2][i], (i & ~7u) + 7 - i % 8);
        assert_int_equal(image->v[3][i], i ^ 3);
        assert_int_equal(image->v[4][i], i / 16 * 16 + 5);
    }
    assert_int_equal(image->v[5][0], 0);
    assert_int_equal(image->v[6][0], 70);
}

/* One literal may stand twice, and in VOP3. */
static void literals(void **state)
{
    (void)state;
    run(32, "v_add3_u32 v2, v0, 0x12345, 0x12345\nv_pk_add_u16 v3, 0x20001, v0 op_sel_hi:[1,0]");
    assert_int_equal(image->v[2][2], 2 + 2 * 0x12345);
    assert_int_equal(image->v[3][2], 0x40003);
}

/* v0 and M0 = 1: v1; v2 and M0: v3. */
static void indexed_by_m0(void **state)
{
    (void)state;
    run(32, "s_mov_b32 m0, 1\nv_movrels_b32 v4, v0\nv_movreld_b32 v2, 7\nv_movrelsd_b32 v5, v0");
    assert_int_equal(image->v[4][3], 30);
    assert_int_equal(image->v[3][3], 7);
    assert_int_equal(image->v[6][3], 30);
    assert_int_equal(image->v[2][3], 0);
}

/* MODE: round 3:0, denormals 7:4. */
static void modes(void **state)
{
    (void)state;
    image->mode = 0x3f0;
    run(32, "s_round_mode 0x5\ns_denorm_mode 0x3");
    assert_int_equal(image->mode, 0x335);
}

/* Each half of 32 lanes for itself. */
static void permutes(void **state)
{
    (void)state;
    run(64, "v_lshlrev_b32 v2, 2, v0\nv_add_nc_u32 v2, 4, v2\nds_bpermute_b32 v3, v2, v1\nds_permute_b32 v4, "
            "v2, v1\n"
            "s_waitcnt lgkmcnt(0)");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(image->v[3][i], 10 * ((i & 32) + (i + 1) % 32));
        assert_int_equal(image->v[4][i], 10 * ((i & 32) + (i + 31) % 32));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(compares, begin, end),
        cmocka_unit_test_setup_teardown(compares_to_exec, begin, end),
        cmocka_unit_test_setup_teardown(selects, begin, end),
        cmocka_unit_test_setup_teardown(carries, begin, end),
        cmocka_unit_test_setup_teardown(save_exec, begin, end),
        cmocka_unit_test_setup_teardown(branches, begin, end),
        cmocka_unit_test_setup_teardown(halves, begin, end),
        cmocka_unit_test_setup_teardown(data_parallel_primitives, begin, end),
        cmocka_unit_test_setup_teardown(literals, begin, end),
        cmocka_unit_test_setup_teardown(indexed_by_m0, begin, end),
        cmocka_unit_test_setup_teardown(modes, begin, end),
        cmocka_unit_test_setup_teardown(permutes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
