/* folder.c - see folder.h. */
#include "folder.h"
#include "cli/common/cli.h"
#include "cli/common/readers.h"
#include "cli/common/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    size_t n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    if (dir)
        closedir(dir);
    return dir && !n;
}

int folder_open(struct folder *f, const char *path)
{
    memset(f, 0, sizeof(*f));
    f->path = path;
    sigset_t before;
    unfinished_hold(&before);
    f->made = !mkdir(path, 0777);
    int why = errno;
    unfinished_add(f->made ? path : NULL, &before);
    errno = why;
    if (f->made || (errno == EEXIST && is_empty(path)))
        return EXIT_OK;
    message("--output: %s: %s", path,
            errno == EEXIST ? "is not an empty folder; give a new name" : strerror(errno));
    return EXIT_FAILED;
}

static bool taken(const struct folder *f, const char *prefix)
{
    for (size_t i = 0; i < f->n_processes; i++)
        if (!strcmp(f->prefixes[i], prefix))
            return true;
    return false;
}

/* Processes of several hosts or runs may have the same number. */
const char *folder_prefix(struct folder *f, const struct ls_r_process *p)
{
    char text[64];
    snprintf(text, sizeof(text), "%" PRId64, p->pid);
    for (size_t n = 2; taken(f, text); n++)
        snprintf(text, sizeof(text), "%" PRId64 "-%zu", p->pid, n);
    char *prefix = strdup(text);
    if (!prefix)
        abort();
    *LS_PUSH(f->prefixes, f->n_processes) = prefix;
    return prefix;
}

/* The files are new: none of others can stand in a folder that was empty, and O_EXCL makes sure. */
int folder_file(struct folder *f, const char *prefix, const char *name, char *database, const char **path)
{
    char *new = NULL;
    if (asprintf(&new, "%s/%s_%s", f->path, prefix, name) < 0)
        abort();
    sigset_t before;
    unfinished_hold(&before);
    int fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), why = errno;
    unfinished_add(fd < 0 ? NULL : new, &before);
    if (fd < 0) {
        message("%s: cannot write the file: %s", new, strerror(why));
        free(new);
        return -1;
    }
    *LS_PUSH(f->files, f->n_files) = new;
    *path = new;
    if (!readers_apply(fd, &database, 1))
        return fd;
    message("%s: cannot set its mode: %s", new, strerror(errno));
    close(fd);
    return -1;
}

static void free_all(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

int folder_close(struct folder *f, int rc)
{
    for (size_t i = 0; rc && i < f->n_files; i++)
        unlink(f->files[i]);
    if (rc && f->made)
        rmdir(f->path);
    for (size_t i = 0; i < f->n_files; i++)
        unfinished_end(f->files[i]);
    if (f->made)
        unfinished_end(f->path);
    free_all(f->files, f->n_files);
    free_all(f->prefixes, f->n_processes);
    return rc;
}
