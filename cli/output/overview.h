/* overview.h - all kernels of a report as one table, worst first. */
#ifndef CLI_OVERVIEW_H
#define CLI_OVERVIEW_H

#include "results/profile/profile.h"
#include "terminal.h"

/* Prints `n` kernels in their order: excess, observed and all dispatches, time, worst line, name. Names
 * are cut where names are (terminal.h). */
void print_overview(const struct terminal *t, const struct ls_profile *p,
                    const struct ls_p_kernel *const *kernels, size_t n, bool full_paths);

#endif
