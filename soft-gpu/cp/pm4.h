/*
 * pm4.h - PM4 commands that arrive inside AQL vendor packets.
 */
#ifndef SOFT_GPU_CP_PM4_H
#define SOFT_GPU_CP_PM4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_cp;

/* Executes the indirect buffer of a 64-byte AMD_AQL_FORMAT_PM4_IB packet. False and a sentence in `why` when
 * the packet or a command in the buffer is not known. */
bool pm4_execute_aql(struct sg_cp *cp, const void *packet, char *why, size_t why_size);

#endif
