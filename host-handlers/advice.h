/*
 * advice.h - inside the advice handler: what it keeps of a dispatch, and the two searches that run at its
 * end.
 */
#ifndef HOST_HANDLERS_ADVICE_H
#define HOST_HANDLERS_ADVICE_H

#include "lanescope/handler.h"
#include "models/coalescing_model.h"
#include "models/lds_model.h"
#include "sample.h"

struct advice {
    const struct lanescope_host *host;
    const struct lanescope_dispatch *dispatch;
    const struct ls_lds_arch *lds_arch;     /* NULL: no model, no advice */
    const struct ls_cache_arch *cache_arch; /* likewise */
    struct sample *lds[0]; /* per site, then as many of global memory; NULL: no such access */
};

static inline struct sample **advice_lds(struct advice *a)
{
    return a->lds;
}

static inline struct sample **advice_global(struct advice *a)
{
    return a->lds + a->dispatch->n_sites;
}

/* Global addresses are kept modulo this, the largest cache line, on top of a base that leaves room below. */
#define ADVICE_PERIOD 128u
#define ADVICE_BASE (1ull << 40)

/* A distance of neighbouring lanes explains an access when so many of 100 pairs have it: 75 lets a wavefront
 * walk four rows of 16 lanes. */
#define ADVICE_EXPLAINS 75u

/* Store rows in the tables "lds" and "global" (docs/handlers/advice.md). */
void advice_write_lds(struct advice *a, struct lanescope_results *r);
void advice_write_global(struct advice *a, struct lanescope_results *r);

#endif
