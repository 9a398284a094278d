/* title.h - what a line is called: the nearest place in the user's own sources. */
#ifndef RESULTS_TITLE_H
#define RESULTS_TITLE_H

#include "profile.h"

/* Whether a source file belongs to a library: it lies below a folder that the user named
 * (ls_profile_add_library), or below one that the compiler searches for system headers. Recordings that do
 * not know these (older ones, device code that was optimised when it was linked) are judged by the usual
 * names. */
bool ls_is_library(const struct ls_profile *p, const struct ls_results *r, const struct ls_r_file *file);

/* A frame's file and caller; NULL: none. Ids of callers are smaller: a damaged file cannot make us loop. */
const struct ls_r_file *ls_frame_file(const struct ls_results *r, const struct ls_r_frame *f);
const struct ls_r_frame *ls_frame_parent(const struct ls_results *r, const struct ls_r_frame *f);

/* The frame of the chain that begins with `innermost` which the row is called after: the first with a line in
 * the user's sources, else the first with a line, else the first. *depth: its number, 0 is the innermost. */
const struct ls_r_frame *ls_title_frame(const struct ls_profile *p, const struct ls_results *r,
                                        const struct ls_r_frame *innermost, size_t *depth);

#endif
