/*
 * turns.h - the addresses of an access on each turn of a loop, from those of the first one.
 */
#ifndef LS_TURNS_H
#define LS_TURNS_H

#include "line.h"

/* The addresses of a turn, from the first one's. */
struct way {
    uint64_t first, step; /* bytes from turn to turn */
    uint32_t index, scale, head;
    mask_t wraps; /* not 0: the index does, on some turn in some lane */
};

static HOT inline int64_t extended(uint32_t index, uint32_t head)
{
    return head & HEAD_SIGNED ? (int32_t)index : (int64_t)(uint64_t)index;
}

/* `step` and `scale` as the probes get them. */
static HOT inline struct way way_of(uint64_t first, uint32_t head, uint64_t step, uint64_t last,
                                    uint32_t index, uint32_t scale)
{
    scale = readfirstlane(scale);
    struct way way = {first, step * (uint64_t)(int64_t)(int32_t)scale, index, scale, head, 0};
    if (head & HEAD_INDEX) {
        int64_t start = extended(index, head), end = start + (int64_t)(step * last);
        way.wraps = ballot(end != extended((uint32_t)end, head)) |
                    (mask_t)(last >> 31); /* the product has at most 62 bits */
    }
    return way;
}

static HOT inline uint64_t address_on(struct way way, uint64_t step, uint64_t turn)
{
    uint64_t address = way.first + way.step * turn;
    if (way.wraps)
        address = way.first + (uint64_t)((extended(way.index + (uint32_t)(step * turn), way.head) -
                                          extended(way.index, way.head)) *
                                         (int32_t)way.scale);
    return way.head & HEAD_LDS ? (uint32_t)address : address;
}

/* Turns after which an access's cost repeats are a power of two: what it costs depends on its address modulo the period.
 * log2 of their number. */
static HOT inline uint32_t log2_phases(uint64_t step, uint32_t head)
{
    uint32_t most = (uint32_t)__builtin_ctz(head & HEAD_LDS ? LS_SUMMARY_PERIOD_LDS : LS_SUMMARY_PERIOD);
    return most - (uint32_t)__builtin_ctz((uint32_t)step | 1u << most);
}

#endif
