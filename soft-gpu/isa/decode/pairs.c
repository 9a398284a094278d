/*
 * pairs.c - pairs of micro-operations that run as one, and those for the lower half of rows (uop.h).
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

/* ---- Handlers for the lower half of rows: the linker names the array's ends. ---- */

extern const struct sg_low __start_sg_low[], __stop_sg_low[];
enum { LOW_SLOTS = 4096 };
static const struct sg_low *low_slot[LOW_SLOTS];
static pthread_once_t low_once = PTHREAD_ONCE_INIT;
_Static_assert(LOW_SLOTS == 1 << 12, "low_hash has as many bits");

static size_t low_hash(sg_fn fn)
{
    return ((uintptr_t)fn * 0x9E3779B97F4A7C15ull) >> 52;
}

static void fill_low(void)
{
    for (const struct sg_low *p = __start_sg_low; p < __stop_sg_low; p++) {
        size_t i = low_hash(p->fn);
        while (low_slot[i])
            i = (i + 1) % LOW_SLOTS;
        low_slot[i] = p;
    }
}

static sg_fn low_of(sg_fn fn)
{
    for (size_t i = low_hash(fn); low_slot[i]; i = (i + 1) % LOW_SLOTS)
        if (low_slot[i]->fn == fn)
            return low_slot[i]->low;
    return fn;
}

/* Micro-operations that are there are complete, except that jumps do not know their targets yet; no wavefront
 * can reach them before they do. */
struct sg_uop *sg_code_fuse(struct sg_code *c, struct sg_uop *from)
{
    const bool low = c->target.lanes == SG_HALF_LANES;
    pthread_once(&pair_once, fill_pairs);
    pthread_once(&low_once, fill_low);
    struct sg_uop *begin = c->chunks->uops, *end = sg_code_here(c);
    if (from < begin || from > end) /* the run went on in a new chunk */
        from = begin;
    for (; from + 1 < end; from++) {
        const struct sg_pair *p = find_pair(from->fn, from[1].fn);
        if (p && p->fits(from, from + 1))
            from->fn = p->fused;
        if (low)
            from->fn = low_of(from->fn);
    }
    return from;
}
