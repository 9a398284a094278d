/*
 * mem_weak.h - memory instructions on weak memory (soft-gpu/weak). Their micro-operations stand in front of the
 * ordinary ones, only when memory is weak: they do what concerns global memory and go on behind the ordinary one;
 * LDS and private memory they leave to it.
 */
#ifndef SOFT_GPU_ISA_MEM_WEAK_H
#define SOFT_GPU_ISA_MEM_WEAK_H

#include "soft-gpu/isa/code/uop.h"

struct sg_mem_uop;

/* Appends the access, with what weak memory needs in front of it. `in` has its cache bits. `op`: of an atomic, an enum
 * sg_atomic_op. */
void sg_emit_load(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, const struct sg_mem_uop *m);
void sg_emit_store(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, const struct sg_mem_uop *m);
void sg_emit_atomic(struct sg_builder *b, sg_fn fn, const struct sg_mem_uop *m, unsigned op, bool wide);
/* buffer_wbl2, buffer_inv and their like. */
void sg_emit_cache_control(struct sg_builder *b, const struct gcn_inst *in);

/* struct sg_weak_config.rmw. */
uint64_t sg_weak_host_rmw(void *host, unsigned op, bool wide, uint64_t a, uint64_t b);

#endif
