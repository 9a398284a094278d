/*
 * gen_blocks.c - gfx950's v_mfma_f32_*_f8f6f4 and v_mfma_scale_*: operands of fp8, bf8, fp6, bf6, fp4 in any
 * mixture, and a scale 2^(byte - 127) for each 32 consecutive k of a row of A or column of B.
 *
 * Layout: every lane holds 32 elements. fp4: lane M*(k/32) + i holds the 32 consecutive ones. Wider formats:
 * two runs of 16, k and k + K/2 ("Matrix Core Programming on AMD CDNA3 and CDNA4 architecture", figures 9 and
 * 10; Triton's layout of mxfp operands). The scale of block k/32 comes from lane M*(k/32) + i in either case
 * (the same sources), its byte from OP_SEL and OP_SEL_HI.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "ref_num.h"
#include "ref_valu.h"

enum format { FP8, BF8, FP6, BF6, FP4, N_FORMATS };
static const unsigned bits_of[N_FORMATS] = {8, 8, 6, 6, 4};

struct bcase {
    unsigned m, k; /* n = m */
    unsigned format[2];
    unsigned d, a[2], c; /* rows; a: A and B */
    bool scaled;
    unsigned scale[2], byte[2]; /* row, which byte */
};

/* Sign, exponent, mantissa; no infinity and no NaN (OCP Microscaling Formats, section 5.3). */
static double small(unsigned code, unsigned exponent_bits, unsigned mantissa_bits)
{
    const unsigned mantissa = code & ((1u << mantissa_bits) - 1);
    const unsigned exponent = code >> mantissa_bits & ((1u << exponent_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double f = ldexp(mantissa, -(int)mantissa_bits);
    const double v = exponent ? ldexp(1 + f, (int)exponent - bias) : ldexp(f, 1 - bias);
    return code >> (exponent_bits + mantissa_bits) & 1 ? -v : v;
}

static double value(unsigned format, unsigned code)
{
    switch (format) {
    case FP6:
        return small(code, 2, 3);
    case BF6:
        return small(code, 3, 2);
    case FP4:
        return small(code, 2, 1);
    default:
        return ref_fp8_value(code, format == BF8, true);
    }
}

/* Row i of A or column i of B at k, with its scale. */
static double operand(const struct bcase *c, const struct sg_wave_image *w, unsigned which, unsigned i,
                      unsigned k)
{
    const unsigned format = c->format[which], bits = bits_of[format], half = c->k / 2;
    unsigned lane = c->m * (k / 32) + i, t = k % 32;
    if (format != FP4) {
        lane = c->m * (k % half / 16) + i;
        t = 16 * (k / half) + k % 16;
    }
    const unsigned at = t * bits, row = c->a[which] + at / 32;
    uint64_t both = w->v[row][lane];
    if (at % 32 + bits > 32)
        both |= (uint64_t)w->v[row + 1][lane] << 32;
    const double v = value(format, (unsigned)(both >> at % 32) & ((1u << bits) - 1));
    if (!c->scaled)
        return v;
    return ldexp(v, (int)(w->v[c->scale[which]][c->m * (k / 32) + i] >> 8 * c->byte[which] & 255) - 127);
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct bcase *c = tc->data;
    const unsigned m = c->m, q = 64 / m;
    memcpy(&before, e->w, sizeof before);
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < m; j++) {
            const unsigned reg = 4 * (i / (4 * q)) + i % 4, lane = m * (i / 4 % q) + j;
            const double start = (double)f32_of(before.v[c->c + reg][lane]);
            double sum = start, largest = fabs(start);
            for (unsigned k = 0; k < c->k; k++) {
                const double p = operand(c, &before, 0, i, k) * operand(c, &before, 1, j, k);
                sum += p;
                largest = fmax(largest, fabs(p));
            }
            struct note *n = expect_note(e);
            *n = (struct note){
                .row = (uint16_t)(c->d + reg), .lane = (uint8_t)lane, .dwords = 1, .type = T_F32};
            n->abs = largest * (c->k + 2) * 0x1p-22;
            e->w->v[c->d + reg][lane] = bits_of_f32((float)sum);
        }
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct bcase *c = tc->data;
    (void)mem;
    for (unsigned lane = 0; lane < 64; lane++) {
        for (unsigned which = 0; which < 2; which++) {
            for (unsigned i = 0; i < bits_of[c->format[which]]; i++) {
                uint32_t x = (uint32_t)rng64(r);
                if (bits_of[c->format[which]] == 8) /* neither infinity nor NaN */
                    x &= 0xbfbfbfbf;
                w->v[c->a[which] + i][lane] = x;
            }
            uint32_t scales = 0;
            for (unsigned b = 0; b < 32; b += 8)
                scales |= (120 + rng_below(r, 16)) << b;
            w->v[c->scale[which]][lane] = scales;
        }
        for (unsigned i = 0; i < c->m * c->m / 64; i++)
            w->v[c->c + i][lane] = bits_of_f32((float)((int)rng_below(r, 4001) - 2000) / 8);
    }
}

static void make(struct suite *st, struct rng *r, const char *name, unsigned m, bool scaled,
                 unsigned format_a, unsigned format_b)
{
    struct tcase *tc = suite_add(st, name, sizeof(struct bcase));
    struct bcase *c = tc->data;
    const unsigned file = rng_below(r, 2) ? 256 : 0, n = m * m / 64;
    tc->fill = fill;
    tc->ref = run_reference;
    tc->rounds = 2;
    *c = (struct bcase){.m = m,
                        .k = 2048 / m,
                        .format = {format_a, format_b},
                        .d = file + 64,
                        .a = {(rng_below(r, 2) ? 256 : 0) + 8, (rng_below(r, 2) ? 256 : 0) + 32},
                        .c = rng_below(r, 2) ? file + 64 : file + 128,
                        .scaled = scaled,
                        .scale = {20, 22},
                        .byte = {rng_below(r, 4), rng_below(r, 4)}};
    text_add(tc, "%s ", name);
    text_rows(tc, c->d, n);
    for (unsigned which = 0; which < 2; which++) {
        text_add(tc, ", ");
        text_rows(tc, c->a[which], bits_of[c->format[which]]);
    }
    text_add(tc, ", ");
    text_rows(tc, c->c, n);
    if (scaled)
        text_add(tc, ", v%u, v%u op_sel:[%u,%u,0] op_sel_hi:[%u,%u,0]", c->scale[0], c->scale[1],
                 c->byte[0] & 1, c->byte[1] & 1, c->byte[0] >> 1, c->byte[1] >> 1);
    text_add(tc, " cbsz:%u blgp:%u", format_a, format_b);
}

void gen_blocks(struct suite *st)
{
    static const struct {
        const char *name;
        unsigned m;
        bool scaled;
    } forms[] = {{"v_mfma_f32_16x16x128_f8f6f4", 16, false},
                 {"v_mfma_f32_32x32x64_f8f6f4", 32, false},
                 {"v_mfma_scale_f32_16x16x128_f8f6f4", 16, true},
                 {"v_mfma_scale_f32_32x32x64_f8f6f4", 32, true}};
    struct rng r = {16180};
    for (size_t i = 0; i < sizeof forms / sizeof *forms && st->bit == A_950; i++)
        for (unsigned a = 0; a < N_FORMATS; a++)
            for (unsigned b = 0; b < N_FORMATS; b++)
                if (suite_wants(st, forms[i].name))
                    make(st, &r, forms[i].name, forms[i].m, forms[i].scaled, a, b);
}
