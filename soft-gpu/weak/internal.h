/*
 * internal.h - what the files of the weak memory share.
 */
#ifndef SOFT_GPU_WEAK_INTERNAL_H
#define SOFT_GPU_WEAK_INTERNAL_H

#include "weak.h"

#include <pthread.h>
#include <string.h>
#include <uthash.h>
#include "common/numbers.h"

enum {
    LINE = 64,        /* bytes that arrive together: a request of gfx9's memory path */
    UNDER_WAY = 64,   /* operations of a wavefront */
    ORPHANS = 1024,   /* operations of wavefronts that have ended */
    L1_LINES = 4096,  /* more than any L1 has: the bound is on our memory */
    L2_LINES = 65536, /* dirty ones of a die: 4 MiB, an L2 of MI300 */
    OLD_LINES = 65536,
    VMCNT_MOST = 63, /* 6 bits on gfx9: with more under way a wavefront stalls */
    ALL_DIES = -1,
};

/* Bytes that a cache has of one line. */
struct line {
    uint64_t at; /* address / LINE */
    uint64_t mask;
    uint64_t since; /* L1: it has shown what was there at that time; never goes back behind it */
    uint8_t data[LINE];
    UT_hash_handle hh;
};

struct cache {
    struct line *lines;
    uint64_t emptied; /* when; 0: never */
    bool loaded;      /* something was, since then */
};

/* What a line was before a store arrived. A compute unit may still have it: as if another wavefront on it had
 * loaded the line in time. */
struct old {
    uint64_t at;
    uint64_t until; /* when the store arrived */
    uint32_t dies;  /* whose units may have it */
    uint8_t data[LINE];
    UT_hash_handle hh;
};

enum kind { STORE, RMW, WRITE_BACK };
enum cached { BYPASS, VECTOR, SCALAR }; /* what a load goes through */

/* An operation under way. */
struct op {
    enum kind kind;
    unsigned die, unit;
    uint64_t at;   /* line */
    uint32_t node; /* history.c: who, when and where; of a store only who */
    uint64_t when, pc;
    uint8_t lane;
    uint64_t issue; /* number of its instruction; of several: of the first */
    union {
        struct {
            uint64_t mask;
            bool through;
            uint8_t data[LINE];
        } store;
        struct {
            uint64_t va, a, b;
            unsigned op;
            bool wide;
        } rmw;
    };
};

struct sg_weak_wave {
    struct sg_weak *w;
    unsigned die, unit; /* unit: of the whole GPU */
    uint64_t issued;
    uint64_t hit_issue, hit_at; /* instruction and line of the last load through a cache */
    struct sg_weak_place place;
    uint32_t node, barrier; /* history.c */
    uint64_t poll_pc, poll_at, poll_issue;
    unsigned polls;
    uint64_t met; /* number of the last instruction before its last barrier */
    bool has_found;
    struct sg_weak_finding found;
    struct sg_weak_wave *next; /* on its unit */
    struct sg_weak_wave *mate; /* the next of its work-group there, in a ring */
    unsigned n;
    struct op op[UNDER_WAY];
};

struct sg_weak {
    pthread_mutex_t lock;
    struct sg_weak_config config;
    struct sg_tlb tlb; /* with the lock */
    uint64_t random;
    uint64_t now;     /* counts what arrives, and invalidations */
    struct cache *l1; /* of each compute unit; with pairs its L0 */
    struct cache *
        shared; /* with pairs: of each two units; else NULL. Hardware has one for several pairs (gfx10's L1 of an array) */
    struct cache *l2;              /* of each die: only what is dirty */
    struct cache *scalar;          /* of each die; on hardware two or three compute units share one */
    struct sg_weak_wave **on_unit; /* of each compute unit: its wavefronts */
    struct old *old;
    struct history *history; /* NULL: nothing is followed */
    unsigned n_orphans;
    struct op orphan[ORPHANS];
};

/* One of 0 to n - 1. */
static inline unsigned weak_random(struct sg_weak *w, unsigned n)
{
    uint64_t x = (w->random += 0x9E3779B97F4A7C15ull);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return (unsigned)((x ^ x >> 31) % n);
}

/* What its loads go through behind the L1 of the unit; NULL: the L2 is next. */
static inline struct cache *weak_shared(const struct sg_weak *w, unsigned unit)
{
    return w->shared ? &w->shared[unit / 2] : NULL;
}

/* The mask of n bytes from `offset` on. */
static inline uint64_t bytes_mask(unsigned offset, unsigned n)
{
    return ls_low_bits(n) << offset;
}

/* How many of n bytes at `va` lie in its line. */
static inline unsigned in_line(uint64_t va, unsigned n)
{
    const unsigned room = LINE - (unsigned)(va % LINE);
    return n < room ? n : room;
}

/* ---- cache.c: lines ---- */

struct line *cache_find(struct cache *c, uint64_t at);
/* Finds it or adds it empty. NULL when out of memory. */
struct line *cache_line(struct cache *c, uint64_t at);
void cache_drop(struct cache *c, struct line *l);
void cache_empty(struct sg_weak *w, struct cache *c);
/* Copies the bytes of `mask`. */
void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t mask);
/* The line in memory; NULL when it is mapped no more. */
uint8_t *line_host(struct sg_weak *w, uint64_t at);
/* The line as `die` sees it. */
void line_view(struct sg_weak *w, unsigned die, uint64_t at, uint8_t out[LINE]);
/* Bytes arrive in memory; a dword or two at once where there are all of them. */
void line_write(uint8_t *host, const uint8_t *data, uint64_t mask);
/* Keeps what the line was, for the units of `die` (or ALL_DIES) and not of `but` (or ALL_DIES: no exception). */
void old_keep(struct sg_weak *w, uint64_t at, int die, int but);
/* What a unit that has had nothing newer than `since` of the line may still have; NULL: nothing. */
const struct old *old_find(struct sg_weak *w, unsigned die, uint64_t at, uint64_t since);
void old_forget_all(struct sg_weak *w);
/* Writes one dirty line, or all of the die's, to memory. */
void l2_write_line(struct sg_weak *w, unsigned die, struct line *l);
void l2_write_back(struct sg_weak *w, unsigned die);
/* Is it memory that the L2 does not keep? */
bool is_uncached(struct sg_weak *w, uint64_t at);

/* ---- history.c: who knows of what; nothing of it concerns memory that the L2 does not keep ---- */

struct history *history_create(void); /* NULL when out of memory */
void history_destroy(struct history *h);
void history_begin(struct history *h, struct sg_weak_wave *v);
void history_end(struct history *h, struct sg_weak_wave *v);
/* Nothing is under way any more: unless other dispatches run, all that was is over. */
void history_dispatch_ended(struct history *h);
/* The time of something that is done now; 0 without a history. */
uint64_t history_now(struct history *h);
void history_barrier(struct history *h, struct sg_weak_wave *const *v, unsigned n);
void history_store(struct history *h, const struct sg_weak_wave *v, uint64_t va, unsigned n, bool through,
                   const uint8_t *data, const uint8_t before[LINE]);
void history_rmw_comes(struct history *h, uint64_t va);
/* `reader`: the node that gets the old value; 0: nobody. */
void history_rmw(struct history *h, const struct op *op, uint64_t va, uint32_t now, uint32_t reader);
void history_load(struct sg_weak_wave *v, uint64_t va, unsigned n, enum cached cached, const uint8_t *data);

/* ---- arrive.c: operations take effect ---- */

/* A read-modify-write takes place: the old value, which `reader` gets (history.c). */
uint64_t rmw_now(struct sg_weak *w, const struct op *op, uint32_t reader);
/* Removes operation i of the wavefront and lets it take effect. */
void wave_arrive(struct sg_weak_wave *v, unsigned i);
/* Those of the line: what the wavefront does there next has to come behind them. */
void wave_arrive_line(struct sg_weak_wave *v, uint64_t at, enum kind kind);
/* All that its mates have stored, and their read-modify-writes. */
void mates_arrive(struct sg_weak_wave *v);
/* Those of the line, stores if they are to bytes of `mask`: one compute unit makes the accesses of a work-group to an address in their
 * order. So no two mates have the same byte under way. */
void mates_arrive_line(struct sg_weak_wave *v, uint64_t at, uint64_t mask);
/* In random order, all whose instruction is not later than number `issue`. */
void wave_arrive_until(struct sg_weak_wave *v, uint64_t issue);
void orphan_arrive(struct sg_weak *w, unsigned i);

#endif
