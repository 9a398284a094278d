/*
 * pm4.h - PM4 commands that arrive inside AQL vendor packets.
 */
#ifndef SOFT_GPU_CP_PM4_H
#define SOFT_GPU_CP_PM4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_cp;

enum pm4_result {
    PM4_DONE,
    PM4_POLL,         /* waits for memory that the host may change without telling */
    PM4_WAIT_KERNELS, /* waits for the kernels before it */
    PM4_BAD,          /* *error tells */
};

struct pm4_error {
    bool is_page; /* an access to `va`, which is not mapped; else `why` is a sentence */
    uint64_t va;
    bool is_write;
    char why[128];
};

/* Executes the indirect buffer of a 64-byte AMD_AQL_FORMAT_PM4_IB packet from dword `*at` on, which is 0 at
 * first: where it stops, and 0 again at the end, is stored there. `kernels`: kernels that were launched
 * before are not complete. */
enum pm4_result pm4_execute_aql(struct sg_cp *cp, const void *packet, bool kernels, uint32_t *at,
                                struct pm4_error *error);

#endif
