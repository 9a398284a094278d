/*
 * lds_model.h - what one LDS instruction of a wavefront costs, as a pure function of architecture, width,
 * direction, addresses and active lanes.
 *
 * bank(address) = address / 4 mod banks. The hardware serves an instruction in phases; in a phase only the
 * lanes of one fixed lane group take part. A phase takes as many cycles as the busiest bank has distinct
 * dwords to serve; the first of them is the access itself, the others are conflict cycles. Lanes that touch
 * the same dword share it. A phase without active lanes still takes its cycle: with one active work-item a
 * b32 access counts 2 index cycles (ROCm Compute Profiler documentation, "LDS examples", measured on MI250).
 *
 * Sources of the lane groups: nod-ai/amd-shark-ai docs/empirical-lds (cdna3info.md, lds_summary.md: measured
 * on MI300X, MI350X, W7900, RX 9070 XT); ROCm documentation "Understanding AMD GPU LDS and Bank Conflicts"
 * (b128 writes); HipKittens analysis/paper_experiments/phases (gfx950 b96 reads and b64 writes).
 */
#ifndef HOST_HANDLERS_LDS_MODEL_H
#define HOST_HANDLERS_LDS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum ls_lds_width { LS_LDS_B32, LS_LDS_B64, LS_LDS_B96, LS_LDS_B128, LS_LDS_WIDTHS };

/* How one width in one direction is served. */
struct ls_lds_phases {
    uint8_t banks;
    uint8_t n;              /* phases */
    bool measured;          /* on that architecture; otherwise assumed */
    const uint64_t *groups; /* n lane masks */
};

struct ls_lds_arch {
    const char *name; /* "gfx90a" */
    uint8_t lanes;
    struct ls_lds_phases read[LS_LDS_WIDTHS], write[LS_LDS_WIDTHS];
};

/* The table of an architecture ("gfx90a", with or without ":feature" suffixes), NULL when there is none. */
const struct ls_lds_arch *ls_lds_arch_find(const char *name);

/* How an access of `bytes` bytes per lane (1..16) is served. */
const struct ls_lds_phases *ls_lds_phases(const struct ls_lds_arch *arch, bool is_write, unsigned bytes);

struct ls_lds_cost {
    uint32_t index_cycles;     /* SQ_LDS_IDX_ACTIVE: conflict-free and conflict cycles */
    uint32_t conflict_cycles;  /* SQ_LDS_BANK_CONFLICT */
    uint32_t address_conflict; /* atomics only: lanes that wait for another lane's update of the same dword */
};

/* Cost of one access of `bytes` bytes per lane (1..16, the hardware forms) at addr[lane], byte offsets in
 * LDS. */
struct ls_lds_cost ls_lds_access(const struct ls_lds_arch *arch, bool is_write, bool is_atomic,
                                 unsigned bytes, uint64_t exec, const uint32_t addr[64]);

#endif
