/* launch.h - starts the program and waits for it as if the launcher were not there. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <sys/types.h>

/* Path of the program as execvp would find it (malloc'd), or NULL after a message with *code 126 or 127. */
char *find_program(const char *name, int *code);
/* Runs it with the current environment; returns its wait status, or -1 after a message with *code set. */
int launch(const char *path, char *const *argv, int *code);
/* Ends this process the way the program ended: the same exit code, or the same signal. Returns the exit code
 * if the signal cannot be repeated. */
int repeat_status(int status);

#endif
