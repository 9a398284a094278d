/*
 * recent.h - what handlers found of late for a site: tables in which each site has a place, unless it shares that with another: then the
 * one that came last has it. So what a dispatch needs of it is bounded, where the module has thousands of sites; those of a kernel are
 * neighbours.
 */
#ifndef HOST_HANDLERS_RECENT_H
#define HOST_HANDLERS_RECENT_H

#include <stdbool.h>
#include <stdint.h>
#include "lanescope/handler.h"
#include "lanescope/sdk/pattern.h"

enum { LS_RECENT_MOST = 128 };

/* How many places a table has: a power of two. */
static inline uint32_t ls_recent_places(uint32_t n_sites)
{
    uint32_t n = 1;
    while (n < n_sites && n < LS_RECENT_MOST)
        n *= 2;
    return n;
}

/* A site's, in a table of so many. */
static inline uint32_t ls_recent_place(uint32_t site, uint32_t places)
{
    return site & (places - 1);
}

/* The entry in a table of costs (lanescope/sdk/pattern.h) for pass `number` of the site's instructions, of which there may be 255. Costs are
 * the same for bases that are a multiple of `period` apart, which is at most 2^24. */
static inline void *ls_recent_cost(struct lanescope_shapes *s, const struct lanescope_access *a,
                                   uint64_t period, uint8_t number, size_t bytes, void *fresh, bool *known)
{
    return lanescope_shapes_entry(s, a, (uint32_t)(a->base % period) << 8 | number, a->site, bytes, fresh,
                                  known);
}

/* The last access of a site in a line, which comes again and again: it is only counted, and what it costs is added when another one
 * comes. What that is stands behind this, in the handler's own record. */
struct ls_again {
    uint32_t of;  /* site + 1; 0: of none */
    bool ignored; /* accesses of the site do not count */
    int64_t times;
    uint64_t exec, base;
    int64_t stride;
};

/* Whether nothing else is to be done for the access: it came again, which is counted now, or does not count at all. Costs are the same for
 * bases that are a multiple of `period` apart, a power of two. */
static inline bool ls_again_takes(struct ls_again *g, const struct lanescope_access *a, uint64_t period)
{
    if (g->of != a->site + 1)
        return false;
    if (!g->times || a->pattern != LANESCOPE_STRIDED || a->exec != g->exec || a->stride != g->stride ||
        (a->base ^ g->base) % period)
        return g->ignored;
    g->times++;
    return true;
}

/* How often it came since it was asked last; from here on it does not come again. */
static inline int64_t ls_again_end(struct ls_again *g)
{
    const int64_t times = g->times;
    g->times = 0;
    return times;
}

/* The place is that site's now. Behind ls_again_end. */
static inline void ls_again_own(struct ls_again *g, uint32_t site, bool ignored)
{
    g->of = site + 1;
    g->ignored = ignored;
}

/* An access of the place's site, in a line, for the first time. */
static inline void ls_again_begin(struct ls_again *g, const struct lanescope_access *a)
{
    g->times = 1;
    g->exec = a->exec;
    g->base = a->base;
    g->stride = a->stride;
}

#endif
