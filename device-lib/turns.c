/*
 * turns.c - probes of accesses that a loop makes on each of its turns with the same lanes, each time `step` bytes further
 * on (docs/internals/site-table.md, "Turns"). They stand in front of the loop: one message, or a few additions, tell all
 * turns.
 */
#include "access.h"
#include "evidence.h"
#include "summary.h"
#include "summary_irregular.h"
#include "summary_table.h"
#include "turns.h"

enum {
    TURNS_MAX = 40,
    SOME_MAX = 48
}; /* bytes of the longest message that tells turns: those of rows; with lanes missing */
#define NO_TURNS LS_TURNS_MORE(~0ull) /* turns - 1, of lanes that make none */

/* What a message tells of the lanes' addresses: word 3, and what follows of each active lane, or of rows. */
struct pattern {
    uint32_t kind, word3, per_lane, low;
    uint64_t base;
    struct rows rows;
};

static HOT inline struct pattern pattern_of(mask_t exec, uint64_t address)
{
    struct line l = line_through(exec, address);
    struct pattern p = {LS_KIND_STRIDED, (uint32_t)l.stride, 0, (uint32_t)address, l.base, {0}};
    mask_t off = ballot(address != line_at(l, bits_below(ALL_LANES)));
    if (!off)
        return p;
    p.rows = rows_through(l, exec, off, address);
    p.kind = LS_KIND_ROWS;
    p.base = p.rows.base;
    if (p.rows.shift <= 5 && !ballot(address != rows_at(p.rows, bits_below(ALL_LANES))))
        return p;
    uint64_t first = uniform64(address), delta = address - first;
    p.word3 = COUNT(exec);
    p.per_lane = 1;
    if (!ballot((int64_t)delta != (int32_t)delta)) {
        p.kind = LS_KIND_DELTA;
        p.base = first;
        p.low = (uint32_t)delta;
    } else {
        p.kind = LS_KIND_RAW;
        p.base = 0;
        p.per_lane = 2;
    }
    return p;
}

/* `step` in bytes, `more` of at most LS_TURNS_MOST turns. */
static HOT inline void send_message(wave_ptr w, mask_t exec, uint32_t head, uint64_t address, uint64_t step,
                                    uint64_t more)
{
    uint32_t rank = bits_below(exec), n = COUNT(exec);
    struct pattern p = pattern_of(exec, address);
    struct held held = held_of(w);
    uint64_t cursor = open_at(w, held.ctx, held.cursor, rank);
    if (!cursor)
        return;
    uint64_t at = CURSOR_ADDRESS(cursor), turns = exec == ALL_LANES ? at + 16 : at + 24, behind = turns + 16;
    uint32_t size = (uint32_t)(behind - at) + (p.kind == LS_KIND_ROWS ? 8 : (n * p.per_lane * 4 + 7) & ~7u);
    head = (head & HEAD_SITE) | p.kind << 24 | LS_HEAD_TURNS | (exec == ALL_LANES ? 0 : LS_HEAD_PARTIAL);
    if (rank == 0) {
        *(GLOBAL u32x4 *)at = (u32x4){head, (uint32_t)p.base, (uint32_t)(p.base >> 32), p.word3};
        if (exec != ALL_LANES)
            *(GLOBAL uint64_t *)(at + 16) = exec;
        *(GLOBAL uint64_t *)turns = step;
        *(GLOBAL uint64_t *)(turns + 8) = more;
        if (p.kind == LS_KIND_ROWS)
            *(GLOBAL u32x2 *)behind = (u32x2){(uint32_t)p.rows.pitch, p.rows.shift};
    }
    if (p.per_lane > 0)
        ((GLOBAL uint32_t *)behind)[rank] = p.low;
    if (p.per_lane > 1)
        ((GLOBAL uint32_t *)behind)[n + rank] = (uint32_t)(address >> 32);
    close_message(w, held.ctx, cursor, size, rank);
}

/* The same of any number of turns. */
static HOT inline void send_turns(wave_ptr w, mask_t exec, uint32_t head, uint64_t address, uint64_t step,
                                  uint64_t more)
{
    uint64_t left = LS_TURNS_MORE(more), number = more ^ left, told;
    do {
        told = left < LS_TURNS_MOST ? left : LS_TURNS_MOST - 1;
        send_message(w, exec, head, address, step, number | told);
        address += step * (told + 1);
        address = head & HEAD_LDS ? (uint32_t)address : address;
        left -= told;
    } while (left--);
}

/* What a message of a line or rows tells, with all lanes active; lane 0 writes it. */
static HOT inline void send_regular(wave_ptr w, uint64_t cursor, uint32_t head, struct rows r, uint64_t step,
                                    uint64_t more)
{
    mask_t lanes = TAIL_CALLS_NEED_UNIFORM ? one_lane_begin(0) : 0;
    if (TAIL_CALLS_NEED_UNIFORM || bits_below(ALL_LANES) == 0) {
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)CURSOR_ADDRESS(cursor);
        uint32_t kind = r.shift ? LS_KIND_ROWS : LS_KIND_STRIDED;
        out[0] = (u32x4){(head & HEAD_SITE) | kind << 24 | LS_HEAD_TURNS, (uint32_t)r.base,
                         (uint32_t)(r.base >> 32), (uint32_t)r.stride};
        out[1] = (u32x4){(uint32_t)step, (uint32_t)(step >> 32), (uint32_t)more, (uint32_t)(more >> 32)};
        cursor += ADVANCE(32);
        if (r.shift) {
            *(GLOBAL u32x2 *)(out + 2) = (u32x2){(uint32_t)r.pitch, r.shift};
            cursor += ADVANCE(8);
        }
        STORE(&w->cursor, cursor, WAVEFRONT);
    }
    if (TAIL_CALLS_NEED_UNIFORM)
        set_lanes(lanes);
}

/* Turns of a loop differ in where their addresses begin, and so in their keys, up to the turn after which the cost repeats. The
 * lanes look for these keys' entries at once, one each, and add to them if all are where they are looked for first
 * (summary_common.c). */
static HOT inline _Bool count_turns(uint64_t tables, struct rows r, struct way way, uint64_t last)
{
    uint32_t shift = log2_phases(way.step, way.head), lane = bits_below(ALL_LANES);
    uint32_t many = (uint32_t)(last >> 32) | (1u << shift) >> LOG2_LANES >> 1;
    if (many | (r.shift ? far_rows(r) : 0))
        return 0;
    uint64_t shape = r.shift ? rows_key(r) : line_shape(r.stride);
    uint64_t wanted = whole_key(shape, (uint32_t)r.base + (uint32_t)way.step * lane, way.head);
    GLOBAL struct ls_summary_entry *entry =
        (GLOBAL struct ls_summary_entry *)entry_of(tables, way.head, wanted);
    mask_t some = ballot(lane >> shift == 0) & ballot(lane <= (uint32_t)last);
    if (ballot(LOAD(&entry->key, WAVEFRONT) != wanted) & some)
        return 0;
    set_lanes(some);
    __hip_atomic_fetch_add(&entry->count, (((uint32_t)last - lane) >> shift) + 1, __ATOMIC_RELAXED, AGENT);
    set_all_lanes();
    return 1;
}

/* What is frequent: all lanes are active and make as many turns, their addresses are on a line or in rows, and the chunk has
 * room, or the dispatch is in summary mode and the entries are found at once. Both in one function: LLVM 15 has what is called by
 * tail calls save registers that the functions behind it use. */
TURNS_PROBE(__ls_turns)
{
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    if (is_silent(halves))
        return;
    u32x4 words = load_16(w);
    uint64_t address = low | (uint64_t)high << 32, by = uniform64(step), turns = uniform64(more);
    uint64_t last = LS_TURNS_MORE(turns), cursor = uniform_pair(words[2], words[3]);
    if (active_lanes() != ALL_LANES)
        TAIL_CALL(__ls_turns_some(wave, low, high, head, index, step, more, scale));
    if (ballot(more != turns))
        TAIL_CALL(__ls_turns_some(wave, low, high, head, index, step, more, scale));
    struct way way = way_of(address, readfirstlane(head), by, last, index, scale);
    uint32_t lane = bits_below(ALL_LANES);
    struct line l = line_through_all(address);
    struct rows r = {l.base, l.stride, 0, 0};
    mask_t off = ballot(address != line_at(l, lane)), other = way.wraps;
    if (off) {
        r = rows_through_all(l, off, address);
        other |= ballot(address != rows_at(r, lane));
    }
    if (other)
        TAIL_CALL(__ls_turns_slow(wave, low, high, head, index, step, more, scale));
    if (has_less(cursor, LS_MESSAGE_MAX + TURNS_MAX)) {
        ctx_ptr ctx = (ctx_ptr)uniform_pair(words[0], words[1]);
        u32x4 both = *(const CONSTANT u32x4 *)&ctx->evidence;
        uint64_t evidence = both[0] | (uint64_t)both[1] << 32, tables = both[2] | (uint64_t)both[3] << 32;
        if (!tables || (evidence && is_wanted(w, ctx, evidence, way.head)) ||
            !count_turns(tables, r, way, last))
            TAIL_CALL(__ls_turns_slow(wave, low, high, head, index, step, more, scale));
        return;
    }
    if (last >= LS_TURNS_MOST)
        TAIL_CALL(__ls_turns_slow(wave, low, high, head, index, step, more, scale));
    cursor = send_what_waits(w, cursor, 1, ALL_LANES);
    send_regular(w, cursor, way.head, r, way.step, turns);
}

/* Writes the message of the lanes `some`, by the first of them, and moves the cursor. Active before and behind it: `exec`. */
static HOT inline uint64_t send_some(wave_ptr w, uint64_t cursor, mask_t exec, mask_t some, uint32_t head,
                                     struct rows r, uint64_t step, uint64_t more)
{
    u32x2 at = __builtin_bit_cast(u32x2, cursor);
    at[1] &= 0xffff;
    uint32_t size = (r.shift ? 40 : 32) + (some == ALL_LANES ? 0 : 8);
    uint64_t next = cursor + ADVANCE((uint64_t)size);
    head = (head & HEAD_SITE) | (r.shift ? LS_KIND_ROWS : LS_KIND_STRIDED) << 24 | LS_HEAD_TURNS |
           (some == ALL_LANES ? 0 : LS_HEAD_PARTIAL);
    leave_one_lane(0, first_lane_of(some));
    GLOBAL u32x2 *out = (GLOBAL u32x2 *)__builtin_bit_cast(uint64_t, at);
    *(GLOBAL u32x4 *)out = (u32x4){head, (uint32_t)r.base, (uint32_t)(r.base >> 32), (uint32_t)r.stride};
    out[2] = (u32x2){(uint32_t)some, (uint32_t)((uint64_t)some >> 32)};
    out += some == ALL_LANES ? 2 : 3;
    out[0] = (u32x2){(uint32_t)step, (uint32_t)(step >> 32)};
    out[1] = (u32x2){(uint32_t)more, (uint32_t)(more >> 32)};
    out[2] = (u32x2){(uint32_t)r.pitch, r.shift}; /* the next message's, if these are no rows */
    STORE(&w->cursor, next, WAVEFRONT);
    come_back(0, exec);
    return next;
}

/* The lanes of `rest` with the fewest turns: how many these are. */
static HOT inline uint32_t least_turns(mask_t rest, uint32_t last)
{
    uint32_t least = readlane(last, first_lane_of(rest));
    mask_t less;
    KEEP_LOOP while ((less = ballot(last < least) & rest) != 0) least = readlane(last, first_lane_of(less));
    return least;
}

/* What is the same in all lanes anyway, in scalar registers, where LLVM 15 does not see it in a loop. */
static HOT inline mask_t scalar_mask(mask_t m)
{
#if __clang_major__ < 22
    return (mask_t)uniform64(m);
#else
    return m;
#endif
}

/* Whether all lanes make fewer turns than one message may tell, and no index wraps. `last`: the lane's turns - 1. */
static HOT inline _Bool are_short(uint64_t more, struct way way, uint64_t step, uint32_t last)
{
    mask_t other = ballot(((uint32_t)more >> 16 | (uint32_t)(more >> 32) << 16) != 0);
    if (way.head & HEAD_INDEX) {
        int64_t end = extended(way.index, way.head) + (int64_t)(step * last);
        other |= ballot(end != extended((uint32_t)end, way.head));
    }
    return !other;
}

/*
 * Where lanes are missing, or have other numbers of turns: `tell` says what those do that all of them make, then those that the
 * others still make, and so on, as long as there is room and the addresses are on a line or in rows. What is left goes on as
 * __ls_turns_apart, with no turns in lanes of which all are told. All lanes that are active stay so: none may be missing
 * when this is left.
 */
#define TELL_SOME(room, tell)                                                                                \
    mask_t rest = exec;                                                                                      \
    uint32_t lane = bits_below(ALL_LANES), turn = 0;                                                         \
    KEEP_LOOP while (rest && (room))                                                                         \
    {                                                                                                        \
        rest = scalar_mask(rest);                                                                            \
        uint64_t address = way.first + way.step * turn;                                                      \
        address = way.head & HEAD_LDS ? (uint32_t)address : address;                                         \
        struct line l = line_through(rest, address);                                                         \
        struct rows r = {l.base, l.stride, 0, 0};                                                            \
        mask_t off = ballot(address != line_at(l, lane)) & rest;                                             \
        if (off) {                                                                                           \
            r = rows_through(l, rest, off, address);                                                         \
            if (r.shift > 5 || ballot(address != rows_at(r, lane)) & rest)                                   \
                break;                                                                                       \
        }                                                                                                    \
        uint32_t least = least_turns(rest, last);                                                            \
        mask_t next = ballot(last > least) & rest;                                                           \
        OPAQUE(next); /* while all lanes are active */                                                       \
        if (!(tell))                                                                                         \
            break;                                                                                           \
        rest = next;                                                                                         \
        turn = least + 1;                                                                                    \
    }                                                                                                        \
    if (!rest)                                                                                               \
        return;                                                                                              \
    if (!turn)                                                                                               \
        TAIL_CALL(__ls_turns_slow(wave, low, high, head, index, step, more, scale));                         \
    uint64_t address = way.first + way.step * turn;                                                          \
    more = (rest >> lane & 1 ? last - turn : NO_TURNS) | (uint64_t)number << 32;                             \
    TAIL_CALL(__ls_turns_apart(wave, (uint32_t)address, (uint32_t)(address >> 32), head,                     \
                               index + (uint32_t)by * turn, step, more, scale))

TURNS_PROBE(__ls_turns_some)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    uint64_t cursor = uniform64(LOAD(&w->cursor, WAVEFRONT)), by = uniform64(step);
    mask_t exec = active_lanes();
    uint32_t last = (uint32_t)more, number = readfirstlane((uint32_t)(more >> 32)) & 0xffff0000;
    struct way way = way_of(low | (uint64_t)high << 32, readfirstlane(head), by, 0, index, scale);
    if (!are_short(more, way, by, last))
        TAIL_CALL(__ls_turns_slow(wave, low, high, head, index, step, more, scale));
    if (has_less(cursor, LS_MESSAGE_MAX + SOME_MAX))
        TAIL_CALL(__ls_turns_some_counted(wave, low, high, head, index, step, more, scale));
    cursor = send_what_waits(w, cursor, 0, exec);
    TELL_SOME(!has_less(cursor = uniform64(cursor), LS_MESSAGE_MAX + SOME_MAX),
              (cursor = send_some(w, cursor, exec, rest, way.head, r, way.step,
                                  (least - turn) | (uint64_t)number << 32)) != 0);
}

/* Whether a mask has this place, which is not 0, or takes it. */
static HOT inline _Bool has_place(uint64_t tables, uint32_t place, mask_t some)
{
    uint64_t at = tables + __builtin_offsetof(struct ls_summary, masks) + place * (uint32_t)sizeof(uint64_t);
    if (seen(at) == some)
        return 1;
    mask_t lanes = first_lane_begin();
    uint32_t taken = from_one_lane(take_word(at, some, 0, 0));
    set_lanes(lanes);
    return taken != 0;
}

/* Puts the keys of the lanes `empty` where they have seen none. The lanes in which another key was put there meanwhile. */
static HOT inline mask_t put_keys(uint64_t tables, GLOBAL struct ls_summary_entry *entry, uint64_t wanted,
                                  mask_t exec, mask_t empty, uint32_t head)
{
    uint64_t have = 0;
    set_lanes(empty);
    touch(tables, head);
    __hip_atomic_compare_exchange_strong(&entry->key, &have, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         AGENT);
    mask_t lost = ballot(have != 0) & ballot(have != wanted);
    OPAQUE(lost);
    set_lanes(exec);
    return lost;
}

/* As count_turns, for the lanes `some` of those that are active, each of which looks for the entry of a turn, and takes one that nobody
 * has. `last`: turns - 1. */
static HOT inline _Bool count_some(uint64_t tables, mask_t exec, mask_t some, struct rows r, struct way way,
                                   uint32_t last)
{
    uint32_t shift = log2_phases(way.step, way.head), rank = bits_below(exec), place = 0;
    uint32_t most = last >> shift ? (1u << shift) - 1 : last;
    if (most >= COUNT(exec) || (r.shift ? far_rows(r) : 0))
        return 0;
    if (some != ALL_LANES) {
        place = place_of_mask(some);
        if (!place || !has_place(tables, place, some))
            return 0;
    }
    uint64_t shape = r.shift ? rows_key(r) : line_shape(r.stride);
    uint64_t wanted = whole_key(shape, (uint32_t)r.base + (uint32_t)way.step * rank, way.head);
    wanted |= (uint64_t)place << KEY_MASK;
    GLOBAL struct ls_summary_entry *entry =
        (GLOBAL struct ls_summary_entry *)entry_of(tables, way.head, wanted);
    uint64_t have = LOAD(&entry->key, WAVEFRONT);
    mask_t looking = ballot(rank <= most), other = ballot(have != wanted) & looking;
    if (other) {
        mask_t empty = ballot(have == 0) & looking;
        if (other != empty || put_keys(tables, entry, wanted, exec, empty, way.head))
            return 0;
    }
    uint32_t times = ((last - rank) >> shift) + 1;
    set_lanes(looking);
    __hip_atomic_fetch_add(&entry->count, times, __ATOMIC_RELAXED, AGENT);
    set_lanes(exec);
    return 1;
}

TURNS_PROBE(__ls_turns_some_counted)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    uint64_t by = uniform64(step);
    mask_t exec = active_lanes();
    uint32_t last = (uint32_t)more, number = readfirstlane((uint32_t)(more >> 32)) & 0xffff0000;
    struct way way = way_of(low | (uint64_t)high << 32, readfirstlane(head), by, 0, index, scale);
    u32x4 both = *(const CONSTANT u32x4 *)&ctx->evidence;
    uint64_t evidence = both[0] | (uint64_t)both[1] << 32, tables = both[2] | (uint64_t)both[3] << 32;
    if (!tables || (evidence && is_wanted(w, ctx, evidence, way.head)))
        TAIL_CALL(__ls_turns_slow(wave, low, high, head, index, step, more, scale));
    TELL_SOME(1, count_some(tables, exec, rest, r, way, least - turn));
}

/* Whether turns are counted: in summary mode, and there is no room for a message (LS_CTX_FEW). */
static HOT inline _Bool are_counted(wave_ptr w)
{
    struct held held = held_of(w);
    return held.ctx->flags & LS_CTX_SUMMARY && has_less(held.cursor, LS_MESSAGE_MAX + TURNS_MAX);
}

TURNS_PROBE(__ls_turns_slow)
{
    if (ballot(more != uniform64(more)))
        TAIL_CALL(__ls_turns_apart(wave, low, high, head, index, step, more, scale));
    if (are_counted((wave_ptr)uniform64(wave)))
        TAIL_CALL(__ls_turns_counted(wave, low, high, head, index, step, more, scale));
    TAIL_CALL(__ls_turns_even(wave, low, high, head, index, step, more, scale));
}

TURNS_PROBE(__ls_turns_even)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    if (are_counted(w))
        TAIL_CALL(__ls_turns_counted(wave, low, high, head, index, step, more, scale));
    uint64_t first = low | (uint64_t)high << 32;
    step = uniform64(step);
    more = uniform64(more);
    struct way way = way_of(first, readfirstlane(head), step, LS_TURNS_MORE(more), index, scale);
    if (way.wraps && ctx_of(w)->flags & LS_CTX_SUMMARY) /* a message each may be too many */
        TAIL_CALL(__ls_turns_counted(wave, low, high, head, index, step, more, scale));
    if (way.wraps)
        TAIL_CALL(__ls_turns_each(wave, low, high, head, index, step, more, scale));
    send_turns(w, active_lanes(), way.head, first, way.step, more);
}

/* Turn by turn. */
TURNS_PROBE(__ls_turns_each)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    step = uniform64(step);
    more = uniform64(more);
    uint64_t last = LS_TURNS_MORE(more);
    struct way way = way_of(low | (uint64_t)high << 32, readfirstlane(head), step, last, index, scale);
    KEEP_LOOP for (uint64_t turn = 0; turn <= last; turn++)
        send_turns(w, active_lanes(), way.head, address_on(way, step, turn), 0, more ^ last);
}

/* The same for any lanes and any place of the entries, which are taken where they are missing: a turn for each active lane.
 * `shape`: shape_of the first turn. 0: there are too few lanes, or one finds no room; then nothing is counted. */
static inline _Bool count_phases(ctx_ptr ctx, mask_t exec, uint64_t shape, struct way way, uint32_t shift,
                                 uint64_t last)
{
    uint32_t most = COUNT(exec) - 1;
    uint64_t phases = last >> shift ? 1ull << shift : last + 1;
    if (!shape || phases - 1 > most)
        return 0;
    mask_t lanes = first_lane_begin();
    uint32_t mask = from_one_lane(number_of_mask(ctx->summary, exec, lanes));
    set_lanes(lanes);
    OPAQUE(exec); /* so that no lane's rank is computed in that one */
    if (mask == NO_WORD)
        return 0;
    uint32_t rank = bits_below(exec);
    uint64_t wanted = moved_key(shape, (uint32_t)way.step * rank, way.head) | (uint64_t)mask << KEY_MASK;
    mask_t some = ballot(rank < (uint32_t)phases);
    uint32_t offset;
    if (!find_own_entries(ctx->summary, exec, some, way.head, wanted, &offset))
        return 0;
    GLOBAL struct ls_summary_entry *entry =
        (GLOBAL struct ls_summary_entry *)((GLOBAL char *)ctx->summary + offset);
    set_lanes(some);
    __hip_atomic_fetch_add(&entry->count, ((last - rank) >> shift) + 1, __ATOMIC_RELAXED, AGENT);
    set_lanes(exec);
    return 1;
}

TURNS_PROBE(__ls_turns_counted)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    ctx_ptr ctx = ctx_of(w);
    mask_t exec = active_lanes();
    step = uniform64(step);
    more = uniform64(more);
    uint64_t last = LS_TURNS_MORE(more), first = low | (uint64_t)high << 32;
    struct way way = way_of(first, readfirstlane(head), step, last, index, scale);
    uint32_t shift = way.wraps ? 63 : log2_phases(way.step, way.head), site = planned(ctx, way.head);
    if (ctx->evidence)
        keep_evidence(w, ctx, exec, way.head, low, high, (uint32_t)last + 1);
    uint64_t shape = way.wraps ? 0 : shape_of(exec, first, way.head);
    if (count_phases(ctx, exec, shape, way, shift, last))
        return;
    /* One message costs less than to reduce two turns, and than to look for room again. With evidence it is not known yet which
     * passes they have. */
    if (!way.wraps && !ctx->evidence && (shape || (shift && last))) {
        send_turns(w, exec, way.head, first, way.step, more);
        return;
    }
    KEEP_LOOP for (uint64_t turn = 0; turn <= last && !(turn >> shift); turn++)
    {
        uint64_t others = (last - turn) >> shift; /* turns of the same cost behind this one */
        uint64_t address = address_on(way, step, turn);
        if (count(ctx, exec, way.head, shape_of(exec, address, way.head), others + 1))
            continue;
        if (site)
            reduce(ctx, exec, address, site, others + 1);
        else
            send_turns(w, exec, way.head, address, way.step << shift, (more ^ last) | others);
    }
}

/* The least number of turns of the active lanes. */
static HOT inline uint64_t least_of(uint64_t last)
{
    uint64_t least = uniform64(last);
    mask_t less;
    KEEP_LOOP while ((less = ballot(last < least)) != 0) least = readlane64(last, FIRST_LANE(less));
    return least;
}

/* All lanes' turns as long as there are those of all, then the others' without the lanes that are gone, and so on. */
TURNS_PROBE(__ls_turns_apart)
{
    step = uniform64(step);
    uint64_t last = LS_TURNS_MORE(more), number = uniform64(more ^ last), turn = 0;
    struct way way = way_of(low | (uint64_t)high << 32, readfirstlane(head), step, 0, index, scale);
    way.wraps = (way.head & HEAD_INDEX) != 0;
    KEEP_LOOP while (turn <= last && last != NO_TURNS)
    {
        uint64_t least = least_of(last), address = address_on(way, step, turn);
        __ls_turns_even(wave, (uint32_t)address, (uint32_t)(address >> 32), head,
                        index + (uint32_t)(step * turn), step, number | (least - turn), scale);
        turn = least + 1;
    }
}
