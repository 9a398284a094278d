/*
 * block.c - probes at the entries of blocks, and time intervals.
 */
#include "access.h"

/* Entry into a block at the time low, high, whatever the state of the chunk. */
PROBE(__ls_block_slow)
{
    wave = uniform64(wave);
    head = readfirstlane(head);
    emit((wave_ptr)wave, active_lanes(), head | LS_KIND_BLOCK << 24,
         readfirstlane(low) | (uint64_t)readfirstlane(high) << 32, 0, 0, 0, 0);
}

/* Entry into a block; `low` and `high` are nothing. */
PROBE(__ls_block)
{
    u32x2 halves = wave_of(wave);
    wave_ptr w = record_at(halves);
    head = readfirstlane(head);
    if (is_silent(halves))
        return;
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT), now = __builtin_readcyclecounter();
    mask_t exec = active_lanes();
    uint64_t cursor = uniform64(loaded);
    if (has_less(cursor, LS_MESSAGE_MAX + 24))
        TAIL_CALL(__ls_block_slow(wave, (uint32_t)now, (uint32_t)(now >> 32), head));
    struct regular r = {.base = now, .kind = LS_KIND_BLOCK, .first = first_lane_of(exec)};
    head += LS_KIND_STRIDED << 24; /* as those of accesses have it */
    if (exec == ALL_LANES)
        send_short(w, cursor, 1, exec, r, head);
    else
        send_short(w, cursor, 0, exec, r, head);
}
