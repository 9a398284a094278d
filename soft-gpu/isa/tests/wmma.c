/*
 * wmma.c - v_wmma_* and the dot products with 16-bit results of gfx11. Expected: where AMD's matrix instruction calculator
 * ("rdna3") says each element is, and products of small integers, which all formats hold exactly, so that no order of
 * additions matters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gcn/tests/assemble.h"
#include "soft-gpu/isa/code/uop.h"
#include "soft-gpu/isa/code/bits.h"

enum { A = 16, B = 32, C = 48, D = 64 }; /* first registers */

static struct sg_wave_image *image;
static int a[16][16], b[16][16], c[16][16];

static void poison(unsigned first)
{
    for (unsigned r = first; r < 128; r++)
        for (unsigned lane = 0; lane < 64; lane++)
            image->v[r][lane] = 0xdeaddead;
}

static int begin(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    if (image)
        poison(0);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++) {
            a[i][k] = (3 * i + 5 * k) % 7 - 3;
            b[k][i] = (2 * i + 3 * k) % 5 - 2;
            c[i][k] = 7 * i - 4 * k;
        }
    return image ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(image);
    return 0;
}

/* IEEE 754 binary32 of a small integer, whose upper half is its bf16. */
static uint32_t f32(int value)
{
    return sg_u32((float)value);
}

/* binary16 of an integer of magnitude up to 2048: exponent and 10 bits of the fraction out of binary32. */
static uint32_t f16(int value)
{
    const uint32_t bits = f32(value);
    return value ? (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 0x3ff) : 0;
}

static uint32_t bf16(int value)
{
    return f32(value) >> 16;
}

static uint32_t integer(int value)
{
    return (uint32_t)value;
}

typedef uint32_t encode_fn(int value);

/* A[i][k] is in register floor(k / n), n to a register, of lanes i, i + 16, and so on; B[k][j] of lane j likewise. */
static void put_sources(unsigned bits, encode_fn *encode)
{
    const unsigned n = 32 / bits;
    const uint32_t mask = (1u << bits) - 1;
    for (unsigned r = 0; r < 16 / n; r++)
        for (unsigned lane = 0; lane < 64; lane++) {
            image->v[A + r][lane] = image->v[B + r][lane] = 0;
            for (unsigned e = 0; e < n; e++) {
                image->v[A + r][lane] |= (encode(a[lane % 16][r * n + e]) & mask) << bits * e;
                image->v[B + r][lane] |= (encode(b[r * n + e][lane % 16]) & mask) << bits * e;
            }
        }
}

/* C or D[i][j]: register floor(i / (lanes / 16)), lane 16 * i % lanes + j. */
static uint32_t *at(unsigned first, unsigned lanes, unsigned i, unsigned j)
{
    return &image->v[first + i / (lanes / 16)][16 * i % lanes + j];
}

static void run(unsigned lanes, const char *text)
{
    const struct code *code =
        assemble(lanes == 32 ? "gfx1100" : "gfx1100 -mattr=+wavefrontsize64,-wavefrontsize32", text);
    struct sg_fault fault;
    image->lanes = lanes;
    image->s[SG_S_EXEC] = ~0u;
    image->s[SG_S_EXEC + 1] = lanes == 64 ? ~0u : 0;
    if (sg_engine_exec_raw(ls_gpu_find("gfx1100"), NULL, code->words, code->n, image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

/* a0 x b0 + c0 with signs of elements with even and odd k. */
static int expected(unsigned i, unsigned j, int even, int odd, int addend)
{
    int sum = addend;
    for (unsigned k = 0; k < 16; k++)
        sum += (k % 2 ? odd : even) * a[i][k] * b[k][j];
    return sum;
}

/* One form in both wave sizes, without modifiers, C in registers and as nothing. `shift`: where a result begins. */
static void check_form(const char *name, unsigned bits, encode_fn *source, encode_fn *result,
                       uint32_t result_mask)
{
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
        const unsigned source_end = 16 * bits / 32 - 1, result_end = 256 / lanes - 1;
        char text[256];
        poison(D);
        put_sources(bits, source);
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < 16; j++)
                *at(C, lanes, i, j) = (result(c[i][j]) & result_mask) | (0xaaaaaaaa & ~result_mask);
        const char *sign = result == integer ? " neg_lo:[1,1,0]" : "";
        snprintf(text, sizeof text,
                 "%s v[%u:%u], v[%u:%u], v[%u:%u], v[%u:%u]%s\n%s v[96:%u], v[%u:%u], v[%u:%u], 0%s", name, D,
                 D + result_end, A, A + source_end, B, B + source_end, C, C + result_end, sign, name,
                 96 + result_end, A, A + source_end, B, B + source_end, sign);
        run(lanes, text);
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < 16; j++) {
                const uint32_t kept = 0xdeaddead & ~result_mask;
                assert_int_equal(*at(D, lanes, i, j), result(expected(i, j, 1, 1, c[i][j])) | kept);
                assert_int_equal(*at(96, lanes, i, j), result(expected(i, j, 1, 1, 0)) | kept);
            }
    }
}

static void layouts(void **state)
{
    (void)state;
    check_form("v_wmma_f32_16x16x16_f16", 16, f16, f32, ~0u);
    check_form("v_wmma_f32_16x16x16_bf16", 16, bf16, f32, ~0u);
    check_form("v_wmma_f16_16x16x16_f16", 16, f16, f16, 0xffff);
    check_form("v_wmma_bf16_16x16x16_bf16", 16, bf16, bf16, 0xffff);
    check_form("v_wmma_i32_16x16x16_iu8", 8, integer, integer, ~0u);
    check_form("v_wmma_i32_16x16x16_iu4", 4, integer, integer, ~0u);
}

/* The result over C, and EXEC, which does not matter. */
static void in_place(void **state)
{
    (void)state;
    put_sources(16, f16);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++)
            *at(C, 32, i, j) = f32(c[i][j]);
    run(32, "s_mov_b32 exec_lo, 0\nv_wmma_f32_16x16x16_f16 v[48:55], v[16:23], v[32:39], v[48:55]");
    assert_int_equal(*at(C, 32, 5, 9), f32(expected(5, 9, 1, 1, c[5][9])));
    assert_int_equal(*at(C, 32, 14, 2), f32(expected(14, 2, 1, 1, c[14][2])));
}

/* NEG_LO of A: even k; NEG_HI: odd k; of C: sign, and absolute value before it. */
static void signs(void **state)
{
    (void)state;
    put_sources(16, f16);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++)
            *at(C, 32, i, j) = f32(c[i][j]);
    run(32, "v_wmma_f32_16x16x16_f16 v[64:71], v[16:23], v[32:39], v[48:55] neg_lo:[1,0,1]\n"
            "v_wmma_f32_16x16x16_f16 v[72:79], v[16:23], v[32:39], v[48:55] neg_hi:[0,1,1]\n"
            "v_wmma_f32_16x16x16_f16 v[80:87], v[16:23], v[32:39], v[48:55] neg_lo:[1,1,1] neg_hi:[0,0,1]");
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++) {
            assert_int_equal(*at(64, 32, i, j), f32(expected(i, j, -1, 1, -c[i][j])));
            assert_int_equal(*at(72, 32, i, j), f32(expected(i, j, 1, -1, abs(c[i][j]))));
            assert_int_equal(*at(80, 32, i, j), f32(expected(i, j, 1, 1, -abs(c[i][j]))));
        }
}

/* OPSEL[2]: C is read from the upper half, and D written there. */
static void upper_half(void **state)
{
    (void)state;
    put_sources(16, f16);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++)
            *at(C, 32, i, j) = f16(c[i][j]) << 16 | 0x7e00; /* a NaN, if the wrong half were read */
    run(32, "v_wmma_f16_16x16x16_f16 v[64:71], v[16:23], v[32:39], v[48:55] op_sel:[0,0,1]");
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++)
            assert_int_equal(*at(D, 32, i, j), f16(expected(i, j, 1, 1, c[i][j])) << 16 | 0xdead);
}

/* 16 products of 255 and 255, or of -1 and -1; 2^31 - 10 saturates with clamp and wraps without. */
static void integers(void **state)
{
    (void)state;
    for (unsigned r = 0; r < 4; r++)
        for (unsigned lane = 0; lane < 64; lane++)
            image->v[A + r][lane] = image->v[B + r][lane] = ~0u;
    for (unsigned r = 0; r < 8; r++)
        for (unsigned lane = 0; lane < 64; lane++)
            image->v[C + r][lane] = INT32_MAX - 10;
    run(32, "v_wmma_i32_16x16x16_iu8 v[64:71], v[16:19], v[32:35], 5\n"
            "v_wmma_i32_16x16x16_iu8 v[72:79], v[16:19], v[32:35], v[48:55] neg_lo:[1,1,0] clamp\n"
            "v_wmma_i32_16x16x16_iu8 v[80:87], v[16:19], v[32:35], v[48:55] neg_lo:[1,1,0]\n"
            "v_wmma_i32_16x16x16_iu4 v[88:95], v[16:17], v[32:33], 0 neg_lo:[1,0,0]");
    assert_int_equal(image->v[64][0], 5 + 16 * 255 * 255);
    assert_int_equal(image->v[79][31], INT32_MAX);
    assert_int_equal(image->v[80][7], (uint32_t)INT32_MAX + 6);
    assert_int_equal(image->v[95][31], (uint32_t)(16 * -15));
}

/* 2 * 3 + 4 * 5 + 7 = 33: 0x5020 in binary16 (1.00001 x 2^5), 0x4204 in bf16. The other half stays. */
static void dots(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 64; lane++) {
        image->v[0][lane] = f16(4) << 16 | f16(2);
        image->v[1][lane] = f16(5) << 16 | f16(3);
        image->v[2][lane] = f16(7) << 16 | f16(-1);
        image->v[3][lane] = bf16(4) << 16 | bf16(2);
        image->v[4][lane] = bf16(5) << 16 | bf16(3);
        image->v[5][lane] = bf16(7) << 16 | bf16(-1);
    }
    run(32, "v_dot2_f16_f16 v64.l, v0, v1, v2.h\nv_dot2_f16_f16 v65.h, v0, v1, v2.l\n"
            "v_dot2_f16_f16 v66.l, |v0|, -v1, v2.h\nv_dot2_f16_f16 v67.l, v0, v1, 1.0\n"
            "v_dot2_bf16_bf16 v68.l, v3, v4, v5.h\nv_dot2_bf16_bf16 v69.h, v3, -v4, v5.l");
    assert_int_equal(image->v[64][3], 0xdead5020);
    assert_int_equal(image->v[65][3], 0x4e40dead); /* 25 = 1.1001 x 2^4 */
    assert_int_equal(image->v[66][3], 0xdead0000 | f16(-6 - 20 + 7));
    assert_int_equal(image->v[67][3], 0xdead0000 | f16(27));
    assert_int_equal(image->v[68][3], 0xdead4204);
    assert_int_equal(image->v[69][3], bf16(-27) << 16 | 0xdead);
}

/* 2048 + 1 * 1 is 2048 in binary16, twice: ties go to even, and each sum is one of binary16. */
static void dot_rounds_each_sum(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 64; lane++)
        image->v[0][lane] = f16(1) << 16 | f16(1);
    run(32, "v_mov_b32 v1, 0x6800\nv_dot2_f16_f16 v64.l, v0, v0, v1.l");
    assert_int_equal(image->v[64][0], 0xdead6800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(layouts, begin, end),
        cmocka_unit_test_setup_teardown(in_place, begin, end),
        cmocka_unit_test_setup_teardown(signs, begin, end),
        cmocka_unit_test_setup_teardown(upper_half, begin, end),
        cmocka_unit_test_setup_teardown(integers, begin, end),
        cmocka_unit_test_setup_teardown(dots, begin, end),
        cmocka_unit_test_setup_teardown(dot_rounds_each_sum, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
