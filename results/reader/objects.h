/*
 * objects.h - what may stand in the schema of a database from elsewhere: plain tables and indexes, and the
 * views that Lanescope writes, known by their text. All else could run code of a stranger when the file is
 * read: other views (a recursive one never ends), triggers, virtual tables, generated columns, indexes on
 * expressions, CHECK constraints, collations.
 *
 * Files of later versions pass: these add tables and columns. Views that are added later are not written to
 * the file.
 */
#ifndef RESULTS_OBJECTS_H
#define RESULTS_OBJECTS_H

#include <sqlite3.h>
#include <stdbool.h>

/* NULL when all objects of the database are; else the error line (malloc'd).
 * Evaluates nothing of the file. */
char *ls_objects_check(const char *path, sqlite3 *sql);

#endif
