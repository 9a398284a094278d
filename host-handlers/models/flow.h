/*
 * flow.h - how often each basic block of a function ran, from counts of some of its parts: what enters a
 * block leaves it. A pure function.
 */
#ifndef HOST_HANDLERS_FLOW_H
#define HOST_HANDLERS_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_EXIT = -1, FLOW_NONE = -2, FLOW_BLOCKS_MAX = 1024 };

struct flow_block {
    int32_t next[2]; /* where it goes: indices, FLOW_EXIT (the function's end), FLOW_NONE */
    int64_t count;   /* result; -1: what is known does not determine it */
};

/* These blocks together ran `total` times. */
struct flow_sum {
    const uint32_t *blocks;
    size_t n_blocks;
    int64_t total;
};

/* Block `from` was left for block `to` so many times. */
struct flow_step {
    uint32_t from, to;
    int64_t total;
};

/* What is known, the surest first: block 0 was entered `entries` times from outside (-1: not known); sums;
 * steps; more sums. */
struct flow_known {
    int64_t entries;
    const struct flow_sum *sums;
    size_t n_sums;
    const struct flow_step *steps;
    size_t n_steps;
    const struct flow_sum *last_sums;
    size_t n_last_sums;
};

/*
 * Finds the counts of n blocks. What contradicts conservation of flow, or what stands before it, is ignored.
 * False when counts would be negative, with more than FLOW_BLOCKS_MAX blocks, and when out of memory; counts
 * are then undefined.
 */
bool flow_solve(struct flow_block *blocks, size_t n, const struct flow_known *known);

#endif
