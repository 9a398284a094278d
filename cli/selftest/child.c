#include "child.h"
#include "cli/common/settings.h"
#include "results/file/error_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONFIGURATION "settings.json"

enum { NAP_NS = 20000000, DYING_SECONDS = 10 };

/* ---- signals ---- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_ENDING = sizeof ending / sizeof *ending };
static volatile sig_atomic_t came;

static void note(int sig)
{
    came = sig;
}

static void set_handlers(void (*handler)(int), void (*instead_of)(int))
{
    for (unsigned i = 0; i < N_ENDING; i++) {
        struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};
        sigemptyset(&new.sa_mask);
        if (!sigaction(ending[i], NULL, &old) && old.sa_handler == instead_of)
            sigaction(ending[i], &new, NULL);
    }
}

void child_take_signals(void)
{
    set_handlers(note, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that what a killed step leaves behind can be waited for */
}

int child_signal(void)
{
    return came;
}

void child_leave_signals(void)
{
    set_handlers(SIG_DFL, note);
}

/* ---- surroundings ---- */

/* A disk that fills up would make steps fail, as if it were the GPU. False with errno. */
static bool has_room(const char *directory)
{
    enum { LEAST = 16 << 20 }; /* bytes; the recordings of steps have some 200 KB */
    struct statvfs disk;
    if (statvfs(directory, &disk))
        return false;
    errno = ENOSPC;
    return disk.f_bavail >= LEAST / disk.f_frsize;
}

int child_prepare(const char *directory)
{
    if (!has_room(directory))
        return -1;
    char *path = ls_text("%s/" CONFIGURATION, directory);
    FILE *f = path ? fopen(path, "w") : NULL;
    free(path);
    if (!f)
        return -1;
    fputs("{}\n", f);
    return fclose(f);
}

static void forget_variables(const char *prefix)
{
    size_t i = 0;
    while (environ[i]) {
        char *name = strndup(environ[i], strcspn(environ[i], "="));
        if (name && !strncmp(name, prefix, strlen(prefix)))
            unsetenv(name); /* what follows moves up */
        else
            i++;
        free(name);
    }
}

/* A user's settings would change what the steps count, and so would another tool. What the runtime itself needs to
 * start here (LD_LIBRARY_PATH, ROCR_VISIBLE_DEVICES, LD_PRELOAD) stays. */
static void set_environment(const char *directory)
{
    char *configuration = ls_text("%s/" CONFIGURATION, directory);
    forget_variables(SETTING_PREFIX);
    forget_variables("HSA_TOOLS_");
    if (configuration)
        setenv("LANESCOPE_CONFIG", configuration, 1);
    free(configuration);
    setenv("TMPDIR", directory, 1);
}

/* ---- the process ---- */

static int open_in(const char *directory, const char *name)
{
    char *path = ls_text("%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    free(path);
    return fd;
}

/* In a process group of its own, so that all of it can be ended. When the self-test is killed, `run` gets SIGTERM and
 * passes it on. */
static void execute(const char *program, char *const *words, const char *directory, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    child_leave_signals();
    set_environment(directory);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out = open_in(directory, "out"),
        errors = open_in(directory, "errors");
    if (getppid() == parent && in >= 0 && out >= 0 && errors >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
        dup2(errors, 2) == 2)
        execv(program ? program : "/proc/self/exe", words);
    _exit(127);
}

pid_t child_start(const char *program, char *const *words, const char *directory)
{
    pid_t self = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        execute(program, words, directory, self);
    if (pid > 0)
        setpgid(pid, pid); /* whoever is first: it may have to be killed at once */
    return pid;
}

static bool past(const struct timespec *start, int seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - start->tv_sec > seconds;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

/* All of its group are our children when it is dead (child_take_signals). One that the kernel driver holds while the GPU
 * hangs does not die: it is left. */
static void kill_all(pid_t group)
{
    struct timespec start;
    pid_t one;
    clock_gettime(CLOCK_MONOTONIC, &start);
    kill(-group, SIGKILL);
    while ((one = waitpid(-group, NULL, WNOHANG)) >= 0 && !past(&start, DYING_SECONDS))
        if (!one)
            nap();
}

int child_wait(pid_t pid, int seconds)
{
    struct timespec start;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (came || past(&start, seconds)) {
            kill_all(pid);
            return came ? CHILD_STOPPED : CHILD_LATE;
        }
        nap();
    }
    return status;
}
