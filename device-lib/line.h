/*
 * line.h - the line on which the addresses of most accesses lie: address(lane) = base + lane * stride.
 */
#ifndef LS_LINE_H
#define LS_LINE_H

#include "device.h"

/* A line through lane addresses: address(lane) = base + lane * stride. */
struct line {
    uint64_t base;
    int32_t stride;
    uint32_t first; /* first active lane */
};

/* The line through the addresses of the first two active lanes; whether the others lie on it is the caller's
 * question. A gap between the two that is no power of two gives a wrong stride: such an access goes out as
 * deltas. With one active lane both are that one, and a bit is set so that zero is no exponent to find. */
static HOT inline struct line line_through(mask_t exec, uint64_t address)
{
    struct line l = {uniform64(address), 0, FIRST_LANE(exec)};
    mask_t rest = exec & (exec - 1);
    uint32_t second = rest ? FIRST_LANE(rest) : l.first;
    l.stride = (int32_t)(readlane((uint32_t)address, second) - (uint32_t)l.base) >>
               __builtin_ctz((second - l.first) | 32);
    l.base -= (uint64_t)((int64_t)l.stride * l.first);
    return l;
}

/* The same when all lanes are active, much the most frequent case. */
static HOT inline struct line line_through_all(uint64_t address)
{
    struct line l = {uniform64(address), 0, 0};
    l.stride = (int32_t)(readlane((uint32_t)address, 1) - (uint32_t)l.base);
    return l;
}

static HOT inline uint64_t line_at(struct line l, uint32_t lane)
{
    return l.base + (uint64_t)((int64_t)l.stride * (int32_t)lane);
}

#endif
