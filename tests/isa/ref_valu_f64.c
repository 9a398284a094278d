/*
 * ref_valu_f64.c - reference of the binary64 operations of the vector ALU.
 */
#include "ref_valu.h"

static uint64_t quiet(uint64_t nan)
{
    return nan | 0x0008000000000000;
}
static uint64_t ref_min_f64(uint64_t a, uint64_t b)
{
    if (is_snan64(a))
        return quiet(a);
    if (is_snan64(b))
        return quiet(b);
    if (is_nan64(a))
        return b;
    if (is_nan64(b))
        return a;
    if (f64_of(a) == 0 && f64_of(b) == 0)
        return a >> 63 ? a : b;
    return f64_of(a) < f64_of(b) ? a : b;
}
static uint64_t ref_max_f64(uint64_t a, uint64_t b)
{
    if (is_snan64(a))
        return quiet(a);
    if (is_snan64(b))
        return quiet(b);
    if (is_nan64(a))
        return b;
    if (is_nan64(b))
        return a;
    if (f64_of(a) == 0 && f64_of(b) == 0)
        return a >> 63 ? b : a;
    return f64_of(a) > f64_of(b) ? a : b;
}
static int exponent(uint64_t v)
{
    return (int)(v >> 52) & 2047;
}
static bool denormal(double v)
{
    return fpclassify(v) == FP_SUBNORMAL;
}
/* v_rcp_f64 and v_rsq_f64 are first approximations: relative error at most 2^-26 (compiler refines them). */
static void approximate(struct ref_lane *l, double exact)
{
    l->d = bits_of_f64(exact);
    if (isfinite(exact) && exact != 0)
        l->abs = fabs(exact) * 0x1p-26;
    if (denormal(D0) || denormal(exact))
        l->any = true; /* handling of denormals by the unit is not documented */
}
static void fract(struct ref_lane *l)
{
    double v = D0, r = v - floor(v);
    l->d = bits_of_f64(r);
    if (r >= 1.0)
        l->alt[l->n_alt++] = bits_of_f64(nextafter(1.0, 0.0));
    if (isinf(v))
        l->alt[l->n_alt++] = 0;
    if (r == 0)
        l->alt[l->n_alt++] = 1ull << 63;
}
static void frexp_exp(struct ref_lane *l)
{
    int e = 0;
    if (isfinite(D0))
        frexp(D0, &e);
    l->d = (uint32_t)e;
}
static void frexp_mant(struct ref_lane *l)
{
    int e;
    l->d = isfinite(D0) ? bits_of_f64(frexp(D0, &e)) : Q0;
}
static void ldexp_f64(struct ref_lane *l)
{
    l->d = bits_of_f64(ldexp(D0, (int)clamp_int(I1, -5000, 5000)));
}
static void div_fixup(struct ref_lane *l)
{
    uint64_t den = Q1, num = Q2, sign = (den ^ num) & 1ull << 63;
    double d = fabs(D1), n = fabs(D2);
    if (is_nan64(num))
        l->d = quiet(num);
    else if (is_nan64(den))
        l->d = quiet(den);
    else if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        l->d = 0xfff8000000000000;
    else if (d == 0 || isinf(n))
        l->d = sign | 0x7ff0000000000000;
    else if (isinf(d) || n == 0)
        l->d = sign;
    else if (exponent(num) - exponent(den) < -1075)
        l->d = sign, l->alt[l->n_alt++] = sign | 1;
    else if (is_nan64(Q0)) /* the quotient overflowed on its way here; printed as "exponent(S1) == 2047" */
        l->d = sign | 0x7ff0000000000000;
    else
        l->d = sign | (Q0 & ~(1ull << 63));
}
static void div_scale(struct ref_lane *l)
{
    double s0 = D0, den = D1, num = D2;
    l->cout = false;
    l->d = Q0;
    if (Q0 != Q1 && Q0 != Q2) {
        l->any = true;
        return;
    }
    if (num == 0 || den == 0) {
        l->d = 0x7ff8000000000000;
        return;
    }
    bool den_is_s0 = s0 == den, num_is_s0 = s0 == num;
    double quotient = num / den;
    bool q_denormal = denormal(quotient), r_denormal = denormal(1.0 / den);
    if (quotient == 0 || fabs(quotient) == 0x1p-1022) {
        l->any = true;
        return;
    }
    double up = ldexp(s0, 128), down = ldexp(s0, -128);
    if (exponent(Q2) - exponent(Q1) >= 768) {
        l->cout = true;
        if (den_is_s0)
            l->d = bits_of_f64(up);
    } else if (denormal(den)) {
        l->d = bits_of_f64(up);
    } else if (r_denormal && q_denormal) {
        l->cout = true;
        if (den_is_s0) { /* printed: 2^+k, which would overflow; scaling down is what brings it into range */
            l->d = bits_of_f64(up);
            l->alt[l->n_alt++] = bits_of_f64(down);
        }
    } else if (r_denormal) {
        l->d = bits_of_f64(down);
    } else if (q_denormal) {
        l->cout = true;
        if (num_is_s0)
            l->d = bits_of_f64(up);
    } else if (exponent(Q2) <= 53) {
        l->d = bits_of_f64(up);
    }
}
static void div_fmas(struct ref_lane *l)
{
    double r = fma(D0, D1, D2);
    if (l->cin)
        r = ldexp(r, exponent(Q2) > 1023 ? 128 : -128);
    l->d = bits_of_f64(r);
    if (l->cin && fabs(r) <= 0x1p-1022)
        l->ulp = 1;
}

/* 2/pi = 0.b1200 b1199 ... b0; printed by gen_two_over_pi.py. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};
static int two_over_pi_bit(int from_top)
{
    return from_top >= 1201 ? 0 : (int)(two_over_pi[from_top / 64] >> (63 - from_top % 64)) & 1;
}
static void trig_preop(struct ref_lane *l)
{
    int shift = (int)(U1 & 31) * 53;
    if (exponent(Q0) > 1077)
        shift += exponent(Q0) - 1077;
    uint64_t whole = 0;
    /* Shifting the 1201-bit fraction left by `shift` lifts bits into the whole part; the
     * kept 53 are bits shift .. shift+52, counted from the most significant one. */
    for (int i = 0; i < 53; i++)
        whole = whole << 1 | (uint64_t)two_over_pi_bit(shift + i);
    int scale = -53 - shift;
    if (exponent(Q0) >= 1968)
        scale += 128;
    l->d = bits_of_f64(ldexp((double)whole, scale));
}

#define R(v) l->d = bits_of_f64(v)
#define OPS(X)                                                                                               \
    X(v_trunc_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, R(trunc(D0)))                                       \
    X(v_ceil_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, R(ceil(D0)))                                         \
    X(v_rndne_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, R(nearbyint(D0)))                                   \
    X(v_floor_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, R(floor(D0)))                                       \
    X(v_fract_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, fract(l))                                           \
    X(v_rcp_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, approximate(l, 1.0 / D0))                             \
    X(v_rsq_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL,                                                       \
      approximate(l, D0 == 0 ? copysign(INFINITY, D0) : 1.0 / sqrt(D0)))                                     \
    X(v_sqrt_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, approximate(l, sqrt(D0)))                            \
    X(v_frexp_exp_i32_f64, E_VOP1, T_B32, T_F64, 0, 0, 0, A_ALL, frexp_exp(l))                               \
    X(v_frexp_mant_f64, E_VOP1, T_F64, T_F64, 0, 0, 0, A_ALL, frexp_mant(l))                                 \
    X(v_fmac_f64, E_VOP2, T_F64, T_F64, T_F64, 0, F_ACC, A_ALL, R(fma(D0, D1, D2)))                          \
    X(v_fma_f64, E_VOP3, T_F64, T_F64, T_F64, T_F64, 0, A_ALL, R(fma(D0, D1, D2)))                           \
    X(v_add_f64, E_VOP3, T_F64, T_F64, T_F64, 0, 0, A_ALL, R(D0 + D1))                                       \
    X(v_mul_f64, E_VOP3, T_F64, T_F64, T_F64, 0, 0, A_ALL, R(D0 *D1))                                        \
    X(v_min_f64, E_VOP3, T_F64, T_F64, T_F64, 0, 0, A_ALL, l->d = ref_min_f64(Q0, Q1))                       \
    X(v_max_f64, E_VOP3, T_F64, T_F64, T_F64, 0, 0, A_ALL, l->d = ref_max_f64(Q0, Q1))                       \
    X(v_ldexp_f64, E_VOP3, T_F64, T_F64, T_B32, 0, 0, A_ALL, ldexp_f64(l))                                   \
    X(v_trig_preop_f64, E_VOP3, T_F64, T_F64, T_B32, 0, 0, A_ALL, trig_preop(l))                             \
    X(v_div_fixup_f64, E_VOP3, T_F64, T_F64, T_F64, T_F64, 0, A_ALL, div_fixup(l))                           \
    X(v_div_scale_f64, E_VOP3, T_F64, T_F64, T_F64, T_F64, F_CO | F_NOCLAMP, A_ALL, div_scale(l))            \
    X(v_div_fmas_f64, E_VOP3, T_F64, T_F64, T_F64, T_F64, F_VCCIN, A_ALL, div_fmas(l))

OPS(REF_DEFINE)
static const struct ref_op table[] = {OPS(REF_ROW)};
const struct ref_list ref_f64_ops = {table, sizeof table / sizeof *table};
