/* writer_statement.c - one row into the database: prepared statements, transactions, errors (writer_internal.h). */
#include "results/file/error_text.h"
#include "results/file/schema.h"
#include "writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADD_TO_VALUE " ON CONFLICT DO UPDATE SET value = value + excluded.value"

static const char *const statement_sql[N_STATEMENTS] = {
    [ADD_PROCESS] = "INSERT INTO process VALUES(NULL,?,?,?,?,?,?,?,?,NULL,?,?,?)",
    [ADD_AGENT] = "INSERT INTO agent VALUES(NULL,?,?,?,?,?,?)",
    [ADD_CODE_OBJECT] = "INSERT INTO code_object VALUES(NULL,?,?,?,?,?,?)",
    [ADD_MODULE] = "INSERT INTO module VALUES(NULL,?,?,?,?)",
    [ADD_FILE] = "INSERT INTO source_file(path) VALUES(?)",
    [SET_FILE_SUM] = "UPDATE source_file SET md5 = CASE WHEN md5 IS NULL THEN ?2 WHEN instr(md5, ?2) THEN md5"
                     " ELSE md5 || ' ' || ?2 END WHERE id = ?1",
    [SET_FILE_TEXT] = "UPDATE source_file SET text=?2 WHERE id=?1 AND text IS NULL",
    [SET_ORIGIN] = "UPDATE source_file SET origin=max(origin, ?2) WHERE id=?1",
    [ADD_KERNEL] = "INSERT INTO kernel VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_FRAME] = "INSERT INTO frame VALUES(NULL,?,?,?,?,?)",
    [ADD_SITE] = "INSERT INTO site VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL,NULL,?)",
    [ADD_PART] = "INSERT INTO site_part VALUES(?,?,?)",
    [JOIN_SITE] = "UPDATE site SET isa=?2, isa_merged=?3, isa_join=?4, flags=?5, reason=?6,"
                  " frame=coalesce(?7, frame), counted_at=?8 WHERE id=?1",
    [ESTIMATE_SITE] = "UPDATE site SET estimate=?2 WHERE id=?1 AND estimate IS NULL",
    [ADD_INSTRUCTION] = "INSERT INTO instruction VALUES(NULL,?,?,?,?,?,?,NULL,?,?)",
    [JOIN_INSTRUCTION] = "UPDATE instruction SET site=?2 WHERE id=?1",
    [ADD_VECTOR_INSTRUCTION] = "INSERT INTO vector_instruction VALUES(?,?,0)",
    [JOIN_VECTOR_INSTRUCTION] = "UPDATE vector_instruction SET tells=?2 WHERE instruction=?1",
    [ADD_METRIC] = "INSERT INTO metric VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_HANDLER] = "INSERT INTO handler VALUES(?,?,?) ON CONFLICT DO UPDATE SET title = excluded.title,"
                    " clean = excluded.clean",
    [ADD_DISPATCHES] = "INSERT INTO dispatch SELECT * FROM waiting_dispatch",
    [ADD_VALUES] = "INSERT INTO value SELECT * FROM waiting_value WHERE true" ADD_TO_VALUE,
    [ADD_DISPATCH_VALUE] = "INSERT INTO dispatch_value VALUES(?,?,?)" ADD_TO_VALUE,
    [ADD_OWN_VALUES] = "INSERT INTO own_value SELECT * FROM waiting_value WHERE true" ADD_TO_VALUE,
    [ADD_OWN_DISPATCH_VALUE] = "INSERT INTO own_dispatch_value VALUES(?,?,?)" ADD_TO_VALUE,
    [ADD_ROW] = "INSERT INTO handler_row VALUES(NULL,?,?,?,?,?)",
    [ADD_CALL] = "INSERT INTO unprobed_call VALUES(?,?,?,?)",
    [ADD_NOTE] = "INSERT INTO note VALUES(NULL,?,?,?)",
    [ADD_COPY] = "INSERT INTO copy VALUES(NULL,?,?,?,?,?,?,?,?,?,?)",
    [ADD_STREAM] = "INSERT INTO stream VALUES(NULL,?,?,?,?)",
    [ADD_MARKER] = "INSERT INTO marker VALUES(NULL,?,?,?,?,?,?)",
    [SET_META] = "INSERT INTO meta VALUES(?,?) ON CONFLICT DO UPDATE SET value = excluded.value",
    [SET_END] = "UPDATE process SET end_ns = ? WHERE id = ?",
};

static const enum parent adds_to[N_STATEMENTS] = {
    [ADD_PROCESS] = PROCESS, [ADD_AGENT] = AGENT,      [ADD_CODE_OBJECT] = CODE_OBJECT,
    [ADD_MODULE] = MODULE,   [ADD_FILE] = SOURCE_FILE, [ADD_KERNEL] = KERNEL,
    [ADD_FRAME] = FRAME,     [ADD_SITE] = SITE,        [ADD_INSTRUCTION] = INSTRUCTION,
    [ADD_METRIC] = METRIC,   [ADD_STREAM] = STREAM,
};

#define OWN_ERROR "this is an error in Lanescope: run again with --log-level debug and report it"

static const char *fix_for(int code, int os)
{
    if (os == EMFILE || os == ENFILE)
        return "raise the limit of open files (ulimit -n)";
    if (code == SQLITE_READONLY_DBMOVED)
        return "the file was removed or renamed while it was written; leave *" LS_PARTIAL_SUFFIX
               " files alone until the program has ended";
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "free space on that file system, or give another output directory";
    case SQLITE_IOERR:
        return "look for a full disk, a quota or a file-size limit (ulimit -f), or give another output "
               "directory";
    case SQLITE_NOMEM:
        return "the process is out of memory";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "give an output directory that can be written";
    case SQLITE_BUSY:
        return "another program writes to it or holds its lock; keep others from changing a recording";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "another program changed the file while it was written; keep others from changing a recording";
    case SQLITE_CONSTRAINT:
        return OWN_ERROR;
    default:
        return "run again with --log-level debug and report it";
    }
}

void ls_db_fail(struct ls_db *db, const char *doing)
{
    if (db->error)
        return;
    int code = sqlite3_extended_errcode(db->sql);
    int os = sqlite3_system_errno(db->sql);
    bool show_os = os && (code & 0xff) != SQLITE_CONSTRAINT;
    db->error = ls_text("%s: %s: %s%s%s; %s", db->partial, doing, sqlite3_errmsg(db->sql),
                        show_os ? ": " : "", show_os ? strerror(os) : "", fix_for(code, os));
    if (!db->error)
        db->error = strdup("out of memory");
}

static _Thread_local bool own_thread; /* ls_db_on_own_thread */

void ls_db_on_own_thread(void)
{
    own_thread = true;
}

bool ls_db_usable(struct ls_db *db)
{
    return !db->error && (own_thread || db->owner == getpid()); /* a child has no thread of ours */
}

struct ls_held_signal ls_db_hold_limit(void)
{
    return own_thread ? (struct ls_held_signal){.pending = true} : ls_hold_file_limit();
}

void ls_db_release_limit(const struct ls_held_signal *h)
{
    if (!own_thread)
        ls_release_file_limit(h);
}

int ls_db_go_on(struct ls_db *db, char **why)
{
    struct ls_held_signal held = ls_db_hold_limit();
    int rc = ls_db_move(db, why);
    if (!rc && !db->error &&
        (ls_db_connect(db->partial, &db->sql) != SQLITE_OK || ls_db_offer_batches(db) != SQLITE_OK))
        ls_db_fail(db, "cannot open the database again");
    ls_db_release_limit(&held);
    return rc;
}

int ls_db_begin(struct ls_db *db)
{
    enum { OTHER_WRITER_MS = 2000 };
    char *why = NULL;
    if (db->in_transaction)
        return 0;
    sqlite3_busy_timeout(db->sql, OTHER_WRITER_MS);
    int rc = sqlite3_exec(db->sql, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if ((rc & 0xff) == SQLITE_BUSY && !ls_db_go_on(db, &why))
        rc = db->error ? SQLITE_ERROR : sqlite3_exec(db->sql, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    free(why);
    if (rc != SQLITE_OK)
        ls_db_fail(db, "cannot begin a transaction");
    sqlite3_busy_timeout(db->sql, 0);
    db->in_transaction = rc == SQLITE_OK;
    return rc == SQLITE_OK ? 0 : -1;
}

static int bind_cell(sqlite3_stmt *st, int index, const struct cell *c)
{
    switch (c->type) {
    case CELL_INT:
        return sqlite3_bind_int64(st, index, c->i);
    case CELL_ID:
        return c->i ? sqlite3_bind_int64(st, index, c->i) : sqlite3_bind_null(st, index);
    case CELL_TEXT:
        return sqlite3_bind_text(st, index, c->s, -1, SQLITE_STATIC);
    case CELL_REAL:
        return sqlite3_bind_double(st, index, c->r);
    }
    return SQLITE_MISUSE;
}

bool ls_db_has(struct ls_db *db, enum parent table, int64_t id)
{
    if (id > 0 && id <= db->last[table])
        return true;
    if (!db->error)
        db->error = ls_text("%s: cannot add a row: it names row %lld of a table that has %lld; " OWN_ERROR,
                            db->partial, (long long)id, (long long)db->last[table]);
    if (!db->error)
        db->error = strdup("out of memory");
    return false;
}

bool ls_db_has_all(struct ls_db *db, const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cells[i].of && (cells[i].i || cells[i].type != CELL_ID) &&
            !ls_db_has(db, cells[i].of, cells[i].i))
            return false;
    return true;
}

static int prepare(struct ls_db *db, enum statement which)
{
    if (db->statements[which])
        return 0;
    if (sqlite3_prepare_v3(db->sql, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                           &db->statements[which], NULL) == SQLITE_OK)
        return 0;
    ls_db_fail(db, "cannot prepare a statement");
    return -1;
}

/* SQLite's code; SQLITE_DONE is success, with everything else db->error is set. */
static int step_row(struct ls_db *db, enum statement which, const struct cell *cells, size_t n)
{
    if (ls_db_begin(db) || prepare(db, which))
        return SQLITE_ERROR;
    sqlite3_stmt *st = db->statements[which];
    int rc = SQLITE_OK;
    for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
        rc = bind_cell(st, (int)i + 1, &cells[i]);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc != SQLITE_DONE) {
        rc = sqlite3_extended_errcode(db->sql);
        ls_db_fail(db, "cannot add a row");
    }
    sqlite3_reset(st);
    return rc;
}

void ls_db_keep_spare(struct ls_db *db)
{
    if (db->spare < 0)
        db->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool ls_db_use_spare(struct ls_db *db)
{
    if (db->spare < 0)
        return false;
    close(db->spare);
    db->spare = -1;
    return true;
}

/* The file has lost its name, which SQLite looks for at the first row after a commit: goes on in a new one. */
static bool follow(struct ls_db *db)
{
    char *why = NULL;
    int rc = ls_db_go_on(db, &why);
    free(why);
    return !rc && !db->error;
}

/* The journal could not be opened. */
static bool free_descriptor(struct ls_db *db)
{
    int os = sqlite3_system_errno(db->sql);
    if ((os != EMFILE && os != ENFILE) || !ls_db_use_spare(db))
        return false;
    db->in_transaction = !sqlite3_get_autocommit(db->sql);
    return true;
}

/* Whether the row can be tried again. */
static bool mended(struct ls_db *db, int rc)
{
    char *error = db->error;
    db->error = NULL;
    bool again = rc == SQLITE_READONLY_DBMOVED    ? follow(db)
                 : (rc & 0xff) == SQLITE_CANTOPEN ? free_descriptor(db)
                                                  : false;
    if (!again && !db->error)
        db->error = error;
    else
        free(error);
    return again;
}

int64_t ls_db_write(struct ls_db *db, enum statement which, const struct cell *cells, size_t n)
{
    if (!ls_db_usable(db) || !ls_db_has_all(db, cells, n))
        return 0;
    struct ls_held_signal held = ls_db_hold_limit();
    int rc = step_row(db, which, cells, n);
    if (rc != SQLITE_DONE && mended(db, rc))
        rc = step_row(db, which, cells, n);
    ls_db_release_limit(&held);
    db->written = true;
    const int64_t id = rc == SQLITE_DONE ? sqlite3_last_insert_rowid(db->sql) : 0;
    if (id && adds_to[which])
        db->last[adds_to[which]] = id;
    return id;
}

static int run_script(struct ls_db *db, const char *script)
{
    if (ls_db_begin(db))
        return SQLITE_ERROR;
    if (sqlite3_exec(db->sql, script, NULL, NULL, NULL) == SQLITE_OK)
        return SQLITE_DONE;
    ls_db_fail(db, "cannot change the schema");
    return sqlite3_extended_errcode(db->sql);
}

bool ls_db_change(struct ls_db *db, const char *script)
{
    if (!ls_db_usable(db))
        return false;
    struct ls_held_signal held = ls_db_hold_limit();
    int rc = run_script(db, script);
    if (rc != SQLITE_DONE && mended(db, rc))
        rc = run_script(db, script);
    ls_db_release_limit(&held);
    db->written = true;
    return rc == SQLITE_DONE;
}

void ls_db_set_meta(struct ls_db *db, const char *key, const char *value)
{
    WRITE(db, SET_META, TEXT(key), TEXT(value));
}
