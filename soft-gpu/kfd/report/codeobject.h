/*
 * codeobject.h - names and source lines of what runs on the GPU, from the code objects that ROCr has loaded.
 */
#ifndef SOFT_GPU_KFD_CODEOBJECT_H
#define SOFT_GPU_KFD_CODEOBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* Texts are made printable (lanescope/printable.h): a code object may be anybody's. */
struct code_place {
    char kernel[512]; /* demangled if possible; empty when unknown */
    char file[512];   /* empty: no line tables */
    int line, column;
    char inlined[1024]; /* ", inlined at FILE:LINE:COLUMN" for each call around it, innermost first */
};

/* Looks the kernel descriptor and the instruction up. Fields that cannot be found stay empty. Any thread. */
void code_locate(uint64_t kernel_object, uint64_t pc, struct code_place *out);

#endif
