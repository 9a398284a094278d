/*
 * valu_float16.c - f16 arithmetic. A value is the low half of a word; results have a zero upper half, the
 * gfx9 op_sel forms (KEEP_HIGH) write one half. Semantics: MI200 ISA chapter 12.
 *
 * Computed in f32: 24 bits are enough for one operation of 11-bit operands to round twice without harm
 * (24 >= 2*11 + 2); fma goes through sg_fma16_sum.
 */
#include "valu_float.h"

typedef uint32_t u32;

#define op_add_f16(a, b) SG_F16_OUT(SG_F16_IN(a) + SG_F16_IN(b))
#define op_sub_f16(a, b) SG_F16_OUT(SG_F16_IN(a) - SG_F16_IN(b))
#define op_subrev_f16(a, b) SG_F16_OUT(SG_F16_IN(b) - SG_F16_IN(a))
#define op_mul_f16(a, b) SG_F16_OUT(SG_F16_IN(a) * SG_F16_IN(b))
#define op_fma_f16(a, b, c) SG_F16_OUT(sg_fma16_sum(SG_F16_IN(a), SG_F16_IN(b), SG_F16_IN(c)))
SG_FAMILY2(add_f16, 32, 32, 32, 16)
SG_FAMILY2(sub_f16, 32, 32, 32, 16)
SG_FAMILY2(subrev_f16, 32, 32, 32, 16)
SG_FAMILY2(mul_f16, 32, 32, 32, 16)
SG_FAMILY3(fma_f16, 32, 32, 32, 32, 16)

/* Multiply-add of old: rounds twice and flushes denormals whatever MODE says. */
static inline float flushed(u32 bits)
{
    return sg_f32_of_f16(sg_flush16(bits, 0x3ff));
}
static inline u32 op_mad_f16(u32 a, u32 b, u32 c)
{
    u32 product = sg_f16_of_f32(flushed(a) * flushed(b));
    return sg_flush16(sg_f16_of_f32(flushed(product) + flushed(c)), 0x3ff);
}
SG_FAMILY3(mad_f16, 32, 32, 32, 32, 16)

#define IEEE (mode & SG_MODE_IEEE)
#define op_min_f16(a, b) sg_min16(a, b, IEEE)
#define op_max_f16(a, b) sg_max16(a, b, IEEE)
#define op_min3_f16(a, b, c) sg_min16(sg_min16(a, b, IEEE), c, IEEE)
#define op_max3_f16(a, b, c) sg_max16(sg_max16(a, b, IEEE), c, IEEE)
#define op_med3_f16(a, b, c) sg_med16(a, b, c, IEEE)
#define op_minmax_f16(a, b, c) sg_max16(sg_min16(a, b, IEEE), c, IEEE)
#define op_maxmin_f16(a, b, c) sg_min16(sg_max16(a, b, IEEE), c, IEEE)
SG_FAMILY3(minmax_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(maxmin_f16, 32, 32, 32, 32, NONE)
SG_FAMILY2(min_f16, 32, 32, 32, NONE)
SG_FAMILY2(max_f16, 32, 32, 32, NONE)
SG_FAMILY3(min3_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_f16, 32, 32, 32, 32, NONE)

#define op_trunc_f16(a) SG_F16_OUT(__builtin_truncf(SG_F16_IN(a)))
#define op_ceil_f16(a) SG_F16_OUT(__builtin_ceilf(SG_F16_IN(a)))
#define op_floor_f16(a) SG_F16_OUT(__builtin_floorf(SG_F16_IN(a)))
#define op_rndne_f16(a) SG_F16_OUT(__builtin_roundevenf(SG_F16_IN(a)))
/* Below 1 by definition: 0x3bff is the largest f16 under 1. */
static inline u32 fract_f16(float x)
{
    u32 r = sg_f16_of_f32(x - __builtin_floorf(x));
    return r == 0x3c00 ? 0x3bff : r;
}
#define op_fract_f16(a) sg_flush16(fract_f16(SG_F16_IN(a)), flush_out)
SG_FAMILY1(trunc_f16, 32, 32, 16)
SG_FAMILY1(ceil_f16, 32, 32, 16)
SG_FAMILY1(floor_f16, 32, 32, 16)
SG_FAMILY1(rndne_f16, 32, 32, 16)
SG_FAMILY1(fract_f16, 32, 32, 16)

#define HALF1(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_F16, .src = {SG_T_F16}, .fns = FNS##_fns}
#define HALF2(NAME, FNS)                                                                                     \
    {.op = GCN_OP_V_##NAME, .dst = SG_T_F16, .src = {SG_T_F16, SG_T_F16}, .fns = FNS##_fns}
#define HALF3(NAME, FNS, FLAGS)                                                                              \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_F16,                                                                                        \
     .src = {SG_T_F16, SG_T_F16, SG_T_F16},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .flags = FLAGS}

const struct sg_valu_op sg_valu_float16_ops[] = {
    HALF2(ADD_F16, add_f16),
    HALF2(SUB_F16, sub_f16),
    HALF2(SUBREV_F16, subrev_f16),
    HALF2(MUL_F16, mul_f16),
    HALF2(MIN_F16, min_f16),
    HALF2(MAX_F16, max_f16),
    HALF3(FMA_F16, fma_f16, SG_VOP_KEEP_HIGH),
    HALF3(FMA_LEGACY_F16, fma_f16, 0),
    HALF3(FMAC_F16, fma_f16, 0),
    HALF3(FMAMK_F16, fma_f16, 0),
    HALF3(FMAAK_F16, fma_f16, 0),
    HALF3(MAD_F16, mad_f16, SG_VOP_KEEP_HIGH),
    HALF3(MAD_LEGACY_F16, mad_f16, 0),
    HALF3(MAC_F16, mad_f16, 0),
    HALF3(MADMK_F16, mad_f16, 0),
    HALF3(MADAK_F16, mad_f16, 0),
    HALF3(MIN3_F16, min3_f16, SG_VOP_KEEP_HIGH),
    HALF3(MAX3_F16, max3_f16, SG_VOP_KEEP_HIGH),
    HALF3(MED3_F16, med3_f16, SG_VOP_KEEP_HIGH),
    HALF3(MINMAX_F16, minmax_f16, SG_VOP_KEEP_HIGH),
    HALF3(MAXMIN_F16, maxmin_f16, SG_VOP_KEEP_HIGH),
    HALF1(TRUNC_F16, trunc_f16),
    HALF1(CEIL_F16, ceil_f16),
    HALF1(FLOOR_F16, floor_f16),
    HALF1(RNDNE_F16, rndne_f16),
    HALF1(FRACT_F16, fract_f16),
    {0},
};
