/*
 * coalescing_model.h - what one global memory instruction of a wavefront asks of the vector cache, as a pure
 * function of GPU, width, addresses and active lanes.
 *
 * Exact counts: distinct cache lines that the active lanes touch, and the lines that the touched bytes would
 * fill if they lay side by side ("needed"); the lines of the vector L1 and of L2 apart (their sizes:
 * gpus/table.c). Lanes that read the same bytes need them once.
 *
 * Model of the address unit (TA), behind ROCm Compute Profiler's Coalescing = 100 * 64 * TA_TOTAL_WAVEFRONTS
 * / (4 * TCP_TOTAL_ACCESSES), documented range 25 % to 100 %: the wavefront is walked in quads of four lanes;
 * a quad costs one request per distinct 64-byte block that it touches, at least one. 16 requests are fully
 * coalesced, 64 not at all. That a quad without active lanes still counts is an assumption that keeps the
 * documented range.
 */
#ifndef HOST_HANDLERS_COALESCING_MODEL_H
#define HOST_HANDLERS_COALESCING_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "gpus/gpus.h"

/* The GPU of that name ("gfx90a", with or without ":feature" suffixes) if its cache lines are known,
 * else NULL. */
const struct ls_gpu *ls_gpu_with_cache(const char *name);

struct ls_cache_cost {
    uint32_t bytes; /* distinct bytes touched */
    uint32_t l1_lines, l1_needed;
    uint32_t l2_lines, l2_needed;
    uint32_t requests; /* TA to vL1D, model */
};

/* Cost of one access of `bytes` bytes per lane (1..16, the hardware forms) at addr[lane]. */
struct ls_cache_cost ls_cache_access(const struct ls_gpu *gpu, unsigned bytes, uint64_t exec,
                                     const uint64_t addr[64]);

/* The same, one lane after the other on any processor. */
struct ls_cache_cost ls_cache_access_by_lane(const struct ls_gpu *gpu, unsigned bytes, uint64_t exec,
                                             const uint64_t addr[64]);

/* The hardware's piece of an access at byte `done` of `bytes`, when its instructions are not known. */
static inline unsigned ls_cache_piece(uint64_t bytes, uint64_t done)
{
    return bytes - done < 16 ? (unsigned)(bytes - done) : 16;
}

/* Whether one of the pieces has `piece` bytes at that offset. */
static inline bool ls_cache_has_piece(uint64_t bytes, uint64_t offset, unsigned piece)
{
    return offset % 16 == 0 && offset < bytes && ls_cache_piece(bytes, offset) == piece;
}

#endif
