/*
 * saturate.h - sums of numbers that a database holds. Counters never come near the ends of 64 bits, but a
 * file may hold anything: what does not fit becomes the largest or smallest number, and `*hit` (unless NULL)
 * tells, so that it can be said.
 */
#ifndef RESULTS_SATURATE_H
#define RESULTS_SATURATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline int64_t ls_saturated(bool overflow, int64_t value, bool negative, bool *hit)
{
    if (overflow && hit)
        *hit = true;
    return !overflow ? value : negative ? INT64_MIN : INT64_MAX;
}

static inline int64_t ls_add(int64_t a, int64_t b, bool *hit)
{
    int64_t c;
    bool overflow = __builtin_add_overflow(a, b, &c);
    return ls_saturated(overflow, c, a < 0, hit);
}

static inline int64_t ls_subtract(int64_t a, int64_t b, bool *hit)
{
    int64_t c;
    bool overflow = __builtin_sub_overflow(a, b, &c);
    return ls_saturated(overflow, c, a < 0, hit);
}

static inline int64_t ls_multiply(int64_t a, int64_t b, bool *hit)
{
    int64_t c;
    bool overflow = __builtin_mul_overflow(a, b, &c);
    return ls_saturated(overflow, c, (a < 0) != (b < 0), hit);
}

/* |n|; of the smallest number the largest one. */
static inline int64_t ls_absolute(int64_t n)
{
    return n < 0 ? ls_subtract(0, n, NULL) : n;
}

/* Quotient towards 0; 0 for a divisor of 0. */
static inline int64_t ls_divide(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? ls_subtract(0, a, NULL) : a / b;
}

/* Towards 0; what is no number is 0. */
static inline int64_t ls_whole(double n)
{
    return n != n ? 0 : n >= 0x1p63 ? INT64_MAX : n < -0x1p63 ? INT64_MIN : (int64_t)n;
}

static inline int64_t ls_clamp(int64_t n, int64_t least, int64_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* As a number of 32 bits. */
static inline uint32_t ls_to_uint32(int64_t n)
{
    return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

#endif
