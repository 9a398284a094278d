/*
 * copy.h - copying and filling GPU memory from the command processor, a slice at a time.
 */
#ifndef SOFT_GPU_CP_COPY_H
#define SOFT_GPU_CP_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include "internal.h"

/* Where an access failed. */
struct copy_fault {
    uint64_t va;
    bool is_write;
};

/* Does up to `budget` bytes more of the job. True when it went well (job->done advanced, job->done ==
 * job->bytes: finished); false on a page fault. */
bool copy_some(struct sg_cp *cp, struct copy_job *job, uint64_t budget, struct copy_fault *fault);

#endif
