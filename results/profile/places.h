/* places.h - the numbers of a kernel by source line: all its accesses that are called after the line
 * (title.h), whatever their kind, address space and inlining chain. */
#ifndef RESULTS_PLACES_H
#define RESULTS_PLACES_H

#include "profile.h"

struct ls_source_line {
    const char *file; /* "" when unknown */
    uint32_t line;    /* 0: none */
    struct ls_p_values values;
    double excess; /* work beyond need, of all handlers that say what that is (tables.h) */
    bool exact;
};

/* Those of the kernel, most excess first, else in order of places. malloc'd; *n of them, freed with
 * ls_source_lines_free. */
struct ls_source_line *ls_source_lines(const struct ls_profile *p, const struct ls_p_kernel *k, size_t *n);
void ls_source_lines_free(struct ls_source_line *lines, size_t n);

#endif
