/*
 * scalar_float.c - scalar floating point of gfx1150 and later. Expected: IEEE 754 arithmetic of small numbers, worked out
 * beside them; 1.0 is 0x3f800000 in binary32 and 0x3c00 in binary16.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/tests/assemble.h"
#include "soft-gpu/isa/code/uop.h"

enum { ONE = 0x3f800000, TWO = 0x40000000, THREE = 0x40400000, SEVEN = 0x40e00000 };

static struct sg_wave_image *image;

static int begin(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    return image ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(image);
    return 0;
}

/* In both wavefront sizes, with no lane active and with some: EXEC does not matter and stays. */
static void run_all(const char *text, void (*check)(void))
{
    static const char *const arch[] = {"gfx1151", "gfx1151 -mattr=+wavefrontsize64,-wavefrontsize32"};
    for (unsigned i = 0; i < 4; i++) {
        const struct code *c = assemble(arch[i / 2], text);
        const uint32_t exec = i % 2 ? 0x10 : 0;
        struct sg_fault fault;
        memset(image, 0, sizeof *image);
        image->lanes = 32 << i / 2;
        image->s[SG_S_EXEC] = exec;
        image->mode = 0x3f0;
        if (sg_engine_exec_raw(ls_gpu_find("gfx1151"), NULL, c->words, c->n, image, &fault))
            fail_msg("%s: %s", fault.instruction, fault.message);
        assert_int_equal(image->s[SG_S_EXEC], exec);
        assert_int_equal(image->s[SG_S_EXEC + 1], 0);
        check();
    }
}

static void check_f32(void)
{
    assert_int_equal(image->s[4], THREE);
    assert_int_equal(image->s[5], 0xbf800000); /* 1 - 2 */
    assert_int_equal(image->s[6], 0x40c00000); /* 2 * 3 = 6 */
    assert_int_equal(image->s[7], SEVEN);      /* 2 * 3 + 1 */
    assert_int_equal(image->s[8], SEVEN);
    assert_int_equal(image->s[9], SEVEN);
    assert_int_equal(image->s[10], ONE);
    assert_int_equal(image->s[11], TWO);
    assert_int_equal(image->s[12], TWO); /* the other operand of a NaN */
}

static void arithmetic_f32(void **state)
{
    (void)state;
    run_all("s_mov_b32 s0, 1.0\ns_mov_b32 s1, 2.0\ns_mov_b32 s2, 0x40400000\ns_mov_b32 s3, 0x7fc00000\n"
            "s_add_f32 s4, s0, s1\ns_sub_f32 s5, s0, s1\ns_mul_f32 s6, s1, s2\n"
            "s_mov_b32 s7, s0\ns_fmac_f32 s7, s1, s2\ns_fmaak_f32 s8, s1, s2, 0x3f800000\n"
            "s_fmamk_f32 s9, s1, 0x40400000, s0\ns_min_f32 s10, s0, s1\ns_max_f32 s11, s0, s1\ns_min_f32 "
            "s12, s3, s1",
            check_f32);
}

static void check_rounding(void)
{
    static const uint32_t expected[] = {THREE,  TWO,    TWO,    TWO,     /* of 2.5 */
                                        0x4200, 0x4000, 0x4000, 0x4000}; /* of 2.25: 3, 2, 2, 2 */
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(image->s[4 + i], expected[i]);
}

static void rounding(void **state)
{
    (void)state;
    run_all("s_mov_b32 s0, 0x40200000\ns_mov_b32 s1, 0x4080\n"
            "s_ceil_f32 s4, s0\ns_floor_f32 s5, s0\ns_trunc_f32 s6, s0\ns_rndne_f32 s7, s0\n"
            "s_ceil_f16 s8, s1\ns_floor_f16 s9, s1\ns_trunc_f16 s10, s1\ns_rndne_f16 s11, s1",
            check_rounding);
}

static void check_conversions(void)
{
    assert_int_equal(image->s[4], 0xc0400000); /* -3 */
    assert_int_equal(image->s[5], 0x4f800000); /* 4294967293 rounds to 2^32 */
    assert_int_equal(image->s[6], (uint32_t)-3);
    assert_int_equal(image->s[7], 0); /* no negative numbers */
    assert_int_equal(image->s[8], 0xc200);
    assert_int_equal(image->s[9], ONE);
    assert_int_equal(image->s[10], TWO);
    assert_int_equal(image->s[11], 0xc2003c00);
}

static void conversions(void **state)
{
    (void)state;
    run_all("s_mov_b32 s0, -3\ns_mov_b32 s1, 0x40003c00\ns_mov_b32 s2, 1.0\n"
            "s_cvt_f32_i32 s4, s0\ns_cvt_f32_u32 s5, s0\ns_cvt_i32_f32 s6, s4\ns_cvt_u32_f32 s7, s4\n"
            "s_cvt_f16_f32 s8, s4\ns_cvt_f32_f16 s9, s1\ns_cvt_hi_f32_f16 s10, s1\ns_cvt_pk_rtz_f16_f32 s11, "
            "s2, s4",
            check_conversions);
}

static void check_f16(void)
{
    assert_int_equal(image->s[4], 0x4200);
    assert_int_equal(image->s[5], 0xbc00);
    assert_int_equal(image->s[6], 0x4600); /* 6 */
    assert_int_equal(image->s[7], 0x4700); /* 7 */
    assert_int_equal(image->s[8], 0x3c00);
    assert_int_equal(image->s[9], 0x4000);
}

/* The upper halves of the sources do not matter. */
static void arithmetic_f16(void **state)
{
    (void)state;
    run_all("s_mov_b32 s0, 0x77773c00\ns_mov_b32 s1, 0x77774000\ns_mov_b32 s2, 0x77774200\n"
            "s_add_f16 s4, s0, s1\ns_sub_f16 s5, s0, s1\ns_mul_f16 s6, s1, s2\n"
            "s_mov_b32 s7, s0\ns_fmac_f16 s7, s1, s2\ns_min_f16 s8, s0, s1\ns_max_f16 s9, s0, 2.0",
            check_f16);
}

/* Each compare's SCC, shifted into s4, the first one first. */
static void check_compares(void)
{
    /* 1 with 2: lt 1, eq 0, le 1, gt 0, lg 1, ge 0, o 1, u 0, and the negated ones of ge, lg, gt, le, eq, lt:
     * 1 0 1 0 1 0 */
    assert_int_equal(image->s[4], 0x2aaa);
    /* 1 with NaN: all ordered ones 0, u 1 and the negated ones 1 */
    assert_int_equal(image->s[5], 0x7f);
}

static void compares(void **state)
{
    static const char *const names[] = {"lt", "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                        "u",  "nge", "nlg", "ngt", "nle", "neq", "nlt"};
    char text[4096] = "s_mov_b32 s0, 1.0\ns_mov_b32 s1, 2.0\ns_mov_b32 s2, 0x7fc00000";
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned k = 0; k < 2; k++) {
            char line[128];
            snprintf(line, sizeof line,
                     "\ns_cmp_%s_f32 s0, s%u\ns_cselect_b32 s3, 1, 0\ns_lshl_b32 s%u, s%u, 1\ns_or_b32 s%u, "
                     "s%u, s3",
                     names[i], 1 + k, 4 + k, 4 + k, 4 + k, 4 + k);
            strcat(text, line);
        }
    run_all(text, check_compares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arithmetic_f32, begin, end),
        cmocka_unit_test_setup_teardown(rounding, begin, end),
        cmocka_unit_test_setup_teardown(conversions, begin, end),
        cmocka_unit_test_setup_teardown(arithmetic_f16, begin, end),
        cmocka_unit_test_setup_teardown(compares, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
