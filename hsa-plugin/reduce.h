/*
 * reduce.h - the plans by which the GPU reduces irregular accesses in summary mode (host-handlers/plan.h), in
 * memory that it reads. One per module of a code object, and a new one when more has become known of the
 * module's machine code; they are kept until the process ends, because dispatches may still use them.
 */
#ifndef HSA_PLUGIN_REDUCE_H
#define HSA_PLUGIN_REDUCE_H

#include "agent.h"
#include "kernels.h"

struct ls_reduction {
    void *plan; /* struct ls_plan */
    uint32_t n_passes;
    const struct lanescope_isa *isa; /* what it was made from; NULL: nothing is known */
    bool open; /* of some sites only the dispatch tells the instructions: it gathers evidence */
    struct ls_reduction *next; /* older */
};

/* The plan for a dispatch of k; NULL when irregular accesses have to be sent as messages: a handler wants
 * them, or memory is short. From any thread. */
const struct ls_reduction *ls_reduction_of(const struct ls_api *api, struct ls_agent *a, struct ls_kernel *k);
/* Sites whose sums do not have what `isa`, known by now, asks for. */
uint32_t ls_reduction_missing(const struct ls_reduction *r, const struct ls_kernel *k,
                              const struct lanescope_isa *isa);

#endif
