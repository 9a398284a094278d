/* merge_check.c - what a recording must be so that it can be merged. See merge_tables.h. */
#include "results/file/error_text.h"
#include "merge_tables.h"
#include "results/file/schema.h"

struct known {
    struct ls_merge *m;
    const char *path;
    char *error;
};

static void check_column(void *user, sqlite3_stmt *st)
{
    struct known *k = user;
    int t = ls_merge_table(k->m, ls_merge_text(st, 0));
    if (!k->error && (t < 0 || !ls_merge_column(&k->m->tables[t], ls_merge_text(st, 1))))
        k->error = ls_text(
            "%s: has %s.%s, which this Lanescope (%s) does not know; merge with one at least as new as the "
            "one that recorded it",
            k->path, ls_merge_text(st, 0), ls_merge_text(st, 1), LANESCOPE_VERSION);
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
    sqlite3_stmt *find = NULL;
    if (!k->error &&
        sqlite3_prepare_v2(k->m->sql,
                           "SELECT m.file FROM process p JOIN merged m ON m.process = p.id WHERE p.guid = ?1",
                           -1, &find, NULL) == SQLITE_OK &&
        sqlite3_bind_text(find, 1, ls_merge_text(st, 0), -1, SQLITE_TRANSIENT) == SQLITE_OK &&
        sqlite3_step(find) == SQLITE_ROW)
        k->error = ls_text("%s: is the same recording as %s and would count twice; give each recording once",
                           k->path, ls_merge_text(find, 0));
    sqlite3_finalize(find);
}

/* NULL, or the error. */
char *ls_merge_check(struct ls_merge *m, struct ls_results *r, const char *path)
{
    struct known k = {m, path, NULL};
    bool good = ls_merge_rows(r->sql,
                              "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c"
                              " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
                              NULL, check_column, &k) &&
                ls_merge_rows(r->sql, "SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1", NULL,
                              check_reference, &k) &&
                ls_merge_rows(r->sql, "SELECT guid FROM process", NULL, check_process, &k);
    return k.error ? k.error : good ? NULL : ls_results_sql_error(path, r->sql);
}
