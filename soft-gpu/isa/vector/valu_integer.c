/*
 * valu_integer.c - integer arithmetic, 16 and 32 bits, and v_lshl_add_u64. Semantics: MI200 ISA chapter 12,
 * VOP2 and VOP3A; 16-bit results have a zero upper half, the forms with KEEP_HIGH write one half only
 * (instructions new in gfx9).
 *
 * A handler reads 32-bit words; op_* functions take and return words.
 */
#include "valu.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

static inline i32 sext24(u32 a)
{
    return (i32)(a << 8) >> 8;
}
static inline u32 zext24(u32 a)
{
    return a & 0xffffff;
}
static inline i32 sext16(u32 a)
{
    return (int16_t)a;
}
static inline u32 zext16(u32 a)
{
    return a & 0xffff;
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* The middle one of three. */
#define MED(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))

static inline u32 saturate_u32(u64 x)
{
    return x > UINT32_MAX ? UINT32_MAX : (u32)x;
}
static inline u32 saturate_i32(i64 x)
{
    return (u32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (i32)x);
}
static inline u32 saturate_u16(i32 x)
{
    return (u32)(x > 0xffff ? 0xffff : x < 0 ? 0 : x);
}
static inline u32 saturate_i16(i32 x)
{
    return (u32)(x > 32767 ? 32767 : x < -32768 ? -32768 : x) & 0xffff;
}

/* ---- 32 bits ---- */
#define op_add_u32(a, b) ((a) + (b))
#define op_sub_u32(a, b) ((a) - (b))
#define op_subrev_u32(a, b) ((b) - (a))
#define op_mul_lo_u32(a, b) ((a) * (b))
#define op_mul_hi_u32(a, b) ((u32)((u64)(a) * (b) >> 32))
#define op_mul_hi_i32(a, b) ((u32)((u64)((i64)(i32)(a) * (i32)(b)) >> 32))
#define op_mul_i32_i24(a, b) ((u32)sext24(a) * (u32)sext24(b))
#define op_mul_hi_i32_i24(a, b) ((u32)((u64)((i64)sext24(a) * sext24(b)) >> 32))
#define op_mul_u32_u24(a, b) (zext24(a) * zext24(b))
#define op_mul_hi_u32_u24(a, b) ((u32)((u64)zext24(a) * zext24(b) >> 32))
#define op_min_i32(a, b) ((u32)MIN((i32)(a), (i32)(b)))
#define op_max_i32(a, b) ((u32)MAX((i32)(a), (i32)(b)))
#define op_min_u32(a, b) MIN(a, b)
#define op_max_u32(a, b) MAX(a, b)
SG_FAMILY2(add_u32, 32, 32, 32, NONE)
SG_FAMILY2(sub_u32, 32, 32, 32, NONE)
SG_FAMILY2(subrev_u32, 32, 32, 32, NONE)
SG_FAMILY2(mul_lo_u32, 32, 32, 32, NONE)
SG_FAMILY2(mul_hi_u32, 32, 32, 32, NONE)
SG_FAMILY2(mul_hi_i32, 32, 32, 32, NONE)
SG_FAMILY2(mul_i32_i24, 32, 32, 32, NONE)
SG_FAMILY2(mul_hi_i32_i24, 32, 32, 32, NONE)
SG_FAMILY2(mul_u32_u24, 32, 32, 32, NONE)
SG_FAMILY2(mul_hi_u32_u24, 32, 32, 32, NONE)
SG_FAMILY2(min_i32, 32, 32, 32, NONE)
SG_FAMILY2(max_i32, 32, 32, 32, NONE)
SG_FAMILY2(min_u32, 32, 32, 32, NONE)
SG_FAMILY2(max_u32, 32, 32, 32, NONE)

#define op_mad_i32_i24(a, b, c) ((u32)sext24(a) * (u32)sext24(b) + (c))
#define op_mad_u32_u24(a, b, c) (zext24(a) * zext24(b) + (c))
#define op_mad_u32_u16(a, b, c) (zext16(a) * zext16(b) + (c))
#define op_mad_i32_i16(a, b, c) ((u32)(sext16(a) * sext16(b)) + (c))
#define op_add3_u32(a, b, c) ((a) + (b) + (c))
#define op_lshl_add_u32(a, b, c) (((a) << ((b) & 31)) + (c))
#define op_add_lshl_u32(a, b, c) (((a) + (b)) << ((c) & 31))
#define op_xad_u32(a, b, c) (((a) ^ (b)) + (c))
#define op_min3_i32(a, b, c) ((u32)MIN(MIN((i32)(a), (i32)(b)), (i32)(c)))
#define op_max3_i32(a, b, c) ((u32)MAX(MAX((i32)(a), (i32)(b)), (i32)(c)))
#define op_med3_i32(a, b, c) ((u32)MED((i32)(a), (i32)(b), (i32)(c)))
#define op_min3_u32(a, b, c) MIN(MIN(a, b), c)
#define op_max3_u32(a, b, c) MAX(MAX(a, b), c)
#define op_med3_u32(a, b, c) MED(a, b, c)
#define op_lshl_add_u64(a, b, c) (((a) << ((b) & 7)) + (c))
SG_FAMILY3(mad_i32_i24, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(mad_u32_u24, 32, 32, 32, 32, NONE)
SG_FAMILY3(mad_u32_u16, 32, 32, 32, 32, NONE)
SG_FAMILY3(mad_i32_i16, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(add3_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(lshl_add_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(add_lshl_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3(xad_u32, 32, 32, 32, 32, NONE)
#define op_minmax_i32(a, b, c) ((u32)MAX(MIN((i32)(a), (i32)(b)), (i32)(c)))
#define op_maxmin_i32(a, b, c) ((u32)MIN(MAX((i32)(a), (i32)(b)), (i32)(c)))
#define op_minmax_u32(a, b, c) MAX(MIN(a, b), c)
#define op_maxmin_u32(a, b, c) MIN(MAX(a, b), c)
SG_FAMILY3(minmax_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3(maxmin_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3(minmax_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3(maxmin_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3(min3_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_i32, 32, 32, 32, 32, NONE)
SG_FAMILY3(min3_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_u32, 32, 32, 32, 32, NONE)
SG_FAMILY3_FAST(lshl_add_u64, 64, 64, 32, 64, NONE)

/* Saturating forms (clamp bit), all sources in rows. */
#define op_add_u32_sat(a, b) saturate_u32((u64)(a) + (b))
#define op_sub_u32_sat(a, b) ((a) > (b) ? (a) - (b) : 0)
#define op_subrev_u32_sat(a, b) op_sub_u32_sat(b, a)
#define op_add_i32_sat(a, b) saturate_i32((i64)(i32)(a) + (i32)(b))
#define op_sub_i32_sat(a, b) saturate_i32((i64)(i32)(a) - (i32)(b))
#define op_mad_i32_i24_sat(a, b, c) saturate_i32((i64)sext24(a) * sext24(b) + (i32)(c))
#define op_mad_u32_u24_sat(a, b, c) saturate_u32((u64)zext24(a) * zext24(b) + (c))
#define op_mad_u32_u16_sat(a, b, c) saturate_u32((u64)zext16(a) * zext16(b) + (c))
#define op_mad_i32_i16_sat(a, b, c) saturate_i32((i64)sext16(a) * sext16(b) + (i32)(c))
SG_HANDLER2(add_u32_sat, op_add_u32_sat, 32, V32, V32, NONE)
SG_HANDLER2(sub_u32_sat, op_sub_u32_sat, 32, V32, V32, NONE)
SG_HANDLER2(subrev_u32_sat, op_subrev_u32_sat, 32, V32, V32, NONE)
SG_HANDLER2(add_i32_sat, op_add_i32_sat, 32, V32, V32, NONE)
SG_HANDLER2(sub_i32_sat, op_sub_i32_sat, 32, V32, V32, NONE)
SG_HANDLER3(mad_i32_i24_sat, op_mad_i32_i24_sat, 32, V32, V32, V32, NONE)
SG_HANDLER3(mad_u32_u24_sat, op_mad_u32_u24_sat, 32, V32, V32, V32, NONE)
SG_HANDLER3(mad_u32_u16_sat, op_mad_u32_u16_sat, 32, V32, V32, V32, NONE)
SG_HANDLER3(mad_i32_i16_sat, op_mad_i32_i16_sat, 32, V32, V32, V32, NONE)

/* ---- 16 bits ---- */
#define op_add_u16(a, b) zext16((a) + (b))
#define op_sub_u16(a, b) zext16((a) - (b))
#define op_subrev_u16(a, b) zext16((b) - (a))
#define op_mul_lo_u16(a, b) zext16((a) * (b))
#define op_min_i16(a, b) zext16((u32)MIN(sext16(a), sext16(b)))
#define op_max_i16(a, b) zext16((u32)MAX(sext16(a), sext16(b)))
#define op_min_u16(a, b) MIN(zext16(a), zext16(b))
#define op_max_u16(a, b) MAX(zext16(a), zext16(b))
SG_FAMILY2(add_u16, 32, 32, 32, NONE)
SG_FAMILY2(sub_u16, 32, 32, 32, NONE)
SG_FAMILY2(subrev_u16, 32, 32, 32, NONE)
SG_FAMILY2(mul_lo_u16, 32, 32, 32, NONE)
SG_FAMILY2(min_i16, 32, 32, 32, NONE)
SG_FAMILY2(max_i16, 32, 32, 32, NONE)
SG_FAMILY2(min_u16, 32, 32, 32, NONE)
SG_FAMILY2(max_u16, 32, 32, 32, NONE)

#define op_mad_u16(a, b, c) zext16((a) * (b) + (c))
#define op_min3_i16(a, b, c) zext16((u32)MIN(MIN(sext16(a), sext16(b)), sext16(c)))
#define op_max3_i16(a, b, c) zext16((u32)MAX(MAX(sext16(a), sext16(b)), sext16(c)))
#define op_med3_i16(a, b, c) zext16((u32)MED(sext16(a), sext16(b), sext16(c)))
#define op_min3_u16(a, b, c) MIN(MIN(zext16(a), zext16(b)), zext16(c))
#define op_max3_u16(a, b, c) MAX(MAX(zext16(a), zext16(b)), zext16(c))
#define op_med3_u16(a, b, c) MED(zext16(a), zext16(b), zext16(c))
SG_FAMILY3(mad_u16, 32, 32, 32, 32, NONE)
SG_FAMILY3(min3_i16, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_i16, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_i16, 32, 32, 32, 32, NONE)
SG_FAMILY3(min3_u16, 32, 32, 32, 32, NONE)
SG_FAMILY3(max3_u16, 32, 32, 32, 32, NONE)
SG_FAMILY3(med3_u16, 32, 32, 32, 32, NONE)

#define op_add_u16_sat(a, b) saturate_u16((i32)(zext16(a) + zext16(b)))
#define op_sub_u16_sat(a, b) saturate_u16((i32)(zext16(a) - zext16(b)))
#define op_subrev_u16_sat(a, b) op_sub_u16_sat(b, a)
#define op_mul_lo_u16_sat(a, b) MIN(zext16(a) * zext16(b), 0xffffu)
#define op_add_i16_sat(a, b) saturate_i16(sext16(a) + sext16(b))
#define op_sub_i16_sat(a, b) saturate_i16(sext16(a) - sext16(b))
#define op_mad_u16_sat(a, b, c) ((u32)MIN((u64)zext16(a) * zext16(b) + zext16(c), 0xffffull))
#define op_mad_i16_sat(a, b, c) saturate_i16(sext16(a) * sext16(b) + sext16(c))
SG_HANDLER2(add_u16_sat, op_add_u16_sat, 32, V32, V32, NONE)
SG_HANDLER2(sub_u16_sat, op_sub_u16_sat, 32, V32, V32, NONE)
SG_HANDLER2(subrev_u16_sat, op_subrev_u16_sat, 32, V32, V32, NONE)
SG_HANDLER2(mul_lo_u16_sat, op_mul_lo_u16_sat, 32, V32, V32, NONE)
SG_HANDLER2(add_i16_sat, op_add_i16_sat, 32, V32, V32, NONE)
SG_HANDLER2(sub_i16_sat, op_sub_i16_sat, 32, V32, V32, NONE)
SG_HANDLER3(mad_u16_sat, op_mad_u16_sat, 32, V32, V32, V32, NONE)
SG_HANDLER3(mad_i16_sat, op_mad_i16_sat, 32, V32, V32, V32, NONE)

#define OP2(NAME, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_B32, .src = {SG_T_B32, SG_T_B32}, .fns = FNS##_fns}
#define OP2_SAT(NAME, FNS, SAT)                                                                              \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_B32,                                                                                        \
     .src = {SG_T_B32, SG_T_B32},                                                                            \
     .fns = FNS##_fns,                                                                                       \
     .clamp_fn = SAT##_sat}
#define OP3(NAME, FNS)                                                                                       \
    {.op = GCN_OP_V_##NAME, .dst = SG_T_B32, .src = {SG_T_B32, SG_T_B32, SG_T_B32}, .fns = FNS##_fns}
#define OP3_SAT(NAME, FNS, AT, SAT)                                                                          \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_B32,                                                                                        \
     .src = {SG_T_##AT, SG_T_##AT, SG_T_B32},                                                                \
     .fns = FNS##_fns,                                                                                       \
     .clamp_fn = SAT##_sat}
#define HALF2(NAME, FNS, SAT, FLAGS)                                                                         \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_B16,                                                                                        \
     .src = {SG_T_B16, SG_T_B16},                                                                            \
     .fns = FNS##_fns,                                                                                       \
     .clamp_fn = SAT,                                                                                        \
     .flags = FLAGS}
#define HALF3(NAME, FNS, SAT, FLAGS)                                                                         \
    {.op = GCN_OP_V_##NAME,                                                                                  \
     .dst = SG_T_B16,                                                                                        \
     .src = {SG_T_B16, SG_T_B16, SG_T_B16},                                                                  \
     .fns = FNS##_fns,                                                                                       \
     .clamp_fn = SAT,                                                                                        \
     .flags = FLAGS}

const struct sg_valu_op sg_valu_integer_ops[] = {
    OP2_SAT(ADD_U32, add_u32, add_u32),
    OP2_SAT(SUB_U32, sub_u32, sub_u32),
    OP2_SAT(SUBREV_U32, subrev_u32, subrev_u32),
    OP2_SAT(ADD_I32, add_u32, add_i32),
    OP2_SAT(SUB_I32, sub_u32, sub_i32),
    OP2(MUL_LO_U32, mul_lo_u32),
    OP2(MUL_HI_U32, mul_hi_u32),
    OP2(MUL_HI_I32, mul_hi_i32),
    OP2(MUL_I32_I24, mul_i32_i24),
    OP2(MUL_HI_I32_I24, mul_hi_i32_i24),
    OP2(MUL_U32_U24, mul_u32_u24),
    OP2(MUL_HI_U32_U24, mul_hi_u32_u24),
    OP2(MIN_I32, min_i32),
    OP2(MAX_I32, max_i32),
    OP2(MIN_U32, min_u32),
    OP2(MAX_U32, max_u32),
    OP3_SAT(MAD_I32_I24, mad_i32_i24, B32, mad_i32_i24),
    OP3_SAT(MAD_U32_U24, mad_u32_u24, B32, mad_u32_u24),
    OP3_SAT(MAD_U32_U16, mad_u32_u16, B16, mad_u32_u16),
    OP3_SAT(MAD_I32_I16, mad_i32_i16, B16, mad_i32_i16),
    OP3(ADD3_U32, add3_u32),
    OP3(LSHL_ADD_U32, lshl_add_u32),
    OP3(ADD_LSHL_U32, add_lshl_u32),
    OP3(XAD_U32, xad_u32),
    OP3(MINMAX_I32, minmax_i32),
    OP3(MAXMIN_I32, maxmin_i32),
    OP3(MINMAX_U32, minmax_u32),
    OP3(MAXMIN_U32, maxmin_u32),
    OP3(MIN3_I32, min3_i32),
    OP3(MAX3_I32, max3_i32),
    OP3(MED3_I32, med3_i32),
    OP3(MIN3_U32, min3_u32),
    OP3(MAX3_U32, max3_u32),
    OP3(MED3_U32, med3_u32),
    {.op = GCN_OP_V_LSHL_ADD_U64,
     .dst = SG_T_B64,
     .src = {SG_T_B64, SG_T_B32, SG_T_B64},
     .fns = lshl_add_u64_fns},
    HALF2(ADD_U16, add_u16, add_u16_sat, 0),
    HALF2(SUB_U16, sub_u16, sub_u16_sat, 0),
    HALF2(SUBREV_U16, subrev_u16, subrev_u16_sat, 0),
    HALF2(MUL_LO_U16, mul_lo_u16, mul_lo_u16_sat, 0),
    HALF2(MIN_I16, min_i16, NULL, 0),
    HALF2(MAX_I16, max_i16, NULL, 0),
    HALF2(MIN_U16, min_u16, NULL, 0),
    HALF2(MAX_U16, max_u16, NULL, 0),
    HALF2(ADD_I16, add_u16, add_i16_sat, SG_VOP_KEEP_HIGH),
    HALF2(SUB_I16, sub_u16, sub_i16_sat, SG_VOP_KEEP_HIGH),
    HALF3(MAD_U16, mad_u16, mad_u16_sat, SG_VOP_KEEP_HIGH),
    HALF3(MAD_I16, mad_u16, mad_i16_sat, SG_VOP_KEEP_HIGH),
    HALF3(MAD_LEGACY_U16, mad_u16, mad_u16_sat, 0),
    HALF3(MAD_LEGACY_I16, mad_u16, mad_i16_sat, 0),
    HALF3(MIN3_I16, min3_i16, NULL, SG_VOP_KEEP_HIGH),
    HALF3(MAX3_I16, max3_i16, NULL, SG_VOP_KEEP_HIGH),
    HALF3(MED3_I16, med3_i16, NULL, SG_VOP_KEEP_HIGH),
    HALF3(MIN3_U16, min3_u16, NULL, SG_VOP_KEEP_HIGH),
    HALF3(MAX3_U16, max3_u16, NULL, SG_VOP_KEEP_HIGH),
    HALF3(MED3_U16, med3_u16, NULL, SG_VOP_KEEP_HIGH),
    {0},
};
