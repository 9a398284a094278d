/*
 * gen_mfma.c - dense matrix instructions: D = A * B + C as a triple loop, with the layouts of the closed form
 * that agrees with AMD's matrix instruction calculator. EXEC is ignored by the hardware.
 *
 * A[i][k] of block b lies in lane M*(b + NB*(k/e)) + i, element k%e (packed low first), with e = elements per
 * lane; B[k][j] likewise with N. C and D: see result_place. Numbers: binary32 and binary64 are chains of FMAs
 * over k that start from C; for the narrow types the order of additions is not documented, the test allows a
 * few units in the last place of the largest term. The engine's exact mode is compared bit for bit with the
 * rules of "MMA-Sim" (arXiv 2511.10909), here in floating point: every step is exact in binary64 but those
 * that round.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "ref_num.h"
#include "ref_valu.h"

enum element { EL_F32, EL_F64, EL_F16, EL_BF16, EL_I8, EL_FP8, EL_BF8, EL_XF32 };
static const unsigned element_bits[] = {32, 64, 16, 16, 8, 8, 8, 32};

struct shape {
    const char *name;
    uint8_t arch;
    uint8_t m, n, k, blocks, a, b; /* a, b: enum element */
};
#define A94 (A_942 | A_950)
static const struct shape shapes[] = {
    {"v_mfma_f32_32x32x1f32", A_90A, 32, 32, 1, 2, EL_F32, EL_F32},
    {"v_mfma_f32_16x16x1f32", A_90A, 16, 16, 1, 4, EL_F32, EL_F32},
    {"v_mfma_f32_4x4x1f32", A_90A, 4, 4, 1, 16, EL_F32, EL_F32},
    {"v_mfma_f32_32x32x2f32", A_90A, 32, 32, 2, 1, EL_F32, EL_F32},
    {"v_mfma_f32_16x16x4f32", A_90A, 16, 16, 4, 1, EL_F32, EL_F32},
    {"v_mfma_f32_32x32x4f16", A_90A, 32, 32, 4, 2, EL_F16, EL_F16},
    {"v_mfma_f32_16x16x4f16", A_90A, 16, 16, 4, 4, EL_F16, EL_F16},
    {"v_mfma_f32_4x4x4f16", A_90A, 4, 4, 4, 16, EL_F16, EL_F16},
    {"v_mfma_f32_32x32x8f16", A_90A, 32, 32, 8, 1, EL_F16, EL_F16},
    {"v_mfma_f32_16x16x16f16", A_90A, 16, 16, 16, 1, EL_F16, EL_F16},
    {"v_mfma_i32_32x32x4i8", A_90A, 32, 32, 4, 2, EL_I8, EL_I8},
    {"v_mfma_i32_16x16x4i8", A_90A, 16, 16, 4, 4, EL_I8, EL_I8},
    {"v_mfma_i32_4x4x4i8", A_90A, 4, 4, 4, 16, EL_I8, EL_I8},
    {"v_mfma_i32_32x32x8i8", A_90A, 32, 32, 8, 1, EL_I8, EL_I8},
    {"v_mfma_i32_16x16x16i8", A_90A, 16, 16, 16, 1, EL_I8, EL_I8},
    {"v_mfma_f32_32x32x4bf16_1k", A_90A, 32, 32, 4, 2, EL_BF16, EL_BF16},
    {"v_mfma_f32_16x16x4bf16_1k", A_90A, 16, 16, 4, 4, EL_BF16, EL_BF16},
    {"v_mfma_f32_4x4x4bf16_1k", A_90A, 4, 4, 4, 16, EL_BF16, EL_BF16},
    {"v_mfma_f32_32x32x8bf16_1k", A_90A, 32, 32, 8, 1, EL_BF16, EL_BF16},
    {"v_mfma_f32_16x16x16bf16_1k", A_90A, 16, 16, 16, 1, EL_BF16, EL_BF16},
    {"v_mfma_f32_32x32x2bf16", A_90A, 32, 32, 2, 2, EL_BF16, EL_BF16},
    {"v_mfma_f32_16x16x2bf16", A_90A, 16, 16, 2, 4, EL_BF16, EL_BF16},
    {"v_mfma_f32_4x4x2bf16", A_90A, 4, 4, 2, 16, EL_BF16, EL_BF16},
    {"v_mfma_f32_32x32x4bf16", A_90A, 32, 32, 4, 1, EL_BF16, EL_BF16},
    {"v_mfma_f32_16x16x8bf16", A_90A, 16, 16, 8, 1, EL_BF16, EL_BF16},
    {"v_mfma_f64_16x16x4f64", A_90A, 16, 16, 4, 1, EL_F64, EL_F64},
    {"v_mfma_f64_4x4x4f64", A_90A, 4, 4, 4, 4, EL_F64, EL_F64},
    {"v_mfma_f32_32x32x1_2b_f32", A94, 32, 32, 1, 2, EL_F32, EL_F32},
    {"v_mfma_f32_16x16x1_4b_f32", A94, 16, 16, 1, 4, EL_F32, EL_F32},
    {"v_mfma_f32_4x4x1_16b_f32", A94, 4, 4, 1, 16, EL_F32, EL_F32},
    {"v_mfma_f32_32x32x2_f32", A94, 32, 32, 2, 1, EL_F32, EL_F32},
    {"v_mfma_f32_16x16x4_f32", A94, 16, 16, 4, 1, EL_F32, EL_F32},
    {"v_mfma_f32_16x16x8_xf32", A_942, 16, 16, 8, 1, EL_XF32, EL_XF32},
    {"v_mfma_f32_32x32x4_xf32", A_942, 32, 32, 4, 1, EL_XF32, EL_XF32},
    {"v_mfma_f32_32x32x4_2b_f16", A94, 32, 32, 4, 2, EL_F16, EL_F16},
    {"v_mfma_f32_16x16x4_4b_f16", A94, 16, 16, 4, 4, EL_F16, EL_F16},
    {"v_mfma_f32_4x4x4_16b_f16", A94, 4, 4, 4, 16, EL_F16, EL_F16},
    {"v_mfma_f32_32x32x8_f16", A94, 32, 32, 8, 1, EL_F16, EL_F16},
    {"v_mfma_f32_16x16x16_f16", A94, 16, 16, 16, 1, EL_F16, EL_F16},
    {"v_mfma_i32_32x32x4_2b_i8", A94, 32, 32, 4, 2, EL_I8, EL_I8},
    {"v_mfma_i32_16x16x4_4b_i8", A94, 16, 16, 4, 4, EL_I8, EL_I8},
    {"v_mfma_i32_4x4x4_16b_i8", A94, 4, 4, 4, 16, EL_I8, EL_I8},
    {"v_mfma_i32_32x32x16_i8", A94, 32, 32, 16, 1, EL_I8, EL_I8},
    {"v_mfma_i32_16x16x32_i8", A94, 16, 16, 32, 1, EL_I8, EL_I8},
    {"v_mfma_f32_32x32x4_2b_bf16", A94, 32, 32, 4, 2, EL_BF16, EL_BF16},
    {"v_mfma_f32_16x16x4_4b_bf16", A94, 16, 16, 4, 4, EL_BF16, EL_BF16},
    {"v_mfma_f32_4x4x4_16b_bf16", A94, 4, 4, 4, 16, EL_BF16, EL_BF16},
    {"v_mfma_f32_32x32x8_bf16", A94, 32, 32, 8, 1, EL_BF16, EL_BF16},
    {"v_mfma_f32_16x16x16_bf16", A94, 16, 16, 16, 1, EL_BF16, EL_BF16},
    {"v_mfma_f64_16x16x4_f64", A94, 16, 16, 4, 1, EL_F64, EL_F64},
    {"v_mfma_f64_4x4x4_4b_f64", A94, 4, 4, 4, 4, EL_F64, EL_F64},
    {"v_mfma_f32_16x16x32_bf8_bf8", A94, 16, 16, 32, 1, EL_BF8, EL_BF8},
    {"v_mfma_f32_16x16x32_bf8_fp8", A94, 16, 16, 32, 1, EL_BF8, EL_FP8},
    {"v_mfma_f32_16x16x32_fp8_bf8", A94, 16, 16, 32, 1, EL_FP8, EL_BF8},
    {"v_mfma_f32_16x16x32_fp8_fp8", A94, 16, 16, 32, 1, EL_FP8, EL_FP8},
    {"v_mfma_f32_32x32x16_bf8_bf8", A94, 32, 32, 16, 1, EL_BF8, EL_BF8},
    {"v_mfma_f32_32x32x16_bf8_fp8", A94, 32, 32, 16, 1, EL_BF8, EL_FP8},
    {"v_mfma_f32_32x32x16_fp8_bf8", A94, 32, 32, 16, 1, EL_FP8, EL_BF8},
    {"v_mfma_f32_32x32x16_fp8_fp8", A94, 32, 32, 16, 1, EL_FP8, EL_FP8},
    {"v_mfma_f32_16x16x32_f16", A_950, 16, 16, 32, 1, EL_F16, EL_F16},
    {"v_mfma_f32_32x32x16_f16", A_950, 32, 32, 16, 1, EL_F16, EL_F16},
    {"v_mfma_f32_16x16x32_bf16", A_950, 16, 16, 32, 1, EL_BF16, EL_BF16},
    {"v_mfma_f32_32x32x16_bf16", A_950, 32, 32, 16, 1, EL_BF16, EL_BF16},
    {"v_mfma_i32_16x16x64_i8", A_950, 16, 16, 64, 1, EL_I8, EL_I8},
    {"v_mfma_i32_32x32x32_i8", A_950, 32, 32, 32, 1, EL_I8, EL_I8},
};

struct fcase {
    const struct shape *s;
    bool ocp;
    unsigned d, a, b, c; /* rows */
    bool c_const;
    double c_value;
    unsigned cbsz, abid, blgp;
    unsigned neg; /* binary64 on gfx942 and later: bit 0 A, 1 B, 2 C */
    bool exact;   /* the engine rounds as hardware does */
};

static unsigned elements_per_lane(unsigned rows, const struct shape *s)
{
    unsigned e = rows * s->k * s->blocks / 64;
    return e ? e : 1;
}
static unsigned source_dwords(unsigned rows, const struct shape *s, unsigned el)
{
    return (elements_per_lane(rows, s) * element_bits[el] + 31) / 32;
}
static unsigned result_dwords(const struct shape *s)
{
    return s->m * s->n * s->blocks / 64u * (s->a == EL_F64 ? 2 : 1);
}

static double element_value(uint64_t bits, unsigned el, bool ocp)
{
    switch (el) {
    case EL_F64:
        return f64_of(bits);
    case EL_F16:
        return f16_of(bits);
    case EL_BF16:
        return bf16_of(bits);
    case EL_I8:
        return (double)sext(bits, 8);
    case EL_FP8:
        return ref_fp8_value(bits & 0xff, false, ocp);
    case EL_BF8:
        return ref_fp8_value(bits & 0xff, true, ocp);
    case EL_XF32: /* the low 13 bits of the mantissa are cut off */
        return f32_of(bits & 0xffffe000);
    default:
        return f32_of(bits);
    }
}
static uint64_t element_bits_at(const struct sg_wave_image *w, unsigned row, unsigned lane, unsigned index,
                                unsigned el)
{
    unsigned width = element_bits[el];
    if (width == 64)
        return w->v[row + 2 * index][lane] | (uint64_t)w->v[row + 2 * index + 1][lane] << 32;
    unsigned bit = index * width;
    return (w->v[row + bit / 32][lane] >> (bit % 32)) & (width == 32 ? UINT32_MAX : (1u << width) - 1);
}
/* BLGP: the lane of B's registers that stands in for `lane` (ISA manual, "MFMA: broadcasting values"). */
static unsigned blgp_lane(unsigned blgp, unsigned lane)
{
    switch (blgp) {
    case 1:
        return lane & 31;
    case 2:
        return 32 + (lane & 31);
    case 3:
        return (lane + 16) & 63;
    case 4:
    case 5:
    case 6:
    case 7:
        return 16 * (blgp - 4) + (lane & 15);
    default:
        return lane;
    }
}
static double source_a(const struct fcase *c, const struct sg_wave_image *w, unsigned i, unsigned k,
                       unsigned block)
{
    const struct shape *s = c->s;
    unsigned e = elements_per_lane(s->m, s), group = 1u << c->cbsz;
    if (c->cbsz)
        block = block / group * group + c->abid;
    unsigned lane = s->m * (block + s->blocks * (k / e)) + i;
    double v = element_value(element_bits_at(w, c->a, lane, k % e, s->a), s->a, c->ocp);
    return c->neg & 1 ? -v : v;
}
static double source_b(const struct fcase *c, const struct sg_wave_image *w, unsigned k, unsigned j,
                       unsigned block)
{
    const struct shape *s = c->s;
    unsigned e = elements_per_lane(s->n, s);
    unsigned lane = blgp_lane(c->blgp, s->n * (block + s->blocks * (k / e)) + j);
    double v = element_value(element_bits_at(w, c->b, lane, k % e, s->b), s->b, c->ocp);
    return c->neg & 2 ? -v : v;
}
static void result_place(const struct shape *s, unsigned i, unsigned j, unsigned block, unsigned *reg,
                         unsigned *lane)
{
    if (s->a == EL_F64) {
        *reg = s->m == 16 ? 2 * (i / 4) : 0;
        *lane = s->m == 16 ? 16 * (i % 4) + j : 16 * i + 4 * block + j;
    } else if (s->m == 4) {
        *reg = i;
        *lane = 4 * block + j;
    } else {
        unsigned q = 64 / s->n;
        *reg = block * (s->m * s->n / 64) + 4 * (i / (4 * q)) + i % 4;
        *lane = s->n * ((i / 4) % q) + j;
    }
}

/* ---- The exact mode ---- */

static bool cdna2(const struct fcase *c)
{
    return c->s->arch == A_90A;
}

static double smallest_normal(const struct fcase *c, unsigned el)
{
    switch (el) {
    case EL_F16:
        return 0x1p-14;
    case EL_FP8:
        return c->ocp ? 0x1p-6 : 0x1p-7;
    case EL_BF8:
        return c->ocp ? 0x1p-14 : 0x1p-15;
    default:
        return 0x1p-126;
    }
}

/* Exponent as a number of that format stores it; zero has that of the smallest f32. */
static int stored_exponent(double x, double smallest)
{
    return x == 0 ? -126 : ilogb(fmax(fabs(x), smallest));
}

struct aligned {
    double sum; /* in units of 2^exponent */
    int exponent;
};

/* Products at `step` places from k on: aligned to the largest exponent, cut after 24 bits. */
static struct aligned cut_sum(const double *x, const int *ex, const double *y, const int *ey, unsigned n,
                              unsigned step)
{
    struct aligned r = {0, -100000};
    for (unsigned k = 0; k < n; k += step)
        if (ex[k] + ey[k] > r.exponent)
            r.exponent = ex[k] + ey[k];
    for (unsigned k = 0; k < n; k += step)
        r.sum += ldexp(trunc(ldexp(x[k] * y[k], 24 - r.exponent)), -24);
    return r;
}

static double floor_at(double x, int bits)
{
    return ldexp(floor(ldexp(x, bits)), -bits);
}

static float cdna3_group(const struct fcase *c, const double *x, const double *y, unsigned n, float acc)
{
    double plain = acc, sc;
    int ex[16], ey[16], ea = stored_exponent(acc, 0x1p-126), top;
    bool fp8 = c->s->a == EL_FP8 || c->s->a == EL_BF8, up = false, down = false;
    for (unsigned k = 0; k < n; k++) {
        plain += x[k] * y[k];
        up |= x[k] * y[k] >= 0x1p128;
        down |= x[k] * y[k] <= -0x1p128;
        ex[k] = stored_exponent(x[k], smallest_normal(c, c->s->a));
        ey[k] = stored_exponent(y[k], smallest_normal(c, c->s->b));
    }
    if (!isfinite(plain))
        return (float)plain;
    if (up || down)
        return up && down ? NAN : up ? INFINITY : -INFINITY;
    struct aligned sum = cut_sum(x, ex, y, ey, n, fp8 ? 2 : 1);
    if (fp8) {
        struct aligned odd = cut_sum(x + 1, ex + 1, y + 1, ey + 1, n - 1, 2);
        int e = sum.exponent > odd.exponent ? sum.exponent : odd.exponent;
        sum.sum =
            floor_at(ldexp(sum.sum, sum.exponent - e), 24) + floor_at(ldexp(odd.sum, odd.exponent - e), 24);
        sum.exponent = e;
    }
    top = sum.exponent > ea ? sum.exponent : ea;
    sc = fp8 && ea < top - 25 ? 0 : floor_at(ldexp(acc, -top), 24);
    return (float)ldexp(floor_at(ldexp(sum.sum, sum.exponent - top), 31) + sc, top);
}

static float flushed(float x, float zero)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, zero) : x;
}

static float cdna2_sum(const struct fcase *c, const double *x, const double *y, unsigned n)
{
    if (n == 1) {
        double least = smallest_normal(c, c->s->a);
        float p = (fabs(*x) < least ? 0.0f : (float)*x) * (fabs(*y) < least ? 0.0f : (float)*y) + 0.0f;
        return flushed(p, p);
    }
    float s = cdna2_sum(c, x, y, n / 2) + cdna2_sum(c, x + n / 2, y + n / 2, n / 2);
    return flushed(s, s);
}

static float exact_result(const struct fcase *c, const struct sg_wave_image *b, unsigned i, unsigned j,
                          unsigned block, float acc)
{
    const struct shape *s = c->s;
    bool old = cdna2(c), k1 = strstr(s->name, "_1k") != NULL;
    unsigned group = old ? (s->a == EL_BF16 && !k1 ? 2 : 4) : s->a == EL_XF32 ? 4 : s->a >= EL_FP8 ? 16 : 8;
    double x[64], y[64];
    for (unsigned k = 0; k < s->k; k++) {
        x[k] = source_a(c, b, i, k, block);
        y[k] = source_b(c, b, k, j, block);
    }
    if (old)
        acc = flushed(acc, 0);
    for (unsigned k = 0; k < s->k; k += group) {
        unsigned n = s->k - k < group ? s->k - k : group;
        if (!old) {
            acc = cdna3_group(c, x + k, y + k, n, acc);
        } else {
            acc += cdna2_sum(c, x + k, y + k, n);
            acc = flushed(acc, acc);
        }
    }
    return acc;
}

static void one_result(const struct fcase *c, const struct sg_wave_image *b, struct expect *e, unsigned i,
                       unsigned j, unsigned block)
{
    const struct shape *s = c->s;
    unsigned reg, lane;
    result_place(s, i, j, block, &reg, &lane);
    uint64_t c_bits = b->v[c->c + reg][lane];
    if (s->a == EL_F64)
        c_bits |= (uint64_t)b->v[c->c + reg + 1][lane] << 32;
    if (s->a == EL_I8) {
        int64_t sum = c->c_const ? (int64_t)c->c_value : (int32_t)c_bits;
        for (unsigned k = 0; k < s->k; k++)
            sum += (int64_t)source_a(c, b, i, k, block) * (int64_t)source_b(c, b, k, j, block);
        e->w->v[c->d + reg][lane] = (uint32_t)sum;
        return;
    }
    double start = c->c_const ? c->c_value : s->a == EL_F64 ? f64_of(c_bits) : f32_of(c_bits);
    if (c->neg & 4)
        start = -start;
    if (c->exact) {
        struct note *n = expect_note(e);
        float r = exact_result(c, b, i, j, block, (float)start);
        *n = (struct note){.row = (uint16_t)(c->d + reg), .lane = (uint8_t)lane, .dwords = 1, .type = T_F32};
        e->w->v[c->d + reg][lane] = bits_of_f32(r);
        return;
    }
    double sum = start, largest = fabs(start);
    for (unsigned k = 0; k < s->k; k++) {
        double x = source_a(c, b, i, k, block), y = source_b(c, b, k, j, block);
        sum = s->a == EL_F64   ? fma(x, y, sum)
              : s->a == EL_F32 ? fmaf((float)x, (float)y, (float)sum)
                               : sum + x * y;
        largest = fmax(largest, fabs(x * y));
    }
    struct note *n = expect_note(e);
    n->row = (uint16_t)(c->d + reg);
    n->lane = (uint8_t)lane;
    if (s->a == EL_F64) {
        uint64_t r = bits_of_f64(sum);
        e->w->v[c->d + reg][lane] = (uint32_t)r;
        e->w->v[c->d + reg + 1][lane] = (uint32_t)(r >> 32);
        n->dwords = 2, n->type = T_F64;
        return;
    }
    e->w->v[c->d + reg][lane] = bits_of_f32((float)sum);
    n->dwords = 1, n->type = T_F32;
    if (s->a != EL_F32)
        n->abs = largest * (s->k + 2) * 0x1p-22;
}
static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct fcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned block = 0; block < c->s->blocks; block++)
        for (unsigned i = 0; i < c->s->m; i++)
            for (unsigned j = 0; j < c->s->n; j++)
                one_result(c, &before, e, i, j, block);
}

static uint32_t random_dword(struct rng *r, unsigned el)
{
    float f = (float)((int)rng_below(r, 4001) - 2000) / 64;
    float g = (float)((int)rng_below(r, 4001) - 2000) / 64;
    switch (el) {
    case EL_F16:
        return bits_of_f16((__float128)f) | bits_of_f16((__float128)g) << 16;
    case EL_BF16:
        return bits_of_bf16((__float128)f) | bits_of_bf16((__float128)g) << 16;
    case EL_I8:
        return (uint32_t)rng64(r);
    case EL_FP8:
    case EL_BF8: /* numbers of ordinary size: exponent field between 4 and 11 of the e4m3 layout */
    {
        uint32_t v = 0;
        for (unsigned i = 0; i < 4; i++)
            v |= (rng_below(r, 2) << 7 | (32 + rng_below(r, 60))) << (8 * i);
        return v;
    }
    default:
        return ((uint32_t)rng64(r) & 0x807fffff) | (117 + rng_below(r, 20)) << 23;
    }
}
/* Anything that the format can say:
 * far apart exponents, denormals, zeros, now and then infinities and NaNs. */
static uint32_t wild_dword(struct rng *r, unsigned el)
{
    uint32_t x = (uint32_t)rng64(r), sixteen = el == EL_F16 ? 0x7c00 : 0x7f80;
    if (el != EL_F16 && el != EL_BF16 && el != EL_FP8 && el != EL_BF8) {
        unsigned kind = rng_below(r, 64);
        return kind == 0 ? x & 0x807fffff : kind == 1 ? x & 0x80000000 : kind == 2 ? x : random_dword(r, el);
    }
    if (rng_below(r, 8))
        return random_dword(r, el);
    if (el == EL_FP8 || el == EL_BF8)
        return rng_below(r, 16) ? x & 0xbfbfbfbf : x;
    if (rng_below(r, 16)) /* no infinity and no NaN: one bit of the exponent is 0 */
        x &= ~((1u << (el == EL_F16 ? 14 : 11)) * 0x10001u);
    return rng_below(r, 4) ? x : x & ~(sixteen * 0x10001u);
}

static void fill_rows(struct rng *r, struct sg_wave_image *w, unsigned row, unsigned n, unsigned el,
                      bool wild)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < 64; lane++) {
            if (el == EL_F64 && i % 2 == 0) {
                uint64_t x = (rng64(r) & 0x800fffffffffffff) | (uint64_t)(1013 + rng_below(r, 20)) << 52;
                w->v[row + i][lane] = (uint32_t)x;
                w->v[row + i + 1][lane] = (uint32_t)(x >> 32);
            } else if (el != EL_F64) {
                w->v[row + i][lane] = wild ? wild_dword(r, el) : random_dword(r, el);
            }
        }
}
static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct fcase *c = tc->data;
    const struct shape *s = c->s;
    (void)mem;
    if (!c->c_const)
        fill_rows(r, w, c->c, result_dwords(s),
                  s->a == EL_F64  ? EL_F64
                  : s->a == EL_I8 ? EL_I8
                                  : EL_F32,
                  c->exact);
    fill_rows(r, w, c->a, source_dwords(s->m, s, s->a), s->a, c->exact);
    fill_rows(r, w, c->b, source_dwords(s->n, s, s->b), s->b, c->exact);
    w->exact_matrix = c->exact;
}

static void make(struct suite *st, struct rng *r, const struct shape *s, unsigned k, bool exact)
{
    struct tcase *tc = suite_add(st, s->name, sizeof(struct fcase));
    struct fcase *c = tc->data;
    unsigned n = result_dwords(s), na = source_dwords(s->m, s, s->a), nb = source_dwords(s->n, s, s->b);
    tc->fill = fill;
    tc->ref = run_reference;
    tc->rounds = 2;
    c->s = s;
    c->ocp = st->bit == A_950;
    c->exact = exact;
    unsigned file = k & 1 ? 256 : 0; /* C and D live in the same file */
    c->d = file + 64;
    c->c = k % 3 == 0 ? c->d : file + 128;
    c->a = (rng_below(r, 2) ? 256 : 0) + 8 + 8 * rng_below(r, 2);
    c->b = (rng_below(r, 2) ? 256 : 0) + 32 + 8 * rng_below(r, 2);
    if (k == 2) {
        c->c_const = true;
        c->c_value = s->a == EL_I8 ? -7 : 1.0;
    }
    bool narrow8 = s->a == EL_FP8 || s->a == EL_BF8 || s->a == EL_XF32;
    if (k >= 4 && s->blocks > 1 && s->a != EL_F64) {
        unsigned log2_blocks = s->blocks == 2 ? 1 : s->blocks == 4 ? 2 : 4;
        c->cbsz = 1 + rng_below(r, log2_blocks);
        c->abid = rng_below(r, 1u << c->cbsz);
    }
    if (k >= 5 && s->a != EL_F64 && !narrow8)
        c->blgp = rng_below(r, 8);
    if (k >= 5 && s->a == EL_F64 && st->bit != A_90A)
        c->neg = 1 + rng_below(r, 7);
    text_add(tc, "%s ", s->name);
    text_rows(tc, c->d, n);
    text_add(tc, ", ");
    text_rows(tc, c->a, na);
    text_add(tc, ", ");
    text_rows(tc, c->b, nb);
    text_add(tc, ", ");
    if (c->c_const)
        text_add(tc, s->a == EL_I8 ? "-7" : "1.0");
    else
        text_rows(tc, c->c, n);
    if (c->cbsz)
        text_add(tc, " cbsz:%u abid:%u", c->cbsz, c->abid);
    if (c->blgp)
        text_add(tc, " blgp:%u", c->blgp);
    if (c->neg)
        text_add(tc, " neg:[%u,%u,%u]", c->neg & 1, c->neg >> 1 & 1, c->neg >> 2 & 1);
}

void gen_mfma(struct suite *st)
{
    struct rng r = {31337};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned k = 0; k < 8; k++)
            if (shapes[i].arch & st->bit && suite_wants(st, shapes[i].name))
                make(st, &r, &shapes[i], k, false);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned k = 0; k < 6; k++)
            if (shapes[i].arch & st->bit && suite_wants(st, shapes[i].name) &&
                (shapes[i].a == EL_XF32 || shapes[i].a == EL_F16 || shapes[i].a == EL_BF16 ||
                 shapes[i].a == EL_FP8 || shapes[i].a == EL_BF8))
                make(st, &r, &shapes[i], k, true);
}
