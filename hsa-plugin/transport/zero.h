/*
 * zero.h - zeroed device memory, without a kernel.
 *
 * hsa_amd_memory_fill runs a kernel and waits for it, without end. In a packet's callback that is a deadlock when a kernel
 * fills the GPU and waits for what the program does after its launch. The copy engine needs no compute unit. Where ROCr copies
 * by kernels instead (HSA_ENABLE_SDMA=0), the wait has an end.
 */
#ifndef HSA_PLUGIN_ZERO_H
#define HSA_PLUGIN_ZERO_H

#include "arena.h"

/* Of one GPU. All zero but for what ls_zeroer_init sets. */
struct ls_zeroer {
    hsa_agent_t gpu, cpu;
    struct ls_arena *host, *device;
    pthread_mutex_t lock; /* held while somebody waits, with an end */
    void *zeros;          /* in host memory; NULL: not made yet */
    hsa_signal_t signal;  /* copies that are under way */
    void *late;           /* memory for which nobody waits any more, given back when the copies are done */
    bool has_signal;
};

/* `cpu`: whose memory `host` is. Nothing is allocated. */
void ls_zeroer_init(struct ls_zeroer *z, hsa_agent_t gpu, hsa_agent_t cpu, struct ls_arena *host,
                    struct ls_arena *device);
/* Zeroes device memory, waiting a second or a few. False: that could not be done, and the memory is not the caller's any more;
 * when it is a whole piece of the device arena, it is given back, now or when nothing writes to it. From any thread. */
bool ls_zero(const struct ls_api *api, struct ls_zeroer *z, void *memory, uint64_t bytes, bool whole_piece);
void ls_zeroer_release(const struct ls_api *api, struct ls_zeroer *z);

#endif
