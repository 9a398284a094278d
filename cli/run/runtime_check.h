/* runtime_check.h - whether the ROCm runtime that a program loads knows an emulated GPU. */
#ifndef CLI_RUNTIME_CHECK_H
#define CLI_RUNTIME_CHECK_H

/* The first library of ROCr and HIP, of those that the program is linked with, that does not know the target
 * ("gfx950"): its path, malloc'd. NULL when there is none, and when it cannot be told: programs that load the
 * runtime later (scripts, Python) learn it from the software GPU, when they do. */
char *runtime_without(const char *program, const char *target);

#endif
