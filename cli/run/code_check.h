/*
 * code_check.h - whether a program holds code for the GPU that it is about to run on.
 */
#ifndef CLI_RUN_CODE_CHECK_H
#define CLI_RUN_CODE_CHECK_H

/*
 * 0, or an exit code after a message that names what the program, or else the libraries that it is linked with, hold and how
 * to compile it. What cannot be told is the runtime's to find out: code of libraries that are loaded later, as by scripts, or
 * that is compiled when the program runs (soft-gpu/kfd/config/held.c says it then).
 * gpu: "hw" or "soft:NAME...", as choose_gpu() says; program: a path.
 */
int check_code(const char *gpu, const char *program);

#endif
