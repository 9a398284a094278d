/*
 * ring.h - the host's side of a ring (lanescope/wire.h): layout of its memory, taking chunks off the done
 * list, giving them back to the free list. Knows nothing of HSA.
 *
 * ls_ring_take is for one thread (the drainer); ls_ring_give may be called from any.
 */
#ifndef HSA_PLUGIN_RING_H
#define HSA_PLUGIN_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/wire.h"

struct ls_host_ring {
    struct ls_ring *ring;
    uint8_t *chunks;
    uint32_t *done, *free;
    uint32_t n_chunks, chunk_shift, mask;
    uint32_t done_tail; /* tickets of the done list consumed so far */
    uint64_t damaged;   /* done entries that no wavefront writes, or chunks of nobody; atomic */
    pthread_mutex_t lock;
    uint32_t free_tail; /* as ring->free_tail; under lock */
    uint32_t *backlog;  /* chunks whose free entry is still occupied by a slow wavefront; under lock */
    uint32_t n_backlog;
    bool closed; /* nothing goes into the free list any more; under lock */
};

/* Bytes of memory that a ring of that shape needs; 0 when the shape is impossible: all chunks lie within 4 GiB. */
size_t ls_ring_bytes(uint32_t n_chunks, uint32_t chunk_shift);
/* Lays the ring out in `memory` (ls_ring_bytes, 4 KiB aligned) and fills its free list. 0 or -ENOMEM. */
int ls_ring_init(struct ls_host_ring *r, void *memory, uint32_t n_chunks, uint32_t chunk_shift);
void ls_ring_destroy(struct ls_host_ring *r); /* not the memory */

/* The next handed-over chunk, in ticket order; its header is filled in but for what the dispatch's context tells
 * (messages/header.h). false: none there now. */
bool ls_ring_take(struct ls_host_ring *r, uint32_t *chunk);
void ls_ring_give(struct ls_host_ring *r, uint32_t chunk);
/* Tries again what the free list had no room for; call now and then. */
void ls_ring_retry(struct ls_host_ring *r);

/* Tickets taken so far by wavefronts (acquire); a dispatch that has completed took none later. */
static inline uint32_t ls_ring_done_head(const struct ls_host_ring *r)
{
    return __atomic_load_n(&r->ring->done_head, __ATOMIC_ACQUIRE);
}
/* All tickets before `head` have been consumed. */
static inline bool ls_ring_drained(const struct ls_host_ring *r, uint32_t head)
{
    return (int32_t)(r->done_tail - head) >= 0;
}
static inline void *ls_ring_chunk(const struct ls_host_ring *r, uint32_t chunk)
{
    return r->chunks + ((size_t)chunk << r->chunk_shift);
}
static inline void ls_ring_damage(struct ls_host_ring *r)
{
    __atomic_fetch_add(&r->damaged, 1, __ATOMIC_RELAXED);
}
static inline void ls_ring_beat(struct ls_host_ring *r)
{
    __atomic_store_n(&r->ring->heartbeat, r->ring->heartbeat + 1, __ATOMIC_RELEASE);
}
/* From now on nobody finds a free chunk: wavefronts that look for one read why, and drop their messages. */
void ls_ring_close(struct ls_host_ring *r);

#endif
