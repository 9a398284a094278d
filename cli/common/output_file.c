/*
 * output_file.c - the output files of verbs. A file is written beside the place where it is to be and takes its name when it is
 * complete: a report that fails, a full disk or an interrupt leaves what was there before. What is no ordinary file (a FIFO,
 * /dev/stdout) is written as it is.
 */
#include "cli.h"
#include "lanescope/output.h"
#include "output_file.h"
#include "readers.h"
#include "results/file/error_text.h"
#include "results/file/place.h"
#include "unfinished.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one that is being written, if it has another name until it is complete. */
static struct {
    FILE *out;
    char *name;
} pending;

/* The file that is to be replaced: its mode, so that nobody can read the new one who could not read that; 0, or errno when it is
 * not to be replaced. */
static int look_at_old(const char *path, const struct output_rules *rules, struct stat *old)
{
    int fd = open(path, (rules->mark_size ? O_RDWR : O_WRONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int why = fd < 0                                                      ? errno
              : fstat(fd, old)                                            ? errno
              : !S_ISREG(old->st_mode)                                    ? EEXIST
              : !lanescope_may_replace(fd, rules->mark, rules->mark_size) ? EEXIST
                                                                          : 0;
    if (fd >= 0)
        close(fd);
    return why;
}

static char *name_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    return ls_text("%.*s.lanescope-XXXXXX", slash ? (int)(slash + 1 - path) : 0, path);
}

/* old: NULL when there is none. */
static int apply_mode(int fd, const struct output_rules *rules, const struct stat *old)
{
    struct stat st;
    /* Who runs this for another keeps the other's file the other's. */
    if (old && (old->st_uid != geteuid() || old->st_gid != getegid()) && fchown(fd, old->st_uid, old->st_gid))
        errno = 0;
    if (readers_apply(fd, rules->databases, rules->n) || fstat(fd, &st))
        return -1;
    return old && !rules->ours ? fchmod(fd, st.st_mode & old->st_mode & 0777) : 0;
}

/* A new file with another name; -1 with errno. */
static int open_beside(const char *path, const struct output_rules *rules, const struct stat *old,
                       char **beside)
{
    char *name = name_beside(path);
    sigset_t before;
    unfinished_hold(&before);
    int fd = name ? mkostemp(name, O_CLOEXEC) : -1, why = name ? errno : ENOMEM;
    unfinished_add(fd < 0 ? NULL : name, &before);
    if (fd >= 0 && apply_mode(fd, rules, old)) {
        why = errno;
        close(fd);
        unlink(name);
        unfinished_end(name);
        fd = -1;
    }
    if (fd < 0) {
        free(name);
        name = NULL;
    }
    *beside = name;
    errno = why;
    return fd;
}

int output_file_beside(const char *path, const struct output_rules *rules, char **beside)
{
    struct stat old;
    bool exists = !lstat(path, &old);
    int why = !exists                ? 0
              : S_ISLNK(old.st_mode) ? ELOOP
              : S_ISREG(old.st_mode) ? look_at_old(path, rules, &old)
                                     : EEXIST;
    if (!why)
        return open_beside(path, rules, exists ? &old : NULL, beside);
    *beside = NULL;
    errno = why;
    return -1;
}

/* In its place, where nothing can be made beside it. */
static int open_in_place(const char *path, const struct output_rules *rules)
{
    struct stat st;
    mode_t mask = umask(077);
    int fd = lanescope_open_output(path, rules->mark, rules->mark_size), why = errno;
    umask(mask);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !lanescope_is_system_name(path) &&
        apply_mode(fd, rules, &st)) {
        why = errno;
        close(fd);
        fd = -1;
    }
    errno = why;
    return fd;
}

FILE *output_file_open(const char *path, const struct output_rules *rules)
{
    struct stat old;
    bool exists = !lstat(path, &old);
    int fd;
    if (lanescope_is_system_name(path) || (exists && !S_ISREG(old.st_mode))) {
        fd = open_in_place(path, rules);
    } else {
        fd = output_file_beside(path, rules, &pending.name);
        /* The folder takes no new file, but the file can be written. */
        if (fd < 0 && exists && (errno == EACCES || errno == EPERM || errno == EROFS) && !access(path, W_OK))
            fd = open_in_place(path, rules);
    }
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    pending.out = pending.name ? out : NULL;
    return out;
}

int output_file_close(FILE *out, const char *path, int rc)
{
    bool beside = pending.out && out == pending.out;
    int closed = close_output(out, path);
    rc = rc ? rc : closed;
    if (!beside)
        return rc;
    if (!rc && rename(pending.name, path)) {
        message("%s: cannot write the output: %s", path, strerror(errno));
        rc = EXIT_FAILED;
    }
    if (rc)
        unlink(pending.name);
    unfinished_end(pending.name);
    free(pending.name);
    pending.name = NULL;
    pending.out = NULL;
    return rc;
}

static bool is_empty(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && !st.st_size;
}

bool output_is_recording(const char *path)
{
    return ls_place_of_database(path) == LS_PLACE_OURS && !access(path, F_OK) && !is_empty(path);
}

/* Of SQLite, anybody's: no text that is made again. */
static bool is_database(const char *path)
{
    static const char mark[] = "SQLite format 3";
    return ls_place_of(path, mark, sizeof mark) == LS_PLACE_OURS && !is_empty(path);
}

const char *output_file_cause(int why)
{
    return why == ELOOP ? "it is a symbolic link" : why == EEXIST ? "it is no ordinary file" : strerror(why);
}

FILE *open_output(const char *path, char *const *databases, size_t n)
{
    const struct output_rules rules = {.databases = databases, .n = n};
    if (!path || !strcmp(path, "-"))
        return stdout;
    if (output_is_recording(path) || is_database(path)) {
        message("%s: is %s, which a report does not replace; give another name with -o", path,
                output_is_recording(path) ? "a recording" : "a database");
        return NULL;
    }
    FILE *out = output_file_open(path, &rules);
    if (!out)
        message("%s: cannot write the file: %s; give another name with -o", path, output_file_cause(errno));
    return out;
}
