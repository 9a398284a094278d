/*
 * pattern.h - remembers what accesses cost by their shape: active lanes, and stride or the lanes' distances from the base.
 * Most accesses of a kernel repeat few shapes, so a small table (memo.h) saves nearly all evaluations of a model. The
 * same distances behind another base cost the same when both bases have the same phase.
 *
 *     state->shapes = lanescope_shapes_of(&self->memos);      in dispatch_begin
 *
 *     struct cost {
 *         struct lanescope_shape shape;
 *         unsigned cycles;
 *     } fresh, *c;
 *     bool known;
 *     c = lanescope_shapes_entry(&state->shapes, access, access->base % 4, access->site, sizeof fresh, &fresh, &known);
 *     if (!known)
 *         c->cycles = model(access);
 *
 *     lanescope_shapes_give_back(&state->shapes);             behind the last access of a batch
 */
#ifndef LANESCOPE_SDK_PATTERN_H
#define LANESCOPE_SDK_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lanescope/handler.h"
#include "lanescope/sdk/memo.h"

enum { LANESCOPE_PATTERN_ENTRIES = 1024 };

/* What the cost depends on. `phase` is the base address modulo whatever the model is periodic in; `form`
 * whatever else distinguishes costs (bytes, direction). All zero means empty: `exec` is never 0. */
struct lanescope_pattern_key {
    uint64_t exec;
    int64_t stride;
    uint32_t phase;
    uint32_t form;
};

static inline bool lanescope_pattern_equal(const struct lanescope_pattern_key *a,
                                           const struct lanescope_pattern_key *b)
{
    return a->exec == b->exec && a->stride == b->stride && a->phase == b->phase && a->form == b->form;
}

static inline unsigned lanescope_pattern_slot(const struct lanescope_pattern_key *k)
{
    uint64_t h =
        (k->exec ^ (uint64_t)k->stride * 0x9e3779b97f4a7c15ull) + ((uint64_t)k->form << 32 | k->phase);
    h *= 0xff51afd7ed558ccdull;
    return (unsigned)(h >> 54) % LANESCOPE_PATTERN_ENTRIES;
}

/* Four chains of multiplications side by side: this runs for every irregular access. */
static inline uint64_t lanescope_hash_words(const uint32_t *words, unsigned n)
{
    const uint64_t multiplier = 0x9e3779b97f4a7c15ull;
    uint64_t h[4] = {1, 2, 3, 4}, two;
    unsigned i = 0;
    for (; i + 8 <= n; i += 8)
        for (unsigned k = 0; k < 4; k++) {
            memcpy(&two, words + i + 2 * k, sizeof two);
            h[k] = (h[k] ^ two) * multiplier;
        }
    for (; i < n; i++)
        h[i % 4] = (h[i % 4] ^ words[i]) * multiplier;
    for (unsigned k = 1; k < 4; k++)
        h[0] = (h[0] ^ h[0] >> 31 ^ h[k]) * multiplier;
    return h[0];
}

/* Words of an entry of a table: its key tells distances by a hash only. */
typedef uint32_t lanescope_shape_words[64];

/* Whether the shape of an access tells what it costs, if its site has a memory and a width. */
static inline bool lanescope_has_shape(const struct lanescope_access *a)
{
    return a->pattern == LANESCOPE_STRIDED || a->pattern == LANESCOPE_DELTA;
}

/* The key of an access with a shape; `form` has at most 31 bits. */
static inline struct lanescope_pattern_key lanescope_shape_key(const struct lanescope_access *a,
                                                               uint32_t phase, uint32_t form)
{
    const bool line = a->pattern == LANESCOPE_STRIDED;
    struct lanescope_pattern_key k;
    k.exec = a->exec;
    k.stride = line ? a->stride : (int64_t)lanescope_hash_words(a->words, a->active);
    k.phase = phase;
    k.form = line ? form : form | 1u << 31;
    return k;
}

/* Whether the entry with that key and those words is the access's. */
static inline bool lanescope_shape_equal(const struct lanescope_pattern_key *entry, const uint32_t *words,
                                         const struct lanescope_pattern_key *key,
                                         const struct lanescope_access *a)
{
    return lanescope_pattern_equal(entry, key) &&
           (a->pattern == LANESCOPE_STRIDED || !memcmp(words, a->words, a->active * sizeof *words));
}

/* The first member of what a handler remembers of a shape; the cost stands behind it. */
struct lanescope_shape {
    struct lanescope_pattern_key key;
    uint64_t owner; /* the state that wrote it */
};

/* What a state of a handler remembers. */
struct lanescope_shapes {
    struct lanescope_memo_pool *pool;
    uint64_t owner; /* of the entries that count */
    void *table;    /* LANESCOPE_PATTERN_ENTRIES, their words behind them; NULL: not borrowed */
};

/* Of a new state. From any thread. */
static inline struct lanescope_shapes lanescope_shapes_of(struct lanescope_memo_pool *pool)
{
    struct lanescope_shapes s;
    s.pool = pool;
    s.owner = lanescope_memo_owner(pool);
    s.table = NULL;
    return s;
}

/* The entry of `bytes` bytes, the same number for all of a pool, in which the cost of the access's shape stands. Not `*known`: the
 * caller enters it there now. `fresh` is the caller's own entry, for when there is no memory. */
static inline void *lanescope_shapes_entry(struct lanescope_shapes *s, const struct lanescope_access *a,
                                           uint32_t phase, uint32_t form, size_t bytes, void *fresh,
                                           bool *known)
{
    const struct lanescope_pattern_key key = lanescope_shape_key(a, phase, form);
    *known = false;
    if (!s->table)
        s->table = lanescope_memo_get(s->pool, s->owner,
                                      LANESCOPE_PATTERN_ENTRIES * (bytes + sizeof(lanescope_shape_words)));
    if (!s->table)
        return fresh;
    const unsigned at =
        lanescope_memo_slot(lanescope_pattern_slot(&key), s->owner, LANESCOPE_PATTERN_ENTRIES);
    struct lanescope_shape *e = (struct lanescope_shape *)(void *)((char *)s->table + at * bytes);
    uint32_t *words =
        ((lanescope_shape_words *)(void *)((char *)s->table + LANESCOPE_PATTERN_ENTRIES * bytes))[at];
    *known = e->owner == s->owner && lanescope_shape_equal(&e->key, words, &key, a);
    if (*known)
        return e;
    e->key = key;
    e->owner = s->owner;
    if (a->pattern == LANESCOPE_DELTA)
        memcpy(words, a->words, a->active * sizeof *words);
    return e;
}

/* Between two batches other states have the table. */
static inline void lanescope_shapes_give_back(struct lanescope_shapes *s)
{
    lanescope_memo_put(s->pool, s->owner, s->table);
    s->table = NULL;
}

#endif
