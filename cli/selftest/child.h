/* child.h - the process of a step: kept apart from what surrounds the self-test, and ended with all that it started. */
#ifndef CLI_SELFTEST_CHILD_H
#define CLI_SELFTEST_CHILD_H

#include <sys/types.h>

/* In the place of a wait status. */
enum { CHILD_LATE = -1, CHILD_STOPPED = -2 };

/* From here on SIGINT, SIGTERM and SIGHUP end the step that runs instead of the self-test, unless they were ignored. */
void child_take_signals(void);
/* Which of them came; 0: none. */
int child_signal(void);
/* They end the self-test again. */
void child_leave_signals(void);

/* What steps share in `directory`. 0, or -1 with errno. */
int child_prepare(const char *directory);
/* Starts a program (NULL: this one) with these words; its output goes to the files "out" and "errors" of the directory,
 * all that it leaves behind into the directory. No setting, configuration file or other tool reaches it. -1 with errno. */
pid_t child_start(const char *program, char *const *words, const char *directory);
/* Waits at most `seconds`. The wait status; or CHILD_LATE, CHILD_STOPPED (by a signal): then it and its children
 * were killed and are gone, if the kernel driver lets them: it may wait for the GPU. */
int child_wait(pid_t pid, int seconds);

#endif
