/*
 * memo.h - the tables in which handlers remember what regular accesses cost (pattern.h), borrowed for each
 * batch: a thousand dispatches may be under way, and a table of 100 KiB for each would cost more than a short dispatch.
 * What a table holds of others is not looked at, because each state has a number of its own, which its entries bear.
 */
#ifndef LANESCOPE_SDK_MEMO_H
#define LANESCOPE_SDK_MEMO_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { LANESCOPE_MEMO_SPARE = 4 };

/* Of a handler; zeros at first. */
struct lanescope_memo_pool {
    void *spare[LANESCOPE_MEMO_SPARE];
    uint64_t states;
};

/* The number of a new state, never 0. From any thread. */
static inline uint64_t lanescope_memo_owner(struct lanescope_memo_pool *p)
{
    return __atomic_add_fetch(&p->states, 1, __ATOMIC_RELAXED);
}

/* A table of so many bytes, always the same for a pool, with anything of older states in it; the one that `owner` gave back last,
 * if nobody took it since. NULL when out of memory. */
static inline void *lanescope_memo_get(struct lanescope_memo_pool *p, uint64_t owner, size_t bytes)
{
    for (unsigned i = 0; i < LANESCOPE_MEMO_SPARE; i++) {
        void *table =
            __atomic_exchange_n(&p->spare[(owner + i) % LANESCOPE_MEMO_SPARE], NULL, __ATOMIC_ACQ_REL);
        if (table)
            return table;
    }
    return calloc(1, bytes);
}

/* NULL allowed. */
static inline void lanescope_memo_put(struct lanescope_memo_pool *p, uint64_t owner, void *table)
{
    for (unsigned i = 0; table && i < LANESCOPE_MEMO_SPARE; i++)
        table = __atomic_exchange_n(&p->spare[(owner + i) % LANESCOPE_MEMO_SPARE], table, __ATOMIC_ACQ_REL);
    free(table);
}

/* Where a state looks in a table of n entries: shapes of several dispatches are not to drive each other out. */
static inline unsigned lanescope_memo_slot(unsigned slot, uint64_t owner, unsigned n)
{
    return (slot + (unsigned)(owner * 61)) % n;
}

static inline void lanescope_memo_free(struct lanescope_memo_pool *p)
{
    for (unsigned i = 0; i < LANESCOPE_MEMO_SPARE; i++)
        free(__atomic_exchange_n(&p->spare[i], NULL, __ATOMIC_ACQ_REL));
}

#endif
