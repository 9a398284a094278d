/* check_results.h - what the check for races (`lanescope run --check`) found in the processes of a run. */
#ifndef CLI_CHECK_RESULTS_H
#define CLI_CHECK_RESULTS_H

#include <stddef.h>
#include <stdint.h>

/* The software GPU writes one file per process into a directory that the launcher makes. */
struct check_results {
    struct check_process *processes;
    size_t n;
    int64_t dispatches;
    int64_t lost;                              /* findings that were not kept */
    size_t races, lanes, uninit, stale, notes; /* notes: both wrote the same value */
};

/* Reads the files and removes them and the directory. */
void check_results_read(struct check_results *c, const char *directory);
/* Stores them in the databases of the run, each in its process's. */
void check_results_store(const struct check_results *c, char *const *databases, size_t n);
/* A line on stderr. */
void check_results_print(const struct check_results *c, const char *what);
/* Findings that are errors. */
size_t check_results_errors(const struct check_results *c);
void check_results_free(struct check_results *c);

#endif
