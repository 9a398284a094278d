/*
 * scratch.h - which buffer instructions access scratch memory, where spilled registers and private arrays
 * are. GPUs whose scratch has instructions of its own (scratch_load_dword) need none of this. Pure: no I/O,
 * no global state.
 */
#ifndef JOIN_SCRATCH_H
#define JOIN_SCRATCH_H

#include <stdbool.h>
#include "join/machine/op/op.h"

struct ls_scratch {
    int resource;  /* first of the four scalar registers that describe scratch memory; -1: none */
    int low, high; /* pairs that hold the halves of what a kernel starts with; -1: overwritten */
    int sum;       /* pair of which the first has the wavefront's offset already; -1: none */
};

/* Whether a GPU accesses scratch memory by instructions of its own; its name, perhaps with more
 * ("amdgcn-amd-amdhsa--gfx90a"). */
bool ls_scratch_has_instructions(const char *target);
/* Before the first instruction. `kernel`: of a kernel, not of a function that others call. */
struct ls_scratch ls_scratch_begin(bool kernel, bool own_instructions);

/* Takes the next instruction, in order. Whether it is a buffer instruction that accesses scratch memory. */
bool ls_scratch_next(struct ls_scratch *x, const struct ls_op *op);

#endif
