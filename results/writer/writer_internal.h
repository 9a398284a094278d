/*
 * writer_internal.h - what the parts of the writer share: writer.c (made, opened, closed), writer_statement.c (one row),
 * writer_rows.c (rows of each table), writer_batch.c (many rows at a time), writer_same.c (values stored once), writer_end.c (commits and the end), writer_name.c (names and files), writer_move.c
 * (going on in another file).
 */
#ifndef RESULTS_WRITER_INTERNAL_H
#define RESULTS_WRITER_INTERNAL_H

#include "common/file_limit.h"
#include "writer.h"

#include <sqlite3.h>
#include <sys/types.h>

enum statement {
    ADD_PROCESS,
    ADD_AGENT,
    ADD_CODE_OBJECT,
    ADD_MODULE,
    ADD_FILE,
    SET_FILE_SUM,
    SET_FILE_TEXT,
    SET_ORIGIN,
    ADD_KERNEL,
    ADD_FRAME,
    ADD_SITE,
    ADD_PART,
    JOIN_SITE,
    ESTIMATE_SITE,
    ADD_INSTRUCTION,
    JOIN_INSTRUCTION,
    ADD_VECTOR_INSTRUCTION,
    JOIN_VECTOR_INSTRUCTION,
    ADD_METRIC,
    ADD_HANDLER,
    ADD_DISPATCHES,
    ADD_VALUES,
    ADD_DISPATCH_VALUE,
    ADD_OWN_VALUES,
    ADD_OWN_DISPATCH_VALUE,
    ADD_ROW,
    ADD_CALL,
    ADD_NOTE,
    ADD_COPY,
    ADD_STREAM,
    ADD_MARKER,
    SET_META,
    SET_END,
    N_STATEMENTS,
};

/* Tables whose rows are named by others. */
enum parent {
    NO_PARENT,
    PROCESS,
    AGENT,
    CODE_OBJECT,
    MODULE,
    SOURCE_FILE,
    KERNEL,
    FRAME,
    SITE,
    INSTRUCTION,
    METRIC,
    DISPATCH,
    STREAM,
    N_PARENTS,
};

/* Rows that one statement adds, and their columns. */
enum { DISPATCHES = 32, DISPATCH_COLUMNS = 29, VALUES = 256, VALUE_COLUMNS = 4 };

struct cell;

/* Rows of one table that are not yet given to SQLite (writer_batch.c). */
struct batch {
    struct cell *cells; /* NULL: there was none yet */
    unsigned n, columns;
};

/* Values of dispatches that are remembered (writer_same.c), and how many of one. */
enum { KNOWN_VALUES = 256, KNOWN_VALUES_MOST = 1024 };

struct ls_db {
    sqlite3 *sql;
    sqlite3_stmt *statements[N_STATEMENTS];
    /* Each table's highest id; ids begin at 1 and no row is ever removed. So what SQLite's foreign keys would look up
     * is one comparison here, and they stay off: they were a third of what a value costs. */
    int64_t last[N_PARENTS];
    struct batch dispatches, values;
    struct ls_db_values *known[KNOWN_VALUES]; /* by hash; NULL: none (writer_same.c) */
    bool shared;                              /* the file is one of ls_schema_share_sql */
    char *path, *partial;
    int lock; /* flock on the temporary file: tells a live writer from a dead one */
    int spare; /* a descriptor for when the program has taken all others: SQLite opens the journal anew for each
                * transaction; -1: none */
    pid_t owner;
    mode_t umask; /* the process's when the file was created */
    enum ls_sources sources;
    int64_t process;
    bool in_transaction;
    bool written; /* since the last commit */
    /* Monotonic nanoseconds, 0: none. Since when commits have waited for readers; before which time the
     * recording is not moved to another file again. */
    uint64_t waiting_since, no_move_before;
    char *error;
    struct interned *files, *frames;
    int64_t *streams; /* ids of rows by number; 0: no row yet */
    size_t n_streams;
};

/* writer_name.c. False with *error (malloc'd: file, cause, fix). */
bool ls_db_make_parents(const char *path, char **error);
/* Sets path, partial and lock: an empty file of mode 0600 under a temporary name, locked. */
bool ls_db_choose_name(struct ls_db *db, const char *path, const char *run, char **error);
/* Creates `path` in place of a file of ours that no process writes. A locked descriptor; -1 with errno:
 * EEXIST when something else stands there. */
int ls_db_make_file(const char *path);
mode_t ls_db_read_umask(void);

/* writer_move.c. Copies all rows, those that are not committed, too, into a new file and puts that in the
 * place of the temporary one; whoever has the old one open keeps it. Where another file has come to the name,
 * db->partial is another name then. After it there is no connection any
 * more. -1 when it could not be done, with what SQLite or the system said in *why (malloc'd, or NULL):
 * everything is as before. */
int ls_db_move(struct ls_db *db, char **why);

/* writer.c. Opens a connection to the file, which ls_db_make_file has made. SQLite's result code. */
int ls_db_connect(const char *file, sqlite3 **sql);
/* Marks the file as ours and makes the tables, inside the open transaction. SQLite's result code. */
int ls_db_write_layout(sqlite3 *sql);
/* Closes the connection, if there is one. */
void ls_db_disconnect(struct ls_db *db);
/* Frees all of it; the file stays. */
void ls_db_destroy(struct ls_db *db);

/* ---- writer_statement.c ---- */

/* One bound column. */
struct cell {
    enum { CELL_INT, CELL_ID, CELL_TEXT, CELL_REAL } type;
    enum parent of; /* the number must be the id of a row there */
    int64_t i;
    const char *s;
    double r;
};
#define INT(x) ((struct cell){.type = CELL_INT, .i = (int64_t)(x)})
#define ID(x) ((struct cell){.type = CELL_ID, .i = (x)}) /* 0: NULL */
#define REF(table, x) ((struct cell){.type = CELL_INT, .of = (table), .i = (x)})
#define REF_ID(table, x) ((struct cell){.type = CELL_ID, .of = (table), .i = (x)}) /* 0: NULL */
#define TEXT(x) ((struct cell){.type = CELL_TEXT, .s = (x)})
#define REAL(x) ((struct cell){.type = CELL_REAL, .r = (x)})
#define WRITE(db, which, ...)                                                                                \
    ls_db_write(db, which, (const struct cell[]){__VA_ARGS__},                                               \
                sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell))

static inline const char *or_empty(const char *s)
{
    return s ? s : "";
}

/* The new row's id, or 0 after an error. */
int64_t ls_db_write(struct ls_db *db, enum statement which, const struct cell *cells, size_t n);
/* Whether there is such a row; else it is our own error, and db->error is set. */
bool ls_db_has(struct ls_db *db, enum parent table, int64_t id);
/* Of each cell that names a row. */
bool ls_db_has_all(struct ls_db *db, const struct cell *cells, size_t n);
/* Runs a script that changes the schema; false: db->error tells why not. No statement may be prepared that it makes another one of. */
bool ls_db_change(struct ls_db *db, const char *script);
/* A row of the table `meta`. */
void ls_db_set_meta(struct ls_db *db, const char *key, const char *value);
/* Begins a transaction unless one is open; 0, or -1 with db->error. Another program can only have begun to write in the moment between two transactions of ours. */
int ls_db_begin(struct ls_db *db);
/* Sets db->error, if nothing has: file, what was being done, SQLite's word, fix. */
void ls_db_fail(struct ls_db *db, const char *doing);
/* Rows may be written. A forked child shares the file but not the right to write it (SQLite, "How To Corrupt", section 2.6). */
bool ls_db_usable(struct ls_db *db);
/* Around what writes the file: holds SIGXFSZ back. Our own threads never get signals, so that a row of theirs costs no system calls for that. */
struct ls_held_signal ls_db_hold_limit(void);
void ls_db_release_limit(const struct ls_held_signal *h);
/* Takes the spare descriptor, if there is one to be had. */
void ls_db_keep_spare(struct ls_db *db);
/* Lets it go, so that a file can be opened; false: there is none. */
bool ls_db_use_spare(struct ls_db *db);
/* Goes on in a new temporary file that has all rows. 0, or -1 with *why as of ls_db_move. */
int ls_db_go_on(struct ls_db *db, char **why);

/* ---- writer_batch.c ---- */

/* Makes the waiting rows tables of the connection, which ADD_DISPATCHES and ADD_VALUES read. SQLite's result code. */
int ls_db_offer_batches(struct ls_db *db);
/* A row that is written later, its id in place of the first cell. 0 after an error. */
int64_t ls_db_keep_dispatch(struct ls_db *db, const struct cell *cells);
int ls_db_keep_value(struct ls_db *db, int64_t dispatch, int64_t site, int64_t metric, int64_t value);
/* Writes the rows that wait for it: before a commit. 0, or -1 with db->error. */
int ls_db_flush(struct ls_db *db);
/* Frees them. */
void ls_db_forget_batches(struct ls_db *db);

/* ---- writer_same.c ---- */

/* An earlier dispatch that has these very values; 0: none that is remembered, or db->error is set. */
int64_t ls_db_same_values(struct ls_db *db, const struct ls_db_value *values, size_t n);
/* The values are those of a dispatch that has been added. */
void ls_db_remember_values(struct ls_db *db, int64_t dispatch, const struct ls_db_value *values, size_t n);
/* Frees what is remembered. */
void ls_db_forget_values(struct ls_db *db);

/* ---- writer_rows.c ---- */

/* Frees what was remembered of stored texts. */
void ls_db_forget(struct interned **table);

#endif
