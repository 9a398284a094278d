/*
 * clocks.c - what the GPU's clocks say: the counter of 100 MHz that times of wavefronts come from, and the counter of
 * cycles. A work-group is one wavefront.
 */
#include "device.h"
#include "lanescope/realtime.h"

/* XCC_ID is hwreg 20 on gfx940 and later CDNA (CDNA3 ISA document, S_GETREG_B32). */
static inline u32 die(void)
{
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
    return __builtin_amdgcn_s_getreg(20 | 31 << 11) & 15;
#else
    return 0;
#endif
}

/* struct meeting of ../clocks.h */
struct meeting {
    u64 met, die, ticks[2], cycles[2];
};

/* All wavefronts wait for each other, `turns` looks at most, then say what time it is, and again after `pause` looks at
 * the clock. */
KERNEL clocks_meet(GLOBAL u32 *arrived, GLOBAL struct meeting *out, u32 turns, u32 pause)
{
    u32 group = __builtin_amdgcn_workgroup_id_x(), met = 0;
    u32 groups = __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
    GLOBAL struct meeting *m = &out[group];
    if (__builtin_amdgcn_workitem_id_x())
        return;
    __scoped_atomic_fetch_add(arrived, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
    for (u32 k = 0; k < turns && !met; k++)
        met = __scoped_atomic_load_n(arrived, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM) >= groups;
    u64 first = ls_realtime(), cycle = __builtin_readcyclecounter(), last = first;
    for (u32 k = 0; k < pause; k++)
        last = ls_realtime();
    m->cycles[1] = __builtin_readcyclecounter();
    m->met = met;
    m->die = die();
    m->ticks[0] = first;
    m->ticks[1] = last;
    m->cycles[0] = cycle;
}
