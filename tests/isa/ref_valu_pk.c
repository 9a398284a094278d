/*
 * ref_valu_pk.c - reference of the packed operations (VOP3P): two 16-bit values in a dword, two binary32 in a
 * register pair, mixed-precision FMA and dot products. Sources come with op_sel and neg applied.
 */
#include "ref_valu.h"

typedef __float128 quad;

static uint32_t half_of(uint64_t v, int i)
{
    return (uint32_t)(v >> (16 * i)) & 0xffff;
}
typedef uint32_t (*half_fn)(uint32_t a, uint32_t b, uint32_t c, bool clamp);
static void each_half(struct ref_lane *l, half_fn f)
{
    for (int i = 0; i < 2; i++)
        l->d |= (uint64_t)(f(half_of(U0, i), half_of(U1, i), half_of(U2, i), l->clamp) & 0xffff) << (16 * i);
}

#define I16OP(name, expr)                                                                                    \
    static uint32_t name(uint32_t ua, uint32_t ub, uint32_t uc, bool clamp)                                  \
    {                                                                                                        \
        int64_t a = (int16_t)ua, b = (int16_t)ub, c = (int16_t)uc;                                           \
        (void)a, (void)b, (void)c;                                                                           \
        int64_t r = (expr);                                                                                  \
        return (uint32_t)(clamp ? clamp_int(r, INT16_MIN, INT16_MAX) : r);                                   \
    }
#define U16OP(name, expr)                                                                                    \
    static uint32_t name(uint32_t ua, uint32_t ub, uint32_t uc, bool clamp)                                  \
    {                                                                                                        \
        int64_t a = (uint16_t)ua, b = (uint16_t)ub, c = (uint16_t)uc;                                        \
        (void)a, (void)b, (void)c;                                                                           \
        int64_t r = (expr);                                                                                  \
        return (uint32_t)(clamp ? clamp_int(r, 0, UINT16_MAX) : r);                                          \
    }
#define F16OP(name, expr)                                                                                    \
    static uint32_t name(uint32_t ua, uint32_t ub, uint32_t uc, bool clamp)                                  \
    {                                                                                                        \
        quad a = (quad)f16_of(ua), b = (quad)f16_of(ub), c = (quad)f16_of(uc);                               \
        (void)a, (void)b, (void)c, (void)clamp;                                                              \
        return (expr);                                                                                       \
    }
I16OP(mad_i16, a *b + c)
I16OP(add_i16, a + b)
I16OP(sub_i16, a - b)
I16OP(max_i16, a > b ? a : b)
I16OP(min_i16, a < b ? a : b)
I16OP(ashr_i16, b >> (a & 15))
U16OP(mul_u16, (int64_t)(uint16_t)(a * b))
U16OP(mad_u16, a *b + c)
U16OP(add_u16, a + b)
U16OP(sub_u16, a - b)
U16OP(max_u16, a > b ? a : b)
U16OP(min_u16, a < b ? a : b)
U16OP(lshl_u16, (int64_t)(uint16_t)(b << (a & 15)))
U16OP(lshr_u16, b >> (a & 15))
F16OP(fma_f16, bits_of_f16(a *b + c))
F16OP(add_f16, bits_of_f16(a + b))
F16OP(mul_f16, bits_of_f16(a *b))
F16OP(min_f16, ref_min_f16(ua, ub))
F16OP(max_f16, ref_max_f16(ua, ub))
static uint32_t minimum16(uint32_t a, uint32_t b)
{
    return is_nan16(a) ? a | 0x200 : is_nan16(b) ? b | 0x200 : ref_min_f16(a, b);
}
static uint32_t maximum16(uint32_t a, uint32_t b)
{
    return is_nan16(a) ? a | 0x200 : is_nan16(b) ? b | 0x200 : ref_max_f16(a, b);
}
F16OP(minimum3, minimum16(minimum16(ua, ub), uc))
F16OP(maximum3, maximum16(maximum16(ua, ub), uc))

static float lo32(uint64_t v)
{
    return f32_of(v);
}
static float hi32(uint64_t v)
{
    return f32_of(v >> 32);
}
static uint64_t pair(float lo, float hi)
{
    return (uint64_t)bits_of_f32(hi) << 32 | bits_of_f32(lo);
}
/* Dot products add two exact products to the accumulator. Order and intermediate precision are not
 * documented: allow two units in the last place of the largest term. */
static void dot2(struct ref_lane *l, double (*value)(uint64_t))
{
    double p0 = value(U0) * value(U1), p1 = value(U0 >> 16) * value(U1 >> 16), c = F2;
    double sum = p0 + p1 + c, largest = fmax(fmax(fabs(p0), fabs(p1)), fabs(c));
    l->d = bits_of_f32((float)sum);
    l->ulp = 1;
    if (isfinite(largest))
        l->abs = fmax(largest * 0x1p-22, 0x1p-125); /* denormals may be flushed */
    if (largest >= 0x1p127)
        l->any = true; /* intermediate overflow depends on the order */
}
static double value_f16(uint64_t v)
{
    return f16_of(v);
}
static double value_bf16(uint64_t v)
{
    return bf16_of(v);
}
/* fma_mix: sources are binary32 values here, already widened. */
static void mix_f16(struct ref_lane *l, int half)
{
    uint32_t once = q_to_small((quad)fmaf(F0, F1, F2), 5, 10, ROUND_EVEN);
    /* Rounding the exact sum directly to binary16 is the other reading of "f32_to_f16(a * b + c)". */
    uint32_t direct = q_to_small((quad)F0 * (quad)F1 + (quad)F2, 5, 10, ROUND_EVEN);
    uint32_t keep = l->old & (half ? 0xffff : 0xffff0000);
    l->d = keep | once << (16 * half);
    l->alt[l->n_alt++] = keep | direct << (16 * half);
}

#define EACH(f) each_half(l, f)
#define PK(X, name, type, n2, flags, f) X(name, E_VOP3P, type, type, type, n2, flags, A_ALL, EACH(f))
#define OPS(X)                                                                                               \
    PK(X, v_pk_mad_i16, T_PK16, T_PK16, F_ICLAMP, mad_i16)                                                   \
    PK(X, v_pk_mul_lo_u16, T_PK16, 0, 0, mul_u16)                                                            \
    PK(X, v_pk_add_i16, T_PK16, 0, F_ICLAMP, add_i16)                                                        \
    PK(X, v_pk_sub_i16, T_PK16, 0, F_ICLAMP, sub_i16)                                                        \
    PK(X, v_pk_lshlrev_b16, T_PK16, 0, 0, lshl_u16)                                                          \
    PK(X, v_pk_lshrrev_b16, T_PK16, 0, 0, lshr_u16)                                                          \
    PK(X, v_pk_ashrrev_i16, T_PK16, 0, 0, ashr_i16)                                                          \
    PK(X, v_pk_max_i16, T_PK16, 0, 0, max_i16)                                                               \
    PK(X, v_pk_min_i16, T_PK16, 0, 0, min_i16)                                                               \
    PK(X, v_pk_mad_u16, T_PK16, T_PK16, F_ICLAMP, mad_u16)                                                   \
    PK(X, v_pk_add_u16, T_PK16, 0, F_ICLAMP, add_u16)                                                        \
    PK(X, v_pk_sub_u16, T_PK16, 0, F_ICLAMP, sub_u16)                                                        \
    PK(X, v_pk_max_u16, T_PK16, 0, 0, max_u16)                                                               \
    PK(X, v_pk_min_u16, T_PK16, 0, 0, min_u16)                                                               \
    PK(X, v_pk_fma_f16, T_PKF16, T_PKF16, 0, fma_f16)                                                        \
    PK(X, v_pk_add_f16, T_PKF16, 0, 0, add_f16)                                                              \
    PK(X, v_pk_mul_f16, T_PKF16, 0, 0, mul_f16)                                                              \
    PK(X, v_pk_min_f16, T_PKF16, 0, 0, min_f16)                                                              \
    PK(X, v_pk_max_f16, T_PKF16, 0, 0, max_f16)                                                              \
    X(v_pk_minimum3_f16, E_VOP3P, T_PKF16, T_PKF16, T_PKF16, T_PKF16, 0, A_950, EACH(minimum3))              \
    X(v_pk_maximum3_f16, E_VOP3P, T_PKF16, T_PKF16, T_PKF16, T_PKF16, 0, A_950, EACH(maximum3))              \
    X(v_pk_fmac_f16, E_VOP2, T_PKF16, T_PKF16, T_PKF16, 0, F_ACC | F_NOMOD | F_NOCONST, A_ALL,               \
      EACH(fma_f16))                                                                                         \
    X(v_dot2_f32_f16, E_VOP3P, T_F32, T_PKF16, T_PKF16, T_F32, F_NOCONST, A_ALL, dot2(l, value_f16))         \
    X(v_dot2_f32_bf16, E_VOP3P, T_F32, T_BF16x2, T_BF16x2, T_F32, F_NOCONST, A_950, dot2(l, value_bf16))     \
    X(v_dot2c_f32_f16, E_VOP2, T_F32, T_PKF16, T_PKF16, 0, F_ACC | F_NOMOD | F_NOCONST, A_ALL,               \
      dot2(l, value_f16))                                                                                    \
    X(v_dot2c_f32_bf16, E_VOP2, T_F32, T_BF16x2, T_BF16x2, 0, F_ACC | F_NOMOD | F_NOCONST, A_950,            \
      dot2(l, value_bf16))                                                                                   \
    X(v_fma_mix_f32, E_VOP3P, T_F32, T_F32, T_F32, T_F32, F_MIX | F_NOCONST, A_ALL,                          \
      l->d = bits_of_f32(fmaf(F0, F1, F2)))                                                                  \
    X(v_fma_mixlo_f16, E_VOP3P, T_PKF16, T_F32, T_F32, T_F32, F_MIX | F_NOCONST | F_NOCLAMP, A_ALL,          \
      mix_f16(l, 0))                                                                                         \
    X(v_fma_mixhi_f16, E_VOP3P, T_PKF16, T_F32, T_F32, T_F32, F_MIX | F_NOCONST | F_NOCLAMP, A_ALL,          \
      mix_f16(l, 1))                                                                                         \
    X(v_pk_fma_f32, E_VOP3P, T_PKF32, T_PKF32, T_PKF32, T_PKF32, 0, A_ALL,                                   \
      l->d = pair(fmaf(lo32(Q0), lo32(Q1), lo32(Q2)), fmaf(hi32(Q0), hi32(Q1), hi32(Q2))))                   \
    X(v_pk_mul_f32, E_VOP3P, T_PKF32, T_PKF32, T_PKF32, 0, 0, A_ALL,                                         \
      l->d = pair(lo32(Q0) * lo32(Q1), hi32(Q0) * hi32(Q1)))                                                 \
    X(v_pk_add_f32, E_VOP3P, T_PKF32, T_PKF32, T_PKF32, 0, 0, A_ALL,                                         \
      l->d = pair(lo32(Q0) + lo32(Q1), hi32(Q0) + hi32(Q1)))                                                 \
    X(v_pk_mov_b32, E_VOP3P, T_B64, T_PKF32, T_PKF32, 0, F_NOMOD, A_ALL, l->d = (Q0 & 0xffffffff) | Q1 << 32)

OPS(REF_DEFINE)
static const struct ref_op table[] = {OPS(REF_ROW)};
const struct ref_list ref_pk_ops = {table, sizeof table / sizeof *table};
