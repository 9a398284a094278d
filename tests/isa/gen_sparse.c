/*
 * gen_sparse.c - v_smfmac_*: D += A * B, where of every four consecutive k of a row of A two are stored.
 *
 * Layout (AMD's matrix instruction calculator, CDNA3, --compression; CDNA4's larger shapes continue it): with
 * h stored elements per lane, lane M*g + i holds those of row i for k from 2*h*g on. Element number t belongs
 * to the four k from 4*(t/2) on; the two bits number 2*t of the lane's index say to which. The index is 2*h
 * bits; with CBSZ 0, ABID chooses the part of the index register. B and D as in dense products.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "ref_num.h"
#include "ref_valu.h"

enum element { EL_F16, EL_BF16, EL_I8, EL_FP8, EL_BF8 };

struct shape {
    const char *name;
    uint8_t arch;
    uint8_t m, k, a, b; /* n = m */
};
#define A94 (A_942 | A_950)
#define FP8_PAIRS(SHAPE, ARCH, M, K)                                                                         \
    {"v_smfmac_f32_" SHAPE "_bf8_bf8", ARCH, M, K, EL_BF8, EL_BF8},                                          \
        {"v_smfmac_f32_" SHAPE "_bf8_fp8", ARCH, M, K, EL_BF8, EL_FP8},                                      \
        {"v_smfmac_f32_" SHAPE "_fp8_bf8", ARCH, M, K, EL_FP8, EL_BF8},                                      \
    {                                                                                                        \
        "v_smfmac_f32_" SHAPE "_fp8_fp8", ARCH, M, K, EL_FP8, EL_FP8                                         \
    }
static const struct shape shapes[] = {
    {"v_smfmac_f32_16x16x32_f16", A94, 16, 32, EL_F16, EL_F16},
    {"v_smfmac_f32_32x32x16_f16", A94, 32, 16, EL_F16, EL_F16},
    {"v_smfmac_f32_16x16x32_bf16", A94, 16, 32, EL_BF16, EL_BF16},
    {"v_smfmac_f32_32x32x16_bf16", A94, 32, 16, EL_BF16, EL_BF16},
    {"v_smfmac_i32_16x16x64_i8", A94, 16, 64, EL_I8, EL_I8},
    {"v_smfmac_i32_32x32x32_i8", A94, 32, 32, EL_I8, EL_I8},
    FP8_PAIRS("16x16x64", A94, 16, 64),
    FP8_PAIRS("32x32x32", A94, 32, 32),
    {"v_smfmac_f32_16x16x64_f16", A_950, 16, 64, EL_F16, EL_F16},
    {"v_smfmac_f32_32x32x32_f16", A_950, 32, 32, EL_F16, EL_F16},
    {"v_smfmac_f32_16x16x64_bf16", A_950, 16, 64, EL_BF16, EL_BF16},
    {"v_smfmac_f32_32x32x32_bf16", A_950, 32, 32, EL_BF16, EL_BF16},
    {"v_smfmac_i32_16x16x128_i8", A_950, 16, 128, EL_I8, EL_I8},
    {"v_smfmac_i32_32x32x64_i8", A_950, 32, 64, EL_I8, EL_I8},
    FP8_PAIRS("16x16x128", A_950, 16, 128),
    FP8_PAIRS("32x32x64", A_950, 32, 64),
};

struct scase {
    const struct shape *s;
    bool ocp;
    unsigned d, a, b, index; /* rows */
    unsigned cbsz, abid;
};

static unsigned width_of(unsigned el)
{
    return el == EL_F16 || el == EL_BF16 ? 16 : 8;
}

/* Element `t` of a lane's registers from `row` on. */
static double element(const struct scase *c, const struct sg_wave_image *w, unsigned row, unsigned lane,
                      unsigned t, unsigned el)
{
    unsigned bits = width_of(el), at = t * bits;
    uint32_t v = w->v[row + at / 32][lane] >> at % 32 & (bits == 16 ? 0xffff : 0xff);
    switch (el) {
    case EL_F16:
        return f16_of(v);
    case EL_BF16:
        return bf16_of(v);
    case EL_I8:
        return (double)sext(v, 8);
    default:
        return ref_fp8_value(v, el == EL_BF8, c->ocp);
    }
}

static void one_result(const struct scase *c, const struct sg_wave_image *w, struct expect *e, unsigned i,
                       unsigned j)
{
    const struct shape *s = c->s;
    const unsigned m = s->m, h = m * s->k / 2 / 64, per_lane_b = 2 * h, q = 64 / m;
    const unsigned reg = 4 * (i / (4 * q)) + i % 4, lane = m * (i / 4 % q) + j;
    const unsigned set = c->cbsz ? 0 : c->abid % (32 / (2 * h)) * 2 * h;
    double sum = 0, largest = 0;
    for (unsigned g = 0; g < 64 / m; g++)
        for (unsigned t = 0; t < h; t++) {
            const unsigned place = w->v[c->index][m * g + i] >> (set + 2 * t) & 3;
            const unsigned k = 2 * h * g + 4 * (t / 2) + place;
            const double p = element(c, w, c->a, m * g + i, t, s->a) *
                             element(c, w, c->b, m * (k / per_lane_b) + j, k % per_lane_b, s->b);
            sum += p;
            largest = fmax(largest, fabs(p));
        }
    const uint32_t start = w->v[c->d + reg][lane];
    if (s->a == EL_I8) {
        e->w->v[c->d + reg][lane] = start + (uint32_t)(int32_t)sum;
        return;
    }
    struct note *n = expect_note(e);
    *n = (struct note){.row = (uint16_t)(c->d + reg), .lane = (uint8_t)lane, .dwords = 1, .type = T_F32};
    n->abs = fmax(largest, fabs((double)f32_of(start))) * (s->k + 2) * 0x1p-22;
    e->w->v[c->d + reg][lane] = bits_of_f32((float)(sum + (double)f32_of(start)));
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct scase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned i = 0; i < c->s->m; i++)
        for (unsigned j = 0; j < c->s->m; j++)
            one_result(c, &before, e, i, j);
}

static uint32_t random_dword(struct rng *r, unsigned el)
{
    uint32_t v = 0;
    if (el == EL_I8)
        return (uint32_t)rng64(r);
    for (unsigned at = 0; at < 32; at += width_of(el)) {
        const float f = (float)((int)rng_below(r, 4001) - 2000) / 64;
        v |= (el == EL_F16    ? (uint32_t)bits_of_f16((__float128)f)
              : el == EL_BF16 ? (uint32_t)bits_of_bf16((__float128)f)
                              : rng_below(r, 2) << 7 | (32 + rng_below(r, 60)))
             << at;
    }
    return v;
}

/* The hardware's contract: the two places of each pair ascend. */
static uint32_t random_index(struct rng *r)
{
    static const uint8_t pairs[6] = {0 | 1 << 2, 0 | 2 << 2, 0 | 3 << 2, 1 | 2 << 2, 1 | 3 << 2, 2 | 3 << 2};
    uint32_t v = 0;
    for (unsigned at = 0; at < 32; at += 4)
        v |= (uint32_t)pairs[rng_below(r, 6)] << at;
    return v;
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct scase *c = tc->data;
    const struct shape *s = c->s;
    (void)mem;
    const unsigned stored = s->m * s->k / 2 / 64, n_a = stored * width_of(s->a) / 32;
    for (unsigned lane = 0; lane < 64; lane++) {
        for (unsigned i = 0; i < n_a; i++)
            w->v[c->a + i][lane] = random_dword(r, s->a);
        for (unsigned i = 0; i < 2 * n_a; i++)
            w->v[c->b + i][lane] = random_dword(r, s->b);
        for (unsigned i = 0; i < s->m * s->m / 64u; i++)
            w->v[c->d + i][lane] =
                s->a == EL_I8 ? (uint32_t)rng64(r) : bits_of_f32((float)((int)rng_below(r, 4001) - 2000) / 8);
        w->v[c->index][lane] = random_index(r);
    }
}

static void make(struct suite *st, struct rng *r, const struct shape *s, unsigned k)
{
    struct tcase *tc = suite_add(st, s->name, sizeof(struct scase));
    struct scase *c = tc->data;
    const unsigned n_a = s->m * s->k / 2 / 64 * width_of(s->a) / 32;
    tc->fill = fill;
    tc->ref = run_reference;
    tc->rounds = 2;
    *c = (struct scase){.s = s,
                        .ocp = st->bit == A_950,
                        .d = (k & 1 ? 256 : 0) + 64,
                        .a = (rng_below(r, 2) ? 256 : 0) + 8,
                        .b = (rng_below(r, 2) ? 256 : 0) + 32,
                        .index = 20 + rng_below(r, 4),
                        .cbsz = k % 3 == 2,
                        .abid = rng_below(r, 4)};
    text_add(tc, "%s ", s->name);
    text_rows(tc, c->d, s->m * s->m / 64u);
    text_add(tc, ", ");
    text_rows(tc, c->a, n_a);
    text_add(tc, ", ");
    text_rows(tc, c->b, 2 * n_a);
    text_add(tc, ", ");
    text_add(tc, "v%u cbsz:%u abid:%u", c->index, c->cbsz, c->abid);
}

void gen_sparse(struct suite *st)
{
    struct rng r = {27182};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned k = 0; k < 6; k++)
            if (shapes[i].arch & st->bit && suite_wants(st, shapes[i].name))
                make(st, &r, &shapes[i], k);
}
