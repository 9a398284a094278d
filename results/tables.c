/* Which columns a handler's table has and what "worst" means in it. */
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_COLUMNS 12

/* How the default handlers' metrics are best read. Other handlers get all they have. Metric names are those
 * that the handlers register (ROCm Compute Profiler's where it has the same quantity). */
struct view {
    const char *handler, *title, *clean;
    const char *worst, *less, *more, *more_less; /* sorted by worst - less + more - more_less: beyond need */
    const char *costs[3];                        /* of two recordings, more of these is worse */
    struct {
        const char *name;
        enum ls_column_use use;
        const char *head;
    } columns[MAX_COLUMNS];
};

static const struct view views[] = {
    {"lds_bank_conflicts",
     "LDS bank conflicts",
     "none",
     "Bank Conflict",
     NULL,
     "Addr Conflict",
     NULL,
     {"Bank Conflict", "Addr Conflict", "LDS Cycles"},
     {{"Executions", LS_COLUMN_KEY, NULL},
      {"Active Lanes/Execution", LS_COLUMN_KEY, "Active Lanes"},
      {"Index Accesses", LS_COLUMN_DETAIL, NULL},
      {"Bank Conflict", LS_COLUMN_KEY, NULL},
      {"Addr Conflict", LS_COLUMN_COST, NULL},
      {"LDS Cycles", LS_COLUMN_KEY, NULL},
      {"Bank Conflicts/Access", LS_COLUMN_DETAIL, NULL},
      {"Unaligned Stall", LS_COLUMN_RARE, NULL}}},
    {"memory_coalescing",
     "Memory coalescing",
     "no excess cache lines",
     "Cache Lines",
     "Cache Lines Needed",
     "Atomic Lanes",
     "Atomic Addresses",
     {"Cache Lines", "Lanes/Address", NULL},
     {{"Executions", LS_COLUMN_KEY, NULL},
      {"Active Lanes/Execution", LS_COLUMN_KEY, "Active Lanes"},
      {"Cache Lines", LS_COLUMN_KEY, NULL},
      {"Cache Lines Needed", LS_COLUMN_KEY, "Lines Needed"},
      {"Lanes/Address", LS_COLUMN_COST, "Lanes/Addr"},
      {"Cache Lines/Needed", LS_COLUMN_DETAIL, NULL},
      {"Coalescing", LS_COLUMN_KEY, NULL}}},
};

static const struct view *view_of(const char *handler)
{
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
        if (!strcmp(views[i].handler, handler))
            return &views[i];
    return NULL;
}

/* What lines are sorted by: metric - less + more - more_less (-1: nothing). */
struct order {
    const struct ls_profile *profile;
    int metric, less, more, more_less;
    int of, among; /* times of only a part: the value counts `of` / `among` times; -1: once */
};

static int view_metric(const struct ls_profile *p, const char *handler, const char *name)
{
    return name ? ls_profile_metric(p, handler, name) : -1;
}

/* Blocks are ranked by their whole time, or not by time at all. An entry whose time could not be taken counts
 * like the line's others; where none of a line could be taken, lines are ranked by how often they were
 * entered. */
static struct order by_time(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    static const char handler[] = "block_timing";
    int executions = ls_profile_metric(p, handler, "Executions"),
        timed = ls_profile_metric(p, handler, "Timed");
    double n;
    for (size_t i = 0; k && i < k->n_lines; i++) {
        const struct ls_p_values *v = &k->lines[i]->values;
        if (executions >= 0 && ls_profile_value(p, v, (size_t)executions, &n) &&
            (timed < 0 || !ls_profile_value(p, v, (size_t)timed, &n)))
            return (struct order){p, executions, -1, -1, -1, -1, -1};
    }
    return (struct order){p, ls_profile_metric(p, handler, "Cycles"), -1, -1, -1, executions, timed};
}

/* k NULL: of no kernel in particular. */
static struct order order_of(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler,
                             int sort)
{
    const struct view *v = view_of(handler);
    if (sort >= 0 && !strcmp(p->metrics[sort].handler, handler))
        return (struct order){p, sort, -1, -1, -1, -1, -1};
    if (v)
        return (struct order){p,
                              view_metric(p, handler, v->worst),
                              view_metric(p, handler, v->less),
                              view_metric(p, handler, v->more),
                              view_metric(p, handler, v->more_less),
                              -1,
                              -1};
    if (!strcmp(handler, "block_timing"))
        return by_time(p, k);
    for (size_t i = 0; i < p->n_metrics; i++)
        if (!strcmp(p->metrics[i].handler, handler))
            return (struct order){p,  (int)i, -1, -1,
                                  -1, -1,     -1}; /* a handler names what matters most first */
    return (struct order){p, -1, -1, -1, -1, -1, -1};
}

static double value_of(const struct order *o, int metric, const struct ls_p_values *v)
{
    double x = 0;
    if (metric >= 0)
        ls_profile_value(o->profile, v, (size_t)metric, &x);
    return x;
}

static double weight(const struct order *o, const struct ls_p_values *v)
{
    double part = value_of(o, o->among, v), x = value_of(o, o->metric, v) - value_of(o, o->less, v) +
                                                value_of(o, o->more, v) - value_of(o, o->more_less, v);
    if (part > 0)
        x *= value_of(o, o->of, v) / part;
    /* An order needs numbers: a factor in a file may be infinite, or none. */
    return isnan(x) ? 0 : fmax(-1e300, fmin(1e300, x));
}

int ls_worst_metric(const struct ls_profile *p, const char *handler)
{
    return order_of(p, NULL, handler, -1).metric;
}

double ls_line_weight(const struct ls_profile *p, const char *handler, const struct ls_p_line *line)
{
    struct order o = order_of(p, line->kernel, handler, -1);
    return weight(&o, &line->values);
}

bool ls_is_cost(const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    const struct view *v = view_of(m->handler);
    for (size_t i = 0; v && i < sizeof(v->costs) / sizeof(*v->costs); i++)
        if (v->costs[i] && !strcmp(v->costs[i], m->name))
            return true;
    return !v && ls_worst_metric(p, m->handler) == metric;
}

bool ls_is_contention(const struct ls_profile *p, int metric)
{
    return !strcmp(p->metrics[metric].name, "Addr Conflict") && view_of(p->metrics[metric].handler);
}

bool ls_shows_idle_lanes(const struct ls_profile *p, int metric, double value, unsigned lanes)
{
    return !strcmp(p->metrics[metric].name, LS_ACTIVE_LANES) && ls_lanes_idle(value, lanes);
}

int ls_metric_direction(const struct ls_profile *p, int metric)
{
    static const struct {
        const char *name;
        int direction;
    } known[] = {{"Bank Conflict", 1},
                 {"Addr Conflict", 1},
                 {"LDS Cycles", 1},
                 {"Lanes/Address", 1},
                 {"Unaligned Stall", 1},
                 {"Bank Conflicts/Access", 1},
                 {"Bank Conflict Rate", 1},
                 {"Cache Lines", 1},
                 {"L2 Lines", 1},
                 {"TA Requests", 1},
                 {"Cache Lines/Needed", 1},
                 {"Coalescing", -1},
                 {"Active Lanes/Execution", -1}};
    const struct ls_p_metric *m = &p->metrics[metric];
    for (size_t i = 0; view_of(m->handler) && i < sizeof(known) / sizeof(*known); i++)
        if (!strcmp(known[i].name, m->name))
            return known[i].direction;
    return !view_of(m->handler) && ls_worst_metric(p, m->handler) == metric;
}

static int by_place(const struct ls_p_line *a, const struct ls_p_line *b)
{
    int c = strcmp(a->title.file, b->title.file);
    if (!c)
        c = (a->title.line > b->title.line) - (a->title.line < b->title.line);
    return c ? c : strcmp(a->key, b->key);
}

static int compare_lines(const void *x, const void *y, void *order)
{
    const struct ls_p_line *a = *(struct ls_p_line *const *)x, *b = *(struct ls_p_line *const *)y;
    double u = weight(order, &a->values), v = weight(order, &b->values);
    return u != v ? (u < v) - (u > v) : by_place(a, b);
}

/* Whether the line has anything that the handler counted itself. */
static bool has_handler(const struct ls_profile *p, const struct ls_p_values *v, const char *handler)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->present[i] && !strcmp(p->metrics[i].handler, handler))
            return true;
    return false;
}

static void add_column(struct ls_table *t, int metric, enum ls_column_use use, const char *head)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].metric == metric)
            return;
    if (metric >= 0)
        *LS_PUSH(t->columns, t->n_columns) = (struct ls_column){metric, use, head};
}

/* The view's columns first, then everything else the handler has. */
static void add_columns(const struct ls_profile *p, struct ls_table *t, int sort)
{
    const struct view *v = view_of(t->handler);
    for (size_t i = 0; v && i < MAX_COLUMNS && v->columns[i].name; i++)
        add_column(t, ls_profile_metric(p, t->handler, v->columns[i].name), v->columns[i].use,
                   v->columns[i].head);
    if (sort >= 0 && !strcmp(p->metrics[sort].handler, t->handler))
        add_column(t, sort, LS_COLUMN_KEY, NULL);
    for (size_t i = 0; i < p->n_metrics; i++)
        if (!strcmp(p->metrics[i].handler, t->handler))
            add_column(t, (int)i, v ? LS_COLUMN_EXPORT : LS_COLUMN_DETAIL, NULL);
}

bool ls_shows_all_coalesced(const struct ls_profile *p, const struct ls_p_line *line)
{
    static const char handler[] = "memory_coalescing";
    int percent = ls_profile_metric(p, handler, "Coalescing");
    double v;
    return percent >= 0 && ls_profile_value(p, &line->values, (size_t)percent, &v) && v > 99.994 &&
           ls_line_weight(p, handler, line) > 0;
}

static char *coalescing_note(const struct ls_profile *p, const struct ls_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (ls_shows_all_coalesced(p, t->rows[i]))
            return strdup(LS_COALESCING_NOTE);
    return NULL;
}

/* Which blocks' times are missing or incomplete; NULL: none. */
static char *timing_note(const struct ls_profile *p, const struct ls_p_kernel *k, bool *by_count)
{
    int executions = ls_profile_metric(p, "block_timing", "Executions"),
        timed = ls_profile_metric(p, "block_timing", "Timed");
    struct order o = {p, executions, -1, -1, -1, -1, -1};
    char *text = NULL;
    size_t size = 0, n = 0;
    double some = 0, all = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < k->n_lines; i++) {
        const struct ls_p_place *at = &k->lines[i]->title;
        const char *slash = strrchr(at->file, '/');
        double entries = value_of(&o, executions, &k->lines[i]->values),
               times = value_of(&o, timed, &k->lines[i]->values);
        all += entries;
        some += times < entries ? entries - times : 0;
        if (entries && !times)
            fprintf(out, "%s%s:%u (%.0f entries)",
                    n++ ? ", " : "could not be timed: ", slash ? slash + 1 : at->file, at->line, entries);
    }
    *by_count = n > 0;
    if (out && n)
        fprintf(out, "; so lines are ranked by Executions, not by time");
    else if (out && some)
        fprintf(out,
                "%.0f of %.0f entries could not be timed: Cycles lacks them, and lines are ranked by "
                "Cycles/Entry x Executions",
                some, all);
    if (out)
        fclose(out);
    if (text && *text)
        return text;
    free(text);
    return NULL;
}

static struct ls_table make_table(const struct ls_profile *p, const struct ls_p_kernel *k,
                                  const char *handler, const struct ls_table_options *o)
{
    const struct view *v = view_of(handler);
    struct ls_table t = {.handler = handler, .title = v ? v->title : handler, .clean = v ? v->clean : NULL};
    for (size_t i = 0; i < k->n_lines; i++)
        if (has_handler(p, &k->lines[i]->values, handler))
            *LS_PUSH(t.rows, t.n_rows) = k->lines[i];
    if (!t.n_rows)
        return t;
    struct order order = order_of(p, k, handler, o->sort);
    qsort_r(t.rows, t.n_rows, sizeof(*t.rows), compare_lines, &order);
    t.n_all = t.n_rows;
    if (o->top && t.n_rows > o->top)
        t.n_rows = o->top;
    add_columns(p, &t, o->sort);
    t.note = !strcmp(handler, "block_timing")        ? timing_note(p, k, &t.by_count)
             : !strcmp(handler, "memory_coalescing") ? coalescing_note(p, &t)
                                                     : NULL;
    return t;
}

/* Whether metric i is the first of its handler. */
static bool names_handler(const struct ls_profile *p, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!strcmp(p->metrics[j].handler, p->metrics[i].handler))
            return false;
    return true;
}

struct ls_table *ls_tables(const struct ls_profile *p, const struct ls_p_kernel *k,
                           const struct ls_table_options *o, size_t *n)
{
    struct ls_table *tables = NULL;
    *n = 0;
    for (size_t i = 0; i < p->n_metrics; i++) {
        if (!names_handler(p, i))
            continue;
        struct ls_table t = make_table(p, k, p->metrics[i].handler, o);
        if (t.n_rows)
            *LS_PUSH(tables, *n) = t;
    }
    return tables;
}

void ls_tables_free(struct ls_table *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(t[i].columns);
        free(t[i].note);
        free(t[i].rows);
    }
    free(t);
}

/* Conflict cycles, excess cache lines and lanes of an atomic that wait for another one's update all cost
 * about a cycle of the memory path each (one LDS pass, one vL1D tag lookup, one update), so their sum is a
 * fair order for kernels. */
static double waste(const struct ls_profile *p, const struct ls_p_kernel *k, int sort)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_metrics; i++) {
        if (!names_handler(p, i))
            continue;
        bool chosen = sort >= 0 && !strcmp(p->metrics[sort].handler, p->metrics[i].handler);
        if (sort >= 0 ? !chosen : !view_of(p->metrics[i].handler))
            continue;
        struct order o = order_of(p, k, p->metrics[i].handler, sort);
        for (size_t j = 0; j < k->n_lines; j++)
            sum += weight(&o, &k->lines[j]->values);
    }
    return sum;
}

struct kernel_order {
    struct ls_p_kernel *kernel;
    double waste;
    size_t arrival;
};

static int compare_kernels(const void *x, const void *y)
{
    const struct kernel_order *a = x, *b = y;
    if (a->waste != b->waste)
        return (a->waste < b->waste) - (a->waste > b->waste);
    /* Kernels with numbers before those without. */
    bool u = a->kernel->n_lines, v = b->kernel->n_lines;
    return u != v ? v - u : (a->arrival > b->arrival) - (a->arrival < b->arrival);
}

void ls_sort_kernels(struct ls_profile *p, const struct ls_table_options *o)
{
    struct kernel_order *order = ls_realloc(NULL, (p->n_kernels + 1) * sizeof(*order));
    for (size_t i = 0; i < p->n_kernels; i++)
        order[i] = (struct kernel_order){p->kernels[i], waste(p, p->kernels[i], o->sort), i};
    qsort(order, p->n_kernels, sizeof(*order), compare_kernels);
    for (size_t i = 0; i < p->n_kernels; i++)
        p->kernels[i] = order[i].kernel;
    free(order);
}

bool ls_measures_time(const char *handler)
{
    return !strcmp(handler, "block_timing") || !strcmp(handler, "wave_timeline");
}

const char *ls_time_source(const struct ls_p_kernel *k)
{
    return !k->software_time ? "GPU" : k->hardware_time ? "GPU and software GPU" : "software GPU";
}

static bool matches(const struct ls_p_metric *m, const char *handler, size_t handler_length, const char *name,
                    bool whole)
{
    if (handler && (strlen(m->handler) != handler_length || strncasecmp(m->handler, handler, handler_length)))
        return false;
    return whole ? !strcasecmp(m->name, name) : !strncasecmp(m->name, name, strlen(name));
}

int *ls_metrics_named(const struct ls_profile *p, const char *text, size_t *n)
{
    const char *dot = strchr(text, '.'), *name = dot ? dot + 1 : text;
    int *list = NULL;
    *n = 0;
    for (int whole = 1; whole >= 0 && !*n; whole--)
        for (size_t i = 0; i < p->n_metrics; i++)
            if (matches(&p->metrics[i], dot ? text : NULL, dot ? (size_t)(dot - text) : 0, name, whole))
                *LS_PUSH(list, *n) = (int)i;
    return list;
}

int ls_find_metric(const struct ls_profile *p, const char *text)
{
    size_t n;
    int *list = ls_metrics_named(p, text, &n), found = n == 1 ? list[0] : n ? -2 : -1;
    free(list);
    return found;
}
