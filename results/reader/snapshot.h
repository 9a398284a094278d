/*
 * snapshot.h - opens a database for reading so that nothing beside it is written or removed, and no recording
 * waits for the reader.
 *
 * SQLite, left alone, rolls back any journal that it finds beside a database, by what that journal says: it
 * writes the database, and removes the journal and a file that the journal names (sqlite.org/fileformat.html,
 * section 3). That is right for journals that we wrote, and lets a stranger's one delete any file. So a
 * journal is only ever applied to a private copy.
 */
#ifndef RESULTS_SNAPSHOT_H
#define RESULTS_SNAPSHOT_H

#include <sqlite3.h>
#include <stdbool.h>

struct ls_snapshot {
    sqlite3 *sql;
    int file;              /* of what `sql` reads: the file, or its copy */
    char *path;            /* of the file, without links */
    const char *shown;     /* the name in messages; the caller's */
    const char *recovered; /* suffix of the journal that was applied to a copy; NULL: none */
};

/* Opens the file and keeps writers from changing it, so that `file` can be looked at. NULL, or the error
 * (malloc'd: file, cause, fix). */
char *ls_snapshot_lock(struct ls_snapshot *s, const char *path);
/* Opens the database. live: it is being recorded; then it is copied, and not kept from its writer for longer
 * than that takes. NULL, or the error. */
char *ls_snapshot_connect(struct ls_snapshot *s, bool live);
/* After any of these, whatever it returned. */
void ls_snapshot_close(struct ls_snapshot *s);

#endif
