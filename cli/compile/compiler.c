/* compiler.c - asks a compiler. */
#include "compiler.h"
#include "common/names.h"
#include "cli/common/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char *output_of(char *const *argv)
{
    int fd[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(fd, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fd[1]);
    char *out = NULL;
    size_t n = 0;
    FILE *in = error ? NULL : fdopen(fd[0], "r");
    if (!in) {
        close(fd[0]);
        return NULL;
    }
    if (getdelim(&out, &n, 0, in) < 0) {
        free(out);
        out = NULL;
    }
    fclose(in);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return out;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return out;
    free(out);
    return NULL;
}

/* Asked alone, ROCm 5's hipcc looks for GPUs first, in Python, and how libraries are linked; with a GPU and
 * without linking it need not. */
int llvm_major(const char *compiler)
{
    char *const alone[] = {(char *)compiler, "--version", NULL}, *const quick[] = {(char *)compiler,
                                                                                   "--offload-arch=gfx90a",
                                                                                   "-c", "--version", NULL};
    char *out = output_of(starts(ls_base_name(compiler), "hipcc") ? quick : alone);
    if (!out)
        return -1;
    const char *at = strstr(out, "clang version ");
    int major = at ? atoi(at + strlen("clang version ")) : 0;
    free(out);
    return major;
}
