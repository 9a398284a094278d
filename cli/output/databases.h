/* databases.h - what the verbs that read databases share: their options, the kernel filter and loading. */
#ifndef CLI_DATABASES_H
#define CLI_DATABASES_H

#include <argp.h>
#include <regex.h>
#include <stdbool.h>
#include "results/profile/profile.h"

/* Options of verbs that show source lines, for their lists of options. */
enum { KEY_LIBRARY = 0x1000, KEY_FULL_PATHS, KEY_NO_PAGER };
#define KERNEL_OPTION                                                                                        \
    {"kernel", 'k', "REGEX", 0, "only kernels whose name matches this extended regular expression", 0}
#define OUTPUT_OPTION {"output", 'o', "FILE", 0, "write to FILE instead of the terminal", 0}
#define NO_PAGER_OPTION {"no-pager", KEY_NO_PAGER, NULL, 0, "no pager ($PAGER, or less) on a terminal", 0}
#define FULL_PATHS_OPTION {"full-paths", KEY_FULL_PATHS, NULL, 0, "show whole paths of source files", 0}
/* Each use adds folders; without any, those of the environment or the configuration file count. */
#define LIBRARY_OPTION                                                                                       \
    {"library",                                                                                              \
     KEY_LIBRARY,                                                                                            \
     "DIR",                                                                                                  \
     0,                                                                                                      \
     "source files below DIR are a library's: rows are titled by the line of yours that they were inlined "  \
     "into; "                                                                                                \
     "can be repeated (also: LANESCOPE_LIBRARY_DIRS)",                                                       \
     0}
void add_library_option(const char *folders);
/* What they set. */
struct view_options {
    const char *kernel, *output; /* NULL: not given */
    bool full_paths, no_pager;
};
/* Takes one of them; ARGP_ERR_UNKNOWN: it is another. */
error_t take_view_option(int key, char *arg, struct view_options *view);
/* Tells a new profile these folders. */
void apply_libraries(struct ls_profile *p);
/* A new profile of `n` databases, cut to the kernels that match `kernel` (NULL: all). 0, or an exit code
 * after a message; that no kernel matches is EXIT_FAILED. *p is to be freed in any case. how: LOAD_RAW is for
 * JSON, LOAD_CODE brings the kernels' instructions (ls_profile.raw, with_code). */
enum { LOAD_RAW = 1, LOAD_CODE = 2 };
int load_profile(struct ls_profile **p, char *const *databases, size_t n, const char *kernel, unsigned how);
/* The same of what was priced as on the GPU `as` (ls_profile.as); NULL: of what ran. */
int load_profile_as(struct ls_profile **p, char *const *databases, size_t n, const char *kernel, unsigned how,
                    const char *as);
/* The metric that an option named in these profiles; 0, or an exit code after a message: for none, and for
 * several, which are told by their names with handlers. */
int find_metric_of(struct ls_profile *const *p, size_t n_profiles, const char *option, const char *name,
                   const struct ls_p_metric **metric);
/* Which of a profile's recordings a head names: each of a few; of many the first ones, and those that are partial or have other
 * filters than the first. */
struct named_databases {
    const struct ls_profile *profile;
    size_t next, named, special;
};
/* The next one; NULL: no more. Begins with all of the struct but `profile` 0. */
const struct ls_p_database *next_named(struct named_databases *n);
/* Behind the last one: "and 1,497 more recordings (`lanescope summary --json` names all)", or NULL. malloc'd. */
char *more_databases(const struct named_databases *n);
/* Its index in one profile; -1 where `name` is NULL. */
int find_metric_option(struct ls_profile *p, const char *option, const char *name, int *metric);

#endif
