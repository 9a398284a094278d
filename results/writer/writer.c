/*
 * The results database's writer (writer.h).
 *
 * Rollback journal, not WAL: between two commits the whole truth is in the one file, so a process that is
 * killed leaves nothing in a sidecar that somebody could forget to copy. Without `synchronous`, commits cost
 * microseconds; the operating system keeps what a dead process had written. Only a power failure during the
 * run could damage the file, and finish() syncs it before it gets its final name.
 *
 * The database itself is written only inside create, commit and finish (cache_spill is off); between them
 * only the rollback journal grows. SIGXFSZ is held back around both.
 *
 * Readers hold off a commit, never lose it: the transaction stays open, takes further rows, and is committed
 * later. One that does not let go for long, or costs much memory, is left alone with the old file
 * (writer_move.c). A transaction is always open, so that no other program can begin to write between two of
 * ours. The journal is emptied, not deleted, so that its name is never free for anybody else's.
 */
#include "results/file/error_text.h"
#include "results/file/guid.h"
#include "results/file/place.h"
#include "results/file/run_files.h"
#include "results/file/schema.h"
#include "writer_internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *argv_json(const char *const *argv)
{
    json_t *list = json_array();
    for (; argv && *argv; argv++) {
        json_t *s = json_string(*argv);
        /* An argument that is not UTF-8: each byte becomes the code point of that number. */
        if (!s && (s = json_string(""))) {
            char *text = calloc(1, 2 * strlen(*argv) + 1), *p = text;
            for (const unsigned char *q = (const unsigned char *)*argv; text && *q; q++) {
                if (*q < 0x80) {
                    *p++ = (char)*q;
                } else {
                    *p++ = (char)(0xc0 | *q >> 6);
                    *p++ = (char)(0x80 | (*q & 63));
                }
            }
            json_string_set(s, or_empty(text));
            free(text);
        }
        json_array_append_new(list, s);
    }
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static void write_meta(struct ls_db *db, const char *guid, const char *run)
{
    char text[64];
    time_t now = time(NULL);
    struct tm tm;
    ls_db_set_meta(db, "schema", "lanescope");
    snprintf(text, sizeof(text), "%d", LS_SCHEMA_VERSION_UNSHARED);
    ls_db_set_meta(db, "schema_version", text);
    ls_db_set_meta(db, "lanescope_version", LANESCOPE_VERSION);
    ls_db_set_meta(db, "state", "partial");
    ls_db_set_meta(db, "guid", guid);
    ls_db_set_meta(db, "run_id", run);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    ls_db_set_meta(db, "created", text);
}

static void write_process(struct ls_db *db, const struct ls_db_process *p, const char *guid)
{
    char *argv = argv_json(p->argv);
    db->process =
        WRITE(db, ADD_PROCESS, INT(p->pid), INT(p->ppid), TEXT(or_empty(p->hostname)), TEXT(or_empty(p->cwd)),
              TEXT(argv ? argv : "[]"), TEXT(or_empty(p->gpu)), TEXT(or_empty(p->runtime)), INT(p->start_ns),
              TEXT(p->options_json ? p->options_json : "{}"), TEXT(guid), TEXT(p->rank));
    free(argv);
}

static void write_schema(struct ls_db *db, const struct ls_db_process *process, const char *run)
{
    char guid[LS_GUID];
    ls_make_guid(guid);
    if (ls_db_begin(db))
        return;
    /* A file that somebody has locked by now was left for another one, which has its tables. */
    const bool moved =
        sqlite3_table_column_metadata(db->sql, NULL, "meta", NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
    if (!moved && ls_db_write_layout(db->sql) != SQLITE_OK) {
        ls_db_fail(db, "cannot write the schema");
        return;
    }
    write_meta(db, guid, run);
    write_process(db, process, guid);
    ls_db_commit(db);
}

int ls_db_connect(const char *file, sqlite3 **sql)
{
    int rc = sqlite3_open_v2(file, sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(*sql,
                          "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;"
                          "PRAGMA temp_store = MEMORY; PRAGMA cache_spill = OFF; PRAGMA foreign_keys = OFF",
                          NULL, NULL, NULL);
    return rc;
}

int ls_db_write_layout(sqlite3 *sql)
{
    char marks[128];
    snprintf(marks, sizeof(marks), "PRAGMA application_id = %d; PRAGMA user_version = %d", LS_APPLICATION_ID,
             LS_SCHEMA_VERSION_UNSHARED);
    int rc = sqlite3_exec(sql, marks, NULL, NULL, NULL);
    return rc == SQLITE_OK ? sqlite3_exec(sql, ls_schema_sql, NULL, NULL, NULL) : rc;
}

void ls_db_disconnect(struct ls_db *db)
{
    for (int i = 0; i < N_STATEMENTS; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close(db->sql);
    db->sql = NULL;
}

void ls_db_destroy(struct ls_db *db)
{
    ls_db_disconnect(db);
    ls_db_forget_batches(db);
    ls_db_forget_values(db);
    if (db->lock >= 0)
        close(db->lock);
    ls_db_use_spare(db);
    ls_db_forget(&db->files);
    ls_db_forget(&db->frames);
    free(db->path);
    free(db->partial);
    free(db->error);
    free(db->streams);
    free(db);
}

/* Somebody may have locked the file as soon as it was there. */
static bool open_new(struct ls_db *db)
{
    char *why = NULL;
    int rc = ls_db_connect(db->partial, &db->sql);
    if (rc == SQLITE_OK)
        return ls_db_offer_batches(db) == SQLITE_OK;
    bool moved = (rc & 0xff) == SQLITE_BUSY && !ls_db_go_on(db, &why);
    free(why);
    return moved && !db->error;
}

struct ls_db *ls_db_create(const char *path, const struct ls_db_process *process, char **error)
{
    const char *run = getenv("LANESCOPE_RUN_ID");
    struct ls_db *db = calloc(1, sizeof(*db));
    *error = NULL;
    if (!db) {
        *error = strdup("out of memory");
        return NULL;
    }
    db->lock = db->spare = -1;
    db->owner = getpid();
    db->umask = ls_db_read_umask();
    db->sources = process->sources;
    if (!ls_db_make_parents(path, error) || !ls_db_choose_name(db, path, run ? run : "", error))
        goto failed;
    ls_run_files_tell(db->path);
    struct ls_held_signal held = ls_db_hold_limit();
    if (ls_place_clear_beside(db->partial))
        db->error = ls_text("%s: cannot remove the journal beside it: %s; give another output directory",
                            db->partial, strerror(errno));
    else if (open_new(db))
        write_schema(db, process, run ? run : "");
    else
        ls_db_fail(db, "cannot open the database");
    ls_db_release_limit(&held);
    if (!db->error)
        return db;
    *error = strdup(db->error ? db->error : "out of memory");
    ls_db_disconnect(db);
    unlink(db->partial);
    ls_place_clear_beside(db->partial);
failed:
    ls_db_destroy(db);
    return NULL;
}

const char *ls_db_error(const struct ls_db *db)
{
    return db->error;
}
