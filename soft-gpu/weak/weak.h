/*
 * weak.h - the caches of a GPU, as far as AMD's memory model lets programs notice them: what a wavefront has
 * stored is seen late and in another order, and what it loads may be stale, unless it waits, writes back and
 * invalidates where the model says so. Nothing here knows an instruction set.
 *
 * Source of all rules: LLVM AMDGPUUsage, "Memory Model GFX90A", "Memory Model GFX942" and those of gfx10 to gfx12. README.md
 * lists them.
 *
 * Threads: the wavefronts of one GPU run on one thread, so that a seed gives the same run each time; acquire and
 * release may come from others. What is done for one instruction stands between sg_weak_lock and sg_weak_unlock.
 */
#ifndef SOFT_GPU_WEAK_WEAK_H
#define SOFT_GPU_WEAK_WEAK_H

#include <stdbool.h>
#include <stdint.h>
#include "../mem/mem.h"

struct sg_weak;      /* the caches of one GPU */
struct sg_weak_wave; /* what one wavefront has under way */

struct sg_weak_config {
    struct sg_mem *mem;
    unsigned dies;  /* that have an L2 of their own; at most 32 */
    unsigned units; /* compute units of each die */
    bool
        pairs; /* gfx10 and later: two units side by side load through a second cache, behind the L0 that each has */
    uint64_t seed;
    bool follow; /* who has stored what and who knows of it: sg_weak_found */
    /* Carries out a read-modify-write that all see as one, on 4 bytes at `host`, or 8: the old value. */
    uint64_t (*rmw)(void *host, unsigned op, bool wide, uint64_t a, uint64_t b);
};

/* Fence scopes of packets, numbered as in their headers (HSA Runtime Specification 1.2, "Packet header"). */
enum sg_weak_scope { SG_WEAK_NONE, SG_WEAK_AGENT, SG_WEAK_SYSTEM };

/* Why a load has found what was there before a store that its wavefront knows of. */
enum sg_weak_why {
    SG_WEAK_UNDER_WAY,    /* the store has arrived nowhere yet: the writer did not wait */
    SG_WEAK_OTHER_L2,     /* it is in the L2 of another die: the writer did not write that back */
    SG_WEAK_STALE,        /* the reader's L1 was not invalidated */
    SG_WEAK_STALE_SCALAR, /* nor its scalar cache */
    SG_WEAK_POLLED,       /* the same, again and again, and nobody told of the store: the load waits for it */
};
struct sg_weak_place {
    uint64_t pc, group;
    unsigned wave, lane;
};
struct sg_weak_finding {
    enum sg_weak_why why;
    struct sg_weak_place write, read;
    uint64_t address; /* of the dword */
};

/* NULL when out of memory. All wavefronts must be freed before it is destroyed. */
struct sg_weak *sg_weak_create(const struct sg_weak_config *config);
void sg_weak_destroy(struct sg_weak *w);
/* What a packet does before its work, and after it. Any thread. */
void sg_weak_acquire(struct sg_weak *w, enum sg_weak_scope scope);
void sg_weak_release(struct sg_weak *w, enum sg_weak_scope scope);
/* All wavefronts of a dispatch have ended: what they have stored arrives in their L2. */
void sg_weak_arrive(struct sg_weak *w);

/* NULL when out of memory. */
struct sg_weak_wave *sg_weak_wave_create(struct sg_weak *w);
void sg_weak_wave_free(struct sg_weak_wave *v);
/* A wavefront starts on that unit of that die: number `wave` of work-group `group`. */
void sg_weak_wave_begin(struct sg_weak_wave *v, unsigned die, unsigned unit, uint64_t group, unsigned wave);
/* All wavefronts of a work-group, n of them, have come to a barrier. */
void sg_weak_barrier(struct sg_weak_wave *const *v, unsigned n);
/* It has ended; what it has under way stays so. Harmless when it has not begun. */
void sg_weak_wave_end(struct sg_weak_wave *v);
/* Time passes: something that is under way may arrive. True: it is another wavefront's turn. */
bool sg_weak_turn(struct sg_weak_wave *v);

void sg_weak_lock(struct sg_weak_wave *v);
void sg_weak_unlock(struct sg_weak_wave *v);

/* ---- With the lock. Every byte of an access is mapped, with the permission that it needs. ---- */

/* One more vector memory instruction is issued: before its accesses. */
void sg_weak_issue(struct sg_weak_wave *v);
/* Where the accesses behind it stand. */
void sg_weak_at(struct sg_weak_wave *v, uint64_t pc, unsigned lane);
/* Takes what has been found since the last time, at most one; false: nothing. */
bool sg_weak_found(struct sg_weak_wave *v, struct sg_weak_finding *out);
/* Which caches a load does not take its bytes from. */
enum sg_weak_past {
    SG_WEAK_CACHED,
    SG_WEAK_PAST_NEAR, /* with pairs: past the L0 of its unit */
    SG_WEAK_PAST,      /* past all of them: from the L2 */
};
/* Loads `n` bytes, at most 64. */
void sg_weak_load(struct sg_weak_wave *v, uint64_t va, unsigned n, enum sg_weak_past past, void *out);
/* `through`: goes through the L2 to memory. */
void sg_weak_store(struct sg_weak_wave *v, uint64_t va, unsigned n, bool through, const void *data);
/* A read-modify-write of an aligned word; what `op` means config.rmw knows. The old value, if it `returns`. */
uint64_t sg_weak_rmw(struct sg_weak_wave *v, uint64_t va, unsigned op, bool wide, uint64_t a, uint64_t b,
                     bool returns);
/* A scalar load of `n` bytes, at most 64. */
void sg_weak_scalar_load(struct sg_weak_wave *v, uint64_t va, unsigned n, void *out);
/* Waits until at most `left` vector memory instructions have not completed. */
void sg_weak_wait(struct sg_weak_wave *v, unsigned left);
/* Writes the L2 back behind what was stored before; complete when it has been waited for. */
void sg_weak_write_back(struct sg_weak_wave *v);
/* Forgets the L1 of the wavefront's compute unit; with pairs, its L0 and what is behind it. */
void sg_weak_invalidate(struct sg_weak_wave *v);
/* With pairs: its L0 alone, and what is behind that alone. */
void sg_weak_invalidate_near(struct sg_weak_wave *v);
void sg_weak_invalidate_shared(struct sg_weak_wave *v);
/* It has left a barrier of the whole grid. An L1 that was invalidated before, as hip's grid.sync() does, and has loaded nothing
 * since, had no neighbour that could have filled it while the grid waited: it is empty. */
void sg_weak_grid_barrier(struct sg_weak_wave *v);
/* Forgets its scalar cache. */
void sg_weak_invalidate_scalar(struct sg_weak_wave *v);
/* For accesses that are not modelled, before and after: memory has all that the wavefront sees, no cache of its
 * compute unit has anything. */
void sg_weak_settle(struct sg_weak_wave *v);

#endif
