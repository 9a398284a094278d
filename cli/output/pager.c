/* pager.c - see pager.h. */
#include "pager.h"
#include "cli/common/cli.h"
#include "cli/common/programs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    NOT_EXECUTABLE = 126,
    NOT_FOUND = 127,      /* exit codes of POSIX shells for commands that they cannot run */
    LESS_INTERRUPTED = 2, /* by ctrl-C, with its option -K */
};

static int terminal = -1;
static pid_t child;

/* Whether the shell will find the command's first word; commands of more than plain words are left to it. */
static bool is_there(const char *command)
{
    command += strspn(command, " \t");
    char *word = strndup(command, strcspn(command, " \t"));
    bool found = strpbrk(command, "'\"$`\\;|&<>()=~") || (word && is_program(word));
    free(word);
    return found;
}

static const char *command(void)
{
    const char *pager = getenv("PAGER");
    /* On a dumb terminal less waits for a key before it shows anything. */
    if (!terminal_is_capable() || (pager && (!*pager || !strcmp(pager, "cat"))))
        return NULL;
    if (is_there(pager ? pager : "less"))
        return pager ? pager : "less";
    if (pager)
        message("PAGER: '%s' is not found; printing without it", pager);
    return NULL;
}

static void run_pager(const char *pager, int from, int to)
{
    dup2(from, STDIN_FILENO);
    close(from);
    close(to);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(NOT_FOUND);
}

static void tell_failure(int code)
{
    const char *pager = getenv("PAGER") ? getenv("PAGER") : "less";
    if (code == NOT_EXECUTABLE || code == NOT_FOUND)
        message("PAGER: '%s' could not be run, so nothing was shown; --no-pager prints without it", pager);
    else if (code && code != LESS_INTERRUPTED)
        message("PAGER: '%s' ended with exit code %d; --no-pager prints without it", pager, code);
}

void pager_start(void)
{
    int ends[2];
    const char *pager = isatty(STDOUT_FILENO) ? command() : NULL;
    if (!pager || fflush(stdout) || pipe(ends))
        return;
    child = fork();
    if (!child)
        run_pager(pager, ends[0], ends[1]);
    close(ends[0]);
    if (child > 0) {
        terminal = dup(STDOUT_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        /* Ctrl-C is the pager's; when it ends first, writing fails, and that is all. */
        signal(SIGINT, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
    }
    close(ends[1]);
}

int pager_terminal(void)
{
    return terminal;
}

bool pager_end(void)
{
    if (terminal < 0)
        return false;
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    terminal = -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, SIG_DFL);
    if (WIFEXITED(status))
        tell_failure(WEXITSTATUS(status));
    return true;
}
