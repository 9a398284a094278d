/*
 * reduce.h - the plans by which the GPU reduces irregular accesses in summary mode (host-handlers/shared/plan.h). Each
 * probe of such an access reads its site's part, so they lie in the GPU's own memory. One per kernel with a clone, and a
 * new one when more has become known of its module's machine code; they are kept until the process ends, because dispatches
 * may still use them.
 */
#ifndef HSA_PLUGIN_REDUCE_H
#define HSA_PLUGIN_REDUCE_H

#include "hsa-plugin/transport/agent.h"
#include "hsa-plugin/code/kernels.h"

/* The plan for a dispatch of k; NULL when irregular accesses have to be sent as messages: a handler wants
 * them, or memory is short. From any thread. */
struct ls_reduction *ls_reduction_of(const struct ls_api *api, struct ls_agent *a, struct ls_kernel *k);
/* A dispatch that read its plan has completed. */
void ls_reduction_seen(struct ls_reduction *r);
/* Sites whose sums do not have what `isa`, known by now, asks for. */
uint32_t ls_reduction_missing(const struct ls_reduction *r, const struct ls_kernel *k,
                              const struct lanescope_isa *isa);

#endif
