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
#include "lanescope/wire.h"

/* Sites whose instructions are not known for certain yet. */
struct ls_plan_open {
    void *user;
    bool (*is_open)(void *user, uint32_t site);
};

/* The plan for code of `arch`; `isa` as in struct lanescope_dispatch, may be NULL. Accesses of open sites
 * (open: NULL allowed) go out as messages, and so do those of a length known at run time only. malloc'd, its
 * length in *bytes; NULL when out of memory. */
struct ls_plan *ls_plan_make(const char *arch, const struct lanescope_site *sites, uint32_t n_sites,
                             const struct lanescope_isa *isa, const struct ls_plan_open *open, size_t *bytes);

#endif
