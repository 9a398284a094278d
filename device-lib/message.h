/*
 * message.h - writes messages into the wavefront's chunk. The whole wavefront runs this.
 *
 * Invariant: while a chunk is held, at least LS_MESSAGE_MAX bytes of it are free, so no message ever has to
 * be split or moved. Without LS_CTX_HOLD a chunk starts with exactly that many and so is handed over after
 * its first message.
 */
#ifndef LS_MESSAGE_H
#define LS_MESSAGE_H

#include "waiting.h"

/* Cursor after a message of n bytes: address up, bytes left down. */
#define ADVANCE(n) ((uint64_t)(n) - ((uint64_t)(n) << 48))

/* What a record holds of the ring. */
struct held {
    ctx_ptr ctx;
    uint64_t cursor;
};

static HOT inline struct held held_of(wave_ptr w)
{
    u32x4 words = load_16(w);
    return (struct held){(ctx_ptr)uniform_pair(words[0], words[1]), uniform_pair(words[2], words[3])};
}

/* Cursor for the next message, in all lanes; takes a chunk if none is held: `cursor` is 0. 0: the message is
 * dropped. Nothing waits in the record, then. */
static HOT inline uint64_t open_at(wave_ptr w, ctx_ptr ctx, uint64_t cursor, uint32_t rank)
{
    if (!cursor) {
        if (rank == 0)
            cursor = take_chunk(w, ctx);
        cursor = uniform64(cursor); /* of the first active lane, which is the one that took it */
        return cursor;
    }
    return send_what_waits(w, cursor, 0, active_lanes());
}

static HOT inline uint64_t open_message(wave_ptr w, ctx_ptr ctx, uint32_t rank)
{
    return open_at(w, ctx, uniform64(LOAD(&w->cursor, WAVEFRONT)), rank);
}

/* Behind a message of `size` bytes at `cursor`: hands the chunk over when it has no room for another one, unless it waits
 * for the lengths' message. */
static HOT inline void close_message(wave_ptr w, ctx_ptr ctx, uint64_t cursor, uint32_t size, uint32_t rank)
{
    uint64_t end = CURSOR_ADDRESS(cursor) + size;
    uint32_t left = ctx->flags & LS_CTX_HOLD ? room_behind(ctx, end) : 0;
    uint32_t room = (uint32_t)(cursor >> 48); /* with LS_CTX_FEW that is less than what is left */
    cursor = LS_CURSOR(end, !(ctx->flags & LS_CTX_SUMMARY) ? left : room > size ? room - size : 1);
    if (rank == 0) {
        if (left < LS_MESSAGE_MAX && !(LOAD(&w->order, WAVEFRONT) & LS_ORDER_WAITS))
            give_chunk(w, ctx, cursor);
        else
            STORE(&w->cursor, cursor, WAVEFRONT);
    }
}

/* A message in general: 16 fixed bytes and `per_lane` (0, 1, 2) words of each active lane, all of the first
 * words before all of the second. Takes and hands over chunks as needed. */
static HOT inline void emit(wave_ptr w, mask_t exec, uint32_t head, uint64_t base, uint32_t word3,
                            uint32_t per_lane, uint32_t first, uint32_t second)
{
    uint32_t rank = bits_below(exec), n = COUNT(exec);
    struct held held = held_of(w);
    ctx_ptr ctx = held.ctx;
    uint64_t cursor = open_at(w, ctx, held.cursor, rank);
    if (!cursor)
        return;
    uint64_t at = CURSOR_ADDRESS(cursor), lanes_at = at + 16;
    uint32_t size = 16 + ((n * per_lane * 4 + 7) & ~7u);
    if (exec != ALL_LANES) {
        head |= LS_HEAD_PARTIAL;
        size += 8;
        lanes_at += 8;
    }
    if (rank == 0) {
        *(GLOBAL u32x4 *)at = (u32x4){head, (uint32_t)base, (uint32_t)(base >> 32), word3};
        if (exec != ALL_LANES)
            *(GLOBAL uint64_t *)(at + 16) = exec;
    }
    if (per_lane > 0)
        ((GLOBAL uint32_t *)lanes_at)[rank] = first;
    if (per_lane > 1)
        ((GLOBAL uint32_t *)lanes_at)[n + rank] = second;
    close_message(w, ctx, cursor, size, rank);
}

#endif
