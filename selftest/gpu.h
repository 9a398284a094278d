/*
 * gpu.h - the self-test's view of ROCr: one GPU, its memory, its queues, its kernels. No function ends the program:
 * each says in `problem` what failed, and the part of the test that called it says so on its page.
 */
#ifndef SELFTEST_GPU_H
#define SELFTEST_GPU_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPU_SECONDS = 15 }; /* what a launch may take on hardware, and a copy */

struct gpu {
    hsa_agent_t cpu, agent;
    hsa_amd_memory_pool_t device, host, kernarg;
    char name[64];      /* "gfx90a" */
    uint32_t lanes;     /* of a wavefront, as the agent says */
    uint32_t units;     /* compute units */
    uint64_t frequency; /* of ROCr's clock, Hz */
    unsigned patience;  /* by how much longer than on hardware things may take */
    bool measures;      /* hardware: times say something of it */
    bool late;          /* a wait came to its end: what follows is not waited for as long */
    char problem[256];  /* what the last call that failed could not do */
};

struct gpu_kernel {
    uint64_t object;
    uint32_t private_bytes, group_bytes;
};

/* The size of a launch, and what is out of the ordinary about it. */
struct gpu_launch {
    uint32_t grid[3], group[3]; /* work-items; 0 counts as 1 */
    uint32_t dynamic_lds;       /* bytes */
    void *kernarg;              /* in memory of gpu->kernarg */
};

/* Starts ROCr and takes GPU number `index` of those that it shows. */
bool gpu_open(struct gpu *g, unsigned index);
void gpu_close(struct gpu *g);
/* Seconds of a clock that is never set. */
double gpu_now(void);
/* Memory that CPU and GPU can use; NULL with a problem. Freed by gpu_free. */
void *gpu_alloc(struct gpu *g, hsa_amd_memory_pool_t pool, size_t bytes);
void gpu_free(void *memory);
/* Loads a code object (it must stay in memory); false with a problem. */
bool gpu_load(struct gpu *g, const void *code, size_t bytes, hsa_executable_t *out);
bool gpu_find(struct gpu *g, hsa_executable_t code, const char *name, struct gpu_kernel *out);
/* Dies (XCCs) that launches are dealt out to; 0: the runtime does not know. */
uint32_t gpu_xccs(const struct gpu *g);
/* NULL with a problem. Destroyed by hsa_queue_destroy. */
hsa_queue_t *gpu_queue(struct gpu *g);
/* Whether the GPU has queues whose launches have all of their work-groups at once, and one of them. */
bool gpu_is_cooperative(const struct gpu *g);
hsa_queue_t *gpu_cooperative_queue(struct gpu *g);
/* Submits a launch without waiting; `done` goes to 0 when it is complete. */
void gpu_submit(hsa_queue_t *q, const struct gpu_kernel *k, const struct gpu_launch *l, hsa_signal_t done);
/* Waits at most `seconds`, times the patience, for the signal to be 0. What did not end may still run: its memory and
 * its queue are left to it. */
bool gpu_wait(struct gpu *g, hsa_signal_t done, unsigned seconds);
/* One launch, and the wait for it. */
bool gpu_run(struct gpu *g, hsa_queue_t *q, const struct gpu_kernel *k, const struct gpu_launch *l);
/* Copies by the GPU's copy engines. */
bool gpu_copy(struct gpu *g, void *to, const void *from, size_t bytes);

#endif
