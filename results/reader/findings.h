/*
 * findings.h - what the check for races found (`lanescope run --check`), in the results database: stored by
 * the launcher when the process has ended, read by the reports.
 */
#ifndef RESULTS_FINDINGS_H
#define RESULTS_FINDINGS_H

#include <regex.h>
#include "reader.h"

/* One side of a finding. */
struct ls_finding_access {
    const char *access; /* "read", "write", "atomic" */
    const char *file;   /* "" when unknown */
    int64_t line, column;
    const char *inlined;     /* "inlined at FILE:LINE:COLUMN, ..." innermost first, or "" */
    const char *instruction; /* disassembly */
    int64_t wave, lane;      /* of the example */
};

/* A pair of source lines of a kernel, or one line. Workgroup, address and lanes are those of one example. */
struct ls_finding {
    const char *kind;     /* "race", "lanes", "uninit" */
    const char *severity; /* "error"; "note": both wrote the same value */
    const char *space;    /* "LDS" */
    const char *kernel;
    int64_t count, gpu;
    int64_t dispatch; /* of the first time, as the software GPU counts, from 0 */
    int64_t workgroup[3], address;
    size_t n_sides;
    struct ls_finding_access side[2];
};

/* Stores the findings of process `pid` in the database that a run has left. 1 stored, 0 when this is not that
 * process's database, or -1 with *error (malloc'd). */
int ls_findings_store(const char *path, int64_t pid, const struct ls_finding *list, size_t n, char **error);
/* *list is malloc'd, in the order in which they were found; the texts belong to `r`. A database without
 * findings has none. 0, or -1 with *error. */
int ls_findings_load(struct ls_results *r, struct ls_finding **list, size_t *n, char **error);
/* Adds those of kernels that match `only` (NULL: all) to a malloc'd list whose texts belong to `arena`; one
 * that is there already adds to its count. 0, or -1 with *error. */
int ls_findings_add(struct ls_finding **list, size_t *n, struct ls_arena *arena, struct ls_results *r,
                    const regex_t *only, char **error);

#endif
