/* merge_tables.h - the tables of a merged database, and how their rows come together. Of merge*.c only. */
#ifndef RESULTS_MERGE_TABLES_H
#define RESULTS_MERGE_TABLES_H

#include "results/reader/arena.h"
#include "results/reader/reader.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

/* Ids of a file that we wrote are far below: their sums must not overflow. */
#define LS_MERGE_ID_MOST (1ll << 52)
enum { LS_MERGE_COLUMNS_MOST = 64 };

/* How the rows of a table come together. */
enum ls_merge_kind {
    LS_MERGE_SHIFTED, /* its ids are shifted; without ids of its own, only what refers to others is */
    LS_MERGE_ONCE,    /* equal ones stand once: `same` tells which are */
    LS_MERGE_FIXED,   /* part of the schema, or about the file: not copied */
};

/* An id of the recording that is being added, and its row in the merged file. */
struct ls_merge_id {
    UT_hash_handle hh;
    int64_t from, to;
};

struct ls_merge_column {
    char *name;
    int refers; /* to the ids of that table; -1: no id */
};

struct ls_merge_table {
    char *name;
    enum ls_merge_kind kind;
    bool has_id;
    struct ls_merge_column column[LS_MERGE_COLUMNS_MOST];
    size_t n_columns;
    int64_t shift, most;        /* LS_MERGE_SHIFTED: added to ids; the largest one so far */
    struct ls_merge_id *mapped; /* LS_MERGE_ONCE */
    const char *sql;            /* that makes it */
    bool there;                 /* the recording that is being added has it */
};

/* Of the merged file: most recordings need the same ones. */
struct ls_merge_statement {
    UT_hash_handle hh;
    sqlite3_stmt *st;
    char sql[];
};

struct ls_merge {
    sqlite3 *sql;
    char *path;
    struct ls_merge_table *tables;
    size_t n_tables;
    struct ls_merge_statement *statements; /* by their text */
    int64_t files;                         /* added so far */
    bool partial;                          /* one of them was */
    const char *run_id;
    bool several_runs;
    struct ls_arena arena;
};

/* Tables whose rows stand once: what finds the id of an equal row. */
struct ls_merge_special {
    const char *table;
    enum ls_merge_kind kind;
    const char *same; /* ?1, ?2 are the columns below */
    const char *by[2];
    const char *order; /* rows that others refer to come first; NULL: any */
};

/* NULL: an ordinary table. */
const struct ls_merge_special *ls_merge_special(const char *table);
/* Reads the tables of the database that was made, with their columns and what these refer to. */
bool ls_merge_layout(struct ls_merge *m);
/* Index of a table, or -1; a column of it, or NULL. */
int ls_merge_table(const struct ls_merge *m, const char *name);
struct ls_merge_column *ls_merge_column(struct ls_merge_table *t, const char *name);
/* The statement of the merged file, ready to be bound; it belongs to the merge, and whoever steps it resets it. NULL: ls_merge_error
 * tells why. */
sqlite3_stmt *ls_merge_statement(struct ls_merge *m, const char *sql);
/* Runs `each` for the rows of a query whose parameter is a text; NULL: it has none. False: it failed. */
bool ls_merge_rows(sqlite3 *sql, const char *query, const char *parameter,
                   void (*each)(void *user, sqlite3_stmt *st), void *user);
/* A column's text; never NULL. */
const char *ls_merge_text(sqlite3_stmt *st, int column);
/* What is wrong with the merged file; malloc'd. */
char *ls_merge_error(const struct ls_merge *m);

/* Why the opened recording cannot be added, malloc'd (merge_check.c); NULL: it can, and m->tables know which ones it has. */
char *ls_merge_check(struct ls_merge *m, struct ls_results *r, const char *path);

/* Copies a table's rows of the recording, tables that it refers to first. 0, or -1 with *error (merge_copy.c). */
int ls_merge_copy(struct ls_merge *m, struct ls_merge_table *t, struct ls_results *r, const char *path,
                  char **error);
/* The id that one of the recording stands for; 0: none, which a damaged file may ask for. */
int64_t ls_merge_id(const struct ls_merge_table *t, int64_t id);
/* Forgets the ids of the recording. */
void ls_merge_forget(struct ls_merge *m);

/* A source file that is there already, as row `same` (merge_source.c): keeps its text if there was none, and notes that texts
 * differ. `read` stands on the recording's row of source_file. 0, or -1 with ls_merge_error telling. */
int ls_merge_source(struct ls_merge *m, sqlite3_stmt *read, int64_t same);

#endif
