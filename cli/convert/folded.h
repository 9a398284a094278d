/* folded.h - a metric as folded stacks, which flame graphs are made of: a line for each place, "kernel;call;place SUM". */
#ifndef CLI_CONVERT_FOLDED_H
#define CLI_CONVERT_FOLDED_H

#include <stddef.h>

/* Writes the sums of a metric over the databases to a new file, or to stdout for "-". Nobody can read the file
 * who cannot read all of them; a failure leaves none. 0, or an exit code after a message. */
int convert_folded(char *const *databases, size_t n, const char *metric, const char *path);

#endif
