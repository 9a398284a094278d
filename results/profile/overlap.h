/*
 * overlap.h - how long copies and kernels ran at the same time, for struct ls_times: by hardware queue, and by HIP
 * stream where the recording knows it.
 */
#ifndef RESULTS_OVERLAP_H
#define RESULTS_OVERLAP_H

#include "results/reader/activity.h"
#include "times.h"

/* Adds queues and streams of one recording. Texts belong to `arena`. */
void ls_overlap_add(struct ls_times *t, struct ls_arena *arena, struct ls_results *r,
                    const struct ls_activity *a);
/* The streams. */
void ls_overlap_free(struct ls_times *t);

#endif
