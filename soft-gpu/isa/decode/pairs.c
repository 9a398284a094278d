/*
 * pairs.c - pairs of micro-operations that run as one, and those for the lower half of rows (uop.h).
 */
#include <stdlib.h>
#include <string.h>
#include "decode_state.h"
#include "soft-gpu/isa/scalar/scalar.h"
#include "soft-gpu/isa/vector/valu.h"

/* Handlers, of pairs and of single micro-operations, by their address: an open hash table that has no end. `second` is
 * NULL of the latter. */
enum { SLOT_BITS = 12, SLOTS = 1 << SLOT_BITS };
struct slot {
    sg_fn first, second; /* first NULL: free */
    union {
        const struct sg_pair *pair;
        sg_fn low; /* for the lower half of rows */
    };
};
static struct slot slot[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Where the handlers stand, or would. */
static struct slot *slot_of(sg_fn first, sg_fn second)
{
    const uint64_t hash =
        ((uintptr_t)first * 0x9E3779B97F4A7C15ull ^ (uintptr_t)second) * 0x9E3779B97F4A7C15ull;
    size_t i = hash >> (64 - SLOT_BITS);
    while (slot[i].first && (slot[i].first != first || slot[i].second != second))
        i = (i + 1) % SLOTS;
    return slot + i;
}

extern const struct sg_low __start_sg_low[], __stop_sg_low[]; /* the linker names the array's ends */

static void fill(void)
{
    static const struct sg_pair *const tables[] = {sg_valu_carry_pairs, sg_scalar_pairs};
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct sg_pair *p = tables[t]; p->first; p++)
            *slot_of(p->first, p->second) = (struct slot){p->first, p->second, {.pair = p}};
    for (const struct sg_low *p = __start_sg_low; p < __stop_sg_low; p++)
        *slot_of(p->fn, NULL) = (struct slot){p->fn, NULL, {.low = p->low}};
}

static const struct sg_pair *find_pair(sg_fn first, sg_fn second)
{
    const struct slot *s = slot_of(first, second);
    return s->first ? s->pair : NULL;
}

static sg_fn low_of(sg_fn fn)
{
    const struct slot *s = slot_of(fn, NULL);
    return s->first ? s->low : fn;
}

static void lower(const struct sg_code *c, struct sg_uop *u)
{
    if (c->target.lanes == SG_HALF_LANES)
        u->fn = low_of(u->fn);
}

/* Micro-operations that are there are complete, except that jumps do not know their targets yet; no wavefront
 * can reach them before they do. */
struct sg_uop *sg_code_fuse(struct sg_code *c, struct sg_uop *from)
{
    pthread_once(&once, fill);
    struct sg_uop *begin = c->chunks->uops, *end = sg_code_here(c);
    if (from < begin || from > end) { /* a new chunk: the last one of the old has no second */
        lower(c, from);
        from = begin;
    }
    for (; from + 1 < end; from++) {
        const struct sg_pair *p = find_pair(from->fn, from[1].fn);
        if (p && p->fits(from, from + 1))
            from->fn = p->fused;
        lower(c, from);
    }
    return from;
}

void sg_code_fuse_last(struct sg_code *c, struct sg_uop *last)
{
    if (last != sg_code_here(c))
        lower(c, last);
}
