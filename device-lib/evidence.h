/*
 * evidence.h - summary mode: where a site's evidence lies, and whose it is (struct ls_evidence in lanescope/wire.h).
 */
#ifndef LS_EVIDENCE_H
#define LS_EVIDENCE_H

#include "device.h"

typedef GLOBAL struct ls_evidence *evidence_ptr;

static HOT inline evidence_ptr evidence_of(ctx_ptr ctx, uint32_t site)
{
    return (evidence_ptr)ctx->evidence + site;
}

/* Number of a wavefront in the dispatch. A record has 3 times 16 bytes, and 3 * 0xaaaaaaab is 1 modulo 2^32. */
_Static_assert(sizeof(struct ls_wave) == 48, "by what the division is");
static HOT inline uint32_t wave_number(wave_ptr w, ctx_ptr ctx)
{
    return (uint32_t)(((uint64_t)w - ctx->waves) >> 4) * 0xaaaaaaabu;
}

/* The upper half of the wavefront's words of evidence: the lower its number, the larger. */
static HOT inline uint32_t own_evidence(wave_ptr w, ctx_ptr ctx)
{
    return ~wave_number(w, ctx);
}

#endif
