/*
 * valu_modifiers.c - SDWA, DPP, EXEC and mask results, float modes: values worked out by hand from the MI200
 * ISA.
 */
#include "valu_test.h"

enum {
    OP_ADD_F32 = 1,
    OP_ADD_CO_U32 = 25,
    OP_ADD_U32 = 52,
    OP_MOV_B32 = 1,
    OP_READFIRSTLANE = 2,
    OP_CMP_LT_U32 = 201,
    OP_CMPX_LT_U32 = 217,
    OP_CMP_CLASS_F32 = 16,
    OP_MAD_U16 = 516,
    OP_MAD_F32 = 449,
    SDWA = 249,
    DPP = 250
};

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
    struct program p = {0};
    /* byte 3 sign-extended: 0xffffff80; word 1 of v2: 0x1111; sum 0x1091; into word 1, word 0 kept */
    vop2(&p, OP_ADD_U32, 3, SDWA, 2);
    sdwa(&p, 1, 5, 2, 3, true, 5);
    /* byte 2 = 0xff, word 0 = 2: 0x101; byte 0 of it is 1, into byte 1, sign-extended upwards: 0x0100 */
    vop2(&p, OP_ADD_U32, 4, SDWA, 2);
    sdwa(&p, 1, 1, 1, 2, false, 4);
    /* byte 2 = 0xff twice: 0xff + 0xff02... word 0 of v1 is 0x7f01: 0x8000; word 0, padded with zeros */
    vop2(&p, OP_ADD_U32, 5, SDWA, 1);
    sdwa(&p, 1, 4, 0, 2, false, 4);
    run_on("gfx90a", &p);
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
    struct program p = {0};
    vop1(&p, OP_MOV_B32, 2, DPP);
    dpp(&p, 1, 0x111, false, 15, 15);
    vop1(&p, OP_MOV_B32, 3, DPP);
    dpp(&p, 1, 0x111, true, 15, 15);
    vop1(&p, OP_MOV_B32, 4, DPP); /* row_bcast:15 to rows 1 and 3 */
    dpp(&p, 1, 0x142, false, 15, 0xa);
    vop1(&p, OP_MOV_B32, 5, DPP); /* quad_perm [3,2,1,0], only bank 1 */
    dpp(&p, 1, 0x1b, false, 2, 15);
    run_on("gfx90a", &p);
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
    struct program p = {0};
    image.s[20] = 110;
    vopc(&p, OP_CMP_LT_U32, 20, 1);                   /* 110 < lane value: lanes 11..15 of 8..15 */
    vop3(&p, OP_CMPX_LT_U32, 10, 0, 20, V + 1, 0, 0); /* the same to s[10:11] and EXEC */
    vop1(&p, OP_READFIRSTLANE, 30, V + 1);            /* lane 11 */
    vop3(&p, 281, 2, EXEC << 8, V + 1, 193, 0, 0);    /* v_add_co: value - 1 always carries: EXEC as it was */
    vop3(&p, 281, 3, EXEC << 8, V + 1, 128, 0, 0);    /* adding 0 never does: EXEC 0 */
    vop1(&p, OP_READFIRSTLANE, 31, V + 1);            /* no lane on: lane 0 */
    vop1(&p, OP_MOV_B32, 4, V + 1);                   /* writes nothing */
    run_on("gfx90a", &p);
    assert_int_equal(pair(VCC), 0xf800);
    assert_int_equal(pair(10), 0xf800);
    assert_int_equal(image.s[30], 111);
    assert_int_equal(image.v[2][11], 110);
    assert_int_equal(image.v[2][10], 0);
    assert_int_equal(pair(EXEC), 0);
    assert_int_equal(image.s[31], 100);
    assert_int_equal(image.v[4][11], 0);
}

/* Half-word selects: op_sel bits 0..2 pick source halves, bit 3 the destination half; the other half stays.
 */
static void op_sel_halves(void **unused)
{
    (void)unused;
    reset();
    set_row(1, 0x00050003);
    set_row(2, 0x00070002);
    set_row(3, 0xdeadbeef);
    struct program p = {0};
    vop3(&p, OP_MAD_U16, 3, OP_SEL * 9, V + 1, V + 2, 129, 0); /* 5 * 2 + 1 into the high half */
    vop3(&p, OP_MAD_U16, 3, OP_SEL * 2, V + 1, V + 2, 130, 0); /* 3 * 7 + 2 into the low half */
    run_on("gfx90a", &p);
    assert_int_equal(image.v[3][40], 11 << 16 | 23);
}

static uint32_t add_in_mode(uint32_t mode, uint32_t a, uint32_t b)
{
    reset();
    image.mode = mode;
    set_row(1, a);
    set_row(2, b);
    struct program p = {0};
    vop2(&p, OP_ADD_F32, 0, V + 1, 2);
    run_on("gfx90a", &p);
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
    struct program p = {0};
    vop3(&p, OP_MAD_F32, 3, 0, V + 1, V + 1, V + 2, 0);
    vop3(&p, 459, 4, 0, V + 1, V + 1, V + 2, 0);
    vop3(&p, OP_MAD_F32, 5, 0, 1 + 128, 242, 128, 0);  /* 1 as bits is denormal: flushed */
    vop3(&p, 257, 6, CLAMP, 242, 242, 0, 0);           /* 1 + 1 clamped */
    vop3(&p, 257, 7, CLAMP | ABS * 1, 243, 243, 0, 3); /* -|-0.5|... constants: 243 is -1: -1 + 1 = 0 */
    run_on("gfx90a", &p);
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
        struct program p = {0};
        vopc(&p, OP_CMP_CLASS_F32, V + 1, 2);
        run_on("gfx90a", &p);
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
