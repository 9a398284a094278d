/*
 * wmma_gfx12.c - v_wmma_* and v_swmmac_* of gfx12. Expected: where AMD's matrix instruction calculator ("rdna4") says each
 * element is, here the other way round, which element is in each place; and products of small integers, which all formats
 * hold exactly, so that no order of additions matters.
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

enum { A = 16, B = 32, C = 48, D = 64, PLACES = 80 }; /* first registers */

static struct sg_wave_image *image;
static int a[16][64], b[64][16], c[16][16];

static int begin(void **state)
{
    (void)state;
    image = calloc(1, sizeof *image);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 64; k++) {
            a[i][k] = (3 * i + 5 * k) % 7 - 3;
            b[k][i] = (2 * i + 3 * k) % 5 - 2;
            c[i][k % 16] = 7 * i - 4 * (k % 16);
        }
    return image ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(image);
    return 0;
}

/* ---- Encodings of small integers ---- */

/* With `bias` and `fraction` bits: exponent and fraction out of binary32's, which has 127 and 23. */
static uint32_t small_float(int value, unsigned sign_at, unsigned bias, unsigned fraction)
{
    const uint32_t bits = sg_u32((float)value);
    return value ? (bits >> 31) << sign_at | ((bits >> 23 & 255) - 127 + bias) << fraction |
                       (bits >> (23 - fraction) & ((1u << fraction) - 1))
                 : 0;
}
static uint32_t f32(int value)
{
    return sg_u32((float)value);
}
static uint32_t f16(int value)
{
    return small_float(value, 15, 15, 10);
}
static uint32_t bf16(int value)
{
    return f32(value) >> 16;
}
/* OCP's formats: E4M3 with bias 7, E5M2 with bias 15. 3 is 1.1b * 2, which both hold. */
static uint32_t fp8(int value)
{
    return small_float(value, 7, 7, 3);
}
static uint32_t bf8(int value)
{
    return small_float(value, 7, 15, 2);
}
static uint32_t integer(int value)
{
    return (uint32_t)value;
}
typedef uint32_t encode_fn(int value);

/* ---- Which element a place holds ---- */

/* k of element e of register r in lane l, of matrices that are not sparse. Each 16 lanes hold a part of k, which lanes 0 to
 * 15 begin; wave64 splits what a lane of wave32 holds: the part above. -1: nothing. */
static int dense_k(unsigned bits, unsigned k, unsigned lanes, unsigned r, unsigned l, unsigned e)
{
    const unsigned upper = l / 16 % 2, half = l / 32;
    if (bits == 16) /* 4 of k side by side, then the other 16 lanes' */
        return lanes == 32 ? (int)(8 * (r / 2) + 4 * upper + 2 * (r % 2) + e)
                           : (int)(8 * half + 4 * upper + 2 * r + e);
    if (bits == 8)
        return lanes == 32 ? (int)(8 * upper + 4 * r + e) : (int)(8 * upper + 4 * half + e);
    if (k == 16)
        return half ? -1 : (int)(8 * upper + e);
    return lanes == 32 ? (int)(16 * upper + 8 * r + e) : (int)(16 * upper + 8 * half + e);
}

/* The same of B of sparse products. */
static int sparse_b_k(unsigned bits, unsigned k, unsigned lanes, unsigned r, unsigned l, unsigned e)
{
    const unsigned upper = l / 16 % 2, half = l / 32;
    if (bits == 16)
        return lanes == 32 ? (int)(16 * (r / 4) + 8 * upper + 2 * (r % 4) + e)
                           : (int)(16 * half + 8 * upper + 2 * r + e);
    if (bits == 8)
        return lanes == 32 ? (int)(16 * upper + 4 * r + e) : (int)(16 * upper + 8 * half + 4 * r + e);
    if (k == 32)
        return lanes == 32 ? (int)(16 * upper + 8 * r + e) : (int)(16 * upper + 8 * half + e);
    return lanes == 32 ? (int)(32 * upper + 8 * r + e) : (int)(32 * upper + 16 * half + 8 * r + e);
}

/* First k of the four of which pair p of register r of lane l has two, and where in the register of places they stand. */
static int sparse_a_k(unsigned bits, unsigned k, unsigned lanes, unsigned r, unsigned l, unsigned p)
{
    const unsigned upper = l / 16 % 2, half = l / 32;
    if (bits == 16)
        return lanes == 32 ? (int)(16 * (r / 2) + 8 * upper + 4 * (r % 2))
                           : (int)(16 * half + 8 * upper + 4 * r);
    if (bits == 8)
        return lanes == 32 ? (int)(16 * upper + 8 * r + 4 * p) : (int)(16 * upper + 8 * half + 4 * p);
    if (k == 32)
        return half ? -1 : (int)(16 * upper + 4 * p);
    return lanes == 32 ? (int)(32 * upper + 16 * r + 4 * p) : (int)(32 * upper + 16 * half + 4 * p);
}

/* ---- One product ---- */

struct modifiers {
    unsigned is_signed; /* of integers: bit 0: A, bit 1: B */
    unsigned key;       /* which part of the places' register */
    bool clamp;
};

struct form {
    const char *name;
    encode_fn *a, *b, *to;
    unsigned bits, k;
    bool sparse;
};

static uint32_t *result_at(const struct form *f, unsigned first, unsigned lanes, unsigned i, unsigned j,
                           unsigned *shift)
{
    const bool half = f->to == f16 || f->to == bf16;
    const unsigned rows = 256 / lanes, within = i % 8 % rows;
    const unsigned lane = 16 * (i / 8) + 32 * (i % 8 / rows) + j;
    *shift = half ? 16 * (i % 2) : 0;
    return &image->v[first + (half ? within / 2 : within)][lane];
}

/* Which two of four of row i from column k on there are: one of six pairs. */
static void pair_of(unsigned i, unsigned k, unsigned pair[2])
{
    static const unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    memcpy(pair, pairs[(i + k / 4) % 6], sizeof pairs[0]);
}

static bool is_there(unsigned i, unsigned k)
{
    unsigned pair[2];
    pair_of(i, k & ~3u, pair);
    return pair[0] == k % 4 || pair[1] == k % 4;
}

/* Bits of the places' register that one instruction reads: all that a lane holds of 4 each, but at least 8, and 16 of 4-bit
 * elements and of wave32 (LLVM's index_key_8bit and index_key_16bit). */
static unsigned part_bits(const struct form *f, unsigned lanes)
{
    return f->bits == 4 && f->k == 64 && lanes == 32 ? 32 : f->bits > 4 && lanes == 64 ? 8 : 16;
}

static void put_sparse(const struct form *f, unsigned lanes, unsigned registers, unsigned key)
{
    const unsigned n = 16 / f->bits; /* pairs in a register */
    for (unsigned l = 0; l < lanes; l++)
        for (unsigned r = 0; r < registers; r++)
            for (unsigned p = 0; p < n; p++) {
                const int k = sparse_a_k(f->bits, f->k, lanes, r, l, p);
                unsigned pair[2];
                if (k < 0)
                    continue;
                pair_of(l % 16, (unsigned)k, pair);
                for (unsigned e = 0; e < 2; e++)
                    image->v[A + r][l] |= (f->a(a[l % 16][(unsigned)k + pair[e]]) & ((1u << f->bits) - 1))
                                          << f->bits * (2 * p + e);
                image->v[PLACES][l] |= (pair[0] | pair[1] << 2)
                                       << (4 * (r * n + p) + key * part_bits(f, lanes));
            }
}

static void put_sources(const struct form *f, unsigned lanes, unsigned a_registers, unsigned b_registers,
                        unsigned key)
{
    const uint32_t mask = f->bits == 16 ? 0xffff : (1u << f->bits) - 1;
    for (unsigned l = 0; l < lanes; l++)
        for (unsigned e = 0; e < 32 / f->bits; e++) {
            for (unsigned r = 0; r < b_registers; r++) {
                const int k = (f->sparse ? sparse_b_k : dense_k)(f->bits, f->k, lanes, r, l, e);
                if (k >= 0)
                    image->v[B + r][l] |= (f->b(b[k][l % 16]) & mask) << f->bits * e;
            }
            for (unsigned r = 0; r < a_registers && !f->sparse; r++) {
                const int k = dense_k(f->bits, f->k, lanes, r, l, e);
                if (k >= 0)
                    image->v[A + r][l] |= (f->a(a[l % 16][k]) & mask) << f->bits * e;
            }
        }
    if (f->sparse)
        put_sparse(f, lanes, a_registers, key);
}

static void run(unsigned lanes, const char *text)
{
    const struct code *code =
        assemble(lanes == 32 ? "gfx1201" : "gfx1201 -mattr=+wavefrontsize64,-wavefrontsize32", text);
    struct sg_fault fault;
    image->lanes = lanes;
    image->s[SG_S_EXEC] = 0; /* which does not matter */
    image->s[SG_S_EXEC + 1] = 0;
    if (sg_engine_exec_raw(ls_gpu_find("gfx1201"), NULL, code->words, code->n, image, &fault))
        fail_msg("%s: %s", fault.instruction, fault.message);
}

/* An element of A or B as the instruction takes it. */
static int taken(const struct form *f, int value, bool is_signed)
{
    return f->to != integer || is_signed ? value : value & ((1 << f->bits) - 1);
}

/* Clamped sums need addends near the ends of int32. */
static int addend(unsigned i, unsigned j, bool clamp)
{
    return !clamp ? c[i][j] : i % 2 ? INT32_MAX - abs(c[i][j]) % 50 * (int)(j % 2) : INT32_MIN + (int)j;
}

static int wanted(const struct form *f, unsigned i, unsigned j, const struct modifiers *m)
{
    int64_t sum = addend(i, j, m->clamp);
    for (unsigned k = 0; k < f->k; k++)
        if (!f->sparse || is_there(i, k))
            sum += taken(f, a[i][k], m->is_signed & 1) * taken(f, b[k][j], m->is_signed >> 1);
    return (int)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

static void check(const struct form *f, unsigned lanes, const struct modifiers *m)
{
    const bool half = f->to == f16 || f->to == bf16;
    const unsigned d_registers = (half ? 128 : 256) / lanes;
    const unsigned bits = 16 * f->k * f->bits / lanes, b_registers = bits < 32 ? 1 : bits / 32,
                   a_registers = f->sparse ? (bits < 64 ? 1 : bits / 64) : b_registers;
    char text[256], key[32] = "", signs[32] = "";
    unsigned shift;
    memset(image->v, 0, sizeof image->v);
    put_sources(f, lanes, a_registers, b_registers, m->key);
    const unsigned from = f->sparse ? D : C;
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++) {
            uint32_t *word = result_at(f, from, lanes, i, j, &shift);
            *word |= f->to(addend(i, j, m->clamp)) << shift;
        }
    if (m->key)
        snprintf(key, sizeof key, " index_key:%u", m->key);
    if (m->is_signed)
        snprintf(signs, sizeof signs, " neg_lo:[%u,%u,0]", m->is_signed & 1, m->is_signed >> 1);
    snprintf(text, sizeof text, "%s %s, %s, %s, %s%s%s%s", f->name, registers("v", D, d_registers),
             registers("v", A, a_registers), registers("v", B, b_registers),
             registers("v", f->sparse ? PLACES : C, f->sparse ? 1 : d_registers), key, signs,
             m->clamp ? " clamp" : "");
    run(lanes, text);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++) {
            const int want = wanted(f, i, j, m);
            const uint32_t got = *result_at(f, D, lanes, i, j, &shift) >> shift;
            if ((half ? got & 0xffff : got) != f->to(want))
                fail_msg("%s, %u lanes, (%u, %u): %x for %d", text, lanes, i, j, got, want);
        }
}

/* Integers in all signs, clamped and not; sparse ones by the last part of the places' register, too. */
static void check_modifiers(const struct form *f, unsigned lanes)
{
    const unsigned last = f->sparse ? 32 / part_bits(f, lanes) - 1 : 0;
    for (unsigned signs = 0; signs < (f->to == integer ? 4 : 0); signs++)
        check(f, lanes,
              &(struct modifiers){
                  .is_signed = signs, .key = signs == 3 ? 0 : last, .clamp = signs == 1 || signs == 2});
    if (f->to != integer)
        check(f, lanes, &(struct modifiers){.key = last});
}

static void products(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {"v_wmma_f32_16x16x16_f16", f16, f16, f32, 16, 16, false},
        {"v_wmma_f32_16x16x16_bf16", bf16, bf16, f32, 16, 16, false},
        {"v_wmma_f16_16x16x16_f16", f16, f16, f16, 16, 16, false},
        {"v_wmma_bf16_16x16x16_bf16", bf16, bf16, bf16, 16, 16, false},
        {"v_wmma_f32_16x16x16_fp8_fp8", fp8, fp8, f32, 8, 16, false},
        {"v_wmma_f32_16x16x16_fp8_bf8", fp8, bf8, f32, 8, 16, false},
        {"v_wmma_f32_16x16x16_bf8_fp8", bf8, fp8, f32, 8, 16, false},
        {"v_wmma_f32_16x16x16_bf8_bf8", bf8, bf8, f32, 8, 16, false},
        {"v_wmma_i32_16x16x16_iu8", integer, integer, integer, 8, 16, false},
        {"v_wmma_i32_16x16x16_iu4", integer, integer, integer, 4, 16, false},
        {"v_wmma_i32_16x16x32_iu4", integer, integer, integer, 4, 32, false},
        {"v_swmmac_f32_16x16x32_f16", f16, f16, f32, 16, 32, true},
        {"v_swmmac_f32_16x16x32_bf16", bf16, bf16, f32, 16, 32, true},
        {"v_swmmac_f16_16x16x32_f16", f16, f16, f16, 16, 32, true},
        {"v_swmmac_bf16_16x16x32_bf16", bf16, bf16, bf16, 16, 32, true},
        {"v_swmmac_f32_16x16x32_fp8_fp8", fp8, fp8, f32, 8, 32, true},
        {"v_swmmac_f32_16x16x32_fp8_bf8", fp8, bf8, f32, 8, 32, true},
        {"v_swmmac_f32_16x16x32_bf8_fp8", bf8, fp8, f32, 8, 32, true},
        {"v_swmmac_f32_16x16x32_bf8_bf8", bf8, bf8, f32, 8, 32, true},
        {"v_swmmac_i32_16x16x32_iu8", integer, integer, integer, 8, 32, true},
        {"v_swmmac_i32_16x16x32_iu4", integer, integer, integer, 4, 32, true},
        {"v_swmmac_i32_16x16x64_iu4", integer, integer, integer, 4, 64, true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        check_modifiers(&forms[i], 32);
        check_modifiers(&forms[i], 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(products, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
