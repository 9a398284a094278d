/*
 * pattern.h - remembers what a regular access costs. Most accesses of a kernel repeat few shapes (active
 * lanes, stride, alignment of the first address), so a small table saves nearly all model evaluations.
 */
#ifndef LANESCOPE_SDK_PATTERN_H
#define LANESCOPE_SDK_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { LANESCOPE_PATTERN_ENTRIES = 1024 };

/* What the cost depends on. `phase` is the base address modulo whatever the model is periodic in; `form`
 * whatever else distinguishes costs (bytes, direction). All zero means empty: `exec` is never 0. */
struct lanescope_pattern_key {
    uint64_t exec;
    int64_t stride;
    uint32_t phase;
    uint32_t form;
};

static inline bool lanescope_pattern_equal(const struct lanescope_pattern_key *a,
                                           const struct lanescope_pattern_key *b)
{
    return a->exec == b->exec && a->stride == b->stride && a->phase == b->phase && a->form == b->form;
}

static inline unsigned lanescope_pattern_slot(const struct lanescope_pattern_key *k)
{
    uint64_t h =
        (k->exec ^ (uint64_t)k->stride * 0x9e3779b97f4a7c15ull) + ((uint64_t)k->form << 32 | k->phase);
    h *= 0xff51afd7ed558ccdull;
    return (unsigned)(h >> 54) % LANESCOPE_PATTERN_ENTRIES;
}

#endif
