/* names.h - short names of source files and places, lists of metric names. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdbool.h>
#include "results/profile/profile.h"
#include "terminal.h"

/* The shortest end of the path that tells it from the profile's other files; the path itself with `full`.
 * Points into `path`. */
const char *short_path(const struct ls_profile *p, const char *path, bool full);
/* The kernel's name; where another one has it, too, with its place: "f(int) [b.hip:3]". malloc'd. */
char *kernel_heading(const struct ls_profile *p, const struct ls_p_kernel *k);
/* The line's title: "file.hip:12:9,17"; "function (no line)" without debug information. malloc'd. */
char *line_place(const struct ls_profile *p, const struct ls_p_line *line, bool full);
/* The same without columns. malloc'd. */
char *line_title(const struct ls_profile *p, const struct ls_p_line *line, bool full);
/* Of a line that is one instruction: "0x1a4: global_load_dword v1, v[2:3], off". malloc'd. */
char *line_instruction(const struct ls_p_line *line);
/* What is inside of the title and around it: "in atomicAdd, amd_hip_atomic.h:153; f, inlined at a.hip:7:5",
 * with long names shortened. malloc'd; NULL: nothing was inlined. */
char *line_calls(const struct ls_profile *p, const struct ls_p_line *line, bool full,
                 const struct terminal *t);
/* Text that takes at most `columns`, shortened in its middle:
 * names of templates differ at their ends. malloc'd. */
char *middle_cut(const struct terminal *t, const char *s, int columns);
/* The name of a kernel or function, likewise: without "void" and its arguments first, so that the name itself stays whole where it has room.
 * malloc'd. */
char *name_cut(const struct terminal *t, const char *name, int columns);
/* Prints it; returns the columns. */
int print_kernel_name(const struct terminal *t, const char *name, int columns);
/* "load 4 B", "LDS load 4/8 B". malloc'd. */
char *line_access(const struct ls_p_line *line, bool with_space);
/* Names of all metrics, separated by commas. malloc'd. */
char *metric_names(const struct ls_profile *p);
/* Texts joined by `separator`. malloc'd. */
char *joined(const struct ls_p_texts *t, const char *separator);

#endif
