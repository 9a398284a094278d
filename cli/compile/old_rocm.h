/*
 * old_rocm.h - what a new clang needs to compile for a ROCm that is too old for it.
 */
#ifndef CLI_OLD_ROCM_H
#define CLI_OLD_ROCM_H

#include "compile_command.h"

/* Adds what is needed for ROCm 5 with clang 17 and later (`major`); nothing otherwise. 0, or an exit code
 * after a message. */
int add_old_rocm(struct arguments *out, const struct command *c, const char *compiler, int major);

#endif
