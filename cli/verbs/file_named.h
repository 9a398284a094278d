/* file_named.h - source files as users name them: to `annotate` and `explain`, in --map and --allow. */
#ifndef CLI_FILE_NAMED_H
#define CLI_FILE_NAMED_H

#include <stdbool.h>

/* Whether the file at `path` of a recording is named so: by its path, or by whole components at its end; "./a.hip" and
 * "../src/a.hip", as shells complete them, name "/home/me/src/a.hip", too. False also when out of memory. */
bool is_file_named(const char *path, const char *name);
/* Makes FILE:LINE of FILE:LINE:COLUMN,..., as reports print places; leaves anything else as it is. */
void cut_columns(char *place);

#endif
