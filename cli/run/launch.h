/* launch.h - starts the program and waits for it as if the launcher were not there. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <sys/types.h>
#include "watch.h"

/* Path of the program as execvp would find it (malloc'd), or NULL after a message with *code 126 or 127. */
char *find_program(const char *name, int *code);
/* Runs it with the current environment; returns its wait status, or -1 after a message with *code set. `w` (may be
 * NULL) is shown meanwhile. */
int launch(const char *path, char *const *argv, struct watch *w, int *code);
/* Ends this process the way the program ended: the same exit code, or the same signal. Returns the exit code
 * if the signal cannot be repeated. */
int repeat_status(int status);

/* Broken pipes do not end this process from now on: nobody may read its messages, and the program runs and ends as it does. What
 * `launch` starts finds them as they were. */
void hold_broken_pipes(void);

#endif
