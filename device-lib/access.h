/*
 * access.h - the hot path of an access's probe.
 *
 * One probe is executed by a whole wavefront and writes at most one message. The hot path, inlined at each
 * access, finds out whether the lanes' addresses form a line and whether the held chunk has room; if both
 * hold it stores 16 bytes (24 when lanes are missing) and moves the cursor. All else - other address
 * patterns, no chunk yet, chunk nearly full - is one call of __ls_slow.
 *
 * Summary mode (LS_CTX_SUMMARY) costs the hot path nothing: a cursor then always says that one byte is left,
 * so that every access comes to __ls_slow, which counts it (summary.h), by its shape or what it costs.
 */
#ifndef LS_ACCESS_H
#define LS_ACCESS_H

#include "line.h"
#include "message.h"

/* Any access, whatever its addresses and the state of the chunk. */
void __ls_slow(uint64_t wave, uint64_t address, uint32_t head);

/*
 * The hot path. `wave` is what __ls_enter returned, `head` the site's number + 1. The cursor is loaded first
 * and used last. LDS offsets have at most 17 bits, so for them 32-bit products do.
 */
static HOT inline void access(uint64_t wave, uint64_t address, uint32_t head, const _Bool lds)
{
    OPAQUE(wave);
    if (!wave)
        return;
    wave_ptr w = (wave_ptr)wave;
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT);
    mask_t exec = active_lanes();
    uint32_t lane = bits_below(ALL_LANES);
    struct line l = line_through(exec, address);
    OPAQUE(l.stride);
    mask_t off = lds ? ballot((uint32_t)address != (uint32_t)l.base + (uint32_t)l.stride * lane)
                     : ballot(address != line_at(l, lane));
    uint32_t at = readfirstlane((uint32_t)loaded), left = readfirstlane((uint32_t)(loaded >> 32));
    OPAQUE(left);
    if (__builtin_expect((off != 0) | (left < (LS_MESSAGE_MAX + 24) << 16), 0)) {
        __ls_slow(wave, address, lds ? head | HEAD_LDS : head);
        return;
    }
    if (lane == l.first) {
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)(at | (uint64_t)(left & 0xffff) << 32);
        uint64_t next = (at | (uint64_t)left << 32) + ADVANCE(16);
        uint32_t flags = LS_KIND_STRIDED << 24;
        OPAQUE(exec);
        if (exec != ALL_LANES) {
            *(GLOBAL uint64_t *)(out + 1) = exec;
            next += ADVANCE(8);
            flags |= LS_HEAD_PARTIAL;
        }
        *out = (u32x4){(head & HEAD_SITE) | flags, (uint32_t)l.base, (uint32_t)(l.base >> 32),
                       (uint32_t)l.stride};
        STORE(&w->cursor, next, WAVEFRONT);
    }
}

#endif
