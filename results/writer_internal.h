/*
 * writer_internal.h - what the parts of the writer share: writer.c (rows, commits, the end), writer_name.c
 * (names and files), writer_move.c (going on in another file).
 */
#ifndef RESULTS_WRITER_INTERNAL_H
#define RESULTS_WRITER_INTERNAL_H

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
    SET_ORIGIN,
    ADD_KERNEL,
    ADD_FRAME,
    ADD_SITE,
    JOIN_SITE,
    ESTIMATE_SITE,
    ADD_INSTRUCTION,
    JOIN_INSTRUCTION,
    ADD_VECTOR_INSTRUCTION,
    JOIN_VECTOR_INSTRUCTION,
    ADD_METRIC,
    ADD_HANDLER,
    ADD_DISPATCH,
    ADD_VALUE,
    ADD_DISPATCH_VALUE,
    ADD_ROW,
    ADD_CALL,
    ADD_NOTE,
    ADD_COPY,
    ADD_MARKER,
    SET_META,
    SET_END,
    N_STATEMENTS,
};

struct ls_db {
    sqlite3 *sql;
    sqlite3_stmt *statements[N_STATEMENTS];
    char *path, *partial;
    int lock; /* flock on the temporary file: tells a live writer from a dead one */
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

#endif
