/*
 * waiting.h - messages of up to 32 bytes wait in the wavefront's record until they fill a line of the chunk (LS_LINE), which
 * then leaves by one store instruction of several lanes. Of the host's memory each store is a request of its own, and a
 * line is carried nearly as cheaply as 16 bytes. The whole wavefront runs this.
 *
 * The record is in the GPU's own memory and no other wavefront looks at it, so that nothing of it needs a scope: accesses of a wavefront
 * to one address take place in the order of its program, whatever its lanes.
 */
#ifndef LS_WAITING_H
#define LS_WAITING_H

#include "chunk.h"

/* Where a cursor is in its line. */
static HOT inline uint32_t place_in_line(uint64_t cursor)
{
    return (uint32_t)cursor & (LS_LINE - 8);
}

/* Sends what waits, and `size` bytes that have been put behind it: 16 bytes a lane, so that the last lane may send 8 bytes
 * too many, which the next message overwrites. By the first lanes, where it is known when this is compiled that `all` are active, else
 * by those of `exec`. Other ones than these may be active before and are behind it. */
static HOT inline void send_waiting(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec,
                                    const uint32_t size)
{
    u32x2 line = __builtin_bit_cast(u32x2, cursor);
    uint32_t waiting = (line[0] & LS_CURSOR_WAITING) * 8, start = place_in_line(cursor) - waiting;
    uint32_t n = (waiting + size + 8) / 16;
    line[0] &= -LS_LINE;
    line[1] &= 0xffff;
    GLOBAL char *to = (GLOBAL char *)__builtin_bit_cast(uint64_t, line), *from = (GLOBAL char *)w->waiting;
    if (all) {
        uint32_t at = first_lanes_begin(n, start);
        *(GLOBAL u32x4 *)(to + at) = *(GLOBAL u32x4 *)(from + at);
        return;
    }
    uint32_t rank = lanes_begin(exec);
    KEEP_LOOP for (uint32_t done = 0;;)
    {
        uint32_t at = start + (done + rank) * 16;
        set_lanes(ballot(done + rank < n));
        *(GLOBAL u32x4 *)(to + at) = *(GLOBAL u32x4 *)(from + at);
        set_lanes(exec);
        if ((done += COUNT(exec)) >= n) /* at once, if there are lanes enough */
            break;
    }
}

/* The cursor, when nothing waits any more: for messages that do not go through the record. */
static HOT inline uint64_t send_what_waits(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec)
{
    uint32_t waiting = (uint32_t)cursor & LS_CURSOR_WAITING;
    OPAQUE(waiting); /* else it is compared as 64 bits */
    if (__builtin_expect(!waiting, 1))
        return cursor;
    send_waiting(w, cursor, all, exec, 0);
    if (all)
        set_all_lanes();
    return cursor & ~(uint64_t)LS_CURSOR_WAITING;
}

#endif
