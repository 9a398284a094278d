/*
 * lds_model.h - what one LDS instruction of a wavefront costs, as a pure function of GPU, width,
 * direction, addresses and active lanes.
 *
 * bank(address) = address / 4 mod banks. The hardware serves an instruction in phases; in a phase only the
 * lanes of one fixed lane group take part. A phase takes as many cycles as the busiest bank has distinct
 * dwords to serve; the first of them is the access itself, the others are conflict cycles. Lanes that touch
 * the same dword share it. A phase without active lanes still takes its cycle: with one active work-item a
 * b32 access counts 2 index cycles (ROCm Compute Profiler documentation, "LDS examples", measured on MI250).
 *
 * The lane groups and their sources are in the table of GPUs (gpus/table.c).
 */
#ifndef HOST_HANDLERS_LDS_MODEL_H
#define HOST_HANDLERS_LDS_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "gpus/gpus.h"

/* The GPU of that name ("gfx90a", with or without ":feature" suffixes) if it is known how its LDS serves
 * lanes, else NULL. */
const struct ls_gpu *ls_gpu_with_lds(const char *name);

/* How an access of `bytes` bytes per lane (1..16) is served. */
const struct ls_lds_phases *ls_lds_phases(const struct ls_gpu *gpu, bool is_write, unsigned bytes);

struct ls_lds_cost {
    uint32_t index_cycles;     /* SQ_LDS_IDX_ACTIVE: conflict-free and conflict cycles */
    uint32_t conflict_cycles;  /* SQ_LDS_BANK_CONFLICT */
    uint32_t address_conflict; /* atomics only: lanes that wait for another lane's update of the same dword */
    uint32_t assumed_cycles; /* all of the first and the third, if the phases are assumed and not measured */
};

/* Cost of one access of `bytes` bytes per lane (1..16, the hardware forms) at addr[lane], byte offsets in
 * LDS. */
struct ls_lds_cost ls_lds_access(const struct ls_gpu *gpu, bool is_write, bool is_atomic, unsigned bytes,
                                 uint64_t exec, const uint32_t addr[64]);

/* The same, one lane after the other on any processor. */
struct ls_lds_cost ls_lds_access_by_lane(const struct ls_gpu *gpu, bool is_write, bool is_atomic,
                                         unsigned bytes, uint64_t exec, const uint32_t addr[64]);

#endif
