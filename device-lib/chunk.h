/*
 * chunk.h - how a wavefront takes chunks of the ring and hands them over (lanescope/wire.h). All of it runs
 * in one lane.
 */
#ifndef LS_CHUNK_H
#define LS_CHUNK_H

#include "device.h"

#define CURSOR(address, left) ((address) | (uint64_t)(left) << 48)
#define CURSOR_ADDRESS(cursor) ((cursor) & 0xffffffffffffull)
#define CURSOR_LEFT(cursor) ((uint32_t)((cursor) >> 48))

/* A ticket of the free list, without waiting: only when the host has put in more entries than were taken. */
static inline _Bool ticket_if_any(ring_ptr ring, uint32_t *ticket)
{
    uint32_t head = LOAD(&ring->free_head, AGENT);
    do {
        if ((int32_t)(LOAD(&ring->free_tail, SYSTEM) - head) <= 0)
            return 0;
    } while (!__hip_atomic_compare_exchange_weak(&ring->free_head, &head, head + 1, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, AGENT));
    *ticket = head;
    return 1;
}

/* Waits for the host to fill the free list's entry. 0 when it never will: the ring is closed, or the
 * heartbeat stood still for dead_after polls; then the ring is closed for everybody, so that the next
 * wavefront need not find out. */
static inline uint32_t wait_for_chunk(ctx_ptr ctx, ring_ptr ring, GLOBAL uint32_t *entry)
{
    uint32_t beat = LOAD(&ring->heartbeat, SYSTEM), still = 0, chunk;
    /* Taken with an exchange: when the list has gone round, another wavefront waits for the same entry, and
     * must not take what we have seen but not yet zeroed. */
    while (!LOAD(entry, SYSTEM) || !(chunk = __hip_atomic_exchange(entry, 0u, __ATOMIC_RELAXED, SYSTEM))) {
        __builtin_amdgcn_s_sleep(16); /* 16 * 64 cycles */
        uint32_t now = LOAD(&ring->heartbeat, SYSTEM);
        still = now == beat ? still + 1 : 0;
        beat = now;
        if (still > ctx->dead_after)
            STORE(&ring->closed, 2, SYSTEM);
        if (LOAD(&ring->closed, SYSTEM))
            return 0;
    }
    return chunk;
}

static inline void write_header(ctx_ptr ctx, wave_ptr w, GLOBAL u32x4 *out)
{
    uint64_t cycles = __builtin_readcyclecounter(), time = realtime();
    out[0] = (u32x4){LS_CHUNK_MAGIC, 0, ctx->slot, LOAD(&w->wave, WAVEFRONT)};
    out[1] = (u32x4){LOAD(&w->workgroup[0], WAVEFRONT), LOAD(&w->workgroup[1], WAVEFRONT),
                     LOAD(&w->workgroup[2], WAVEFRONT), hw_id()};
    out[2] = (u32x4){xcc_id(), LOAD(&w->sequence, WAVEFRONT), (uint32_t)cycles, (uint32_t)(cycles >> 32)};
    out[3] = (u32x4){(uint32_t)time, (uint32_t)(time >> 32), 0, LS_LANES};
}

/* Takes a chunk and writes its header: the cursor behind it, or 0 when the message has to be dropped. */
static inline uint64_t take_chunk(wave_ptr w, ctx_ptr ctx)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    uint32_t ticket, chunk = 0;
    VECTOR(ring);
    if (!LOAD(&ring->closed, SYSTEM)) {
        _Bool have = 1;
        if (ctx->flags & LS_CTX_DROP)
            have = ticket_if_any(ring, &ticket);
        else
            ticket = __hip_atomic_fetch_add(&ring->free_head, 1, __ATOMIC_RELAXED, AGENT);
        if (have) {
            GLOBAL uint32_t *entry = (GLOBAL uint32_t *)ctx->free + (ticket & ctx->list_mask);
            chunk = wait_for_chunk(ctx, ring, entry);
            if (chunk)
                __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
        }
    }
    if (!chunk) {
        GLOBAL uint64_t *dropped =
            (GLOBAL uint64_t *)((uint64_t)ctx + __builtin_offsetof(struct ls_ctx, dropped));
        VECTOR(dropped);
        __hip_atomic_fetch_add(dropped, 1, __ATOMIC_RELAXED, AGENT);
        return 0;
    }
    uint64_t start = ctx->chunks + ((uint64_t)(chunk - 1) << ctx->chunk_shift);
    write_header(ctx, w, (GLOBAL u32x4 *)start);
    uint32_t left = ctx->flags & LS_CTX_HOLD ? (1u << ctx->chunk_shift) - (uint32_t)sizeof(struct ls_chunk)
                                             : LS_MESSAGE_MAX;
    if (ctx->flags & LS_CTX_SUMMARY)
        left = 1;
    return CURSOR(start + sizeof(struct ls_chunk), left);
}

/* Start of the chunk in which the messages before `end` lie. */
static HOT inline uint64_t chunk_of(ctx_ptr ctx, uint64_t end)
{
    return ctx->chunks + (((end - 1 - ctx->chunks) >> ctx->chunk_shift) << ctx->chunk_shift);
}

/* Bytes of its chunk that are left behind the messages that end at `end`. */
static HOT inline uint32_t room_behind(ctx_ptr ctx, uint64_t end)
{
    return (uint32_t)(chunk_of(ctx, end) + (1ull << ctx->chunk_shift) - end);
}

/* Hands the chunk over. The release orders the stores of the whole wavefront: its wait counts all of them. */
static inline void give_chunk(wave_ptr w, ctx_ptr ctx, uint64_t cursor, uint32_t flags)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    VECTOR(ring);
    uint64_t end = CURSOR_ADDRESS(cursor), start = chunk_of(ctx, end);
    uint32_t number = (uint32_t)((start - ctx->chunks) >> ctx->chunk_shift);
    GLOBAL struct ls_chunk *chunk = (GLOBAL struct ls_chunk *)start;
    chunk->bytes = (uint32_t)(end - (uint64_t)chunk);
    if (flags)
        chunk->flags = flags;
    STORE(&w->sequence, LOAD(&w->sequence, WAVEFRONT) + 1, WAVEFRONT);
    STORE(&w->cursor, 0, WAVEFRONT);
    uint32_t ticket = __hip_atomic_fetch_add(&ring->done_head, 1, __ATOMIC_RELAXED, AGENT);
    GLOBAL uint32_t *entry = (GLOBAL uint32_t *)ctx->done + (ticket & ctx->list_mask);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#if LS_GFX == 9 || LS_GFX == 94
    /* LLVM 22 drops the wait behind the write-back of the L2 that the fence asks for (AMDGPUUsage, memory
     * model gfx942: buffer_wbl2, s_waitcnt vmcnt(0), then the store). */
    __builtin_amdgcn_s_waitcnt(0);
#endif
    STORE(entry, number + 1, SYSTEM);
}

#endif
