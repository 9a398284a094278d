/*
 * ref_valu_f32.c - reference of the binary32 operations of the vector ALU. Host arithmetic is IEEE with
 * round-to-nearest-even, which is the mode of every HIP kernel; this file is compiled without contraction.
 */
#include "ref_valu.h"

static uint32_t quiet(uint32_t nan)
{
    return nan | 0x00400000;
}
static uint32_t ref_min_f32(uint32_t a, uint32_t b)
{
    if (is_snan32(a))
        return quiet(a);
    if (is_snan32(b))
        return quiet(b);
    if (is_nan32(a))
        return b;
    if (is_nan32(b))
        return a;
    if (f32_of(a) == 0 && f32_of(b) == 0)
        return a >> 31 ? a : b;
    return f32_of(a) < f32_of(b) ? a : b;
}
static uint32_t ref_max_f32(uint32_t a, uint32_t b)
{
    if (is_snan32(a))
        return quiet(a);
    if (is_snan32(b))
        return quiet(b);
    if (is_nan32(a))
        return b;
    if (is_nan32(b))
        return a;
    if (f32_of(a) == 0 && f32_of(b) == 0)
        return a >> 31 ? b : a;
    return f32_of(a) > f32_of(b) ? a : b;
}
static void med3(struct ref_lane *l)
{
    uint32_t a = U0, b = U1, c = U2;
    if (is_nan32(a) || is_nan32(b) || is_nan32(c)) {
        l->d = ref_min_f32(ref_min_f32(a, b), c);
        return;
    }
    uint32_t top = ref_max_f32(ref_max_f32(a, b), c);
    if (f32_of(top) == f32_of(a))
        l->d = ref_max_f32(b, c);
    else if (f32_of(top) == f32_of(b))
        l->d = ref_max_f32(a, c);
    else
        l->d = ref_max_f32(a, b);
    /* "max3 == S0" is true for zeros of both signs in the pseudo-code; as an order, -0 is below +0. */
    if ((l->d & 0x7fffffff) == 0)
        l->alt[l->n_alt++] = l->d ^ 0x80000000;
}
/* IEEE 754-2019 minimum: any NaN wins. */
static uint32_t minimum(uint32_t a, uint32_t b)
{
    return is_nan32(a) ? quiet(a) : is_nan32(b) ? quiet(b) : ref_min_f32(a, b);
}
static uint32_t maximum(uint32_t a, uint32_t b)
{
    return is_nan32(a) ? quiet(a) : is_nan32(b) ? quiet(b) : ref_max_f32(a, b);
}

/* Transcendental units: at most 1 ulp of the exact value. They may treat denormal inputs as zero and give
 * zero for denormal results; both are accepted. */
static void approximate(struct ref_lane *l, double exact, double exact_of_zero)
{
    l->d = bits_of_f32((float)exact);
    l->ulp = 1;
    if (is_denorm32(U0))
        l->alt[l->n_alt++] = bits_of_f32((float)copysign(exact_of_zero, 1) * (exact_of_zero < 0 ? -1 : 1));
    if (is_denorm32((uint32_t)l->d))
        l->alt[l->n_alt++] = l->d & 0x80000000;
}
static void rcp(struct ref_lane *l)
{
    double v = F0;
    approximate(l, 1.0 / v, copysign(INFINITY, v));
}
static void rsq(struct ref_lane *l)
{
    double v = F0;
    approximate(l, 1.0 / sqrt(v), copysign(INFINITY, v));
    if (is_denorm32(U0) && U0 >> 31) /* flushed to -0: -inf */
        l->any = true;
    if (v == 0)
        l->d = bits_of_f32(copysignf(INFINITY, F0));
}
static void root(struct ref_lane *l)
{
    approximate(l, sqrt((double)F0), copysign(0.0, F0));
    if (is_denorm32(U0))
        l->alt[0] = U0 & 0x80000000;
}
static void log_2(struct ref_lane *l)
{
    approximate(l, log2((double)F0), -INFINITY);
    l->abs = 0x1p-21; /* near 1 the unit's absolute error counts */
}
static void exp_2(struct ref_lane *l)
{
    approximate(l, exp2((double)F0), 1.0);
}
/* Input in revolutions. Hardware's range is [-256, +256]; beyond it the result is not specified. */
static void trig(struct ref_lane *l, bool is_cos)
{
    double v = F0;
    if (!(fabs(v) <= 256)) {
        if (v - v == 0) {
            l->any = true;
            return;
        }
        l->d = 0x7fc00000;
        return;
    }
    double turn = v - floor(v);
    double r = is_cos ? cos(turn * 2 * M_PI) : sin(turn * 2 * M_PI);
    l->d = bits_of_f32((float)r);
    l->abs = 0x1p-20;
}
static void fract(struct ref_lane *l)
{
    float v = F0;
    /* v - floor(v); for tiny negative v the exact result rounds to 1.0; hardware gives the largest value
     * below 1 (OpenCL's fract) or 1.0: both stand in the documentation (text and pseudo-code). */
    float r = v - floorf(v);
    l->d = bits_of_f32(r);
    if (r >= 1.0f)
        l->alt[l->n_alt++] = 0x3f7fffff;
    if (isinf(v)) {
        l->alt[l->n_alt++] = 0; /* text of the manual for infinity is silent */
    }
    if (r == 0)
        l->alt[l->n_alt++] = 0x80000000;
}
static void frexp_exp(struct ref_lane *l)
{
    int e = 0;
    if (isfinite(F0))
        frexpf(F0, &e);
    l->d = (uint32_t)e;
}
static void frexp_mant(struct ref_lane *l)
{
    int e;
    l->d = isfinite(F0) ? bits_of_f32(frexpf(F0, &e)) : U0;
}
/* Scaling by 2^n with one rounding; n saturates far outside of the exponent range. */
static void ldexp_f32(struct ref_lane *l)
{
    int n = (int)clamp_int(I1, -600, 600);
    l->d = bits_of_f32((float)ldexp((double)F0, n));
}
/* Unfused multiply-add that flushes denormals (v_mad_f32, v_mac_f32, v_madmk, v_madak). */
static float flush(float v)
{
    return fpclassify(v) == FP_SUBNORMAL ? copysignf(0, v) : v;
}
static void mad_flush(struct ref_lane *l, float a, float b, float c)
{
    volatile float product = flush(a) * flush(b);
    l->d = bits_of_f32(flush(flush(product) + flush(c)));
    l->alt[l->n_alt++] = bits_of_f32(flush(product + flush(c)));
}
static bool zero_times(float a, float b)
{
    return a == 0 || b == 0;
}

static void cube(struct ref_lane *l, int what)
{
    float x = F0, y = F1, z = F2, id, sc, tc, ma;
    if (isnan(x) || isnan(y) || isnan(z)) {
        l->any = true;
        return;
    }
    if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y)) {
        id = z < 0 ? 5 : 4, sc = z < 0 ? -x : x, tc = -y, ma = z;
    } else if (fabsf(y) >= fabsf(x)) {
        id = y < 0 ? 3 : 2, sc = x, tc = y < 0 ? -z : z, ma = y;
    } else {
        id = x < 0 ? 1 : 0, sc = x < 0 ? z : -z, tc = -y, ma = x;
    }
    float r[4] = {id, sc, tc, ma * 2};
    l->d = bits_of_f32(r[what]);
}

static int exponent(uint32_t v)
{
    return (int)(v >> 23) & 255;
}
static void div_fixup(struct ref_lane *l)
{
    uint32_t q = U0, den = U1, num = U2, sign = (den ^ num) & 0x80000000;
    float d = fabsf(f32_of(den)), n = fabsf(f32_of(num));
    if (is_nan32(num))
        l->d = quiet(num);
    else if (is_nan32(den))
        l->d = quiet(den);
    else if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        l->d = 0xffc00000;
    else if (d == 0 || isinf(n))
        l->d = sign | 0x7f800000;
    else if (isinf(d) || n == 0)
        l->d = sign;
    else if (exponent(num) - exponent(den) < -150)
        l->d = sign, l->alt[l->n_alt++] = sign | 1; /* "UNDERFLOW": rounded result, 0 under RNE */
    else if (is_nan32(q)) /* the quotient overflowed on its way here; printed as "exponent(S1) == 255" */
        l->d = sign | 0x7f800000;
    else
        l->d = sign | (q & 0x7fffffff);
}
/* Brings quotient computation into range: see the pseudo-code of V_DIV_SCALE_F32. S0 is the one of S1
 * (denominator), S2 (numerator) that shall be scaled. A condition on "the quotient is denormal" is evaluated
 * on the exactly rounded quotient. */
static void div_scale(struct ref_lane *l)
{
    float s0 = F0, den = F1, num = F2;
    l->cout = false;
    l->d = U0;
    if (U0 != U1 && U0 != U2) { /* the manual demands S0 to be S1 or S2 */
        l->any = true;
        return;
    }
    if (num == 0 || den == 0) {
        l->d = 0x7fc00000;
        return;
    }
    bool den_is_s0 = s0 == den, num_is_s0 = s0 == num;
    float quotient = (float)((double)num / (double)den);
    bool q_denormal = fpclassify(quotient) == FP_SUBNORMAL;
    /* 1/S1 in double is a normal number for every float; the manual means binary32's range. */
    float reciprocal = (float)(1.0 / (double)den);
    bool r_denormal = fpclassify(reciprocal) == FP_SUBNORMAL;
    if (quotient == 0 || fabsf(quotient) == 0x1p-126f) { /* at the edges hardware compares exponents */
        l->any = true;
        return;
    }
    float up = ldexpf(s0, 64), down = (float)ldexp((double)s0, -64);
    if (exponent(U2) - exponent(U1) >= 96) {
        l->cout = true;
        if (den_is_s0)
            l->d = bits_of_f32(up);
    } else if (is_denorm32(U1)) {
        l->d = bits_of_f32(up);
    } else if (r_denormal && q_denormal) {
        l->cout = true;
        if (den_is_s0) { /* printed: 2^+k, which would overflow; scaling down is what brings it into range */
            l->d = bits_of_f32(up);
            l->alt[l->n_alt++] = bits_of_f32(down);
        }
    } else if (r_denormal) {
        l->d = bits_of_f32(down);
        l->alt[l->n_alt++] = exponent(U2) <= 23 ? bits_of_f32(up) : U0; /* condition read in binary64 */
    } else if (q_denormal) {
        l->cout = true;
        if (num_is_s0)
            l->d = bits_of_f32(up);
    } else if (exponent(U2) <= 23) {
        l->d = bits_of_f32(up);
    }
}
/* Fused multiply-add, then scaling back what v_div_scale did: by 2^64 if the quotient estimate S2 is at
 * least 2 (the denominator had been scaled up), else by 2^-64. Whether a denormal result is rounded once or
 * twice is not documented: neighbours are accepted. */
static void div_fmas(struct ref_lane *l)
{
    float r = fmaf(F0, F1, F2);
    if (l->cin)
        r = (float)ldexp((double)r, exponent(U2) > 127 ? 64 : -64);
    l->d = bits_of_f32(r);
    if (l->cin && (is_denorm32((uint32_t)l->d) || r == 0 || (l->d & 0x7fffffff) == 0x00800000))
        l->ulp = 1;
}
static void mul_legacy(struct ref_lane *l)
{
    l->d = zero_times(F0, F1) ? 0 : bits_of_f32(F0 * F1);
}

#define R(v) l->d = bits_of_f32(v)
#define OPS(X)                                                                                               \
    X(v_fract_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, fract(l))                                           \
    X(v_trunc_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, R(truncf(F0)))                                      \
    X(v_ceil_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, R(ceilf(F0)))                                        \
    X(v_rndne_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, R(nearbyintf(F0)))                                  \
    X(v_floor_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, R(floorf(F0)))                                      \
    X(v_exp_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, exp_2(l))                                             \
    X(v_log_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, log_2(l))                                             \
    X(v_exp_legacy_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, exp_2(l))                                      \
    X(v_log_legacy_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, log_2(l))                                      \
    X(v_rcp_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, rcp(l))                                               \
    X(v_rcp_iflag_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, rcp(l))                                         \
    X(v_rsq_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, rsq(l))                                               \
    X(v_sqrt_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, root(l))                                             \
    X(v_sin_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, trig(l, false))                                       \
    X(v_cos_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, trig(l, true))                                        \
    X(v_frexp_exp_i32_f32, E_VOP1, T_B32, T_F32, 0, 0, 0, A_ALL, frexp_exp(l))                               \
    X(v_frexp_mant_f32, E_VOP1, T_F32, T_F32, 0, 0, 0, A_ALL, frexp_mant(l))                                 \
    X(v_add_f32, E_VOP2, T_F32, T_F32, T_F32, 0, 0, A_ALL, R(F0 + F1))                                       \
    X(v_sub_f32, E_VOP2, T_F32, T_F32, T_F32, 0, 0, A_ALL, R(F0 - F1))                                       \
    X(v_subrev_f32, E_VOP2, T_F32, T_F32, T_F32, 0, 0, A_ALL, R(F1 - F0))                                    \
    X(v_mul_f32, E_VOP2, T_F32, T_F32, T_F32, 0, 0, A_ALL, R(F0 *F1))                                        \
    X(v_mul_legacy_f32, E_VOP3, T_F32, T_F32, T_F32, 0, 0, A_ALL, mul_legacy(l))                             \
    X(v_min_f32, E_VOP2, T_F32, T_F32, T_F32, 0, 0, A_ALL, l->d = ref_min_f32(U0, U1))                       \
    X(v_max_f32, E_VOP2, T_F32, T_F32, T_F32, 0, 0, A_ALL, l->d = ref_max_f32(U0, U1))                       \
    X(v_fmac_f32, E_VOP2, T_F32, T_F32, T_F32, 0, F_ACC, A_ALL, R(fmaf(F0, F1, F2)))                         \
    X(v_mac_f32, E_VOP2, T_F32, T_F32, T_F32, 0, F_ACC, A_90A, mad_flush(l, F0, F1, F2))                     \
    X(v_madmk_f32, E_VOP2, T_F32, T_F32, T_F32, T_F32, F_K | F_NOMOD, A_90A, mad_flush(l, F0, F1, F2))       \
    X(v_madak_f32, E_VOP2, T_F32, T_F32, T_F32, T_F32, F_AK | F_NOMOD, A_90A, mad_flush(l, F0, F1, F2))      \
    X(v_fmamk_f32, E_VOP2, T_F32, T_F32, T_F32, T_F32, F_K | F_NOMOD, A_942 | A_950 | A_1030,                \
      R(fmaf(F0, F1, F2)))                                                                                   \
    X(v_fmaak_f32, E_VOP2, T_F32, T_F32, T_F32, T_F32, F_AK | F_NOMOD, A_942 | A_950 | A_1030,               \
      R(fmaf(F0, F1, F2)))                                                                                   \
    X(v_mad_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_90A, mad_flush(l, F0, F1, F2))                     \
    X(v_mad_legacy_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_90A,                                        \
      zero_times(flush(F0), flush(F1)) ? mad_flush(l, 0, 0, F2) : mad_flush(l, F0, F1, F2))                  \
    X(v_cubeid_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, cube(l, 0))                                \
    X(v_cubesc_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, cube(l, 1))                                \
    X(v_cubetc_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, cube(l, 2))                                \
    X(v_cubema_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, cube(l, 3))                                \
    X(v_fma_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, R(fmaf(F0, F1, F2)))                          \
    X(v_min3_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, l->d = ref_min_f32(ref_min_f32(U0, U1), U2)) \
    X(v_max3_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, l->d = ref_max_f32(ref_max_f32(U0, U1), U2)) \
    X(v_med3_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, med3(l))                                     \
    X(v_minimum3_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_950, l->d = minimum(minimum(U0, U1), U2))     \
    X(v_maximum3_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_950, l->d = maximum(maximum(U0, U1), U2))     \
    X(v_div_fixup_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, 0, A_ALL, div_fixup(l))                           \
    X(v_div_scale_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, F_CO | F_NOCLAMP, A_ALL, div_scale(l))            \
    X(v_div_fmas_f32, E_VOP3, T_F32, T_F32, T_F32, T_F32, F_VCCIN, A_ALL, div_fmas(l))                       \
    X(v_ldexp_f32, E_VOP3, T_F32, T_F32, T_B32, 0, 0, A_ALL, ldexp_f32(l))

OPS(REF_DEFINE)
static const struct ref_op table[] = {OPS(REF_ROW)};
const struct ref_list ref_f32_ops = {table, sizeof table / sizeof *table};
