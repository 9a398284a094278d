/*
 * mem_format.h - formatted buffer accesses: flag bits of their micro-operations, above SG_MF_EXTRA_SHIFT.
 */
#ifndef SOFT_GPU_ISA_MEM_FORMAT_H
#define SOFT_GPU_ISA_MEM_FORMAT_H

#include "mem_internal.h"

enum {
    GCN_FMT_COUNT_SHIFT = SG_MF_EXTRA_SHIFT,     /* components - 1, 2 bits */
    GCN_FMT_D16 = 1 << (SG_MF_EXTRA_SHIFT + 2),  /* registers hold 16-bit components */
    GCN_FMT_HIGH = 1 << (SG_MF_EXTRA_SHIFT + 3), /* in the upper half */
    GCN_FMT_TYPED_SHIFT = 24, /* MTBUF: data format [3:0], number format [6:4], GCN_FMT_TYPED */
    GCN_FMT_TYPED = 1 << 7,
};

int sg_format_load(SG_ARGS);
int sg_format_store(SG_ARGS);
/* Bytes of one element; 0 for the invalid format, which reads 0 and drops writes. */
unsigned sg_format_bytes(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s);

#endif
