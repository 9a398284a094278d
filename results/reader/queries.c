/* queries.c - what not every reader of a database wants, read when asked for: totals, rows, calls, instructions (reader.h). */
#include "columns.h"

#include <stddef.h>
#include <stdlib.h>
#include <uthash.h>

/* ---- totals ---- */

/* Summing up here takes a quarter of the time of SQLite's GROUP BY, which sorts all values. */
struct sum {
    UT_hash_handle hh;
    struct ls_r_total total; /* its first three fields are the key */
};
#define SUM_KEY offsetof(struct ls_r_total, value)

static void add_total(struct ls_results *r, struct ls_arena *arena, struct sum **table,
                      const struct ls_r_total *t)
{
    struct sum *s;
    HASH_FIND(hh, *table, t, SUM_KEY, s);
    if (s) {
        s->total.value = ls_add(s->total.value, t->value, &r->saturated);
        return;
    }
    s = ls_arena_alloc(arena, sizeof(*s));
    s->total = *t;
    HASH_ADD_KEYPTR(hh, *table, &s->total, SUM_KEY, s);
}

static int by_ids(const void *x, const void *y)
{
    const struct ls_r_total *a = x, *b = y;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

/* `query` with the parameter process; its last column tells how often a value counts. */
static int sum_query(struct ls_results *r, const char *query, int64_t process, struct ls_arena *arena,
                     struct sum **table, char **error)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(r->sql, query, -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(st, 1, process);
    while (next_row(st, &rc))
        add_total(r, arena, table,
                  &(struct ls_r_total){number(st, 0), number(st, 1), number(st, 2),
                                       ls_multiply(number(st, 3), number(st, 4), &r->saturated)});
    return end_rows(r, st, rc, error);
}

#define OF_PROCESS " WHERE ?1 IN (0, d.process)"
/* CROSS JOIN keeps the order: values from front to back, their dispatch by its id. */
#define EACH(site, table)                                                                                    \
    "SELECT d.kernel, " site ", v.metric, v.value, 1 FROM " table " v CROSS JOIN dispatch d ON d.id = "      \
    "v.dispatch" OF_PROCESS
/* Values that dispatches share are read once, and count as often as there are such. */
#define SHARED(site, table)                                                                                  \
    "SELECT d.kernel, " site ", v.metric, v.value, d.n FROM (SELECT coalesce(d.same_as, d.id) AS id, "       \
    "d.kernel AS kernel, count(*) AS n FROM dispatch d" OF_PROCESS " GROUP BY 1, 2) d CROSS JOIN " table     \
    " v ON v.dispatch = d.id"
static const char *const total_queries[2][2] = {
    {EACH("v.site", "value"), EACH("0", "dispatch_value")},
    {SHARED("v.site", "own_value"), SHARED("0", "own_dispatch_value")},
};

int ls_results_totals_of(struct ls_results *r, int64_t process, struct ls_r_total **totals, size_t *n,
                         char **error)
{
    struct ls_arena arena = {0};
    struct sum *table = NULL, *s, *next;
    *totals = NULL;
    *n = 0;
    const char *const *queries = total_queries[ls_results_shared(r)];
    int rc = sum_query(r, queries[0], process, &arena, &table, error);
    if (!rc)
        rc = sum_query(r, queries[1], process, &arena, &table, error);
    HASH_ITER(hh, table, s, next)
    {
        if (!rc)
            *LS_PUSH(*totals, *n) = s->total;
    }
    if (*n)
        qsort(*totals, *n, sizeof(**totals), by_ids);
    HASH_CLEAR(hh, table);
    ls_arena_free(&arena);
    return rc;
}

int ls_results_totals(struct ls_results *r, struct ls_r_total **totals, size_t *n, char **error)
{
    return ls_results_totals_of(r, 0, totals, n, error);
}

/* ---- rows ---- */

int ls_results_rows(struct ls_results *r, struct ls_r_row **rows, size_t *n, char **error)
{
    sqlite3_stmt *st = NULL;
    *rows = NULL;
    *n = 0;
    int rc = sqlite3_prepare_v2(r->sql,
                                "SELECT d.kernel, h.site, d.number, h.handler, h.table_name, h.json"
                                " FROM handler_row h JOIN dispatch d ON d.id = h.dispatch ORDER BY h.id",
                                -1, &st, NULL);
    while (next_row(st, &rc))
        *LS_PUSH(*rows, *n) = (struct ls_r_row){.kernel = number(st, 0),
                                                .site = number(st, 1),
                                                .dispatch = number(st, 2),
                                                .handler = text0(r, st, 3),
                                                .table = text0(r, st, 4),
                                                .json = json0(r, st, 5)};
    return end_rows(r, st, rc, error);
}

/* ---- calls ---- */

bool ls_results_shared(const struct ls_results *r)
{
    return ls_results_has_table(r, "own_value");
}

bool ls_results_has_table(const struct ls_results *r, const char *name)
{
    sqlite3_stmt *st = NULL;
    bool found = sqlite3_prepare_v2(r->sql, "SELECT 1 FROM sqlite_master WHERE name = ?", -1, &st, NULL) ==
                     SQLITE_OK &&
                 sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    return found;
}

int ls_results_calls(struct ls_results *r, struct ls_r_call **calls, size_t *n, char **error)
{
    sqlite3_stmt *st = NULL;
    *calls = NULL;
    *n = 0;
    if (!ls_results_has_table(r, "unprobed_call"))
        return 0;
    int rc =
        sqlite3_prepare_v2(r->sql,
                           "SELECT d.kernel, c.site, " SUM("c.executions") ", " SUM(
                               "c.lanes") " FROM unprobed_call c"
                                          " JOIN dispatch d ON d.id = c.dispatch GROUP BY 1, 2 ORDER BY 1, 2",
                           -1, &st, NULL);
    while (next_row(st, &rc))
        *LS_PUSH(*calls, *n) =
            (struct ls_r_call){number(st, 0), number(st, 1), joined(r, st, 2), joined(r, st, 4)};
    return end_rows(r, st, rc, error);
}

/* ---- instructions ---- */

int ls_results_vectors(struct ls_results *r, struct ls_r_vector **list, size_t *n, char **error)
{
    sqlite3_stmt *st = NULL;
    *list = NULL;
    *n = 0;
    if (!ls_results_has_table(r, "vector_instruction"))
        return 0;
    int rc = sqlite3_prepare_v2(r->sql,
                                "SELECT i.kernel, i.module, coalesce(i.function, ''), v.together, v.tells,"
                                " s.isa_join IN (1, 2) AND s.flags & 1, i.site, i.text, i.file, i.line"
                                " FROM vector_instruction v JOIN instruction i ON i.id = v.instruction"
                                " LEFT JOIN site s ON s.id = i.site ORDER BY 1, 2, 3, 4, i.site, i.id",
                                -1, &st, NULL);
    while (next_row(st, &rc))
        *LS_PUSH(*list, *n) = (struct ls_r_vector){.kernel = number(st, 0),
                                                   .module = number(st, 1),
                                                   .function = text0(r, st, 2),
                                                   .together = number32(st, 3),
                                                   .tells = number(st, 4) != 0,
                                                   .counted = number(st, 5) != 0,
                                                   .site = number(st, 6),
                                                   .text = text0(r, st, 7),
                                                   .file = number(st, 8),
                                                   .line = number32(st, 9)};
    return end_rows(r, st, rc, error);
}

int ls_results_code(struct ls_results *r, struct ls_r_code **list, size_t *n, char **error)
{
    sqlite3_stmt *st = NULL;
    *list = NULL;
    *n = 0;
    int rc = sqlite3_prepare_v2(r->sql,
                                "SELECT i.kernel, i.module, coalesce(i.function, ''), i.offset, i.text,"
                                " i.file, i.line, i.\"column\", i.site, s.isa_join IN (1, 2) AND s.flags & 1"
                                " FROM instruction i LEFT JOIN site s ON s.id = i.site"
                                " ORDER BY 1, 2, 3, 4, i.id",
                                -1, &st, NULL);
    while (next_row(st, &rc))
        *LS_PUSH(*list, *n) = (struct ls_r_code){.kernel = number(st, 0),
                                                 .module = number(st, 1),
                                                 .function = text0(r, st, 2),
                                                 .offset = number(st, 3),
                                                 .text = text0(r, st, 4),
                                                 .file = number(st, 5),
                                                 .line = number32(st, 6),
                                                 .column = number32(st, 7),
                                                 .site = number(st, 8),
                                                 .joined = number(st, 9) != 0};
    return end_rows(r, st, rc, error);
}

int ls_results_dangling(struct ls_results *r, int64_t *n, char **error)
{
    sqlite3_stmt *st = NULL;
    *n = 0;
    int rc = sqlite3_prepare_v2(r->sql, "SELECT count(*) FROM pragma_foreign_key_check", -1, &st, NULL);
    while (next_row(st, &rc))
        *n = number(st, 0);
    return end_rows(r, st, rc, error);
}
