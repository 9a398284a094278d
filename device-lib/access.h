/*
 * access.h - the hot path of an access's probe.
 *
 * One probe is executed by a whole wavefront and writes at most one message. The hot path finds out whether
 * the lanes' addresses form a line and whether the held chunk has room; if both hold it stores 16 bytes (24
 * when lanes are missing) and moves the cursor. Rows and other addresses within 4 GiB are left to __ls_irregular, all
 * else - others, no chunk yet, chunk nearly full - to __ls_slow.
 *
 * Summary mode (LS_CTX_SUMMARY) costs the hot path nothing: a cursor then always says that one byte is left,
 * so that every access comes to __ls_slow, which counts it (summary.h), by its shape or what it costs.
 */
#ifndef LS_ACCESS_H
#define LS_ACCESS_H

#include "line.h"
#include "message.h"

PROBE(__ls_access);
PROBE(__ls_access_lds);
/* Accesses whose addresses are not on a line; the second one with lanes missing. */
PROBE(__ls_irregular);
PROBE(__ls_irregular_partial);
/* Any access, whatever its addresses and the state of the chunk. */
PROBE(__ls_slow);
PROBE(__ls_send); /* the same, not counted */

/* Lanes whose address is not on the line.
 * LDS offsets have at most 17 bits, so for them 32-bit products do. */
static HOT inline mask_t off_line(struct line l, uint64_t address, uint32_t lane, const _Bool lds)
{
    return lds ? ballot((uint32_t)address != (uint32_t)l.base + (uint32_t)l.stride * lane)
               : ballot(address != line_at(l, lane));
}

/* Whether a chunk has less than so many bytes left, or there is none. Before a message there must be room for it and
 * LS_MESSAGE_MAX. */
static HOT inline _Bool has_less(uint64_t cursor, uint32_t bytes)
{
    uint32_t high = (uint32_t)(cursor >> 32);
    OPAQUE(high);
    return high < bytes << 16;
}

#define DELTA_MAX (24 + 4 * LS_LANES) /* bytes of an LS_KIND_DELTA message */

/* Writes the fixed part without the site, the mask, and what tells the rows unless lanes are `apart`. */
static HOT inline void send_irregular(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec,
                                      uint32_t first, u32x4 fixed, uint32_t head, _Bool apart, struct rows r,
                                      uint32_t size)
{
    uint32_t lane = bits_below(ALL_LANES);
    uint64_t whole = all ? size : size + 8;
    mask_t lanes = TAIL_CALLS_NEED_UNIFORM ? one_lane_begin(first) : 0;
    if (TAIL_CALLS_NEED_UNIFORM || lane == first) {
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)CURSOR_ADDRESS(cursor);
        fixed[0] |= head & HEAD_SITE;
        if (!all) {
            *(GLOBAL uint64_t *)(out + 1) = exec;
            fixed[0] |= LS_HEAD_PARTIAL;
        }
        *out = fixed;
        if (!apart)
            *((GLOBAL u32x2 *)(out + 1) + !all) = (u32x2){(uint32_t)r.pitch, r.shift};
        STORE(&w->cursor, cursor + whole - (whole << 48), WAVEFRONT);
    }
    if (TAIL_CALLS_NEED_UNIFORM)
        one_lane_end(lanes);
}

/* Head is that of the message, but for the bit that says that lanes are missing. */
static HOT inline void send_line(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec, struct line l,
                                 uint32_t lane, uint32_t head)
{
    mask_t lanes = TAIL_CALLS_NEED_UNIFORM ? one_lane_begin(l.first) : 0;
    if (TAIL_CALLS_NEED_UNIFORM || lane == l.first) {
        u32x2 at = __builtin_bit_cast(u32x2, cursor);
        at[1] &= 0xffff;
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)__builtin_bit_cast(uint64_t, at);
        cursor += ADVANCE(16);
        if (!all) {
            *(GLOBAL uint64_t *)(out + 1) = exec;
            cursor += ADVANCE(8);
            head |= LS_HEAD_PARTIAL;
        }
        *out = (u32x4){head, (uint32_t)l.base, (uint32_t)(l.base >> 32), (uint32_t)l.stride};
        STORE(&w->cursor, cursor, WAVEFRONT);
    }
    if (TAIL_CALLS_NEED_UNIFORM)
        one_lane_end(lanes);
}

#endif
