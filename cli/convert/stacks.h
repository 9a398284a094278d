/* stacks.h - metrics as stacks: which ones can be drawn so. */
#ifndef CLI_CONVERT_STACKS_H
#define CLI_CONVERT_STACKS_H

#include "results/profile/profile.h"

/* The sum of a metric; 0 where there is none. */
int64_t stacks_sum(const struct ls_p_values *v, int metric);
/* Whether some sum of it is negative, or any is not 0. */
bool stacks_negative(const struct ls_profile *p, int metric);
bool stacks_any(const struct ls_profile *p, int metric);
/* Whether the metric has sums. 0, or an exit code after a message. */
int stacks_additive(const struct ls_profile *p, int metric);
/* Whether the metric can be drawn: widths are sums, and none is negative. 0, or an exit code after a message. */
int stacks_check(const struct ls_profile *p, int metric);

#endif
