/*
 * writer_move.c - going on in another file.
 *
 * While somebody reads the database, nothing can be committed. A reader that never lets go would make the
 * recording wait without end and grow in memory. Then the rows go into a new file, which takes the old one's
 * name, and the reader keeps the old one, which has no name any more. So it is with a file that somebody removed, renamed or
 * replaced: SQLite writes to it no more.
 */
#include "results/file/error_text.h"
#include "results/file/place.h"
#include "results/file/schema.h"
#include "writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "INSERT OR REPLACE INTO name VALUES(?,?,...)"; some tables have rows from the beginning. malloc'd. */
static char *insert_text(const char *name, int columns)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "INSERT OR REPLACE INTO \"%s\" VALUES(", name);
    for (int i = 0; i < columns; i++)
        fputs(i ? ",?" : "?", out);
    fputc(')', out);
    return fclose(out) ? NULL : text;
}

/* SQLite's code; SQLITE_DONE is success. */
static int copy_rows(sqlite3_stmt *from, sqlite3_stmt *to)
{
    int rc, n = sqlite3_column_count(from);
    while ((rc = sqlite3_step(from)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            if ((rc = sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i))) != SQLITE_OK)
                return rc;
        rc = sqlite3_step(to);
        sqlite3_reset(to);
        if (rc != SQLITE_DONE)
            return rc;
    }
    return rc;
}

static int copy_table(sqlite3 *from, sqlite3 *to, const char *name)
{
    sqlite3_stmt *in = NULL, *out = NULL;
    char *select = ls_text("SELECT * FROM \"%s\"", name), *insert = NULL;
    int rc = select ? sqlite3_prepare_v2(from, select, -1, &in, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        insert = insert_text(name, sqlite3_column_count(in));
    if (rc == SQLITE_OK)
        rc = insert ? sqlite3_prepare_v2(to, insert, -1, &out, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = copy_rows(in, out);
    sqlite3_finalize(in);
    sqlite3_finalize(out);
    free(select);
    free(insert);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int copy_tables(sqlite3 *from, sqlite3 *to, bool shared)
{
    sqlite3_stmt *tables = NULL;
    int step, rc = sqlite3_exec(to, "BEGIN", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = ls_db_write_layout(to);
    if (rc == SQLITE_OK && shared)
        rc = sqlite3_exec(to, ls_schema_share_sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(from, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &tables,
                                NULL);
    while (rc == SQLITE_OK && (step = sqlite3_step(tables)) != SQLITE_DONE)
        rc = step == SQLITE_ROW ? copy_table(from, to, (const char *)sqlite3_column_text(tables, 0)) : step;
    sqlite3_finalize(tables);
    return rc == SQLITE_OK ? sqlite3_exec(to, "COMMIT", NULL, NULL, NULL) : rc;
}

/* Somebody locked the file between two transactions, so that not even we can read it. With nothing in a journal it is as our last
 * commit left it, and is read without asking for the lock. */
static int copy_unlocked(const struct ls_db *db, sqlite3 *to)
{
    sqlite3 *from = NULL;
    char *uri = ls_place_beside(db->partial, "-journal") ? NULL : ls_place_uri(db->partial, "immutable=1");
    if (!uri || !ls_place_is(db->lock, db->partial)) {
        free(uri);
        return SQLITE_BUSY;
    }
    sqlite3_exec(to, "ROLLBACK", NULL, NULL, NULL);
    int rc = sqlite3_open_v2(uri, &from, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = copy_tables(from, to, db->shared);
    sqlite3_close(from);
    free(uri);
    return rc;
}

static int write_copy(struct ls_db *db, const char *fresh, char **why)
{
    sqlite3 *to = NULL;
    int rc = ls_db_connect(fresh, &to);
    if (rc == SQLITE_OK)
        rc = copy_tables(db->sql, to, db->shared);
    if ((rc & 0xff) == SQLITE_BUSY && !db->in_transaction)
        rc = copy_unlocked(db, to);
    if (rc != SQLITE_OK)
        *why = ls_text("%s: %s", fresh, sqlite3_errstr(rc));
    sqlite3_close(to);
    return rc == SQLITE_OK ? 0 : -1;
}

/* The old connection has to go first: what it does to its journal, it does by the name that the new one will
 * have. */
static void leave_old(struct ls_db *db)
{
    for (int i = 0; i < N_STATEMENTS; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(db->sql);
    db->sql = NULL;
    db->in_transaction = db->written = false;
    db->waiting_since = 0;
    close(db->lock);
    db->lock = -1;
}

static void remove_with_journal(const char *file)
{
    unlink(file);
    ls_place_clear_beside(file);
}

/* `named`: the old file still has its name. Else the name may be another file's by now: then the new one keeps its own. */
static void take_name(struct ls_db *db, char *fresh, bool named)
{
    ls_place_clear_beside(fresh);
    if (named) {
        ls_place_clear_beside(db->partial);
        if (rename(fresh, db->partial))
            db->error = ls_text("%s: cannot rename to %s: %s; rename it by hand", fresh, db->partial,
                                strerror(errno));
        free(fresh);
    } else if (!renameat2(AT_FDCWD, fresh, AT_FDCWD, db->partial, RENAME_NOREPLACE)) {
        ls_place_clear_beside(db->partial); /* the journal of the file that has gone */
        free(fresh);
    } else {
        free(db->partial);
        db->partial = fresh;
    }
}

/* Also where the folder has gone, too. */
static int make_file(const char *fresh)
{
    char *error = NULL;
    int lock = ls_db_make_file(fresh);
    if (lock < 0 && errno == ENOENT && ls_db_make_parents(fresh, &error))
        lock = ls_db_make_file(fresh);
    free(error);
    return lock;
}

int ls_db_move(struct ls_db *db, char **why)
{
    bool named = ls_place_is(db->lock, db->partial);
    char *fresh = ls_text("%s.new", db->partial);
    int lock = fresh ? make_file(fresh) : -1;
    *why = lock < 0 && fresh ? ls_text("%s: %s", fresh, strerror(errno)) : NULL;
    if (lock >= 0 && write_copy(db, fresh, why)) {
        close(lock);
        lock = -1;
        remove_with_journal(fresh);
    }
    if (lock >= 0) {
        leave_old(db);
        db->lock = lock;
        take_name(db, fresh, named);
        return 0;
    }
    free(fresh);
    return -1;
}
