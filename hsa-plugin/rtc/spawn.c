/* spawn.c - see spawn.h. */
#include "spawn.h"
#include "common/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool rtc_work_open(struct rtc_work *w)
{
    int n = snprintf(w->folder, sizeof w->folder, "%s/lanescope-XXXXXX", ls_temporary_folder());
    return n < (int)sizeof w->folder && mkdtemp(w->folder);
}

void rtc_work_close(struct rtc_work *w)
{
    ls_remove_folder(w->folder);
}

char *rtc_work_path(const struct rtc_work *w, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", w->folder, name) < 0 ? NULL : path;
}

bool rtc_work_write(const struct rtc_work *w, const char *name, const char *bytes, size_t size)
{
    char *path = rtc_work_path(w, name);
    FILE *f = path ? fopen(path, "we") : NULL;
    bool ok = f && fwrite(bytes, 1, size, f) == size;
    ok = f && !fclose(f) && ok;
    free(path);
    return ok;
}

char *rtc_work_read(const struct rtc_work *w, const char *name, size_t *size)
{
    struct stat st;
    char *path = rtc_work_path(w, name), *bytes = NULL;
    FILE *f = path ? fopen(path, "re") : NULL;
    *size = 0;
    if (f && !fstat(fileno(f), &st) && st.st_size > 0 && (bytes = malloc((size_t)st.st_size + 1))) {
        *size = fread(bytes, 1, (size_t)st.st_size, f);
        bytes[*size] = 0;
    }
    if (f)
        fclose(f);
    free(path);
    return bytes;
}

/* The program's environment (malloc'd list of its own strings) without what is preloaded into it. */
static char **clean_environment(void)
{
    static const char *const without[] = {"LD_PRELOAD=", "HSA_TOOLS_LIB="};
    size_t n = 0, kept = 0;
    while (environ && environ[n])
        n++;
    char **clean = calloc(n + 1, sizeof *clean);
    for (size_t i = 0; clean && i < n; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof without / sizeof *without; k++)
            keep &= strncmp(environ[i], without[k], strlen(without[k])) != 0;
        if (keep)
            clean[kept++] = environ[i];
    }
    return clean;
}

/* The program's handlers, masks and ignored signals are not the tool's. */
static void usual_signals(posix_spawnattr_t *a)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(a, &none);
    posix_spawnattr_setsigdefault(a, &all);
    posix_spawnattr_setflags(a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

void rtc_work_run(const struct rtc_work *w, const char *const argv[])
{
    char *out = rtc_work_path(w, "stdout"), *err = rtc_work_path(w, "stderr"), **env = clean_environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    if (out && err && env && !posix_spawn_file_actions_init(&actions)) {
        posix_spawnattr_init(&attributes);
        usual_signals(&attributes);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (!posix_spawn(&pid, argv[0], &actions, &attributes, (char *const *)argv, env))
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                ;
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    free(out);
    free(err);
    free(env);
}
