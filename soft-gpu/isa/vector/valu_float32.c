/*
 * valu_float32.c - f32 arithmetic, minimum and maximum, rounding, cube map helpers. Semantics: MI200 ISA
 * chapter
 * 12. The rounding and denormal fields of MODE map onto MXCSR, so one loop serves every mode.
 */
#include "valu_float.h"

typedef uint32_t u32;

#define op_add_f32(a, b) sg_u32(sg_f32(a) + sg_f32(b))
#define op_sub_f32(a, b) sg_u32(sg_f32(a) - sg_f32(b))
#define op_subrev_f32(a, b) sg_u32(sg_f32(b) - sg_f32(a))
#define op_mul_f32(a, b) sg_u32(sg_f32(a) * sg_f32(b))
#define op_min_f32(a, b) sg_min32(a, b, mode &SG_MODE_IEEE)
#define op_max_f32(a, b) sg_max32(a, b, mode &SG_MODE_IEEE)
SG_FAMILY2(add_f32, 32, 32, 32, 32)
SG_FAMILY2(sub_f32, 32, 32, 32, 32)
SG_FAMILY2(subrev_f32, 32, 32, 32, 32)
SG_FAMILY2(mul_f32, 32, 32, 32, 32)
SG_FAMILY2(min_f32, 32, 32, 32, NONE)
SG_FAMILY2(max_f32, 32, 32, 32, NONE)
SG_FAMILY2_MODIFIED(add_f32, 32, 32, 32, 32)
SG_FAMILY2_MODIFIED(mul_f32, 32, 32, 32, 32)

/* 0 * anything = +0, for shaders of old. */
static inline u32 op_mul_legacy_f32(u32 a, u32 b)
{
    float x = sg_f32(a), y = sg_f32(b);
    return x == 0.0f || y == 0.0f ? 0 : sg_u32(x * y);
}
SG_FAMILY2(mul_legacy_f32, 32, 32, 32, 32)

#define op_fma_f32(a, b, c) sg_u32(__builtin_fmaf(sg_f32(a), sg_f32(b), sg_f32(c)))
SG_FAMILY3_FAST(fma_f32, 32, 32, 32, 32, 32)
SG_FAMILY3_MODIFIED(fma_f32, 32, 32, 32, 32, 32)

/* With a factor of zero it is the addend ("RDNA3 Instruction Set Architecture", V_FMA_DX9_ZERO_F32). */
static inline u32 op_fma_legacy_f32(u32 a, u32 b, u32 c)
{
    float x = sg_f32(a), y = sg_f32(b);
    return x == 0.0f || y == 0.0f ? c : sg_u32(__builtin_fmaf(x, y, sg_f32(c)));
}
SG_FAMILY3(fma_legacy_f32, 32, 32, 32, 32, 32)

/* v_mad_f32 and kin round twice and flush denormals whatever MODE says. */
#define SG_FP_MAD_BEGIN const unsigned csr_ = sg_fp_enter(mode & 3, 0);
#define SG_FP_MAD_END sg_fp_leave(csr_);
#define op_mad_f32(a, b, c) sg_u32(sg_f32(a) * sg_f32(b) + sg_f32(c))
static inline u32 op_mad_legacy_f32(u32 a, u32 b, u32 c)
{
    float x = sg_f32(a), y = sg_f32(b);
    float product = x == 0.0f || y == 0.0f ? 0.0f : x * y;
    return sg_u32(product + sg_f32(c));
}
SG_FAMILY3_FAST(mad_f32, 32, 32, 32, 32, MAD)
SG_FAMILY3(mad_legacy_f32, 32, 32, 32, 32, MAD)

#define IEEE (mode & SG_MODE_IEEE)
#define op_min3_f32(a, b, c) sg_min32(sg_min32(a, b, IEEE), c, IEEE)
#define op_max3_f32(a, b, c) sg_max32(sg_max32(a, b, IEEE), c, IEEE)
#define op_med3_f32(a, b, c) sg_med32(a, b, c, IEEE)
#define op_minimum3_f32(a, b, c) sg_minimum32(sg_minimum32(a, b), c)
#define op_maximum3_f32(a, b, c) sg_maximum32(sg_maximum32(a, b), c)
#define op_minmax_f32(a, b, c) sg_max32(sg_min32(a, b, IEEE), c, IEEE)
#define op_maxmin_f32(a, b, c) sg_min32(sg_max32(a, b, IEEE), c, IEEE)
SG_FAMILY3(minmax_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(maxmin_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(min3_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(minimum3_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(maximum3_f32, 32, 32, 32, 32, NONE)

/* ---- Rounding to integers ---- */
#define op_trunc_f32(a) sg_u32(__builtin_truncf(sg_f32(a)))
#define op_ceil_f32(a) sg_u32(__builtin_ceilf(sg_f32(a)))
#define op_floor_f32(a) sg_u32(__builtin_floorf(sg_f32(a)))
#define op_rndne_f32(a) sg_u32(__builtin_roundevenf(sg_f32(a)))
/* x - floor(x), below 1 by definition: -1e-20 gives the largest float under 1 (LLVM folds it so). */
static inline u32 op_fract_f32(u32 a)
{
    float x = sg_f32(a), r = x - __builtin_floorf(x);
    return sg_u32(r >= 1.0f ? 0x1.fffffep-1f : r);
}
SG_FAMILY1(trunc_f32, 32, 32, 32)
SG_FAMILY1(ceil_f32, 32, 32, 32)
SG_FAMILY1(floor_f32, 32, 32, 32)
SG_FAMILY1(rndne_f32, 32, 32, 32)
SG_FAMILY1(fract_f32, 32, 32, 32)

/* ---- Cube maps: the face is the axis of largest magnitude, z before y before x. ---- */
static inline bool z_major(u32 a, u32 b, u32 c)
{
    float x = __builtin_fabsf(sg_f32(a)), y = __builtin_fabsf(sg_f32(b)), z = __builtin_fabsf(sg_f32(c));
    return z >= x && z >= y;
}
static inline bool y_major(u32 a, u32 b)
{
    return __builtin_fabsf(sg_f32(b)) >= __builtin_fabsf(sg_f32(a));
}
static inline u32 negated(u32 a)
{
    return a ^ 0x80000000;
}
static inline u32 op_cubeid_f32(u32 a, u32 b, u32 c)
{
    float id = z_major(a, b, c) ? (sg_f32(c) < 0.0f ? 5.0f : 4.0f)
               : y_major(a, b)  ? (sg_f32(b) < 0.0f ? 3.0f : 2.0f)
                                : (sg_f32(a) < 0.0f ? 1.0f : 0.0f);
    return sg_u32(id);
}
static inline u32 op_cubesc_f32(u32 a, u32 b, u32 c)
{
    return z_major(a, b, c)   ? (sg_f32(c) < 0.0f ? negated(a) : a)
           : y_major(a, b)    ? a
           : sg_f32(a) < 0.0f ? c
                              : negated(c);
}
static inline u32 op_cubetc_f32(u32 a, u32 b, u32 c)
{
    return !z_major(a, b, c) && y_major(a, b) ? (sg_f32(b) < 0.0f ? negated(c) : c) : negated(b);
}
static inline u32 op_cubema_f32(u32 a, u32 b, u32 c)
{
    return sg_u32(2.0f * sg_f32(z_major(a, b, c) ? c : y_major(a, b) ? b : a));
}
SG_FAMILY3(cubeid_f32, 32, 32, 32, 32, 32)
SG_FAMILY3(cubesc_f32, 32, 32, 32, 32, 32)
SG_FAMILY3(cubetc_f32, 32, 32, 32, 32, 32)
SG_FAMILY3(cubema_f32, 32, 32, 32, 32, 32)

#define OP1(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_F32, .src = {SG_T_F32}, .fns = FNS##_fns}
#define OP2(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_F32, .src = {SG_T_F32, SG_T_F32}, .fns = FNS##_fns}
#define OP2M(NAME, FNS)                                                                                      \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_F32,                                                                                        \
     .src = {SG_T_F32, SG_T_F32},                                                                            \
     .fns = FNS##_fns,                                                                                       \
     .modifier_fns = FNS##_modifier_fns}
#define OP3(NAME, FNS)                                                                                       \
    {.op = GCN_OP_V_##NAME, .dst = SG_T_F32, .src = {SG_T_F32, SG_T_F32, SG_T_F32}, .fns = FNS##_fns}
#define OP3M(NAME, FNS)                                                                                      \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_F32,                                                                                        \
     .src = {SG_T_F32, SG_T_F32, SG_T_F32},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .modifier_fns = FNS##_modifier_fns}

const struct sg_valu_op sg_valu_float32_ops[] = {
    OP2M(ADD_F32, add_f32),
    OP2(SUB_F32, sub_f32),
    OP2(SUBREV_F32, subrev_f32),
    OP2M(MUL_F32, mul_f32),
    OP2(MUL_LEGACY_F32, mul_legacy_f32),
    OP2(MIN_F32, min_f32),
    OP2(MAX_F32, max_f32),
    OP3M(FMA_F32, fma_f32),
    OP3M(FMAC_F32, fma_f32),
    OP3(FMAMK_F32, fma_f32),
    OP3(FMAAK_F32, fma_f32),
    OP3(FMA_LEGACY_F32, fma_legacy_f32), /* gfx10 and later */
    OP3(FMAC_LEGACY_F32, fma_legacy_f32),
    OP3(MAD_F32, mad_f32),
    OP3(MAC_F32, mad_f32),
    OP3(MADMK_F32, mad_f32),
    OP3(MADAK_F32, mad_f32),
    OP3(MAD_LEGACY_F32, mad_legacy_f32),
    OP3(MINMAX_F32, minmax_f32),
    OP3(MAXMIN_F32, maxmin_f32),
    OP3(MIN3_F32, min3_f32),
    OP3(MAX3_F32, max3_f32),
    OP3(MED3_F32, med3_f32),
    OP3(MINIMUM3_F32, minimum3_f32),
    OP3(MAXIMUM3_F32, maximum3_f32),
    OP1(TRUNC_F32, trunc_f32),
    OP1(CEIL_F32, ceil_f32),
    OP1(FLOOR_F32, floor_f32),
    OP1(RNDNE_F32, rndne_f32),
    OP1(FRACT_F32, fract_f32),
    OP3(CUBEID_F32, cubeid_f32),
    OP3(CUBESC_F32, cubesc_f32),
    OP3(CUBETC_F32, cubetc_f32),
    OP3(CUBEMA_F32, cubema_f32),
    {0},
};
