/* What was observed of a kernel and what was not; names for the numbers of lanescope/sites.h. */
#ifndef RESULTS_COVERAGE_H
#define RESULTS_COVERAGE_H

#include "profile.h"

/* Static text: "load". Unknown numbers: "unknown". */
const char *ls_kind_name(uint32_t kind);
/* Static text: "LDS", "unknown". The space that the site's access is in: global where the compiler found out, after the probes were
 * put in, that a flat address is one, so that the original does it by instructions for global memory. */
const char *ls_site_space_name(const struct ls_r_site *s);
bool ls_site_observed(const struct ls_r_site *s);

/* Adds a site to its kernel's coverage. */
void ls_cover(struct ls_arena *arena, struct ls_p_kernel *k, const struct ls_r_site *s);
/* Adds n calls through a pointer to functions without probes; `where` is "at FILE:LINE" or "in FUNCTION". */
void ls_cover_calls(struct ls_arena *arena, struct ls_p_kernel *k, const char *where, int64_t n);
/* Adds n to the element called `name` (copied, with its plural, into the arena when it is new). */
void ls_count(struct ls_arena *arena, struct ls_p_count **list, size_t *length, const char *name,
              const char *plural, int64_t n);
/* "41 of 43 memory instructions observed; not: 2 image loads". malloc'd. */
char *ls_coverage_text(const struct ls_p_kernel *k);

#endif
