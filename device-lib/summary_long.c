/*
 * summary_long.c - summary mode, for accesses of a length known at run time only and of more than 64 bytes:
 * reduces them piece by piece (struct ls_plan in lanescope/wire.h). Only modules with such an access have
 * this code.
 */
#include "summary.h"
#include "summary_irregular.h"

/* Pieces of global memory after which the cost repeats: the largest line, 128 bytes. In LDS every shift by
 * whole dwords only renames banks. */
#define PERIOD_SHIFT(pass) ((pass).memory & LS_PLAN_LDS ? 0 : 3)

static inline uint32_t number_of_pieces(struct pass pass)
{
    return pass.offset ? (1u << PERIOD_SHIFT(pass)) + 1 : 1;
}

/* Piece number i; `longest`: of an access whose length is known at run time only. `times` is 0 when the pass
 * has no such piece. */
static inline struct piece piece_of(struct pass pass, uint32_t i, uint32_t longest)
{
    struct piece p = {.at = 0, .times = 1};
    uint32_t period = PERIOD_SHIFT(pass), shift = pass.walk == 8 ? 3 : 4;
    uint32_t length = pass.length ? pass.length : longest;
    uint32_t whole = length < 16 ? 0 : ((length - 16) >> shift) + 1; /* pieces of pass.walk bytes */
    uint32_t rest = length - (whole << shift);
    p.bytes = whole ? pass.walk : rest;
    if (pass.offset && i >> period) {
        p.at = whole << shift;
        p.bytes = whole ? rest : 0;
    } else if (pass.offset) {
        p.at = (i + 1) << shift;
        p.times = i + 1 < whole ? ((whole - 2 - i) >> period) + 1 : 0;
    }
    if (!p.bytes || (pass.memory & LS_PLAN_LDS && ((p.bytes + 3) & ~3u) != pass.bytes))
        p.times = 0;
    return p;
}

PROBE(__ls_reduce_long)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    plan_ptr plan = plan_of(ctx);
    mask_t exec = active_lanes();
    uint64_t address = low | (uint64_t)high << 32;
    uint32_t site = planned(ctx, readfirstlane(head)), longest = readfirstlane(LOAD(&w->longest, WAVEFRONT));
    uint32_t i = LS_PLAN_FIRST(site), end = i + LS_PLAN_NUMBER(site);
    KEEP_LOOP for (; i < end; i++)
    {
        struct pass pass = pass_number(plan, i);
        mask_t lanes = lanes_of(pass, exec, address);
        uint32_t pieces = lanes ? number_of_pieces(pass) : 0;
        KEEP_LOOP for (uint32_t k = 0; k < pieces; k++)
        {
            struct piece piece = piece_of(pass, k, longest);
            if (piece.times)
                reduce_piece(plan, pass, piece, cost_counters(ctx, ctx->summary, i), exec, lanes, address);
        }
    }
}
