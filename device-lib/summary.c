/*
 * summary.c - counts accesses in memory instead of sending them, and sends the counts at the dispatch's end.
 */
#include "summary.h"
#include "access.h"
#include "summary_irregular.h"
#include "summary_table.h"

/* ---- sending the counts; the whole wavefront runs this ---- */

static inline void emit_count(wave_ptr w, ctx_ptr ctx, uint32_t rank, uint32_t site, uint64_t key,
                              uint64_t mask, uint64_t count)
{
    uint64_t cursor = open_message(w, ctx, rank);
    if (!cursor)
        return;
    uint32_t size = mask ? 32 : 24, head = LS_HEAD(site, LS_KIND_COUNT) | (mask ? LS_HEAD_PARTIAL : 0);
    if (rank == 0) {
        GLOBAL uint64_t *out = (GLOBAL uint64_t *)CURSOR_ADDRESS(cursor);
        uint32_t rows = (uint32_t)(key >> KEY_ROWS) & 3, low = (uint32_t)key;
        uint32_t phase = (uint32_t)(key >> KEY_PHASE) & (LS_SUMMARY_PERIOD - 1);
        uint32_t stride = rows ? (uint32_t)(int16_t)(key >> KEY_STRIDE) : low;
        *(GLOBAL u32x4 *)out = (u32x4){head, phase | rows << 8, rows ? low : 0, stride};
        if (mask)
            out[2] = mask;
        out[size / 8 - 1] = count;
    }
    close_message(w, ctx, cursor, size, rank);
}

/* Lanes look for entries in parallel, then send one by one. */
PROBE(__ls_send_counts)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    summary_ptr s = (summary_ptr)ctx->summary;
    mask_t exec = active_lanes();
    uint32_t rank = bits_below(exec), lanes = COUNT(exec), n = ctx->summary_sites * LS_SUMMARY_WAYS;
    KEEP_LOOP for (uint32_t first = 0; first < n; first += lanes)
    {
        uint32_t i = first + rank;
        uint64_t key = 0, count = 0;
        if (i < n && (key = LOAD(&s->entries[i].key, AGENT))) {
            count = LOAD(&s->entries[i].count, AGENT);
            STORE(&s->entries[i].key, 0, AGENT);
            STORE(&s->entries[i].count, 0, AGENT);
        }
        for (mask_t found = ballot(key != 0); found; found &= found - 1) {
            uint32_t lane = FIRST_LANE(found);
            uint64_t one = readlane64(key, lane);
            uint32_t number = (uint32_t)(one >> KEY_MASK) & (LS_SUMMARY_MASKS - 1);
            uint64_t mask = number ? uniform64(LOAD(&s->masks[number], AGENT)) : 0;
            emit_count(w, ctx, rank, readlane(i, lane) / LS_SUMMARY_WAYS, one, mask, readlane64(count, lane));
        }
    }
    KEEP_LOOP for (uint32_t i = rank; i < LS_SUMMARY_MASKS; i += lanes) STORE(&s->masks[i], 0, AGENT);
    if (rank == 0)
        STORE(&s->ended, 0, AGENT);
    TAIL_CALL(__ls_send_costs(wave, low, high, head));
}

PROBE(__ls_send_costs)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    mask_t exec = active_lanes();
    uint32_t rank = bits_below(exec);
    send_costs(w, ctx, exec);
    uint64_t cursor = open_message(w, ctx, rank); /* a chunk with the flag goes out in any case */
    if (rank == 0)
        STORE(&w->cursor, cursor, WAVEFRONT);
    TAIL_CALL(__ls_hand_over(wave, low, high, head));
}

PROBE(__ls_count)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    mask_t exec = active_lanes();
    uint64_t address = low | (uint64_t)high << 32;
    head = readfirstlane(head);
    if (!(head & HEAD_EXACT)) {
        if (count(ctx, exec, head, shape_of(exec, address, head), 1))
            head = 0;
    }
    TAIL_CALL(__ls_reduce(wave, low, high, head));
}

PROBE(__ls_reduce)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    uint32_t site = readfirstlane(head);
    if (!site)
        return;
    site = planned(ctx, site);
    if (!site)
        TAIL_CALL(__ls_send(wave, low, high, head));
    if (site & LS_PLAN_LONG_SITE)
        TAIL_CALL(__ls_reduce_long(wave, low, high, head));
    reduce(ctx, active_lanes(), low | (uint64_t)high << 32, site, 1);
}

/* All that this wavefront has counted is there for the agent. It counts by atomics of agent scope alone, which take place
 * where all dies see them: so no cache has anything to write back, and a wait is enough. */
static inline void counted(void)
{
#if LS_GFX == 9 || LS_GFX == 94
    COMPILER_FENCE();
    __builtin_amdgcn_s_waitcnt(0);
#else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
#endif
}

/* Whether this is the last wavefront of the dispatch; what the others counted comes before it. */
static inline _Bool is_last(struct way_to_counters c)
{
    summary_ptr s = (summary_ptr)c.summary;
    VECTOR(s);
    counted();
    mask_t lanes = first_lane_begin();
    uint32_t ended = readfirstlane(__hip_atomic_fetch_add(&s->ended, 1, __ATOMIC_RELAXED, AGENT)) + 1;
    set_lanes(lanes);
    if (ended != c.n_waves)
        return 0;
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    return 1;
}

PROBE(__ls_end_summary)
{
    struct held held = held_of((wave_ptr)uniform64(wave));
    if (is_last(way_to_counters_of(held.ctx)))
        TAIL_CALL(__ls_send_summary(wave, LS_CHUNK_LAST | LS_CHUNK_SUMMARY, high, head));
    if (held.cursor)
        TAIL_CALL(__ls_hand_over(wave, LS_CHUNK_LAST, high, head));
}

PROBE(__ls_send_summary)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    if (ctx->evidence)
        TAIL_CALL(__ls_send_evidence(wave, low, high, head));
    TAIL_CALL(__ls_send_counts(wave, low, high, head));
}
