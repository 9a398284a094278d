/*
 * block.c - probes at the entries of blocks, and time intervals.
 */
#include "message.h"

/* Entry into a block at the time `now`, whatever the state of the chunk. */
COLD void __ls_block_slow(uint64_t wave, uint64_t now, uint32_t head)
{
    emit((wave_ptr)uniform64(wave), active_lanes(), readfirstlane(head) | LS_KIND_BLOCK << 24, uniform64(now),
         0, 0, 0, 0);
}

/* Entry into a block; as access(), without an address. */
static HOT inline void block(uint64_t wave, uint32_t head)
{
    OPAQUE(wave);
    if (!wave)
        return;
    wave_ptr w = (wave_ptr)wave;
    uint64_t loaded = LOAD(&w->cursor, WAVEFRONT), now = __builtin_readcyclecounter();
    mask_t exec = active_lanes();
    uint32_t at = readfirstlane((uint32_t)loaded), left = readfirstlane((uint32_t)(loaded >> 32));
    OPAQUE(left);
    if (__builtin_expect(left < (LS_MESSAGE_MAX + 24) << 16, 0)) {
        __ls_block_slow(wave, now, head);
        return;
    }
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

void __ls_block(uint64_t wave, uint32_t head)
{
    block(wave, head);
}

/* The same as a call. */
COLD void __ls_block_far(uint64_t wave, uint32_t head)
{
    block(uniform64(wave), readfirstlane(head));
}

/* A time interval that began at `start` (readcyclecounter). */
COLD void __ls_time(uint64_t wave, uint64_t start, uint32_t head)
{
    wave = uniform64(wave);
    if (!wave)
        return;
    uint64_t cycles = __builtin_readcyclecounter() - uniform64(start);
    emit((wave_ptr)wave, active_lanes(), readfirstlane(head) | LS_KIND_TIME << 24, uniform64(start),
         cycles > 0xffffffff ? 0xffffffff : (uint32_t)cycles, 0, 0, 0);
}
