/* trace.c - see trace.h. */
#include "trace.h"
#include "cli/common/cli.h"
#include "cli/output/changed.h"
#include "references.h"
#include "results/reader/columns.h"
#include "results/file/error_text.h"
#include "results/profile/exact.h"
#include "results/reader/filters.h"
#include "results/reader/saturate.h"
#include "results/reader/seen.h"
#include "lanescope/defaults.h"

#include <inttypes.h>
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

/* All values; *lost counts those of unknown dispatches and metrics. */
static int load_values(struct trace *t, size_t *lost, char **error)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(t->r->sql,
                                "SELECT dispatch, metric, value FROM value"
                                " UNION ALL SELECT dispatch, metric, value FROM dispatch_value",
                                -1, &st, NULL);
    while (next_row(st, &rc)) {
        struct trace_value v = {ls_activity_launch(&t->a, number(st, 0)),
                                ls_results_metric(t->r, number(st, 1)), number(st, 2)};
        if (v.launch && v.metric)
            *LS_PUSH(t->values, t->n_values) = v;
        else
            ++*lost;
    }
    return end_rows(t->r, st, rc, error);
}

/* Values, sorted, become the sums of their dispatches: SQLite's own ends with an error where one is too large. */
static void sum_values(struct trace *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_values; i++) {
        struct trace_value *last = n ? &t->values[n - 1] : NULL;
        if (last && !by_dispatch(last, &t->values[i]))
            last->value = ls_add(last->value, t->values[i].value, NULL);
        else
            t->values[n++] = t->values[i];
    }
    t->n_values = n;
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
    sum_values(t);
}

/* Whether not all wavefronts that ran reported all, or were asked to. */
static bool is_of_a_part(const struct ls_results *r)
{
    bool some = false;
    for (size_t i = 0; i < r->n_processes && !some; i++) {
        char *filters = ls_filters_text(r->processes[i].options);
        some = filters != NULL;
        free(filters);
    }
    for (size_t i = 0; i < r->n_dispatches && !some; i++)
        some = r->dispatches[i].bad || r->dispatches[i].dropped;
    return some;
}

/* Once, as a recording can have thousands of processes. */
static void look_for_estimates(struct trace *t)
{
    t->of_a_part = t->estimated = is_of_a_part(t->r);
    for (size_t i = 0; i < t->r->n_sites && !t->estimated; i++)
        t->estimated = ls_site_estimated(&t->r->sites[i]);
}

/* Opens a recording; `raw`: its texts as they stand in the file, for JSON. 0, or EXIT_DATABASE after a message: also for
 * a row that refers to nothing, because a writer would have to leave it out. To be closed in any case. */
static int trace_open(struct trace *t, const char *path, bool raw)
{
    char *error = NULL;
    size_t lost = 0;
    memset(t, 0, sizeof(*t));
    t->r = ls_results_open(path, &error);
    if (t->r && raw)
        ls_results_keep_raw(t->r);
    if (!t->r || ls_results_load(t->r, &error) || ls_activity_load(t->r, &t->a, &error) ||
        load_values(t, &lost, &error)) {
        message_free(error);
        return EXIT_DATABASE;
    }
    if (references_check(t->r, path))
        return EXIT_DATABASE;
    lost += dangling(t); /* what the writers rely on, in a file that others made without constraints */
    if (lost)
        return references_refuse(path, lost);
    sort(t);
    look_for_estimates(t);
    return EXIT_OK;
}

static void trace_close(struct trace *t)
{
    ls_activity_free(&t->a);
    free(t->launches);
    free(t->values);
    for (size_t i = 0; i < TRACE_ROWS; i++)
        sqlite3_finalize(t->rows[i]);
    if (t->r)
        ls_results_close(t->r);
}

/* ---- by process ---- */

int trace_rows_of(const struct trace_part *p, enum trace_rows which, const char *query, trace_row *add,
                  void *to)
{
    sqlite3_stmt **st = &p->t->rows[which];
    struct ls_results *r = p->t->r;
    int rc = *st && !sqlite3_data_count(*st) ? SQLITE_DONE : SQLITE_ROW;
    if (!*st && (rc = sqlite3_prepare_v2(r->sql, query, -1, st, NULL)) == SQLITE_OK)
        rc = sqlite3_step(*st);
    while (rc == SQLITE_ROW && number(*st, 0) <= p->process->id) {
        if (number(*st, 0) == p->process->id)
            add(to, p, *st);
        rc = sqlite3_step(*st);
    }
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return EXIT_OK;
    message_free(ls_results_sql_error(r->path, r->sql));
    return EXIT_DATABASE;
}

static void take_launches(struct trace_part *p)
{
    const struct trace *t = p->t;
    size_t from = p->next_launch, to = from;
    p->launch_ids = 0;
    for (; to < t->a.n_launches && t->launches[to]->process == p->process->id; to++)
        if (t->launches[to]->number > p->launch_ids)
            p->launch_ids = t->launches[to]->number;
    p->launches = to > from ? (const struct ls_a_launch *const *)t->launches + from : NULL;
    p->n_launches = to - from;
    p->next_launch = to;
}

static void take_copies(struct trace_part *p)
{
    const struct ls_activity *a = &p->t->a;
    size_t from = p->next_copy, to = from;
    p->copy_ids = 0;
    for (; to < a->n_copies && a->copies[to].process == p->process->id; to++)
        if (a->copies[to].number > p->copy_ids)
            p->copy_ids = a->copies[to].number;
    p->copies = to > from ? a->copies + from : NULL;
    p->n_copies = to - from;
    p->next_copy = to;
}

static void take_markers(struct trace_part *p)
{
    const struct ls_activity *a = &p->t->a;
    size_t from = p->next_marker, to = from;
    while (to < a->n_markers && a->markers[to].process == p->process->id)
        to++;
    p->markers = to > from ? a->markers + from : NULL;
    p->n_markers = to - from;
    p->next_marker = to;
}

static void take_values(struct trace_part *p)
{
    const struct trace *t = p->t;
    size_t from = p->next_value, to = from;
    while (to < t->n_values && t->values[to].launch->process == p->process->id)
        to++;
    p->values = to > from ? t->values + from : NULL;
    p->n_values = to - from;
    p->next_value = to;
}

/* The next process of a trace: `p` begins as {.t = t}. false: there is none. */
static bool trace_next(struct trace_part *p)
{
    if (p->next_process == p->t->r->n_processes)
        return false;
    p->process = &p->t->r->processes[p->next_process++];
    p->software = ls_is_software_gpu(p->process->gpu);
    take_launches(p);
    take_copies(p);
    take_markers(p);
    take_values(p);
    return true;
}

int64_t trace_copy_id(const struct trace_part *p, const struct ls_a_copy *c)
{
    return ls_add(p->launch_ids, c->number, NULL);
}

int64_t trace_marker_id(const struct trace_part *p, const struct ls_a_marker *m)
{
    return ls_add(ls_add(p->launch_ids, p->copy_ids, NULL), m - p->markers + 1, NULL);
}

int64_t trace_marker_end(const struct trace_part *p, const struct ls_a_marker *m)
{
    return m->kind == LS_A_MARK ? m->start
           : m->end             ? m->end
                                : (p->process->end_ns > m->start ? p->process->end_ns : m->start);
}

const char *trace_time_source(const struct trace_part *p)
{
    return p->software ? "software GPU, which tells nothing about a GPU" : "GPU";
}

const char *trace_copy_name(const struct ls_a_copy *c)
{
    return c->source        ? c->destination ? "MEMORY_COPY_DEVICE_TO_DEVICE" : "MEMORY_COPY_DEVICE_TO_HOST"
           : c->destination ? "MEMORY_COPY_HOST_TO_DEVICE"
                            : "MEMORY_COPY_HOST_TO_HOST";
}

char *trace_metric_name(const struct ls_r_metric *m)
{
    char *name = ls_text("%s.%s", m->handler, m->name);
    if (!name)
        abort();
    return name;
}

/* ---- recording by recording ---- */

/* What trace_each goes along with. */
struct walk {
    struct ls_seen seen;
    bool estimates, software; /* were told of */
};

static int first_time(struct walk *w, const struct ls_r_process *p, const char *database)
{
    if (ls_seen_before(&w->seen, p->guid)) {
        message("%s: its process %" PRId64 " is in a database before it, too, and would count twice; "
                "give each recording once",
                database, p->pid);
        return EXIT_DATABASE;
    }
    ls_seen_enter(&w->seen, p->guid, database);
    return EXIT_OK;
}

/* Forms of others have no place for these. */
static void tell(struct walk *w, const struct trace *t)
{
    for (size_t i = 0; i < t->r->n_processes && !w->software; i++)
        if (ls_is_software_gpu(t->r->processes[i].gpu)) {
            message("times of kernels and copies are the software GPU's, which tell nothing about a GPU");
            w->software = true;
        }
    if (!w->estimates && t->estimated) {
        message("counters may hold estimates, or what a part of the wavefronts reported, which this form "
                "cannot mark; `lanescope report` marks them by ~");
        w->estimates = true;
    }
    for (size_t i = 0; i < t->r->n_notes; i++)
        tell_doubt(t->r->notes[i].text);
}

static int one(struct walk *walk, char *database, bool raw, trace_taker *take, void *to)
{
    struct trace t;
    struct trace_part part = {.t = &t};
    int rc = trace_open(&t, database, raw);
    while (!rc && trace_next(&part)) {
        rc = first_time(walk, part.process, database);
        if (!rc)
            rc = take(to, &part, database);
    }
    if (!rc)
        tell(walk, &t);
    trace_close(&t);
    return rc;
}

int trace_each(char *const *databases, size_t n, bool raw, trace_taker *take, void *to)
{
    struct walk walk = {0};
    int rc = EXIT_OK;
    for (size_t i = 0; i < n && !rc; i++)
        rc = one(&walk, databases[i], raw, take, to);
    ls_seen_free(&walk.seen);
    return rc;
}

int64_t trace_stream(const struct trace_part *p, const struct ls_a_stream *s)
{
    return s && s->process == p->process->id ? s->number : 0;
}
