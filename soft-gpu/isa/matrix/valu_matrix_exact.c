/*
 * valu_matrix_exact.c - matrix products of narrow types with the roundings of the hardware, bit for bit as
 * far as they are known: "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores", arXiv
 * 2511.10909, whose authors measured CDNA1, CDNA2 and CDNA3. Nothing here was compared with hardware by us.
 * For gfx950 (CDNA4) no measurement is known: it gets CDNA3's rules.
 *
 * CDNA2, f16 and bf16: denormal operands and accumulators count as +0. Products are rounded to f32 and added
 * in a tree of 4 (2 for the older bf16 forms), then to the accumulator; each result that is denormal becomes
 * a zero of its sign.
 *
 * CDNA3, f16, bf16, xf32, fp8: a group of products (8; xf32 4; fp8 16) is added as integers. Each product has
 * the exponent sum of its factors (no normalisation), is aligned to the group's largest one and cut to 24
 * bits behind the point. The sum is aligned with the accumulator: 31 bits for the sum, 24 for the
 * accumulator, both rounded towards minus infinity. Only the total is rounded to nearest even. fp8 adds the
 * even and the odd products apart; an accumulator more than 25 binary places below the larger exponent is
 * left out there.
 */
#include <float.h>
#include <math.h>
#include "valu_matrix.h"

/* ---- CDNA3 ---- */

/* A value as significand * 2^(exponent - 10); all narrow types have at most 10 bits behind the point. */
struct number {
    int32_t significand;
    int32_t exponent;
};
enum { SIGNIFICAND_BITS = 10, SUM_BITS = 24, WIDE_BITS = 31, LOWEST_EXPONENT = -126, FAR_ACCUMULATOR = 25 };

static int lowest_exponent(enum sg_element el)
{
    switch (el) {
    case SG_EL_F16:
    case SG_EL_BF8:
        return -14;
    case SG_EL_FP8:
        return -6;
    case SG_EL_FP8_FNUZ:
        return -7;
    case SG_EL_BF8_FNUZ:
        return -15;
    default: /* bf16, xf32 */
        return -126;
    }
}

static int exponent_of(float x, int lowest)
{
    int e;
    if (x == 0.0f)
        return LOWEST_EXPONENT;
    (void)frexpf(x, &e);
    return e - 1 < lowest ? lowest : e - 1;
}

static struct number number_of(float x, int lowest)
{
    struct number n = {0, LOWEST_EXPONENT};
    if (x == 0.0f || !isfinite(x))
        return n;
    n.exponent = exponent_of(x, lowest);
    n.significand = (int32_t)scalbn((double)x, SIGNIFICAND_BITS - n.exponent);
    return n;
}

/* x * 2^-places, rounded towards minus infinity. */
static int64_t floor_shift(int64_t x, int places)
{
    return x >> (places > 63 ? 63 : places);
}

struct total {
    int64_t sum; /* times 2^(exponent - SUM_BITS) */
    int exponent;
};

/* The products first, first + step, ... below k of a column of A's and B's numbers. */
static struct total add_products(const struct number *a, unsigned a_stride, const struct number *b,
                                 unsigned b_stride, unsigned first, unsigned k, unsigned step)
{
    struct total t = {0, INT32_MIN};
    for (unsigned x = first; x < k; x += step) {
        const int e = a[x * a_stride].exponent + b[x * b_stride].exponent;
        t.exponent = e > t.exponent ? e : t.exponent;
    }
    for (unsigned x = first; x < k; x += step) {
        const struct number f = a[x * a_stride], g = b[x * b_stride];
        const int64_t product = (int64_t)f.significand * g.significand; /* 20 bits behind the point */
        const int64_t size = (product < 0 ? -product : product) << (SUM_BITS - 2 * SIGNIFICAND_BITS);
        const int64_t cut = floor_shift(size, t.exponent - f.exponent - g.exponent);
        t.sum += product < 0 ? -cut : cut;
    }
    return t;
}

static struct total join_halves(struct total even, struct total odd)
{
    const int e = even.exponent > odd.exponent ? even.exponent : odd.exponent;
    return (struct total){floor_shift(even.sum, e - even.exponent) + floor_shift(odd.sum, e - odd.exponent),
                          e};
}

static float add_accumulator(struct total t, float c, bool drop_far)
{
    const int ec = exponent_of(c, LOWEST_EXPONENT), e = t.exponent > ec ? t.exponent : ec;
    const int64_t sum = floor_shift(t.sum * (1 << (WIDE_BITS - SUM_BITS)), e - t.exponent);
    int64_t add = 0;
    if (!drop_far || ec >= e - FAR_ACCUMULATOR)
        add = floor_shift((int64_t)scalbn((double)c, SUM_BITS - ec), e - ec);
    /* At most 37 bits: exact as a double, so that the conversion to f32 is the only rounding to nearest. */
    return (float)scalbn((double)(sum + add * (1 << (WIDE_BITS - SUM_BITS))), e - WIDE_BITS);
}

/* Infinities and NaNs, also those that a product too large for f32 becomes. False: there is none. */
static bool special(const float *a, unsigned a_stride, const float *b, unsigned b_stride, unsigned k, float c,
                    float *result)
{
    double sum = c;
    bool above = false, below = false;
    for (unsigned x = 0; x < k; x++) {
        const double product = (double)a[x * a_stride] * (double)b[x * b_stride];
        sum += product;
        above |= product > (double)FLT_MAX && product >= 0x1p128;
        below |= product <= -0x1p128;
    }
    if (isnan(sum))
        *result = sg_f32(0x7fc00000);
    else if (isinf(sum))
        *result = (float)sum;
    else if (above || below)
        *result = above && below ? sg_f32(0x7fc00000) : above ? INFINITY : -INFINITY;
    else
        return false;
    return true;
}

/* ---- CDNA2 ---- */

static float flush_to_plus_zero(float x, float smallest_normal)
{
    return fabsf(x) < smallest_normal ? 0.0f : x;
}

static float flush_result(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}

/* The elements of one row of A and one column of B, from one k to the next. */
struct column {
    const float *a, *b;
    unsigned a_stride, b_stride;
    float smallest_normal; /* of their format */
};

static float product(const struct column *c, unsigned k)
{
    const float a = flush_to_plus_zero(c->a[k * c->a_stride], c->smallest_normal);
    const float b = flush_to_plus_zero(c->b[k * c->b_stride], c->smallest_normal);
    return flush_result(fmaf(a, b, 0.0f));
}

static float pair(const struct column *c, unsigned k)
{
    return flush_result(product(c, k) + product(c, k + 1));
}

static float tree(const struct column *c, unsigned k, unsigned group, float acc)
{
    acc = flush_to_plus_zero(acc, FLT_MIN);
    for (unsigned x = 0; x < k; x += group) {
        float sum = pair(c, x);
        if (group == 4)
            sum = flush_result(sum + pair(c, x + 2));
        acc = flush_result(acc + sum);
    }
    return acc;
}

/* ---- Whole matrices ---- */

struct operands {
    const float *a, *b;          /* as in the job */
    struct number *na, *nb;      /* the same as numbers; CDNA3 only */
    unsigned a_stride, b_stride; /* from one k to the next */
};

static float element(const struct sg_matrix_shape *s, const struct operands *o, size_t at_a, size_t at_b,
                     bool cdna2, float c)
{
    if (cdna2) {
        const struct column column = {o->a + at_a, o->b + at_b, o->a_stride, o->b_stride,
                                      s->a == SG_EL_F16 ? 0x1p-14f : FLT_MIN};
        return tree(&column, s->k, s->group, c);
    }
    const bool fp8 = s->a == SG_EL_FP8 || s->a == SG_EL_BF8;
    for (unsigned x = 0; x < s->k; x += s->group) {
        const unsigned n = s->k - x < s->group ? s->k - x : s->group;
        const size_t i = at_a + (size_t)x * o->a_stride, j = at_b + (size_t)x * o->b_stride;
        if (special(o->a + i, o->a_stride, o->b + j, o->b_stride, n, c, &c))
            continue;
        struct total t = add_products(o->na + i, o->a_stride, o->nb + j, o->b_stride, 0, n, fp8 ? 2 : 1);
        if (fp8)
            t = join_halves(t, add_products(o->na + i, o->a_stride, o->nb + j, o->b_stride, 1, n, 2));
        c = add_accumulator(t, c, fp8);
    }
    return c;
}

static void to_numbers(struct number *out, const float *in, size_t n, enum sg_element el)
{
    for (size_t i = 0; i < n; i++)
        out[i] = number_of(in[i], lowest_exponent(el));
}

void sg_matrix_multiply_exact(const struct sg_matrix_job *job, enum sg_element a, enum sg_element b,
                              bool cdna2)
{
    const struct sg_matrix_shape *s = job->shape;
    const unsigned m = s->m, n = s->n, blocks = s->blocks, group_mask = (1u << job->cbsz) - 1;
    struct number na[SG_MATRIX_MAX], nb[SG_MATRIX_MAX];
    const struct operands o = {job->a, job->b, na, nb, m * blocks, n * blocks};
    if (!cdna2) {
        to_numbers(na, job->a, (size_t)s->k * m * blocks, a);
        to_numbers(nb, job->b, (size_t)s->k * n * blocks, b);
    }
    for (unsigned block = 0; block < blocks; block++) {
        const unsigned from = job->cbsz ? (block & ~group_mask) + job->abid : block;
        for (unsigned i = 0; i < m; i++) {
            unsigned reg, lane;
            sg_matrix_place(m, n, block, i, &reg, &lane);
            for (unsigned j = 0; j < n; j++) {
                const float c = job->c_constant ? job->c_value : sg_f32(job->v[job->c + reg][lane + j]);
                job->v[job->d + reg][lane + j] =
                    sg_u32(element(s, &o, from * m + i, block * n + j, cdna2, c));
            }
        }
    }
}
