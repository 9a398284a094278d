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
#include "common/file_limit.h"
#include "error_text.h"
#include "place.h"
#include "run_files.h"
#include "guid.h"
#include "schema.h"
#include "sources.h"
#include "writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
/* uthash would otherwise end the profiled program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

static const char *const statement_sql[N_STATEMENTS] = {
    [ADD_PROCESS] = "INSERT INTO process VALUES(NULL,?,?,?,?,?,?,?,?,NULL,?,?,?)",
    [ADD_AGENT] = "INSERT INTO agent VALUES(NULL,?,?,?,?,?,?)",
    [ADD_CODE_OBJECT] = "INSERT INTO code_object VALUES(NULL,?,?,?,?,?,?)",
    [ADD_MODULE] = "INSERT INTO module VALUES(NULL,?,?,?,?)",
    [ADD_FILE] = "INSERT INTO source_file(path) VALUES(?)",
    [SET_FILE_SUM] = "UPDATE source_file SET md5 = CASE WHEN md5 IS NULL THEN ?2 WHEN instr(md5, ?2) THEN md5"
                     " ELSE md5 || ' ' || ?2 END WHERE id = ?1",
    [SET_ORIGIN] = "UPDATE source_file SET origin=max(origin, ?2) WHERE id=?1",
    [ADD_KERNEL] = "INSERT INTO kernel VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_FRAME] = "INSERT INTO frame VALUES(NULL,?,?,?,?,?)",
    [ADD_SITE] = "INSERT INTO site VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL,NULL,?)",
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
    [ADD_DISPATCH] = "INSERT INTO dispatch VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [ADD_VALUE] = "INSERT INTO value VALUES(?,?,?,?)"
                  " ON CONFLICT DO UPDATE SET value = value + excluded.value",
    [ADD_DISPATCH_VALUE] = "INSERT INTO dispatch_value VALUES(?,?,?)"
                           " ON CONFLICT DO UPDATE SET value = value + excluded.value",
    [ADD_ROW] = "INSERT INTO handler_row VALUES(NULL,?,?,?,?,?)",
    [ADD_CALL] = "INSERT INTO unprobed_call VALUES(?,?,?,?)",
    [ADD_NOTE] = "INSERT INTO note VALUES(NULL,?,?,?)",
    [ADD_COPY] = "INSERT INTO copy VALUES(NULL,?,?,?,?,?,?,?,?,?)",
    [ADD_MARKER] = "INSERT INTO marker VALUES(NULL,?,?,?,?,?,?)",
    [SET_META] = "INSERT INTO meta VALUES(?,?) ON CONFLICT DO UPDATE SET value = excluded.value",
    [SET_END] = "UPDATE process SET end_ns = ? WHERE id = ?",
};

/* Text or structure that was stored before, and its id. */
struct interned {
    UT_hash_handle hh;
    int64_t id;
    char key[];
};

/* One bound column. */
struct cell {
    enum { CELL_INT, CELL_ID, CELL_TEXT, CELL_REAL } type;
    int64_t i;
    const char *s;
    double r;
};
#define INT(x) ((struct cell){.type = CELL_INT, .i = (int64_t)(x)})
#define ID(x) ((struct cell){.type = CELL_ID, .i = (x)}) /* 0: NULL */
#define TEXT(x) ((struct cell){.type = CELL_TEXT, .s = (x)})
#define REAL(x) ((struct cell){.type = CELL_REAL, .r = (x)})
#define WRITE(db, which, ...)                                                                                \
    write_row(db, which, (const struct cell[]){__VA_ARGS__},                                                 \
              sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell))

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

/* ---- errors ---- */

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
        return "this is an error in Lanescope: an id was used that this database does not have";
    default:
        return "run again with --log-level debug and report it";
    }
}

static void fail(struct ls_db *db, const char *doing)
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

/* A forked child shares the file but not the right to write it (SQLite, "How To Corrupt", section 2.6). */
static bool usable(struct ls_db *db)
{
    return !db->error && (own_thread || db->owner == getpid()); /* a child has no thread of ours */
}

/* Our own threads never get signals, so that a row of theirs costs no system calls for that. */
static struct ls_held_signal hold_limit(void)
{
    return own_thread ? (struct ls_held_signal){.pending = true} : ls_hold_file_limit();
}

static void release_limit(const struct ls_held_signal *h)
{
    if (!own_thread)
        ls_release_file_limit(h);
}

/* ---- statements ---- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The temporary file is a new one with all rows in it. */
static int move(struct ls_db *db, char **why)
{
    struct ls_held_signal held = hold_limit();
    int rc = ls_db_move(db, why);
    if (!rc && !db->error && ls_db_connect(db->partial, &db->sql) != SQLITE_OK)
        fail(db, "cannot open the database again");
    release_limit(&held);
    return rc;
}

/* Another program can only have begun to write in the moment between two transactions of ours. */
static int begin(struct ls_db *db)
{
    enum { OTHER_WRITER_MS = 2000 };
    char *why = NULL;
    if (db->in_transaction)
        return 0;
    sqlite3_busy_timeout(db->sql, OTHER_WRITER_MS);
    int rc = sqlite3_exec(db->sql, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if ((rc & 0xff) == SQLITE_BUSY && !move(db, &why))
        rc = db->error ? SQLITE_ERROR : sqlite3_exec(db->sql, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    free(why);
    if (rc != SQLITE_OK)
        fail(db, "cannot begin a transaction");
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

static int prepare(struct ls_db *db, enum statement which)
{
    if (db->statements[which])
        return 0;
    if (sqlite3_prepare_v3(db->sql, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                           &db->statements[which], NULL) == SQLITE_OK)
        return 0;
    fail(db, "cannot prepare a statement");
    return -1;
}

/* SQLite's code; SQLITE_DONE is success, with everything else db->error is set. */
static int step_row(struct ls_db *db, enum statement which, const struct cell *cells, size_t n)
{
    if (begin(db) || prepare(db, which))
        return SQLITE_ERROR;
    sqlite3_stmt *st = db->statements[which];
    int rc = SQLITE_OK;
    for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
        rc = bind_cell(st, (int)i + 1, &cells[i]);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc != SQLITE_DONE) {
        rc = sqlite3_extended_errcode(db->sql);
        fail(db, "cannot add a row");
    }
    sqlite3_reset(st);
    return rc;
}

/* The file has lost its name, which SQLite looks for at the first row after a commit: goes on in a new one. */
static int follow(struct ls_db *db)
{
    char *error = db->error, *why = NULL;
    db->error = NULL;
    int rc = move(db, &why);
    free(why);
    if (rc)
        db->error = error;
    else
        free(error);
    return db->error ? -1 : 0;
}

/* The new row's id, or 0 after an error. */
static int64_t write_row(struct ls_db *db, enum statement which, const struct cell *cells, size_t n)
{
    if (!usable(db))
        return 0;
    struct ls_held_signal held = hold_limit();
    int rc = step_row(db, which, cells, n);
    if (rc == SQLITE_READONLY_DBMOVED && !follow(db))
        rc = step_row(db, which, cells, n);
    release_limit(&held);
    db->written = true;
    return rc == SQLITE_DONE ? sqlite3_last_insert_rowid(db->sql) : 0;
}

static void set_meta(struct ls_db *db, const char *key, const char *value)
{
    WRITE(db, SET_META, TEXT(key), TEXT(value));
}

/* ---- interning ---- */

static int64_t lookup(struct interned *table, const void *key, size_t n)
{
    struct interned *e;
    HASH_FIND(hh, table, key, n, e);
    return e ? e->id : 0;
}

static void remember(struct ls_db *db, struct interned **table, const void *key, size_t n, int64_t id)
{
    struct interned *e = malloc(sizeof(*e) + n);
    if (!e) {
        db->error = db->error ? db->error : strdup("out of memory");
        return;
    }
    memcpy(e->key, key, n);
    e->id = id;
    HASH_ADD_KEYPTR(hh, *table, e->key, n, e);
    if (!e->hh.tbl) {
        free(e);
        db->error = db->error ? db->error : strdup("out of memory");
    }
}

static void forget(struct interned **table)
{
    struct interned *e, *next;
    HASH_ITER(hh, *table, e, next)
    {
        HASH_DEL(*table, e);
        free(e);
    }
}

/* 0 for an unknown file. */
static int64_t file_id(struct ls_db *db, const char *path)
{
    if (!path || !*path)
        return 0;
    size_t n = strlen(path);
    int64_t id = lookup(db->files, path, n);
    if (!id && (id = WRITE(db, ADD_FILE, TEXT(path))))
        remember(db, &db->files, path, n, id);
    return id;
}

int ls_db_add_source_sum(struct ls_db *db, const char *path, const char *md5)
{
    int64_t file = lookup(db->files, path, strlen(path));
    if (file)
        WRITE(db, SET_FILE_SUM, ID(file), TEXT(md5));
    return db->error ? -1 : 0;
}

static int64_t frame_id(struct ls_db *db, const struct ls_db_frame *f, int64_t parent)
{
    int64_t file = file_id(db, f->file);
    const char *function = or_empty(f->function);
    char *key =
        ls_text("%lld %u %u %lld %s", (long long)file, f->line, f->column, (long long)parent, function);
    if (!key) {
        db->error = db->error ? db->error : strdup("out of memory");
        return 0;
    }
    size_t n = strlen(key);
    int64_t id = lookup(db->frames, key, n);
    bool fresh = !id;
    if (fresh &&
        (id = WRITE(db, ADD_FRAME, ID(file), INT(f->line), INT(f->column), TEXT(function), ID(parent))))
        remember(db, &db->frames, key, n, id);
    if (fresh && f->origin)
        WRITE(db, SET_ORIGIN, INT(file), INT(f->origin));
    free(key);
    return id;
}

/* ---- opening ---- */

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
    set_meta(db, "schema", "lanescope");
    snprintf(text, sizeof(text), "%d", LS_SCHEMA_VERSION);
    set_meta(db, "schema_version", text);
    set_meta(db, "lanescope_version", LANESCOPE_VERSION);
    set_meta(db, "state", "partial");
    set_meta(db, "guid", guid);
    set_meta(db, "run_id", run);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    set_meta(db, "created", text);
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
    if (begin(db))
        return;
    if (ls_db_write_layout(db->sql) != SQLITE_OK) {
        fail(db, "cannot write the schema");
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
                          "PRAGMA temp_store = MEMORY; PRAGMA cache_spill = OFF; PRAGMA foreign_keys = ON",
                          NULL, NULL, NULL);
    return rc;
}

int ls_db_write_layout(sqlite3 *sql)
{
    char marks[128];
    snprintf(marks, sizeof(marks), "PRAGMA application_id = %d; PRAGMA user_version = %d", LS_APPLICATION_ID,
             LS_SCHEMA_VERSION);
    int rc = sqlite3_exec(sql, marks, NULL, NULL, NULL);
    return rc == SQLITE_OK ? sqlite3_exec(sql, ls_schema_sql, NULL, NULL, NULL) : rc;
}

static void disconnect(struct ls_db *db)
{
    for (int i = 0; i < N_STATEMENTS; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close(db->sql);
    db->sql = NULL;
}

/* Frees everything but *db->error's text, which the caller has taken if it wants it. */
static void destroy(struct ls_db *db)
{
    disconnect(db);
    if (db->lock >= 0)
        close(db->lock);
    forget(&db->files);
    forget(&db->frames);
    free(db->path);
    free(db->partial);
    free(db->error);
    free(db);
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
    db->lock = -1;
    db->owner = getpid();
    db->umask = ls_db_read_umask();
    db->sources = process->sources;
    if (!ls_db_make_parents(path, error) || !ls_db_choose_name(db, path, run ? run : "", error))
        goto failed;
    ls_run_files_tell(db->path);
    struct ls_held_signal held = hold_limit();
    if (ls_place_clear_beside(db->partial))
        db->error = ls_text("%s: cannot remove the journal beside it: %s; give another output directory",
                            db->partial, strerror(errno));
    else if (ls_db_connect(db->partial, &db->sql) == SQLITE_OK)
        write_schema(db, process, run ? run : "");
    else
        fail(db, "cannot open the database");
    release_limit(&held);
    if (!db->error)
        return db;
    *error = strdup(db->error ? db->error : "out of memory");
    disconnect(db);
    unlink(db->partial);
    ls_place_clear_beside(db->partial);
failed:
    destroy(db);
    return NULL;
}

/* ---- rows ---- */

int64_t ls_db_add_agent(struct ls_db *db, const struct ls_db_agent *a)
{
    return WRITE(db, ADD_AGENT, INT(db->process), INT(a->handle), TEXT(or_empty(a->arch)),
                 TEXT(or_empty(a->name)), INT(a->compute_units), INT(a->lanes));
}

int64_t ls_db_add_code_object(struct ls_db *db, const struct ls_db_code_object *c)
{
    return WRITE(db, ADD_CODE_OBJECT, INT(c->agent), TEXT(c->uri), INT(c->bytes), INT(c->load_base),
                 INT(c->instrumented), TEXT(c->compiler));
}

int64_t ls_db_add_module(struct ls_db *db, const struct ls_db_module *m)
{
    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)m->hash);
    return WRITE(db, ADD_MODULE, INT(m->code_object), TEXT(hash), INT(m->llvm_major),
                 TEXT(or_empty(m->target)));
}

int64_t ls_db_add_kernel(struct ls_db *db, const struct ls_db_kernel *k)
{
    const char *mangled = or_empty(k->mangled);
    if (!usable(db))
        return 0;
    return WRITE(db, ADD_KERNEL, INT(k->code_object), ID(k->module), TEXT(mangled),
                 TEXT(k->demangled ? k->demangled : mangled), ID(file_id(db, k->file)), INT(k->line),
                 INT(k->lds_bytes), INT(k->scratch_bytes), INT(k->sgprs), INT(k->vgprs), INT(k->agprs),
                 INT(k->clone_scratch_bytes), INT(k->clone_sgprs), INT(k->clone_vgprs), INT(k->clone_agprs),
                 TEXT(k->not_instrumented), ID(k->lanes));
}

int64_t ls_db_add_site(struct ls_db *db, const struct ls_db_site *s)
{
    int64_t frame = 0;
    if (!usable(db))
        return 0;
    for (size_t i = s->n_frames; i-- > 0;) /* outermost first: the parent's id is needed */
        frame = frame_id(db, &s->frames[i], frame);
    return WRITE(db, ADD_SITE, INT(s->module), INT(s->index), ID(s->kernel), INT(s->kind), INT(s->space),
                 INT(s->bytes), INT(s->align), INT(s->flags), INT(s->reason), TEXT(or_empty(s->instruction)),
                 TEXT(or_empty(s->function)), ID(frame), TEXT(s->isa), INT(s->isa_merged), INT(s->alone),
                 s->alone ? INT(s->offset) : TEXT(NULL)); /* alone: joined as it stands */
}

int ls_db_join_site(struct ls_db *db, int64_t site, const struct ls_db_join *j)
{
    if (!usable(db))
        return -1;
    int64_t frame = j->frame ? frame_id(db, j->frame, 0) : 0;
    return WRITE(db, JOIN_SITE, INT(site), TEXT(j->isa), INT(j->merged), INT(j->state), INT(j->flags),
                 INT(j->reason), ID(frame), ID(j->counted_at)) < 0
               ? -1
               : 0;
}

int ls_db_estimate_site(struct ls_db *db, int64_t site, const char *reason)
{
    return usable(db) && WRITE(db, ESTIMATE_SITE, INT(site), TEXT(reason)) >= 0 ? 0 : -1;
}

int64_t ls_db_add_instruction(struct ls_db *db, const struct ls_db_instruction *i)
{
    if (!usable(db))
        return 0;
    int64_t id =
        WRITE(db, ADD_INSTRUCTION, ID(i->kernel), INT(i->offset), TEXT(or_empty(i->text)),
              ID(file_id(db, i->file)), INT(i->line), INT(i->column), TEXT(i->function), ID(i->module));
    if (i->vector && id > 0)
        WRITE(db, ADD_VECTOR_INSTRUCTION, INT(id), INT(i->together));
    return id;
}

int ls_db_join_instruction(struct ls_db *db, int64_t instruction, int64_t site, bool tells)
{
    return usable(db) && WRITE(db, JOIN_INSTRUCTION, INT(instruction), ID(site)) >= 0 &&
                   WRITE(db, JOIN_VECTOR_INSTRUCTION, INT(instruction), INT(tells)) >= 0
               ? 0
               : -1;
}

/* NULL for a metric of which its handler said nothing. */
static struct cell said(const struct ls_db_metric *m, int64_t value)
{
    return m->view.position ? INT(value) : TEXT(NULL);
}

int64_t ls_db_add_metric(struct ls_db *db, const struct ls_db_metric *m)
{
    return WRITE(db, ADD_METRIC, TEXT(or_empty(m->handler)), TEXT(or_empty(m->name)), TEXT(or_empty(m->unit)),
                 TEXT(or_empty(m->description)), INT(m->is_ratio), REAL(m->is_ratio ? m->scale : 0), ID(m->a),
                 ID(m->b), ID(m->c), ID(m->d), TEXT(m->view.title), said(m, m->view.direction),
                 said(m, m->view.show), said(m, m->view.excess), said(m, m->view.cost), ID(m->view.position),
                 said(m, m->view.role));
}

int ls_db_add_handler(struct ls_db *db, const char *name, const char *title, const char *clean)
{
    return WRITE(db, ADD_HANDLER, TEXT(name), TEXT(title), TEXT(clean)) < 0 ? -1 : 0;
}

int64_t ls_db_add_dispatch(struct ls_db *db, const struct ls_db_dispatch *d)
{
    return WRITE(db, ADD_DISPATCH, INT(db->process), INT(d->number), INT(d->kernel), INT(d->agent),
                 INT(d->queue), INT(d->grid[0]), INT(d->grid[1]), INT(d->grid[2]), INT(d->workgroup[0]),
                 INT(d->workgroup[1]), INT(d->workgroup[2]), INT(d->lds_bytes), INT(d->scratch_bytes),
                 INT(d->start_ns), INT(d->end_ns), INT(d->observed), TEXT(d->not_observed), INT(d->chunks),
                 INT(d->bytes), INT(d->messages), INT(d->bad), INT(d->dropped), INT(d->alone),
                 INT(d->unlisted), ID((int64_t)d->submit_ns), ID(d->thread));
}

int ls_db_add_value(struct ls_db *db, int64_t dispatch, int64_t site, int64_t metric, int64_t value)
{
    if (site)
        WRITE(db, ADD_VALUE, INT(dispatch), INT(site), INT(metric), INT(value));
    else
        WRITE(db, ADD_DISPATCH_VALUE, INT(dispatch), INT(metric), INT(value));
    return usable(db) ? 0 : -1;
}

int ls_db_add_row(struct ls_db *db, int64_t dispatch, int64_t site, const char *handler, const char *table,
                  const char *json)
{
    return WRITE(db, ADD_ROW, INT(dispatch), ID(site), TEXT(or_empty(handler)), TEXT(or_empty(table)),
                 TEXT(json ? json : "null"))
               ? 0
               : -1;
}

int ls_db_add_call(struct ls_db *db, int64_t dispatch, int64_t site, uint64_t executions, uint64_t lanes)
{
    WRITE(db, ADD_CALL, INT(dispatch), INT(site), INT(executions), INT(lanes));
    return usable(db) ? 0 : -1;
}

int64_t ls_db_add_copy(struct ls_db *db, const struct ls_db_copy *c)
{
    return WRITE(db, ADD_COPY, INT(db->process), INT(c->number), ID(c->from), ID(c->to), INT(c->bytes),
                 INT(c->start_ns), INT(c->end_ns), ID((int64_t)c->submit_ns), ID(c->thread));
}

int64_t ls_db_add_marker(struct ls_db *db, const struct ls_db_marker *m)
{
    return WRITE(db, ADD_MARKER, INT(db->process), INT(m->thread), INT(m->kind), TEXT(or_empty(m->text)),
                 INT(m->start_ns), ID((int64_t)m->end_ns));
}

int ls_db_add_note(struct ls_db *db, int level, const char *text)
{
    return WRITE(db, ADD_NOTE, INT(db->process), INT(level), TEXT(or_empty(text))) ? 0 : -1;
}

/* ---- end ---- */

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
    int rc = move(db, &why);
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
    if (!usable(db))
        return -1;
    if (!db->written)
        return 0;
    struct ls_held_signal held = hold_limit();
    int rc = sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY) {
        fail(db, "cannot commit");
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    }
    release_limit(&held);
    if ((rc & 0xff) == SQLITE_BUSY)
        return wait_for_reader(db);
    db->in_transaction = db->written = false;
    db->waiting_since = 0;
    return rc == SQLITE_OK ? begin(db) : -1;
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
        fail(db, "cannot commit");
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
    fchmod(db->lock, (0666 & ~db->umask & narrowest) | 0600);
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
    if (begin(db))
        return -1;
    if (ls_store_sources(db->sql, db->sources, db->lock, &narrowest))
        fail(db, "cannot store the source text");
    WRITE(db, SET_END, INT(now.tv_sec * 1000000000ll + now.tv_nsec), INT(db->process));
    set_meta(db, "state", complete ? "complete" : "partial");
    if (db->error || commit_last(db) || keep_named(db))
        return -1;
    disconnect(db);
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
    set_meta(db, "recording_ns", text);
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
        struct ls_held_signal held = hold_limit();
        rc = publish(db, complete);
        release_limit(&held);
    }
    if (rc)
        *error = strdup(db->error ? db->error : "out of memory");
    destroy(db);
    return rc;
}

const char *ls_db_error(const struct ls_db *db)
{
    return db->error;
}
