/*
 * copier.h - device memory filled from the host, without a kernel: with zeros, or with what probes read often.
 *
 * hsa_amd_memory_fill runs a kernel and waits for it, without end. In a packet's callback that is a deadlock when a kernel
 * fills the GPU and waits for what the program does after its launch. The copy engine needs no compute unit. Where ROCr copies
 * by kernels instead (HSA_ENABLE_SDMA=0), the wait has an end.
 */
#ifndef HSA_PLUGIN_COPIER_H
#define HSA_PLUGIN_COPIER_H

#include "arena.h"

/* Of one GPU. All zero but for what ls_copier_init sets. */
struct ls_copier {
    hsa_agent_t gpu, cpu;
    struct ls_arena *host, *device;
    pthread_mutex_t lock; /* held while somebody waits, with an end */
    void *zeros;          /* in host memory; NULL: not made yet */
    hsa_signal_t signal;  /* copies that are under way */
    void *late,
        *late_source; /* pieces for which nobody waits any more, given back when the copies are done */
    bool has_signal;
};

/* `cpu`: whose memory `host` is. Nothing is allocated. */
void ls_copier_init(struct ls_copier *c, hsa_agent_t gpu, hsa_agent_t cpu, struct ls_arena *host,
                    struct ls_arena *device);
/* Zeroes device memory, waiting a second or a few. False: that could not be done, and the memory is not the caller's any more;
 * when it is a whole piece of the device arena, it is given back, now or when nothing writes to it. From any thread. */
bool ls_copier_zero(const struct ls_api *api, struct ls_copier *c, void *memory, uint64_t bytes,
                    bool whole_piece);
/* A new piece of the device arena with a copy of these bytes, waiting as above; NULL: that could not be done. It is the
 * caller's. GPUs may see it from the next acquire of system scope on. From any thread. */
void *ls_copier_place(const struct ls_api *api, struct ls_copier *c, const void *data, uint64_t bytes);
void ls_copier_release(const struct ls_api *api, struct ls_copier *c);

#endif
