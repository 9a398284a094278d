/*
 * hsa_signal.h - amd_signal_t as the command processor sees it (amd_hsa_signal.h of ROCr): value, interrupt
 * mailbox, time stamps.
 */
#ifndef SOFT_GPU_CP_HSA_SIGNAL_H
#define SOFT_GPU_CP_HSA_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

struct sg_cp;

/* All take the signal's GPU address (hsa_signal_t.handle), and return false when it is not mapped. */

bool signal_read(struct sg_cp *cp, uint64_t va, int64_t *value);
/* Completion: time stamps, value -= 1, interrupt. */
bool signal_complete(struct sg_cp *cp, uint64_t va, uint64_t start, uint64_t end);
/* Stores a value and raises the interrupt: how the command processor talks to ROCr's queue handler. */
bool signal_store(struct sg_cp *cp, uint64_t va, int64_t value);

#endif
