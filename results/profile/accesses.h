/* Which handlers count the same accesses (ls_accesses in profile.h asks). */
#ifndef LANESCOPE_RESULTS_ACCESSES_H
#define LANESCOPE_RESULTS_ACCESSES_H

#include "profile.h"

/* Finds the pairs of handlers that have numbers of one line: for p->rivals. After lines were added. */
void ls_accesses_find_rivals(struct ls_profile *p);

#endif
