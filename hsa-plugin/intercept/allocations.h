/*
 * allocations.h - memory that the program has allocated (hsa_amd_memory_pool_allocate, which is below every
 * hipMalloc), for handlers that show addresses by allocation.
 */
#ifndef HSA_PLUGIN_ALLOCATIONS_H
#define HSA_PLUGIN_ALLOCATIONS_H

#include <stdatomic.h>
#include "hsa-plugin/runtime/api_tables.h"
#include "lanescope/handler.h"

/* All allocations at one moment, by address. Immutable; shared by the dispatches that saw the same ones. */
struct ls_allocations {
    atomic_uint references;
    uint32_t n;
    struct lanescope_allocation list[];
};

/* Puts our functions into the live table. */
void ls_allocations_hooks(struct ls_amd_table *amd);
/* Those that are there now; NULL: none, or out of memory. Give back with ls_allocations_put. */
struct ls_allocations *ls_allocations_get(void);
/* From any thread; NULL is allowed. */
void ls_allocations_put(struct ls_allocations *a);

#endif
