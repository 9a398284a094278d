/*
 * bulk_move.h - copying and filling, each byte stored once. memcpy and memset may store some bytes twice,
 * and a flag that somebody has taken and cleared in between would come back.
 */
#ifndef SOFT_GPU_ISA_BULK_MOVE_H
#define SOFT_GPU_ISA_BULK_MOVE_H

#include <stdint.h>

/* The ranges do not overlap. */
void sg_bulk_copy(uint8_t *to, const uint8_t *from, uint64_t n);
/* Byte i becomes byte (i + phase) % bytes of the pattern; at most 32 bytes of pattern. */
void sg_bulk_fill(uint8_t *to, uint64_t n, const uint8_t *pattern, unsigned bytes, unsigned phase);

#endif
