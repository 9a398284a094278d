/*
 * chunk.h - how a wavefront takes chunks of the ring and hands them over (lanescope/wire.h). All of it runs
 * in one lane.
 */
#ifndef LS_CHUNK_H
#define LS_CHUNK_H

#include "device.h"

#define CURSOR(address, left) ((address) | (uint64_t)(left) << 48)
#define CURSOR_ADDRESS(cursor) ((cursor) & 0xffffffffffffull)

/* Tells the compiler that what the other side wrote or will read lies beyond. The hardware needs no more: a wavefront
 * never reads a chunk, and writes one only when the exchange that gave it has returned. */
#define COMPILER_FENCE() __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront")

/* Takes what the entry holds: a chunk's number + 1; 0: nothing. With an exchange: when the list has gone round,
 * another wavefront waits for the same entry, and must not take what we have seen but not yet zeroed. */
static inline uint32_t take_entry(GLOBAL uint32_t *entry)
{
    return readfirstlane(__hip_atomic_exchange(entry, 0u, __ATOMIC_RELAXED, SYSTEM));
}

enum { POLLS_PER_LOOK = 64 };

/* Sleeps before another poll: 512 cycles, later 2048, then 8128, which is 4 us at 2 GHz, as long as a few round trips over
 * the link. */
static inline void nap(uint32_t polls)
{
    if (polls < 4)
        __builtin_amdgcn_s_sleep(8);
    else if (polls < 12)
        __builtin_amdgcn_s_sleep(32);
    else
        __builtin_amdgcn_s_sleep(127);
}

/* Waits for the host to fill the free list's entry. 0 when it never will: the ring is closed, or the heartbeat stood
 * still for dead_after looks; then the ring is closed for everybody, so that the next wavefront need not find out.
 * Thousands of wavefronts may wait at a time, and each poll is a read of the host's memory: so they poll nothing but
 * their entries, less and less often, and look at the host's state at one poll of 64. */
static inline uint32_t wait_for_chunk(ctx_ptr ctx, ring_ptr ring, GLOBAL uint32_t *entry)
{
    uint32_t beat = readfirstlane(LOAD(&ring->heartbeat, SYSTEM)), still = 0, chunk = 0, polls = 0;
    while (!readfirstlane(LOAD(entry, SYSTEM)) || !(chunk = take_entry(entry))) {
        nap(polls);
        if (++polls % POLLS_PER_LOOK)
            continue;
        if (readfirstlane(LOAD(&ring->closed, SYSTEM)))
            return 0;
        uint32_t now = readfirstlane(LOAD(&ring->heartbeat, SYSTEM));
        still = now == beat ? still + 1 : 0;
        beat = now;
        if (still > ctx->dead_after)
            STORE(&ring->closed, 2, SYSTEM);
    }
    return chunk;
}

static inline uint32_t chunk_of_ticket(ctx_ptr ctx, ring_ptr ring, uint32_t ticket)
{
    GLOBAL uint32_t *entry = (GLOBAL uint32_t *)ctx->free + (ticket & ctx->list_mask);
    VECTOR(entry);
    uint32_t chunk = take_entry(entry);
    if (__builtin_expect(!chunk, 0))
        chunk = wait_for_chunk(ctx, ring, entry);
    COMPILER_FENCE();
    return chunk;
}

/* A chunk's number + 1; 0: the ring is closed. A ticket may be taken of a closed ring, so that nobody waits for the
 * one answer before asking for the other: its chunk is lost to a ring that nobody uses any more. */
static inline uint32_t wait_for_any(ctx_ptr ctx)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    VECTOR(ring);
    uint32_t closed = LOAD(&ring->closed, SYSTEM);
    uint32_t ticket = __hip_atomic_fetch_add(&ring->free_head, 1, __ATOMIC_RELAXED, AGENT);
    VECTOR(closed); /* else it would be waited for before the ticket is taken */
    return readfirstlane(closed) ? 0 : chunk_of_ticket(ctx, ring, readfirstlane(ticket));
}

/* The same without waiting: takes a ticket only when the host has put in more entries than were taken. */
static inline uint32_t find_any(ctx_ptr ctx)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    VECTOR(ring);
    uint32_t head = LOAD(&ring->free_head, AGENT);
    if (readfirstlane(LOAD(&ring->closed, SYSTEM)))
        return 0;
    do {
        if ((int32_t)readfirstlane(LOAD(&ring->free_tail, SYSTEM) - head) <= 0)
            return 0;
    } while (!readfirstlane(__hip_atomic_compare_exchange_weak(&ring->free_head, &head, head + 1,
                                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED, AGENT)));
    return chunk_of_ticket(ctx, ring, readfirstlane(head));
}

/* Writes the header of chunk number `chunk` - 1: the cursor behind it. `place`: the work-group's id and the
 * wavefront's number in it. */
static inline uint64_t begin_chunk(ctx_ptr ctx, uint32_t chunk, u32x4 place, uint32_t sequence)
{
    uint64_t start = ctx->chunks + ((uint64_t)(chunk - 1) << ctx->chunk_shift);
    uint64_t cycles = __builtin_readcyclecounter(), time = realtime();
    GLOBAL u32x4 *out = (GLOBAL u32x4 *)start;
    out[0] = (u32x4){LS_CHUNK_MAGIC, 0, ctx->slot, place[3]};
    out[1] = (u32x4){place[0], place[1], place[2], hw_id()};
    out[2] = (u32x4){xcc_id(), sequence, (uint32_t)cycles, (uint32_t)(cycles >> 32)};
    out[3] = (u32x4){(uint32_t)time, (uint32_t)(time >> 32), 0, LS_LANES};
    uint32_t left = ctx->flags & LS_CTX_HOLD ? (1u << ctx->chunk_shift) - (uint32_t)sizeof(struct ls_chunk)
                                             : LS_MESSAGE_MAX;
    if (ctx->flags & LS_CTX_SUMMARY)
        left = 1;
    return CURSOR(start + sizeof(struct ls_chunk), left);
}

/* Takes a chunk and writes its header: the cursor behind it, or 0 when the message has to be dropped. */
static inline uint64_t take_chunk(wave_ptr w, ctx_ptr ctx)
{
    uint32_t chunk = ctx->flags & LS_CTX_DROP ? find_any(ctx) : wait_for_any(ctx);
    if (chunk)
        return begin_chunk(ctx, chunk, load_16(&w->workgroup), LOAD(&w->sequence, WAVEFRONT));
    GLOBAL uint64_t *dropped =
        (GLOBAL uint64_t *)((uint64_t)ctx + __builtin_offsetof(struct ls_ctx, dropped));
    VECTOR(dropped);
    __hip_atomic_fetch_add(dropped, 1, __ATOMIC_RELAXED, SYSTEM);
    return 0;
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

/* Waits until the host would see all that this wavefront has stored. */
static HOT inline void release(UNUSED ctx_ptr ctx)
{
#if LS_GFX == 9 || LS_GFX == 94
    /* The ring lies in ROCr's pool for kernel arguments, which is uncached (MTYPE UC): the L2 has nothing of it to
     * write back, and stores are counted until the memory has them (AMDGPUUsage, memory models gfx90a, gfx942). */
    COMPILER_FENCE();
    __builtin_amdgcn_s_waitcnt(0);
    if (__builtin_expect(!(ctx->flags & LS_CTX_WRITE_BACK), 1))
        return;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    __builtin_amdgcn_s_waitcnt(
        0); /* for the write-back: LLVM's own wait for it may be taken for superfluous */
#else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#endif
}

/* Hands the chunk over. The release orders the stores of the whole wavefront: its wait counts all of them. With
 * LS_CHUNK_LAST nobody asks the record any more. */
static inline void give_chunk(wave_ptr w, ctx_ptr ctx, uint64_t cursor, uint32_t flags)
{
    ring_ptr ring = (ring_ptr)ctx->ring;
    VECTOR(ring);
    uint64_t end = CURSOR_ADDRESS(cursor), start = chunk_of(ctx, end);
    uint32_t number = (uint32_t)((start - ctx->chunks) >> ctx->chunk_shift);
    GLOBAL struct ls_chunk *chunk = (GLOBAL struct ls_chunk *)start;
    /* The host reads it. */
    uint32_t ticket = __hip_atomic_fetch_add(&ring->done_head, 1, __ATOMIC_RELAXED, SYSTEM);
    chunk->bytes = (uint32_t)(end - (uint64_t)chunk);
    if (flags)
        chunk->flags = flags;
    if (!(flags & LS_CHUNK_LAST)) {
        STORE(&w->sequence, LOAD(&w->sequence, WAVEFRONT) + 1, WAVEFRONT);
        STORE(&w->cursor, 0, WAVEFRONT);
    }
    GLOBAL uint32_t *entry = (GLOBAL uint32_t *)ctx->done + (readfirstlane(ticket) & ctx->list_mask);
    release(ctx);
    STORE(entry, number + 1, SYSTEM);
}

#endif
