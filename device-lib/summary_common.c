/*
 * summary_common.c - summary mode, the common path: an access of a shape that was counted before, whose entry stands
 * where it is looked for first. Everything else goes on as __ls_slow.
 *
 * Entries are read by the scalar unit. Its cache does not see what other wavefronts write, so it may still hold the 0
 * that an entry had, which __ls_slow finds out; once taken, an entry's key stays while the dispatch runs. What an
 * earlier dispatch left in that cache is gone: the packets of clones acquire, which empties it (hsa-plugin/code/launch.c).
 */
#include "access.h"
#include "evidence.h"
#include "summary.h"
#include "summary_key.h"

/* A word of a table as the scalar unit sees it. */
static HOT inline uint64_t seen(uint64_t word)
{
    return *(const CONSTANT uint64_t *)word;
}

/* Whether a lower wavefront has executed the site, so that the host wants no evidence of this one: once that is so it
 * stays so. */
static HOT inline _Bool is_known(wave_ptr w, ctx_ptr ctx, uint32_t head)
{
    uint64_t sum = (uint64_t)&evidence_of(ctx, (head & HEAD_SITE) - 1)->sum;
    return (uint32_t)(seen(sum) >> 32) > own_evidence(w, ctx);
}

/* Whether an access of this site is to be counted here. Evidence is wanted in summary mode only. */
static HOT inline _Bool is_common(wave_ptr w, ctx_ptr ctx, uint32_t head)
{
    if (head & HEAD_EXACT)
        return 0;
    return ctx->evidence ? is_known(w, ctx, head) : (ctx->flags & LS_CTX_SUMMARY) != 0;
}

/* Adds one to the counter of an entry; lane `first` does. */
static HOT inline void add_one(uint64_t entry, uint32_t first)
{
    GLOBAL struct ls_summary_entry *e = (GLOBAL struct ls_summary_entry *)entry;
    mask_t lanes = TAIL_CALLS_NEED_UNIFORM ? one_lane_begin(first) : 0;
    if (TAIL_CALLS_NEED_UNIFORM || bits_below(ALL_LANES) == first) {
        VECTOR(e);
        __hip_atomic_fetch_add(&e->count, 1, __ATOMIC_RELAXED, AGENT);
    }
    if (TAIL_CALLS_NEED_UNIFORM)
        one_lane_end(lanes);
}

/* Counts the access of this key, or goes on as __ls_slow. */
#define COUNT_KEY(all, ctx, exec, l, key)                                                                    \
    do {                                                                                                     \
        uint64_t wanted = (key), tables = ctx->summary;                                                      \
        if (!all) {                                                                                          \
            uint32_t place = place_of_mask(exec);                                                            \
            uint64_t masks = tables + __builtin_offsetof(struct ls_summary, masks);                          \
            if (!place || seen(masks + place * 8) != exec)                                                   \
                TAIL_CALL(__ls_slow(wave, low, high, head));                                                 \
            wanted |= (uint64_t)place << KEY_MASK;                                                           \
        }                                                                                                    \
        uint32_t number = ((readfirstlane(head) & HEAD_SITE) - 1) * LS_SUMMARY_WAYS + place_of_key(wanted);  \
        uint64_t entry =                                                                                     \
            tables + sizeof(struct ls_summary) + number * (uint64_t)sizeof(struct ls_summary_entry);         \
        if (seen(entry) != wanted)                                                                           \
            TAIL_CALL(__ls_slow(wave, low, high, head));                                                     \
        add_one(entry, l.first);                                                                             \
    } while (0)

#define COUNT_LINE(all)                                                                                      \
    do {                                                                                                     \
        uint64_t address = low | (uint64_t)high << 32;                                                       \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        ctx_ptr ctx = ctx_of(w);                                                                             \
        if (!is_common(w, ctx, readfirstlane(head)))                                                         \
            TAIL_CALL(__ls_slow(wave, low, high, head));                                                     \
        struct line l = all ? line_through_all(address) : line_through(exec, address);                       \
        COUNT_KEY(all, ctx, exec, l, whole_key((uint32_t)l.stride, l.base, readfirstlane(head)));            \
    } while (0)

PROBE(__ls_count_line)
{
    COUNT_LINE(1);
}

PROBE(__ls_count_line_partial)
{
    COUNT_LINE(0);
}

#define COUNT_ROWS(all)                                                                                      \
    do {                                                                                                     \
        uint64_t address = low | (uint64_t)high << 32, shape;                                                \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        ctx_ptr ctx = ctx_of(w);                                                                             \
        if (!is_common(w, ctx, readfirstlane(head)))                                                         \
            TAIL_CALL(__ls_slow(wave, low, high, head));                                                     \
        struct line l = all ? line_through_all(address) : line_through(exec, address);                       \
        mask_t off = ballot(address != line_at(l, bits_below(ALL_LANES)));                                   \
        if (all && (off & 0xff))                                                                             \
            TAIL_CALL(__ls_reduce(wave, low, high, head)); /* no rows that have a key */                     \
        struct rows r = all ? rows_through_all(l, off, address) : rows_through(l, exec, off, address);       \
        if (!(shape = rows_key(r, address)))                                                                 \
            TAIL_CALL(__ls_reduce(wave, low, high, head));                                                   \
        COUNT_KEY(all, ctx, exec, l, whole_key(shape, r.base, readfirstlane(head)));                         \
    } while (0)

PROBE(__ls_count_rows)
{
    COUNT_ROWS(1);
}

PROBE(__ls_count_rows_partial)
{
    COUNT_ROWS(0);
}
