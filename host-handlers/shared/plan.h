/*
 * plan.h - tells the GPU how to reduce the accesses of each site in summary mode (struct ls_plan in
 * lanescope/wire.h): the passes that the default handlers' models are asked about, with what these models
 * know of the architecture.
 */
#ifndef HOST_HANDLERS_PLAN_H
#define HOST_HANDLERS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "messages/expand.h"

/* Sites whose instructions only the dispatch itself will tell. */
struct ls_plan_open {
    void *user;
    /* Widths that their passes may have, bit n: n bytes; 0: the site is not one of these. */
    uint32_t (*widths)(void *user, uint32_t site);
};

/* An access that is reduced piece by piece, whatever its length. */
static inline bool ls_plan_is_long(const struct lanescope_site *s)
{
    return !s->bytes || s->bytes > LS_PLAN_LONG;
}

/* An atomic: lanes wait for each other when they use one dword. Those that may go to global memory come as messages,
 * which tell how many lanes are on one address. */
static inline bool ls_plan_is_atomic(const struct lanescope_site *s)
{
    return s->kind == LS_SITE_RMW || s->kind == LS_SITE_CMPXCHG;
}

/* What is to be reduced: the sites that have numbers in the messages of a dispatch. */
struct ls_plan_sites {
    const struct lanescope_site *sites;
    const struct lanescope_isa
        *isa; /* of all sites, as in struct lanescope_dispatch; NULL: nothing is known */
    const struct ls_plan_open
        *open;             /* these are reduced for every pass that may turn out to be theirs. May be NULL */
    struct ls_leads leads; /* what a site leads is reduced with it, or not at all */
    struct ls_site_numbers numbers; /* with their number, never all 0 */
};

/* The plan for code of `arch` in wavefronts of so many lanes. malloc'd, its length in *bytes; NULL when out of memory. */
struct ls_plan *ls_plan_make(const char *arch, unsigned lanes, const struct ls_plan_sites *of, size_t *bytes);

/* How many sites of the plan have a pass in of->isa (not NULL) that was not reduced, or only for other lanes: their sums
 * miss what it costs. */
uint32_t ls_plan_missing(const struct ls_plan *plan, const struct ls_plan_sites *of);

#endif
