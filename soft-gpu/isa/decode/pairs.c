/*
 * pairs.c - pairs of micro-operations that run as one (uop.h).
 */
#include <stdlib.h>
#include <string.h>
#include "decode_state.h"
#include "soft-gpu/isa/scalar/scalar.h"
#include "soft-gpu/isa/vector/valu.h"

enum { PAIR_SLOTS = 256 };
static const struct sg_pair *pair_slot[PAIR_SLOTS];
static pthread_once_t pair_once = PTHREAD_ONCE_INIT;

static size_t pair_hash(sg_fn first, sg_fn second)
{
    return (((uintptr_t)first * 0x9E3779B97F4A7C15ull ^ (uintptr_t)second) * 0x9E3779B97F4A7C15ull) >> 56;
}

static void fill_pairs(void)
{
    static const struct sg_pair *const tables[] = {sg_valu_carry_pairs, sg_scalar_pairs};
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct sg_pair *p = tables[t]; p->first; p++) {
            size_t i = pair_hash(p->first, p->second);
            while (pair_slot[i])
                i = (i + 1) % PAIR_SLOTS;
            pair_slot[i] = p;
        }
}

static const struct sg_pair *find_pair(sg_fn first, sg_fn second)
{
    for (size_t i = pair_hash(first, second); pair_slot[i]; i = (i + 1) % PAIR_SLOTS)
        if (pair_slot[i]->first == first && pair_slot[i]->second == second)
            return pair_slot[i];
    return NULL;
}

/* Micro-operations that are there are complete, except that jumps do not know their targets yet; no wavefront
 * can reach them before they do. */
struct sg_uop *sg_code_fuse(struct sg_code *c, struct sg_uop *from)
{
    pthread_once(&pair_once, fill_pairs);
    struct sg_uop *begin = c->chunks->uops, *end = sg_code_here(c);
    if (from < begin || from >= end) /* the run went on in a new chunk */
        from = begin;
    for (; from + 1 < end; from++) {
        const struct sg_pair *p = find_pair(from->fn, from[1].fn);
        if (p && p->fits(from, from + 1))
            from->fn = p->fused;
    }
    return from;
}
