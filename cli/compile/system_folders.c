/* system_folders.c - see system_folders.h. */
#include "system_folders.h"
#include "common/command_words.h"
#include "common/system_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command with -###; its standard error is what it prints. NULL when it cannot be run. */
static FILE *ask(char *const *command, pid_t *pid)
{
    int fd[2];
    size_t n = 0;
    posix_spawn_file_actions_t actions;
    while (command[n])
        n++;
    char **words = calloc(n + 2, sizeof(*words));
    if (!words || pipe2(fd, O_CLOEXEC)) {
        free(words);
        return NULL;
    }
    memcpy(words, command, n * sizeof(*words));
    words[n] = (char *)"-###";
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 2);
    int error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(words);
    close(fd[1]);
    FILE *in = error ? NULL : fdopen(fd[0], "r");
    if (!in)
        close(fd[0]);
    return in;
}

static void take_line(char *line, struct account *a, char *const *command)
{
    const char *version = strstr(line, "clang version "), *word;
    if (version && !a->major)
        a->major = atoi(version + strlen("clang version "));
    if (!strstr(line, "\"-cc1\"")) /* linkers have such options, too */
        return;
    word = ls_next_word(&line);
    if (!a->proper)
        a->proper = strdup(word);
    while ((word = ls_next_word(&line)))
        if (ls_names_system_folder(word) && (word = ls_next_word(&line)))
            ls_add_system_folder(&a->folders, word, (const char *const *)command + 1);
}

struct account ask_for_account(char *const *command)
{
    pid_t pid;
    char *line = NULL;
    size_t room = 0;
    struct account a = {0};
    FILE *in = ask(command, &pid);
    if (!in)
        return a;
    while (getline(&line, &room, in) > 0)
        take_line(line, &a, command);
    free(line);
    fclose(in);
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return a;
}
