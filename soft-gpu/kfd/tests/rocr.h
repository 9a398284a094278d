/*
 * rocr.h - a small program's view of ROCr: one GPU, its pools, queues, kernels. Every failure ends the test.
 */
#ifndef SOFT_GPU_KFD_TESTS_ROCR_H
#define SOFT_GPU_KFD_TESTS_ROCR_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
#define HSA(call) CHECK((call) == HSA_STATUS_SUCCESS)

struct rocr {
    hsa_agent_t cpu, gpu;
    unsigned gpus;
    hsa_amd_memory_pool_t vram, host, kernarg;
};

/* hsa_init, agents and pools. */
void rocr_open(struct rocr *r);
void *rocr_alloc(struct rocr *r, hsa_amd_memory_pool_t pool, size_t size);
hsa_signal_t rocr_signal(int64_t value);
/* Waits up to ten seconds until the value is 0. */
bool rocr_wait(hsa_signal_t s);
hsa_queue_t *rocr_queue(struct rocr *r, void (*error)(hsa_status_t, hsa_queue_t *, void *), void *data);
/* Puts a 64-byte packet in and rings the doorbell. */
void rocr_submit(hsa_queue_t *q, const void *packet);
void rocr_copy(struct rocr *r, void *dst, const void *src, size_t size);

struct rocr_kernel {
    hsa_executable_t executable;
    uint64_t object;
    uint32_t private_bytes, group_bytes;
};

/* Loads a code object file and finds one of its kernels. */
struct rocr_kernel rocr_kernel(struct rocr *r, const char *file, const char *name);
/* One dispatch of `groups` work-groups of 64. */
void rocr_launch(hsa_queue_t *q, const struct rocr_kernel *k, unsigned groups, void *kernarg,
                 hsa_signal_t done);

#endif
