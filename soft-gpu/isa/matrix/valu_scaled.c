/*
 * valu_scaled.c - gfx950's v_cvt_scalef32_*: conversions between f32, f16, bf16 and the 8, 6 and 4-bit
 * formats with a block scale. Semantics: MI350 ISA chapter 12. The scale is the exponent of an f32: narrowing
 * divides by 2^(exponent - 127), widening multiplies. One table row describes each instruction, one handler
 * runs each direction, lane by lane.
 */
#include "valu_matrix.h"
#include "soft-gpu/isa/vector/valu_float.h"
#include "soft-gpu/isa/vector/valu_minifloat.h"

typedef uint32_t u32;

enum wide { F32, F16, BF16 };
enum {
    INTERLEAVED = 1, /* elements alternate between src0 and src1 */
    RANDOM = 2       /* src1 holds random bits, stepped by v_prng_b32 from one element to the next */
};

struct scaled {
    uint16_t op;
    const struct sg_minifloat *format;
    uint8_t wide, count, flags;
    bool widen;
};

#define NARROW(NAME, FORMAT, WIDE, COUNT, FLAGS)                                                             \
    {GCN_OP_V_CVT_SCALEF32_##NAME, &FORMAT, WIDE, COUNT, FLAGS, false}
#define WIDEN(NAME, FORMAT, WIDE, COUNT) {GCN_OP_V_CVT_SCALEF32_##NAME, &FORMAT, WIDE, COUNT, 0, true}
static const struct scaled conversions[] = {
    NARROW(PK_FP8_F32, sg_mini_fp8_ocp, F32, 2, INTERLEAVED),
    NARROW(PK_BF8_F32, sg_mini_bf8_ocp, F32, 2, INTERLEAVED),
    NARROW(PK_FP4_F32, sg_mini_fp4, F32, 2, INTERLEAVED),
    NARROW(SR_FP8_F32, sg_mini_fp8_ocp, F32, 1, RANDOM),
    NARROW(SR_BF8_F32, sg_mini_bf8_ocp, F32, 1, RANDOM),
    NARROW(SR_PK_FP4_F32, sg_mini_fp4, F32, 2, RANDOM),
    NARROW(PK_FP8_F16, sg_mini_fp8_ocp, F16, 2, 0),
    NARROW(PK_BF8_F16, sg_mini_bf8_ocp, F16, 2, 0),
    NARROW(PK_FP4_F16, sg_mini_fp4, F16, 2, 0),
    NARROW(SR_FP8_F16, sg_mini_fp8_ocp, F16, 1, RANDOM),
    NARROW(SR_BF8_F16, sg_mini_bf8_ocp, F16, 1, RANDOM),
    NARROW(SR_PK_FP4_F16, sg_mini_fp4, F16, 2, RANDOM),
    NARROW(PK_FP8_BF16, sg_mini_fp8_ocp, BF16, 2, 0),
    NARROW(PK_BF8_BF16, sg_mini_bf8_ocp, BF16, 2, 0),
    NARROW(PK_FP4_BF16, sg_mini_fp4, BF16, 2, 0),
    NARROW(SR_FP8_BF16, sg_mini_fp8_ocp, BF16, 1, RANDOM),
    NARROW(SR_BF8_BF16, sg_mini_bf8_ocp, BF16, 1, RANDOM),
    NARROW(SR_PK_FP4_BF16, sg_mini_fp4, BF16, 2, RANDOM),
    NARROW(2XPK16_FP6_F32, sg_mini_fp6, F32, 32, INTERLEAVED),
    NARROW(2XPK16_BF6_F32, sg_mini_bf6, F32, 32, INTERLEAVED),
    NARROW(SR_PK32_FP6_F32, sg_mini_fp6, F32, 32, RANDOM),
    NARROW(SR_PK32_BF6_F32, sg_mini_bf6, F32, 32, RANDOM),
    NARROW(PK32_FP6_F16, sg_mini_fp6, F16, 32, 0),
    NARROW(PK32_BF6_F16, sg_mini_bf6, F16, 32, 0),
    NARROW(PK32_FP6_BF16, sg_mini_fp6, BF16, 32, 0),
    NARROW(PK32_BF6_BF16, sg_mini_bf6, BF16, 32, 0),
    NARROW(SR_PK32_FP6_F16, sg_mini_fp6, F16, 32, RANDOM),
    NARROW(SR_PK32_BF6_F16, sg_mini_bf6, F16, 32, RANDOM),
    NARROW(SR_PK32_FP6_BF16, sg_mini_fp6, BF16, 32, RANDOM),
    NARROW(SR_PK32_BF6_BF16, sg_mini_bf6, BF16, 32, RANDOM),
    WIDEN(F32_FP8, sg_mini_fp8_ocp, F32, 1),
    WIDEN(F32_BF8, sg_mini_bf8_ocp, F32, 1),
    WIDEN(F16_FP8, sg_mini_fp8_ocp, F16, 1),
    WIDEN(F16_BF8, sg_mini_bf8_ocp, F16, 1),
    WIDEN(PK_F32_FP8, sg_mini_fp8_ocp, F32, 2),
    WIDEN(PK_F32_BF8, sg_mini_bf8_ocp, F32, 2),
    WIDEN(PK_F32_FP4, sg_mini_fp4, F32, 2),
    WIDEN(PK_F16_FP8, sg_mini_fp8_ocp, F16, 2),
    WIDEN(PK_F16_BF8, sg_mini_bf8_ocp, F16, 2),
    WIDEN(PK_F16_FP4, sg_mini_fp4, F16, 2),
    WIDEN(PK_BF16_FP8, sg_mini_fp8_ocp, BF16, 2),
    WIDEN(PK_BF16_BF8, sg_mini_bf8_ocp, BF16, 2),
    WIDEN(PK_BF16_FP4, sg_mini_fp4, BF16, 2),
    WIDEN(PK32_F32_FP6, sg_mini_fp6, F32, 32),
    WIDEN(PK32_F32_BF6, sg_mini_bf6, F32, 32),
    WIDEN(PK32_F16_FP6, sg_mini_fp6, F16, 32),
    WIDEN(PK32_F16_BF6, sg_mini_bf6, F16, 32),
    WIDEN(PK32_BF16_FP6, sg_mini_fp6, BF16, 32),
    WIDEN(PK32_BF16_BF6, sg_mini_bf6, BF16, 32),
};
enum {
    N_CONVERSIONS = sizeof conversions / sizeof conversions[0],
    MAX_ELEMENTS = 32,
    MODE_FP16_OVFL = 1 << 23
};

/* 2^(exponent - 127); an exponent of all ones makes everything NaN. */
static double scale_of(u32 bits)
{
    const u32 exponent = bits >> 23 & 255;
    return exponent == 255 ? __builtin_nan("") : sg_mini_power((int)exponent - 127);
}

static u32 bf16_nearest(float f)
{
    const u32 a = sg_u32(f);
    return sg_nan32(a) ? a >> 16 | 0x40 : (a + 0x7fff + (a >> 16 & 1)) >> 16;
}

static double wide_element(const struct scaled *c, sg_rows v, unsigned a, unsigned b, unsigned lane,
                           unsigned t)
{
    if (c->wide == F32)
        return c->flags & INTERLEAVED ? sg_f32(v[(t & 1 ? b : a) + t / 2][lane]) : sg_f32(v[a + t][lane]);
    const u32 half = v[a + t / 2][lane] >> 16 * (t & 1) & 0xffff;
    return c->wide == F16 ? sg_f32_of_f16(half) : sg_f32_of_bf16(half);
}

/* d, a, b, c: rows of the result, of both sources, of the scale. imm: the conversion. x: first bit of the
 * result in its row, when it is smaller than one. */
static int narrow(SG_ARGS)
{
    const struct scaled *c = &conversions[u->imm];
    (void)s;
    const unsigned bits = c->format->bits, total = bits * c->count;
    const bool saturate = w->mode & MODE_FP16_OVFL;
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        if (!(w->exec >> lane & 1))
            continue;
        u32 out[6] = {0}, random = v[u->b][lane];
        const double scale = scale_of(v[u->c][lane]);
        for (unsigned t = 0; t < c->count; t++) {
            /* Of the random word those bits count that meet the mantissa bits cut from an f32. */
            const double fraction = c->flags & RANDOM ? (random >> (9 + c->format->mantissa)) *
                                                            sg_mini_power(c->format->mantissa - 23)
                                                      : -1.0;
            const u32 code = sg_mini_encode(c->format, wide_element(c, v, u->a, u->b, lane, t) / scale,
                                            fraction, saturate);
            const unsigned at = t * bits;
            out[at / 32] |= code << at % 32;
            if (at % 32 + bits > 32)
                out[at / 32 + 1] |= code >> (32 - at % 32);
            random = random << 1 ^ (random >> 31 ? 197u : 0u);
        }
        if (total < 32) {
            const u32 mask = ((1u << total) - 1) << u->x;
            v[u->d][lane] = sg_blend(mask, out[0] << u->x, v[u->d][lane]);
        } else {
            for (unsigned r = 0; r < total / 32; r++)
                v[u->d + r][lane] = out[r];
        }
    }
    SG_NEXT();
}

/* x: first bit of the source in its row. flags: first bit of a single f16 result, whose other half stays. */
static int widen(SG_ARGS)
{
    const struct scaled *c = &conversions[u->imm];
    (void)s;
    const unsigned bits = c->format->bits;
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        if (!(w->exec >> lane & 1))
            continue;
        u32 out[MAX_ELEMENTS] = {0};
        const double scale = scale_of(v[u->c][lane]);
        for (unsigned t = 0; t < c->count; t++) {
            const unsigned at = u->x + t * bits;
            u32 code = v[u->a + at / 32][lane] >> at % 32;
            if (at % 32 + bits > 32)
                code |= v[u->a + at / 32 + 1][lane] << (32 - at % 32);
            const float value = (float)((double)sg_mini_decode(c->format, code & ((1u << bits) - 1)) * scale);
            if (c->wide == F32)
                out[t] = sg_u32(value);
            else
                out[t / 2] |= (c->wide == F16 ? sg_f16_of_f32(value) : bf16_nearest(value)) << 16 * (t & 1);
        }
        if (c->wide != F32 && c->count == 1) {
            v[u->d][lane] = sg_blend(0xffffu << u->flags, out[0] << u->flags, v[u->d][lane]);
            continue;
        }
        for (unsigned r = 0; r < (c->wide == F32 ? c->count : c->count / 2u); r++)
            v[u->d + r][lane] = out[r];
    }
    SG_NEXT();
}

/* First row of source k; one of several registers must be a row as it is. */
static unsigned source_row(struct sg_builder *b, const struct gcn_inst *in, unsigned k, enum sg_vtype type)
{
    if (in->src[k].dwords > 1)
        return sg_row(&in->src[k]);
    return sg_valu_source_row(b, in, k, type);
}

static bool build_scaled(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    const struct scaled *c = &conversions[op->aux];
    const bool two = c->flags != 0; /* src1 is data or random bits, the scale is src2 */
    for (unsigned k = 0; k < (two ? 3u : 2u); k++)
        if (in->src[k].dwords > 1 && !sg_valu_is_row(&in->src[k]))
            return false;
    struct gcn_inst plain = *in;
    plain.op_sel = 0;
    const bool float_source = !c->widen && c->wide == F32;
    unsigned a = source_row(b, &plain, 0, float_source ? SG_T_F32 : SG_T_B32);
    unsigned second =
        two ? source_row(b, &plain, 1, float_source && (c->flags & INTERLEAVED) ? SG_T_F32 : SG_T_B32) : a;
    unsigned scale = source_row(b, &plain, two ? 2 : 1, SG_T_F32);
    struct sg_uop *u = sg_emit(b, c->widen ? widen : narrow, sg_row(&in->dst), a, second, scale);
    u->imm = op->aux;
    const unsigned total = c->format->bits * c->count;
    const unsigned select = c->widen ? in->op_sel & 3u : in->op_sel >> 2 & 3u;
    if (total == 8)
        u->x = 8 * select;
    else if (total == 16)
        u->x = c->widen ? 16 * (select & 1) : 16 * (select >> 1);
    u->flags = c->widen && (in->op_sel & 8) ? 16 : 0;
    return true;
}

bool sg_build_scaled(struct sg_builder *b, const struct gcn_inst *in)
{
    unsigned i = 0;
    while (i < N_CONVERSIONS && conversions[i].op != in->op)
        i++;
    if (i == N_CONVERSIONS)
        return false;
    const struct sg_valu_op op = {.op = in->op, .aux = (uint8_t)i, .build = build_scaled};
    return sg_valu_build(b, in, &op);
}
