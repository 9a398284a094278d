/*
 * dpp.h - data-parallel primitives of GFX9 (CDNA ISA documents, section "DPP"): which lane each lane reads,
 * and which lanes write.
 */
#ifndef TESTS_ISA_DPP_H
#define TESTS_ISA_DPP_H

#include "harness.h"

enum dpp_kind {
    DPP_QUAD_PERM,
    DPP_ROW_SHL,
    DPP_ROW_SHR,
    DPP_ROW_ROR,
    DPP_WAVE_SHL,
    DPP_WAVE_ROL,
    DPP_WAVE_SHR,
    DPP_WAVE_ROR,
    DPP_ROW_MIRROR,
    DPP_ROW_HALF_MIRROR,
    DPP_ROW_BCAST15,
    DPP_ROW_BCAST31,
    DPP_ROW_NEWBCAST,
    DPP_KINDS
};
struct dpp {
    enum dpp_kind kind;
    unsigned amount; /* shift count, or four 2-bit selects, or the lane of newbcast */
    uint8_t row_mask, bank_mask;
    bool bound_ctrl;
};
struct dpp dpp_random(struct rng *r, unsigned k);
/* Lane that `lane` reads, -1 if outside of its row or of the wavefront. */
int dpp_source(const struct dpp *d, unsigned lane);
/* True if that lane exists and is active. */
bool dpp_source_ok(const struct dpp *d, unsigned lane, uint64_t exec);
/* True if the active lane `lane` writes its result. */
bool dpp_writes(const struct dpp *d, unsigned lane, uint64_t exec);
void dpp_text(const struct dpp *d, char *text, size_t size);

#endif
