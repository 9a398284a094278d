/*
 * valu_float64.c - f64 arithmetic, minimum and maximum, rounding. A double lives in two rows. Semantics:
 * MI200 ISA chapter 12.
 */
#include "valu_float.h"

typedef uint64_t u64;

#define op_add_f64(a, b) sg_u64(sg_f64(a) + sg_f64(b))
#define op_mul_f64(a, b) sg_u64(sg_f64(a) * sg_f64(b))
#define op_min_f64(a, b) sg_min64(a, b, mode &SG_MODE_IEEE)
#define op_max_f64(a, b) sg_max64(a, b, mode &SG_MODE_IEEE)
#define op_fma_f64(a, b, c) sg_u64(__builtin_fma(sg_f64(a), sg_f64(b), sg_f64(c)))
SG_FAMILY2(add_f64, 64, 64, 64, 64)
SG_FAMILY2_MODIFIED(add_f64, 64, 64, 64, 64)
SG_FAMILY2(mul_f64, 64, 64, 64, 64)
SG_FAMILY2_MODIFIED(mul_f64, 64, 64, 64, 64)
SG_FAMILY2(min_f64, 64, 64, 64, NONE)
SG_FAMILY2(max_f64, 64, 64, 64, NONE)
SG_FAMILY3_FAST(fma_f64, 64, 64, 64, 64, 64)
SG_FAMILY3_MODIFIED(fma_f64, 64, 64, 64, 64, 64)

#define op_trunc_f64(a) sg_u64(__builtin_trunc(sg_f64(a)))
#define op_ceil_f64(a) sg_u64(__builtin_ceil(sg_f64(a)))
#define op_floor_f64(a) sg_u64(__builtin_floor(sg_f64(a)))
#define op_rndne_f64(a) sg_u64(__builtin_roundeven(sg_f64(a)))
/* Below 1 by definition, as v_fract_f32. */
static inline u64 op_fract_f64(u64 a)
{
    double x = sg_f64(a), r = x - __builtin_floor(x);
    return sg_u64(r >= 1.0 ? 0x1.fffffffffffffp-1 : r);
}
SG_FAMILY1(trunc_f64, 64, 64, 64)
SG_FAMILY1(ceil_f64, 64, 64, 64)
SG_FAMILY1(floor_f64, 64, 64, 64)
SG_FAMILY1(rndne_f64, 64, 64, 64)
SG_FAMILY1(fract_f64, 64, 64, 64)

#define OP1(NAME, FNS) {.op = SG_OP_V_##NAME, .dst = SG_T_F64, .src = {SG_T_F64}, .fns = FNS##_fns}
#define OP2(NAME, FNS) {.op = SG_OP_V_##NAME, .dst = SG_T_F64, .src = {SG_T_F64, SG_T_F64}, .fns = FNS##_fns}
#define OP2M(NAME, FNS)                                                                                      \
    {.op = SG_OP_V_##NAME,                                                                                   \
     .dst = SG_T_F64,                                                                                        \
     .src = {SG_T_F64, SG_T_F64},                                                                            \
     .fns = FNS##_fns,                                                                                       \
     .modifier_fns = FNS##_modifier_fns}
#define OP3M(NAME, FNS)                                                                                      \
    {.op = SG_OP_V_##NAME,                                                                                   \
     .dst = SG_T_F64,                                                                                        \
     .src = {SG_T_F64, SG_T_F64, SG_T_F64},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .modifier_fns = FNS##_modifier_fns}

const struct sg_valu_op sg_valu_float64_ops[] = {
    OP2M(ADD_F64, add_f64),    OP2M(MUL_F64, mul_f64),    OP2(MIN_F64, min_f64),     OP2(MAX_F64, max_f64),
    OP3M(FMA_F64, fma_f64),    OP3M(FMAC_F64, fma_f64),   OP1(TRUNC_F64, trunc_f64), OP1(CEIL_F64, ceil_f64),
    OP1(FLOOR_F64, floor_f64), OP1(RNDNE_F64, rndne_f64), OP1(FRACT_F64, fract_f64), {0},
};
