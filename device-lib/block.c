/*
 * block.c - probes at the entries of blocks, and time intervals.
 */
#include "message.h"

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
    wave = uniform64(wave);
    head = readfirstlane(head);
    if (!wave)
        return;
    wave_ptr w = (wave_ptr)wave;
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT), now = __builtin_readcyclecounter();
    mask_t exec = active_lanes();
    uint32_t at = readfirstlane((uint32_t)loaded), left = readfirstlane((uint32_t)(loaded >> 32));
    OPAQUE(left);
    if (__builtin_expect(left < (LS_MESSAGE_MAX + 24) << 16, 0))
        TAIL_CALL(__ls_block_slow(wave, (uint32_t)now, (uint32_t)(now >> 32), head));
    if (bits_below(exec) == 0) {
        GLOBAL u32x4 *out = (GLOBAL u32x4 *)(at | (uint64_t)(left & 0xffff) << 32);
        uint64_t next = (at | (uint64_t)left << 32) + ADVANCE(16);
        uint32_t flags = LS_KIND_BLOCK << 24;
        OPAQUE(exec);
        if (exec != ALL_LANES) {
            *(GLOBAL uint64_t *)(out + 1) = exec;
            next += ADVANCE(8);
            flags |= LS_HEAD_PARTIAL;
        }
        *out = (u32x4){head | flags, (uint32_t)now, (uint32_t)(now >> 32), 0};
        STORE(&w->cursor, next, WAVEFRONT);
    }
}
