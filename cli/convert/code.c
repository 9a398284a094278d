/* code.c - see code.h. */
#include "code.h"
#include "cli/common/cli.h"

#include <stdlib.h>

static void add_object(void *to, const struct trace_part *p, sqlite3_stmt *st)
{
    struct code *c = to;
    const char *uri = ls_results_text(p->t->r, (const char *)sqlite3_column_text(st, 5));
    *LS_PUSH(c->objects, c->n_objects) =
        (struct code_object){sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 2),
                             sqlite3_column_int64(st, 3), sqlite3_column_int64(st, 4), uri ? uri : ""};
}

static void add_kernel(void *to, const struct trace_part *p, sqlite3_stmt *st)
{
    struct code *c = to;
    const struct ls_r_kernel *k = ls_results_kernel(p->t->r, sqlite3_column_int64(st, 1));
    if (k)
        *LS_PUSH(c->kernels, c->n_kernels) = (struct code_kernel){k, sqlite3_column_int64(st, 2)};
}

int code_of(const struct trace_part *p, struct code *c)
{
    *c = (struct code){0};
    int rc = trace_rows_of(p, TRACE_OBJECTS,
                           "SELECT a.process, c.id, c.agent, c.bytes, c.load_base, c.uri FROM code_object c"
                           " JOIN agent a ON a.id = c.agent ORDER BY a.process, c.id",
                           add_object, c);
    return rc ? rc
              : trace_rows_of(p, TRACE_KERNELS,
                              "SELECT a.process, k.id, k.code_object FROM kernel k JOIN code_object c ON "
                              "c.id = k.code_object"
                              " JOIN agent a ON a.id = c.agent ORDER BY a.process, k.id",
                              add_kernel, c);
}

void code_free(struct code *c)
{
    free(c->objects);
    free(c->kernels);
}
