/*
 * valu_minifloat.h - the 8, 6 and 4-bit float formats of gfx942 and gfx950: decoding, and encoding with
 * rounding to nearest even or by random bits.
 *
 * fp8 is E4M3, bf8 E5M2. gfx942 uses the FNUZ variants (one NaN at 0x80, no negative zero, no infinity, bias
 * one higher), gfx950 the OCP ones. fp6 = E2M3, bf6 = E3M2, fp4 = E2M1 of the OCP microscaling formats have
 * neither NaN nor infinity.
 */
#ifndef SOFT_GPU_ISA_VALU_MINIFLOAT_H
#define SOFT_GPU_ISA_VALU_MINIFLOAT_H

#include "valu.h"

enum sg_minifloat_special {
    SG_MINI_FINITE, /* no NaN, no infinity: saturates */
    SG_MINI_FN,     /* all ones is NaN, no infinity (OCP E4M3) */
    SG_MINI_IEEE,   /* infinity and NaN as usual (OCP E5M2) */
    SG_MINI_FNUZ,
};

struct sg_minifloat {
    uint8_t bits, mantissa;
    int8_t bias;
    uint8_t special;
    uint8_t largest; /* encoding of the largest finite value */
};

static const struct sg_minifloat sg_mini_fp8_ocp = {8, 3, 7, SG_MINI_FN, 0x7e};
static const struct sg_minifloat sg_mini_bf8_ocp = {8, 2, 15, SG_MINI_IEEE, 0x7b};
static const struct sg_minifloat sg_mini_fp8_fnuz = {8, 3, 8, SG_MINI_FNUZ, 0x7f};
static const struct sg_minifloat sg_mini_bf8_fnuz = {8, 2, 16, SG_MINI_FNUZ, 0x7f};
static const struct sg_minifloat sg_mini_fp6 = {6, 3, 1, SG_MINI_FINITE, 0x1f};
static const struct sg_minifloat sg_mini_bf6 = {6, 2, 3, SG_MINI_FINITE, 0x1f};
static const struct sg_minifloat sg_mini_fp4 = {4, 1, 1, SG_MINI_FINITE, 0x07};

static inline double sg_mini_power(int n)
{
    return sg_f64((uint64_t)(n + 1023) << 52);
}

static inline float sg_mini_decode(const struct sg_minifloat *f, uint32_t code)
{
    const uint32_t sign = code >> (f->bits - 1) & 1, magnitude = code & ((1u << (f->bits - 1)) - 1);
    const uint32_t m = magnitude & ((1u << f->mantissa) - 1), e = magnitude >> f->mantissa;
    if (f->special == SG_MINI_FNUZ && sign && !magnitude)
        return sg_f32(0x7fc00000);
    if (f->special == SG_MINI_FN && magnitude > f->largest)
        return sg_f32(0x7fc00000 | sign << 31);
    if (f->special == SG_MINI_IEEE && magnitude > f->largest)
        return sg_f32((m ? 0x7fc00000 : 0x7f800000) | sign << 31);
    double value = e ? (double)(m | 1u << f->mantissa) * sg_mini_power((int)e - f->bias - f->mantissa)
                     : (double)m * sg_mini_power(1 - f->bias - f->mantissa);
    return (float)(sign ? -value : value);
}

/* Encodes x. `fraction` < 0: to nearest even; else in [0, 1): the amount added before truncation, in units of
 * the last place. `saturate`: the largest finite value instead of NaN or infinity on overflow. */
static inline uint32_t sg_mini_encode(const struct sg_minifloat *f, double x, double fraction, bool saturate)
{
    const uint64_t bits = sg_u64(x);
    const uint32_t sign = (uint32_t)(bits >> 63) << (f->bits - 1);
    const uint32_t nan = f->special == SG_MINI_FNUZ ? 0x80 : 0x7f | sign;
    const double a = __builtin_fabs(x);
    if (x != x)
        return f->special == SG_MINI_FINITE ? f->largest | sign : nan;
    int exponent = (int)(bits >> 52 & 2047) - 1023;
    if (exponent < 1 - f->bias)
        exponent = 1 - f->bias;
    uint32_t code = 0xffff;
    if (exponent < 64) {
        double q = a * sg_mini_power(f->mantissa - exponent);
        q = fraction < 0 ? __builtin_roundeven(q) : __builtin_floor(q + fraction);
        code = ((uint32_t)(exponent + f->bias - 1) << f->mantissa) + (uint32_t)q;
    }
    if (code > f->largest) {
        if (f->special == SG_MINI_FINITE || (saturate && !(a > 1e300)))
            return f->largest | sign;
        return f->special == SG_MINI_IEEE ? 0x7c | sign : nan;
    }
    return code == 0 && f->special == SG_MINI_FNUZ ? 0 : code | sign;
}

#endif
