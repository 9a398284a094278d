/*
 * evidence.c - summary mode, for a kernel whose machine code leaves open which instructions do its accesses
 * (docs/internals/join.md): what the host would learn from all accesses of each site in the lowest wavefront that
 * executes it is kept in device memory (struct ls_evidence in lanescope/wire.h), and sent at the dispatch's
 * end.
 */
#include "evidence.h"
#include "message.h"
#include "summary.h"

PROBE(__ls_evidence)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    keep_evidence(w, ctx_of(w), active_lanes(), readfirstlane(head), low, high, 1);
    TAIL_CALL(__ls_count_kept(wave, low, high, head));
}

/* ---- the end of a dispatch; the whole wavefront runs this ---- */

static inline void emit_evidence(wave_ptr w, ctx_ptr ctx, uint32_t rank, uint32_t lanes, uint32_t site)
{
    uint64_t cursor = open_message(w, ctx, rank);
    if (!cursor)
        return;
    evidence_ptr e = evidence_of(ctx, site);
    GLOBAL uint32_t *out = (GLOBAL uint32_t *)CURSOR_ADDRESS(cursor);
    uint64_t sum = LOAD(&e->sum, AGENT);
    if (rank == 0) {
        *(GLOBAL u32x4 *)out = (u32x4){LS_HEAD(site, LS_KIND_EVIDENCE) | LS_HEAD_PARTIAL,
                                       ~(uint32_t)(sum >> 32), (uint32_t)sum, 0};
        out[4] = (uint32_t)LOAD(&e->exec[0], AGENT);
        out[5] = (uint32_t)LOAD(&e->exec[1], AGENT);
    }
    KEEP_LOOP for (uint32_t i = rank; i < 128; i += lanes) out[6 + i] =
        (uint32_t)LOAD(&e->low[i], AGENT); /* low[64], then high[64] */
    KEEP_LOOP for (uint32_t i = rank; i < sizeof *e / 8; i += lanes)
        STORE((GLOBAL uint64_t *)e + i, 0, AGENT);
    close_message(w, ctx, cursor, 24 + 128 * 4, rank);
}

PROBE(__ls_send_evidence)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    mask_t exec = active_lanes();
    uint32_t rank = bits_below(exec), lanes = COUNT(exec), n = ctx->summary_sites;
    KEEP_LOOP for (uint32_t first = 0; first < n; first += lanes)
    {
        uint32_t i = first + rank;
        _Bool any = i < n && LOAD(&evidence_of(ctx, i)->sum, AGENT);
        KEEP_LOOP for (mask_t found = ballot(any); found; found &= found - 1)
            emit_evidence(w, ctx, rank, lanes, readlane(i, FIRST_LANE(found)));
    }
    TAIL_CALL(__ls_send_counts(wave, low, high, head));
}
