#include "launch.h"
#include "cli/common/cli.h"
#include "results/file/error_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int try_program(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    return access(path, X_OK) ? errno : 0;
}

static void explain(const char *path, int why, int *code)
{
    *code = why == ENOENT || why == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
    if (why == ENOENT && !try_program(path))
        message("%s: what its first line, or its ELF header, names as its interpreter is not there", path);
    else if (why == ENOENT || why == ENOTDIR)
        message("%s: program not found; check the path (the program follows `--`)", path);
    else if (why == EISDIR)
        message("%s: is a directory, not a program", path);
    else if (why == EACCES)
        message("%s: is not executable; `chmod +x %s`, or put its interpreter before it", path, path);
    else if (why == ENOEXEC)
        message("%s: is neither a script nor a program for this machine", path);
    else
        message("%s: cannot be executed: %s", path, strerror(why));
}

char *find_program(const char *name, int *code)
{
    if (strchr(name, '/') || !*name) {
        int why = *name ? try_program(name) : ENOENT;
        if (!why)
            return strdup(name);
        explain(*name ? name : "''", why, code);
        return NULL;
    }
    const char *search = getenv("PATH");
    char *copy = strdup(search ? search : "/bin:/usr/bin"), *rest = copy, *dir, *found = NULL, *denied = NULL;
    while (!found && (dir = strsep(&rest, ":"))) {
        char *path = ls_text("%s/%s", *dir ? dir : ".", name);
        int why = path ? try_program(path) : ENOMEM;
        if (!why) {
            found = path;
        } else if (why == EACCES && !denied) {
            denied = path;
        } else {
            free(path);
        }
    }
    if (!found && denied) {
        explain(denied, EACCES, code);
    } else if (!found) {
        *code = EXIT_NOT_FOUND;
        message("%s: program not found in PATH%s", name,
                access(name, F_OK) ? "" : "; it is in this directory: write it as ./NAME");
    }
    free(denied);
    free(copy);
    return found;
}

/* Signals that others send to the launcher and that are meant for the program. Those that a terminal sends
 * reach the whole foreground group, the program included. */
static const int forwarded[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
#define N_FORWARDED (sizeof(forwarded) / sizeof(*forwarded))

/* As shells tell them apart: a text has no zeros. */
static bool is_text(const char *path)
{
    char head[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : -1;
    if (fd >= 0)
        close(fd);
    return n >= 0 && !memchr(head, 0, (size_t)n);
}

/* What the program is to do about broken pipes. */
static struct sigaction broken_pipe;
static bool broken_pipe_held;

void hold_broken_pipes(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    broken_pipe_held = !sigaction(SIGPIPE, &ignore, &broken_pipe);
}

static void exec_child(const char *path, char *const *argv, const sigset_t *mask, int report)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (broken_pipe_held)
        sigaction(SIGPIPE, &broken_pipe, NULL);
    execv(path, argv);
    int why = errno;
    if (why == ENOEXEC && is_text(path)) { /* a script without #!: execvp runs it with sh */
        execvp(path, argv);
        why = errno;
    }
    ssize_t n = write(report, &why, sizeof(why));
    _exit(n < 0 || why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/* What ctrl-Z does to the launcher, too. It is blocked before, so that the shell finds the terminal as it was. */
static void stop_with_program(struct watch *w)
{
    sigset_t stop;
    watch_give_back(w);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL); /* here it stops, until somebody continues it */
    sigprocmask(SIG_BLOCK, &stop, NULL);
}

static int wait_for(pid_t child, const sigset_t *set, struct watch *w)
{
    const struct timespec interval = {WATCH_INTERVAL_MS / 1000, WATCH_INTERVAL_MS % 1000 * 1000000l};
    for (;;) {
        siginfo_t info;
        int status, sig = w ? sigtimedwait(set, &info, &interval) : sigwaitinfo(set, &info);
        if (sig < 0 && errno == EAGAIN) {
            watch_tick(w);
            continue;
        }
        if (sig == SIGCHLD || (sig < 0 && errno != EINTR)) {
            pid_t done = waitpid(child, &status, sig < 0 ? 0 : WNOHANG);
            if (done == child)
                return status;
        } else if (sig == SIGTSTP) {
            stop_with_program(w);
        } else if (sig > 0 && info.si_code <= 0 && info.si_pid != child) {
            kill(child, sig); /* sent by a process, not by the terminal */
        }
    }
}

int launch(const char *path, char *const *argv, struct watch *w, int *code)
{
    sigset_t set, before;
    int report[2], why = 0, status;
    if (pipe2(report, O_CLOEXEC)) {
        message("cannot start the program: %s", strerror(errno));
        *code = EXIT_FAILED;
        return -1;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < N_FORWARDED; i++)
        sigaddset(&set, forwarded[i]);
    if (w)
        sigaddset(&set, SIGTSTP);
    /* A parent that ignores SIGCHLD (and so do we then) would let the kernel reap the child. */
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t child = fork();
    if (child == 0)
        exec_child(path, argv, &before, report[1]);
    close(report[1]);
    if (child < 0) {
        message("cannot start the program: %s", strerror(errno));
        close(report[0]);
        *code = EXIT_FAILED;
        return -1;
    }
    ssize_t n = read(report[0], &why, sizeof(why));
    close(report[0]);
    status = wait_for(child, &set, w);
    if (n == (ssize_t)sizeof(why)) {
        explain(path, why, code);
        return -1;
    }
    return status;
}

int repeat_status(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int sig = WTERMSIG(status);
    sigset_t set;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the program's core is the one that matters */
    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    fflush(NULL);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + sig;
}
