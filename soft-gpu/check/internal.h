/*
 * internal.h - what the files of this folder share.
 *
 * Order between wavefronts is kept in vector clocks (Lamport 1978, Mattern 1988; their use for races as in
 * FastTrack, Flanagan and Freund 2009). Each wavefront counts its memory instructions: its clock. vc[i][j] is
 * the latest clock of wavefront j that has certainly happened before what wavefront i does now. Barriers and
 * atomics raise these. An earlier access (j, clock) is ordered before wavefront i when clock <= vc[i][j].
 */
#ifndef SOFT_GPU_CHECK_INTERNAL_H
#define SOFT_GPU_CHECK_INTERNAL_H

#include <pthread.h>
#include "check.h"

/* An access that later ones are compared with: one of the four kept per dword, without gaps. */
struct slot {
    uint64_t pc : 48; /* 0: empty */
    uint64_t wave : 4, lane : 6;
    uint64_t bytes : 4; /* of the dword, a bit each */
    uint64_t kind : 2;  /* enum sg_check_kind */
    uint32_t clock;     /* of the wavefront; for global memory of the dispatch */
    uint32_t group;     /* low bits of its flat number */
};
_Static_assert(sizeof(struct slot) == 16, "a dword's accesses fill one cache line");

enum { SLOTS = 4 };
struct cell {
    struct slot slot[SLOTS];
};

/* Findings by instructions: open addressing, a finding with a.pc 0 is free. */
struct findings {
    struct sg_finding *entry;
    size_t size, used; /* size: 0 or a power of two */
    uint64_t lost;     /* beyond the limit, or without memory */
};
void findings_add(struct findings *f, const struct sg_finding *one);
void findings_merge(struct findings *into, const struct findings *from);
void findings_clear(struct findings *f); /* keeps the memory */
void findings_free(struct findings *f);

/* Accesses to global memory: pages of cells, found by address. One clock for the whole dispatch, because one
 * thread runs it. */
struct global {
    struct page **slot; /* open addressing */
    size_t size, used;
    struct page *last;
    uint32_t clock;
    uint64_t beyond; /* accesses to pages that are not followed */
};
/* The cell of the dword at `address`; NULL when it is not followed. */
struct cell *global_cell(struct global *m, uint64_t address);
void global_free(struct global *m);

struct sg_check_job {
    unsigned what;
    pthread_mutex_t lock; /* findings */
    struct findings findings;
    struct global global; /* belongs to the one thread there is */
};

/* Clocks that atomics on an address have published. */
struct published {
    uint64_t address; /* + 1, 0: free */
    uint32_t waves;   /* that have published here, a bit each */
    uint32_t clock[SG_CHECK_WAVES];
};
struct publications {
    struct published *entry;
    size_t size, used;
};

struct sg_check_group {
    struct sg_check_job *job;
    uint64_t flat;
    unsigned waves;
    uint32_t lds_bytes;
    uint32_t clock[SG_CHECK_WAVES], vc[SG_CHECK_WAVES][SG_CHECK_WAVES];
    /* The dispatch's clock when each wavefront last heard of others, and at the last barrier. */
    uint32_t acquired[SG_CHECK_WAVES], barrier;
    struct cell *lds; /* of each dword; NULL: races are not asked for */
    uint8_t *written; /* of each dword, a bit per byte */
    size_t capacity;  /* dwords allocated at lds and written */
    struct publications published;
    struct findings findings;
};

/* sync.c: an atomic of `wave` on `address`:
 * takes what earlier ones have published there, publishes its own. */
void sync_atomic(struct sg_check_group *g, unsigned wave, uint64_t address);
/* A plain store to an address that the wavefront has used atomics on since the last barrier:
 * releases a lock. */
bool sync_releases(const struct sg_check_group *g, unsigned wave, uint64_t address);
void sync_barrier(struct sg_check_group *g);
void sync_start(struct sg_check_group *g);
void sync_free(struct sg_check_group *g);
static inline bool ordered_before(const struct sg_check_group *g, const struct slot *s, unsigned wave,
                                  enum sg_check_space space)
{
    if (space == SG_CHECK_LDS)
        return s->wave == wave || s->clock <= g->vc[wave][s->wave];
    if (s->clock <= g->acquired[wave])
        return true;
    return s->group == (uint32_t)g->flat && (s->wave == wave || s->clock <= g->barrier);
}
/* The clock of the access that is being looked at. */
static inline uint32_t clock_of(const struct sg_check_group *g, const struct sg_check_access *a)
{
    return a->space == SG_CHECK_LDS ? g->clock[a->wave] : g->job->global.clock;
}

/* What a lane's piece of an access is compared with, cells.c. */
struct piece {
    const struct sg_check_access *access;
    unsigned lane;
    uint64_t address; /* of its first byte */
    uint8_t bytes;    /* of the dword, a bit each */
};
/* Compares with the accesses of one dword, reports what conflicts, and takes its place among them. */
void cell_access(struct sg_check_group *g, struct cell *c, const struct piece *p);

#endif
