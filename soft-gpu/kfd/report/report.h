/*
 * report.h - what a person sees on stderr when a kernel goes wrong.
 */
#ifndef SOFT_GPU_KFD_REPORT_H
#define SOFT_GPU_KFD_REPORT_H

#include "soft-gpu/cp/cp.h"

/* Prints one line: what, kernel, source line, instruction, address, place in the grid. */
void fault_report(unsigned gpu, const struct sg_cp_fault *fault);
/* The same for a dispatch that goes on, but seems never to end. */
void stall_report(unsigned gpu, const struct sg_dispatch *d, const struct sg_fault *where);

/* A line of the software GPU's on stderr, "lanescope: " before it; texts from outside are made printable. */
__attribute__((format(printf, 1, 2))) void report_line(const char *format, ...);

#endif
