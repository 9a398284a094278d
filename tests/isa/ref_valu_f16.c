/*
 * ref_valu_f16.c - reference of the binary16 operations of the vector ALU. Sums and products of binary16
 * numbers are exact in binary128; each operation rounds once.
 */
#include "ref_valu.h"

typedef __float128 quad;

static uint32_t quiet(uint32_t nan)
{
    return nan | 0x200;
}
uint32_t ref_min_f16(uint32_t a, uint32_t b)
{
    a &= 0xffff, b &= 0xffff;
    if (is_snan16(a))
        return quiet(a);
    if (is_snan16(b))
        return quiet(b);
    if (is_nan16(a))
        return b;
    if (is_nan16(b))
        return a;
    if (f16_of(a) == 0 && f16_of(b) == 0)
        return a >> 15 ? a : b;
    return f16_of(a) < f16_of(b) ? a : b;
}
uint32_t ref_max_f16(uint32_t a, uint32_t b)
{
    a &= 0xffff, b &= 0xffff;
    if (is_snan16(a))
        return quiet(a);
    if (is_snan16(b))
        return quiet(b);
    if (is_nan16(a))
        return b;
    if (is_nan16(b))
        return a;
    if (f16_of(a) == 0 && f16_of(b) == 0)
        return a >> 15 ? b : a;
    return f16_of(a) > f16_of(b) ? a : b;
}
static void med3(struct ref_lane *l)
{
    uint32_t a = H0, b = H1, c = H2;
    if (is_nan16(a) || is_nan16(b) || is_nan16(c)) {
        l->d = ref_min_f16(ref_min_f16(a, b), c);
        return;
    }
    uint32_t top = ref_max_f16(ref_max_f16(a, b), c);
    if (f16_of(top) == f16_of(a))
        l->d = ref_max_f16(b, c);
    else if (f16_of(top) == f16_of(b))
        l->d = ref_max_f16(a, c);
    else
        l->d = ref_max_f16(a, b);
    /* "max3 == S0" is true for zeros of both signs in the pseudo-code; as an order, -0 is below +0. */
    if ((l->d & 0x7fff) == 0)
        l->alt[l->n_alt++] = l->d ^ 0x8000;
}
static void approximate(struct ref_lane *l, double exact)
{
    l->d = bits_of_f16(exact);
    l->ulp = 1;
}
static void trig(struct ref_lane *l, bool is_cos)
{
    double v = HF0;
    if (!(fabs(v) <= 256)) {
        l->any = v - v == 0;
        l->d = 0x7e00;
        return;
    }
    double turn = v - floor(v);
    approximate(l, is_cos ? cos(turn * 2 * M_PI) : sin(turn * 2 * M_PI));
    l->abs = 0x1p-11;
}
static void fract(struct ref_lane *l)
{
    double v = HF0;
    l->d = bits_of_f16(v - floor(v));
    if (l->d == 0x3c00)
        l->alt[l->n_alt++] = 0x3bff;
    if (isinf(v))
        l->alt[l->n_alt++] = 0;
    if (l->d == 0)
        l->alt[l->n_alt++] = 0x8000;
}
static void frexp_mant(struct ref_lane *l)
{
    int e;
    l->d = isfinite(HF0) ? bits_of_f16(frexp(HF0, &e)) : H0;
}
static void frexp_exp(struct ref_lane *l)
{
    int e = 0;
    if (isfinite(HF0))
        frexp(HF0, &e);
    l->d = (uint16_t)e;
}
/* Unfused: the product is rounded first. Denormals may be flushed. */
static void mad(struct ref_lane *l)
{
    uint32_t product = bits_of_f16((quad)HF0 * (quad)HF1);
    l->d = bits_of_f16((quad)f16_of(product) + (quad)HF2);
    if (is_denorm16(H0) || is_denorm16(H1) || is_denorm16(H2) || is_denorm16(product) ||
        is_denorm16((uint32_t)l->d))
        l->any = true;
}
static void fma16(struct ref_lane *l)
{
    l->d = bits_of_f16((quad)HF0 * (quad)HF1 + (quad)HF2);
}
static void div_fixup(struct ref_lane *l)
{
    uint32_t sign = (H1 ^ H2) & 0x8000;
    double d = fabs(HF1), n = fabs(HF2);
    if (is_nan16(H2))
        l->d = quiet(H2);
    else if (is_nan16(H1))
        l->d = quiet(H1);
    else if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        l->d = 0xfe00;
    else if (d == 0 || isinf(n))
        l->d = sign | 0x7c00;
    else if (isinf(d) || n == 0)
        l->d = sign;
    else
        l->d = sign | (H0 & 0x7fff);
}

#define R(v) l->d = bits_of_f16(v)
#define OPS(X)                                                                                               \
    X(v_rcp_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, approximate(l, 1.0 / HF0))                            \
    X(v_sqrt_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, approximate(l, sqrt(HF0)))                           \
    X(v_rsq_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL,                                                       \
      approximate(l, HF0 == 0 ? copysign(INFINITY, HF0) : 1.0 / sqrt(HF0)))                                  \
    X(v_log_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, approximate(l, log2(HF0)))                            \
    X(v_exp_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, approximate(l, exp2(HF0)))                            \
    X(v_sin_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, trig(l, false))                                       \
    X(v_cos_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, trig(l, true))                                        \
    X(v_frexp_mant_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, frexp_mant(l))                                 \
    X(v_frexp_exp_i16_f16, E_VOP1, T_B16, T_F16, 0, 0, 0, A_ALL, frexp_exp(l))                               \
    X(v_floor_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, R(floor(HF0)))                                      \
    X(v_ceil_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, R(ceil(HF0)))                                        \
    X(v_trunc_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, R(trunc(HF0)))                                      \
    X(v_rndne_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, R(nearbyint(HF0)))                                  \
    X(v_fract_f16, E_VOP1, T_F16, T_F16, 0, 0, 0, A_ALL, fract(l))                                           \
    X(v_add_f16, E_VOP2, T_F16, T_F16, T_F16, 0, 0, A_ALL, R((quad)HF0 + (quad)HF1))                         \
    X(v_sub_f16, E_VOP2, T_F16, T_F16, T_F16, 0, 0, A_ALL, R((quad)HF0 - (quad)HF1))                         \
    X(v_subrev_f16, E_VOP2, T_F16, T_F16, T_F16, 0, 0, A_ALL, R((quad)HF1 - (quad)HF0))                      \
    X(v_mul_f16, E_VOP2, T_F16, T_F16, T_F16, 0, 0, A_ALL, R((quad)HF0 *(quad)HF1))                          \
    X(v_mac_f16, E_VOP2, T_F16, T_F16, T_F16, 0, F_ACC | F_HALF, A_ALL, mad(l))                              \
    X(v_madmk_f16, E_VOP2, T_F16, T_F16, T_F16, T_F16, F_K | F_NOMOD | F_HALF, A_ALL, mad(l))                \
    X(v_madak_f16, E_VOP2, T_F16, T_F16, T_F16, T_F16, F_AK | F_NOMOD | F_HALF, A_ALL, mad(l))               \
    X(v_max_f16, E_VOP2, T_F16, T_F16, T_F16, 0, 0, A_ALL, l->d = ref_max_f16(H0, H1))                       \
    X(v_min_f16, E_VOP2, T_F16, T_F16, T_F16, 0, 0, A_ALL, l->d = ref_min_f16(H0, H1))                       \
    X(v_ldexp_f16, E_VOP2, T_F16, T_F16, T_B16, 0, 0, A_ALL, R((quad)ldexp(HF0, (int16_t)H1)))               \
    X(v_mad_legacy_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, 0, A_ALL, mad(l))                                \
    X(v_fmac_f16, E_VOP2, T_F16, T_F16, T_F16, 0, F_ACC, A_1030, fma16(l))                                   \
    X(v_fmamk_f16, E_VOP2, T_F16, T_F16, T_F16, T_F16, F_K | F_NOMOD, A_1030, fma16(l))                      \
    X(v_fmaak_f16, E_VOP2, T_F16, T_F16, T_F16, T_F16, F_AK | F_NOMOD, A_1030, fma16(l))                     \
    X(v_fma_legacy_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, 0, A_ALL, fma16(l))                              \
    X(v_div_fixup_legacy_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, 0, A_ALL, div_fixup(l))                    \
    X(v_min3_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, F_OPSEL3 | F_HALF, A_ALL,                              \
      l->d = ref_min_f16(ref_min_f16(H0, H1), H2))                                                           \
    X(v_max3_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, F_OPSEL3 | F_HALF, A_ALL,                              \
      l->d = ref_max_f16(ref_max_f16(H0, H1), H2))                                                           \
    X(v_med3_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, F_OPSEL3 | F_HALF, A_ALL, med3(l))                     \
    X(v_mad_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, F_OPSEL3 | F_KEEP, A_ALL, mad(l))                       \
    X(v_fma_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, F_OPSEL3 | F_KEEP, A_ALL, fma16(l))                     \
    X(v_div_fixup_f16, E_VOP3, T_F16, T_F16, T_F16, T_F16, F_OPSEL3 | F_KEEP, A_ALL, div_fixup(l))           \
    X(v_pack_b32_f16, E_VOP3, T_PKF16, T_F16, T_F16, 0, F_OPSEL3 | F_NOCLAMP, A_ALL,                         \
      l->d = (uint32_t)H0 | (uint32_t)H1 << 16)

OPS(REF_DEFINE)
static const struct ref_op table[] = {OPS(REF_ROW)};
const struct ref_list ref_f16_ops = {table, sizeof table / sizeof *table};
