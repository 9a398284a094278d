/* exactness.h - how reports say which numbers are exact (results/profile/exact.h). */
#ifndef CLI_EXACTNESS_H
#define CLI_EXACTNESS_H

#include <stdbool.h>
#include "results/profile/exact.h"

/* Stands before a number that is not exact. */
#define INEXACT_MARK "~"
/* What the mark means. */
#define INEXACT_LEGEND                                                                                       \
    "~ not exact: the access is not joined with instructions of the compiled kernel, so that its numbers "   \
    "are "                                                                                                   \
    "estimated from width and alignment (no advice is given on them); or not all that the kernel did was "   \
    "reported"

/* Stands behind the access of a row of LDS numbers that rest on phases which are assumed. */
#define ASSUMED_MARK "^"
/* What that mark means. */
#define ASSUMED_LEGEND                                                                                       \
    "^ assumed: in which groups this GPU's LDS serves the lanes of such an access has not been measured on " \
    "it; "                                                                                                   \
    "the cycles are those of groups that a related GPU or access has (`lanescope list gpus`)"
/* The mark, or "". */
const char *value_mark(const struct ls_profile *p, const struct ls_p_line *line, size_t metric);
/* "1,234 of 1,242 executed memory instructions are exact (99.3 %); 6 estimated: a.hip:12, b.hip:3; 2 not counted: a.hip:9",
 * with at most `most` places each, 0: all. malloc'd; NULL: nothing was executed that counts. */
char *exactness_text(const struct ls_profile *p, bool full_paths, size_t most);

#endif
