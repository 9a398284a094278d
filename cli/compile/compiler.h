/*
 * compiler.h - asks a compiler.
 */
#ifndef CLI_COMPILER_H
#define CLI_COMPILER_H

/* Standard output of a command, malloc'd; NULL when it cannot be run or fails.
 * Its standard error is dropped. */
char *output_of(char *const *argv);

/* Major version of the compiler's LLVM; 0: not clang; -1: cannot be run. */
int llvm_major(const char *compiler);

#endif
