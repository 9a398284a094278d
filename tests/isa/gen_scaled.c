/*
 * gen_scaled.c - gfx950's v_cvt_scalef32_*: conversions between f32, f16, bf16 and fp8, bf8, fp6, bf6, fp4
 * with a block scale 2^(exponent - 127). From "AMD Instinct CDNA4 ISA", chapter 12; formats from the OCP
 * Microscaling Formats specification, section 5.3.
 *
 * Narrowing searches the table of all values of the format: the nearest one, of two equally near ones the
 * even code; with random bits, the lower neighbour, or the upper when place + random fraction reaches 1.
 * Beyond the largest value fp8 gives NaN, bf8 infinity, the others their largest.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "ref_num.h"
#include "ref_valu.h"

enum format { FP8, BF8, FP6, BF6, FP4, N_FORMATS };
enum wide { F32, F16, BF16 };
static const struct {
    unsigned bits, exponent, mantissa, largest; /* largest: its code */
} formats[N_FORMATS] = {{8, 4, 3, 0x7e}, {8, 5, 2, 0x7b}, {6, 2, 3, 0x1f}, {6, 3, 2, 0x1f}, {4, 2, 1, 0x7}};
static const char *const format_name[] = {"fp8", "bf8", "fp6", "bf6", "fp4"}, *const wide_name[] = {
                                                                                  "f32", "f16", "bf16"};

struct ccase {
    enum format format;
    enum wide wide;
    unsigned count;
    bool widen, random, two; /* two: elements alternate between src0 and src1 */
    unsigned d, a, b, scale, select;
    bool high;
};

/* Value of a magnitude code, also of those behind the largest, as if the format went on. */
static double magnitude(enum format f, unsigned code)
{
    const int bias = (1 << (formats[f].exponent - 1)) - 1, m = (int)formats[f].mantissa;
    const int e = (int)(code >> m);
    const double fraction = ldexp(code & ((1u << m) - 1), -m);
    return e ? ldexp(1 + fraction, e - bias) : ldexp(fraction, 1 - bias);
}

static double decode(enum format f, unsigned code)
{
    const unsigned sign = 1u << (formats[f].bits - 1), low = code & (sign - 1);
    double v = magnitude(f, low);
    if (f == FP8 && low > formats[f].largest)
        v = NAN;
    if (f == BF8 && low > formats[f].largest)
        v = low == 0x7c ? INFINITY : NAN;
    return code & sign ? -v : v;
}

static unsigned encode(enum format f, double x, bool random, double fraction)
{
    const unsigned sign = signbit(x) ? 1u << (formats[f].bits - 1) : 0, largest = formats[f].largest;
    const double a = fabs(x);
    if (isnan(x))
        return (f < FP6 ? 0x7f : largest) | sign;
    unsigned below = 0;
    while (below <= largest && magnitude(f, below + 1) <= a)
        below++;
    const double place = (a - magnitude(f, below)) / (magnitude(f, below + 1) - magnitude(f, below));
    unsigned code = below;
    if (below <= largest && random)
        code += place + fraction >= 1;
    else if (below <= largest)
        code += place > 0.5 || (place == 0.5 && below & 1);
    if (code > largest)
        return (f == FP8 ? 0x7f : f == BF8 ? 0x7c : largest) | sign;
    return code | sign;
}

static double wide_value(const struct ccase *c, const struct sg_wave_image *w, unsigned lane, unsigned t)
{
    if (c->wide == F32)
        return f32_of(c->two ? w->v[(t % 2 ? c->b : c->a) + t / 2][lane] : w->v[c->a + t][lane]);
    const uint32_t half = w->v[c->a + t / 2][lane] >> 16 * (t % 2) & 0xffff;
    return c->wide == F16 ? f16_of(half) : bf16_of(half);
}

static double scale_of(uint32_t bits)
{
    return ldexp(1, (int)(bits >> 23 & 255) - 127);
}

static void put_bits(uint32_t *row, unsigned at, unsigned n, uint32_t value)
{
    for (unsigned i = 0; i < n; i++) {
        row[(at + i) / 32] &= ~(1u << (at + i) % 32);
        row[(at + i) / 32] |= (value >> i & 1) << (at + i) % 32;
    }
}

static void narrow_lane(const struct ccase *c, const struct sg_wave_image *b, struct expect *e, unsigned lane)
{
    const unsigned bits = formats[c->format].bits, m = formats[c->format].mantissa,
                   rows = (bits * c->count + 31) / 32;
    uint32_t out[8], random = b->v[c->b][lane];
    for (unsigned i = 0; i < rows; i++)
        out[i] = b->v[c->d + i][lane];
    for (unsigned t = 0; t < c->count; t++) {
        const double fraction = ldexp(random >> (9 + m), (int)m - 23);
        put_bits(out, c->select + t * bits, bits,
                 encode(c->format, wide_value(c, b, lane, t) / scale_of(b->v[c->scale][lane]), c->random,
                        fraction));
        random = random << 1 ^ (random >> 31 ? 197 : 0); /* v_prng_b32 */
    }
    for (unsigned i = 0; i < rows; i++)
        e->w->v[c->d + i][lane] = out[i];
}

static void widen_lane(const struct ccase *c, const struct sg_wave_image *b, struct expect *e, unsigned lane)
{
    const unsigned bits = formats[c->format].bits;
    uint32_t out[32];
    for (unsigned i = 0; i < 32; i++)
        out[i] = b->v[c->d + i][lane];
    for (unsigned t = 0; t < c->count; t++) {
        unsigned code = 0;
        for (unsigned i = 0; i < bits; i++)
            code |=
                (b->v[c->a + (c->select + t * bits + i) / 32][lane] >> (c->select + t * bits + i) % 32 & 1)
                << i;
        const double v = decode(c->format, code) * scale_of(b->v[c->scale][lane]);
        if (c->wide == F32)
            out[t] = bits_of_f32((float)v);
        else
            put_bits(out, 16 * (t + c->high), 16,
                     c->wide == F16 ? bits_of_f16((__float128)(float)v) : bits_of_bf16((__float128)(float)v));
    }
    for (unsigned i = 0; i < (c->wide == F32 ? c->count : (c->count + 1) / 2); i++)
        e->w->v[c->d + i][lane] = out[i];
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct ccase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(img_s64(&before, 126) >> lane & 1))
            continue;
        if (c->widen)
            widen_lane(c, &before, e, lane);
        else
            narrow_lane(c, &before, e, lane);
    }
}

/* Numbers around the format's range; halves so that ties occur.
 * Codes without NaN, whose payloads are open. */
static uint32_t random_wide(const struct ccase *c, struct rng *r)
{
    const int e = (int)rng_below(r, 12) - 6;
    const float f = (float)ldexp((double)(int)rng_below(r, 129) - 64, e - 4);
    const float g = (float)ldexp((double)rng_below(r, 4096), e - 8);
    if (c->wide == F32)
        return bits_of_f32(rng_below(r, 2) ? f : -g);
    return c->wide == F16 ? bits_of_f16((__float128)f) | bits_of_f16((__float128)g) << 16
                          : bits_of_bf16((__float128)f) | bits_of_bf16((__float128)g) << 16;
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct ccase *c = tc->data;
    (void)mem;
    for (unsigned lane = 0; lane < 64; lane++) {
        for (unsigned i = 0; i < 32; i++) {
            uint32_t codes = (uint32_t)rng64(r);
            if (formats[c->format].bits == 8)
                codes &= 0xbfbfbfbf;
            w->v[c->a + i][lane] = c->widen ? codes : random_wide(c, r);
            if (!c->widen)
                w->v[c->b + i][lane] = c->random ? (uint32_t)rng64(r) : random_wide(c, r);
        }
        w->v[c->scale][lane] = (uint32_t)(124 + rng_below(r, 7)) << 23 | ((uint32_t)rng64(r) & 0x7fffff);
    }
}

/* ---- Making ---- */

static void print_rows(struct tcase *tc, const char *before, unsigned row, unsigned n)
{
    text_add(tc, "%s", before);
    text_rows(tc, row, n);
}

static unsigned wide_rows(const struct ccase *c, unsigned count)
{
    return c->wide == F32 ? count : (count + 1) / 2;
}

static void make(struct suite *st, struct rng *r, const char *name, struct ccase what)
{
    struct tcase *tc = suite_add(st, name, sizeof(struct ccase));
    struct ccase *c = tc->data;
    const unsigned total = formats[what.format].bits * what.count, packed = (total + 31) / 32;
    unsigned op_sel = total == 8 ? rng_below(r, 4) : total == 16 ? rng_below(r, 2) : 0;
    tc->fill = fill;
    tc->ref = run_reference;
    *c = what;
    c->d = 160 + 2 * rng_below(r, 8);
    c->a = 8;
    c->b = 64;
    c->scale = 120 + rng_below(r, 4);
    c->select = total == 8 ? 8 * op_sel : 16 * op_sel;
    c->high = what.widen && what.wide == F16 && what.count == 1 && rng_below(r, 2);
    text_add(tc, "%s", name);
    print_rows(tc, " ", c->d, c->widen ? wide_rows(c, c->count) : packed);
    print_rows(tc, ", ", c->a, c->widen ? packed : wide_rows(c, c->two ? c->count / 2 : c->count));
    if (c->two || c->random)
        print_rows(tc, ", ", c->b, c->two ? wide_rows(c, c->count / 2) : 1);
    print_rows(tc, ", ", c->scale, 1);
    const unsigned low = op_sel & 1, high = total == 8 ? op_sel >> 1 : 0;
    if (total > 16)
        return;
    if (c->widen)
        text_add(tc, c->wide == F16 && c->count == 1 ? " op_sel:[%u,%u,%u]" : " op_sel:[%u,%u,0]", low, high,
                 c->high);
    else if (total == 8)
        text_add(tc, " op_sel:[0,0,%u,%u]", low, high);
    else
        text_add(tc, c->two ? " op_sel:[0,0,0,%u]" : " op_sel:[0,0,%u]", low);
}

static const char *name_of(const char *form, const char *from, const char *to)
{
    static char names[128][48]; /* live as long as the program */
    static unsigned used;
    char *name = names[used++ % 128];
    snprintf(name, sizeof names[0], "v_cvt_scalef32_%s%s_%s", form, to, from);
    return name;
}

static void make_format(struct suite *st, struct rng *r, enum format f, enum wide w)
{
    const bool six = formats[f].bits == 6, four = f == FP4;
    const unsigned count = six ? 32 : 2;
    const struct {
        const char *form;
        struct ccase what;
    } forms[] = {
        {six && w == F32 ? "2xpk16_"
         : six           ? "pk32_"
                         : "pk_",
         {f, w, count, .two = w == F32}},
        {six    ? "sr_pk32_"
         : four ? "sr_pk_"
                : "sr_",
         {f, w,
          six    ? 32
          : four ? 2
                 : 1,
          .random = true}},
        {six ? "pk32_" : "pk_", {f, w, count, .widen = true}},
        {"", {f, w, 1, .widen = true}},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const bool back = forms[i].what.widen;
        if (i == 3 && (six || four || w == BF16))
            continue; /* there is none */
        const char *name = back ? name_of(forms[i].form, format_name[f], wide_name[w])
                                : name_of(forms[i].form, wide_name[w], format_name[f]);
        for (unsigned k = 0; k < 4 && suite_wants(st, name); k++)
            make(st, r, name, forms[i].what);
    }
}

void gen_scaled(struct suite *st)
{
    struct rng r = {57721};
    for (unsigned f = 0; f < N_FORMATS && st->bit == A_950; f++)
        for (unsigned w = F32; w <= BF16; w++)
            make_format(st, &r, (enum format)f, (enum wide)w);
}
