/* A library that is no handler; with NO_HANDLER set, one that cannot even be loaded. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void)
{
    const char *how = getenv("NO_HANDLER");
    if (how && !strcmp(how, "crash"))
        *(volatile int *)8 = 1;
    if (how && !strcmp(how, "exit"))
        _exit(0);
    if (how &&
        !strcmp(how, "fork")) { /* leaves a process behind that holds what is open, until the command ends */
        const pid_t command = getppid();
        if (!fork())
            while (!kill(command, 0))
                usleep(10000);
        _exit(3);
    }
}
