/* global.h - which accesses go to global memory, and their lanes. */
#ifndef LANESCOPE_SDK_GLOBAL_H
#define LANESCOPE_SDK_GLOBAL_H

#include <stdbool.h>

#include "lanescope/sdk/aperture.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"

/* Whether accesses of the site may reach global memory: also flat and buffer accesses. */
static inline bool lanescope_is_global(const struct lanescope_site *s)
{
    if (LS_SITE_NO_ACCESS(s->kind) || s->kind == LS_SITE_LDS_DMA_WRITE)
        return false;
    return s->space != LANESCOPE_SPACE_LDS && s->space != LANESCOPE_SPACE_PRIVATE;
}

/* The access's addresses, and those of its active lanes that reach global memory: flat addresses may mean
 * others. */
static inline uint64_t lanescope_global_lanes(const struct lanescope_site *s,
                                              const struct lanescope_access *a, uint64_t addr[64])
{
    lanescope_addresses(a, addr);
    return s->space == LANESCOPE_SPACE_FLAT ? lanescope_lanes_in(LANESCOPE_APERTURE_GLOBAL, a->exec, addr)
                                            : a->exec;
}

/* Longest length of a lane, and the lanes that are longer than `done` bytes:
 * for walking an access in pieces. */
static inline uint64_t lanescope_longest_lane(const struct lanescope_access *a)
{
    uint64_t longest = a->lengths ? 0 : a->length;
    for (unsigned k = 0; a->lengths && k < a->active; k++)
        longest = a->lengths[k] > longest ? a->lengths[k] : longest;
    return longest;
}

static inline uint64_t lanescope_lanes_longer_than(const struct lanescope_access *a, uint64_t exec,
                                                   uint64_t done)
{
    unsigned k = 0;
    uint64_t lanes = 0;
    for (uint64_t m = a->exec; m; m &= m - 1, k++)
        if ((a->lengths ? a->lengths[k] : a->length) > done)
            lanes |= m & -m;
    return exec & lanes;
}

#endif
