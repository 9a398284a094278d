/* bits.h - floating-point numbers as the bits that registers hold, and back. */
#ifndef SOFT_GPU_ISA_BITS_H
#define SOFT_GPU_ISA_BITS_H

#include <stdint.h>
#include <string.h>

static inline float sg_f32(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint32_t sg_u32(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline double sg_f64(uint64_t u)
{
    double f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint64_t sg_u64(double f)
{
    uint64_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

#endif
