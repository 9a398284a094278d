/* system_folders.c - see system_folders.h. */
#include "system_folders.h"
#include "common/names.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The options of the compiler proper that name such a folder as their next word. What follows -isystem may be
 * the user's own (-I twice, and once as -isystem):
 * the compiler treats it as a system folder, and so do we. */
static bool names_folder(const char *word)
{
    static const char *const options[] = {"-internal-isystem", "-internal-externc-isystem",
                                          "-isystem",          "-cxx-isystem",
                                          "-c-isystem",        "-idirafter",
                                          "-resource-dir",     "-iframework"};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (!strcmp(word, options[i]))
            return true;
    return false;
}

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

/* The next word of ` "clang" "-cc1" "-internal-isystem" "/a\"b"`, unquoted in place; NULL: none. */
static char *next_word(char **at)
{
    char *word, *out;
    *at += strspn(*at, " \t\r\n");
    if (!**at)
        return NULL;
    bool quoted = **at == '"';
    word = out = *at += quoted;
    while (**at && (quoted ? **at != '"' : !strchr(" \t\r\n", **at))) {
        if (**at == '\\' && (*at)[1])
            ++*at;
        *out++ = *(*at)++;
    }
    if (**at)
        ++*at;
    *out = 0;
    return word;
}

static bool known(const char *list, const char *folder)
{
    size_t n = strlen(folder);
    for (const char *p = list; (p = strstr(p, folder)); p += n)
        if ((p == list || p[-1] == ':') && (!p[n] || p[n] == ':'))
            return true;
    return false;
}

/* A file that the command names is the user's own, and so is what lies beside it, also with `-isystem .`. */
static bool holds_input(const char *folder, char *const *command)
{
    struct stat st;
    for (size_t i = 1; command[i]; i++) {
        if (command[i][0] == '-' || stat(command[i], &st) || !S_ISREG(st.st_mode))
            continue;
        char *whole = realpath(command[i], NULL), *of = realpath(folder, NULL);
        bool below = whole && of && ls_below_folder(whole, of);
        free(whole);
        free(of);
        if (below)
            return true;
    }
    return false;
}

/* Adds an absolute folder; what is relative counts from where the compiler runs. */
static void add_folder(char **list, const char *folder, char *const *command)
{
    char *here = *folder == '/' ? NULL : getcwd(NULL, 0), *whole = NULL, *longer = NULL;
    if (!*folder || strchr(folder, ':') ||
        asprintf(&whole, "%s%s%s", here ? here : "", here ? "/" : "", folder) < 0)
        whole = NULL;
    if (whole && !holds_input(whole, command) && !known(*list ? *list : "", whole) &&
        asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? ":" : "", whole) >= 0) {
        free(*list);
        *list = longer;
    }
    free(whole);
    free(here);
}

static void take_line(char *line, char **list, int *major, char *const *command)
{
    const char *version = strstr(line, "clang version ");
    if (version && !*major)
        *major = atoi(version + strlen("clang version "));
    if (!strstr(line, "\"-cc1\"")) /* linkers have such options, too */
        return;
    for (char *word; (word = next_word(&line));)
        if (names_folder(word) && (word = next_word(&line)))
            add_folder(list, word, command);
}

char *system_folders(char *const *command, int *major)
{
    pid_t pid;
    char *line = NULL, *list = NULL;
    size_t room = 0;
    *major = 0;
    FILE *in = ask(command, &pid);
    if (!in)
        return NULL;
    while (getline(&line, &room, in) > 0)
        take_line(line, &list, major, command);
    free(line);
    fclose(in);
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return list;
}
