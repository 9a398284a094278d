/*
 * ref_valu_cvt.c - reference of the conversions of the vector ALU.
 */
#include "ref_valu.h"

typedef __float128 quad;

/* 8-bit floats. FNUZ (gfx942): no infinity, no -0, 0x80 is NaN, exponent bias one larger. OCP (gfx950):
 * e4m3fn has no infinity and NaN is S.1111.111; e5m2 is a small IEEE format. */
double ref_fp8_value(uint32_t v, bool bf8, bool ocp)
{
    int mbits = bf8 ? 2 : 3, ebits = bf8 ? 5 : 4, bias = (1 << (ebits - 1)) - (ocp ? 1 : 0);
    int e = (int)(v >> mbits) & ((1 << ebits) - 1);
    uint32_t m = v & ((1u << mbits) - 1);
    double sign = v & 0x80 ? -1 : 1;
    if (!ocp && v == 0x80)
        return NAN;
    if (ocp && bf8 && e == 31)
        return m ? NAN : sign * INFINITY;
    if (ocp && !bf8 && (v & 0x7f) == 0x7f)
        return NAN;
    if (e == 0)
        return sign * ldexp(m, 1 - bias - mbits);
    return sign * ldexp(m + (1u << mbits), e - bias - mbits);
}
/* Nearest representable value, ties to even; overflow becomes NaN, or infinity where the format has one. The
 * candidates are simply all values of the format. */
static uint32_t to_fp8(float f, bool bf8, bool ocp)
{
    uint32_t sign = bits_of_f32(f) >> 24 & 0x80, top = ocp ? (bf8 ? 0x7bu : 0x7eu) : 0x7fu;
    double a = fabs((double)f);
    if (isnan(f))
        return ocp ? sign | (bf8 ? 0x7e : 0x7f) : 0x80;
    double largest = ref_fp8_value(top, bf8, ocp), below = ref_fp8_value(top - 1, bf8, ocp);
    double limit =
        largest + (largest - below) / 2; /* half a step above the largest: rounds away (tie: even) */
    if (a > limit || (a == limit && (top & 1)))
        return ocp ? sign | (bf8 && !isnan(f) ? 0x7c : 0x7f) : 0x80;
    uint32_t best = 0;
    for (uint32_t c = 0; c <= top; c++) {
        double dc = fabs(ref_fp8_value(c, bf8, ocp) - a), db = fabs(ref_fp8_value(best, bf8, ocp) - a);
        if (dc < db || (dc == db && !(c & 1)))
            best = c;
    }
    return best == 0 && !ocp ? 0 : sign | best;
}
static void pk_to_fp8(struct ref_lane *l, bool bf8)
{
    uint32_t lo = to_fp8(F0, bf8, l->ocp), hi = to_fp8(F1, bf8, l->ocp), other = bf8 && l->ocp ? 1 : 0;
    l->d = lo | hi << 8;
    /* e5m2 has several NaNs: any of the two usual ones. */
    for (uint32_t k = 1; k < 4; k++)
        l->alt[l->n_alt++] =
            (lo | (isnan(F0) ? other * (k & 1) : 0)) | (hi | (isnan(F1) ? other * (k >> 1) : 0)) << 8;
}
static void pk_from_fp8(struct ref_lane *l, bool bf8)
{
    l->d = bits_of_f32((float)ref_fp8_value(U0 & 0xff, bf8, l->ocp)) |
           (uint64_t)bits_of_f32((float)ref_fp8_value(U0 >> 8 & 0xff, bf8, l->ocp)) << 32;
}

static double limit1(double v, double lo)
{
    return v != v ? 0 : v < lo ? lo : v > 1 ? 1 : v;
}
/* Normalised integers. Rounding of ties is not documented: nearest-even and half-up are accepted. */
static void norm(struct ref_lane *l, double a, double b, bool is_signed, bool both)
{
    double scale = is_signed ? 32767 : 65535, lo = is_signed ? -1 : 0;
    double x = limit1(a, lo) * scale, y = limit1(b, lo) * scale;
    double rx[2] = {nearbyint(x), floor(x + 0.5)}, ry[2] = {nearbyint(y), floor(y + 0.5)};
    uint64_t r[4];
    for (int i = 0; i < 4; i++)
        r[i] = (uint16_t)(int32_t)rx[i & 1] | (both ? (uint32_t)(uint16_t)(int32_t)ry[i >> 1] << 16 : 0);
    l->d = r[0];
    for (int i = 1; i < 4; i++)
        l->alt[l->n_alt++] = r[i];
}
/* Rounding of the conversion to 8 bits: nearest-even and truncation are accepted. */
static void pk_u8(struct ref_lane *l)
{
    uint32_t shift = (U1 & 3) * 8, keep = U2 & ~(0xffu << shift);
    float v = F0;
    l->d = keep | (uint32_t)sat_trunc(nearbyintf(v), 0, 255) << shift;
    l->alt[l->n_alt++] = keep | (uint32_t)sat_trunc(v, 0, 255) << shift;
}
static void pkaccum_u8(struct ref_lane *l)
{
    uint32_t shift = (U1 & 3) * 8, keep = l->old & ~(0xffu << shift);
    float v = F0;
    l->d = keep | (uint32_t)sat_trunc(nearbyintf(v), 0, 255) << shift;
    l->alt[l->n_alt++] = keep | (uint32_t)sat_trunc(v, 0, 255) << shift;
}
static void rpi(struct ref_lane *l)
{
    l->d = (uint32_t)sat_trunc(floor((double)F0 + 0.5), INT32_MIN, INT32_MAX);
    l->alt[l->n_alt++] = (uint32_t)sat_trunc(floorf(F0 + 0.5f), INT32_MIN, INT32_MAX);
}
static void pkrtz(struct ref_lane *l)
{
    l->d = q_to_small((quad)F0, 5, 10, ROUND_ZERO) | q_to_small((quad)F1, 5, 10, ROUND_ZERO) << 16;
}

#define I32(v) l->d = (uint32_t)sat_trunc(v, INT32_MIN, INT32_MAX)
#define U32(v) l->d = (uint32_t)sat_trunc(v, 0, UINT32_MAX)
#define OPS(X)                                                                                               \
    X(v_cvt_i32_f64, E_VOP1, T_B32, T_F64, 0, 0, F_NOCLAMP, A_ALL, I32(D0))                                  \
    X(v_cvt_u32_f64, E_VOP1, T_B32, T_F64, 0, 0, F_NOCLAMP, A_ALL, U32(D0))                                  \
    X(v_cvt_u32_f32, E_VOP1, T_B32, T_F32, 0, 0, F_NOCLAMP, A_ALL, U32((double)F0))                          \
    X(v_cvt_i32_f32, E_VOP1, T_B32, T_F32, 0, 0, F_NOCLAMP, A_ALL, I32((double)F0))                          \
    X(v_cvt_rpi_i32_f32, E_VOP1, T_B32, T_F32, 0, 0, F_NOCLAMP, A_ALL, rpi(l))                               \
    X(v_cvt_flr_i32_f32, E_VOP1, T_B32, T_F32, 0, 0, F_NOCLAMP, A_ALL, I32(floor((double)F0)))               \
    X(v_cvt_f64_i32, E_VOP1, T_F64, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f64(I0))                           \
    X(v_cvt_f64_u32, E_VOP1, T_F64, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f64(U0))                           \
    X(v_cvt_f32_i32, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)I0))                    \
    X(v_cvt_f32_u32, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)U0))                    \
    X(v_cvt_f16_f32, E_VOP1, T_F16, T_F32, 0, 0, 0, A_ALL, l->d = bits_of_f16((quad)F0))                     \
    X(v_cvt_f32_f16, E_VOP1, T_F32, T_F16, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)HF0))                   \
    X(v_cvt_f32_f64, E_VOP1, T_F32, T_F64, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)D0))                    \
    X(v_cvt_f64_f32, E_VOP1, T_F64, T_F32, 0, 0, 0, A_ALL, l->d = bits_of_f64((double)F0))                   \
    X(v_cvt_off_f32_i4, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)sext(U0, 4) / 16))   \
    X(v_cvt_f32_ubyte0, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)(U0 & 255)))         \
    X(v_cvt_f32_ubyte1, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)(U0 >> 8 & 255)))    \
    X(v_cvt_f32_ubyte2, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)(U0 >> 16 & 255)))   \
    X(v_cvt_f32_ubyte3, E_VOP1, T_F32, T_B32, 0, 0, 0, A_ALL, l->d = bits_of_f32((float)(U0 >> 24)))         \
    X(v_cvt_f16_u16, E_VOP1, T_F16, T_B16, 0, 0, 0, A_ALL, l->d = bits_of_f16(H0))                           \
    X(v_cvt_f16_i16, E_VOP1, T_F16, T_B16, 0, 0, 0, A_ALL, l->d = bits_of_f16((int16_t)H0))                  \
    X(v_cvt_u16_f16, E_VOP1, T_B16, T_F16, 0, 0, F_NOCLAMP, A_ALL,                                           \
      l->d = (uint16_t)sat_trunc(HF0, 0, UINT16_MAX))                                                        \
    X(v_cvt_i16_f16, E_VOP1, T_B16, T_F16, 0, 0, F_NOCLAMP, A_ALL,                                           \
      l->d = (uint16_t)sat_trunc(HF0, INT16_MIN, INT16_MAX))                                                 \
    X(v_cvt_norm_i16_f16, E_VOP1, T_B16, T_F16, 0, 0, F_NOCLAMP | F_HALF, A_ALL,                             \
      norm(l, HF0, 0, true, false))                                                                          \
    X(v_cvt_norm_u16_f16, E_VOP1, T_B16, T_F16, 0, 0, F_NOCLAMP | F_HALF, A_ALL,                             \
      norm(l, HF0, 0, false, false))                                                                         \
    X(v_cvt_f32_fp8, E_VOP1, T_F32, T_B32, 0, 0, F_NOCONST, A_942 | A_950,                                   \
      l->d = bits_of_f32((float)ref_fp8_value(U0 & 0xff, false, l->ocp)))                                    \
    X(v_cvt_f32_bf8, E_VOP1, T_F32, T_B32, 0, 0, F_NOCONST, A_942 | A_950,                                   \
      l->d = bits_of_f32((float)ref_fp8_value(U0 & 0xff, true, l->ocp)))                                     \
    X(v_cvt_pk_f32_fp8, E_VOP1, T_PKF32, T_B32, 0, 0, F_NOCONST | F_NOCLAMP, A_942 | A_950,                  \
      pk_from_fp8(l, false))                                                                                 \
    X(v_cvt_pk_f32_bf8, E_VOP1, T_PKF32, T_B32, 0, 0, F_NOCONST | F_NOCLAMP, A_942 | A_950,                  \
      pk_from_fp8(l, true))                                                                                  \
    X(v_cvt_f32_bf16, E_VOP1, T_F32, T_B16, 0, 0, F_NOCONST, A_950, l->d = (uint32_t)H0 << 16)               \
    X(v_cvt_pk_u8_f32, E_VOP3, T_B32, T_F32, T_B32, T_B32, F_NOCLAMP, A_ALL, pk_u8(l))                       \
    X(v_cvt_pkaccum_u8_f32, E_VOP3, T_B32, T_F32, T_B32, 0, F_NOCLAMP | F_DWORD, A_ALL, pkaccum_u8(l))       \
    X(v_cvt_pknorm_i16_f32, E_VOP3, T_PK16, T_F32, T_F32, 0, F_NOCLAMP, A_ALL, norm(l, F0, F1, true, true))  \
    X(v_cvt_pknorm_u16_f32, E_VOP3, T_PK16, T_F32, T_F32, 0, F_NOCLAMP, A_ALL, norm(l, F0, F1, false, true)) \
    X(v_cvt_pknorm_i16_f16, E_VOP3, T_PK16, T_F16, T_F16, 0, F_NOCLAMP | F_OPSEL3, A_ALL,                    \
      norm(l, HF0, HF1, true, true))                                                                         \
    X(v_cvt_pknorm_u16_f16, E_VOP3, T_PK16, T_F16, T_F16, 0, F_NOCLAMP | F_OPSEL3, A_ALL,                    \
      norm(l, HF0, HF1, false, true))                                                                        \
    X(v_cvt_pkrtz_f16_f32, E_VOP3, T_PKF16, T_F32, T_F32, 0, F_NOCLAMP, A_ALL, pkrtz(l))                     \
    X(v_cvt_pk_f16_f32, E_VOP3, T_PKF16, T_F32, T_F32, 0, F_NOCLAMP, A_950,                                  \
      l->d = bits_of_f16((quad)F0) | bits_of_f16((quad)F1) << 16)                                            \
    X(v_cvt_pk_bf16_f32, E_VOP3, T_BF16x2, T_F32, T_F32, 0, F_NOCLAMP, A_950,                                \
      l->d = bits_of_bf16((quad)F0) | bits_of_bf16((quad)F1) << 16)                                          \
    X(v_cvt_pk_fp8_f32, E_VOP3, T_B16, T_F32, T_F32, 0, F_NOCLAMP | F_KEEP | F_OPSEL3, A_942 | A_950,        \
      pk_to_fp8(l, false))                                                                                   \
    X(v_cvt_pk_bf8_f32, E_VOP3, T_B16, T_F32, T_F32, 0, F_NOCLAMP | F_KEEP | F_OPSEL3, A_942 | A_950,        \
      pk_to_fp8(l, true))

OPS(REF_DEFINE)
static const struct ref_op table[] = {OPS(REF_ROW)};
const struct ref_list ref_cvt_ops = {table, sizeof table / sizeof *table};
