/* loaded.h - lines and numbers of a recording that was read, for tests; what is not there ends the test. */
#ifndef RESULTS_TESTS_LOADED_H
#define RESULTS_TESTS_LOADED_H

#include "results/profile/profile.h"

/* One recording; `only`: of kernels whose name fits, or NULL. ls_profile_free gives it back. */
struct ls_profile *load(const char *path, const regex_t *only);
const struct ls_p_line *line_at(const struct ls_p_kernel *k, uint32_t number, const char *kind,
                                const char *space);
/* The line's number of a metric, which it must have. */
double value(const struct ls_profile *p, const struct ls_p_line *l, const char *handler, const char *name);

#endif
