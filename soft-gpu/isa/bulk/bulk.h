/*
 * bulk.h - dispatches that only move memory, done for the whole grid at once.
 *
 * HIP fills and copies buffers, rectangles and boxes with kernels whose work-items each load and store a few
 * bytes at an address that is linear in the work-item's place in the grid. Such a kernel is run once, with
 * registers that are formulas over the grid instead of numbers (bulk_eval.c). When that shows that all it
 * does is store constants, or what it has loaded, at linear addresses, and that nothing it reads is something
 * it writes, the stores are done row by row, at memory speed. Nothing is known of any particular kernel:
 * whatever the evaluation does not understand leaves the work-groups concerned, or the whole dispatch, to the
 * interpreter.
 */
#ifndef SOFT_GPU_ISA_BULK_H
#define SOFT_GPU_ISA_BULK_H

#include "soft-gpu/isa/wave/dispatch.h"

struct sg_bulk;

/* Studies a dispatch; `user` from sg_user_sgprs. NULL when there is nothing to gain; finding
 * that out costs little against running it. Changes nothing in memory. Free with sg_bulk_free. */
struct sg_bulk *sg_bulk_plan(const struct ls_gpu *arch, struct sg_tlb *tlb, const struct sg_dispatch *d,
                             const struct sg_kernel *k, const struct sg_user_sgprs *user,
                             const struct sg_shape *shape);
void sg_bulk_free(struct sg_bulk *p);

/* How many work-groups from `group` on to do in one call of sg_bulk_run; 0: `group` is the interpreter's. */
uint64_t sg_bulk_groups(const struct sg_bulk *p, uint64_t group);
/* Does work-groups [from, to). Any threads at the same time, on different work-groups. False: memory was
 * unmapped meanwhile, *fault says where. */
bool sg_bulk_run(const struct sg_bulk *p, struct sg_tlb *tlb, uint64_t from, uint64_t to,
                 struct sg_fault *fault);
/* What the interpreter would have counted for all work-groups that sg_bulk_run does. */
void sg_bulk_counters(const struct sg_bulk *p, uint64_t *wave_instructions, uint64_t *lane_operations);

#endif
