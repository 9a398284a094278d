/*
 * decode.h - a kernel's machine code made micro-operations. This room knows the builders of all others, which know
 * nothing of it: what stands behind an indirect jump is decoded through a function that the code was made with.
 */
#ifndef SOFT_GPU_ISA_DECODE_H
#define SOFT_GPU_ISA_DECODE_H

#include "soft-gpu/isa/code/code.h"

/* Decodes everything reachable from `entry`. `observers`: enum sg_observers bits. NULL when out of memory.
 * The caller owns one reference. */
struct sg_code *sg_code_create(struct gcn_target target, const struct sg_code_source *source, uint64_t entry,
                               unsigned observers);

#endif
