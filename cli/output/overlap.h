/* overlap.h - copies and kernels at the same time (results/profile/overlap.h) as text, JSON and CSV: by HIP stream, and by
 * queue where the stream of a kernel is not known. */
#ifndef CLI_OVERLAP_H
#define CLI_OVERLAP_H

#include <jansson.h>
#include <stdio.h>
#include "results/profile/profile.h"
#include "terminal.h"

/* At most `most` rows, 0: all. */
void print_overlap(const struct terminal *t, const struct ls_profile *p, size_t most);
/* "kernels ran at the same time"; malloc'd, NULL when out of memory. */
char *overlap_summary(const struct ls_times *x);
/* New references; docs/cli.md lists the fields. */
json_t *overlap_queues_json(const struct ls_times *x);
json_t *overlap_streams_json(const struct ls_times *x);
/* Rows of times_csv. */
void overlap_csv(const struct ls_profile *p, const char *source, FILE *out);
/* Of the whole; 0 when that is 0. */
double percent_of(int64_t part, int64_t whole);

#endif
