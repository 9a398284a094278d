/* trace.c - see trace.h. */
#include "trace.h"
#include "cli/common/cli.h"

#include <stdlib.h>
#include <string.h>

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_process(const void *a, const void *b)
{
    const struct ls_a_launch *x = *(const struct ls_a_launch *const *)a,
                             *y = *(const struct ls_a_launch *const *)b;
    int c = order(x->process, y->process);
    return c ? c : order(x->id, y->id);
}

static int by_dispatch(const void *a, const void *b)
{
    const struct trace_value *x = a, *y = b;
    int c = by_process(&x->launch, &y->launch);
    return c ? c : order(x->metric->id, y->metric->id);
}

static const struct ls_a_launch *launch_of(const struct ls_activity *a, int64_t id)
{
    size_t low = 0, high = a->n_launches;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->launches[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->n_launches && a->launches[low].id == id ? &a->launches[low] : NULL;
}

/* The sums of all dispatches; *lost counts those of unknown dispatches and metrics. */
static int load_values(struct trace *t, size_t *lost, char **error)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        t->r->sql,
        "SELECT dispatch, metric, sum(value) FROM (SELECT dispatch, metric, value FROM value"
        " UNION ALL SELECT dispatch, metric, value FROM dispatch_value) GROUP BY 1, 2",
        -1, &st, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(st);
        if (rc != SQLITE_ROW)
            break;
        struct trace_value v = {launch_of(&t->a, sqlite3_column_int64(st, 0)),
                                ls_results_metric(t->r, sqlite3_column_int64(st, 1)),
                                sqlite3_column_int64(st, 2)};
        if (v.launch && v.metric)
            *LS_PUSH(t->values, t->n_values) = v;
        else
            ++*lost;
    }
    if (rc != SQLITE_DONE)
        *error = ls_results_sql_error(t->r->path, t->r->sql);
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

static bool known_agent(const struct trace *t, int64_t id)
{
    return !id || ls_activity_agent(&t->a, id);
}

/* Rows that refer to what is not there. */
static size_t dangling(const struct trace *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->a.n_agents; i++)
        n += !ls_results_process(t->r, t->a.agents[i].process);
    for (size_t i = 0; i < t->a.n_launches; i++) {
        const struct ls_a_launch *l = &t->a.launches[i];
        n += !ls_results_process(t->r, l->process) || !ls_results_kernel(t->r, l->kernel) || !l->agent ||
             !known_agent(t, l->agent);
    }
    for (size_t i = 0; i < t->a.n_copies; i++) {
        const struct ls_a_copy *c = &t->a.copies[i];
        n += !ls_results_process(t->r, c->process) || !known_agent(t, c->source) ||
             !known_agent(t, c->destination);
    }
    for (size_t i = 0; i < t->a.n_markers; i++)
        n += !ls_results_process(t->r, t->a.markers[i].process);
    return n;
}

static void sort(struct trace *t)
{
    for (size_t i = 0, n = 0; i < t->a.n_launches; i++)
        *LS_PUSH(t->launches, n) = &t->a.launches[i];
    if (t->a.n_launches)
        qsort(t->launches, t->a.n_launches, sizeof(*t->launches), by_process);
    if (t->n_values)
        qsort(t->values, t->n_values, sizeof(*t->values), by_dispatch);
}

int trace_open(struct trace *t, const char *path)
{
    char *error = NULL;
    size_t lost = 0;
    memset(t, 0, sizeof(*t));
    t->r = ls_results_open(path, &error);
    if (!t->r || ls_results_load(t->r, &error) || ls_activity_load(t->r, &t->a, &error) ||
        load_values(t, &lost, &error)) {
        message_free(error);
        return EXIT_DATABASE;
    }
    lost += dangling(t);
    if (lost) {
        message("%s: %zu rows refer to a process, kernel, GPU, metric or dispatch that is not in it; "
                "`lanescope check` tells more, and a new recording helps",
                path, lost);
        return EXIT_DATABASE;
    }
    sort(t);
    return EXIT_OK;
}

void trace_close(struct trace *t)
{
    ls_activity_free(&t->a);
    free(t->launches);
    free(t->values);
    if (t->r)
        ls_results_close(t->r);
}
