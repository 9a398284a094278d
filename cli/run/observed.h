/* observed.h - whether a run observed anything, for --require-observed. */
#ifndef CLI_OBSERVED_H
#define CLI_OBSERVED_H

#include "found.h"

#include <stdbool.h>

/* Whether a dispatch of the run was observed; says so when not. What processes write that are still running
 * does not count. */
bool anything_observed(const struct found *f);

#endif
