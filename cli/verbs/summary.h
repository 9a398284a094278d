/* summary.h - a few lines about databases: for `lanescope summary` and the end of `lanescope run`. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stddef.h>
#include <stdio.h>

/* Every line starts with `prefix`. 0, or an exit code after messages about files that cannot be read (the
 * others are shown all the same). */
int summary_print(FILE *out, const char *const *names, size_t n, const char *prefix);

#endif
