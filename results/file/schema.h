/*
 * schema.h - the layout of the results database, shared by the writer and the reader. docs/database.md
 * explains every table and column.
 */
#ifndef RESULTS_SCHEMA_H
#define RESULTS_SCHEMA_H

/* Counts up when a reader of the previous version would misread the file. New tables and new columns at the
 * end of a table do not count: readers name the columns that they use. A file has the first version until dispatches
 * share values in it (ls_schema_share_sql). */
#define LS_SCHEMA_VERSION 2
#define LS_SCHEMA_VERSION_UNSHARED 1
/* PRAGMA application_id: "LSDB", so that `file` and the reader know our files from other SQLite files. */
#define LS_APPLICATION_ID 0x4c534442
#define LS_PARTIAL_SUFFIX ".partial"

/* Tables, indexes and views; one script for sqlite3_exec. */
extern const char ls_schema_sql[];
/* Makes a file of the first version one of the second, in a transaction: where dispatches have the same values, these are
 * stored once, and `value` and `dispatch_value` become views that have them for each dispatch. */
extern const char ls_schema_share_sql[];
/* The CREATE statements of views that earlier versions wrote in another way, as SQLite stores them; ends with
 * NULL. Readers accept no other views (objects.h): whoever changes a view leaves its old text here. */
extern const char *const ls_schema_earlier_views[];

#endif
