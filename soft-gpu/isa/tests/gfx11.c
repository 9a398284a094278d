/*
 * gfx11.c - what gfx1100 has beside gfx1030: two operations in one instruction, halves of registers, DPP in VOP3,
 * and new instructions. Expected: "RDNA3 Instruction Set Architecture", sections 7.6 (VOPD), 7.4 (16-bit operands),
 * 7.7 (DPP) and chapter 16; arithmetic stands beside the numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/tests/assemble.h"
#include "soft-gpu/isa/code/uop.h"

#define WAVE32 "gfx1100"
#define WAVE64 "gfx1100 -mattr=+wavefrontsize64,-wavefrontsize32"

static struct sg_wave_image *image;
static uint8_t lds[256];

/* All lanes active, v0 the lane's number, v1 ten times that, v2 0xaaaabbbb, v3 0x11112222. */
static int begin(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    for (unsigned i = 0; image && i < 64; i++) {
        image->v[0][i] = i;
        image->v[1][i] = 10 * i;
        image->v[2][i] = 0xaaaabbbb;
        image->v[3][i] = 0x11112222;
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
    image->s[SG_S_EXEC + 1] = lanes == 64 ? ~0u : 0;
    if (sg_engine_exec_raw(ls_gpu_find("gfx1100"), NULL, c->words, c->n, image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

/* Both read before either writes: whoever is first, the other one's source, or both. */
static void two_operations(void **state)
{
    (void)state;
    run(32, "v_dual_mov_b32 v4, v0 :: v_dual_add_nc_u32 v5, 7, v1");
    assert_int_equal(image->v[4][3], 3);
    assert_int_equal(image->v[5][3], 37);
    run(32, "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0");
    assert_int_equal(image->v[0][3], 30);
    assert_int_equal(image->v[1][3], 3);
    run(32, "v_dual_mov_b32 v0, 5 :: v_dual_lshlrev_b32 v7, 1, v0");
    assert_int_equal(image->v[0][3], 5);
    assert_int_equal(image->v[7][3], 60);
    run(32, "s_mov_b32 vcc_lo, 4\nv_dual_cndmask_b32 v8, v0, v1 :: v_dual_mov_b32 v9, 0x12345");
    assert_int_equal(image->v[8][1], 5);
    assert_int_equal(image->v[8][2], 2);
    assert_int_equal(image->v[9][31], 0x12345);
}

/* Only active lanes are written, also where a result has to wait. */
static void two_operations_masked(void **state)
{
    (void)state;
    run(32, "s_mov_b32 exec_lo, 2\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0");
    assert_int_equal(image->v[0][1], 10);
    assert_int_equal(image->v[1][1], 1);
    assert_int_equal(image->v[0][2], 2);
    assert_int_equal(image->v[1][2], 20);
}

/* 1.0 is 0x3c00, 2.0 0x4000, 3.0 0x4200 (IEEE 754 binary16). The other half stays. */
static void halves(void **state)
{
    (void)state;
    run(32, "v_mov_b16 v4.l, v2.h\nv_mov_b16 v4.h, v3.l");
    assert_int_equal(image->v[4][5], 0x2222aaaa);
    run(32, "v_mov_b32 v5, 0x40003c00\nv_mov_b32 v6, 0x77770000\nv_add_f16 v6.l, v5.h, v5.l");
    assert_int_equal(image->v[6][0], 0x77774200);
    run(32, "v_mov_b32 v6, 0x7777\nv_add_f16_e64 v6.h, v5.l, v5.h");
    assert_int_equal(image->v[6][31], 0x42007777);
    run(32, "v_cvt_f32_f16 v7, v5.h\nv_cvt_i32_i16 v8, v2.h\nv_cvt_u32_u16 v9, v2.h");
    assert_int_equal(image->v[7][0], 0x40000000); /* 2.0f */
    assert_int_equal(image->v[8][0], 0xffffaaaa);
    assert_int_equal(image->v[9][0], 0xaaaa);
    /* fmac: 2 * 1 + the half itself, 1 */
    run(32, "v_mov_b32 v6, 0x3c000000\nv_fmac_f16 v6.h, v5.h, v5.l");
    assert_int_equal(image->v[6][4], 0x42000000);
    run(32, "v_cmp_lt_f16 vcc_lo, v5.l, v5.h\nv_cmp_gt_u16 s4, v2.h, v2.l");
    assert_int_equal(image->s[106], ~0u);
    assert_int_equal(image->s[4], 0);
}

static void logic_of_halves(void **state)
{
    (void)state;
    run(32, "v_mov_b32 v4, 0\nv_and_b16 v4.h, v2.h, v3.l\nv_or_b16 v4.l, v2.l, v3.h");
    assert_int_equal(image->v[4][0], (0xaaaau & 0x2222u) << 16 | (0xbbbb | 0x1111));
    run(32, "v_xor_b16 v4.l, v2.h, v3.h\nv_not_b16 v4.h, v3.l");
    assert_int_equal(image->v[4][0], 0xddddu << 16 | (0xaaaa ^ 0x1111));
    run(32, "s_mov_b32 s4, 2\nv_cndmask_b16 v4.l, v2.h, v3.h, s4");
    assert_int_equal(image->v[4][0] & 0xffff, 0xaaaa);
    assert_int_equal(image->v[4][1] & 0xffff, 0x1111);
    assert_int_equal(image->v[4][1] >> 16, 0xdddd);
    run(32,
        "v_mov_b32 v4, 0x5678\nv_mov_b32 v5, 0\nv_and_b16 v4.h, 0xff, v2.l\nv_and_b16 v5.h, 0xff00, v2.h\n"
        "v_lshlrev_b16 v4.l, 8, v4.l\nv_or_b16 v4.l, v4.h, v4.l");
    assert_int_equal(image->v[4][3], 0x00bb78bb);
    assert_int_equal(image->v[5][3], 0xaa000000);
    run(32, "v_swap_b16 v2.h, v3.l");
    assert_int_equal(image->v[2][9], 0x2222bbbb);
    assert_int_equal(image->v[3][9], 0x1111aaaa);
}

/* min(max(a, b), c) and max(min(a, b), c) of the lane, ten times it, and 25. */
static void minimum_and_maximum(void **state)
{
    (void)state;
    run(32, "v_maxmin_u32 v4, v0, v1, 25\nv_minmax_u32 v5, v0, v1, 25\nv_maxmin_i32 v6, -3, -2, v0");
    assert_int_equal(image->v[4][2], 20);
    assert_int_equal(image->v[4][3], 25);
    assert_int_equal(image->v[5][3], 25);
    assert_int_equal(image->v[5][30], 30);
    assert_int_equal(image->v[6][3], (uint32_t)-2);
    run(32, "v_maxmin_f32 v4, 1.0, 2.0, 0.5\nv_minmax_f32 v5, 1.0, 2.0, 0.5");
    assert_int_equal(image->v[4][0], 0x3f000000);
    assert_int_equal(image->v[5][0], 0x3f800000);
}

/* Bytes 1, 2, 3, 255 times 2, each: 12 + 510, or 12 - 2 where the first is signed; plus 1000. */
static void dots(void **state)
{
    (void)state;
    run(32, "v_mov_b32 v4, 0xff030201\nv_mov_b32 v5, 0x02020202\nv_mov_b32 v6, 1000\n"
            "v_dot4_i32_iu8 v7, v4, v5, v6\nv_dot4_i32_iu8 v8, v4, v5, v6 neg_lo:[1,0,0]");
    assert_int_equal(image->v[7][0], 1000 + 12 + 510);
    assert_int_equal(image->v[8][0], 1000 + 12 - 2);
    /* eight times 15 * 15, and -1 * -1 */
    run(32, "v_mov_b32 v4, -1\nv_dot8_i32_iu4 v7, v4, v4, 0\nv_dot8_i32_iu4 v8, v4, v4, 0 neg_lo:[1,1,0]");
    assert_int_equal(image->v[7][0], 8 * 225);
    assert_int_equal(image->v[8][0], 8);
}

static void conversions(void **state)
{
    (void)state;
    run(32, "v_cvt_pk_i16_f32 v4, -2.0, 4.0\nv_mov_b32 v5, 0x47c35000\nv_cvt_pk_u16_f32 v6, v5, -1.0\n"
            "s_mov_b32 s4, 0x12345678\ns_pack_hl_b32_b16 s5, s4, s4");
    assert_int_equal(image->v[4][0], 0x0004fffe);
    assert_int_equal(image->v[6][0], 0x0000ffff); /* 100000 and -1 saturate */
    assert_int_equal(image->s[5], 0x56781234);
}

/* Lane 5 of each row of 16 for all of it; DPP8 turns groups of eight round. */
static void vop3_by_lanes(void **state)
{
    (void)state;
    run(32, "v_add3_u32_e64_dpp v4, v0, v1, v1 row_share:5 row_mask:0xf bank_mask:0xf\n"
            "v_add3_u32_e64_dpp v5, v0, v1, v1 dpp8:[7,6,5,4,3,2,1,0]");
    assert_int_equal(image->v[4][3], 5 + 60);
    assert_int_equal(image->v[4][20], 21 + 400);
    assert_int_equal(image->v[5][3], 4 + 60);
    assert_int_equal(image->v[5][8], 15 + 160);
}

/* Lane numbers 15, 14, ..., 0: each row turned round; of the other row with x. Lane 3 is off: its reader, 12, keeps what
 * it had, or gets 0 with bound_ctrl (the second bit), or the value with fi (the first). */
static void within_rows(void **state)
{
    (void)state;
    run(32, "s_mov_b32 s4, 0x89abcdef\ns_mov_b32 s5, 0x01234567\nv_permlane16_b32 v4, v0, s4, s5\n"
            "v_permlanex16_b32 v5, v0, s4, s5");
    assert_int_equal(image->v[4][3], 12);
    assert_int_equal(image->v[4][20], 16 + 11);
    assert_int_equal(image->v[5][3], 16 + 12);
    assert_int_equal(image->v[5][20], 11);
    run(32, "s_mov_b32 exec_lo, 0xfffffff7\nv_mov_b32 v4, 77\nv_mov_b32 v5, 77\nv_mov_b32 v6, 77\n"
            "v_permlane16_b32 v4, v0, s4, s5\nv_permlane16_b32 v5, v0, s4, s5 op_sel:[0,1]\n"
            "v_permlane16_b32 v6, v0, s4, s5 op_sel:[1,0]");
    assert_int_equal(image->v[4][12], 77);
    assert_int_equal(image->v[5][12], 0);
    assert_int_equal(image->v[6][12], 3);
    assert_int_equal(image->v[6][13], 2);
}

/* 0 * infinity + 3 is 3 by the old rules, 2 * 3 + 1 is 7. */
static void zero_times_anything(void **state)
{
    (void)state;
    run(32, "s_mov_b32 s4, 0x7f800000\nv_mov_b32 v4, 0x40400000\nv_fma_dx9_zero_f32 v5, 0, s4, v4\n"
            "v_fma_dx9_zero_f32 v6, 2.0, v4, 1.0");
    assert_int_equal(image->v[5][0], 0x40400000);
    assert_int_equal(image->v[6][0], 0x40e00000);
}

static void half_of_a_wavefront(void **state)
{
    (void)state;
    run(64, "s_mov_b32 exec_hi, 0\nv_permlane64_b32 v4, v0");
    assert_int_equal(image->v[4][3], 35); /* of a lane that is not active */
    assert_int_equal(image->v[4][40], 0);
    image->v[4][3] = 77;
    run(32, "v_permlane64_b32 v4, v0");
    assert_int_equal(image->v[4][3], 77);
}

/* ds_cmpstore has the new value first. Lane i compares dword i, which holds 100 + i but for lane 2. */
static void compare_and_store(void **state)
{
    uint32_t words[64];
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        words[i] = i == 2 ? 5 : 100 + i;
    memcpy(lds, words, sizeof lds);
    image->lds = lds;
    image->lds_bytes = sizeof lds;
    run(32, "v_lshlrev_b32 v4, 2, v0\nv_add_nc_u32 v5, 100, v0\nv_mov_b32 v6, 9\n"
            "ds_cmpstore_rtn_b32 v7, v4, v6, v5\nds_load_2addr_stride64_b32 v[8:9], v10 offset1:0");
    memcpy(words, lds, sizeof lds);
    assert_int_equal(words[1], 9);
    assert_int_equal(words[2], 5);
    assert_int_equal(words[40], 140);
    assert_int_equal(image->v[7][2], 5);
    assert_int_equal(image->v[7][3], 103);
}

/* NULL and M0 have each other's numbers of gfx10. */
static void null_and_m0(void **state)
{
    (void)state;
    run(32, "s_mov_b32 m0, 12\ns_mov_b32 s4, m0\ns_mov_b32 s5, null\ns_mov_b32 null, 3\nv_mov_b32 v4, m0");
    assert_int_equal(image->s[4], 12);
    assert_int_equal(image->s[5], 0);
    assert_int_equal(image->v[4][0], 12);
}

/* Hints, waits and the message before the end change nothing; the clock runs. */
static void no_operations(void **state)
{
    (void)state;
    run(32, "s_delay_alu instid0(VALU_DEP_1)\ns_waitcnt vmcnt(0)\ns_waitcnt_vscnt null, 0x0\ns_clause 0x1\n"
            "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)\n"
            "s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)");
    assert_true(sg_s64(image->s, 4) && sg_s64(image->s, 6) >= sg_s64(image->s, 4));
    assert_int_equal(image->v[0][3], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_operations, begin, end),
        cmocka_unit_test_setup_teardown(two_operations_masked, begin, end),
        cmocka_unit_test_setup_teardown(halves, begin, end),
        cmocka_unit_test_setup_teardown(logic_of_halves, begin, end),
        cmocka_unit_test_setup_teardown(minimum_and_maximum, begin, end),
        cmocka_unit_test_setup_teardown(dots, begin, end),
        cmocka_unit_test_setup_teardown(conversions, begin, end),
        cmocka_unit_test_setup_teardown(vop3_by_lanes, begin, end),
        cmocka_unit_test_setup_teardown(within_rows, begin, end),
        cmocka_unit_test_setup_teardown(zero_times_anything, begin, end),
        cmocka_unit_test_setup_teardown(half_of_a_wavefront, begin, end),
        cmocka_unit_test_setup_teardown(compare_and_store, begin, end),
        cmocka_unit_test_setup_teardown(null_and_m0, begin, end),
        cmocka_unit_test_setup_teardown(no_operations, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
