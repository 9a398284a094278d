/*
 * several.c - probes of two to four accesses of one basic block whose addresses the plugin takes to lie the same distances
 * apart in all lanes (docs/internals/site-table.md, "Several"). Where they do, and form a line or rows, the first one's
 * form is that of all, and each gets a message of its own, as if it had been looked at by itself.
 *
 * They return 0 when all is told. Otherwise nothing is, and the caller goes on with a probe for each access.
 */
#include "access.h"
#include "evidence.h"
#include "summary_key.h"

/* As the other probes, with one address and one head for each access. The order gives pairs of registers to what has 64
 * bits. */
#define SEVERAL_2(name)                                                                                      \
    __attribute__((noinline)) uint32_t name(uint64_t wave, uint32_t low, uint32_t high, uint32_t low1,       \
                                            uint32_t high1, uint32_t head, uint32_t head1)
#define SEVERAL_3(name)                                                                                      \
    __attribute__((noinline)) uint32_t name(uint64_t wave, uint32_t low, uint32_t high, uint32_t low1,       \
                                            uint32_t high1, uint32_t low2, uint32_t high2, uint32_t head,    \
                                            uint32_t head1, uint32_t head2)
#define SEVERAL_4(name)                                                                                      \
    __attribute__((noinline)) uint32_t name(uint64_t wave, uint32_t low, uint32_t high, uint32_t low1,       \
                                            uint32_t high1, uint32_t low2, uint32_t high2, uint32_t low3,    \
                                            uint32_t high3, uint32_t head, uint32_t head1, uint32_t head2,   \
                                            uint32_t head3)
#define ARGUMENTS_2 wave, low, high, low1, high1, head, head1
#define ARGUMENTS_3 wave, low, high, low1, high1, low2, high2, head, head1, head2
#define ARGUMENTS_4 wave, low, high, low1, high1, low2, high2, low3, high3, head, head1, head2, head3
/* The accesses behind the first one. */
#define ACCESSES_2 ACCESS(low1, high1, head1)
#define ACCESSES_3 ACCESSES_2, ACCESS(low2, high2, head2)
#define ACCESSES_4 ACCESSES_3, ACCESS(low3, high3, head3)
#define ACCESS(low, high, head) {(low) | (uint64_t)(high) << 32, head}

struct other {
    uint64_t address;
    uint32_t head;
};

/* Writes the messages, the first access's and those of `n` others, whose addresses lie `distance` from its. All is known
 * when it is compiled but for values of lanes and of the wavefront. */
static HOT inline void send_several(wave_ptr w, uint64_t cursor, const _Bool all, mask_t exec,
                                    struct regular r, uint32_t head, const uint32_t n,
                                    const struct other *others, const uint64_t *distance)
{
    const uint32_t bytes = (r.kind == LS_KIND_ROWS ? 24 : 16) + (all ? 0 : 8);
    const uint32_t kind = ((r.kind - LS_KIND_STRIDED) << 24) + (all ? 0 : LS_HEAD_PARTIAL);
    mask_t lanes = one_lane_begin(r.first);
    u32x2 at = __builtin_bit_cast(u32x2, cursor);
    at[1] &= 0xffff;
    uint64_t out = __builtin_bit_cast(uint64_t, at);
    UNROLLED
    for (uint32_t i = 0; i <= n; i++, out += bytes) {
        uint64_t base = r.base + (i ? distance[i - 1] : 0);
        *(GLOBAL u32x4 *)out =
            (u32x4){(i ? others[i - 1].head : head) + kind, (uint32_t)base, (uint32_t)(base >> 32), r.word3};
        if (!all)
            *(GLOBAL uint64_t *)(out + 16) = exec;
        if (r.kind == LS_KIND_ROWS)
            *(GLOBAL u32x2 *)(out + (all ? 16 : 24)) = (u32x2){r.pitch, r.shift};
    }
    STORE(&w->cursor, cursor + ADVANCE((n + 1) * bytes), WAVEFRONT);
    set_lanes(lanes);
}

/* How far the others lie from the first access; the lanes in which it is not as far as in the first one. */
static HOT inline mask_t find_distances(uint64_t address, const uint32_t n, const struct other *others,
                                        uint64_t *distance)
{
    mask_t apart = 0;
    UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        distance[i] = others[i].address - address;
        apart |= ballot(distance[i] != uniform64(distance[i]));
    }
    return apart;
}

/* Addresses that lie one distance apart in all lanes are on a line, or in rows, if one's are. */
#define TELL(all, n)                                                                                         \
    const struct other others[] = {ACCESSES_##n};                                                            \
    wave_ptr w = (wave_ptr)uniform64(wave);                                                                  \
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT), address = low | (uint64_t)high << 32, distance[(n) - 1];  \
    uint32_t lane = bits_below(ALL_LANES);                                                                   \
    mask_t exec = all ? ALL_LANES : active_lanes();                                                          \
    struct line l = all ? line_through_all(address) : line_through(exec, address);                           \
    mask_t off = off_line(l, address, lane, 0), apart = find_distances(address, (n) - 1, others, distance);  \
    uint64_t cursor = uniform64(loaded);                                                                     \
    if (has_less(cursor, LS_MESSAGE_MAX + (n) * 32))                                                         \
        NO_ROOM_FOR_SEVERAL(all, n);                                                                         \
    if (!(off | apart)) {                                                                                    \
        struct regular line = {                                                                              \
            .base = l.base, .word3 = (uint32_t)l.stride, .kind = LS_KIND_STRIDED, .first = l.first};         \
        send_several(w, cursor, all, exec, line, head, (n) - 1, others, distance);                           \
        return 0;                                                                                            \
    }                                                                                                        \
    if (apart)                                                                                               \
        return 1;                                                                                            \
    struct rows r = all ? rows_through_all(l, off, address) : rows_through(l, exec, off, address);           \
    if (off_rows(r, address, lane, 0))                                                                       \
        return 1;                                                                                            \
    struct regular rows = {r.base, (uint32_t)r.stride, LS_KIND_ROWS, l.first, (uint32_t)r.pitch, r.shift};   \
    send_several(w, cursor, all, exec, rows, head, (n) - 1, others, distance);                               \
    return 0

#define NO_ROOM_FOR_SEVERAL(all, n) NO_ROOM_FOR_SEVERAL_##all(n)
#define NO_ROOM_FOR_SEVERAL_1(n) TAIL_CALL(__ls_several##n##_counted(ARGUMENTS_##n))
#define NO_ROOM_FOR_SEVERAL_0(n) TAIL_CALL(__ls_several##n##_counted_partial(ARGUMENTS_##n))

/* What each access looks for in the table, in one active lane each. */
static HOT inline uint32_t of_each(uint32_t rank, uint32_t first, const uint32_t n, const uint32_t *others)
{
    UNROLLED
    for (uint32_t i = 0; i < n; i++)
        first = rank == i + 1 ? others[i] : first;
    return first;
}

/* Whether the host wants evidence of this wavefront's access of the lane's site. */
static HOT inline _Bool wants_evidence(wave_ptr w, ctx_ptr ctx, uint64_t evidence, uint32_t site)
{
    GLOBAL struct ls_evidence *e = (GLOBAL struct ls_evidence *)evidence + site;
    return ~(uint32_t)(LOAD(&e->sum, WAVEFRONT) >> 32) >= wave_number(w, ctx);
}

/* Part of a key: the shape of the addresses, and where they begin. False: there is no key for them. */
static HOT inline _Bool find_shape(const _Bool all, mask_t exec, uint64_t address, uint64_t *shape,
                                   uint32_t *base)
{
    struct line l = all ? line_through_all(address) : line_through(exec, address);
    mask_t off = off_line(l, address, bits_below(ALL_LANES), 0);
    *shape = (uint32_t)l.stride;
    *base = (uint32_t)l.base;
    if (!off)
        return 1;
    struct rows r = all ? rows_through_all(l, off, address) : rows_through(l, exec, off, address);
    *shape = rows_key(r);
    *base = (uint32_t)r.base;
    return have_rows_key(r, address);
}

/* Summary mode: counts the accesses if all entries are where they are looked for first (summary_common.c). */
static HOT inline _Bool count_several(wave_ptr w, const _Bool all, uint64_t address, uint32_t head,
                                      const uint32_t n, const struct other *others)
{
    ctx_ptr ctx = ctx_of(w);
    mask_t exec = all ? ALL_LANES : active_lanes();
    uint64_t tables = ctx->summary, evidence = ctx->evidence, distance[3], shape;
    uint32_t rank = bits_below(exec), heads[3], moved[3], base, place = 0;
    if (!tables || find_distances(address, n, others, distance))
        return 0;
    UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        heads[i] = others[i].head;
        moved[i] = (uint32_t)distance[i];
    }
    const mask_t some = all ? ((mask_t)2 << n) - 1 : ballot(rank <= n);
    uint32_t site = of_each(rank, head, n, heads) & HEAD_SITE;
    if (!all) {
        place = place_of_mask(exec);
        uint64_t masks = tables + __builtin_offsetof(struct ls_summary, masks);
        if (!place || *(const CONSTANT uint64_t *)(masks + place * 8) != exec || COUNT(exec) <= n)
            return 0;
    }
    if (evidence && ballot(wants_evidence(w, ctx, evidence, site)) & some)
        return 0;
    if (!find_shape(all, exec, address, &shape, &base))
        return 0;
    uint64_t wanted = whole_key(shape, base + of_each(rank, 0, n, moved), site) | (uint64_t)place << KEY_MASK;
    GLOBAL struct ls_summary_entry *entry = (GLOBAL struct ls_summary_entry *)entry_of(tables, site, wanted);
    if (ballot(LOAD(&entry->key, WAVEFRONT) != wanted) & some)
        return 0;
    set_lanes(some);
    __hip_atomic_fetch_add(&entry->count, 1, __ATOMIC_RELAXED, AGENT);
    set_lanes(exec);
    return 1;
}

#define COUNT_SEVERAL(all, n)                                                                                \
    const struct other others[] = {ACCESSES_##n};                                                            \
    return !count_several((wave_ptr)uniform64(wave), all, low | (uint64_t)high << 32, head, (n) - 1, others)

#define PROBES(n)                                                                                            \
    SEVERAL_##n(__ls_several##n##_counted);                                                                  \
    SEVERAL_##n(__ls_several##n##_counted)                                                                   \
    {                                                                                                        \
        COUNT_SEVERAL(1, n);                                                                                 \
    }                                                                                                        \
    SEVERAL_##n(__ls_several##n##_counted_partial);                                                          \
    SEVERAL_##n(__ls_several##n##_counted_partial)                                                           \
    {                                                                                                        \
        COUNT_SEVERAL(0, n);                                                                                 \
    }                                                                                                        \
    SEVERAL_##n(__ls_several##n##_partial);                                                                  \
    SEVERAL_##n(__ls_several##n##_partial)                                                                   \
    {                                                                                                        \
        TELL(0, n);                                                                                          \
    }                                                                                                        \
    SEVERAL_##n(__ls_several##n);                                                                            \
    SEVERAL_##n(__ls_several##n)                                                                             \
    {                                                                                                        \
        if (!uniform64(wave))                                                                                \
            return 0;                                                                                        \
        if (active_lanes() != ALL_LANES)                                                                     \
            TAIL_CALL(__ls_several##n##_partial(ARGUMENTS_##n));                                             \
        TELL(1, n);                                                                                          \
    }

PROBES(2)
PROBES(3)
PROBES(4)
