/*
 * arena.h - memory of ours that the GPU accesses, kept apart from the program's.
 *
 * ROCr cuts small allocations on a device out of blocks of 2 MiB: one of ours would touch a buffer of the
 * program. A kernel that stores a little beside its buffer, which does no harm without us, would then change
 * addresses that the clone's probes follow. ROCr never shares an allocation of more than a block
 * (SimpleHeap::alloc in its core/util/simple_heap.h). So our pieces come out of such allocations, each of
 * which begins and ends with a guard that nobody uses. What the program allocates lies as it would without
 * us.
 */
#ifndef HSA_PLUGIN_ARENA_H
#define HSA_PLUGIN_ARENA_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "hsa-plugin/runtime/api_tables.h"

enum {
    LS_ARENA_GUARD = 1 << 20,  /* bytes at each end of a block */
    LS_ARENA_SHARED = 2 << 20, /* bytes of pieces in a block; a larger piece has a block of its own */
    LS_ARENA_PAGE = 4096       /* pieces are multiples of this, and aligned to it */
};

struct ls_arena_block;

struct ls_arena {
    hsa_amd_memory_pool_t pool;
    hsa_agent_t agent;
    bool shared;                   /* the pool is not the agent's own: it has to be given access */
    pthread_mutex_t lock;          /* blocks; never held across a wait for the GPU */
    struct ls_arena_block *blocks; /* NULL: none */
};

/* Nothing is allocated before the first piece. */
void ls_arena_init(struct ls_arena *a, hsa_amd_memory_pool_t pool, hsa_agent_t agent, bool shared);
/* A piece of at least so many bytes, with any content; NULL: no memory. From any thread, as ls_arena_put. */
void *ls_arena_get(const struct ls_api *api, struct ls_arena *a, uint64_t bytes);
/* Gives a piece back, or does nothing with NULL. The last piece of a block frees it. */
void ls_arena_put(const struct ls_api *api, struct ls_arena *a, void *piece);

#endif
