/*
 * stall_counts.h - a loop that only counts: registers change each time round, and nothing that the wavefront
 * does depends on them.
 */
#ifndef SOFT_GPU_ISA_STALL_COUNTS_H
#define SOFT_GPU_ISA_STALL_COUNTS_H

#include "stall.h"

/* From one stop to the next: the instruction behind the first, and the second's. */
struct sg_span {
    uint64_t from, stop;
};

/* A wavefront has gone round `spans`, in this order, and come back to where it was with other values in
 * `changed` only. True when it goes the same way again as long as memory stays what it is: no branch, no
 * address and nothing that is stored depends on these registers. They grow by those that are computed from
 * them or from the time, wherever these still stand at the beginning. False also when that was not
 * understood. */
bool sg_only_counts(struct sg_wave *w, const struct sg_span *spans, unsigned n, struct sg_registers *changed);

#endif
