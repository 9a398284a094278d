/*
 * access.h - the hot path of an access's probe.
 *
 * One probe is executed by a whole wavefront and writes at most one message. The hot path finds out whether
 * the lanes' addresses form a line or rows and whether the held chunk has room; if both hold it stores 16 bytes (of rows
 * 24, and 8 more when lanes are missing) in the record, where they wait for a full line, and moves the cursor. Other addresses within 4 GiB are left to __ls_irregular, all
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
/* Accesses whose addresses form neither a line nor rows; the second one with lanes missing. */
PROBE(__ls_irregular);
PROBE(__ls_irregular_partial);
/* Any access, whatever its addresses and the state of the chunk. */
PROBE(__ls_slow);
PROBE(__ls_send); /* the same, not counted */

/* Lanes whose address is not where the line, or the rows, have it.
 * LDS offsets have at most 17 bits, so for them 32-bit products do. */
static HOT inline mask_t off_line(struct line l, uint64_t address, uint32_t lane, const _Bool lds)
{
    return lds ? ballot((uint32_t)address != (uint32_t)l.base + (uint32_t)l.stride * lane)
               : ballot(address != line_at(l, lane));
}

static HOT inline mask_t off_rows(struct rows r, uint64_t address, uint32_t lane, const _Bool lds)
{
    return lds ? ballot((uint32_t)address != (uint32_t)rows_at(r, lane))
               : ballot(address != rows_at(r, lane));
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

/* The lanes' addresses, as a message tells them. */
struct regular {
    uint64_t base;
    uint32_t word3; /* stride; of deltas: their number */
    uint32_t kind;
    uint32_t first;        /* lane that writes the message */
    uint32_t pitch, shift; /* with LS_KIND_ROWS */
};

/* Writes what a message has not of each lane, by one lane. `all` and the kind are known when it is compiled. `head` is what the
 * probe got. */
static HOT inline void write_fixed(GLOBAL u32x4 *out, const _Bool all, mask_t exec, struct regular r,
                                   uint32_t head)
{
    head = (head & HEAD_MESSAGE) + ((r.kind - LS_KIND_STRIDED) << 24);
    if (!all) {
        *(GLOBAL uint64_t *)(out + 1) = exec;
        head |= LS_HEAD_PARTIAL;
    }
    *out = (u32x4){head, (uint32_t)r.base, (uint32_t)(r.base >> 32), r.word3};
    if (r.kind == LS_KIND_ROWS)
        *((GLOBAL u32x2 *)(out + 1) + !all) = (u32x2){r.pitch, r.shift};
}

/* One lane goes on, until set_lanes. Not by a branch, whatever the LLVM: two of them in one function, with tail calls beside
 * them, are no regions that LLVM can make one lane's code of. */
static HOT inline void leave_one_lane(const _Bool all, uint32_t first)
{
    if (all)
        set_first_lane();
    else
        set_lanes((mask_t)1 << first);
}

static HOT inline void come_back(const _Bool all, mask_t exec)
{
    if (all)
        set_all_lanes();
    else
        set_lanes(exec);
}

/* Writes a message into the chunk, but for what it has of each lane, and moves the cursor by `size`, to which the mask is
 * added. Nothing may wait. */
static HOT inline void send_fixed(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec, struct regular r,
                                  uint32_t head, uint64_t size)
{
    u32x2 at = __builtin_bit_cast(u32x2, cursor);
    at[1] &= 0xffff;
    leave_one_lane(all, r.first);
    write_fixed((GLOBAL u32x4 *)__builtin_bit_cast(uint64_t, at), all, exec, r, head);
    STORE(&w->cursor, cursor + ADVANCE(size + (all ? 0 : 8)), WAVEFRONT);
    come_back(all, exec);
}

/* The same of a message that has nothing of each lane, through the record: it waits there until the line is full. */
static HOT inline void send_short(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec, struct regular r,
                                  uint32_t head)
{
    const uint32_t size = (r.kind == LS_KIND_ROWS ? 24 : 16) + (all ? 0 : 8);
    uint32_t place = place_in_line(cursor), at = place;
    uint64_t next = cursor + ADVANCE(size) + size / 8;
    leave_one_lane(all, r.first);
    VECTOR(at); /* else it is added to the address by scalar instructions */
    write_fixed((GLOBAL u32x4 *)((GLOBAL char *)w->waiting + at), all, exec, r, head);
    if (place >= LS_LINE - size) {
        send_waiting(w, cursor, all, exec, size);
        leave_one_lane(all, r.first); /* whose registers alone are sure to be right */
        next = (cursor & ~(uint64_t)LS_CURSOR_WAITING) + ADVANCE(size);
    }
    STORE(&w->cursor, next, WAVEFRONT);
    come_back(all, exec);
}

#endif
