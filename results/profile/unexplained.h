/*
 * unexplained.h - vector memory instructions of the original kernels that no observed access explains, and
 * how often they were executed, as far as that is known: as often as instructions that are counted and
 * executed together with them.
 */
#ifndef RESULTS_UNEXPLAINED_H
#define RESULTS_UNEXPLAINED_H

#include "profile.h"

/* Adds those of a database to its kernels. kernel_of: by index in r->kernels, NULL: left out. totals: as of
 * ls_results_totals. 0, or -1 with *error. */
int ls_unexplained_add(struct ls_profile *p, struct ls_results *r, struct ls_p_kernel *const *kernel_of,
                       const struct ls_r_total *totals, size_t n_totals, char **error);
/* How many: without those that read kernel arguments, and without those of which it is known that they were not executed. */
uint64_t ls_unexplained_count(const struct ls_p_kernel *k);
/* "1 vector memory instruction that no observed access explains: a.hip:11 global_load_dword (4 executions)".
 * malloc'd; NULL: all that were executed are explained. */
char *ls_unexplained_text(const struct ls_p_kernel *k);
/* "1 vector memory instruction reads kernel arguments, which are not counted: a.hip:5 global_load_ushort (4 executions)".
 * malloc'd; NULL: none that was executed does. */
char *ls_arguments_text(const struct ls_p_kernel *k);

#endif
