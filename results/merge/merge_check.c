/* merge_check.c - what a recording must be so that it can be merged. See merge_tables.h. */
#include "results/file/error_text.h"
#include "merge_tables.h"
#include "results/file/schema.h"

#include <string.h>

struct known {
    struct ls_merge *m;
    struct ls_results *r;
    const char *path;
    int table; /* whose columns are looked at; -1: one that is unknown */
    char *error;
    bool failed;
};

static void check_column(void *user, sqlite3_stmt *st)
{
    struct known *k = user;
    if (!k->error && (k->table < 0 || !ls_merge_column(&k->m->tables[k->table], ls_merge_text(st, 1))))
        k->error = ls_text(
            "%s: has %s.%s, which this Lanescope (%s) does not know; merge with one at least as new as the "
            "one that recorded it",
            k->path, ls_merge_text(st, 0), ls_merge_text(st, 1), LANESCOPE_VERSION);
}

/* Where dispatches share values, these tables are views, which have all of each one's; that is how they are merged. */
static const char *shared_name(const struct ls_results *r, const char *table)
{
    const bool shared = ls_results_shared(r);
    return shared && !strcmp(table, "own_value")            ? "value"
           : shared && !strcmp(table, "own_dispatch_value") ? "dispatch_value"
                                                            : table;
}

/* One that is made by the same words as ours has the same columns. */
static void check_table(void *user, sqlite3_stmt *st)
{
    struct known *k = user;
    const char *name = shared_name(k->r, ls_merge_text(st, 0));
    k->table = ls_merge_table(k->m, name);
    if (k->table >= 0)
        k->m->tables[k->table].there = true;
    if (k->table < 0 || strcmp(k->m->tables[k->table].sql, ls_merge_text(st, 1)))
        k->failed |=
            !ls_merge_rows(k->r->sql, "SELECT ?1, name FROM pragma_table_info(?1)", name, check_column, k);
}

static void check_reference(void *user, sqlite3_stmt *st)
{
    struct known *k = user;
    if (!k->error)
        k->error =
            ls_text("%s: a row of %s refers to a missing %s; `lanescope check` tells more, record again",
                    k->path, ls_merge_text(st, 0), ls_merge_text(st, 1));
}

static void check_process(void *user, sqlite3_stmt *st)
{
    struct known *k = user;
    sqlite3_stmt *find = ls_merge_statement(
        k->m, "SELECT m.file FROM process p JOIN merged m ON m.process = p.id WHERE p.guid = ?1");
    if (!k->error && find &&
        sqlite3_bind_text(find, 1, ls_merge_text(st, 0), -1, SQLITE_TRANSIENT) == SQLITE_OK &&
        sqlite3_step(find) == SQLITE_ROW)
        k->error = ls_text("%s: is the same recording as %s and would count twice; give each recording once",
                           k->path, ls_merge_text(find, 0));
    sqlite3_reset(find);
}

/* NULL, or the error. */
char *ls_merge_check(struct ls_merge *m, struct ls_results *r, const char *path)
{
    struct known k = {.m = m, .r = r, .path = path};
    for (size_t i = 0; i < m->n_tables; i++)
        m->tables[i].there = false;
    bool good = ls_merge_rows(r->sql,
                              "SELECT name, sql FROM sqlite_master"
                              " WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
                              NULL, check_table, &k) &&
                !k.failed &&
                ls_merge_rows(r->sql, "SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1", NULL,
                              check_reference, &k) &&
                ls_merge_rows(r->sql, "SELECT guid FROM process", NULL, check_process, &k);
    return k.error ? k.error : good ? NULL : ls_results_sql_error(path, r->sql);
}
