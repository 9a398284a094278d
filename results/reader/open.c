/*
 * Opens a results database and says clearly what is wrong with files that are none. The header fields are
 * those of "Database File Format" (sqlite.org/fileformat.html), section 1.3.
 */
#include "reader.h"
#include "results/file/error_text.h"
#include "objects.h"
#include "results/file/place.h"
#include "results/file/schema.h"
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_HINT "give a database that `lanescope run` wrote (*_srclines.db)"

struct header {
    unsigned char bytes[100];
    ssize_t size;
    off_t file_size;
};

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

char *ls_results_sql_error(const char *path, sqlite3 *sql)
{
    int code = sqlite3_errcode(sql) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return ls_text("%s: the database is damaged (%s); record again, or restore the file from a copy",
                       path, sqlite3_errmsg(sql));
    if (code == SQLITE_INTERRUPT || code == SQLITE_TOOBIG)
        return ls_text("%s: the database is damaged (more is to be read than the file can hold); record "
                       "again, or restore the "
                       "file from a copy",
                       path);
    if (code == SQLITE_BUSY)
        return ls_text("%s: the database is locked by another program; try again when it has finished", path);
    return ls_text("%s: cannot read the database (%s); `lanescope check` tells more", path,
                   sqlite3_errmsg(sql));
}

static bool exists(const char *path)
{
    struct stat st;
    return !stat(path, &st);
}

/* A directory, a FIFO or a device is told from a file before it is opened in earnest. */
static char *check_kind(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return ls_text("%s: cannot open the file: %s; " RECORD_HINT, path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return ls_text("%s: is a directory; give the databases in it (for example %s/*_srclines.db)", path,
                       path);
    return S_ISREG(st.st_mode) ? NULL : ls_text("%s: is not a regular file; " RECORD_HINT, path);
}

static char *read_header(const char *path, int file, struct header *h)
{
    struct stat st;
    *h = (struct header){.size = -1};
    if (!fstat(file, &st))
        h->size = pread(file, h->bytes, sizeof(h->bytes), 0);
    h->file_size = st.st_size;
    return h->size < 0 ? ls_text("%s: cannot read the file: %s; " RECORD_HINT, path, strerror(errno)) : NULL;
}

static char *check_identity(const char *path, const struct header *h)
{
    uint32_t application = be32(h->bytes + 68), version = be32(h->bytes + 60);
    if (application != LS_APPLICATION_ID)
        return ls_text("%s: is a SQLite database of another program (a rocpd file?); " RECORD_HINT, path);
    if (version > LS_SCHEMA_VERSION)
        return ls_text(
            "%s: was written by a newer Lanescope (schema %u; this one, %s, reads up to %d); use a "
            "Lanescope at least as new as the one that recorded it",
            path, version, LANESCOPE_VERSION, LS_SCHEMA_VERSION);
    if (version < 1)
        return ls_text("%s: has no schema version; record again", path);
    return NULL;
}

static char *check_size(const char *path, const struct header *h)
{
    uint32_t page = (uint32_t)h->bytes[16] << 8 | h->bytes[17];
    uint64_t expected = (uint64_t)be32(h->bytes + 28) * (page == 1 ? 65536 : page);
    if (h->size < (ssize_t)sizeof(h->bytes) || (uint64_t)h->file_size < expected)
        return ls_text("%s: is truncated (%lld of %llu bytes); copy the file again, or record again", path,
                       (long long)h->file_size, (unsigned long long)(expected > 100 ? expected : 100));
    return NULL;
}

/* NULL when the file may be handed to SQLite. With a journal beside it, it is whole only after recovery. */
static char *check_header(const char *path, int file, bool journal)
{
    static const char suffix[] = "-journal";
    struct header h;
    const size_t n = strlen(path), ending = sizeof(suffix) - 1;
    char *error = read_header(path, file, &h);
    if (error)
        return error;
    if (n > ending && !strcmp(path + n - ending, suffix) && memcmp(h.bytes, "SQLite format 3", 15))
        return ls_text("%s: is what SQLite keeps beside a recording while it is written; give %.*s", path,
                       (int)(n - ending), path);
    if (h.size == 0 && !journal)
        return ls_text("%s: is empty; the recording was interrupted before it wrote anything: record again",
                       path);
    if (memcmp(h.bytes, "SQLite format 3", (size_t)h.size < 16 ? (size_t)h.size : 16))
        return ls_text("%s: is not a results database; " RECORD_HINT, path);
    if (journal)
        return NULL;
    error = check_size(path, &h);
    return error ? error : check_identity(path, &h);
}

/* What the file says of itself; false: it is not one of Lanescope's. */
static bool read_meta(struct ls_results *r)
{
    const char *schema = "", *version = "", *state = "";
    const struct {
        const char *key, **value;
    } texts[] = {{"schema", &schema},      {"schema_version", &version}, {"lanescope_version", &r->version},
                 {"created", &r->created}, {"run_id", &r->run_id},       {"guid", &r->guid},
                 {"state", &state}};
    enum { N = sizeof(texts) / sizeof(*texts) };
    for (size_t i = 0; i < N; i++)
        *texts[i].value = "";
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(r->sql, "SELECT key, value FROM meta", -1, &st, NULL);
    while (rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(st, 0);
        for (size_t i = 0; key && i < N; i++)
            if (!strcmp(texts[i].key, key) && sqlite3_column_text(st, 1))
                *texts[i].value = ls_results_text(r, (const char *)sqlite3_column_text(st, 1));
    }
    sqlite3_finalize(st);
    r->schema_version = (int)strtol(version, NULL, 10);
    r->partial = strcmp(state, "complete") != 0;
    return !strcmp(schema, "lanescope");
}

void ls_results_keep_raw(struct ls_results *r)
{
    r->raw = true;
    read_meta(r);
}

/* ---- bounds ---- */

/* Instructions of SQLite's virtual machine between two looks at the bound. */
#define STEPS 10000
/* No query of ours takes more of them for a byte of the file; the rest is for small files. */
#define STEPS_PER_BYTE 64
/* And so many more where dispatches share values: the hundred bytes of a dispatch stand for all that it has, which are a
 * thousand at most (writer_same.c). */
#define STEPS_PER_BYTE_SHARED 448
#define STEPS_AT_LEAST 5000000
#define LENGTH_AT_LEAST (1 << 20)

static int count_steps(void *results)
{
    struct ls_results *r = results;
    r->steps_left -= STEPS;
    return r->steps_left < 0;
}

static void bound(struct ls_results *r)
{
    struct stat st;
    int64_t bytes = stat(r->path, &st) || st.st_size > INT32_MAX ? INT32_MAX : st.st_size;
    r->steps_left = STEPS_AT_LEAST + bytes * STEPS_PER_BYTE;
    sqlite3_progress_handler(r->sql, STEPS, count_steps, r);
    sqlite3_limit(r->sql, SQLITE_LIMIT_LENGTH, bytes > LENGTH_AT_LEAST ? (int)bytes : LENGTH_AT_LEAST);
    sqlite3_limit(r->sql, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(r->sql, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
    sqlite3_limit(r->sql, SQLITE_LIMIT_WORKER_THREADS, 0);
    if (ls_results_shared(r))
        r->steps_left += bytes * STEPS_PER_BYTE_SHARED;
}

void ls_results_unbounded(struct ls_results *r)
{
    sqlite3_progress_handler(r->sql, 0, NULL, NULL);
    sqlite3_limit(r->sql, SQLITE_LIMIT_LENGTH, INT32_MAX);
}

void (*ls_results_notice)(const char *text);

/* A recorder writes no -wal file: that is of another program that has changed the database. */
static void tell_recovered(const char *path, const char *suffix)
{
    bool wal = !strcmp(suffix, "-wal");
    char *text =
        ls_results_notice
            ? ls_text("%s: %s; what is shown is a private copy, %s beside it; both stay as they are", path,
                      wal ? "another program has changed it and has not finished, or was killed"
                          : "its recorder was killed inside a commit",
                      wal ? "with the changes in the -wal file" : "recovered by the journal")
            : NULL;
    if (text)
        ls_results_notice(text);
    free(text);
}

/* The copy is no database of ours any more once the journal was applied to it. Takes over the error. */
static char *blame_journal(const char *path, char *error)
{
    char *text = ls_text("%s; so it is with the changes in the %s beside it: if that is not this file's, "
                         "move it away",
                         error ? error : path, ls_place_beside(path, "-wal") ? "-wal file" : "-journal");
    free(error);
    return text;
}

static char *open_sql(struct ls_results *r)
{
    struct ls_snapshot s;
    char *error = ls_snapshot_lock(&s, r->path);
    bool journal = !error && (ls_place_beside(s.path, "-journal") || ls_place_beside(s.path, "-wal"));
    if (!error)
        error = check_header(r->path, s.file, journal);
    if (!error)
        error = ls_snapshot_connect(&s, r->live);
    if (!error)
        error = check_header(r->path, s.file, false);
    if (error && s.recovered)
        error = blame_journal(r->path, error);
    if (error) {
        ls_snapshot_close(&s);
        return error;
    }
    if (s.recovered)
        tell_recovered(r->path, s.recovered);
    sqlite3_exec(s.sql, "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    r->sql = s.sql;
    r->file = s.file;
    bound(r);
    free(s.path);
    return NULL;
}

bool ls_results_live(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool live = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return live;
}

struct ls_results *ls_results_open(const char *path, char **error)
{
    struct ls_results *r = ls_realloc(NULL, sizeof(*r));
    memset(r, 0, sizeof(*r));
    r->file = -1;
    *error = NULL;
    r->path = strdup(path);
    if (!exists(path)) {
        char *partial = ls_text("%s" LS_PARTIAL_SUFFIX, path);
        if (partial && exists(partial)) {
            free(r->path);
            r->path = partial;
        } else {
            free(partial);
        }
    }
    r->live = ls_results_live(r->path);
    *error = check_kind(r->path);
    if (!*error)
        *error = open_sql(r);
    if (!*error)
        *error = ls_objects_check(r->path, r->sql);
    if (!*error && !read_meta(r))
        *error = ls_text("%s: has no Lanescope schema; " RECORD_HINT, r->path);
    if (*error) {
        ls_results_close(r);
        return NULL;
    }
    return r;
}

void ls_results_close(struct ls_results *r)
{
    if (!r)
        return;
    sqlite3_close(r->sql);
    if (r->file >= 0)
        close(r->file);
    ls_arena_free(&r->arena);
    void *arrays[] = {r->processes,  r->modules, r->files, r->kernels, r->frames, r->sites,   r->metrics,
                      r->dispatches, r->shapes,  r->parts, r->notes,   r->rows,   r->handlers};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        free(arrays[i]);
    free(r->path);
    free(r);
}
