/*
 * blit.h - ROCr's own copy and fill kernels, done natively.
 */
#ifndef SOFT_GPU_CP_BLIT_H
#define SOFT_GPU_CP_BLIT_H

#include <stdbool.h>
#include <stdint.h>

struct sg_cp;
struct copy_job;

/* True when the dispatch is one of them: *job is what it would do. Anything that is not recognised for
 * certain runs in the engine. */
bool blit_recognise(struct sg_cp *cp, uint64_t kernel_object, uint64_t kernarg, struct copy_job *job);

#endif
