/* merge_file.h - one database of several, and the file in which it grows, OUTPUT.merging, until it takes the output's
 * name. */
#ifndef CLI_VERBS_MERGE_FILE_H
#define CLI_VERBS_MERGE_FILE_H

#include <stddef.h>

/* Writes one database that holds these `n`, which stay as they are, for those who may read all of them; what stands at
 * `output` is replaced. 0, or an exit code after a message, and `output` is as it was. */
int merge_databases(const char *output, char *const *databases, size_t n);

#endif
