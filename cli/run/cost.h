/* cost.h - what observing cost, at the end of a run: counts and times that were measured, no estimates. */
#ifndef CLI_RUN_COST_H
#define CLI_RUN_COST_H

#include <stdint.h>
#include "cli/common/settings.h"
#include "found.h"

/* Of all databases of the run. */
struct observing_cost {
    int64_t kernels, dispatches, observed; /* kernels of which a launch was observed; launches */
    int64_t messages, bytes;               /* that the GPU sent */
    int64_t ns;                            /* processor time of our threads in the program; 0: not known */
};

struct observing_cost observing_cost_of(const struct found *f);
/* On stderr; nothing when no launch was observed. `e`: the run's settings: what it advises was not among them, and goes with
 * them. */
void observing_cost_print(const struct observing_cost *c, const struct effective *e);

#endif
