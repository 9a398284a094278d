/*
 * special.c - probes of accesses whose addresses the hardware works out from more than a pointer: buffers,
 * loads to LDS, lengths known at run time only.
 */
#include "access.h"
#include "summary_irregular.h"

/*
 * Where a swizzled structured buffer has `offset` of record `index`: groups of 8 to 64 records (index stride,
 * bits 22:21 of the descriptor's last word) lie interleaved by dwords. The address is that of the lane's
 * first dword.
 */
static inline uint64_t swizzled(uint32_t stride, uint32_t last_word, uint32_t index, uint32_t offset)
{
    uint32_t group = 8u << (last_word >> 21 & 3);
    return ((uint64_t)(index / group) * stride + (offset & ~3u)) * group + (index % group) * 4 + (offset & 3);
}

/*
 * Whether a lane of a buffer access is in range. Up to gfx9 the range is that of the index in swizzled buffers
 * with a stride, otherwise that of the bytes, which soffset shortens (docs/hardware.md). From gfx10 on the
 * descriptor's OOB_SELECT says which ("RDNA 2 Instruction Set Architecture", "Buffer Resource Descriptor" and
 * "Range checking"): index and offset, the index, nothing if there is a record at all, or as before.
 */
static inline _Bool in_range(uint64_t low, uint64_t high, uint32_t index, uint64_t offset, uint32_t soffset)
{
    uint32_t stride = (uint32_t)(low >> 48) & 0x3fff, records = (uint32_t)high;
    _Bool by_record = low >> 63 && stride;
#if LS_GFX == 10 || LS_GFX == 11
    uint32_t bounds = (uint32_t)(high >> 60) & 3;
    if (bounds == 1 || bounds == 2)
        return bounds == 1 ? index < records : records != 0;
    by_record |= bounds == 0;
#endif
    return by_record ? index < records && offset < stride
                     : offset + (uint64_t)stride * index + soffset < records;
}

/*
 * Probe of a buffer access. The address of a lane is base + soffset + offset, plus index * stride (CDNA3 ISA
 * document, section 9.1.5); the offset is voffset plus the instruction's, in 32 bits. Lanes out of range access
 * nothing and are left out. `control`: bit 0 structured (`index` counts), bits 31:8 the instruction's offset.
 */
COLD void __ls_access_buffer(uint64_t wave, uint64_t low, uint64_t high, uint32_t voffset, uint32_t soffset,
                             uint32_t index, uint32_t control, uint32_t head)
{
    control = readfirstlane(control);
    uint64_t base = low & 0xffffffffffffull, offset = voffset + (control >> 8);
    uint32_t stride = (uint32_t)(low >> 48) & 0x3fff;
    index = control & 1 ? index : 0;
    if (in_range(low, high, index, offset, soffset)) {
        uint64_t at = low >> 63 && stride ? swizzled(stride, (uint32_t)(high >> 32), index, (uint32_t)offset)
                                          : offset + (uint64_t)stride * index;
        at += base + soffset;
        __ls_access(wave, (uint32_t)at, (uint32_t)(at >> 32), head);
    }
}

/* LDS side of a load to LDS: lane i's data goes to low + i * high. */
PROBE(__ls_lds_dma)
{
    TAIL_CALL(__ls_access_lds(wave, low + bits_below(ALL_LANES) * high, 0, head));
}

/* Longer copies are taken for these: the sums have 32 bits. */
#define LENGTH_MAX 0xfffffffeu

/* Whether accesses of a site are reduced, so that nobody wants messages. */
static inline _Bool is_reduced(ctx_ptr ctx, uint32_t head)
{
    return ctx->flags & LS_CTX_SUMMARY && planned(ctx, head);
}

/*
 * Comes before the probe of an access whose length (low, high) is known at run time only. To reduce it the
 * longest length is needed. Messages tell all of them, in one that follows the access's in the same chunk:
 * hands over one that has no room for both.
 */
PROBE(__ls_longest)
{
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    if (is_silent(halves))
        return;
    ctx_ptr ctx = ctx_of(w);
    uint64_t bytes = low | (uint64_t)high << 32, longest = 0, cursor = uniform64(LOAD(&w->cursor, WAVEFRONT));
    _Bool leader = bits_below(active_lanes()) == 0;
    KEEP_LOOP for (mask_t lanes = active_lanes(); lanes; lanes &= ballot(bytes > longest))
    {
        longest = readlane64(bytes, FIRST_LANE(lanes));
    }
    longest = longest < LENGTH_MAX ? longest : LENGTH_MAX;
    cursor = send_what_waits(w, cursor, 0, active_lanes());
    if (!leader)
        return;
    if (is_reduced(ctx, readfirstlane(head))) {
        STORE(&w->longest, (uint32_t)longest, WAVEFRONT);
        if (cursor) /* the access is not to find room; nothing waits where `longest` is now */
            STORE(&w->cursor, LS_CURSOR(CURSOR_ADDRESS(cursor), 1), WAVEFRONT);
        return;
    }
    if (cursor && room_behind(ctx, CURSOR_ADDRESS(cursor)) < LS_MESSAGE_MAX + LS_LENGTH_MAX)
        give_chunk(w, ctx, cursor);
    else
        STORE(&w->cursor, cursor, WAVEFRONT);
    STORE(&w->order, LOAD(&w->order, WAVEFRONT) | LS_ORDER_WAITS, WAVEFRONT);
}

/* Follows it. No chunk: its message was dropped, and so is what follows it. */
PROBE(__ls_length)
{
    head = readfirstlane(head);
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    if (is_silent(halves) || is_reduced(ctx_of(w), head))
        return;
    mask_t exec = active_lanes();
    if (!uniform64(LOAD(&w->cursor, WAVEFRONT))) {
        if (bits_below(exec) == 0)
            count_dropped(ctx_of(w));
        return;
    }
    if (bits_below(exec) == 0)
        STORE(&w->order, LOAD(&w->order, WAVEFRONT) & ~LS_ORDER_WAITS, WAVEFRONT);
    uint64_t bytes = low | (uint64_t)high << 32, first = uniform64(bytes);
    uint32_t differ = ballot(bytes != first) != 0;
    emit(w, exec, (head & HEAD_SITE) | LS_KIND_LENGTH << 24, first, differ ? COUNT(exec) : 0, differ, low, 0);
}
