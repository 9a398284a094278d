/* writer_end.c - commits, and the end: sources, last commit, final name (writer.h). */
#include "results/file/error_text.h"
#include "results/file/place.h"
#include "sources.h"
#include "writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Memory of SQLite's cache, which is what rows that are not committed take. */
static int64_t cache_bytes(struct ls_db *db)
{
    int now = 0, highest = 0;
    sqlite3_db_status(db->sql, SQLITE_DBSTATUS_CACHE_USED, &now, &highest, 0);
    return now;
}

/* A commit met a reader. Nothing is lost by trying again later, unless it takes too long: then a process that
 * is killed would lose much, or it would need much memory. */
static int wait_for_reader(struct ls_db *db)
{
    static const uint64_t PATIENCE_NS = 5000000000u;
    enum { MUCH = 64 << 20, TOO_MUCH = 512 << 20 };
    uint64_t now = now_ns();
    db->waiting_since = db->waiting_since ? db->waiting_since : now;
    if (now < db->no_move_before || (now - db->waiting_since < PATIENCE_NS && cache_bytes(db) < MUCH))
        return 0;
    char *why = NULL;
    int rc = ls_db_go_on(db, &why);
    /* At most a twentieth of the time goes into copying, whatever readers do. */
    db->no_move_before = now_ns() + 20 * (now_ns() - now);
    if (rc && cache_bytes(db) >= TOO_MUCH)
        db->error =
            ls_text("%s: another program has had the file open for reading for long, so that nothing "
                    "can be written to it, and it cannot be copied (%s); what came since then is lost",
                    db->partial, why ? why : "out of memory");
    free(why);
    return db->error ? -1 : 0;
}

int ls_db_commit(struct ls_db *db)
{
    if (!ls_db_usable(db))
        return -1;
    if (!db->written)
        return 0;
    if (ls_db_flush(db))
        return -1;
    struct ls_held_signal held = ls_db_hold_limit();
    int rc = sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY) {
        ls_db_fail(db, "cannot commit");
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    }
    ls_db_release_limit(&held);
    if ((rc & 0xff) == SQLITE_BUSY)
        return wait_for_reader(db);
    ls_db_keep_spare(db); /* before the program takes what the journal had */
    db->in_transaction = db->written = false;
    db->waiting_since = 0;
    return rc == SQLITE_OK ? ls_db_begin(db) : -1;
}

bool ls_db_waiting(const struct ls_db *db)
{
    return !db->error && db->waiting_since;
}

static void sync_directory(const char *file)
{
    char *copy = strdup(file);
    char *slash = copy ? strrchr(copy, '/') : NULL;
    if (slash)
        slash[slash == copy] = 0;
    int fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

/* Like ls_db_commit, but waits for readers, and does without the file that they do not let go. */
static int commit_last(struct ls_db *db)
{
    enum { READER_MS = 1000 };
    char *why = NULL;
    sqlite3_busy_timeout(db->sql, READER_MS);
    int rc = sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL);
    if ((rc & 0xff) == SQLITE_BUSY) {
        if (ls_db_move(db, &why))
            db->error = ls_text("%s: another program has the file open for reading, so that nothing can be "
                                "written to it, and it cannot be copied (%s); the last results are lost",
                                db->partial, why ? why : "out of memory");
        free(why);
    } else if (rc != SQLITE_OK) {
        ls_db_fail(db, "cannot commit");
    }
    return db->error ? -1 : 0;
}

/* A file that lost its name since its last row was written. */
static int keep_named(struct ls_db *db)
{
    char *why = NULL;
    if (!ls_place_is(db->lock, db->partial) && ls_db_move(db, &why))
        db->error = ls_text(
            "%s: the file was removed or renamed while it was written, and no other can take its place (%s); "
            "the results are lost",
            db->partial, why ? why : "out of memory");
    free(why);
    return db->error ? -1 : 0;
}

/* Gives the file the mode that its sources allow: read by nobody who cannot read them. */
static void widen(struct ls_db *db, mode_t narrowest)
{
    ls_place_open_to(db->lock, (0666 & ~db->umask & narrowest) | 0600);
}

static int rename_to_path(struct ls_db *db)
{
    if (fsync(db->lock))
        db->error = ls_text("%s: cannot write to the disk: %s; the file may be incomplete", db->partial,
                            strerror(errno));
    else if (ls_place_of_database(db->path) == LS_PLACE_FOREIGN)
        db->error =
            ls_text("%s: something that is no recording was put there meanwhile; the results are in %s",
                    db->path, db->partial);
    else if (ls_place_clear_beside(db->partial) || ls_place_clear_beside(db->path) ||
             rename(db->partial, db->path))
        db->error =
            ls_text("%s: cannot rename to %s: %s; rename it by hand", db->partial, db->path, strerror(errno));
    return db->error ? -1 : 0;
}

static int publish(struct ls_db *db, bool complete)
{
    struct timespec now;
    mode_t narrowest = 0666;
    clock_gettime(CLOCK_BOOTTIME, &now);
    if (ls_db_begin(db) || ls_db_flush(db))
        return -1;
    ls_db_set_meta(db, "state", complete ? "complete" : "partial"); /* the journal is open */
    ls_db_use_spare(db);                                            /* for sources, and looks at names */
    if (ls_store_sources(db->sql, db->sources, db->lock, &narrowest))
        ls_db_fail(db, "cannot store the source text");
    WRITE(db, SET_END, INT(now.tv_sec * 1000000000ll + now.tv_nsec), INT(db->process));
    if (db->error || commit_last(db) || keep_named(db))
        return -1;
    ls_db_disconnect(db);
    widen(db, narrowest);
    if (rename_to_path(db))
        return -1;
    sync_directory(db->path);
    return 0;
}

void ls_db_set_time(struct ls_db *db, uint64_t ns)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)ns);
    ls_db_set_meta(db, "recording_ns", text);
}

int ls_db_finish(struct ls_db *db, bool complete, char **error)
{
    int rc = -1;
    *error = NULL;
    if (db->owner != getpid()) {
        /* A forked child: the file is the parent's. Nothing may be closed through SQLite here. */
        *error = ls_text("%s: belongs to process %d", db->path, (int)db->owner);
        return -1;
    }
    if (!db->error) {
        struct ls_held_signal held = ls_db_hold_limit();
        rc = publish(db, complete);
        ls_db_release_limit(&held);
    }
    if (rc)
        *error = strdup(db->error ? db->error : "out of memory");
    ls_db_destroy(db);
    return rc;
}
