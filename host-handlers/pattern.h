/*
 * pattern.h - remembers what a regular access costs. Most accesses of a kernel repeat few shapes (active
 * lanes, stride, alignment of the first address), so a small table saves nearly all model evaluations.
 */
#ifndef HOST_HANDLERS_PATTERN_H
#define HOST_HANDLERS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_ENTRIES = 1024 };

/* What the cost depends on. `phase` is the base address modulo whatever the model is periodic in; `form`
 * whatever else distinguishes costs (bytes, direction). All zero means empty: `exec` is never 0. */
struct pattern_key {
    uint64_t exec;
    int64_t stride;
    uint32_t phase;
    uint32_t form;
};

static inline bool pattern_equal(const struct pattern_key *a, const struct pattern_key *b)
{
    return a->exec == b->exec && a->stride == b->stride && a->phase == b->phase && a->form == b->form;
}

static inline unsigned pattern_slot(const struct pattern_key *k)
{
    uint64_t h =
        (k->exec ^ (uint64_t)k->stride * 0x9e3779b97f4a7c15ull) + ((uint64_t)k->form << 32 | k->phase);
    h *= 0xff51afd7ed558ccdull;
    return (unsigned)(h >> 54) % PATTERN_ENTRIES;
}

#endif
