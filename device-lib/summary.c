/*
 * summary.c - counts accesses in memory instead of sending them, and sends the counts at the dispatch's end.
 */
#include "summary.h"
#include "access.h"
#include "summary_irregular.h"
#include "summary_table.h"

/* ---- sending the counts; the whole wavefront runs this ---- */

/* Messages that are written at once, one by a lane: as many as surely fit where a message does. */
#define COUNT_BYTES 24 /* and 8 more with lanes missing */
enum { COUNTS_AT_ONCE = LS_MESSAGE_MAX / (COUNT_BYTES + 8) };
_Static_assert(COUNTS_AT_ONCE <= LS_LANES, "a lane each");

/* A lane's entry. */
struct found {
    uint32_t site;
    uint64_t key, mask, count; /* mask: 0 with all lanes */
};

static HOT inline void write_count(GLOBAL uint64_t *out, struct found f)
{
    uint32_t head = LS_HEAD(f.site, LS_KIND_COUNT) | (f.mask ? LS_HEAD_PARTIAL : 0);
    uint32_t rows = ((uint32_t)(f.key >> KEY_ROWS) & 7) - 1, low = (uint32_t)f.key;
    uint32_t phase = (uint32_t)(f.key >> KEY_PHASE) & (LS_SUMMARY_PERIOD - 1);
    uint32_t stride = rows ? (uint32_t)(int16_t)(f.key >> KEY_STRIDE) : low;
    *(GLOBAL u32x4 *)out = (u32x4){head, phase | rows << 8, rows ? low : 0, stride};
    out[2] = f.mask ? f.mask : f.count;
    if (f.mask)
        out[3] = f.count;
}

/* Sends and zeroes the entries at bytes `at` of the tables of the lowest `n` lanes, if it is not 0. All lanes are active. */
static HOT inline void send_entries(wave_ptr w, ctx_ptr ctx, GLOBAL char *tables, uint32_t lane, uint32_t at,
                                    uint32_t n)
{
    uint64_t cursor = n ? open_message(w, ctx, lane) : 0;
    struct found f = {at / sizeof(struct ls_summary) - 1, 0, 0, 0};
    if (lane < n) {
        GLOBAL struct ls_summary_entry *entry = (GLOBAL struct ls_summary_entry *)(tables + at);
        f.key = LOAD(&entry->key, AGENT);
        f.count = LOAD(&entry->count, AGENT);
        uint32_t number = (uint32_t)(f.key >> KEY_MASK) & (LS_SUMMARY_MASKS - 1);
        f.mask = number ? LOAD(&((summary_ptr)tables)->masks[number], AGENT) : 0;
        STORE(&entry->key, 0, AGENT);
        STORE(&entry->count, 0, AGENT);
    }
    if (!cursor)
        return;
    mask_t partial = ballot(f.mask != 0);
    if (lane < n)
        write_count(
            (GLOBAL uint64_t *)(CURSOR_ADDRESS(cursor) + lane * COUNT_BYTES + bits_below(partial) * 8), f);
    close_message(w, ctx, cursor, n * COUNT_BYTES + COUNT(partial) * 8, lane);
}

/* The lanes' entries, until as many are found as one message takes. */
struct pending {
    uint32_t found, n; /* found: of the lane, bytes from the begin of the tables */
};

/* Sends and zeroes a site's entries, at bytes `at` of the tables. All lanes are active. */
static HOT inline void send_site(wave_ptr w, ctx_ptr ctx, GLOBAL char *tables, uint32_t lane, uint32_t at,
                                 struct pending *p)
{
    const uint32_t bytes = sizeof(struct ls_summary_entry);
    KEEP_LOOP for (uint32_t end = at + sizeof(struct ls_summary); at != end; at += LS_LANES * bytes)
    {
        uint32_t own = at + lane * bytes;
        VECTOR(own);
        mask_t taken = ballot(LOAD((GLOBAL uint64_t *)(tables + own), AGENT) != 0);
        KEEP_LOOP for (; taken; taken &= taken - 1)
        {
            p->found = lane == p->n ? at + first_lane_of(taken) * bytes
                                    : p->found; /* not every LLVM has writelane here */
            if (++p->n < COUNTS_AT_ONCE)
                continue;
            send_entries(w, ctx, tables, lane, p->found, p->n);
            p->n = 0;
        }
    }
}

/* Sends and zeroes what was counted by shapes in these tables, of one die. All lanes are active. */
static HOT inline void send_counts(wave_ptr w, ctx_ptr ctx, uint64_t summary, uint32_t lane)
{
    GLOBAL char *tables = (GLOBAL char *)summary;
    summary_ptr s = (summary_ptr)summary;
    const uint32_t words = LS_SUMMARY_TOUCHED / 32;
    struct pending p = {0, 0};
    uint32_t n = ctx->summary_sites;
    VECTOR(p.found);
    KEEP_LOOP for (uint32_t first = 0; first < words; first += LS_LANES)
    {
        uint32_t touched = LOAD(&s->touched[first + lane], AGENT);
        STORE(&s->touched[first + lane], 0, AGENT);
        KEEP_LOOP for (mask_t some = ballot(touched != 0); some; some &= some - 1)
        {
            uint32_t from = first_lane_of(some);
            KEEP_LOOP for (uint32_t left = readlane(touched, from); left; left &= left - 1)
            {
                uint32_t head = (first + from) * 32 + (uint32_t)__builtin_ctz(left);
                KEEP_LOOP for (head = head ? head : LS_SUMMARY_TOUCHED; head <= n; head += LS_SUMMARY_TOUCHED)
                    send_site(w, ctx, tables, lane, head * (uint32_t)sizeof(struct ls_summary), &p);
            }
        }
    }
    send_entries(w, ctx, tables, lane, p.found, p.n);
    UNROLLED
    for (uint32_t i = 0; i < LS_SUMMARY_MASKS; i += LS_LANES)
        STORE(&s->masks[i + lane], 0, AGENT);
    STORE(&s->full[lane % (LS_SUMMARY_FULL / 32)], 0, AGENT);
    if (lane == 0) {
        STORE(&s->ended, 0, AGENT);
        STORE(&s->masks_full, 0, AGENT);
    }
}

/* Of the first die in `dies`, the number of which is that of its bit. Elsewhere there is one. */
static HOT inline uint64_t summary_of(ctx_ptr ctx, UNUSED uint32_t dies)
{
#if LS_GFX == 94
    return ctx->first_summary + (uint64_t)(uint32_t)__builtin_ctz(dies) * ctx->die_bytes;
#else
    return ctx->summary;
#endif
}

/* `high`: the dies of which counters are to be sent, and those that are left. What a die needs is found anew for each, so that
 * nothing but arguments lives from one to the next. */
#if LS_GFX == 94
#define FOR_EACH_DIE(high, ...)                                                                              \
    KEEP_LOOP do                                                                                             \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
        high &= high - 1;                                                                                    \
        VECTOR(high);                                                                                        \
    }                                                                                                        \
    while (readfirstlane(high))
#else
#define FOR_EACH_DIE(high, ...) __VA_ARGS__
#endif

static HOT inline void send_counts_of_die(uint64_t wave, uint32_t dies)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    send_counts(w, ctx, summary_of(ctx, readfirstlane(dies)), bits_below(ALL_LANES));
}

/* What the functions behind this one share, which all lanes run: the flags of the last chunk, and the dies. */
#define SHARED(flags, dies) ((flags) | (dies) << 24)
#define FLAGS_OF(shared) ((shared) & 0xffffff)
#define DIES_OF(shared) ((shared) >> 24)
_Static_assert(LS_DIES <= 8, "bits for the dies");

PROBE(__ls_send_counts)
{
    struct for_all_lanes all = all_lanes_begin(uniform64(wave), active_lanes(), readfirstlane(low));
#if LS_GFX == 94
    TAIL_CALL(__ls_send_dies(all.wave, all.low, all.high, all.head));
#else
    TAIL_CALL(__ls_send_all(all.wave, all.low, all.high, all.head));
#endif
}

PROBE(__ls_send_all)
{
    uint64_t exec = uniform64(low | (uint64_t)high << 32);
    uint32_t shared = readfirstlane(head), dies = DIES_OF(shared);
    FOR_EACH_DIE(dies, send_counts_of_die(wave, dies));
    set_lanes((mask_t)exec);
    TAIL_CALL(__ls_send_costs(wave, FLAGS_OF(shared), DIES_OF(shared), head));
}

static HOT inline void send_costs_of_die(uint64_t wave, uint32_t dies)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    send_costs(w, ctx, summary_of(ctx, readfirstlane(dies)), active_lanes());
}

PROBE(__ls_send_costs)
{
    FOR_EACH_DIE(high, send_costs_of_die(wave, high));
    wave_ptr w = (wave_ptr)uniform64(wave);
    uint32_t rank = bits_below(active_lanes());
    uint64_t cursor = open_message(w, ctx_of(w), rank); /* a chunk with the flag goes out in any case */
    if (rank == 0)
        STORE(&w->cursor, cursor, WAVEFRONT);
    TAIL_CALL(__ls_hand_over(wave, low, high, head));
}

#if LS_GFX == 94
/* Finds the dies that have counted, one by each lane. */
PROBE(__ls_send_dies)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    uint32_t lane = bits_below(ALL_LANES) % LS_DIES;
    summary_ptr s = (summary_ptr)(ctx->first_summary + (uint64_t)lane * ctx->die_bytes);
    uint32_t dies = (uint32_t)ballot(LOAD(&s->used, AGENT) != 0) & ((1u << LS_DIES) - 1);
    STORE(&s->used, 0, AGENT);
    TAIL_CALL(__ls_send_all(wave, low, high, SHARED(readfirstlane(head), dies)));
}
#endif

/* Returns if an access is counted by its shape. */
#define COUNT_SHAPE(ctx)                                                                                     \
    do {                                                                                                     \
        uint64_t address = low | (uint64_t)high << 32;                                                       \
        mask_t exec = active_lanes();                                                                        \
        head = readfirstlane(head);                                                                          \
        if (!(head & HEAD_EXACT) && count(ctx, exec, head, shape_of(exec, address, head), 1))                \
            return;                                                                                          \
    } while (0)

PROBE(__ls_count_kept)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    COUNT_SHAPE(ctx);
    TAIL_CALL(__ls_reduce(wave, low, high, head));
}

/* Whether an access that finds no room is one for the functions of summary_scattered.c. Where evidence is wanted they might go on
 * as this one. */
static HOT inline _Bool is_simple(struct way_to_counters c, uint32_t head)
{
    return c.simple && !c.evidence && simple_of(c, head).last != LS_PLAN_NOT_SIMPLE;
}

#define REDUCE_SOMEHOW(ctx)                                                                                  \
    do {                                                                                                     \
        if (!is_simple(way_to_counters_of(ctx), head))                                                       \
            TAIL_CALL(__ls_reduce(wave, low, high, head));                                                   \
        if (head & HEAD_LDS)                                                                                 \
            TAIL_CALL(SCATTERED(0, 1)(wave, low, high, head));                                               \
        TAIL_CALL(SCATTERED(0, 0)(wave, low, high, head));                                                   \
    } while (0)

PROBE(__ls_count)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    COUNT_SHAPE(ctx);
    REDUCE_SOMEHOW(ctx);
}

PROBE(__ls_count_crowded)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    head = readfirstlane(head);
    REDUCE_SOMEHOW(ctx);
}

PROBE(__ls_reduce)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    uint32_t site = planned(ctx, readfirstlane(head));
    if (!site)
        TAIL_CALL(__ls_send(wave, low, high, head));
    if (site & LS_PLAN_LONG_SITE)
        TAIL_CALL(__ls_reduce_long(wave, low, high, head));
    reduce(ctx, active_lanes(), low | (uint64_t)high << 32, site, 1);
}

PROBE(__ls_send_summary)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    if (ctx->evidence)
        TAIL_CALL(__ls_send_evidence(wave, low, high, head));
    TAIL_CALL(__ls_send_counts(wave, low, high, head));
}
