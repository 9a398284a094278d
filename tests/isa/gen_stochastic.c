/*
 * gen_stochastic.c - v_cvt_sr_{fp8,bf8,f16,bf16}_f32: rounding by random bits.
 *
 * Source 1 gives the random bits: as many from its top as the result drops of the mantissa, 20 for fp8, 21
 * for bf8 (pseudo code of "AMD CDNA4 ISA"); 13 for f16 and 16 for bf16 follow the same rule, their function
 * is not spelled out. Taken as a fraction of a place they are added, and the sum is truncated (HIP's
 * amd_hip_fp8.h shows it for fp8). Here: the largest representable value that is not above the source, or the
 * next one when place and fraction together reach 1. op_sel chooses the byte or half of the destination that
 * is written; the rest of it stays. Overflow: infinity, or NaN where the format has none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ref_valu.h"
#include "values.h"

enum format { FP8, BF8, F16, BF16 };
static const struct {
    const char *name;
    unsigned dropped; /* bits of the mantissa */
    uint8_t arch;
} formats[] = {{"v_cvt_sr_fp8_f32", 20, A_942 | A_950},
               {"v_cvt_sr_bf8_f32", 21, A_942 | A_950},
               {"v_cvt_sr_f16_f32", 13, A_950},
               {"v_cvt_sr_bf16_f32", 16, A_950}};

struct scase {
    enum format format;
    bool ocp, neg, abs;
    unsigned d, a, b, part;
    char file[2]; /* 'v' or 's' of the sources; 'i': the inline constant 1.0, 0 */
};

static double magnitude(const struct scase *c, uint32_t code)
{
    return c->format == F16    ? f16_of(code)
           : c->format == BF16 ? bf16_of(code)
                               : ref_fp8_value(code, c->format == BF8, c->ocp);
}

static uint32_t largest(const struct scase *c)
{
    return c->format == F16    ? 0x7bff
           : c->format == BF16 ? 0x7f7f
           : !c->ocp           ? 0x7f
           : c->format == BF8  ? 0x7b
                               : 0x7e;
}

static uint32_t not_a_number(const struct scase *c, uint32_t sign)
{
    return c->format == F16 ? sign | 0x7e00 : c->format == BF16 ? sign | 0x7fc0 : c->ocp ? sign | 0x7f : 0x80;
}

static uint32_t overflow(const struct scase *c, uint32_t sign)
{
    const bool infinite = c->format >= F16 || (c->ocp && c->format == BF8);
    return infinite ? sign | (c->format == F16    ? 0x7c00
                              : c->format == BF16 ? 0x7f80
                                                  : 0x7c)
                    : not_a_number(c, sign);
}

static uint32_t convert(const struct scase *c, uint32_t source, uint32_t random)
{
    const unsigned bits = c->format < F16 ? 8 : 16, dropped = formats[c->format].dropped;
    const uint32_t sign = source >> 31 << (bits - 1), top = largest(c);
    const double a = fabs((double)f32_of(source)), fraction = ldexp(random >> (32 - dropped), -(int)dropped);
    uint32_t below = 0, above = top + 1; /* binary search: codes are in the order of their values */
    if (isnan(a))
        return not_a_number(c, sign);
    while (above - below > 1) {
        const uint32_t middle = (below + above) / 2;
        if (magnitude(c, middle) <= a)
            below = middle;
        else
            above = middle;
    }
    const double low = magnitude(c, below),
                 step = below == top ? low - magnitude(c, top - 1) : magnitude(c, below + 1) - low;
    if (a >= low + step) /* beyond the largest by a whole place */
        return overflow(c, sign);
    const uint32_t code = below + ((a - low) / step + fraction >= 1);
    if (code > top)
        return overflow(c, sign);
    return code || c->format >= F16 || c->ocp ? sign | code : 0; /* no negative zero in FNUZ */
}

static uint32_t operand(const struct scase *c, const struct sg_wave_image *w, unsigned i, unsigned lane)
{
    const unsigned index = i ? c->b : c->a;
    if (c->file[i] == 'i')
        return i ? 0 : 0x3f800000;
    return c->file[i] == 'v' ? w->v[index][lane] : w->s[index];
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    const struct scase *c = tc->data;
    const unsigned bits = c->format < F16 ? 8 : 16, at = c->part * bits;
    const uint32_t mask = (1u << bits) - 1;
    static struct sg_wave_image before;
    memcpy(&before, e->w, sizeof before);
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(img_s64(&before, 126) >> lane & 1))
            continue;
        uint32_t source = operand(c, &before, 0, lane);
        source = (c->abs ? source & 0x7fffffff : source) ^ (c->neg ? 1u << 31 : 0);
        const uint32_t result = convert(c, source, operand(c, &before, 1, lane));
        uint32_t *to = &e->w->v[c->d][lane];
        *to = (*to & ~(mask << at)) | result << at;
        struct note *n = expect_note(e);
        *n = (struct note){.row = (uint16_t)c->d, .lane = (uint8_t)lane, .dwords = 1, .type = T_B32};
        if (c->format >= F16)
            n->type = c->format == F16 ? T_PKF16 : T_BF16x2;
        else if (isnan(f32_of(source)) && c->format == BF8 && c->ocp) /* e5m2 has several */
            n->alt[n->n_alt++] = *to ^ 1u << at;
    }
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    static const int low[] = {-15, -22, -30, -140}, span[] = {26, 42, 50, 270};
    const struct scase *c = tc->data;
    (void)mem;
    for (unsigned lane = 0; lane < 64; lane++) {
        const int exponent = low[c->format] + (int)rng_below(r, (uint32_t)span[c->format]);
        const double mantissa = 1 + (double)(rng64(r) >> 41) / 0x1p23;
        const float x = (float)ldexp(rng_below(r, 2) ? -mantissa : mantissa, exponent);
        w->v[c->d][lane] = (uint32_t)rng64(r);
        if (c->file[1] == 'v')
            w->v[c->b][lane] = rng_below(r, 4) ? (uint32_t)rng64(r) : rng_below(r, 2) ? 0 : ~0u;
        if (c->file[0] == 'v')
            w->v[c->a][lane] = rng_below(r, 4) ? bits_of_f32(x) : (uint32_t)value_random(r, T_F32);
    }
    if (c->file[0] == 's')
        w->s[c->a] = (uint32_t)value_random(r, T_F32);
}

static void print_source(struct tcase *tc, const struct scase *c, unsigned i)
{
    text_add(tc, ", %s%s", !i && c->neg ? "-" : "", !i && c->abs ? "|" : "");
    if (c->file[i] == 'i')
        text_add(tc, "%s", i ? "0" : "1.0");
    else
        text_add(tc, "%c%u", c->file[i], i ? c->b : c->a);
    text_add(tc, "%s", !i && c->abs ? "|" : "");
}

static void make(struct suite *s, struct rng *r, enum format format, unsigned k)
{
    struct tcase *tc = suite_add(s, formats[format].name, sizeof(struct scase));
    struct scase *c = tc->data;
    *c = (struct scase){.format = format,
                        .ocp = s->bit == A_950,
                        .d = rng_below(r, 80),
                        .a = 80 + rng_below(r, 10),
                        .b = 90 + rng_below(r, 10),
                        .part = k % (format < F16 ? 4 : 2),
                        .file = {k % 5 == 3 ? 's'
                                 : k == 12  ? 'i'
                                            : 'v',
                                 k % 7 == 5 ? 's'
                                 : k == 13  ? 'i'
                                            : 'v'}};
    tc->fill = fill;
    tc->ref = run_reference;
    tc->rounds = 4;
    if (c->file[0] == 's' && c->file[1] == 's') /* the constant bus takes one scalar */
        c->file[1] = 'v';
    c->neg = c->file[0] != 'i' && rng_below(r, 2);
    c->abs = c->file[0] != 'i' && rng_below(r, 2);
    text_add(tc, "%s v%u", tc->name, c->d);
    print_source(tc, c, 0);
    print_source(tc, c, 1);
    if (c->part)
        text_add(tc, format < F16 ? " op_sel:[0,0,%u,%u]" : " op_sel:[0,0,%u]", c->part & 1, c->part >> 1);
}

void gen_stochastic(struct suite *s)
{
    struct rng r = {5772};
    for (unsigned format = FP8; format <= BF16; format++)
        for (unsigned k = 0; k < 16; k++)
            if (formats[format].arch & s->bit && suite_wants(s, formats[format].name))
                make(s, &r, (enum format)format, k);
}
