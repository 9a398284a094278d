#include "snapshot.h"
#include "results/file/error_text.h"
#include "common/temporary.h"
#include "journal.h"
#include "results/file/place.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- locks ---- */

/* Bytes of the file that SQLite's processes lock (its source, os.h, "The following constants"). */
enum { RESERVED_BYTE = 0x40000001, SHARED_FIRST = 0x40000002, SHARED_SIZE = 510 };

/* Keeps writers from changing the file until `fd` is closed. An open file description lock: other descriptors
 * of the file come and go in this process. The pending byte, by which a waiting writer keeps readers out, is
 * left alone: a recording may have to wait for one that holds its lock for long, and others should not.
 * False when a writer is at it. */
static bool lock_shared(int fd)
{
    enum { TRIES = 300, PAUSE_NS = 10000000 };
    for (int i = 0; i < TRIES; i++) {
        struct flock l = {
            .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = SHARED_FIRST, .l_len = SHARED_SIZE};
        if (!fcntl(fd, F_OFD_SETLK, &l) || (errno != EAGAIN && errno != EACCES))
            return true; /* or a file system without locks */
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    }
    return false;
}

/* Whether a process is in the middle of a transaction: then the journal is its own, and the file as it was
 * before. */
static bool reserved(int fd)
{
    struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = RESERVED_BYTE, .l_len = 1};
    return !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}

/* ---- copies ---- */

struct copy {
    char directory[200];
    char *path; /* of the copied database in it */
};

static bool copy_range(int from, int to, off_t at, off_t end)
{
    static _Thread_local char buffer[1 << 16];
    while (at < end) {
        off_t left = end - at;
        ssize_t n = pread(from, buffer, left < (off_t)sizeof buffer ? (size_t)left : sizeof buffer, at);
        if (n <= 0)
            return n == 0; /* the file has become shorter */
        if (pwrite(to, buffer, (size_t)n, at) != n)
            return false;
        at += n;
    }
    return true;
}

/* Holes stay holes: a file may claim to be larger than any disk. False with errno. */
static bool copy_file(int from, const char *name)
{
    struct stat st;
    int to = ls_place_create(name);
    bool ok = to >= 0 && !fstat(from, &st) && !ftruncate(to, st.st_size);
    for (off_t at = 0; ok && at < st.st_size;) {
        off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        off_t hole = data < 0 ? st.st_size : lseek(from, data, SEEK_HOLE);
        ok = copy_range(from, to, data < 0 ? at : data, hole < 0 ? st.st_size : hole);
        at = hole < 0 ? st.st_size : hole;
    }
    int why = errno;
    if (to >= 0)
        close(to);
    errno = why;
    return ok;
}

/* Copies what stands beside the database under that suffix. */
static bool copy_beside(const struct copy *c, const char *path, const char *suffix)
{
    char *from = ls_text("%s%s", path, suffix), *to = ls_text("%s%s", c->path, suffix);
    int fd = from ? open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    bool ok = fd >= 0 && to && copy_file(fd, to);
    int why = errno;
    if (fd >= 0)
        close(fd);
    free(from);
    free(to);
    errno = why;
    return ok;
}

static void remove_copy(struct copy *c)
{
    if (!c->path)
        return;
    unlink(c->path);
    ls_place_clear_beside(c->path);
    rmdir(c->directory);
    free(c->path);
    c->path = NULL;
}

/* suffix: of the journal to be copied, too; NULL: none. */
static char *make_copy(struct copy *c, const struct ls_snapshot *s, const char *suffix)
{
    int n = snprintf(c->directory, sizeof c->directory, "%s/lanescope-copy-XXXXXX", ls_temporary_folder());
    bool ok = n < (int)sizeof c->directory && ls_place_directory(c->directory);
    if (ok)
        c->path = ls_text("%s/copy.db", c->directory);
    ok = ok && c->path && copy_file(s->file, c->path) && (!suffix || copy_beside(c, s->path, suffix));
    if (ok)
        return NULL;
    char *error = ls_text("%s: cannot be copied into %s to be read: %s; set TMPDIR to a directory with room",
                          s->shown, ls_temporary_folder(), strerror(errno));
    remove_copy(c);
    return error;
}

/* ---- journals ---- */

/* A journal that has not been rolled back: SQLite zeroes the beginning of others, or empties them. */
static bool is_hot(const char *path)
{
    char first = 0, *name = ls_place_beside(path, "-journal") ? ls_text("%s-journal", path) : NULL;
    int fd = name ? open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    bool hot = fd >= 0 && pread(fd, &first, 1, 0) == 1 && first;
    if (fd >= 0)
        close(fd);
    free(name);
    return hot;
}

/* NULL, or why the copied journal is not applied to the copied database. */
static char *refuse_journal(const struct ls_snapshot *s, const struct copy *c)
{
    char *name = ls_text("%s-journal", c->path);
    enum ls_journal judged = name ? ls_journal_judge(name, c->path) : LS_JOURNAL_UNREADABLE;
    free(name);
    if (judged == LS_JOURNAL_FITS)
        return NULL;
    return ls_text(
        "%s: the journal beside it, %s-journal, is %s; if the recording is yours, move that journal "
        "away",
        s->shown, s->path,
        judged == LS_JOURNAL_FOREIGN ? "of another database"
                                     : "not one that Lanescope writes (it names another file)");
}

/* ---- connections ---- */

static int connect_to(struct ls_snapshot *s, const char *path, const char *query, int flags)
{
    char *uri = ls_place_uri(path, query);
    int rc = uri ? sqlite3_open_v2(uri, &s->sql, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL)
                 : SQLITE_NOMEM;
    free(uri);
    if (rc != SQLITE_OK)
        return rc;
    /* Nothing in a file from elsewhere may run functions with effects through its views or triggers. */
    sqlite3_db_config(s->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(s->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_exec(s->sql, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
    return sqlite3_exec(s->sql, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

/* Opens the copy; then it needs no name any more. */
static char *open_copy(struct ls_snapshot *s, const struct copy *c, const char *suffix)
{
    char *error = NULL;
    int rc = connect_to(s, c->path, suffix ? "mode=rw" : "immutable=1",
                        suffix ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    if (rc == SQLITE_OK && suffix && !strcmp(suffix, "-wal")) /* takes it into the file */
        rc = sqlite3_exec(s->sql, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        error = ls_results_sql_error(s->shown, s->sql);
    close(s->file);
    s->file = open(c->path, O_RDONLY | O_CLOEXEC);
    s->recovered = suffix;
    return error;
}

static char *read_copy(struct ls_snapshot *s, const char *suffix)
{
    struct copy c = {.path = NULL};
    char *error = make_copy(&c, s, suffix);
    /* When another file has come to the name since, what stands beside it is that one's. */
    if (!error && suffix && !ls_place_is(s->file, s->path))
        error = ls_text("%s: was replaced while it was read; try again", s->shown);
    if (!error && suffix && !strcmp(suffix, "-journal"))
        error = refuse_journal(s, &c);
    if (!error)
        error = open_copy(s, &c, suffix);
    remove_copy(&c);
    return error;
}

char *ls_snapshot_lock(struct ls_snapshot *s, const char *path)
{
    *s = (struct ls_snapshot){.file = -1, .shown = path};
    s->path = realpath(path, NULL); /* SQLite looks for journals beside the file that a link leads to */
    s->file = s->path ? open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (s->file < 0)
        return ls_text("%s: cannot open the file: %s", path, strerror(errno));
    if (!lock_shared(s->file))
        return ls_text("%s: the database is locked by another program; try again when it has finished", path);
    return NULL;
}

/* What stands beside the file decides how it is read. */
char *ls_snapshot_connect(struct ls_snapshot *s, bool live)
{
    if (is_hot(s->path) && !reserved(s->file))
        return read_copy(s, "-journal");
    if (ls_place_beside(s->path, "-wal"))
        return read_copy(s, "-wal");
    if (live) {
        char *error = read_copy(s, NULL);
        if (!error)
            return NULL;
        free(error); /* no room for a copy: its writer can wait */
    }
    int rc = connect_to(s, s->path, "immutable=1", SQLITE_OPEN_READONLY);
    return rc == SQLITE_OK ? NULL : ls_results_sql_error(s->shown, s->sql);
}

void ls_snapshot_close(struct ls_snapshot *s)
{
    sqlite3_close(s->sql);
    if (s->file >= 0)
        close(s->file);
    free(s->path);
    *s = (struct ls_snapshot){.file = -1};
}
