/*
 * valu_transcendental.c - reciprocals, square roots, exp2, log2, sine and cosine. Semantics: MI200 ISA
 * chapter 12; the hardware promises 1 ulp, so any result that close is right. f32 is computed in f64 and
 * rounded once.
 *
 * v_exp_f32 and v_log_f32 flush denormals whatever MODE says (MI200 ISA); the others follow MODE.
 */
#include "valu_float.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;

#define SQRT(x) __builtin_elementwise_sqrt(x)

/* ---- Reciprocals and roots ---- */
#define op_rcp_f32(a) sg_u32(1.0f / sg_f32(a))
#define op_rsq_f32(a) sg_u32((float)(1.0 / SQRT((double)sg_f32(a))))
#define op_sqrt_f32(a) sg_u32(SQRT(sg_f32(a)))
#define op_rcp_f64(a) sg_u64(1.0 / sg_f64(a))
#define op_rsq_f64(a) sg_u64(1.0 / SQRT(sg_f64(a)))
#define op_sqrt_f64(a) sg_u64(SQRT(sg_f64(a)))
#define op_rcp_f16(a) SG_F16_OUT(1.0f / SG_F16_IN(a))
#define op_rsq_f16(a) SG_F16_OUT(1.0f / SQRT(SG_F16_IN(a)))
#define op_sqrt_f16(a) SG_F16_OUT(SQRT(SG_F16_IN(a)))
SG_FAMILY1(rcp_f32, 32, 32, 32)
SG_FAMILY1(rsq_f32, 32, 32, 32)
SG_FAMILY1(sqrt_f32, 32, 32, 32)
SG_FAMILY1(rcp_f64, 64, 64, 64)
SG_FAMILY1(rsq_f64, 64, 64, 64)
SG_FAMILY1(sqrt_f64, 64, 64, 64)
SG_FAMILY1(rcp_f16, 32, 32, 16)
SG_FAMILY1(rsq_f16, 32, 32, 16)
SG_FAMILY1(sqrt_f16, 32, 32, 16)

/* ---- exp2 and log2 ---- */

/* 2^x for finite x: 2^n by exponent bits, 2^f for |f| <= 1/2 by the series of e^(f ln 2); the first term left
 * out is (ln2/2)^12 / 12! < 1e-14. */
static inline double exp2_f64(double x)
{
    double bounded = x < -300.0 ? -300.0 : x > 300.0 ? 300.0 : x;
    double n = __builtin_roundeven(bounded);
    double t = (bounded - n) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 39916800;
    p = __builtin_fma(p, t, 1.0 / 3628800);
    p = __builtin_fma(p, t, 1.0 / 362880);
    p = __builtin_fma(p, t, 1.0 / 40320);
    p = __builtin_fma(p, t, 1.0 / 5040);
    p = __builtin_fma(p, t, 1.0 / 720);
    p = __builtin_fma(p, t, 1.0 / 120);
    p = __builtin_fma(p, t, 1.0 / 24);
    p = __builtin_fma(p, t, 1.0 / 6);
    p = __builtin_fma(p, t, 0.5);
    p = __builtin_fma(p, t, 1.0);
    p = __builtin_fma(p, t, 1.0);
    return p * sg_f64((u64)(uint32_t)((i32)n + 1023) << 52);
}

/* log2 of a positive normal double: exponent plus 2/ln2 * artanh(s), s = (m-1)/(m+1), m within sqrt(1/2) and
 * sqrt(2), so |s| < 0.1716 and the first term left out is s^21/21 < 1e-17. */
static inline double log2_f64(double x)
{
    u64 bits = sg_u64(x);
    double m = sg_f64((bits & 0xfffffffffffff) | 1023ull << 52);
    double e = (double)((i32)(bits >> 52) - 1023);
    bool high = m > 0x1.6a09e667f3bcdp+0;
    m = high ? m * 0.5 : m;
    e = high ? e + 1.0 : e;
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 1.0 / 19;
    p = __builtin_fma(p, z, 1.0 / 17);
    p = __builtin_fma(p, z, 1.0 / 15);
    p = __builtin_fma(p, z, 1.0 / 13);
    p = __builtin_fma(p, z, 1.0 / 11);
    p = __builtin_fma(p, z, 1.0 / 9);
    p = __builtin_fma(p, z, 1.0 / 7);
    p = __builtin_fma(p, z, 1.0 / 5);
    p = __builtin_fma(p, z, 1.0 / 3);
    p = __builtin_fma(p, z, 1.0);
    return __builtin_fma(p * s, 0x1.71547652b82fep+1, e);
}

static inline u32 flush32(u32 a)
{
    return a & 0x7f800000 ? a : a & 0x80000000;
}
static inline u32 op_exp_f32(u32 a)
{
    float x = sg_f32(a);
    u32 r = flush32(sg_u32((float)exp2_f64((double)(x == x ? x : 0.0f))));
    return x == x ? r : a | 0x00400000;
}
static inline u32 log2_special(u32 a, u32 regular)
{
    bool nan = sg_nan32(a), zero = !(a & 0x7fffffff), negative = a >> 31;
    u32 r = a == 0x7f800000 ? a : negative ? 0xffc00000 : regular;
    r = zero ? 0xff800000 : r;
    return nan ? a | 0x00400000 : r;
}
static inline u32 op_log_f32(u32 a)
{
    u32 x = flush32(a);
    return log2_special(x, sg_u32((float)log2_f64((double)sg_f32(x & 0x7fffffff))));
}
SG_FAMILY1(exp_f32, 32, 32, NONE)
SG_FAMILY1(log_f32, 32, 32, NONE)

static inline u32 exp_f16(float x)
{
    double r = exp2_f64((double)(x == x ? x : 0.0f));
    return sg_f16_of_f32(x == x ? (float)r : x);
}
static inline u32 log_f16(float x)
{
    u32 bits = sg_u32(x);
    return sg_f16_of_f32(sg_f32(log2_special(bits, sg_u32((float)log2_f64((double)__builtin_fabsf(x))))));
}
#define op_exp_f16(a) sg_flush16(exp_f16(SG_F16_IN(a)), flush_out)
#define op_log_f16(a) sg_flush16(log_f16(SG_F16_IN(a)), flush_out)
SG_FAMILY1(exp_f16, 32, 32, 16)
SG_FAMILY1(log_f16, 32, 32, 16)

/* ---- Sine and cosine of revolutions ---- */

/* sin(2 pi r) for |r| <= 1/4 by its series; the first term left out is (pi/2)^21 / 21! < 1e-15. */
static inline double sine_quarter(double r)
{
    double x = r * 0x1.921fb54442d18p+2, z = x * x;
    double p = -1.0 / 121645100408832000;
    p = __builtin_fma(p, z, 1.0 / 355687428096000);
    p = __builtin_fma(p, z, -1.0 / 1307674368000);
    p = __builtin_fma(p, z, 1.0 / 6227020800);
    p = __builtin_fma(p, z, -1.0 / 39916800);
    p = __builtin_fma(p, z, 1.0 / 362880);
    p = __builtin_fma(p, z, -1.0 / 5040);
    p = __builtin_fma(p, z, 1.0 / 120);
    p = __builtin_fma(p, z, -1.0 / 6);
    return __builtin_fma(p * z, x, x);
}
/* Reductions are exact: r = x - nearest integer, then the mirror image about 1/4. */
static inline double sine(double x)
{
    double r = x - __builtin_roundeven(x), a = __builtin_fabs(r);
    double folded = a > 0.25 ? 0.5 - a : a;
    return __builtin_copysign(sine_quarter(folded), x < 0 || x > 0 ? r : x);
}
static inline double cosine(double x)
{
    double r = x - __builtin_roundeven(x);
    return sine_quarter(0.25 - __builtin_fabs(r));
}
/* Outside [-256, 256] the hardware gives sin 0 and cos 1; infinities and NaN give NaN. */
static inline float bounded_sine(float x)
{
    float a = __builtin_fabsf(x), inside = a <= 256.0f ? x : 0.0f;
    float r = (float)sine((double)inside);
    return a < __builtin_inff() ? r : x - x;
}
static inline float bounded_cosine(float x)
{
    float a = __builtin_fabsf(x), inside = a <= 256.0f ? x : 0.0f;
    float r = (float)cosine((double)inside);
    return a < __builtin_inff() ? r : x - x;
}
#define op_sin_f32(a) sg_u32(bounded_sine(sg_f32(a)))
#define op_cos_f32(a) sg_u32(bounded_cosine(sg_f32(a)))
#define op_sin_f16(a) SG_F16_OUT(bounded_sine(SG_F16_IN(a)))
#define op_cos_f16(a) SG_F16_OUT(bounded_cosine(SG_F16_IN(a)))
SG_FAMILY1(sin_f32, 32, 32, 32)
SG_FAMILY1(cos_f32, 32, 32, 32)
SG_FAMILY1(sin_f16, 32, 32, 16)
SG_FAMILY1(cos_f16, 32, 32, 16)

#define OP1(NAME, T, FNS) {.op = GCN_OP_V_##NAME, .dst = SG_T_##T, .src = {SG_T_##T}, .fns = FNS##_fns}

const struct sg_valu_op sg_valu_transcendental_ops[] = {
    OP1(RCP_F32, F32, rcp_f32),   OP1(RCP_IFLAG_F32, F32, rcp_f32),  OP1(RSQ_F32, F32, rsq_f32),
    OP1(SQRT_F32, F32, sqrt_f32), OP1(RCP_F64, F64, rcp_f64),        OP1(RSQ_F64, F64, rsq_f64),
    OP1(SQRT_F64, F64, sqrt_f64), OP1(RCP_F16, F16, rcp_f16),        OP1(RSQ_F16, F16, rsq_f16),
    OP1(SQRT_F16, F16, sqrt_f16), OP1(EXP_F32, F32, exp_f32),        OP1(EXP_LEGACY_F32, F32, exp_f32),
    OP1(LOG_F32, F32, log_f32),   OP1(LOG_LEGACY_F32, F32, log_f32), OP1(EXP_F16, F16, exp_f16),
    OP1(LOG_F16, F16, log_f16),   OP1(SIN_F32, F32, sin_f32),        OP1(COS_F32, F32, cos_f32),
    OP1(SIN_F16, F16, sin_f16),   OP1(COS_F16, F16, cos_f16),        {0},
};
