/* times.h - statistics of times (results/profile/times.h) as text, JSON and CSV. */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include <jansson.h>
#include "results/profile/profile.h"
#include "terminal.h"

enum { TIMES_KERNELS = 1, TIMES_OTHERS = 2 };
/* Tables of kernels; of copies, ROCTx ranges, and copies and kernels at the same time; `what` tells which of
 * both. At most `most` rows in each, 0: all. Prints nothing when nothing ran. */
void print_times(const struct terminal *t, const struct ls_profile *p, size_t most, unsigned what);
/* The same in one line or two, each after `prefix`. */
void print_times_summary(const struct terminal *t, const struct ls_profile *p, const char *prefix);
/* A new reference; docs/cli.md lists the fields. */
json_t *times_json(const struct ls_profile *p);
/* One table, whose columns begin with those of rocprofv3's *_stats.csv. */
void times_csv(const struct ls_profile *p, FILE *out);

#endif
