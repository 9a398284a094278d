/*
 * map.c - the table of GPU address ranges: a sorted array, read without a lock.
 *
 * Readers run inside the ISA engine's load path, so a lookup takes no lock: it reads the table between two
 * reads of a sequence number and tries again when a writer was active. The table lies in one address
 * reservation that never moves, so that a reader that lost the race still reads valid memory. Writers
 * serialise on a mutex and shift the tail of the array; all table words are relaxed atomics.
 */
#include "mem.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* One entry, 32 bytes: as struct sg_range, but every word can be read while a writer changes it. */
struct slot {
    _Atomic uint64_t lo, hi;
    _Atomic int64_t delta;
    _Atomic uint64_t flags;
};

/* More ranges than Linux allows mappings in one process (vm.max_map_count, 65530 by default), with room. */
#define SLOTS_MAX (1u << 20)

struct sg_mem {
    _Atomic uint64_t sequence; /* odd while a writer changes the table */
    _Atomic uint64_t generation;
    _Atomic uint32_t count;
    struct slot *slot; /* SLOTS_MAX entries reserved, pages appear as they are used */
    pthread_mutex_t writers;
};

#define RELAXED memory_order_relaxed

static struct sg_range slot_load(const struct slot *s)
{
    return (struct sg_range){
        .lo = atomic_load_explicit(&s->lo, RELAXED),
        .hi = atomic_load_explicit(&s->hi, RELAXED),
        .delta = (intptr_t)atomic_load_explicit(&s->delta, RELAXED),
        .flags = (uint32_t)atomic_load_explicit(&s->flags, RELAXED),
    };
}

static void slot_store(struct slot *s, const struct sg_range *r)
{
    atomic_store_explicit(&s->lo, r->lo, RELAXED);
    atomic_store_explicit(&s->hi, r->hi, RELAXED);
    atomic_store_explicit(&s->delta, r->delta, RELAXED);
    atomic_store_explicit(&s->flags, r->flags, RELAXED);
}

struct sg_mem *sg_mem_create(void)
{
    struct sg_mem *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->slot = mmap(NULL, SLOTS_MAX * sizeof(struct slot), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->slot == MAP_FAILED) {
        free(m);
        return NULL;
    }
    /* Generation 0 is what a zero-initialised sg_tlb has seen: start above it, so that its ways are empty. */
    atomic_init(&m->generation, 1);
    pthread_mutex_init(&m->writers, NULL);
    return m;
}

void sg_mem_destroy(struct sg_mem *m)
{
    if (!m)
        return;
    munmap(m->slot, SLOTS_MAX * sizeof(struct slot));
    pthread_mutex_destroy(&m->writers);
    free(m);
}

/* Index of the first slot with hi > va among `count` slots. */
static uint32_t first_above(const struct sg_mem *m, uint32_t count, uint64_t va)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (atomic_load_explicit(&m->slot[mid].hi, RELAXED) > va)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

bool sg_mem_next(struct sg_mem *m, uint64_t va, struct sg_range *out)
{
    for (unsigned attempt = 0;; attempt++) {
        uint64_t before = atomic_load_explicit(&m->sequence, memory_order_acquire);
        if (!(before & 1)) {
            uint32_t count = atomic_load_explicit(&m->count, RELAXED);
            uint32_t i = first_above(m, count, va);
            struct sg_range r = {0};
            if (i < count)
                r = slot_load(&m->slot[i]);
            atomic_thread_fence(memory_order_acquire);
            if (atomic_load_explicit(&m->sequence, RELAXED) == before) {
                if (i >= count)
                    return false;
                *out = r;
                return true;
            }
        }
        if (attempt > 64)
            sched_yield();
    }
}

bool sg_mem_lookup(struct sg_mem *m, uint64_t va, struct sg_range *out)
{
    struct sg_range r;
    if (!sg_mem_next(m, va, &r) || va < r.lo)
        return false;
    *out = r;
    return true;
}

/* ---- Writers: all below runs under m->writers. ---- */

static void write_begin(struct sg_mem *m)
{
    pthread_mutex_lock(&m->writers);
    atomic_store_explicit(&m->sequence, atomic_load_explicit(&m->sequence, RELAXED) + 1, RELAXED);
    atomic_thread_fence(memory_order_release);
}

static void write_end(struct sg_mem *m)
{
    atomic_store_explicit(&m->sequence, atomic_load_explicit(&m->sequence, RELAXED) + 1,
                          memory_order_release);
    pthread_mutex_unlock(&m->writers);
}

/* Moves the slots from index `from` on to index `to`; the count changes by the difference. */
static void shift_tail(struct sg_mem *m, uint32_t from, uint32_t to)
{
    uint32_t count = atomic_load_explicit(&m->count, RELAXED);
    struct sg_range r;
    if (to < from) {
        for (uint32_t i = from; i < count; i++) {
            r = slot_load(&m->slot[i]);
            slot_store(&m->slot[to + (i - from)], &r);
        }
    } else if (to > from) {
        for (uint32_t i = count; i-- > from;) {
            r = slot_load(&m->slot[i]);
            slot_store(&m->slot[to + (i - from)], &r);
        }
    }
    atomic_store_explicit(&m->count, count + to - from, RELAXED);
}

/* Replaces what lies in [lo, hi) by `fresh` (NULL: by nothing). At most two remnants of old ranges stay. */
static int replace(struct sg_mem *m, uint64_t lo, uint64_t hi, const struct sg_range *fresh)
{
    uint32_t count = atomic_load_explicit(&m->count, RELAXED);
    uint32_t first = first_above(m, count, lo), last = first;
    struct sg_range piece[3];
    uint32_t pieces = 0;
    while (last < count && atomic_load_explicit(&m->slot[last].lo, RELAXED) < hi)
        last++;
    if (last > first) {
        struct sg_range r = slot_load(&m->slot[first]);
        if (r.lo < lo) {
            r.hi = lo;
            piece[pieces++] = r;
        }
    }
    if (fresh)
        piece[pieces++] = *fresh;
    if (last > first) {
        struct sg_range r = slot_load(&m->slot[last - 1]);
        if (r.hi > hi) {
            r.lo = hi;
            piece[pieces++] = r;
        }
    }
    if (count - (last - first) + pieces > SLOTS_MAX)
        return -ENOMEM;
    shift_tail(m, last, first + pieces);
    for (uint32_t i = 0; i < pieces; i++)
        slot_store(&m->slot[first + i], &piece[i]);
    if (last > first)
        atomic_fetch_add_explicit(&m->generation, 1, memory_order_release);
    return 0;
}

int sg_mem_map(struct sg_mem *m, uint64_t va, uint64_t size, void *host, uint32_t flags)
{
    struct sg_range r = {va, va + size, (intptr_t)((uint64_t)(uintptr_t)host - va), flags};
    if (!size || va + size < va)
        return -EINVAL;
    write_begin(m);
    int err = replace(m, va, va + size, &r);
    write_end(m);
    return err;
}

int sg_mem_unmap(struct sg_mem *m, uint64_t va, uint64_t size)
{
    if (!size || va + size < va)
        return -EINVAL;
    write_begin(m);
    int err = replace(m, va, va + size, NULL);
    write_end(m);
    return err;
}

/* ---- The reader's cache. ---- */

void sg_tlb_init(struct sg_tlb *t, struct sg_mem *m)
{
    memset(t, 0, sizeof *t);
    t->mem = m;
    t->generation = &m->generation;
}

/* Where to keep `r`, which holds `va`. Small buffers that share a piece would displace each other at every access; so the
 * largest range has the piece's way, and the others have those of their pages. */
static struct sg_range *place_of(struct sg_tlb *t, uint64_t va, const struct sg_range *r)
{
    const uint64_t piece = va & ~((2ull << 20) - 1);
    struct sg_range *way = &t->way[sg_tlb_way(va)];
    const bool shares = way->lo < piece + (2ull << 20) && way->hi > piece;
    return shares && way->hi - way->lo >= r->hi - r->lo ? &t->page_way[sg_tlb_page_way(va)] : way;
}

const struct sg_range *sg_tlb_fill(struct sg_tlb *t, uint64_t va)
{
    struct sg_range found;
    /* The generation is read before the table: a change in between makes the next access come here again. */
    uint64_t now = atomic_load_explicit(t->generation, memory_order_acquire);
    if (now != t->seen) {
        memset(t->way, 0, sizeof t->way);
        memset(t->page_way, 0, sizeof t->page_way);
        t->seen = now;
    }
    if (!sg_mem_lookup(t->mem, va, &found))
        return NULL;
    struct sg_range *r = place_of(t, va, &found);
    *r = found;
    return r;
}
