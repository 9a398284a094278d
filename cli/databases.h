/* databases.h - what the verbs that read databases share: the kernel filter and loading. */
#ifndef CLI_DATABASES_H
#define CLI_DATABASES_H

#include <regex.h>
#include "profile.h"

/* Compiles the value of --kernel; 0, or an exit code after a message. */
int compile_kernel_regex(const char *text, regex_t *re);
/* A new profile of `n` databases, cut to the kernels that match `kernel` (NULL: all). 0, or an exit code
 * after a message; that no kernel matches is EXIT_FAILED. *p is to be freed in any case. raw: for JSON
 * (ls_profile.raw). */
int load_profile(struct ls_profile **p, char *const *databases, size_t n, const char *kernel, bool raw);
/* Index of the metric that an option named; 0, or an exit code after a message. */
int find_metric_option(const struct ls_profile *p, const char *option, const char *name, int *metric);

#endif
