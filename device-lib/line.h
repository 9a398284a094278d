/*
 * line.h - the line on which the addresses of most accesses lie, address(lane) = base + lane * stride, and the rows
 * that those of two-dimensional work-groups form.
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
    struct line l = {uniform64(address), 0, first_lane_of(exec)};
    mask_t rest = exec & (exec - 1);
    uint32_t second = rest ? first_lane_of(rest) : l.first;
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

/* Rows of 1 << shift lanes: address(lane) = base + column * stride + row * pitch. */
struct rows {
    uint64_t base;
    int32_t stride, pitch;
    uint32_t shift;
};

static HOT inline uint64_t rows_at(struct rows r, uint32_t lane)
{
    int32_t column = (int32_t)(lane & ((1u << r.shift) - 1)), row = (int32_t)(lane >> r.shift);
    return r.base + (uint64_t)((int64_t)r.stride * column + (int64_t)r.pitch * row);
}

/* The only rows that the addresses can form which are not all on the line l; whether they do is the caller's
 * question. `off`: the active lanes that are not on it. With all lanes active the first of these begins row 1. */
static HOT inline struct rows rows_through_all(struct line l, mask_t off, uint64_t address)
{
    uint32_t next = first_lane_of(off);
    return (struct rows){l.base, l.stride, (int32_t)(readlane((uint32_t)address, next) - (uint32_t)l.base),
                         (uint32_t)__builtin_ctz(next)};
}

/* The same with lanes missing: the shortest rows that have all lanes before that one in one row. What they are
 * apart is known when it is a power of two of rows. */
static HOT inline struct rows rows_through(struct line l, mask_t exec, mask_t off, uint64_t address)
{
    uint32_t next = first_lane_of(off), last = LAST_LANE(exec & (((mask_t)1 << next) - 1));
    struct rows r = {.stride = l.stride, .shift = 32 - (uint32_t)__builtin_clz((l.first ^ last) | 1)};
    uint32_t columns = (1u << r.shift) - 1, row = l.first >> r.shift;
    uint64_t start = line_at(l, row << r.shift);
    uint32_t there = readlane((uint32_t)address, next) - (uint32_t)r.stride * (next & columns);
    r.pitch = (int32_t)(there - (uint32_t)start) >> __builtin_ctz(((next >> r.shift) - row) | 32);
    r.base = start - (uint64_t)((int64_t)r.pitch * (int32_t)row);
    return r;
}

#endif
