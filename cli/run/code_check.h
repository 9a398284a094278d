/*
 * code_check.h - whether a program holds code for the GPU that it is about to run on.
 */
#ifndef CLI_RUN_CODE_CHECK_H
#define CLI_RUN_CODE_CHECK_H

/*
 * 0, or an exit code after a message that names what the program holds and how to compile it. What cannot be told is the
 * runtime's to find out: code that is compressed, that a library brings, or that is compiled when the program runs.
 * gpu: "hw" or "soft:NAME...", as choose_gpu() says; program: a path.
 */
int check_code(const char *gpu, const char *program);

#endif
