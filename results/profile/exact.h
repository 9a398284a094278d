/*
 * exact.h - which numbers are exact. A number is not when an access that it counts was not joined with the
 * instructions of the compiled kernel, so that its cost was estimated from width and alignment
 * (docs/internals/join.md); or when not all that the kernel did was reported: wavefronts were sampled, messages dropped
 * or damaged.
 */
#ifndef RESULTS_EXACT_H
#define RESULTS_EXACT_H

#include "profile.h"

/* An observed access whose numbers are, or may be, estimates. */
bool ls_site_estimated(const struct ls_r_site *s);
/* Why; static text, or of the recording. */
const char *ls_site_estimate_reason(const struct ls_r_site *s);

/* Whether the recordings hold only a part of what the kernel's observed dispatches did. */
bool ls_kernel_partial(const struct ls_p_kernel *k);
bool ls_line_exact(const struct ls_profile *p, const struct ls_p_line *line);
/* Why the line's numbers are not exact, malloc'd; NULL: they are. */
char *ls_line_reason(const struct ls_profile *p, const struct ls_p_line *line);
/* Why only a part was reported, malloc'd; NULL: all was. */
char *ls_kernel_reason(const struct ls_p_kernel *k);
/* Whether metric or ratio `metric` of the values is made of no estimate. What was not reported does not count
 * here. */
bool ls_value_exact(const struct ls_profile *p, const struct ls_p_values *v, size_t metric);
/* Whether LDS cycles of the line rest on phases that nobody has measured on the kernel's GPU
 * (gpus/README.md), in the numbers of a handler (NULL: of any). That has nothing to do with exactness: all accesses may have been counted. */
bool ls_line_assumed(const struct ls_profile *p, const struct ls_p_line *line, const char *handler);

/* Memory instructions of observed kernels that were executed, as far as is known; those of them that are estimated;
 * and those that no observed access explains (unexplained.h), so that no number counts them. */
struct ls_exactness {
    size_t executed, estimated, not_counted;
};
struct ls_exactness ls_kernel_exactness(const struct ls_p_kernel *k);
/* Of all kernels. */
struct ls_exactness ls_exactness(const struct ls_profile *p);

#endif
