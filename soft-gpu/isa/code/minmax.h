/*
 * minmax.h - minimum and maximum of floating-point numbers, and NaNs, all on bits, so that payloads and signs survive. `ieee` is
 * MODE.IEEE (MI200 ISA, V_MIN_F32 and V_MAX_F32).
 */
#ifndef SOFT_GPU_ISA_MINMAX_H
#define SOFT_GPU_ISA_MINMAX_H

#include <stdbool.h>
#include <stdint.h>

static inline bool sg_nan32(uint32_t a)
{
    return (a & 0x7fffffff) > 0x7f800000;
}
static inline bool sg_snan32(uint32_t a)
{
    return sg_nan32(a) && !(a & 0x00400000);
}
static inline bool sg_nan64(uint64_t a)
{
    return (a & 0x7fffffffffffffff) > 0x7ff0000000000000;
}
static inline bool sg_snan64(uint64_t a)
{
    return sg_nan64(a) && !(a & 0x0008000000000000);
}
static inline bool sg_nan16(uint32_t a)
{
    return (a & 0x7fff) > 0x7c00;
}
static inline bool sg_snan16(uint32_t a)
{
    return sg_nan16(a) && !(a & 0x0200);
}

/* Float bits as an integer of the same order, with -0 below +0. */
static inline int32_t sg_order32(uint32_t a)
{
    return (int32_t)(a ^ (uint32_t)((int32_t)a >> 31) >> 1);
}
static inline int64_t sg_order64(uint64_t a)
{
    return (int64_t)(a ^ (uint64_t)((int64_t)a >> 63) >> 1);
}
static inline int32_t sg_order16(uint32_t a)
{
    int32_t x = (int16_t)a;
    return x ^ (int32_t)((uint32_t)(x >> 31) >> 17);
}

/* The NaN cases of min and max: a signalling one wins, quieted, under IEEE; else the other operand. `ordered`
 * is the result when neither is a NaN. */
static inline uint32_t sg_minmax_nan32(uint32_t a, uint32_t b, uint32_t ordered, bool ieee)
{
    uint32_t r = sg_nan32(a) ? b : sg_nan32(b) ? a : ordered;
    r = ieee && sg_snan32(b) ? b | 0x00400000 : r;
    return ieee && sg_snan32(a) ? a | 0x00400000 : r;
}
static inline uint64_t sg_minmax_nan64(uint64_t a, uint64_t b, uint64_t ordered, bool ieee)
{
    uint64_t r = sg_nan64(a) ? b : sg_nan64(b) ? a : ordered;
    r = ieee && sg_snan64(b) ? b | 0x0008000000000000 : r;
    return ieee && sg_snan64(a) ? a | 0x0008000000000000 : r;
}
static inline uint32_t sg_minmax_nan16(uint32_t a, uint32_t b, uint32_t ordered, bool ieee)
{
    uint32_t r = sg_nan16(a) ? b : sg_nan16(b) ? a : ordered;
    r = ieee && sg_snan16(b) ? b | 0x0200 : r;
    r = ieee && sg_snan16(a) ? a | 0x0200 : r;
    return r & 0xffff;
}

static inline uint32_t sg_min32(uint32_t a, uint32_t b, bool ieee)
{
    return sg_minmax_nan32(a, b, sg_order32(a) < sg_order32(b) ? a : b, ieee);
}
static inline uint32_t sg_max32(uint32_t a, uint32_t b, bool ieee)
{
    return sg_minmax_nan32(a, b, sg_order32(a) >= sg_order32(b) ? a : b, ieee);
}
static inline uint64_t sg_min64(uint64_t a, uint64_t b, bool ieee)
{
    return sg_minmax_nan64(a, b, sg_order64(a) < sg_order64(b) ? a : b, ieee);
}
static inline uint64_t sg_max64(uint64_t a, uint64_t b, bool ieee)
{
    return sg_minmax_nan64(a, b, sg_order64(a) >= sg_order64(b) ? a : b, ieee);
}
static inline uint32_t sg_min16(uint32_t a, uint32_t b, bool ieee)
{
    return sg_minmax_nan16(a, b, sg_order16(a) < sg_order16(b) ? a : b, ieee);
}
static inline uint32_t sg_max16(uint32_t a, uint32_t b, bool ieee)
{
    return sg_minmax_nan16(a, b, sg_order16(a) >= sg_order16(b) ? a : b, ieee);
}

/* gfx12 ("RDNA4 Instruction Set Architecture", V_MIN_NUM_F32, V_MINIMUM_F32): *_num give the number where there is one, else
 * the first NaN, quieted. The others give a NaN where there is one. */
#define SG_MIN_MAX_NUM(BITS, TYPE, QUIET)                                                                    \
    static inline TYPE sg_min_num##BITS(TYPE a, TYPE b)                                                      \
    {                                                                                                        \
        return sg_nan##BITS(a) && sg_nan##BITS(b) ? a | (QUIET) : sg_min##BITS(a, b, false);                 \
    }                                                                                                        \
    static inline TYPE sg_max_num##BITS(TYPE a, TYPE b)                                                      \
    {                                                                                                        \
        return sg_nan##BITS(a) && sg_nan##BITS(b) ? a | (QUIET) : sg_max##BITS(a, b, false);                 \
    }                                                                                                        \
    /* A signalling NaN counts before a quiet one. */                                                        \
    static inline TYPE sg_nan_of##BITS(TYPE a, TYPE b, TYPE ordered)                                         \
    {                                                                                                        \
        const TYPE quiet = sg_nan##BITS(a) ? a : sg_nan##BITS(b) ? b : ordered;                              \
        return sg_snan##BITS(a) ? a | (QUIET) : sg_snan##BITS(b) ? b | (QUIET) : quiet;                      \
    }                                                                                                        \
    static inline TYPE sg_ieee_minimum##BITS(TYPE a, TYPE b)                                                 \
    {                                                                                                        \
        return sg_nan_of##BITS(a, b, sg_order##BITS(a) < sg_order##BITS(b) ? a : b);                         \
    }                                                                                                        \
    static inline TYPE sg_ieee_maximum##BITS(TYPE a, TYPE b)                                                 \
    {                                                                                                        \
        return sg_nan_of##BITS(a, b, sg_order##BITS(a) >= sg_order##BITS(b) ? a : b);                        \
    }
SG_MIN_MAX_NUM(16, uint32_t, 0x0200)
SG_MIN_MAX_NUM(32, uint32_t, 0x00400000)
SG_MIN_MAX_NUM(64, uint64_t, 0x0008000000000000)
#undef SG_MIN_MAX_NUM

#endif
