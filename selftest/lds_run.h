/* lds_run.h - one launch of a kernel of device/lds.c. */
#ifndef SELFTEST_LDS_RUN_H
#define SELFTEST_LDS_RUN_H

#include "gpu.h"

/* Where it runs, and how often each round is tried. */
struct lds_runner {
    struct gpu *gpu;
    hsa_queue_t *queue;
    hsa_executable_t code;
    uint32_t tries;
};

/* One wavefront does `n` rounds of the way ("read_b128"): rounds[r * lanes + lane] is the lane's address in round r,
 * NO_LDS_ADDRESS for one that takes no part. cycles[r] gets the fewest cycles of the tries. False with a problem. */
bool lds_run(const struct lds_runner *r, const char *way, const uint32_t *rounds, unsigned n,
             uint64_t *cycles);

#endif
