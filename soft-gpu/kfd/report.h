/*
 * report.h - what a person sees on stderr when a kernel goes wrong.
 */
#ifndef SOFT_GPU_KFD_REPORT_H
#define SOFT_GPU_KFD_REPORT_H

#include "../cp/cp.h"

struct gpu;

/* Finds ROCr's list of loaded code objects and the demangler, while an application thread is calling: symbol
 * look-up at the time of a fault could wait for a lock that the application holds. */
void report_prepare(void);
/* Prints one line: what, kernel, instruction, address, place in the grid, source line. */
void fault_report(struct gpu *g, const struct sg_cp_fault *fault);

#endif
