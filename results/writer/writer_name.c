/*
 * writer_name.c - finds a name for a recording and creates its file.
 *
 * Nothing that is not ours is replaced, and no link is followed: files are created with O_EXCL, and a name at
 * which something else stands is left to it.
 */
#include "common/make_folders.h"
#include "common/names.h"
#include "results/file/error_text.h"
#include "results/file/place.h"
#include "results/file/schema.h"
#include "writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool ls_db_make_parents(const char *path, char **error)
{
    char *copy = strdup(path);
    const bool ok = copy && ls_make_parents(copy, 0777);
    if (!ok)
        *error = ls_text("%s: cannot create the directory: %s; give an output directory that can be written",
                         copy ? copy : path, strerror(errno));
    free(copy);
    return ok;
}

/* Whether the file that nobody writes is a database of this very run: of another process, or of this one
 * before it executed another program. `immutable`: the file alone is read, whatever stands beside it. */
static bool of_this_run(const char *path, const char *run)
{
    sqlite3 *sql = NULL;
    sqlite3_stmt *st = NULL;
    bool same = ls_place_beside(path, "-journal"); /* one that was killed in a commit may be unreadable */
    if (!*run || ls_place_of_database(path) != LS_PLACE_OURS)
        return false;
    char *uri = ls_place_uri(path, "immutable=1");
    if (uri && sqlite3_open_v2(uri, &sql, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(sql, "SELECT value = ? FROM meta WHERE key = 'run_id'", -1, &st, NULL) ==
            SQLITE_OK &&
        sqlite3_bind_text(st, 1, run, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        same = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(sql);
    free(uri);
    return same;
}

/* A descriptor that holds the lock, or -1 after closing `fd`. */
static int locked(int fd, const char *path)
{
    /* A reader looks for the lock by taking it for a moment. */
    for (int i = 0; fd >= 0 && i < 10; i++) {
        if (!flock(fd, LOCK_EX | LOCK_NB)) {
            if (ls_place_is(fd, path)) /* nobody renamed or replaced it between our open and our lock */
                return fd;
            break;
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (fd >= 0)
        close(fd);
    errno = EEXIST;
    return -1;
}

int ls_db_make_file(const char *path)
{
    int fd = ls_place_create(path);
    if (fd >= 0 || errno != EEXIST)
        return fd < 0 ? -1 : locked(fd, path);
    /* A recording of a process that is dead makes room. Who removes it holds its lock, so that of two that
     * want the name only one gets it. */
    int old = ls_place_of_database(path) == LS_PLACE_OURS
                  ? locked(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), path)
                  : -1;
    if (old < 0) {
        errno = EEXIST;
        return -1;
    }
    fd = !unlink(path) && !ls_place_clear_beside(path) ? ls_place_create(path) : -1;
    int why = errno;
    close(old);
    errno = why;
    return fd < 0 ? -1 : locked(fd, path);
}

/* The names that are tried, one after the other: NAME.db, NAME.PID.db, NAME.PID-2.db, ... */
static char *name_at(const char *path, int attempt, int pid)
{
    const size_t named = ls_stem(path, ".db");
    const int stem = (int)(named ? named : strlen(path));
    return attempt == 0   ? strdup(path)
           : attempt == 1 ? ls_text("%.*s.%d.db", stem, path, pid)
                          : ls_text("%.*s.%d-%d.db", stem, path, pid, attempt);
}

enum { NAMES = 1000 };

/* 1: the name is ours now; 0: it is in use; -1 with *error. */
static int take_name(struct ls_db *db, const char *run, char **error)
{
    if (ls_place_blocked(db->path) || ls_place_blocked(db->partial) ||
        ls_place_of_database(db->path) == LS_PLACE_FOREIGN || of_this_run(db->path, run))
        return 0;
    /* Of a live writer the lock tells, and its file is not read: that would make it wait. */
    int fd = open(db->partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        fd = locked(fd, db->partial);
        bool taken = fd < 0 || of_this_run(db->partial, run);
        if (fd >= 0)
            close(fd);
        if (taken)
            return 0;
    }
    db->lock = ls_db_make_file(db->partial);
    if (db->lock >= 0)
        return 1;
    if (errno == EEXIST)
        return 0;
    *error = ls_text("%s: cannot create the file: %s; give an output directory that can be written",
                     db->partial, strerror(errno));
    return -1;
}

/* Two processes of one run can be given one name (no %pid% in it), and one process records several times when
 * it executes another program. The later ones take other names, so that nothing is lost. A file of an earlier
 * run is replaced, as rocprofv3 does; anything else stays, and the next name is taken. */
bool ls_db_choose_name(struct ls_db *db, const char *path, const char *run, char **error)
{
    struct stat st;
    if (lstat(path, &st) && errno != ENOENT) {
        *error = ls_text("%s: cannot be reached: %s; give an output directory that can be written", path,
                         strerror(errno));
        return false;
    }
    for (int attempt = 0; attempt < NAMES; attempt++) {
        free(db->path);
        free(db->partial);
        db->path = name_at(path, attempt, (int)db->owner);
        db->partial = db->path ? ls_text("%s" LS_PARTIAL_SUFFIX, db->path) : NULL;
        int rc = db->partial ? take_name(db, run, error) : -1;
        if (rc > 0)
            return true;
        if (rc < 0) {
            *error = *error ? *error : strdup("out of memory");
            return false;
        }
    }
    *error = ls_text("%s: this and %d more of the name are in use; put %%pid%% into the output file's name",
                     db->partial, NAMES - 1);
    return false;
}

/* umask(2) can only be asked by setting it, which other threads would notice. 077 when it is not known. */
mode_t ls_db_read_umask(void)
{
    char line[256];
    unsigned value = 077;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Umask: %o", &value) == 1)
            break;
    if (f)
        fclose(f);
    return value & 0777;
}
