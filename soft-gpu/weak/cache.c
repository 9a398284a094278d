/*
 * cache.c - lines of the caches, and what lines were before.
 */
#include "internal.h"

#include <stdlib.h>

struct line *cache_find(struct cache *c, uint64_t at)
{
    struct line *l;
    HASH_FIND(hh, c->lines, &at, sizeof at, l);
    return l;
}

struct line *cache_line(struct cache *c, uint64_t at)
{
    struct line *l = cache_find(c, at);
    if (!l && (l = calloc(1, sizeof *l))) {
        l->at = at;
        HASH_ADD(hh, c->lines, at, sizeof l->at, l);
    }
    return l;
}

void cache_drop(struct cache *c, struct line *l)
{
    HASH_DEL(c->lines, l);
    free(l);
}

void cache_empty(struct sg_weak *w, struct cache *c)
{
    struct line *l, *next;
    HASH_ITER(hh, c->lines, l, next) cache_drop(c, l);
    c->emptied = ++w->now;
    c->loaded = false;
}

void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t mask)
{
    if (!~mask) {
        memcpy(to, from, LINE);
        return;
    }
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctzll(mask);
        to[i] = from[i];
    }
}

uint8_t *line_host(struct sg_weak *w, uint64_t at)
{
    return sg_tlb_ptr(&w->tlb, at * LINE, LINE);
}

bool is_uncached(struct sg_weak *w, uint64_t at)
{
    const struct sg_range *r = sg_tlb_range(&w->tlb, at * LINE);
    return r && r->flags & SG_RANGE_UNCACHED;
}

void line_view(struct sg_weak *w, unsigned die, uint64_t at, uint8_t out[LINE])
{
    const uint8_t *host = line_host(w, at);
    const struct line *dirty = cache_find(&w->l2[die], at);
    if (host) /* by dwords: the host may write them meanwhile */
        for (unsigned i = 0; i < LINE; i += 8) {
            uint64_t x = __atomic_load_n((const uint64_t *)(const void *)(host + i), __ATOMIC_RELAXED);
            memcpy(out + i, &x, sizeof x);
        }
    else
        memset(out, 0, LINE);
    if (dirty)
        copy_bytes(out, dirty->data, dirty->mask);
}

void line_write(uint8_t *host, const uint8_t *data, uint64_t mask)
{
    for (unsigned i = 0; i < LINE; i += 8, mask >>= 8) {
        uint64_t x;
        uint32_t half[2];
        memcpy(&x, data + i, sizeof x);
        memcpy(half, data + i, sizeof half);
        if ((mask & 0xff) == 0xff) {
            __atomic_store_n((uint64_t *)(void *)(host + i), x, __ATOMIC_RELEASE);
            continue;
        }
        for (unsigned k = 0; k < 2; k++) {
            uint64_t part = mask >> 4 * k & 15;
            if (part == 15)
                __atomic_store_n((uint32_t *)(void *)(host + i + 4 * k), half[k], __ATOMIC_RELEASE);
            else
                for (; part; part &= part - 1) {
                    unsigned byte = i + 4 * k + (unsigned)__builtin_ctzll(part);
                    __atomic_store_n(host + byte, data[byte], __ATOMIC_RELEASE);
                }
        }
    }
}

/* ---- What lines were ---- */

void old_forget_all(struct sg_weak *w)
{
    struct old *o, *next;
    HASH_ITER(hh, w->old, o, next)
    {
        HASH_DEL(w->old, o);
        free(o);
    }
}

void old_keep(struct sg_weak *w, uint64_t at, int die, int but)
{
    struct old *o;
    HASH_FIND(hh, w->old, &at, sizeof at, o);
    if (o && weak_random(w, 2))
        return; /* the older one */
    if (!o) {
        if (HASH_COUNT(w->old) >= OLD_LINES)
            old_forget_all(w);
        if (!(o = calloc(1, sizeof *o)))
            return;
        o->at = at;
        HASH_ADD(hh, w->old, at, sizeof o->at, o);
    }
    o->until = w->now + 1;
    o->dies = (die == ALL_DIES ? ~0u : 1u << die) & ~(but == ALL_DIES ? 0u : 1u << but);
    line_view(w, die == ALL_DIES ? 0 : (unsigned)die, at, o->data);
    if (die == ALL_DIES) { /* not what one of them has changed for itself: there the line never looked so */
        const uint8_t *host = line_host(w, at);
        if (host)
            memcpy(o->data, host, LINE);
        for (unsigned i = 0; i < w->config.dies; i++)
            if (cache_find(&w->l2[i], at))
                o->dies &= ~(1u << i);
    }
}

const struct old *old_find(struct sg_weak *w, unsigned die, uint64_t at, uint64_t since)
{
    struct old *o;
    HASH_FIND(hh, w->old, &at, sizeof at, o);
    return o && o->dies >> die & 1 && o->until > since ? o : NULL;
}

/* ---- L2 ---- */

void l2_write_line(struct sg_weak *w, unsigned die, struct line *l)
{
    uint8_t *host = line_host(w, l->at);
    if (host) {
        if (w->config.dies > 1)
            old_keep(w, l->at, ALL_DIES, (int)die);
        w->now++;
        line_write(host, l->data, l->mask);
    }
    cache_drop(&w->l2[die], l);
}

void l2_write_back(struct sg_weak *w, unsigned die)
{
    struct line *l, *next;
    HASH_ITER(hh, w->l2[die].lines, l, next) l2_write_line(w, die, l);
}
