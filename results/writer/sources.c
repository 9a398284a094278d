#include "sources.h"
#include "common/code_uri.h"
#include "compiled.h"
#include "results/file/error_text.h"
#include "results/file/notes.h"
#include "results/file/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger than any hand-written file; keeps a generated monster out of every database. */
#define MAX_SOURCE_BYTES (8 << 20)

struct text {
    char *data;
    size_t size;
    int64_t modified_ns;
    const char *problem; /* static text; NULL when data is valid */
    mode_t
        readable; /* 0444 less what the file and its folders do not give to those who can read the database */
};

struct storing {
    sqlite3_stmt *update;
    enum ls_sources which;
    struct stat database;
    char database_path[32]; /* under /proc */
    mode_t narrowest;
};

static void read_all(int fd, struct text *t)
{
    while (t->size < MAX_SOURCE_BYTES + 1) {
        ssize_t n = read(fd, t->data + t->size, MAX_SOURCE_BYTES + 1 - t->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            t->problem = strerror(errno);
        if (n <= 0)
            break;
        t->size += (size_t)n;
    }
    if (t->size > MAX_SOURCE_BYTES)
        t->problem = "larger than 8 MiB";
}

static const char *refusal(const struct storing *s, const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "not a regular file";
    if (s->which == LS_SOURCES_SHARED && !(st->st_mode & 0044))
        return "only its owner can read it, so it is not stored unless --sources=all asks for it";
    return NULL;
}

/* Of the open file, whatever has its name meanwhile. */
static mode_t readers(int fd, gid_t group)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return ls_place_readers(path, group);
}

static struct text load(const struct storing *s, const char *path)
{
    struct text t = {0};
    struct stat st;
    if (s->which == LS_SOURCES_NONE)
        return (struct text){.problem = "sources were not to be stored (--no-source)"};
    /* O_NONBLOCK: a name in debug information may lead to a FIFO. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st)) {
        t.problem = strerror(errno);
    } else if ((t.problem = refusal(s, &st))) {
        ; /* what is no file, or is not for others */
    } else if (!(t.data = malloc(MAX_SOURCE_BYTES + 1))) {
        t.problem = "out of memory";
    } else {
        t.modified_ns = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
        t.readable =
            readers(fd, s->database.st_gid) & ls_place_reachable(path, s->database_path, s->database.st_gid);
        read_all(fd, &t);
    }
    if (fd >= 0)
        close(fd);
    return t;
}

static int store(struct storing *s, int64_t id, const char *path)
{
    struct text t = load(s, path);
    sqlite3_bind_int64(s->update, 4, id);
    if (t.problem) {
        sqlite3_bind_null(s->update, 1);
        sqlite3_bind_null(s->update, 2);
        sqlite3_bind_text(s->update, 3, t.problem, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_text(s->update, 1, t.data, (int)t.size, SQLITE_STATIC);
        sqlite3_bind_int64(s->update, 2, t.modified_ns);
        sqlite3_bind_null(s->update, 3);
        s->narrowest &= t.readable | t.readable >> 1; /* r and, beside it, w */
    }
    int rc = sqlite3_step(s->update);
    sqlite3_reset(s->update);
    sqlite3_clear_bindings(s->update);
    free(t.data);
    return rc == SQLITE_DONE ? 0 : -1;
}

/* ---- sources that are newer than the program ---- */

/* When the newest file with instrumented code was written; 0: unknown. */
static int64_t program_written(sqlite3 *sql)
{
    sqlite3_stmt *list = NULL;
    int64_t newest = 0;
    if (sqlite3_prepare_v2(sql, "SELECT DISTINCT uri FROM code_object WHERE instrumented", -1, &list, NULL) !=
        SQLITE_OK)
        return 0;
    while (sqlite3_step(list) == SQLITE_ROW) {
        struct stat st;
        char *path = ls_code_uri_file((const char *)sqlite3_column_text(list, 0));
        int64_t ns = path && !stat(path, &st) ? st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec : 0;
        if (ns > newest)
            newest = ns;
        free(path);
    }
    sqlite3_finalize(list);
    return newest;
}

/* Then the text need not be what was compiled. Where its sum tells, or that of the file under another name,
 * time does not. */
static void note_newer_sources(sqlite3 *sql)
{
    static const char text[] =
        "INSERT INTO note(process, level, text) SELECT (SELECT max(id) FROM process), 1, path ||"
        " '" LS_NOTE_NEWER ": if it was edited, numbers stand at wrong lines; build the program "
        "again'"
        " FROM source_file f WHERE modified_ns > ?1 AND md5 IS NULL AND path NOT LIKE '%.py' AND NOT EXISTS "
        "(SELECT 1 FROM "
        "source_file o"
        " WHERE o.text = f.text AND o.md5 IS NOT NULL) ORDER BY id LIMIT 3";
    int64_t written = program_written(sql);
    sqlite3_stmt *insert = NULL;
    if (written && sqlite3_prepare_v2(sql, text, -1, &insert, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(insert, 1, written);
        sqlite3_step(insert);
    }
    sqlite3_finalize(insert);
}

/* A script is compiled while it runs, so its text is newer only if it was edited meanwhile. The start is known in seconds. */
static void note_edited_scripts(sqlite3 *sql)
{
    static const char text[] =
        "INSERT INTO note(process, level, text) SELECT (SELECT max(id) FROM process), 1, path ||"
        " '" LS_NOTE_NEWER
        ": it was edited while the program ran, and numbers may stand at wrong lines; run it again'"
        " FROM source_file WHERE path LIKE '%.py' AND modified_ns > (SELECT (strftime('%s', value) + 1) * "
        "1000000000"
        " FROM meta WHERE key = 'created') ORDER BY id LIMIT 3";
    sqlite3_exec(sql, text, NULL, NULL, NULL);
}

/* Texts that were handed over (ls_db_add_source_text) have no file that says who may read them. */
static mode_t readers_of_texts(sqlite3 *sql)
{
    sqlite3_stmt *any = NULL;
    bool found = sqlite3_prepare_v2(sql, "SELECT 1 FROM source_file WHERE text IS NOT NULL LIMIT 1", -1, &any,
                                    NULL) != SQLITE_OK ||
                 sqlite3_step(any) == SQLITE_ROW;
    sqlite3_finalize(any);
    return found ? 0600 : 0777;
}

int ls_store_sources(sqlite3 *sql, enum ls_sources which, int file, mode_t *narrowest)
{
    struct storing s = {.which = which, .narrowest = *narrowest & readers_of_texts(sql)};
    sqlite3_stmt *list = NULL;
    int rc = -1, step;
    snprintf(s.database_path, sizeof s.database_path, "/proc/self/fd/%d", file);
    if (fstat(file, &s.database) ||
        sqlite3_prepare_v2(sql,
                           "SELECT id, path, (SELECT cwd FROM process ORDER BY id LIMIT 1) FROM source_file"
                           " WHERE text IS NULL",
                           -1, &list, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(sql, "UPDATE source_file SET text = ?, modified_ns = ?, problem = ? WHERE id = ?",
                           -1, &s.update, NULL) != SQLITE_OK)
        goto out;
    while ((step = sqlite3_step(list)) == SQLITE_ROW) {
        const char *path = (const char *)sqlite3_column_text(list, 1);
        const char *cwd = (const char *)sqlite3_column_text(list, 2);
        char *full = path[0] == '/' || !cwd || !*cwd ? strdup(path) : ls_text("%s/%s", cwd, path);
        int failed = !full || store(&s, sqlite3_column_int64(list, 0), full);
        free(full);
        if (failed)
            goto out;
    }
    rc = step == SQLITE_DONE ? 0 : -1;
    *narrowest = s.narrowest;
    if (!rc)
        note_newer_sources(sql);
    if (!rc)
        note_edited_scripts(sql);
    if (!rc)
        rc = ls_note_other_texts(sql);
out:
    sqlite3_finalize(list);
    sqlite3_finalize(s.update);
    return rc;
}
