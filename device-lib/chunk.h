/*
 * chunk.h - how a wavefront takes chunks of the ring and hands them over (lanescope/wire.h). All of it runs
 * in one lane.
 */
#ifndef LS_CHUNK_H
#define LS_CHUNK_H

#include "device.h"

#define CURSOR_ADDRESS(cursor) ((cursor) & 0xffffffffffffull)

/* What the beginning and the end of a wavefront need of the context, by one scalar load. */
typedef uint32_t u32x16 __attribute__((ext_vector_type(16), aligned(8)));
struct way_out {
    uint32_t slot, flags;
    uint64_t ring, free, waves, first_cursor;
    uint32_t chunk_bytes, list_mask;
    uint64_t done, chunks;
};

static HOT inline struct way_out way_out_of(ctx_ptr ctx)
{
    u32x16 words = *(const CONSTANT u32x16 *)&ctx->slot;
    OPAQUE(words); /* else each use loads its own */
    return __builtin_bit_cast(struct way_out, words);
}

/* What counting needs of a context, by one scalar load. */
struct way_to_counters {
    uint32_t dead_after, sites, n_waves, simple;
    uint64_t dropped, plan, evidence, summary, unlisted, code;
};

static HOT inline struct way_to_counters way_to_counters_of(ctx_ptr ctx)
{
    u32x16 words = *(const CONSTANT u32x16 *)&ctx->dead_after;
    OPAQUE(words); /* else each use loads its own */
    return __builtin_bit_cast(struct way_to_counters, words);
}

/* Where a list has the entry of a ticket: both in vector registers, as atomics at such addresses are the wavefront's own.
 * A list has at most 2^22 entries. */
static HOT inline GLOBAL uint32_t *ticket_entry(struct way_out c, uint64_t list, uint32_t ticket)
{
    return (GLOBAL uint32_t *)((GLOBAL char *)list + (ticket & c.list_mask) * (uint32_t)sizeof(uint32_t));
}

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

/* Waits for the host to fill the free list's entry of a ticket. 0 when it never will: the ring is closed, or the heartbeat stood
 * still for dead_after looks; then the ring is closed for everybody, so that the next wavefront need not find out.
 * Thousands of wavefronts may wait at a time, and each poll is a read of the host's memory: so they poll nothing but
 * their entries, less and less often, and look at the host's state at first and then at one poll of 64. Who closes a
 * ring empties the list: so only those ask who find nothing. */
static inline uint32_t wait_for_chunk(ctx_ptr ctx, struct way_out c, uint32_t ticket)
{
    ring_ptr ring = (ring_ptr)c.ring;
    GLOBAL uint32_t *entry = ticket_entry(c, c.free, ticket);
    VECTOR(ring);
    uint32_t beat = readfirstlane(LOAD(&ring->heartbeat, SYSTEM)), still = 0, chunk = 0, polls = 0;
    if (readfirstlane(LOAD(&ring->closed, SYSTEM)))
        return 0;
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

/* Takes what the entry of a ticket holds: a chunk's number + 1, in a vector register. 0: nothing yet. */
static HOT inline uint32_t chunk_of_ticket(struct way_out c, uint32_t ticket)
{
    return __hip_atomic_exchange(ticket_entry(c, c.free, ticket), 0u, __ATOMIC_RELAXED, SYSTEM);
}

static HOT inline uint32_t take_ticket(struct way_out c)
{
    ring_ptr ring = (ring_ptr)c.ring;
    VECTOR(ring);
    return __hip_atomic_fetch_add(&ring->free_head, 1, __ATOMIC_RELAXED, AGENT);
}

/* The same only when the host has put in more entries than were taken; whether it did. */
static inline _Bool find_ticket(struct way_out c, uint32_t *ticket)
{
    ring_ptr ring = (ring_ptr)c.ring;
    VECTOR(ring);
    uint32_t head = LOAD(&ring->free_head, AGENT);
    if (readfirstlane(LOAD(&ring->closed, SYSTEM)))
        return 0;
    do {
        if ((int32_t)readfirstlane(LOAD(&ring->free_tail, SYSTEM) - head) <= 0)
            return 0;
    } while (!readfirstlane(__hip_atomic_compare_exchange_weak(&ring->free_head, &head, head + 1,
                                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED, AGENT)));
    *ticket = head;
    return 1;
}

/* Writes the wavefront's half of the header of chunk number `chunk` - 1: the cursor behind it. `first`: its first four
 * words. */
static HOT inline uint64_t begin_chunk(struct way_out c, uint32_t chunk, u32x4 first)
{
    uint64_t cursor = c.first_cursor;
    VECTOR(cursor); /* one multiplication and addition of vector registers does it, then */
    cursor += (uint64_t)chunk * c.chunk_bytes;
    uint64_t cycles = __builtin_readcyclecounter(), time = ls_realtime();
    GLOBAL u32x4 *behind = (GLOBAL u32x4 *)CURSOR_ADDRESS(cursor), *out;
    COMPILER_FENCE();
    out = behind - sizeof(struct ls_chunk) / sizeof *out;
    out[0] = first;
    out[1] = (u32x4){(uint32_t)cycles, (uint32_t)(cycles >> 32), (uint32_t)time, (uint32_t)(time >> 32)};
    return cursor;
}

/* Takes a chunk where none is dropped, and writes its header; the cursor behind it, 0: the ring is closed. `room`: what the chunk
 * has more than its first cursor says. One lane runs this. */
static HOT inline uint64_t take_any(ctx_ptr ctx, struct way_out c, u32x4 first, uint32_t room)
{
    uint32_t ticket = take_ticket(c), chunk = chunk_of_ticket(c, ticket);
    if (__builtin_expect(readfirstlane(chunk) != 0, 1) || (chunk = wait_for_chunk(ctx, c, ticket)))
        return begin_chunk(c, chunk, first) + ((uint64_t)room << 48);
    return 0;
}

/* Counts a message for which there is no chunk. */
static inline void count_dropped(ctx_ptr ctx)
{
    GLOBAL uint64_t *dropped =
        (GLOBAL uint64_t *)((uint64_t)ctx + __builtin_offsetof(struct ls_ctx, dropped));
    VECTOR(dropped);
    __hip_atomic_fetch_add(dropped, 1, __ATOMIC_RELAXED, SYSTEM);
}

/* Takes a chunk and writes its header: the cursor behind it, or 0 when the message has to be dropped. */
static inline uint64_t take_chunk(wave_ptr w, ctx_ptr ctx)
{
    struct way_out c = way_out_of(ctx);
    uint32_t ticket, chunk = 0;
    if (!(c.flags & LS_CTX_DROP))
        ticket = take_ticket(c);
    if (!(c.flags & LS_CTX_DROP) || find_ticket(c, &ticket)) {
        chunk = chunk_of_ticket(c, ticket);
        if (!readfirstlane(chunk))
            chunk = wait_for_chunk(ctx, c, ticket);
    }
    if (readfirstlane(chunk)) {
        u32x4 first = load_16(&w->slot);
        first[2] = hw_id();
        first[3] &= ~LS_ORDER_WAITS;
        return begin_chunk(c, chunk, first);
    }
    count_dropped(ctx);
    return 0;
}

/* Bytes of its chunk that are left behind the messages that end at `end`. */
static HOT inline uint32_t room_behind(ctx_ptr ctx, uint64_t end)
{
    return ~(uint32_t)(end - 1 - ctx->chunks) & (ctx->chunk_bytes - 1);
}

/* Waits until the host would see all that this wavefront has stored. */
static HOT inline void release(UNUSED uint32_t ctx_flags)
{
#if LS_GFX == 9 || LS_GFX == 94
    /* The ring lies in ROCr's pool for kernel arguments, which is uncached (MTYPE UC): the L2 has nothing of it to
     * write back, and stores are counted until the memory has them (AMDGPUUsage, memory models gfx90a, gfx942). */
    COMPILER_FENCE();
    __builtin_amdgcn_s_waitcnt(0);
    if (__builtin_expect(!(ctx_flags & LS_CTX_WRITE_BACK), 1))
        return;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    __builtin_amdgcn_s_waitcnt(
        0); /* for the write-back: LLVM's own wait for it may be taken for superfluous */
#else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#endif
}

/* Hands over the chunk in which the cursor is. The release orders the stores of the whole wavefront: its wait counts all of
 * them. */
static HOT inline void hand_over(struct way_out c, uint64_t cursor, uint32_t flags)
{
    ring_ptr ring = (ring_ptr)c.ring;
    VECTOR(ring);
    /* The host reads it. */
    uint32_t ticket = __hip_atomic_fetch_add(&ring->done_head, 1, __ATOMIC_RELAXED, SYSTEM);
    release(c.flags);
    STORE(ticket_entry(c, c.done, ticket), LS_DONE(cursor, flags), SYSTEM);
}

/* The same, and the wavefront goes on. */
static inline void give_chunk(wave_ptr w, ctx_ptr ctx, uint64_t cursor)
{
    STORE(&w->order, LOAD(&w->order, WAVEFRONT) + (1u << LS_ORDER_SHIFT), WAVEFRONT);
    STORE(&w->cursor, 0, WAVEFRONT);
    hand_over(way_out_of(ctx), cursor, 0);
}

#endif
