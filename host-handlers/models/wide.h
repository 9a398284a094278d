/*
 * wide.h - counts of an access for all its lanes at once, in vectors of eight (AVX2), where the processor has them. The models fall
 * back on one lane after the other; results are the same.
 */
#ifndef HOST_HANDLERS_WIDE_H
#define HOST_HANDLERS_WIDE_H

#include <stdbool.h>
#include <stdint.h>

static inline bool ls_wide(void)
{
    return __builtin_cpu_supports("avx2");
}

struct ls_wide_cache {
    unsigned bytes, lines_64, lines_128; /* distinct ones */
    /* Of quads of lanes, distinct blocks of 64 bytes, added up; not `straddles`: lanes have one block each */
    unsigned blocks;
    bool straddles; /* blocks is not known */
};

/* Of `bytes` bytes per lane (1..16) at addr[lane]. False: addresses are too far apart. Only where ls_wide(). */
bool ls_wide_cache(unsigned bytes, uint64_t exec, const uint64_t addr[64], struct ls_wide_cache *out);

/* Of `bytes` bytes per lane (1..4) at addr[lane], in lanes 0 to 31 and in lanes 32 to 63: the most distinct dwords of one of 32 banks, at
 * least 1; of atomics the most lanes on one dword, at least 1. False: a lane has two dwords. Only where ls_wide(). */
bool ls_wide_lds(unsigned bytes, bool is_atomic, uint64_t exec, const uint32_t addr[64], unsigned busiest[2],
                 unsigned crowd[2]);

/* The lowest and the highest of n words, each with the bits `flip` turned over. False: there are few. Only where ls_wide(). */
bool ls_wide_ends(const uint32_t *words, unsigned n, uint32_t flip, uint32_t *lowest, uint32_t *highest);

#endif
