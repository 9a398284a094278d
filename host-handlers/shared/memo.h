/*
 * memo.h - the tables in which handlers remember what regular accesses cost (lanescope/sdk/pattern.h), borrowed for each
 * batch: a thousand dispatches may be under way, and a table of 100 KiB for each would cost more than a short dispatch.
 * What a table holds of others is not looked at, because each state has a number of its own, which its entries bear.
 */
#ifndef HOST_HANDLERS_MEMO_H
#define HOST_HANDLERS_MEMO_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { MEMO_SPARE = 4 };

/* Of a handler; zeros at first. */
struct memo_pool {
    _Atomic(void *) spare[MEMO_SPARE];
    atomic_uint_least64_t states;
};

/* The number of a new state, never 0. From any thread. */
static inline uint64_t memo_owner(struct memo_pool *p)
{
    return atomic_fetch_add(&p->states, 1) + 1;
}

/* A table of so many bytes, always the same for a pool, with anything of older states in it; the one that `owner` gave back last,
 * if nobody took it since. NULL when out of memory. */
static inline void *memo_get(struct memo_pool *p, uint64_t owner, size_t bytes)
{
    for (unsigned i = 0; i < MEMO_SPARE; i++) {
        void *table = atomic_exchange(&p->spare[(owner + i) % MEMO_SPARE], NULL);
        if (table)
            return table;
    }
    return calloc(1, bytes);
}

/* NULL allowed. */
static inline void memo_put(struct memo_pool *p, uint64_t owner, void *table)
{
    for (unsigned i = 0; table && i < MEMO_SPARE; i++)
        table = atomic_exchange(&p->spare[(owner + i) % MEMO_SPARE], table);
    free(table);
}

/* Where a state looks in a table of n entries: shapes of several dispatches are not to drive each other out. */
static inline unsigned memo_slot(unsigned slot, uint64_t owner, unsigned n)
{
    return (slot + (unsigned)(owner * 61)) % n;
}

static inline void memo_free(struct memo_pool *p)
{
    for (unsigned i = 0; i < MEMO_SPARE; i++)
        free(atomic_exchange(&p->spare[i], NULL));
}

#endif
