/* merge_source.c - sources that several recordings hold under one path. As in a report of several databases, the first text
 * counts. See merge_tables.h. */
#include "merge_tables.h"
#include "results/file/notes.h"

#include <string.h>

static int column_of(sqlite3_stmt *read, const char *name)
{
    int n = sqlite3_column_count(read);
    for (int i = 0; i < n; i++)
        if (!strcmp(sqlite3_column_name(read, i), name))
            return i;
    return -1;
}

/* Runs a statement whose parameters are the row, and columns of the recording's row. */
static int run(struct ls_merge *m, const char *sql, int64_t row, sqlite3_stmt *read,
               const char *const *columns)
{
    sqlite3_stmt *st = ls_merge_statement(m, sql);
    int rc = st ? sqlite3_bind_int64(st, 1, row) : SQLITE_ERROR;
    for (int i = 0; rc == SQLITE_OK && columns[i]; i++) {
        int c = column_of(read, columns[i]);
        rc = c < 0 ? sqlite3_bind_null(st, i + 2)
                   : sqlite3_bind_value(st, i + 2, sqlite3_column_value(read, c));
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    sqlite3_reset(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

int ls_merge_source(struct ls_merge *m, sqlite3_stmt *read, int64_t same)
{
    static const char fill[] = "UPDATE source_file SET text = ?2, modified_ns = ?3, problem = NULL"
                               " WHERE id = ?1 AND text IS NULL AND ?2 IS NOT NULL";
    /* One note of a file, with the process that was added last: there is no order in which the recordings were made. */
    static const char note[] = "INSERT INTO note(process, level, text)"
                               " SELECT (SELECT max(id) FROM process), 1, n.text"
                               " FROM (SELECT path || '" LS_NOTE_TEXTS "; the first one''s is shown' AS text"
                               " FROM source_file WHERE id = ?1 AND text <> ?2) n"
                               " WHERE NOT EXISTS (SELECT 1 FROM note WHERE text = n.text)";
    struct ls_merge_table *notes = &m->tables[ls_merge_table(m, "note")];
    if (run(m, note, same, read, (const char *const[]){"text", NULL}))
        return -1;
    if (sqlite3_changes(m->sql)) /* the recording's own notes come behind it */
        notes->most = sqlite3_last_insert_rowid(m->sql);
    return run(m, fill, same, read, (const char *const[]){"text", "modified_ns", NULL});
}
