/* code.h - the memory instructions of the original kernels, for views that show them beside the source. */
#ifndef RESULTS_CODE_H
#define RESULTS_CODE_H

#include "profile.h"

/* Adds those of a database to its kernels that have none yet: ranks run the same code. By index in r->kernels: kernel_of, NULL: left
 * out; launched: of several copies of a kernel, one that was comes first. line_of: the kernel's line that counts a site, NULL: none. 0, or -1 with
 * *error. */
int ls_code_add(struct ls_profile *p, struct ls_results *r, struct ls_p_kernel *const *kernel_of,
                const bool *launched,
                const struct ls_p_line *(*line_of)(void *, const struct ls_p_kernel *,
                                                   const struct ls_r_site *),
                void *context, char **error);

#endif
