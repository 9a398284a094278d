/* compiler_words.h - what a run-time compiler uses LDS for on a line of the source (docs/triton.md). */
#ifndef RESULTS_COMPILER_WORDS_H
#define RESULTS_COMPILER_WORDS_H

#include "results/profile/profile.h"

/* "layout conversion for tl.dot at line 42: ...", several joined by "; "; malloc'd, NULL when the compiler said nothing. */
char *ls_compiler_words(const struct ls_p_kernel *k, const struct ls_p_line *line);

#endif
