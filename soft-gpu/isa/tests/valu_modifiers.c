/*
 * valu_modifiers.c - SDWA, DPP, EXEC and mask results, float modes: values worked out by hand from the MI200
 * ISA.
 */
#include "valu_test.h"

static void number_lanes(unsigned row)
{
    for (uint32_t lane = 0; lane < 64; lane++)
        image.v[row][lane] = 100 + lane;
}

static void sdwa_selects(void **unused)
{
    (void)unused;
    reset();
    set_row(1, 0x80ff7f01);
    set_row(2, 0x11110002);
    set_row(3, 0xaabbccdd);
    run_on(
        "gfx90a",
        /* byte 3 sign-extended: 0xffffff80; word 1 of v2: 0x1111; sum 0x1091; into word 1, word 0 kept */
        "v_add_u32_sdwa v3, sext(v1), v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 "
        "src1_sel:WORD_1\n"
        /* byte 2 = 0xff, word 0 = 2: 0x101; byte 0 of it is 1, into byte 1, sign-extended upwards: 0x0100 */
        "v_add_u32_sdwa v4, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_2 src1_sel:WORD_0\n"
        /* byte 2 = 0xff; word 0 of v1 is 0x7f01: 0x8000; word 0, padded with zeros */
        "v_add_u32_sdwa v5, v1, v1 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_0\n");
    assert_int_equal(image.v[3][17], 0x1091ccdd);
    assert_int_equal(image.v[4][17], 0x00000100);
    assert_int_equal(image.v[5][17], 0x00008000);
}

/* row_shr:1: lane i reads lane i-1 of its row. */
static void dpp_rows(void **unused)
{
    (void)unused;
    reset();
    number_lanes(1);
    set_row(2, 7);
    set_row(3, 7);
    set_row(4, 7);
    set_row(5, 7);
    set_exec(~(1ull << 20)); /* lane 20 is off: lane 21 has nothing to read */
    run_on("gfx90a", "v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf\n"
                     "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
                     "v_mov_b32_dpp v4, v1 row_bcast:15 row_mask:0xa bank_mask:0xf\n"
                     "v_mov_b32_dpp v5, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0x2\n");
    assert_int_equal(image.v[2][16], 7); /* no lane to the left in its row: not written */
    assert_int_equal(image.v[2][17], 116);
    assert_int_equal(image.v[2][20], 7); /* off */
    assert_int_equal(image.v[2][21], 7); /* reads a lane that is off */
    assert_int_equal(image.v[3][16], 0); /* bound_ctrl: 0 instead */
    assert_int_equal(image.v[3][21], 0);
    assert_int_equal(image.v[3][22], 121);
    assert_int_equal(image.v[4][5], 7);
    assert_int_equal(image.v[4][16], 115);
    assert_int_equal(image.v[4][33], 7); /* row 2 is masked */
    assert_int_equal(image.v[4][63], 147);
    assert_int_equal(image.v[5][3], 7);
    assert_int_equal(image.v[5][4], 107);
    assert_int_equal(image.v[5][7], 104);
    assert_int_equal(image.v[5][8], 7);
    assert_int_equal(pair(EXEC), ~(1ull << 20));
}

static void masks(void **unused)
{
    (void)unused;
    reset();
    number_lanes(1);
    set_exec(0xffull << 8);
    image.s[20] = 110;
    run_on("gfx90a", "v_cmp_lt_u32 vcc, s20, v1\n"           /* 110 < lane value: lanes 11..15 of 8..15 */
                     "v_cmpx_lt_u32_e64 s[10:11], s20, v1\n" /* the same to s[10:11] and EXEC */
                     "v_readfirstlane_b32 s30, v1\n"         /* lane 11 */
                     "v_add_co_u32_e64 v2, exec, v1, -1\n"   /* always carries: EXEC as it was */
                     "v_add_co_u32_e64 v3, exec, v1, 0\n"    /* never does: EXEC 0 */
                     "v_readfirstlane_b32 s31, v1\n"         /* no lane on: lane 0 */
                     "v_mov_b32 v4, v1\n");                  /* writes nothing */
    assert_int_equal(pair(VCC), 0xf800);
    assert_int_equal(pair(10), 0xf800);
    assert_int_equal(image.s[30], 111);
    assert_int_equal(image.v[2][11], 110);
    assert_int_equal(image.v[2][10], 0);
    assert_int_equal(pair(EXEC), 0);
    assert_int_equal(image.s[31], 100);
    assert_int_equal(image.v[4][11], 0);
}

/* Half-word selects: op_sel bits 0..2 pick source halves, bit 3 the destination half; the other half stays. */
static void op_sel_halves(void **unused)
{
    (void)unused;
    reset();
    set_row(1, 0x00050003);
    set_row(2, 0x00070002);
    set_row(3, 0xdeadbeef);
    run_on("gfx90a", "v_mad_u16 v3, v1, v2, 1 op_sel:[1,0,0,1]\n"   /* 5 * 2 + 1 into the high half */
                     "v_mad_u16 v3, v1, v2, 2 op_sel:[0,1,0,0]\n"); /* 3 * 7 + 2 into the low half */
    assert_int_equal(image.v[3][40], 11 << 16 | 23);
}

static uint32_t add_in_mode(uint32_t mode, uint32_t a, uint32_t b)
{
    reset();
    image.mode = mode;
    set_row(1, a);
    set_row(2, b);
    run_on("gfx90a", "v_add_f32 v0, v1, v2");
    return image.v[0][63];
}

static void float_modes(void **unused)
{
    (void)unused;
    const uint32_t one = 0x3f800000, tiny = 0x33000000; /* 1, 2^-25: the sum lies a quarter ulp above 1 */
    assert_int_equal(add_in_mode(MODE_DEFAULT, one, tiny), one);
    assert_int_equal(add_in_mode(MODE_DEFAULT | 1, one, tiny), one + 1); /* up */
    assert_int_equal(add_in_mode(MODE_DEFAULT | 2, one, tiny), one);     /* down */
    assert_int_equal(add_in_mode(MODE_DEFAULT | 2, one, tiny | 0x80000000), one - 1);
    assert_int_equal(add_in_mode(MODE_DEFAULT | 3, one, tiny | 0x80000000), one - 1); /* to zero */
    assert_int_equal(add_in_mode(MODE_DEFAULT, 3, 4), 7);                             /* denormals kept */
    assert_int_equal(add_in_mode(MODE_DEFAULT & ~0x30u, 3, 4), 0);                    /* flushed */
    /* Inputs kept, results flushed: 2^-126 - 2^-149 is denormal. */
    assert_int_equal(add_in_mode((MODE_DEFAULT & ~0x30u) | 0x10, 0x00800000, 0x80000001), 0);
    assert_int_equal(add_in_mode((MODE_DEFAULT & ~0x30u) | 0x20, 0x00800000, 0x80000001), 0x00800000);
}

/* v_mad_f32 rounds the product: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 loses the last term; v_fma_f32 keeps it. */
static void mad_rounds_twice(void **unused)
{
    (void)unused;
    reset();
    set_row(1, 0x3f800800);
    set_row(2, 0xbf801000); /* -(1 + 2^-11) */
    run_on("gfx90a", "v_mad_f32 v3, v1, v1, v2\n"
                     "v_fma_f32 v4, v1, v1, v2\n"
                     "v_mad_f32 v5, 1, 1.0, 0\n"                      /* 1 as bits is denormal: flushed */
                     "v_add_f32_e64 v6, 1.0, 1.0 clamp\n"             /* 1 + 1 clamped */
                     "v_add_f32_e64 v7, -|-1.0|, neg(-1.0) clamp\n"); /* -1 + 1 = 0 */
    assert_int_equal(image.v[3][0], 0);
    assert_int_equal(image.v[4][0], 0x33800000); /* 2^-24 */
    assert_int_equal(image.v[5][0], 0);
    assert_int_equal(image.v[6][0], 0x3f800000);
    assert_int_equal(image.v[7][0], 0);
}

/* v_cmp_class: bit 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8
 * +normal, 9 +inf. */
static void classes(void **unused)
{
    (void)unused;
    static const uint32_t of_class[10] = {0x7f800001, 0xffc00000, 0xff800000, 0xc0490fdb, 0x80000001,
                                          0x80000000, 0x00000000, 0x007fffff, 0x00800000, 0x7f800000};
    for (unsigned c = 0; c < 10; c++) {
        reset();
        for (unsigned lane = 0; lane < 10; lane++)
            image.v[1][lane] = of_class[lane];
        set_exec(0x3ff);
        set_row(2, 1u << c);
        run_on("gfx90a", "v_cmp_class_f32 vcc, v1, v2");
        assert_int_equal(pair(VCC), 1u << c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdwa_selects),  cmocka_unit_test(dpp_rows),    cmocka_unit_test(masks),
        cmocka_unit_test(op_sel_halves), cmocka_unit_test(float_modes), cmocka_unit_test(mad_rounds_twice),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests_name("valu_modifiers", tests, NULL, NULL);
}
