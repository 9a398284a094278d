/* report_source.h - source texts, numbers by line and machine code in the report's JSON. */
#ifndef CLI_REPORT_SOURCE_H
#define CLI_REPORT_SOURCE_H

#include <jansson.h>
#include "results/profile/profile.h"

/* The source files that the report may show lines of, with their texts. A new reference; NULL: no memory. */
json_t *report_files(const struct ls_profile *p);
/* {"Executions": 12, ...} of one handler; handler NULL: {"handler": {...}, ...}. Likewise. */
json_t *report_values(const struct ls_profile *p, const struct ls_p_values *v, const char *handler);
/* Adds to a line `executions`, accesses by wavefronts to LDS and to global memory, and `active_lanes`, the average
 * of their active lanes. */
void report_add_accesses(json_t *line, const struct ls_profile *p, const struct ls_p_values *v);
/* Adds to a kernel what views of the source need: its numbers by source line, most excess first, and the
 * memory instructions of its machine code. */
void report_add_source(json_t *kernel, const struct ls_profile *p, const struct ls_p_kernel *k);

#endif
