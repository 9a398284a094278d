/* blind.h - kernels that ran and of which nothing was observed, by library: a library brings hundreds of
 * them. */
#ifndef CLI_BLIND_H
#define CLI_BLIND_H

#include "results/profile/profile.h"
#include "terminal.h"

/* Kernels of one library that share a reason. Texts belong to the profile. */
struct blind {
    const char *library, *why;
    const struct ls_p_kernel *first;
    bool runtime; /* of HIP itself, as those that fill and copy memory: they are nobody's to look at */
    size_t kernels;
    int64_t dispatches;
};

/* Whether it fills or copies memory for HIP. */
bool blind_is_runtime_own(const struct ls_p_kernel *k);
/* Whether they take one line together; a library's only one is called by its name. */
bool blind_is_folded(const struct blind *b);
/* "3 kernels of librocblas.so.4, 5 dispatches: compiled without Lanescope". malloc'd. */
char *blind_text(const struct blind *b, bool with_dispatches);
/* In the order of their first kernels; *n of them, freed with free(). */
struct blind *blind_groups(const struct ls_profile *p, size_t *n);
/* The group of a kernel; NULL when it was observed, or was not dispatched. */
const struct blind *blind_of(const struct blind *groups, size_t n, const struct ls_p_kernel *k);
/* What observes a kernel that was not: words behind the reason, or "". Only where it can be done. */
const char *blind_hint(const struct ls_p_kernel *k);
/* A line for each: the kernel's name where it is the only one, else their number and library. */
void blind_summary(const struct terminal *t, const struct ls_profile *p, const char *prefix);

#endif
