/* names.h - short names of source files and places, lists of metric names. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdbool.h>
#include "profile.h"

/* The shortest end of the path that tells it from the profile's other files; the path itself with `full`.
 * Points into `path`. */
const char *short_path(const struct ls_profile *p, const char *path, bool full);
/* "file.hip:12:9,17"; "function (no line)" without debug information. malloc'd. */
char *line_place(const struct ls_profile *p, const struct ls_p_line *line, bool full);
/* "load 4 B", "LDS load 4/8 B". malloc'd. */
char *line_access(const struct ls_p_line *line, bool with_space);
/* Names of all metrics, separated by commas. malloc'd. */
char *metric_names(const struct ls_profile *p);
/* Texts joined by `separator`. malloc'd. */
char *joined(const struct ls_p_texts *t, const char *separator);

#endif
