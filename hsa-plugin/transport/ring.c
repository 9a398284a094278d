/* ring.c - see ring.h and lanescope/wire.h. */
#include "ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "messages/header.h"

enum { PAGE = 4096 };

static uint32_t list_entries(uint32_t n_chunks)
{
    uint32_t n = 1;
    while (n < n_chunks)
        n <<= 1;
    return n;
}

static size_t lists_bytes(uint32_t n_chunks)
{
    size_t bytes = sizeof(struct ls_ring) + 2 * sizeof(uint32_t) * (size_t)list_entries(n_chunks);
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

size_t ls_ring_bytes(uint32_t n_chunks, uint32_t chunk_shift)
{
    if (n_chunks < 1 || chunk_shift < 10 || chunk_shift > 16 || n_chunks > 1ull << 32 >> chunk_shift)
        return 0;
    return lists_bytes(n_chunks) + ((size_t)n_chunks << chunk_shift);
}

int ls_ring_init(struct ls_host_ring *r, void *memory, uint32_t n_chunks, uint32_t chunk_shift)
{
    uint32_t entries = list_entries(n_chunks);
    memset(r, 0, sizeof *r);
    r->backlog = malloc(sizeof(uint32_t) * n_chunks);
    if (!r->backlog)
        return -ENOMEM;
    memset(memory, 0, lists_bytes(n_chunks));
    struct ls_ring *ring = memory;
    r->done = (uint32_t *)(ring + 1);
    r->free = r->done + entries;
    r->chunks = (uint8_t *)memory + lists_bytes(n_chunks);
    r->n_chunks = n_chunks;
    r->chunk_shift = chunk_shift;
    r->mask = entries - 1;
    pthread_mutex_init(&r->lock, NULL);
    for (uint32_t i = 0; i < n_chunks; i++)
        r->free[i] = i + 1;
    r->free_tail = n_chunks;
    ring->free_tail = n_chunks;
    /* Last: the drainer looks at a ring as soon as this is set. */
    __atomic_store_n(&r->ring, ring, __ATOMIC_RELEASE);
    return 0;
}

void ls_ring_destroy(struct ls_host_ring *r)
{
    if (r->backlog)
        pthread_mutex_destroy(&r->lock);
    free(r->backlog);
    r->backlog = NULL;
}

bool ls_ring_take(struct ls_host_ring *r, uint32_t *chunk)
{
    for (;;) {
        uint32_t *entry = &r->done[r->done_tail & r->mask];
        uint32_t v = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (!v)
            return false;
        /* Before the chunk can get back to the device, which then may write this entry again. */
        __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
        r->done_tail++;
        uint32_t used;
        if (ls_done_read(v, (uintptr_t)r->chunks, 1u << r->chunk_shift, r->n_chunks, chunk, &used)) {
            ls_header_begin(ls_ring_chunk(r, *chunk), v, used);
            return true;
        }
        ls_ring_damage(r);
    }
}

/* Under lock. Wavefronts take tickets in order, but a slow one may not have emptied its entry yet although
 * later ones have gone round the whole list: then the chunk has to wait, not the host. */
static bool put_free(struct ls_host_ring *r, uint32_t chunk)
{
    uint32_t *entry = &r->free[r->free_tail & r->mask];
    if (r->closed)
        return true; /* nobody wants it */
    if (__atomic_load_n(entry, __ATOMIC_ACQUIRE))
        return false;
    /* Should the next one be handed over before its header has arrived, then it is nobody's. */
    ((struct ls_chunk *)ls_ring_chunk(r, chunk))->slot = 0;
    __atomic_store_n(entry, chunk + 1, __ATOMIC_RELEASE);
    r->free_tail++;
    __atomic_store_n(&r->ring->free_tail, r->free_tail, __ATOMIC_RELEASE);
    return true;
}

static void retry_locked(struct ls_host_ring *r)
{
    while (r->n_backlog && put_free(r, r->backlog[r->n_backlog - 1]))
        r->n_backlog--;
}

void ls_ring_give(struct ls_host_ring *r, uint32_t chunk)
{
    pthread_mutex_lock(&r->lock);
    retry_locked(r);
    if (!put_free(r, chunk)) {
        /* All chunks wait already where one was handed over twice, by who wrote over the done list. */
        if (r->n_backlog < r->n_chunks)
            r->backlog[r->n_backlog++] = chunk;
        else
            ls_ring_damage(r);
    }
    pthread_mutex_unlock(&r->lock);
}

void ls_ring_retry(struct ls_host_ring *r)
{
    pthread_mutex_lock(&r->lock);
    retry_locked(r);
    pthread_mutex_unlock(&r->lock);
}

void ls_ring_close(struct ls_host_ring *r)
{
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    __atomic_store_n(&r->ring->closed, 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i <= r->mask; i++)
        __atomic_exchange_n(&r->free[i], 0, __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&r->lock);
}
