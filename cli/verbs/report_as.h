/* report_as.h - `report --as`: the recorded accesses, priced as on another GPU. */
#ifndef CLI_REPORT_AS_H
#define CLI_REPORT_AS_H

#include <stddef.h>
#include "results/profile/profile.h"

/* Whether the models know that GPU; else a message, and EXIT_USAGE. */
int check_as(const char *gpu);
/* After load_profile_as: 0 when every database has these prices and some access was priced; else a message that says
 * what recording is needed, and an exit code. */
int check_priced(const struct ls_profile *p);
/* The GPUs that ran the kernels, as "gfx90a, gfx942"; malloc'd. */
char *ran_on(const struct ls_profile *p);
/* What such a report assumes, a sentence each. malloc'd, and the list. */
char **as_assumptions(const struct ls_profile *p, size_t *n);

#endif
