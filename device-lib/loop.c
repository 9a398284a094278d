/*
 * loop.c - probes of two to four accesses that one loop makes on each of its turns: as those of turns.c in front of it, but
 * they share start, check and the write position (docs/internals/site-table.md, "Turns").
 *
 * They return 0 when all is told. Otherwise nothing is, and the caller goes on with a probe for each access. What is frequent
 * is told: all lanes are active and make as many turns, no index wraps, and the addresses of each access form a line or rows.
 */
#include "access.h"
#include "several.h"
#include "turns.h"

/* `step`: bytes that each turn adds to an access's address. `other`: not 0 in a lane in which an index wraps, or that makes
 * another number of turns than the first one. The rest as
 * several.c and turns.c have it. All have room for four accesses, so that each can go on as one that counts. The order gives
 * pairs of registers to what has 64 bits. */
#define LOOP(name)                                                                                           \
    __attribute__((noinline)) uint32_t name(                                                                 \
        uint64_t wave, uint32_t low, uint32_t high, UNUSED uint32_t low1, UNUSED uint32_t high1,             \
        UNUSED uint32_t low2, UNUSED uint32_t high2, UNUSED uint32_t low3, UNUSED uint32_t high3,            \
        uint32_t head, uint32_t sites, uint64_t more, UNUSED uint64_t step, UNUSED uint64_t step1,           \
        UNUSED uint64_t step2, UNUSED uint64_t step3, UNUSED uint32_t other)
#define STEPS_2 step, step1
#define STEPS_3 STEPS_2, step2
#define STEPS_4 STEPS_3, step3

/* Where `n` accesses are counted at once, each has the lanes with its number in the lowest bits: one for each turn. */
#define LOG2_OF(n) ((n) > 2 ? 2 : 1)

/* Of values of the accesses the one of the lane's. */
static HOT inline uint32_t pick(const uint32_t n, uint32_t lane, const uint32_t *value)
{
    uint32_t low = lane & 1 ? value[1] : value[0];
    if (n == 2)
        return low;
    uint32_t high = n > 3 && lane & 1 ? value[3] : value[2];
    return lane & 2 ? high : low;
}

/* Writes the messages, by lane 0, whose addresses are where lines and rows begin. `rows`: as in several.c; with `own`
 * each has rows of its own length. */
static HOT inline void send_loop(wave_ptr w, uint64_t cursor, const uint32_t n, const uint64_t *address,
                                 const uint64_t *step, const struct rows *r, const _Bool rows,
                                 const _Bool own, uint32_t head, uint32_t sites, uint64_t more)
{
    const uint32_t bytes = rows ? 40 : 32;
    const uint32_t kind = (rows ? LS_KIND_ROWS - LS_KIND_STRIDED : 0) << 24;
    u32x2 at = __builtin_bit_cast(u32x2, cursor);
    at[1] &= 0xffff;
    set_first_lane();
    GLOBAL char *out = (GLOBAL char *)__builtin_bit_cast(uint64_t, at);
    UNROLLED
    for (uint32_t i = 0; i < n; i++, out += bytes) {
        uint32_t site = i ? head + (byte_of(sites, i) & (SITES_LDS - 1)) : head;
        *(GLOBAL u32x4 *)out = (u32x4){site + (kind | LS_HEAD_TURNS), (uint32_t)address[i],
                                       (uint32_t)(address[i] >> 32), (uint32_t)r[i].stride};
        *(GLOBAL u32x4 *)(out + 16) =
            (u32x4){(uint32_t)step[i], (uint32_t)(step[i] >> 32), (uint32_t)more, (uint32_t)(more >> 32)};
        if (rows)
            *(GLOBAL u32x2 *)(out + 32) = (u32x2){(uint32_t)r[i].pitch, r[own ? i : 0].shift};
    }
    STORE(&w->cursor, cursor + ADVANCE(n * bytes), WAVEFRONT);
    set_all_lanes();
}

/* Counts `n` accesses if all entries are where they are looked for first (summary_common.c, count_turns of turns.c). `t`: of the
 * lane's access; `step`, of 32 bits, likewise. */
struct told {
    uint32_t base, stride, pitch, step, shift;
};
static HOT inline uint32_t count_loop(const uint32_t n, wave_ptr w, ctx_ptr ctx, struct told t, uint32_t head,
                                      uint32_t sites, uint32_t last)
{
    u32x4 both = *(const CONSTANT u32x4 *)&ctx->evidence;
    uint64_t evidence = both[0] | (uint64_t)both[1] << 32, tables = both[2] | (uint64_t)both[3] << 32;
    if (!tables)
        return 1;
    uint32_t lane = bits_below(ALL_LANES), turn = lane >> LOG2_OF(n), rank = lane & ((1u << LOG2_OF(n)) - 1);
    uint32_t byte = byte_of(sites, rank), site = (head & HEAD_SITE) + (byte & (SITES_LDS - 1));
    uint32_t lds = (uint32_t)((int32_t)(byte << 24) >> 31); /* all bits, or none */
    uint32_t period = (lds & LS_SUMMARY_PERIOD_LDS) | (~lds & LS_SUMMARY_PERIOD);
    /* Turns after which the cost repeats: what is left of the period when the step's twos are gone. */
    uint32_t phases = period >> __builtin_ctz(t.step | period), most = phases - 1 < last ? phases - 1 : last;
    mask_t some = n == 3 ? ballot(rank < n) : ALL_LANES, mine = some & ballot(turn <= most);
    mask_t unfit = ballot(most >> (LOG2_LANES - LOG2_OF(n)) != 0);
    if (evidence)
        unfit |= ballot(wants_evidence(w, evidence, site));
    struct rows r = {0, (int32_t)t.stride, (int32_t)t.pitch, t.shift};
    uint32_t top = key_top((t.base + t.step * turn) & (period - 1), 0);
    uint64_t wanted = line_key(top, t.stride);
    if (readfirstlane(t.shift)) { /* else all are on lines */
        wanted = any_key(top, r);
        unfit |= ballot(far_rows(r) != 0);
    }
    GLOBAL struct ls_summary_entry *entry = (GLOBAL struct ls_summary_entry *)entry_of(tables, site, wanted);
    unfit = (unfit & some) | (ballot(LOAD(&entry->key, WAVEFRONT) != wanted) & mine);
    if (unfit)
        return 1;
    uint32_t repeated = (last - turn) >> __builtin_ctz(phases);
    set_lanes(mine);
    __hip_atomic_fetch_add(&entry->count, repeated + 1, __ATOMIC_RELAXED, AGENT);
    set_all_lanes();
    return 0;
}

/* For what has no room, with all lanes active. The first words are struct told's, then comes the rows' shift; `step1` is the
 * context. */
#define COUNTED(n)                                                                                           \
    LOOP(__ls_loop##n##_counted);                                                                            \
    LOOP(__ls_loop##n##_counted)                                                                             \
    {                                                                                                        \
        struct told t = {low, high, low1, high1, low2};                                                      \
        return count_loop(n, (wave_ptr)uniform64(wave), (ctx_ptr)uniform64(step1), t, head, sites,           \
                          readfirstlane((uint32_t)more));                                                    \
    }
COUNTED(2)
COUNTED(3)
COUNTED(4)

#define GO_ON(n, rows, own)                                                                                  \
    if (has_less(cursor, LS_MESSAGE_MAX + (n) * 40)) {                                                       \
        const uint32_t bases[] = {WORDS_##n(l, base)}, strides[] = {WORDS_##n(l, stride)},                   \
                       pitches[] = {WORDS_##n(r, pitch)}, steps[] = {LOW_##n},                               \
                       shifts[] = {WORDS_##n(r, shift)};                                                     \
        TAIL_CALL(__ls_loop##n##_counted(wave, pick(n, lane, bases), pick(n, lane, strides),                 \
                                         (rows) ? pick(n, lane, pitches) : low1, pick(n, lane, steps),       \
                                         (own)    ? pick(n, lane, shifts)                                    \
                                         : (rows) ? r[0].shift                                               \
                                                  : 0,                                                       \
                                         high2, low3, high3, head, sites, more, step,                        \
                                         words[0] | (uint64_t)words[1] << 32, step2, step3, other));         \
    }                                                                                                        \
    cursor = send_what_waits(w, cursor, 1, ALL_LANES);                                                       \
    send_loop(w, cursor, n, address, step_of, r, rows, own, head, sites, more);                              \
    return 0
#define WORDS_2(from, what) (uint32_t)from[0].what, (uint32_t)from[1].what
#define WORDS_3(from, what) WORDS_2(from, what), (uint32_t)from[2].what
#define WORDS_4(from, what) WORDS_3(from, what), (uint32_t)from[3].what
#define LOW_2 (uint32_t)step, (uint32_t)step1
#define LOW_3 LOW_2, (uint32_t)step2
#define LOW_4 LOW_3, (uint32_t)step3

/* Where rows are not of one length. By itself, as it takes more scalar registers than the common path has. */
#define PROBES(n)                                                                                            \
    LOOP(__ls_loop##n##_lengths);                                                                            \
    LOOP(__ls_loop##n##_lengths)                                                                             \
    {                                                                                                        \
        const uint64_t address[] = {ADDRESSES_##n}, step_of[] = {STEPS_##n};                                 \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        u32x4 words = load_16(w);                                                                            \
        uint32_t lane = bits_below(ALL_LANES);                                                               \
        struct line l[MOST];                                                                                 \
        struct rows r[MOST] = {0};                                                                           \
        find_lines(1, n, address, l);                                                                        \
        if (off_own_rows(n, address, l, r))                                                                  \
            return 1;                                                                                        \
        uint64_t cursor = uniform_pair(words[2], words[3]);                                                  \
        GO_ON(n, 1, 1);                                                                                      \
    }                                                                                                        \
    LOOP(__ls_loop##n);                                                                                      \
    LOOP(__ls_loop##n)                                                                                       \
    {                                                                                                        \
        const uint64_t address[] = {ADDRESSES_##n}, step_of[] = {STEPS_##n};                                 \
        u32x2 halves = wave_of(wave);                                                                        \
        wave_ptr w = record_at(halves);                                                                      \
        if (is_silent(halves))                                                                               \
            return 0;                                                                                        \
        u32x4 words = load_16(w);                                                                            \
        if (active_lanes() != ALL_LANES)                                                                     \
            return 1;                                                                                        \
        uint32_t lane = bits_below(ALL_LANES);                                                               \
        struct line l[MOST];                                                                                 \
        struct rows r[MOST] = {0};                                                                           \
        find_lines(1, n, address, l);                                                                        \
        /* Not of LS_TURNS_MOST turns or more. */                                                            \
        if (ballot((other | (uint32_t)more >> 16 | (uint32_t)(more >> 32) << 16) != 0))                      \
            return 1;                                                                                        \
        mask_t off = off_lines(n, address, l);                                                               \
        uint64_t cursor = uniform_pair(words[2], words[3]);                                                  \
        if (!off) {                                                                                          \
            UNROLLED                                                                                         \
            for (uint32_t i = 0; i < (n); i++)                                                               \
                r[i].stride = l[i].stride;                                                                   \
            GO_ON(n, 0, 0);                                                                                  \
        }                                                                                                    \
        find_rows(1, n, off, address, l, r);                                                                 \
        if (off_all_rows(n, address, r))                                                                     \
            TAIL_CALL(__ls_loop##n##_lengths(wave, low, high, low1, high1, low2, high2, low3, high3, head,   \
                                             sites, more, step, step1, step2, step3, other));                \
        GO_ON(n, 1, 0);                                                                                      \
    }

_Static_assert(LS_TURNS_MOST == 1 << 16, "as a shift");
PROBES(2)
PROBES(3)
PROBES(4)
