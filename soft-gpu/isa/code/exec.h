/*
 * exec.h - EXEC: a register, and as w->exec and w->xm the copies that handlers look at.
 */
#ifndef SOFT_GPU_ISA_EXEC_H
#define SOFT_GPU_ISA_EXEC_H

#include "code.h"

static inline void sg_fill_exec_mask(struct sg_wave *w, uint64_t exec)
{
    for (unsigned group = 0; group < 8; group++) {
        uint32_t byte = (uint32_t)(exec >> (8 * group)) & 255;
        for (unsigned i = 0; i < 8; i++)
            w->xm[8 * group + i] = byte & 1u << i ? ~0u : 0;
    }
}

/* After EXEC's registers have been written. `vectors`: vector instructions so far. */
static inline void sg_set_exec(struct sg_wave *w, const uint32_t *s, int32_t vectors)
{
    const uint64_t exec = sg_exec_register(w, s);
    if (exec == w->exec)
        return;
    sg_count_lanes(w, vectors);
    w->exec = exec;
    sg_fill_exec_mask(w, exec);
}

#endif
