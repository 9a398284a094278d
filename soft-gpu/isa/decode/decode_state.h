/*
 * decode_state.h - shared by the files here. The lock of the code (code_state.h) is held in all of these.
 */
#ifndef SOFT_GPU_ISA_DECODE_STATE_H
#define SOFT_GPU_ISA_DECODE_STATE_H

#include "soft-gpu/isa/code/code_state.h"

/* ---- decode.c ---- */

void sg_builder_start(struct sg_builder *b, uint64_t pc);
/* Builds the instruction, or a fault that names it. */
void sg_builder_build(struct sg_builder *b, const struct gcn_inst *in);

/* ---- pairs.c ---- */

/* Fuses pairs (uop.h) whose first one is at `from` or later, and returns where to go on when more has been
 * emitted. */
struct sg_uop *sg_code_fuse(struct sg_code *c, struct sg_uop *from);
/* The run ends: there is nothing to fuse with the micro-operation at `last`, where that went on. */
void sg_code_fuse_last(struct sg_code *c, struct sg_uop *last);

/* ---- unread.c ---- */

/* Of code from `pc` on: no instruction reads what VGPR `row` has now, in any lane, before it is overwritten or the
 * wavefront ends. False also when that takes long to find out. Masked instructions that overwrite the row do so in all
 * lanes that are active at `pc`. */
bool sg_code_unread(struct sg_code *c, uint64_t pc, unsigned row);

/* ---- delay.c ---- */

/* Whether an s_sleep stands in a short loop that touches no memory, reads no time and meets nobody. False also where that is not
 * seen at a glance. */
bool sg_code_delays(struct sg_code *c, const struct gcn_inst *sleep);

/* ---- indexed.c ---- */

/* A vector instruction in M0-relative mode. Its version for index 0 is built at once so that all its
 * constants exist before a wavefront can run it. */
void sg_build_indexed(struct sg_builder *b, const struct gcn_inst *in);

#endif
