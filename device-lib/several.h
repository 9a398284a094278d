/*
 * several.h - what probes of several accesses share (several.c, loop.c, summary_scattered.c): the lines and rows of their addresses, and of each
 * the place of its counter.
 */
#ifndef LS_SEVERAL_H
#define LS_SEVERAL_H

#include "evidence.h"
#include "line.h"
#include "summary_key.h"

/* As the other probes, with an address for each access. `sites`, a byte for each: how far its site's number lies from that in
 * `head`, SITES_LDS if it is in LDS. All have room for four accesses, so that each can go on as __ls_several_counted. The
 * order gives pairs of registers to what has 64 bits. */
#define SEVERAL(name)                                                                                        \
    __attribute__((noinline)) uint32_t name(                                                                 \
        uint64_t wave, uint32_t low, uint32_t high, UNUSED uint32_t low1, UNUSED uint32_t high1,             \
        UNUSED uint32_t low2, UNUSED uint32_t high2, UNUSED uint32_t low3, UNUSED uint32_t high3,            \
        uint32_t head, uint32_t sites)

/* The same for up to six. `sites1`: bytes of the last two. */
#define MANY(name)                                                                                           \
    __attribute__((noinline)) uint32_t name(                                                                 \
        uint64_t wave, uint32_t low, uint32_t high, UNUSED uint32_t low1, UNUSED uint32_t high1,             \
        UNUSED uint32_t low2, UNUSED uint32_t high2, UNUSED uint32_t low3, UNUSED uint32_t high3,            \
        uint32_t head, uint32_t sites, UNUSED uint32_t low4, UNUSED uint32_t high4, UNUSED uint32_t low5,    \
        UNUSED uint32_t high5, UNUSED uint32_t sites1)

SEVERAL(__ls_several2);
SEVERAL(__ls_several3);
SEVERAL(__ls_several4);
MANY(__ls_several5);
MANY(__ls_several6);
SEVERAL(__ls_shapes2);
SEVERAL(__ls_shapes3);
SEVERAL(__ls_shapes4);

#define ADDRESSES_2 ADDRESS(low, high), ADDRESS(low1, high1)
#define ADDRESSES_3 ADDRESSES_2, ADDRESS(low2, high2)
#define ADDRESSES_4 ADDRESSES_3, ADDRESS(low3, high3)
#define ADDRESSES_5 ADDRESSES_4, ADDRESS(low4, high4)
#define ADDRESSES_6 ADDRESSES_5, ADDRESS(low5, high5)
#define ADDRESS(low, high) ((low) | (uint64_t)(high) << 32)

enum { MOST = 6 };

/* The line of each access when all lanes are active. With `own` each has its own stride, otherwise they lie the same distances apart in
 * all lanes, if this is not in vain. */
static HOT inline void find_lines(const _Bool own, const uint32_t n, const uint64_t *address, struct line *l)
{
    UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || own)
            l[i] = line_through_all(address[i]);
        else
            l[i] = (struct line){uniform64(address[i]), l[0].stride, 0};
    }
}

/* What is taken off the lane's address, in strides, to compare it with the base: that is a scalar value that an instruction can compare
 * with, but not add to another one. */
static HOT inline int32_t lane_down(void)
{
    int32_t down = -(int32_t)bits_below(ALL_LANES);
    VECTOR(down);
    return down;
}

/* The active lanes in which one of the accesses from that one on is not where its line has it. */
static HOT inline mask_t off_lines_from(const uint32_t from, const uint32_t n, int32_t down,
                                        const uint64_t *address, const struct line *l)
{
    mask_t off = 0;
    if (from)
        VECTOR(
            down); /* else its product is kept, which adding to an address takes more than multiplying anew */
    UNROLLED
    for (uint32_t i = from; i < n; i++)
        off |= ballot(address[i] + (uint64_t)((int64_t)l[i].stride * down) != l[i].base);
    return off;
}

static HOT inline mask_t off_lines(const uint32_t n, const uint64_t *address, const struct line *l)
{
    return off_lines_from(0, n, lane_down(), address, l);
}

/* The rows of each access that is not on its line; one on its line is in rows, too. */
static HOT inline void find_rows(const _Bool own, const uint32_t n, mask_t off, const uint64_t *address,
                                 const struct line *l, struct rows *r)
{
    UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || own)
            r[i] = rows_through_all(l[i], off, address[i]);
        else
            r[i] = (struct rows){l[i].base, r[0].stride, r[0].pitch, r[0].shift};
    }
}

/* The active lanes in which an access is not where its rows have it. All have rows of one length. */
static HOT inline mask_t off_all_rows(const uint32_t n, const uint64_t *address, const struct rows *r)
{
    mask_t off = 0;
    uint32_t lane = bits_below(ALL_LANES);
    int32_t column = -(int32_t)(lane & ((1u << r[0].shift) - 1)), row = -(int32_t)(lane >> r[0].shift);
    VECTOR(column);
    VECTOR(row);
    UNROLLED
    for (uint32_t i = 0; i < n; i++)
        off |= ballot(address[i] + (uint64_t)((int64_t)r[i].stride * column) +
                          (uint64_t)((int64_t)r[i].pitch * row) !=
                      r[i].base);
    return off;
}

/* The rows of each access by itself, all lanes active: of lengths of their own. Whether a lane is not where its access's rows have it. One
 * on its line is in the longest rows that there are. */
static HOT inline _Bool off_own_rows(const uint32_t n, const uint64_t *address, const struct line *l,
                                     struct rows *r)
{
    mask_t off = 0;
    uint32_t lane = bits_below(ALL_LANES);
    UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        mask_t one = ballot(address[i] != line_at(l[i], lane));
        r[i] = one ? rows_through_all(l[i], one, address[i])
                   : (struct rows){l[i].base, l[i].stride,
                                   (int32_t)((uint32_t)l[i].stride << (LOG2_LANES - 1)), LOG2_LANES - 1};
        off |= ballot(address[i] != rows_at(r[i], lane));
    }
    return off != 0;
}

/* The active lanes in which an access lies elsewhere from the first one than in the first of these lanes. `mine`: how far the access
 * with the number of the lane among them lies from the first one. */
static HOT inline mask_t off_distances(const uint32_t n, uint32_t rank, const uint64_t *address,
                                       uint64_t *mine)
{
    mask_t off = 0;
    *mine = 0;
    UNROLLED
    for (uint32_t i = 1; i < n; i++) {
        uint64_t apart = address[i] - address[0], first = uniform64(apart);
        off |= ballot(apart != first);
        *mine = rank == i ? first : *mine;
    }
    return off;
}

/* Its site's byte of `sites`, and what of it is the distance. */
static HOT inline uint32_t byte_of(uint32_t sites, uint32_t rank)
{
    return sites >> (rank * 8 & 31);
}

static HOT inline uint32_t byte_of_many(uint32_t sites, uint32_t sites1, uint32_t rank)
{
    return (uint32_t)((sites | (uint64_t)sites1 << 32) >> (rank * 8 & 63));
}

/* Whether the host wants evidence of this wavefront's access of the lane's site. */
static HOT inline _Bool wants_evidence(wave_ptr w, uint64_t evidence, uint32_t site)
{
    GLOBAL struct ls_evidence *e = (GLOBAL struct ls_evidence *)evidence + site;
    return ~(uint32_t)(LOAD(&e->sum, WAVEFRONT) >> 32) >= LOAD(&w->number, WAVEFRONT);
}

/* What of the lanes' keys does not come from strides. */
static HOT inline uint32_t key_top(uint32_t phase, uint32_t place)
{
    return place << (KEY_MASK - 32) | phase << (KEY_PHASE - 32);
}

/* The keys of accesses on lines, one a lane. */
static HOT inline uint64_t line_key(uint32_t top, uint32_t stride)
{
    return stride | (uint64_t)(top | (uint32_t)(KEY_LINE >> 32)) << 32;
}

/* Of accesses in rows, among which are such on lines; these have the keys that they have alone. Both are computed before it
 * is chosen, as a branch costs more. */
static HOT inline uint64_t any_key(uint32_t top, struct rows r)
{
    _Bool line = (uint32_t)r.stride << r.shift == (uint32_t)r.pitch;
    uint32_t high = (uint32_t)(rows_key(r) >> 32);
    VECTOR(high);
    high = (line ? (uint32_t)(KEY_LINE >> 32) : high) | top;
    return (line ? (uint32_t)r.stride : (uint32_t)r.pitch) | (uint64_t)high << 32;
}

#endif
