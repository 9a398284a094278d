/* numbers.h - arithmetic that several parts need. */
#ifndef COMMON_NUMBERS_H
#define COMMON_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* The next multiple of `granule` (not 0), which is n itself when it is one. */
static inline uint64_t ls_round_up(uint64_t n, uint64_t granule)
{
    return (n + granule - 1) / granule * granule;
}

/* The lowest n bits, of at most 64: as many lanes. */
static inline uint64_t ls_low_bits(unsigned n)
{
    return n < 64 ? (1ull << n) - 1 : ~0ull;
}

/* Without its sign; also of the one that has no opposite. */
static inline uint64_t ls_magnitude(int64_t n)
{
    return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

/* A sum of what messages say, and damaged ones say anything: modulo 2^64. */
static inline int64_t ls_sum(int64_t a, uint64_t b)
{
    return (int64_t)((uint64_t)a + b);
}

static inline bool ls_is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

#endif
