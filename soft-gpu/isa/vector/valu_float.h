/*
 * valu_float.h - float rules shared by the f32, f64, f16 and packed files: the middle of three, gfx950's minimum, fma of f16.
 * All on bits, so that payloads and signs survive. `ieee` as in minmax.h.
 */
#ifndef SOFT_GPU_ISA_VALU_FLOAT_H
#define SOFT_GPU_ISA_VALU_FLOAT_H

#include "soft-gpu/isa/code/minmax.h"
#include "valu.h"

/* Middle of three as V_MED3 defines it: min3 when a NaN is among them; else the larger of the two that remain
 * without the first one equal to the largest, where zeros of either sign are equal. */
static inline uint32_t sg_med32(uint32_t a, uint32_t b, uint32_t c, bool ieee)
{
    const uint32_t min3 = sg_min32(sg_min32(a, b, ieee), c, ieee);
    const int32_t x = sg_order32(a), y = sg_order32(b), z = sg_order32(c);
    const uint32_t ab = x >= y ? a : b, bc = y >= z ? b : c, ac = x >= z ? a : c;
    const uint32_t largest = sg_order32(ab) >= z ? ab : c;
    const bool zero = !(largest << 1);
    const bool first = largest == a || (zero && !(a << 1)), second = largest == b || (zero && !(b << 1));
    const uint32_t middle = first ? bc : second ? ac : ab;
    return sg_nan32(a) || sg_nan32(b) || sg_nan32(c) ? min3 : middle;
}
static inline uint32_t sg_med16(uint32_t a, uint32_t b, uint32_t c, bool ieee)
{
    const uint32_t min3 = sg_min16(sg_min16(a, b, ieee), c, ieee);
    const int32_t x = sg_order16(a), y = sg_order16(b), z = sg_order16(c);
    const uint32_t ab = x >= y ? a : b, bc = y >= z ? b : c, ac = x >= z ? a : c;
    const int32_t largest = sg_order16(ab) >= z ? sg_order16(ab) : z;
    const bool zero = largest == 0 || largest == -1; /* -0 is ordered as -1 */
    const bool first = largest == x || (zero && !(a & 0x7fff)),
               second = largest == y || (zero && !(b & 0x7fff));
    const uint32_t middle = first ? bc : second ? ac : ab;
    return sg_nan16(a) || sg_nan16(b) || sg_nan16(c) ? min3 : middle & 0xffff;
}

/* IEEE 754-2019 minimum and maximum (gfx950): any NaN makes a quiet NaN. */
static inline uint32_t sg_minimum32(uint32_t a, uint32_t b)
{
    uint32_t r = sg_order32(a) < sg_order32(b) ? a : b;
    return sg_nan32(a) ? a | 0x00400000 : sg_nan32(b) ? b | 0x00400000 : r;
}
static inline uint32_t sg_maximum32(uint32_t a, uint32_t b)
{
    uint32_t r = sg_order32(a) >= sg_order32(b) ? a : b;
    return sg_nan32(a) ? a | 0x00400000 : sg_nan32(b) ? b | 0x00400000 : r;
}
static inline uint32_t sg_minimum16(uint32_t a, uint32_t b)
{
    uint32_t r = sg_order16(a) < sg_order16(b) ? a : b;
    return (sg_nan16(a) ? a | 0x0200 : sg_nan16(b) ? b | 0x0200 : r) & 0xffff;
}
static inline uint32_t sg_maximum16(uint32_t a, uint32_t b)
{
    uint32_t r = sg_order16(a) >= sg_order16(b) ? a : b;
    return (sg_nan16(a) ? a | 0x0200 : sg_nan16(b) ? b | 0x0200 : r) & 0xffff;
}

/* a*b + c of f16 values, for one rounding to f16. In double the product (22 bits) is exact, and the sum can
 * only be inexact where no halfway point of f16 is near: a halfway point has bits no lower than 2^-11 of the
 * result, the product no lower than 2^-21 of itself. Going on to f32 the sum is rounded to odd (last bit set
 * when inexact), so that the final rounding to 11 bits is right in every mode. */
static inline float sg_fma16_sum(float a, float b, float c)
{
    const double exact_enough = (double)a * b + (double)c;
    const float r = (float)exact_enough;
    const double back = (double)r;
    const uint32_t bits = sg_u32(r);
    /* Away from zero by one when r fell short, towards it when r went beyond; either way r becomes odd. */
    const uint32_t below = back < exact_enough ? ~0u : 0, negative = (uint32_t)((int32_t)bits >> 31);
    const uint32_t step = (below ^ negative) & 2; /* 2: one up, 0: one down */
    const uint32_t inexact = back != exact_enough ? 1 : 0, finite = (bits & 0x7f800000) != 0x7f800000 ? 1 : 0;
    return sg_f32(inexact & finite & ~bits ? bits + step - 1 : bits);
}

#endif
