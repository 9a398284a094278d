/*
 * counts.h - how many instructions each kernel of this process has executed, for measurements.
 */
#ifndef SOFT_GPU_KFD_COUNTS_H
#define SOFT_GPU_KFD_COUNTS_H

#include <stdint.h>

/* A dispatch of the kernel with that descriptor has ended, after so many wavefront instructions. Any thread. */
void counts_take(uint64_t kernel_object, uint64_t instructions);
/* [va, va+size) was unmapped: another kernel may have its descriptor there later. */
void counts_code_gone(uint64_t va, uint64_t size);
/* Appends a line for each kernel to the file: dispatches, instructions, name, separated by tabs; once a
 * process. An error is one line on stderr. */
void counts_finish(const char *file);
/* In a forked child: nothing was counted yet. */
void counts_forget(void);

#endif
