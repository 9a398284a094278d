/*
 * valu_exponent.c - operations on exponent and mantissa: v_ldexp, v_frexp_*, v_trig_preop_f64. Semantics:
 * MI200 ISA chapter 12; all exact.
 */
#include "valu.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;

/* 2^n for -1022 <= n <= 1023. */
static inline double power_of_two(i32 n)
{
    return sg_f64((u64)(uint32_t)(n + 1023) << 52);
}
static inline i32 clamp_i32(i32 x, i32 low, i32 high)
{
    return x < low ? low : x > high ? high : x;
}

/* f32 times 2^n, rounded once: the product is exact in double for every n that matters. */
static inline u32 op_ldexp_f32(u32 a, u32 b)
{
    return sg_u32((float)((double)sg_f32(a) * power_of_two(clamp_i32((i32)b, -300, 300))));
}
SG_FAMILY2(ldexp_f32, 32, 32, 32, 32)

/* Two steps; the first is exact or its result too small for its error to matter. 969 = 1022 - 53: a first
 * step of that size leaves at least 54 more to go when n is lower still, so a denormal between rounds to 0
 * anyway. */
static inline u64 op_ldexp_f64(u64 a, u32 b)
{
    i32 n = clamp_i32((i32)b, -2200, 2200);
    i32 first = n < -1022 ? -969 : n > 1023 ? 1023 : n;
    i32 rest = n - first, second = rest < -969 ? -969 : rest > 1023 ? 1023 : rest;
    double x = sg_f64(a) * power_of_two(first);
    x *= power_of_two(second);
    return sg_u64(x * power_of_two(clamp_i32(rest - second, -1022, 1023)));
}
SG_FAMILY2(ldexp_f64, 64, 64, 32, 64)

static inline u32 ldexp_f16(float x, u32 b)
{
    return sg_f16_of_f32(x * (float)power_of_two(clamp_i32((int16_t)b, -60, 60)));
}
#define op_ldexp_f16(a, b) sg_flush16(ldexp_f16(SG_F16_IN(a), b), flush_out)
SG_FAMILY2(ldexp_f16, 32, 32, 32, 16)

/* ---- frexp: mantissa in [0.5, 1), exponent to match; denormals are normalised first. ---- */
static inline u32 op_frexp_exp_i32_f32(u32 a)
{
    u32 exponent = a >> 23 & 255, mantissa = a & 0x7fffff;
    i32 denormal = mantissa ? -117 - (i32)__builtin_clz(mantissa) : 0;
    return (u32)(exponent == 255 ? 0 : exponent ? (i32)exponent - 126 : denormal);
}
static inline u32 op_frexp_mant_f32(u32 a)
{
    u32 exponent = a >> 23 & 255, mantissa = a & 0x7fffff, sign = a & 0x80000000;
    u32 shift = mantissa ? (u32)__builtin_clz(mantissa) - 8 : 0;
    u32 denormal = mantissa ? 126u << 23 | (mantissa << shift & 0x7fffff) : 0;
    u32 quiet = exponent == 255 && mantissa ? 0x400000 : 0;
    return exponent == 255 ? a | quiet : sign | (exponent ? 126u << 23 | mantissa : denormal);
}
static inline u32 op_frexp_exp_i32_f64(u64 a)
{
    u32 exponent = (u32)(a >> 52) & 2047;
    u64 mantissa = a & 0xfffffffffffff;
    i32 denormal = mantissa ? -1010 - (i32)__builtin_clzll(mantissa) : 0;
    return (u32)(exponent == 2047 ? 0 : exponent ? (i32)exponent - 1022 : denormal);
}
static inline u64 op_frexp_mant_f64(u64 a)
{
    u64 exponent = a >> 52 & 2047, mantissa = a & 0xfffffffffffff, sign = a & 1ull << 63;
    u64 shift = mantissa ? (u64)__builtin_clzll(mantissa) - 11 : 0;
    u64 denormal = mantissa ? 1022ull << 52 | (mantissa << shift & 0xfffffffffffff) : 0;
    u64 quiet = exponent == 2047 && mantissa ? 1ull << 51 : 0;
    return exponent == 2047 ? a | quiet : sign | (exponent ? 1022ull << 52 | mantissa : denormal);
}
/* f16 through f32, where f16 denormals are normal. */
static inline u32 op_frexp_exp_i16_f16(u32 a)
{
    return op_frexp_exp_i32_f32(sg_u32(sg_f32_of_f16(a))) & 0xffff;
}
static inline u32 op_frexp_mant_f16(u32 a)
{
    return sg_f16_of_f32(sg_f32(op_frexp_mant_f32(sg_u32(sg_f32_of_f16(a)))));
}
SG_FAMILY1(frexp_exp_i32_f32, 32, 32, NONE)
SG_FAMILY1(frexp_mant_f32, 32, 32, NONE)
SG_FAMILY1(frexp_exp_i32_f64, 32, 64, NONE)
SG_FAMILY1(frexp_mant_f64, 64, 64, NONE)
SG_FAMILY1(frexp_exp_i16_f16, 32, 32, NONE)
SG_FAMILY1(frexp_mant_f16, 32, 32, NONE)

/* ---- v_trig_preop_f64 ---- */

/* The first 1201 bits of 2/pi after the binary point, top first (bit 63 of word 0 has weight 2^-1), as used
 * for the reduction of large arguments by Payne and Hanek. */
static const u64 two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* 53 bits that begin `shift` bits after the binary point of 2/pi; beyond 1201 bits come zeros. */
static u64 two_over_pi_bits(u32 shift)
{
    u64 bits = 0;
    for (u32 i = 0; i < 53; i++) {
        u32 at = shift + i;
        bits = bits << 1 | (at < 1201 ? two_over_pi[at / 64] >> (63 - at % 64) & 1 : 0);
    }
    return bits;
}

static u64 op_trig_preop_f64(u64 a, u32 b)
{
    u32 exponent = (u32)(a >> 52) & 2047;
    u32 shift = (b & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    i32 scale = -53 - (i32)shift + (exponent >= 1968 ? 128 : 0);
    return op_ldexp_f64(sg_u64((double)two_over_pi_bits(shift)), (u32)scale);
}
SG_FAMILY2(trig_preop_f64, 64, 64, 32, NONE)

const struct sg_valu_op sg_valu_exponent_ops[] = {
    {.op = GCN_OP_V_LDEXP_F32, .dst = SG_T_F32, .src = {SG_T_F32, SG_T_B32}, .fns = ldexp_f32_fns},
    {.op = GCN_OP_V_LDEXP_F64, .dst = SG_T_F64, .src = {SG_T_F64, SG_T_B32}, .fns = ldexp_f64_fns},
    {.op = GCN_OP_V_LDEXP_F16, .dst = SG_T_F16, .src = {SG_T_F16, SG_T_B16}, .fns = ldexp_f16_fns},
    {.op = GCN_OP_V_FREXP_EXP_I32_F32,
     .dst = SG_T_B32,
     .src = {SG_T_F32},
     .fns = frexp_exp_i32_f32_fns,
     .flags = SG_VOP_CLAMP_IGNORED},
    {.op = GCN_OP_V_FREXP_MANT_F32, .dst = SG_T_F32, .src = {SG_T_F32}, .fns = frexp_mant_f32_fns},
    {.op = GCN_OP_V_FREXP_EXP_I32_F64,
     .dst = SG_T_B32,
     .src = {SG_T_F64},
     .fns = frexp_exp_i32_f64_fns,
     .flags = SG_VOP_CLAMP_IGNORED},
    {.op = GCN_OP_V_FREXP_MANT_F64, .dst = SG_T_F64, .src = {SG_T_F64}, .fns = frexp_mant_f64_fns},
    {.op = GCN_OP_V_FREXP_EXP_I16_F16,
     .dst = SG_T_B16,
     .src = {SG_T_F16},
     .fns = frexp_exp_i16_f16_fns,
     .flags = SG_VOP_CLAMP_IGNORED},
    {.op = GCN_OP_V_FREXP_MANT_F16, .dst = SG_T_F16, .src = {SG_T_F16}, .fns = frexp_mant_f16_fns},
    {.op = GCN_OP_V_TRIG_PREOP_F64, .dst = SG_T_F64, .src = {SG_T_F64, SG_T_B32}, .fns = trig_preop_f64_fns},
    {0},
};
