/*
 * access.c - probes of accesses through pointers, and the choice of how their addresses are sent.
 */
#include "access.h"
#include "summary.h"

PROBE(__ls_send)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    mask_t exec = active_lanes();
    uint64_t address = low | (uint64_t)high << 32;
    struct line l = line_through(exec, address);
    uint32_t kind = LS_KIND_STRIDED, word3 = (uint32_t)l.stride, per_lane = 0;
    uint32_t word = low;
    uint64_t base = l.base;
    _Bool off = ballot(address != line_at(l, bits_below(ALL_LANES))) != 0;
    if (off) {
        uint64_t first = uniform64(address), delta = address - first;
        word3 = COUNT(exec);
        per_lane = 1;
        if (!ballot((int64_t)delta != (int32_t)delta)) {
            kind = LS_KIND_DELTA;
            base = first;
            word = (uint32_t)delta;
        } else if (!ballot(high != (uint32_t)(first >> 32))) {
            kind = LS_KIND_WINDOW;
            base = first & ~0xffffffffull;
        } else {
            kind = LS_KIND_RAW;
            base = 0;
            per_lane = 2;
        }
    }
    emit(w, exec, (readfirstlane(head) & HEAD_SITE) | kind << 24, base, word3, per_lane, word, high);
}

PROBE(__ls_slow)
{
    ctx_ptr ctx = ctx_of((wave_ptr)uniform64(wave));
    if (!(ctx->flags & LS_CTX_SUMMARY))
        TAIL_CALL(__ls_send(wave, low, high, head));
    if (ctx->evidence)
        TAIL_CALL(__ls_evidence(wave, low, high, head));
    TAIL_CALL(__ls_count(wave, low, high, head));
}

/* Whether some lanes are missing, and the addresses form no rows of 8 lanes or more: one is off the line beside the first
 * lane, or there is none on it but beside that (rows_through). */
static HOT inline _Bool has_short_rows(struct line l, mask_t exec, mask_t off)
{
    uint32_t next = first_lane_of(off), first = l.first;
    OPAQUE(next);
    OPAQUE(first);
    if ((next ^ first) < 8)
        return 1;
    return (LAST_LANE(exec & (((mask_t)1 << next) - 1)) ^ first) < 4;
}

/* Whether the addresses form no rows, all lanes active. Of rows of 2 or 4, the steps of sorting networks and Fourier transforms, row 2
 * is as far from row 1 as that from row 0. */
static HOT inline _Bool has_no_rows(struct line l, mask_t off, uint32_t low)
{
    if (!((uint32_t)off & 0xff))
        return 0;
    uint32_t next = first_lane_of(off), row1 = readlane(low, next);
    return readlane(low, 2 * next) - row1 != row1 - (uint32_t)l.base;
}

/* Who goes on when the chunk has no room. */
#define NO_ROOM(all, lds) NO_ROOM_##all##_##lds
#define NO_ROOM_1_0 __ls_count_line
#define NO_ROOM_1_1 __ls_count_line
#define NO_ROOM_0_0 __ls_count_line_partial
#define NO_ROOM_0_1 __ls_count_line_lds
#define NO_ROOM_FOR_ROWS(all, lds) NO_ROOM_FOR_ROWS_##all##_##lds
#define NO_ROOM_FOR_ROWS_1_0 __ls_count_rows
#define NO_ROOM_FOR_ROWS_1_1 __ls_count_rows
#define NO_ROOM_FOR_ROWS_0_0 __ls_count_rows_partial
#define NO_ROOM_FOR_ROWS_0_1 __ls_count_rows_lds

/*
 * Addresses that form neither a line nor rows: distances from the first one. What does not fit, or has no room, goes on as
 * __ls_slow. The message has its fixed part, the mask if lanes are missing, and the distances.
 */
#define IRREGULAR(all, address)                                                                              \
    do {                                                                                                     \
        uint64_t cursor = uniform64(LOAD(&w->cursor, WAVEFRONT));                                            \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        uint64_t first = uniform64(address), delta = address - first;                                        \
        if (ballot((int64_t)delta != (int32_t)delta))                                                        \
            TAIL_CALL(__ls_slow(wave, low, high, head));                                                     \
        uint32_t lane = bits_below(ALL_LANES), n = all ? LS_LANES : COUNT(exec);                             \
        cursor = send_what_waits(w, cursor, all, exec);                                                      \
        GLOBAL uint32_t *at = (GLOBAL uint32_t *)CURSOR_ADDRESS(cursor), *behind = at + (all ? 4 : 6);       \
        behind[all ? lane : bits_below(exec)] = (uint32_t)delta;                                             \
        struct regular r = {.base = first, .word3 = n, .kind = LS_KIND_DELTA};                               \
        r.first = all ? 0 : FIRST_LANE(exec);                                                                \
        send_fixed(w, cursor, all, exec, r, readfirstlane(head), 16 + ((n * 4 + 7) & ~7u));                  \
    } while (0)

PROBE(__ls_irregular)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    IRREGULAR(1, (low | (uint64_t)high << 32));
}

PROBE(__ls_irregular_partial)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    IRREGULAR(0, (low | (uint64_t)high << 32));
}

/* A wavefront's chunk in summary mode, as __ls_begin takes it in the other one; 0: the ring is closed. */
static HOT inline uint64_t first_chunk(wave_ptr w, ctx_ptr ctx, struct way_out c)
{
    mask_t lanes = first_lane_begin();
    u32x4 first = load_16(&w->slot);
    first[2] = hw_id();
    first[3] &= ~LS_ORDER_WAITS;
    uint64_t cursor = uniform64(take_any(ctx, c, first, 0));
    set_lanes(lanes);
    return cursor;
}

/* In summary mode, where a cursor does not tell how much room is left, but in the chunk that a wavefront begins with (LS_CTX_FEW),
 * where messages may wait, too: the first message behind that goes another way. There has to be room for a message behind this
 * one, as there always is in a chunk that was just taken. */
_Static_assert(1024 - sizeof(struct ls_chunk) - DELTA_MAX >= LS_MESSAGE_MAX, "of the smallest chunk");
#define SEND_ONE(all)                                                                                        \
    do {                                                                                                     \
        wave_ptr w = (wave_ptr)uniform64(wave);                                                              \
        struct held held = held_of(w);                                                                       \
        struct way_out c = way_out_of(held.ctx);                                                             \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        uint64_t address = low | (uint64_t)high << 32, first = uniform64(address), delta = address - first;  \
        if (ballot((int64_t)delta != (int32_t)delta) ||                                                      \
            (c.flags & (LS_CTX_DROP | LS_CTX_HOLD)) != LS_CTX_HOLD)                                          \
            TAIL_CALL(__ls_send(wave, low, high, head));                                                     \
        uint64_t cursor = held.cursor ? held.cursor : first_chunk(w, held.ctx, c);                           \
        uint32_t n = all ? LS_LANES : COUNT(exec), size = (all ? 16 : 24) + ((n * 4 + 7) & ~7u);             \
        uint64_t end = CURSOR_ADDRESS(cursor) + size;                                                        \
        if (!cursor || !has_less(cursor, 2) ||                                                               \
            (~(uint32_t)(end - 1 - c.chunks) & (c.chunk_bytes - 1)) < LS_MESSAGE_MAX)                        \
            TAIL_CALL(__ls_send(wave, low, high, head));                                                     \
        uint32_t lane = bits_below(ALL_LANES);                                                               \
        GLOBAL uint32_t *at = (GLOBAL uint32_t *)CURSOR_ADDRESS(cursor), *behind = at + (all ? 4 : 6);       \
        behind[all ? lane : bits_below(exec)] = (uint32_t)delta;                                             \
        struct regular r = {.base = first, .word3 = n, .kind = LS_KIND_DELTA};                               \
        r.first = all ? 0 : first_lane_of(exec);                                                             \
        send_fixed(w, cursor + ((uint64_t)size << 48), all, exec, r, readfirstlane(head),                    \
                   size - (all ? 0 : 8));                                                                    \
    } while (0)

PROBE(__ls_send_at_once)
{
    SEND_ONE(1);
}

PROBE(__ls_send_at_once_partial)
{
    SEND_ONE(0);
}

#define NOT_REGULAR(all) NOT_REGULAR_##all
#define NOT_REGULAR_1 __ls_irregular
#define NOT_REGULAR_0 __ls_irregular_partial

/*
 * The hot path, for 64-bit addresses and for LDS offsets. The cursor is loaded first and used last, so that the wait for
 * it is short. There must be room for the longest message of those that do not fit here, too.
 * Wavefronts with lanes missing go on as __ls_partial.
 */
#define HOT_PATH(all, address, lds)                                                                          \
    do {                                                                                                     \
        uint64_t loaded = LOAD(&w->cursor, WAVEFRONT);                                                       \
        uint32_t lane = bits_below(ALL_LANES);                                                               \
        mask_t exec = all ? ALL_LANES : active_lanes();                                                      \
        struct line l = all ? line_through_all(address) : line_through(exec, address);                       \
        mask_t off = off_line(l, address, lane, lds);                                                        \
        uint64_t cursor = uniform64(loaded);                                                                 \
        if (off) {                                                                                           \
            if (has_less(cursor, LS_MESSAGE_MAX + DELTA_MAX)) {                                              \
                if (all ? has_no_rows(l, off, (uint32_t)address) : has_short_rows(l, exec, off))             \
                    TAIL_CALL(SCATTERED(all, lds)(wave, low, lds ? 0 : high, lds ? head | HEAD_LDS : head)); \
                TAIL_CALL(                                                                                   \
                    NO_ROOM_FOR_ROWS(all, lds)(wave, low, lds ? 0 : high, lds ? head | HEAD_LDS : head));    \
            }                                                                                                \
            struct rows r = all ? rows_through_all(l, off, address) : rows_through(l, exec, off, address);   \
            if (off_rows(r, address, lane, lds))                                                             \
                TAIL_CALL(NOT_REGULAR(all)(wave, low, lds ? 0 : high, lds ? head | HEAD_LDS : head));        \
            struct regular rows = {r.base,  (uint32_t)r.stride, LS_KIND_ROWS,                                \
                                   l.first, (uint32_t)r.pitch,  r.shift};                                    \
            send_short(w, cursor, all, exec, rows, readfirstlane(head));                                     \
            return;                                                                                          \
        }                                                                                                    \
        if (has_less(cursor, LS_MESSAGE_MAX + 24))                                                           \
            TAIL_CALL(NO_ROOM(all, lds)(wave, low, lds ? 0 : high, lds ? head | HEAD_LDS : head));           \
        struct regular line = {                                                                              \
            .base = l.base, .word3 = (uint32_t)l.stride, .kind = LS_KIND_STRIDED, .first = l.first};         \
        send_short(w, cursor, all, exec, line, readfirstlane(head));                                         \
    } while (0)

PROBE(__ls_partial)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    HOT_PATH(0, (low | (uint64_t)high << 32), 0);
}

PROBE(__ls_partial_lds)
{
    wave_ptr w = (wave_ptr)uniform64(wave);
    HOT_PATH(0, low, 1);
}

/* Probe of an access with a 64-bit address. */
PROBE(__ls_access)
{
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    if (is_silent(halves))
        return;
    if (active_lanes() != ALL_LANES)
        TAIL_CALL(__ls_partial(wave, low, high, head));
    HOT_PATH(1, (low | (uint64_t)high << 32), 0);
}

/* Probe of an LDS access: `low` is a byte offset, `high` nothing. */
PROBE(__ls_access_lds)
{
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    if (is_silent(halves))
        return;
    if (active_lanes() != ALL_LANES)
        TAIL_CALL(__ls_partial_lds(wave, low, high, head));
    HOT_PATH(1, low, 1);
}
