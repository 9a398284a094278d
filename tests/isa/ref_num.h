/*
 * ref_num.h - numbers of the reference: bit casts, 16-bit floats, conversions with saturation. Written for
 * obviousness: every conversion goes through a format that holds the value exactly and rounds once.
 */
#ifndef TESTS_ISA_REF_NUM_H
#define TESTS_ISA_REF_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float f32_of(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint32_t bits_of_f32(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline double f64_of(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, 8);
    return f;
}
static inline uint64_t bits_of_f64(double f)
{
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}

/* A binary float format narrower than double: `ebits` exponent bits, `mbits` stored mantissa bits, IEEE
 * rules. binary16: 5, 10. bfloat16: 8, 7. */
static inline double small_to_f64(uint32_t x, int ebits, int mbits)
{
    int bias = (1 << (ebits - 1)) - 1;
    uint32_t mant = x & ((1u << mbits) - 1);
    int e = (int)(x >> mbits) & ((1 << ebits) - 1);
    bool negative = x >> (ebits + mbits) & 1;
    double r;
    if (e == (1 << ebits) - 1) {
        if (mant) /* keep the payload at the top, and whether it is quiet */
            return f64_of((uint64_t)negative << 63 | 0x7ffull << 52 | (uint64_t)mant << (52 - mbits));
        r = INFINITY;
    } else if (e == 0) {
        r = ldexp(mant, 1 - bias - mbits);
    } else {
        r = ldexp(mant + (1u << mbits), e - bias - mbits);
    }
    return negative ? -r : r;
}

enum round_how { ROUND_EVEN, ROUND_ZERO };

/* The exact value of a __float128 rounded once to a narrower format.
 * NaN becomes quiet, payload's top kept. */
static inline uint32_t q_to_small(__float128 v, int ebits, int mbits, enum round_how how)
{
    int bias = (1 << (ebits - 1)) - 1;
    uint32_t emax = (1u << ebits) - 1;
    unsigned __int128 bits;
    memcpy(&bits, &v, 16);
    uint32_t sign = (uint32_t)(bits >> 127) << (ebits + mbits);
    int e = (int)(bits >> 112) & 0x7fff;
    unsigned __int128 frac = bits & (((unsigned __int128)1 << 112) - 1);
    if (e == 0x7fff) {
        if (!frac)
            return sign | emax << mbits;
        return sign | emax << mbits | 1u << (mbits - 1) | (uint32_t)(frac >> (112 - mbits));
    }
    if (e == 0 && frac == 0)
        return sign;
    unsigned __int128 m = frac | (unsigned __int128)(e != 0) << 112; /* value = m * 2^(e-16383-112) */
    int ue = e - 16383;
    int shift = 112 - mbits; /* so that the result has mbits fraction bits */
    int re = ue + bias;
    if (re <= 0) { /* denormal result: fixed exponent 1-bias */
        shift += 1 - re;
        re = 0;
    }
    if (shift > 126)
        shift = 126;
    unsigned __int128 kept = m >> shift, rest = m & (((unsigned __int128)1 << shift) - 1),
                      half = (unsigned __int128)1 << (shift - 1);
    if (how == ROUND_EVEN && (rest > half || (rest == half && (kept & 1))))
        kept++;
    /* For a normal result `kept` has the hidden bit set: adding it to (re - 1) carries into the exponent. */
    uint64_t out = re > 0 ? ((uint64_t)(re - 1) << mbits) + (uint64_t)kept : (uint64_t)kept;
    if (out >= (uint64_t)emax << mbits)
        out = how == ROUND_ZERO ? ((uint64_t)emax << mbits) - 1 : (uint64_t)emax << mbits;
    return sign | (uint32_t)out;
}

static inline double f16_of(uint64_t bits)
{
    return small_to_f64((uint32_t)bits & 0xffff, 5, 10);
}
static inline double bf16_of(uint64_t bits)
{
    return f32_of((bits & 0xffff) << 16);
}
static inline uint32_t bits_of_f16(__float128 v)
{
    return q_to_small(v, 5, 10, ROUND_EVEN);
}
static inline uint32_t bits_of_bf16(__float128 v)
{
    return q_to_small(v, 8, 7, ROUND_EVEN);
}
static inline bool is_snan32(uint32_t u)
{
    return (u & 0x7f800000) == 0x7f800000 && (u & 0x007fffff) && !(u & 0x00400000);
}
static inline bool is_snan64(uint64_t u)
{
    return (u & 0x7ff0000000000000) == 0x7ff0000000000000 && (u & 0x000fffffffffffff) &&
           !(u & 0x0008000000000000);
}
static inline bool is_snan16(uint32_t u)
{
    return (u & 0x7c00) == 0x7c00 && (u & 0x3ff) && !(u & 0x200);
}
static inline bool is_nan32(uint32_t u)
{
    return (u & 0x7fffffff) > 0x7f800000;
}
static inline bool is_nan64(uint64_t u)
{
    return (u & 0x7fffffffffffffff) > 0x7ff0000000000000;
}
static inline bool is_nan16(uint32_t u)
{
    return (u & 0x7fff) > 0x7c00;
}
static inline bool is_denorm16(uint32_t u)
{
    return (u & 0x7c00) == 0 && (u & 0x3ff);
}
static inline bool is_denorm32(uint32_t u)
{
    return (u & 0x7f800000) == 0 && (u & 0x7fffff);
}

/* Float to integer: truncate towards zero, saturate, NaN gives 0. */
static inline int64_t sat_trunc(double v, double lo, double hi)
{
    if (v != v)
        return 0;
    v = trunc(v);
    return v <= lo ? (int64_t)lo : v >= hi ? (int64_t)hi : (int64_t)v;
}
static inline int64_t clamp_int(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}
static inline int64_t sext(uint64_t v, int bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

#endif
