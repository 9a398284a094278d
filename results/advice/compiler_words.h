/* compiler_words.h - what a run-time compiler uses LDS for on a line of the source (docs/triton.md). */
#ifndef RESULTS_COMPILER_WORDS_H
#define RESULTS_COMPILER_WORDS_H

#include "results/profile/profile.h"

/* Memory in LDS with a layout, bytes: rows of `row`, elements of `element`; of which each stands where its row and column say
 * (`plain`), or not. Where only the compiler can choose the layout, or places of one line have several, all are 0. */
struct ls_compiler_tile {
    int64_t rows, row, element;
    bool plain;
};
/* Of a place that the compiler said nothing of: the one that all other places have. false: there is none. */
bool ls_compiler_tile(const struct ls_p_kernel *k, const struct ls_p_line *line,
                      struct ls_compiler_tile *tile);

/* "layout conversion for tl.dot at line 42: ...", several joined by "; "; malloc'd, NULL when the compiler said nothing. */
char *ls_compiler_words(const struct ls_p_kernel *k, const struct ls_p_line *line);

#endif
