/* source_map.h - which line of an edited source file is which line of the original. */
#ifndef CLI_SOURCE_MAP_H
#define CLI_SOURCE_MAP_H

#include "results/profile/profile.h"

/* For each line of `a` (index 1 to *n) the line of `b` that it became, 0 when it is gone. Equal lines are
 * paired by the longest common subsequence; between them the lines of a changed passage are paired from its
 * top. malloc'd; NULL when a text is missing: then line numbers are all there is. */
uint32_t *source_map(const struct ls_p_file *a, const struct ls_p_file *b, uint32_t *n);

#endif
