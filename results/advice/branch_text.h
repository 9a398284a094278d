/*
 * branch_text.h - what the source says at a branch, as advice on idle lanes quotes it.
 */
#ifndef RESULTS_BRANCH_TEXT_H
#define RESULTS_BRANCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "results/profile/profile.h"

/* "if (i % 8 == 0)" of the place in the source: column from 1, which may be that of the statement, of its
 * condition or of an operator in it; 0: not known. Of a masked access of a kernel of Triton it is "mask=inside".
 * At most 63 bytes. malloc'd; NULL: the text is not known. */
char *ls_branch_text(const struct ls_profile *p, const char *path, int64_t line, int64_t column, bool triton);

#endif
