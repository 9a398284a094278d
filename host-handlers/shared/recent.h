/*
 * recent.h - how many places a table has in which each site has one, unless it shares that with another: then the one that came last has it.
 * So what a dispatch needs of it is bounded, where the module has thousands of sites; those of a kernel are neighbours.
 */
#ifndef HOST_HANDLERS_RECENT_H
#define HOST_HANDLERS_RECENT_H

#include <stdint.h>

enum { LS_RECENT_MOST = 128 };

/* A power of two: a site's place is its number modulo it. */
static inline uint32_t ls_recent_places(uint32_t n_sites)
{
    uint32_t n = 1;
    while (n < n_sites && n < LS_RECENT_MOST)
        n *= 2;
    return n;
}

#endif
