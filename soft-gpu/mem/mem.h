/*
 * mem.h - the software GPU's view of memory: which GPU virtual addresses exist and where they lie in this
 * process.
 *
 * The emulated GPU lives in the application's own process, so most GPU addresses are host addresses (delta
 * 0). Exceptions: memory locked by ROCr 5.2 (GPU VA is a separate reservation), and VRAM that the application
 * has no CPU mapping of. Every access of the command processor and of the ISA engine goes through a
 * translation; what is not in the map is a GPU page fault, never a host SIGSEGV.
 *
 * Readers are the command processor and the engine's threads, each with a private `struct sg_tlb`; writers
 * are the ioctl handlers. A reader holds translations only while the map's generation is unchanged.
 */
#ifndef SOFT_GPU_MEM_MEM_H
#define SOFT_GPU_MEM_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sg_range_flags {
    SG_RANGE_READ = 1u << 0,
    SG_RANGE_WRITE = 1u << 1,
    SG_RANGE_EXEC = 1u << 2, /* code may be fetched from it */
    SG_RANGE_HOST = 1u << 3, /* plain host memory at its own address: dies with the application's munmap */
    SG_RANGE_UNCACHED = 1u << 4, /* the L2 does not keep it (MTYPE UC); only the weak memory asks (weak/) */
};

/* One mapped range: GPU addresses [lo, hi) lie at host address va + delta. */
struct sg_range {
    uint64_t lo, hi;
    intptr_t delta;
    uint32_t flags;
};

struct sg_mem;

/* Makes an empty map. NULL when out of memory. Thread-safe object; free with sg_mem_destroy. */
struct sg_mem *sg_mem_create(void);
void sg_mem_destroy(struct sg_mem *m);

/* Maps [va, va+size) to `host`. Overlapping older ranges are replaced where they overlap. 0 or
 * -ENOMEM/-EINVAL. */
int sg_mem_map(struct sg_mem *m, uint64_t va, uint64_t size, void *host, uint32_t flags);
/* Removes whatever is mapped in [va, va+size); unmapped parts are no error. 0 or -ENOMEM. */
int sg_mem_unmap(struct sg_mem *m, uint64_t va, uint64_t size);
/* Copies the range that holds `va` into *out. False when there is none. */
bool sg_mem_lookup(struct sg_mem *m, uint64_t va, struct sg_range *out);
/* Copies the first range that ends above `va` into *out: the one that holds it, or the next one. */
bool sg_mem_next(struct sg_mem *m, uint64_t va, struct sg_range *out);

#define SG_TLB_WAYS 64
#define SG_TLB_PAGE_WAYS 128

/* A reader's private cache of ranges. Zero-initialise, then sg_tlb_init. Not shared between threads. */
struct sg_tlb {
    struct sg_mem *mem;
    const _Atomic uint64_t *generation;         /* of the map: changes when a range is removed or replaced */
    uint64_t seen;                              /* generation at which the ways are valid */
    struct sg_range way[SG_TLB_WAYS];           /* the largest of the ranges of a piece of 2 MiB */
    struct sg_range page_way[SG_TLB_PAGE_WAYS]; /* others that lie in the same piece, by pages */
};

void sg_tlb_init(struct sg_tlb *t, struct sg_mem *m);
/* Slow path of sg_tlb_range: looks up, caches. NULL when `va` is not mapped. */
const struct sg_range *sg_tlb_fill(struct sg_tlb *t, uint64_t va);

/* Which way caches `va`, by pieces of 2 MiB. Upper bits take part so that buffers whose distance is a power
 * of two do not displace each other. */
static inline unsigned sg_tlb_way(uint64_t va)
{
    return (unsigned)(va >> 21 ^ va >> 26 ^ va >> 32) % SG_TLB_WAYS;
}

/* The same by pages of 4 KiB. */
static inline unsigned sg_tlb_page_way(uint64_t va)
{
    return (unsigned)(va >> 12 ^ va >> 19 ^ va >> 26) % SG_TLB_PAGE_WAYS;
}

static inline bool sg_range_has(const struct sg_range *r, uint64_t va)
{
    return va - r->lo < r->hi - r->lo;
}

/* The range that holds `va` when it is cached, or NULL. Valid as sg_tlb_range's. */
static inline const struct sg_range *sg_tlb_hit(struct sg_tlb *t, uint64_t va)
{
    const struct sg_range *r = &t->way[sg_tlb_way(va)];
    if (__builtin_expect(!sg_range_has(r, va), 0)) {
        r = &t->page_way[sg_tlb_page_way(va)];
        if (!sg_range_has(r, va))
            return NULL;
    }
    return __builtin_expect(atomic_load_explicit(t->generation, memory_order_acquire) == t->seen, 1) ? r
                                                                                                     : NULL;
}

/* The range that holds `va`, or NULL. Valid until the next call on the same tlb. */
static inline const struct sg_range *sg_tlb_range(struct sg_tlb *t, uint64_t va)
{
    const struct sg_range *r = sg_tlb_hit(t, va);
    return r ? r : sg_tlb_fill(t, va);
}

/* Host pointer for [va, va+size) inside one range, or NULL (page fault at some byte of it). */
static inline void *sg_tlb_ptr(struct sg_tlb *t, uint64_t va, uint64_t size)
{
    const struct sg_range *r = sg_tlb_range(t, va);
    if (__builtin_expect(!r || size > r->hi - va, 0))
        return NULL;
    return (void *)(uintptr_t)(va + (uint64_t)r->delta);
}

#endif
