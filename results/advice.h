/* advice.h - sentences made of the rows that the handler `advice` stored (docs/handlers/advice.md). */
#ifndef RESULTS_ADVICE_H
#define RESULTS_ADVICE_H

#include "profile.h"

#define LS_ADVICE_HANDLER "advice"

/* Why a line costs what it costs and what would change it, summed over its sites and dispatches. handler: the
 * one in whose table the line stands ("lds_bank_conflicts", "memory_coalescing"), NULL for both. malloc'd
 * array of malloc'd texts, freed with ls_advice_free; NULL and *n 0 when there is none. */
char **ls_advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                 const char *handler, size_t *n);
void ls_advice_free(char **advice, size_t n);

#endif
