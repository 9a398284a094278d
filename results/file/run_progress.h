/*
 * run_progress.h - how `lanescope run` sees what its processes have done so far: they count in a file that all of them
 * map, in the directory that LANESCOPE_RUN_DIRECTORY names. Where there is none, nobody looks, and nothing is counted.
 */
#ifndef RESULTS_RUN_PROGRESS_H
#define RESULTS_RUN_PROGRESS_H

#include <stdint.h>

struct ls_run_counts {
    uint64_t dispatches, observed; /* that have ended */
    uint64_t messages;             /* of all dispatches, also of those that run */
};

/* In `lanescope run`: creates the file. Where to read from, for ls_run_progress_read; NULL: it cannot be done. */
struct ls_run_shared;
struct ls_run_shared *ls_run_progress_create(const char *directory);
struct ls_run_counts ls_run_progress_read(struct ls_run_shared *s);
/* Removes the file and frees `s` (NULL: nothing). */
void ls_run_progress_remove(struct ls_run_shared *s, const char *directory);

/* In a recorded process, once, before it adds; and from any thread. */
void ls_run_progress_open(void);
void ls_run_progress_add(const struct ls_run_counts *more);

#endif
