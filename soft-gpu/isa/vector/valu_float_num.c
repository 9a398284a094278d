/*
 * valu_float_num.c - minimum and maximum of gfx12, which has those of IEEE 754-2019 in place of the older ones: *_num gives
 * the number where there is one, minimum and maximum give a NaN where there is one. MODE has no say. Semantics: "RDNA4
 * Instruction Set Architecture", V_MIN_NUM_F32 and its like.
 */
#include "valu_float.h"

typedef uint32_t u32;
typedef uint64_t u64;

static inline u32 med3_num32(u32 a, u32 b, u32 c)
{
    return sg_nan32(a) || sg_nan32(b) || sg_nan32(c) ? sg_min_num32(sg_min_num32(a, b), c)
                                                     : sg_med32(a, b, c, false);
}
static inline u32 med3_num16(u32 a, u32 b, u32 c)
{
    return sg_nan16(a) || sg_nan16(b) || sg_nan16(c) ? sg_min_num16(sg_min_num16(a, b), c)
                                                     : sg_med16(a, b, c, false);
}

/* Those with three operands, of f16 and f32. */
#define min3_num(BITS, a, b, c) sg_min_num##BITS(sg_min_num##BITS(a, b), c)
#define max3_num(BITS, a, b, c) sg_max_num##BITS(sg_max_num##BITS(a, b), c)
#define minmax_num(BITS, a, b, c) sg_max_num##BITS(sg_min_num##BITS(a, b), c)
#define maxmin_num(BITS, a, b, c) sg_min_num##BITS(sg_max_num##BITS(a, b), c)
#define minimummaximum(BITS, a, b, c) sg_ieee_maximum##BITS(sg_ieee_minimum##BITS(a, b), c)
#define maximumminimum(BITS, a, b, c) sg_ieee_minimum##BITS(sg_ieee_maximum##BITS(a, b), c)

#define op_min_num_f16(a, b) sg_min_num16(LOW16(a), LOW16(b))
#define op_max_num_f16(a, b) sg_max_num16(LOW16(a), LOW16(b))
#define op_minimum_f16(a, b) sg_ieee_minimum16(LOW16(a), LOW16(b))
#define op_maximum_f16(a, b) sg_ieee_maximum16(LOW16(a), LOW16(b))
#define op_min3_num_f16(a, b, c) min3_num(16, LOW16(a), LOW16(b), LOW16(c))
#define op_max3_num_f16(a, b, c) max3_num(16, LOW16(a), LOW16(b), LOW16(c))
#define op_med3_num_f16(a, b, c) med3_num16(LOW16(a), LOW16(b), LOW16(c))
#define op_minmax_num_f16(a, b, c) minmax_num(16, LOW16(a), LOW16(b), LOW16(c))
#define op_maxmin_num_f16(a, b, c) maxmin_num(16, LOW16(a), LOW16(b), LOW16(c))
#define op_minimum3_f16(a, b, c) sg_ieee_minimum16(sg_ieee_minimum16(LOW16(a), LOW16(b)), LOW16(c))
#define op_maximum3_f16(a, b, c) sg_ieee_maximum16(sg_ieee_maximum16(LOW16(a), LOW16(b)), LOW16(c))
#define op_minimummaximum_f16(a, b, c) minimummaximum(16, LOW16(a), LOW16(b), LOW16(c))
#define op_maximumminimum_f16(a, b, c) maximumminimum(16, LOW16(a), LOW16(b), LOW16(c))
#define LOW16(x) ((x) & 0xffff)
SG_FAMILY2(min_num_f16, 32, 32, 32, NONE)
SG_FAMILY2(max_num_f16, 32, 32, 32, NONE)
SG_FAMILY2(minimum_f16, 32, 32, 32, NONE)
SG_FAMILY2(maximum_f16, 32, 32, 32, NONE)
SG_FAMILY3(min3_num_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_num_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_num_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(minmax_num_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(maxmin_num_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(minimum3_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(maximum3_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(minimummaximum_f16, 32, 32, 32, 32, NONE)
SG_FAMILY3(maximumminimum_f16, 32, 32, 32, 32, NONE)

#define op_min_num_f32(a, b) sg_min_num32(a, b)
#define op_max_num_f32(a, b) sg_max_num32(a, b)
#define op_minimum_f32(a, b) sg_ieee_minimum32(a, b)
#define op_maximum_f32(a, b) sg_ieee_maximum32(a, b)
#define op_min3_num_f32(a, b, c) min3_num(32, a, b, c)
#define op_max3_num_f32(a, b, c) max3_num(32, a, b, c)
#define op_med3_num_f32(a, b, c) med3_num32(a, b, c)
#define op_minmax_num_f32(a, b, c) minmax_num(32, a, b, c)
#define op_maxmin_num_f32(a, b, c) maxmin_num(32, a, b, c)
#define op_minimummaximum_f32(a, b, c) minimummaximum(32, a, b, c)
#define op_maximumminimum_f32(a, b, c) maximumminimum(32, a, b, c)
SG_FAMILY2(min_num_f32, 32, 32, 32, NONE)
SG_FAMILY2(max_num_f32, 32, 32, 32, NONE)
SG_FAMILY2(minimum_f32, 32, 32, 32, NONE)
SG_FAMILY2(maximum_f32, 32, 32, 32, NONE)
SG_FAMILY3(min3_num_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_num_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_num_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(minmax_num_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(maxmin_num_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(minimummaximum_f32, 32, 32, 32, 32, NONE)
SG_FAMILY3(maximumminimum_f32, 32, 32, 32, 32, NONE)

#define op_min_num_f64(a, b) sg_min_num64(a, b)
#define op_max_num_f64(a, b) sg_max_num64(a, b)
#define op_minimum_f64(a, b) sg_ieee_minimum64(a, b)
#define op_maximum_f64(a, b) sg_ieee_maximum64(a, b)
SG_FAMILY2(min_num_f64, 64, 64, 64, NONE)
SG_FAMILY2(max_num_f64, 64, 64, 64, NONE)
SG_FAMILY2(minimum_f64, 64, 64, 64, NONE)
SG_FAMILY2(maximum_f64, 64, 64, 64, NONE)

#define OP2(NAME, FNS, TYPE)                                                                                 \
    {.op = GCN_OP_V_##NAME##_##TYPE, .dst = SG_T_##TYPE, .src = {SG_T_##TYPE, SG_T_##TYPE}, .fns = FNS##_fns}
#define OP3(NAME, FNS, TYPE)                                                                                 \
    {.op = GCN_OP_V_##NAME##_##TYPE,                                                                         \
     .dst = SG_T_##TYPE,                                                                                     \
     .src = {SG_T_##TYPE, SG_T_##TYPE, SG_T_##TYPE},                                                         \
     .fns = FNS##_fns}

const struct sg_valu_op sg_valu_float_num_ops[] = {
    OP2(MIN_NUM, min_num_f16, F16),
    OP2(MAX_NUM, max_num_f16, F16),
    OP2(MINIMUM, minimum_f16, F16),
    OP2(MAXIMUM, maximum_f16, F16),
    OP3(MIN3_NUM, min3_num_f16, F16),
    OP3(MAX3_NUM, max3_num_f16, F16),
    OP3(MED3_NUM, med3_num_f16, F16),
    OP3(MINMAX_NUM, minmax_num_f16, F16),
    OP3(MAXMIN_NUM, maxmin_num_f16, F16),
    OP3(MINIMUM3, minimum3_f16, F16),
    OP3(MAXIMUM3, maximum3_f16, F16),
    OP3(MINIMUMMAXIMUM, minimummaximum_f16, F16),
    OP3(MAXIMUMMINIMUM, maximumminimum_f16, F16),
    OP2(MIN_NUM, min_num_f32, F32),
    OP2(MAX_NUM, max_num_f32, F32),
    OP2(MINIMUM, minimum_f32, F32),
    OP2(MAXIMUM, maximum_f32, F32),
    OP3(MIN3_NUM, min3_num_f32, F32),
    OP3(MAX3_NUM, max3_num_f32, F32),
    OP3(MED3_NUM, med3_num_f32, F32),
    OP3(MINMAX_NUM, minmax_num_f32, F32),
    OP3(MAXMIN_NUM, maxmin_num_f32, F32),
    OP3(MINIMUMMAXIMUM, minimummaximum_f32, F32),
    OP3(MAXIMUMMINIMUM, maximumminimum_f32, F32),
    OP2(MIN_NUM, min_num_f64, F64),
    OP2(MAX_NUM, max_num_f64, F64),
    OP2(MINIMUM, minimum_f64, F64),
    OP2(MAXIMUM, maximum_f64, F64),
    {0},
};
