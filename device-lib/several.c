/*
 * several.c - probes of two to six accesses of one basic block, in which start, check and message are shared
 * (docs/internals/site-table.md, "Several"). Where the addresses of each form a line or rows, each gets the message that a
 * probe of its own would send; all are written at once, one lane each.
 *
 * They return 0 when all is told. Otherwise nothing is, and the caller goes on with a probe for each access.
 */
#include "access.h"
#include "several.h"

/* In lane `i` of the active ones what is said of access `i`, as a message tells it. */
struct told {
    uint32_t low, high, stride, pitch;
};

/* All lanes are active. */
static HOT inline struct told tell(const _Bool own, const uint32_t n, const struct rows *r)
{
    struct told t = {(uint32_t)r[0].base, (uint32_t)(r[0].base >> 32), (uint32_t)r[0].stride,
                     (uint32_t)r[0].pitch};
    UNROLLED
    for (uint32_t i = 1; i < n; i++) {
        t.low = writelane((uint32_t)r[i].base, i, t.low);
        t.high = writelane((uint32_t)(r[i].base >> 32), i, t.high);
        if (own) {
            t.stride = writelane((uint32_t)r[i].stride, i, t.stride);
            t.pitch = writelane((uint32_t)r[i].pitch, i, t.pitch);
        }
    }
    return t;
}

/* With lanes missing: all have the strides of the first one, `apart` is how far the lane's lies from that. */
static HOT inline struct told tell_apart(struct rows first, uint64_t apart)
{
    uint64_t base = first.base + apart;
    return (struct told){(uint32_t)base, (uint32_t)(base >> 32), (uint32_t)first.stride,
                         (uint32_t)first.pitch};
}

/* Writes the messages, one in each of the first `n` active lanes. `byte`: of the lane's site. `shift`: as in struct rows; 0: they are
 * lines. All is known when it is compiled but for values of lanes and of the wavefront. */
static HOT inline void send_several(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec, uint32_t rank,
                                    const uint32_t n, struct told t, const _Bool rows, uint32_t shift,
                                    uint32_t head, uint32_t byte)
{
    const uint32_t bytes = (rows ? 24 : 16) + (all ? 0 : 8);
    const uint32_t kind = (rows ? LS_KIND_ROWS - LS_KIND_STRIDED : 0) << 24;
    mask_t some = all ? 0 : ballot(rank < n);
    u32x2 at = __builtin_bit_cast(u32x2, cursor);
    at[1] &= 0xffff;
    head += (byte & (SITES_LDS - 1)) + kind + (all ? 0 : LS_HEAD_PARTIAL);
    if (all)
        set_lowest_lanes(n);
    else
        set_lanes(some);
    GLOBAL char *out = (GLOBAL char *)__builtin_bit_cast(uint64_t, at) + rank * bytes;
    *(GLOBAL u32x4 *)out = (u32x4){head, t.low, t.high, t.stride};
    if (!all)
        *(GLOBAL uint64_t *)(out + 16) = exec;
    if (rows)
        *(GLOBAL u32x2 *)(out + (all ? 16 : 24)) = (u32x2){t.pitch, shift};
    STORE(&w->cursor, cursor + ADVANCE(n * bytes), WAVEFRONT);
    if (all)
        set_all_lanes();
    else
        set_lanes(exec);
}

/* Counts the accesses if all entries are where they are looked for first (summary_common.c). All that speaks against it is
 * gathered before the one branch on it. */
static HOT inline uint32_t count_several(const _Bool in_rows, wave_ptr w, struct told t, uint32_t shift,
                                         uint32_t n, uint32_t head, uint32_t byte)
{
    ctx_ptr ctx = ctx_of(w);
    u32x4 both = *(const CONSTANT u32x4 *)&ctx->evidence;
    uint64_t evidence = both[0] | (uint64_t)both[1] << 32, tables = both[2] | (uint64_t)both[3] << 32;
    if (!tables)
        return 1;
    mask_t exec = active_lanes(), other = 0;
    uint32_t rank = bits_below(exec), place = 0;
    mask_t some = ballot(rank < n);
    uint32_t site = (head & HEAD_SITE) + (byte & (SITES_LDS - 1));
    uint32_t lds = (uint32_t)((int32_t)(byte << 24) >> 31); /* all bits, or none */
    _Static_assert(SITES_LDS == 0x80, "the sign of a byte");
    uint32_t phase = t.low & ((lds & (LS_SUMMARY_PERIOD_LDS - 1)) | (~lds & (LS_SUMMARY_PERIOD - 1)));
    if (exec != ALL_LANES) {
        place = place_of_mask(exec);
        uint64_t masks = tables + __builtin_offsetof(struct ls_summary, masks);
        other = place && *(const CONSTANT uint64_t *)(masks + place * 8) == exec ? 0 : some;
    }
    if (evidence)
        other |= ballot(wants_evidence(w, evidence, site));
    struct rows r = {0, (int32_t)t.stride, (int32_t)t.pitch, shift};
    if (in_rows)
        other |= ballot(!have_rows_key(r, rows_at(r, bits_below(ALL_LANES))));
    uint32_t top = key_top(phase, place);
    uint64_t wanted = in_rows ? any_key(top, r) : line_key(top, t.stride);
    GLOBAL struct ls_summary_entry *entry = (GLOBAL struct ls_summary_entry *)entry_of(tables, site, wanted);
    other |= ballot(LOAD(&entry->key, WAVEFRONT) != wanted);
    if (other & some)
        return 1;
    set_lanes(some);
    __hip_atomic_fetch_add(&entry->count, 1, __ATOMIC_RELAXED, AGENT);
    set_lanes(exec);
    return 0;
}

/* For what has no room: the first words are struct told's, then come the rows' shift and the number of accesses. `sites` is the byte of
 * the lane's. */
#define COUNTED(SIGNATURE, name)                                                                             \
    SIGNATURE(name);                                                                                         \
    SIGNATURE(name)                                                                                          \
    {                                                                                                        \
        struct told t = {low, 0, high, 0};                                                                   \
        return count_several(0, (wave_ptr)uniform64(wave), t, 0, readfirstlane(low2), head, sites);          \
    }                                                                                                        \
    SIGNATURE(name##_rows);                                                                                  \
    SIGNATURE(name##_rows)                                                                                   \
    {                                                                                                        \
        struct told t = {low, 0, high, low1};                                                                \
        return count_several(1, (wave_ptr)uniform64(wave), t, readfirstlane(high1), readfirstlane(low2),     \
                             head, sites);                                                                   \
    }
COUNTED(SEVERAL, __ls_several_counted)
COUNTED(MANY, __ls_many_counted)

#define GO_ON(all, n, rows, shift, counted, ...)                                                             \
    if (has_less(cursor, LS_MESSAGE_MAX + (n) * 32))                                                         \
        TAIL_CALL(counted(wave, t.low, t.stride, t.pitch, shift, n, low2, low2, low2, head,                  \
                          byte __VA_OPT__(, ) __VA_ARGS__));                                                 \
    cursor = send_what_waits(w, cursor, all, exec);                                                          \
    send_several(w, cursor, all, exec, rank, n, t, rows, shift, head, byte);                                 \
    return 0
/* By the number of accesses: who counts them, and what arguments it has besides; the byte of the lane's site. */
#define GO_ON_2(all, rows, shift, counted) GO_ON(all, 2, rows, shift, __ls_several_##counted)
#define GO_ON_3(all, rows, shift, counted) GO_ON(all, 3, rows, shift, __ls_several_##counted)
#define GO_ON_4(all, rows, shift, counted) GO_ON(all, 4, rows, shift, __ls_several_##counted)
#define GO_ON_5(all, rows, shift, counted) GO_ON(all, 5, rows, shift, __ls_many_##counted, MORE_ARGUMENTS)
#define GO_ON_6(all, rows, shift, counted) GO_ON(all, 6, rows, shift, __ls_many_##counted, MORE_ARGUMENTS)
#define MORE_ARGUMENTS low2, low2, low2, low2, low2
#define BYTE_2 byte_of(sites, rank)
#define BYTE_3 BYTE_2
#define BYTE_4 BYTE_2
#define BYTE_5 byte_of_many(sites, sites1, rank)
#define BYTE_6 BYTE_5

/* Where all lie the same distances apart, the first one tells whether they are on lines. */
#define TELL(is_own, n)                                                                                      \
    const uint64_t address[] = {ADDRESSES_##n};                                                              \
    const _Bool own = is_own;                                                                                \
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT);                                                           \
    mask_t exec = ALL_LANES;                                                                                 \
    uint32_t rank = bits_below(exec), byte = BYTE_##n;                                                       \
    struct line l[MOST];                                                                                     \
    struct rows r[MOST] = {0};                                                                               \
    find_lines(own, n, address, l);                                                                          \
    int32_t down = lane_down();                                                                              \
    mask_t off = off_lines_from(0, own ? (n) : 1, down, address, l);                                         \
    uint64_t cursor = uniform64(loaded);                                                                     \
    if (!off) {                                                                                              \
        if (!own && off_lines_from(1, n, down, address, l))                                                  \
            return 1;                                                                                        \
        UNROLLED                                                                                             \
        for (uint32_t i = 0; i < (n); i++)                                                                   \
            r[i] = (struct rows){.base = l[i].base, .stride = l[i].stride};                                  \
        struct told t = tell(own, n, r);                                                                     \
        GO_ON_##n(1, 0, 0, counted);                                                                         \
    }                                                                                                        \
    find_rows(own, n, off, address, l, r);                                                                   \
    if (off_all_rows(n, address, r))                                                                         \
        return 1;                                                                                            \
    struct told t = tell(own, n, r);                                                                         \
    GO_ON_##n(1, 1, r[0].shift, counted_rows)

/* The same with lanes missing, at the same distances apart. These are compared by themselves, and lines and rows of the first access
 * alone, which takes fewer registers than lines of each. */
#define TELL_PARTIAL(n)                                                                                      \
    const uint64_t address[] = {ADDRESSES_##n};                                                              \
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT), apart;                                                    \
    mask_t exec = active_lanes();                                                                            \
    uint32_t rank = bits_below(exec), byte = BYTE_##n;                                                       \
    if (COUNT(exec) < (n) || off_distances(n, rank, address, &apart))                                        \
        return 1;                                                                                            \
    struct line l = line_through(exec, address[0]);                                                          \
    struct rows r = {.base = l.base, .stride = l.stride};                                                    \
    mask_t off = off_lines(1, address, &l);                                                                  \
    uint64_t cursor = uniform64(loaded);                                                                     \
    if (!off) {                                                                                              \
        struct told t = tell_apart(r, apart);                                                                \
        GO_ON_##n(0, 0, 0, counted);                                                                         \
    }                                                                                                        \
    r = rows_through(l, exec, off, address[0]);                                                              \
    if (off_all_rows(1, address, &r))                                                                        \
        return 1;                                                                                            \
    struct told t = tell_apart(r, apart);                                                                    \
    GO_ON_##n(0, 1, r.shift, counted_rows)

#define PROBES(n, SIGNATURE, ...)                                                                            \
    SIGNATURE(__ls_several##n##_partial);                                                                    \
    SIGNATURE(__ls_several##n##_partial)                                                                     \
    {                                                                                                        \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        TELL_PARTIAL(n);                                                                                     \
    }                                                                                                        \
    SIGNATURE(__ls_several##n)                                                                               \
    {                                                                                                        \
        u32x2 halves = wave_of(wave);                                                                        \
        wave_ptr w = record_at(halves);                                                                      \
        if (is_silent(halves))                                                                               \
            return 0;                                                                                        \
        if (active_lanes() != ALL_LANES)                                                                     \
            TAIL_CALL(__ls_several##n##_partial(wave, low, high, low1, high1, low2, high2, low3, high3,      \
                                                head, sites __VA_OPT__(, ) __VA_ARGS__));                    \
        TELL(0, n);                                                                                          \
    }
#define SHAPES(n)                                                                                            \
    SEVERAL(__ls_shapes##n)                                                                                  \
    {                                                                                                        \
        u32x2 halves = wave_of(wave);                                                                        \
        wave_ptr w = record_at(halves);                                                                      \
        if (is_silent(halves))                                                                               \
            return 0;                                                                                        \
        if (active_lanes() != ALL_LANES)                                                                     \
            return 1;                                                                                        \
        TELL(1, n);                                                                                          \
    }

PROBES(2, SEVERAL)
PROBES(3, SEVERAL)
PROBES(4, SEVERAL)
PROBES(5, MANY, low4, high4, low5, high5, sites1)
PROBES(6, MANY, low4, high4, low5, high5, sites1)
SHAPES(2)
SHAPES(3)
SHAPES(4)
