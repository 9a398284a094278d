/*
 * valu_division.c - the helpers of IEEE division: v_div_scale, v_div_fmas, v_div_fixup. Semantics: MI200 ISA
 * chapter 12.
 *
 * Where we differ from the text, because the text cannot be what the hardware does (a compiled division must
 * be correctly rounded): v_div_fmas scales by 2^64 (f32) and 2^128 (f64), up or down by the size of the
 * quotient, to undo what v_div_scale did (MI200 has 2^32 and 2^64); and v_div_scale_f64 with a tiny
 * reciprocal and a tiny quotient scales the denominator down, not up beyond infinity.
 */
#include "valu_float.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;

static inline u32 exponent32(u32 a)
{
    return a >> 23 & 255;
}
static inline u32 exponent64(u64 a)
{
    return (u32)(a >> 52) & 2047;
}
static inline bool denormal32(float x)
{
    u32 m = sg_u32(x) & 0x7fffffff;
    return m && m < 0x00800000;
}
static inline bool denormal64(double x)
{
    u64 m = sg_u64(x) & 0x7fffffffffffffff;
    return m && m < 1ull << 52;
}

/* ---- v_div_scale: the result, and in the lowest bit of *scaled the lane's bit for v_div_fmas. a is the one
 * to scale, b the denominator, c the numerator. Written as selections, the last that holds wins, so that the
 * lane loop becomes vector code. ---- */
static inline u32 div_scale_f32(u32 a, u32 b, u32 c, u32 *scaled)
{
    const float s0 = sg_f32(a), s1 = sg_f32(b), s2 = sg_f32(c);
    const u32 up = sg_u32(s0 * 0x1p64f), down = sg_u32(s0 * 0x1p-64f);
    const bool is_denominator = s0 == s1, is_numerator = s0 == s2;
    const bool tiny_reciprocal = denormal32(1.0f / s1), tiny_quotient = denormal32(s2 / s1);
    const bool huge_quotient = (i32)exponent32(c) - (i32)exponent32(b) >= 96,
               tiny_denominator = denormal32(s1);
    u32 r = exponent32(c) <= 23 ? up : a;
    u32 bit = tiny_quotient ? ~0u : 0;
    r = tiny_quotient ? (is_numerator ? up : a) : r;
    r = tiny_reciprocal ? down : r;
    r = (tiny_reciprocal & tiny_quotient) ? (is_denominator ? down : a) : r;
    r = tiny_denominator ? up : r;
    bit = tiny_denominator ? 0 : bit;
    r = huge_quotient ? (is_denominator ? up : a) : r;
    bit = huge_quotient ? ~0u : bit;
    const bool zero = (s1 == 0.0f) | (s2 == 0.0f);
    *scaled = zero ? 0 : bit;
    return zero ? 0x7fc00000 : r;
}

static inline u64 div_scale_f64(u64 a, u64 b, u64 c, u32 *scaled)
{
    const double s0 = sg_f64(a), s1 = sg_f64(b), s2 = sg_f64(c);
    const u64 up = sg_u64(s0 * 0x1p128), down = sg_u64(s0 * 0x1p-128);
    const bool is_denominator = s0 == s1, is_numerator = s0 == s2;
    const bool tiny_reciprocal = denormal64(1.0 / s1), tiny_quotient = denormal64(s2 / s1);
    const bool huge_quotient = (i32)exponent64(c) - (i32)exponent64(b) >= 768,
               tiny_denominator = denormal64(s1);
    u64 r = exponent64(c) <= 53 ? up : a;
    u64 bit = tiny_quotient ? ~0ull : 0;
    r = tiny_quotient ? (is_numerator ? up : a) : r;
    r = tiny_reciprocal ? down : r;
    r = (tiny_reciprocal & tiny_quotient) ? (is_denominator ? down : a) : r;
    r = tiny_denominator ? up : r;
    bit = tiny_denominator ? 0 : bit;
    r = huge_quotient ? (is_denominator ? up : a) : r;
    bit = huge_quotient ? ~0ull : bit;
    const bool zero = (s1 == 0.0) | (s2 == 0.0);
    *scaled = (u32)(zero ? 0 : bit);
    return zero ? 0x7ff8000000000000 : r;
}

/* imm: the place of the mask. */
static int div_scale_f32_rows(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *a = v[u->a], *b = v[u->b], *c = v[u->c], *m = w->xm;
    _Alignas(64) u32 scaled[SG_MAX_LANES];
    SG_EACH_LANE
    d[i] = sg_blend(m[i], div_scale_f32(a[i], b[i], c[i], &scaled[i]), d[i]);
    sg_set_mask(s, (uint32_t)u->imm, sg_top_bits(scaled, SG_MAX_LANES) & w->exec);
    SG_NEXT();
}

static int div_scale_f64_rows(SG_ARGS)
{
    SG_LOAD_V64(a)
    SG_LOAD_V64(b)
    SG_LOAD_V64(c)
    SG_DST_64 const uint32_t *m = w->xm;
    _Alignas(64) u32 scaled[SG_MAX_LANES];
    SG_EACH_LANE
    SG_MASKED_PUT_64(div_scale_f64(SG_AT_V64(a), SG_AT_V64(b), SG_AT_V64(c), &scaled[i]));
    sg_set_mask(s, (uint32_t)u->imm, sg_top_bits(scaled, SG_MAX_LANES) & w->exec);
    SG_NEXT();
}

/* ---- v_div_fmas: fma, then the scale undone in lanes with a VCC bit. A result that becomes denormal is
 * rounded once, from the exact sum: two roundings would make some denormal quotients wrong. ---- */
static u32 scaled_fma_f32(u32 a, u32 b, u32 c)
{
    const float scale = exponent32(c) > 127 ? 0x1p64f : 0x1p-64f;
    const float r = __builtin_fmaf(sg_f32(a), sg_f32(b), sg_f32(c)) * scale;
    if (!(__builtin_fabsf(r) <= 0x1p-126f))
        return sg_u32(r);
    return sg_u32((float)(((__float128)sg_f32(a) * sg_f32(b) + sg_f32(c)) * scale));
}
static u64 scaled_fma_f64(u64 a, u64 b, u64 c)
{
    const double scale = exponent64(c) > 1023 ? 0x1p128 : 0x1p-128;
    const double r = __builtin_fma(sg_f64(a), sg_f64(b), sg_f64(c)) * scale;
    if (!(__builtin_fabs(r) <= 0x1p-1022))
        return sg_u64(r);
    return sg_u64((double)(((__float128)sg_f64(a) * sg_f64(b) + sg_f64(c)) * scale));
}

static int div_fmas_f32_rows(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *a = v[u->a], *b = v[u->b], *c = v[u->c], *m = w->xm;
    const u64 vcc = sg_s64(s, SG_S_VCC) & w->exec;
    const unsigned csr_ = sg_fp32_begin(w->mode);
    for (unsigned i = 0; vcc && i < SG_MAX_LANES; i++) {
        if (vcc >> i & 1)
            d[i] = scaled_fma_f32(a[i], b[i], c[i]);
    }
    _Alignas(64) uint32_t plain[SG_MAX_LANES];
    sg_spread_bits(~vcc, plain, SG_MAX_LANES);
    SG_EACH_LANE
    {
        u32 r = sg_u32(__builtin_fmaf(sg_f32(a[i]), sg_f32(b[i]), sg_f32(c[i])));
        d[i] = sg_blend(m[i] & plain[i], r, d[i]);
    }
    SG_FP_32_END
    SG_NEXT();
}

static int div_fmas_f64_rows(SG_ARGS)
{
    SG_LOAD_V64(a)
    SG_LOAD_V64(b)
    SG_LOAD_V64(c)
    SG_DST_64 const u64 vcc = sg_s64(s, SG_S_VCC) & w->exec;
    const unsigned csr_ = sg_fp64_begin(w->mode);
    _Alignas(64) uint32_t m[SG_MAX_LANES];
    _Alignas(64) u64 scaled[SG_MAX_LANES];
    for (unsigned i = 0; vcc && i < SG_MAX_LANES; i++)
        if (vcc >> i & 1)
            scaled[i] = scaled_fma_f64(SG_AT_V64(a), SG_AT_V64(b), SG_AT_V64(c));
    sg_spread_bits(w->exec & ~vcc, m, SG_MAX_LANES);
    SG_EACH_LANE
    SG_MASKED_PUT_64(sg_u64(__builtin_fma(sg_f64(SG_AT_V64(a)), sg_f64(SG_AT_V64(b)), sg_f64(SG_AT_V64(c)))));
    for (unsigned i = 0; vcc && i < SG_MAX_LANES; i++)
        if (vcc >> i & 1)
            SG_PUT_64(scaled[i]);
    SG_FP_64_END
    SG_NEXT();
}

/* ---- v_div_fixup: a is the quotient found, b the denominator, c the numerator. ---- */
static inline u32 op_div_fixup_f32(u32 a, u32 b, u32 c)
{
    const u32 sign = (b ^ c) & 0x80000000, mb = b & 0x7fffffff, mc = c & 0x7fffffff, inf = 0x7f800000;
    u32 r = exponent32(a) == 255 ? inf : a & 0x7fffffff;
    r = (i32)exponent32(c) - (i32)exponent32(b) < -150 ? 0 : r;
    r = mb == inf || mc == 0 ? 0 : r;
    r = mb == 0 || mc == inf ? inf : r;
    r |= sign;
    r = (mb == 0 && mc == 0) || (mb == inf && mc == inf) ? 0xffc00000 : r;
    r = sg_nan32(b) ? b | 0x00400000 : r;
    return sg_nan32(c) ? c | 0x00400000 : r;
}
static inline u64 op_div_fixup_f64(u64 a, u64 b, u64 c)
{
    const u64 top = 1ull << 63, sign = (b ^ c) & top, mb = b & ~top, mc = c & ~top, inf = 0x7ffull << 52;
    u64 r = exponent64(a) == 2047 ? inf : a & ~top;
    r = (i32)exponent64(c) - (i32)exponent64(b) < -1075 ? 0 : r;
    r = mb == inf || mc == 0 ? 0 : r;
    r = mb == 0 || mc == inf ? inf : r;
    r |= sign;
    r = (mb == 0 && mc == 0) || (mb == inf && mc == inf) ? 0xfff8000000000000 : r;
    r = sg_nan64(b) ? b | 1ull << 51 : r;
    return sg_nan64(c) ? c | 1ull << 51 : r;
}
static inline u32 op_div_fixup_f16(u32 a, u32 b, u32 c)
{
    const u32 sign = (b ^ c) & 0x8000, mb = b & 0x7fff, mc = c & 0x7fff, inf = 0x7c00;
    u32 r = a & 0x7fff;
    r = mb == inf || mc == 0 ? 0 : r;
    r = mb == 0 || mc == inf ? inf : r;
    r |= sign;
    r = (mb == 0 && mc == 0) || (mb == inf && mc == inf) ? 0xfe00 : r;
    r = sg_nan16(b) ? (b | 0x0200) & 0xffff : r;
    return sg_nan16(c) ? (c | 0x0200) & 0xffff : r;
}
SG_FAMILY3(div_fixup_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(div_fixup_f64, 64, 64, 64, 64, NONE)
SG_FAMILY3(div_fixup_f16, 32, 32, 32, 32, NONE)

static const sg_fn div_fmas_f32_fns[8] = {div_fmas_f32_rows}, div_fmas_f64_fns[8] = {div_fmas_f64_rows};

static bool build_div_scale(struct sg_builder *b, const struct gcn_inst *in, const struct sg_valu_op *op)
{
    unsigned row[3];
    for (unsigned k = 0; k < 3; k++)
        row[k] = sg_valu_source_row(b, in, k, op->dst);
    const unsigned d = sg_row(&in->dst);
    sg_emit(b, op->dst == SG_T_F64 ? div_scale_f64_rows : div_scale_f32_rows, d, row[0], row[1], row[2])
        ->imm = (int32_t)sg_mask_place(b, in->sdst.index);
    if (sg_valu_is_exec(&in->sdst))
        sg_emit_exec_refresh(b);
    sg_valu_finish(b, in, op->dst, d);
    return true;
}

#define OP3(NAME, T, FNS, FLAGS)                                                                             \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_##T,                                                                                        \
     .src = {SG_T_##T, SG_T_##T, SG_T_##T},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .flags = FLAGS}

const struct sg_valu_op sg_valu_division_ops[] = {
    {.op = GCN_OP_V_DIV_SCALE_F32, .dst = SG_T_F32, .build = build_div_scale},
    {.op = GCN_OP_V_DIV_SCALE_F64, .dst = SG_T_F64, .build = build_div_scale},
    OP3(DIV_FMAS_F32, F32, div_fmas_f32, 0),
    OP3(DIV_FMAS_F64, F64, div_fmas_f64, 0),
    OP3(DIV_FIXUP_F32, F32, div_fixup_f32, 0),
    OP3(DIV_FIXUP_F64, F64, div_fixup_f64, 0),
    OP3(DIV_FIXUP_F16, F16, div_fixup_f16, SG_VOP_KEEP_HIGH),
    OP3(DIV_FIXUP_LEGACY_F16, F16, div_fixup_f16, 0),
    {0},
};
