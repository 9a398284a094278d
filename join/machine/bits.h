/*
 * bits.h - which bits of a register may be 1. Where two values have none in common, LLVM makes an "or" of their sum. Pure: no I/O,
 * no state.
 */
#ifndef JOIN_BITS_H
#define JOIN_BITS_H

#include "join/machine/op/op.h"

/* The bits that may be 1 in what the instruction computes, of those that may be in its sources. */
uint32_t ls_bits_computed(const struct ls_op *op, const uint32_t *may);
/* The same of the first source moved left by the second. */
uint32_t ls_bits_shifted(const struct ls_op *op, const uint32_t *may);

#endif
