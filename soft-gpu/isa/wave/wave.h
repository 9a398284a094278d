/*
 * wave.h - making and running one wavefront; used by the scheduler and by sg_engine_exec_raw.
 */
#ifndef SOFT_GPU_ISA_WAVE_H
#define SOFT_GPU_ISA_WAVE_H

#include "soft-gpu/isa/code/code.h"

enum { SG_ROWS = SG_TEMP_ROW + SG_TEMP_ROWS };

/* Allocates the register rows (lazily backed by memory) and the scalar file with its inline constants. False
 * when out of memory. */
bool sg_wave_alloc(struct sg_wave *w);
void sg_wave_free(struct sg_wave *w);

/* Prepares an allocated wavefront for the code of `entry`: constants, apertures, EXEC from s[126..127],
 * counters. The caller has set s[0..127], mode, dispatch, wg, tlb, arch, device, log. False when out of
 * memory. */
bool sg_wave_start(struct sg_wave *w, struct sg_code *code, const struct sg_code_entry *entry);

/* Runs until the next stop; backward jumps before a yield: `budget`. */
static inline enum sg_stop sg_wave_run(struct sg_wave *w, int32_t budget)
{
    w->budget = budget;
    return (enum sg_stop)w->next->fn(w, w->next, w->v, w->s);
}

#endif
