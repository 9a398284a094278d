/* global.h - which accesses go to global memory, and their lanes. */
#ifndef HOST_HANDLERS_GLOBAL_H
#define HOST_HANDLERS_GLOBAL_H

#include <stdbool.h>

#include "aperture.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"

static inline bool global_site(const struct lanescope_site *s)
{
    if (LS_SITE_NO_ACCESS(s->kind) || s->kind == LS_SITE_LDS_DMA_WRITE)
        return false;
    return s->space != 3 && s->space != 5;
}

/* The access's addresses, and those of its active lanes that reach global memory: flat addresses may mean
 * others. */
static inline uint64_t global_lanes(const struct lanescope_site *s, const struct lanescope_access *a,
                                    uint64_t addr[64])
{
    uint64_t exec = a->exec;
    lanescope_addresses(a, addr);
    for (uint64_t m = s->space == 0 ? a->exec : 0; m; m &= m - 1)
        if (aperture_of(addr[__builtin_ctzll(m)]) != APERTURE_GLOBAL)
            exec &= ~(m & -m);
    return exec;
}

/* Longest length of a lane, and the lanes that are longer than `done` bytes: for walking an access in pieces.
 */
static inline uint64_t longest_lane(const struct lanescope_access *a)
{
    uint64_t longest = a->lengths ? 0 : a->length;
    for (unsigned k = 0; a->lengths && k < a->active; k++)
        longest = a->lengths[k] > longest ? a->lengths[k] : longest;
    return longest;
}

static inline uint64_t lanes_longer_than(const struct lanescope_access *a, uint64_t exec, uint64_t done)
{
    unsigned k = 0;
    uint64_t lanes = 0;
    for (uint64_t m = a->exec; m; m &= m - 1, k++)
        if ((a->lengths ? a->lengths[k] : a->length) > done)
            lanes |= m & -m;
    return exec & lanes;
}

#endif
