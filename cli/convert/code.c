/* code.c - see code.h. */
#include "code.h"
#include "cli/common/cli.h"

#include <stdlib.h>

static void add_object(const struct trace_part *p, struct code *c, sqlite3_stmt *st)
{
    const char *uri = ls_results_text(p->t->r, (const char *)sqlite3_column_text(st, 4));
    *LS_PUSH(c->objects, c->n_objects) =
        (struct code_object){sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
                             sqlite3_column_int64(st, 2), sqlite3_column_int64(st, 3), uri ? uri : ""};
}

static void add_kernel(const struct trace_part *p, struct code *c, sqlite3_stmt *st)
{
    const struct ls_r_kernel *k = ls_results_kernel(p->t->r, sqlite3_column_int64(st, 0));
    if (k)
        *LS_PUSH(c->kernels, c->n_kernels) = (struct code_kernel){k, sqlite3_column_int64(st, 1)};
}

/* Adds the rows of a query whose parameter is the process. 0, or EXIT_DATABASE after a message. */
static int each_row(const struct trace_part *p, struct code *c, const char *query,
                    void (*add)(const struct trace_part *p, struct code *c, sqlite3_stmt *st))
{
    sqlite3_stmt *st = NULL;
    struct ls_results *r = p->t->r;
    int rc = sqlite3_prepare_v2(r->sql, query, -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(st, 1, p->process->id);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(st);
        if (rc == SQLITE_ROW)
            add(p, c, st);
    }
    if (rc != SQLITE_DONE)
        message_free(ls_results_sql_error(r->path, r->sql));
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? EXIT_OK : EXIT_DATABASE;
}

int code_of(const struct trace_part *p, struct code *c)
{
    *c = (struct code){0};
    int rc = each_row(p, c,
                      "SELECT c.id, c.agent, c.bytes, c.load_base, c.uri FROM code_object c"
                      " JOIN agent a ON a.id = c.agent WHERE a.process = ? ORDER BY c.id",
                      add_object);
    return rc ? rc
              : each_row(p, c,
                         "SELECT k.id, k.code_object FROM kernel k JOIN code_object c ON c.id = k.code_object"
                         " JOIN agent a ON a.id = c.agent WHERE a.process = ? ORDER BY k.id",
                         add_kernel);
}

void code_free(struct code *c)
{
    free(c->objects);
    free(c->kernels);
}
