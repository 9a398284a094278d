/*
 * coalescing_model.h - what one global memory instruction of a wavefront asks of the vector cache, as a pure
 * function of architecture, width, addresses and active lanes.
 *
 * Exact counts: distinct cache lines that the active lanes touch, and the lines that the touched bytes would
 * fill if they lay side by side ("needed"); the line of the vector L1 (64 bytes on gfx90a, 128 on gfx942 and
 * gfx950) and of L2 (128 bytes) apart. Lanes that read the same bytes need them once.
 *
 * Model of the address unit (TA), behind ROCm Compute Profiler's Coalescing = 100 * 64 * TA_TOTAL_WAVEFRONTS
 * / (4 * TCP_TOTAL_ACCESSES), documented range 25 % to 100 %: the wavefront is walked in quads of four lanes;
 * a quad costs one request per distinct 64-byte block that it touches, at least one. 16 requests are fully
 * coalesced, 64 not at all. That a quad without active lanes still counts is an assumption that keeps the
 * documented range.
 *
 * Line sizes: ROCm Compute Profiler documentation and its gfx90a and gfx942 panel definitions (vL1D cache
 * line, L2 cache line).
 */
#ifndef HOST_HANDLERS_COALESCING_MODEL_H
#define HOST_HANDLERS_COALESCING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct ls_cache_arch {
    const char *name;
    uint16_t l1_line, l2_line; /* bytes */
    uint8_t lanes;
};

/* The table of an architecture ("gfx90a", with or without ":feature" suffixes), NULL when there is none. */
const struct ls_cache_arch *ls_cache_arch_find(const char *name);

struct ls_cache_cost {
    uint32_t bytes; /* distinct bytes touched */
    uint32_t l1_lines, l1_needed;
    uint32_t l2_lines, l2_needed;
    uint32_t requests; /* TA to vL1D, model */
};

/* Cost of one access of `bytes` bytes per lane (1..16, the hardware forms) at addr[lane]. */
struct ls_cache_cost ls_cache_access(const struct ls_cache_arch *arch, unsigned bytes, uint64_t exec,
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
