/* diff_match.h - which kernel and which source file of one recording is which of the other. */
#ifndef CLI_DIFF_MATCH_H
#define CLI_DIFF_MATCH_H

#include "diff.h"

/* Whether each of the user's renames (--map) names something on both sides, and at which `=` it is to be cut for that; 0, or an
 * exit code after a message. */
int diff_check_renames(const struct diff *d);
/* Fills d->kernels: pairs by the user's renames, linkage name, name, and name without template arguments, of
 * which those go together whose names are most alike; then what only one side has. */
void diff_pair_kernels(struct diff *d);
/* B's files, sorted by their last components; and those of them whose last component no file of A has. */
struct diff_files {
    const struct ls_p_file **by_base, **strange;
    size_t n, n_strange;
};
struct diff_files diff_files(const struct diff *d);
void diff_files_free(struct diff_files *f);
/* The file of side B that `path` of side A is: by the user's renames, path, the only one of that name (builds
 * in different folders), or by its text, half of which must be the same, where not very many files are new. NULL: none. */
const struct ls_p_file *diff_counterpart(const struct diff *d, const struct diff_files *files,
                                         const char *path);
/* Makes one of two lines of a kernel that one side has each, where texts and accesses are the same: the first of such lines goes with
 * the first, the second with the second. Then of those that are as far from the nearest line of both sides as they were. */
void diff_pair_moved(const struct diff *d, struct diff_kernel *k);
/* Whether the kernel is called so: by its name, its linkage name, or its name without template arguments. */
bool diff_called(const struct ls_p_kernel *k, const char *name);

#endif
