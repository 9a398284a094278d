/*
 * report.h - what a person sees on stderr when a kernel goes wrong.
 */
#ifndef SOFT_GPU_KFD_REPORT_H
#define SOFT_GPU_KFD_REPORT_H

#include "../cp/cp.h"

/* Prints one line: what, kernel, source line, instruction, address, place in the grid. */
void fault_report(unsigned gpu, const struct sg_cp_fault *fault);
/* The same for a dispatch that goes on, but seems never to end. */
void stall_report(unsigned gpu, const struct sg_dispatch *d, const struct sg_fault *where);

#endif
