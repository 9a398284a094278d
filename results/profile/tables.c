/* Which columns a handler's table has and what "worst" means in it. */
#include "tables.h"
#include "common/plural.h"
#include "common/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether the handler said how its table is read. Of others the first metric is what the table is about. */
static bool is_described(const struct ls_profile *p, const char *handler)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (p->metrics[i].view.position && !strcmp(p->metrics[i].handler, handler))
            return true;
    return false;
}

enum { TERMS = 8 };
#define LAST (-1e301) /* of an order: below every number */

/* What lines are sorted by: the sum of sign * metric. */
struct order {
    const struct ls_profile *profile;
    bool chosen; /* by the user: one metric, and lines that lack it come last */
    unsigned n;
    struct {
        int metric, sign;
    } term[TERMS];
    int of, among; /* times of only a part: the sum counts `of` / `among` times; -1: once */
};

/* metric -1: lines are equal. */
static struct order order_by(const struct ls_profile *p, int metric)
{
    return (struct order){.profile = p, .n = metric >= 0, .term = {{metric, 1}}, .of = -1, .among = -1};
}

static bool is_excess(const struct ls_profile *p, size_t i, const char *handler)
{
    return p->metrics[i].view.excess && !strcmp(p->metrics[i].handler, handler);
}

/* In order of the columns: the first one is what the table is about. */
static struct order by_excess(const struct ls_profile *p, const char *handler)
{
    struct order o = order_by(p, -1);
    for (size_t i = 0; i < p->n_metrics && o.n < TERMS; i++) {
        unsigned at = o.n;
        if (!is_excess(p, i, handler))
            continue;
        for (; at && p->metrics[o.term[at - 1].metric].view.position > p->metrics[i].view.position; at--)
            o.term[at] = o.term[at - 1];
        o.term[at].metric = (int)i;
        o.term[at].sign = p->metrics[i].view.excess;
        o.n++;
    }
    return o;
}

static int first_metric(const struct ls_profile *p, const char *handler)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (!strcmp(p->metrics[i].handler, handler))
            return (int)i;
    return -1;
}

/* Times are ranked whole, or lines not by time at all. An execution whose time could not be taken counts
 * like the line's others; where none of a line could be taken, lines are ranked by how often they were
 * executed. */
static struct order by_time(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler)
{
    int executions = ls_profile_role(p, handler, LANESCOPE_ROLE_EXECUTIONS),
        timed = ls_profile_role(p, handler, LANESCOPE_ROLE_TIMED);
    struct order o = order_by(p, ls_profile_role(p, handler, LANESCOPE_ROLE_TIME));
    double n;
    if (executions < 0 || timed < 0)
        return o;
    for (size_t i = 0; k && i < k->n_lines; i++) {
        const struct ls_p_values *v = &k->lines[i]->values;
        if (ls_profile_value(p, v, (size_t)executions, &n) && !ls_profile_value(p, v, (size_t)timed, &n))
            return order_by(p, executions);
    }
    o.of = executions;
    o.among = timed;
    return o;
}

/* The worst first, whichever direction is worse; the most where neither is. */
static struct order by_choice(const struct ls_profile *p, int metric)
{
    struct order o = order_by(p, metric);
    o.chosen = true;
    o.term[0].sign = ls_metric_direction(p, metric) < 0 ? -1 : 1;
    return o;
}

/* k NULL: of no kernel in particular. */
static struct order order_of(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler,
                             int sort)
{
    if (sort >= 0 && !strcmp(p->metrics[sort].handler, handler))
        return by_choice(p, sort);
    struct order excess = by_excess(p, handler);
    if (excess.n)
        return excess;
    return ls_measures_time(p, handler)
               ? by_time(p, k, handler)
               : order_by(p, first_metric(p, handler)); /* a handler names what matters most first */
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
    double part = value_of(o, o->among, v), x = 0;
    if (o->chosen && !ls_profile_value(o->profile, v, (size_t)o->term[0].metric, &x))
        return LAST;
    x = 0;
    for (unsigned i = 0; i < o->n; i++)
        x += o->term[i].sign * value_of(o, o->term[i].metric, v);
    if (part > 0)
        x *= value_of(o, o->of, v) / part;
    /* An order needs numbers: a factor in a file may be infinite, or none. */
    return isnan(x) ? 0 : fmax(-1e300, fmin(1e300, x));
}

int ls_worst_metric(const struct ls_profile *p, const char *handler)
{
    struct order o = order_of(p, NULL, handler, -1);
    return o.n ? o.term[0].metric : -1;
}

double ls_line_weight(const struct ls_profile *p, const char *handler, const struct ls_p_line *line)
{
    struct order o = order_of(p, line->kernel, handler, -1);
    return weight(&o, &line->values);
}

bool ls_is_cost(const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    return m->view.cost || (!is_described(p, m->handler) && ls_worst_metric(p, m->handler) == metric);
}

bool ls_whole_cost(const struct ls_profile *p, int metric, const struct ls_p_values *values, double *whole)
{
    const char *handler = p->metrics[metric].handler;
    if (!ls_is_cost(p, metric))
        return false;
    int all = ls_profile_role(p, handler, LANESCOPE_ROLE_WHOLE);
    if (all >= 0)
        return all != metric && ls_profile_value(p, values, (size_t)all, whole);
    struct order o = by_excess(p, handler);
    *whole = weight(&o, values);
    double waits = 0;
    return o.n && ls_profile_role_value(p, values, handler, LANESCOPE_ROLE_CONTENTION, &waits) && waits > 0;
}

bool ls_is_contention(const struct ls_profile *p, int metric)
{
    return p->metrics[metric].view.role == LANESCOPE_ROLE_CONTENTION && p->metrics[metric].view.cost;
}

bool ls_shows_idle_lanes(const struct ls_profile *p, int metric, double value, unsigned lanes)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    return m->view.role == LANESCOPE_ROLE_LANES && m->is_ratio && ls_lanes_idle(value, lanes);
}

int ls_metric_direction(const struct ls_profile *p, int metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    if (is_described(p, m->handler))
        return m->view.direction;
    return ls_worst_metric(p, m->handler) == metric;
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

static void add_column(const struct ls_profile *p, struct ls_table *t, int metric, enum lanescope_show show)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].metric == metric)
            return;
    *LS_PUSH(t->columns, t->n_columns) = (struct ls_column){metric, show, p->metrics[metric].view.title};
}

/* The metric of the handler with the next position after *at that is more than an export; -1: none. Positions
 * may be equal in a file that was not written by us: those come in order of the metrics. */
static int next_column(const struct ls_profile *p, const char *handler, uint32_t *position, int at)
{
    int next = -1;
    for (int i = 0; i < (int)p->n_metrics; i++) {
        const struct ls_metric_view *v = &p->metrics[i].view;
        if (!v->position || v->show == LANESCOPE_SHOW_EXPORT || strcmp(p->metrics[i].handler, handler))
            continue;
        bool later = v->position > *position || (v->position == *position && i > at);
        if (later && (next < 0 || v->position < p->metrics[next].view.position))
            next = i;
    }
    if (next >= 0)
        *position = p->metrics[next].view.position;
    return next;
}

/* First the columns that the handler put in order, then everything else it has. */
static void add_columns(const struct ls_profile *p, struct ls_table *t, int sort)
{
    const enum lanescope_show others =
        is_described(p, t->handler) ? LANESCOPE_SHOW_EXPORT : LANESCOPE_SHOW_DETAIL;
    uint32_t position = 0;
    for (int i = -1; (i = next_column(p, t->handler, &position, i)) >= 0;)
        add_column(p, t, i, p->metrics[i].view.show);
    if (sort >= 0 && !strcmp(p->metrics[sort].handler, t->handler))
        add_column(p, t, sort, LANESCOPE_SHOW_ALWAYS);
    for (size_t i = 0; i < p->n_metrics; i++)
        if (!strcmp(p->metrics[i].handler, t->handler))
            add_column(p, t, (int)i, others);
}

bool ls_beside_source(const struct ls_profile *p, size_t metric)
{
    const struct ls_metric_view *v = &p->metrics[metric].view;
    const bool shown = v->position && v->show <= LANESCOPE_SHOW_COST;
    return shown && (v->role == LANESCOPE_ROLE_COALESCING || (v->cost && v->role != LANESCOPE_ROLE_WHOLE));
}

int ls_needed_metric(const struct ls_profile *p, size_t metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    for (size_t i = 0; i < p->n_metrics && m->view.excess > 0; i++)
        if (is_excess(p, i, m->handler) && p->metrics[i].view.excess < 0 &&
            p->metrics[i].view.role == m->view.role)
            return (int)i;
    return -1;
}

bool ls_shows_all_coalesced(const struct ls_profile *p, const struct ls_p_line *line)
{
    double percent;
    int coalescing = ls_profile_role(p, NULL, LANESCOPE_ROLE_COALESCING);
    if (coalescing < 0 || !ls_profile_value(p, &line->values, (size_t)coalescing, &percent) ||
        percent <= 99.994)
        return false;
    struct order lines = order_by(p, -1), all = by_excess(p, p->metrics[coalescing].handler);
    for (unsigned i = 0; i < all.n; i++)
        if (p->metrics[all.term[i].metric].view.role != LANESCOPE_ROLE_CONTENTION)
            lines.term[lines.n++] = all.term[i];
    return weight(&lines, &line->values) > 0;
}

static char *coalescing_note(const struct ls_profile *p, const struct ls_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (ls_shows_all_coalesced(p, t->rows[i]))
            return strdup(LS_COALESCING_NOTE);
    return NULL;
}

/* The mean of a time, which lines are ranked by when some executions lack it. */
static const char *mean_time(const struct ls_profile *p, const char *handler)
{
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        if (m->view.role == LANESCOPE_ROLE_TIME && m->is_ratio && !strcmp(m->handler, handler))
            return m->name;
    }
    return "its mean";
}

/* Which lines' times are missing or incomplete; NULL: none. */
static char *timing_note(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler,
                         bool *by_count)
{
    int time = ls_profile_role(p, handler, LANESCOPE_ROLE_TIME),
        executions = ls_profile_role(p, handler, LANESCOPE_ROLE_EXECUTIONS),
        timed = ls_profile_role(p, handler, LANESCOPE_ROLE_TIMED);
    struct order o = order_by(p, executions);
    char *text = NULL;
    size_t size = 0, n = 0;
    double some = 0, all = 0;
    FILE *out = time < 0 || executions < 0 || timed < 0 ? NULL : open_memstream(&text, &size);
    for (size_t i = 0; out && i < k->n_lines; i++) {
        const struct ls_p_place *at = &k->lines[i]->title;
        double entries = value_of(&o, executions, &k->lines[i]->values),
               times = value_of(&o, timed, &k->lines[i]->values);
        all += entries;
        some += times < entries ? entries - times : 0;
        if (entries && !times)
            fprintf(out, "%s%s:%u (%.0f %s)", n++ ? ", " : "could not be timed: ", ls_base_name(at->file),
                    at->line, entries, ls_word(entries, "entry", "entries"));
    }
    *by_count = n > 0;
    if (!out)
        return NULL;
    if (n)
        fprintf(out, "; so lines are ranked by %s, not by time", p->metrics[executions].name);
    else if (some)
        fprintf(out,
                "%.0f of %.0f entries could not be timed: %s lacks them, and lines are ranked by %s x %s",
                some, all, p->metrics[time].name, mean_time(p, handler), p->metrics[executions].name);
    fclose(out);
    if (text && *text)
        return text;
    free(text);
    return NULL;
}

static struct ls_table make_table(const struct ls_profile *p, const struct ls_p_kernel *k,
                                  const char *handler, const struct ls_table_options *o)
{
    const struct ls_p_handler *said = ls_profile_handler(p, handler);
    struct ls_table t = {
        .handler = handler, .title = said ? said->title : handler, .clean = said ? said->clean : NULL};
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
    if (ls_profile_role(p, handler, LANESCOPE_ROLE_TIMED) >= 0)
        t.note = timing_note(p, k, handler, &t.by_count);
    else if (ls_profile_role(p, handler, LANESCOPE_ROLE_COALESCING) >= 0)
        t.note = coalescing_note(p, &t);
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

/* By the metric that the user chose: the sum of its lines, where it adds up, else its worst line. */
static double chosen_weight(const struct ls_profile *p, const struct ls_p_kernel *k, const struct order *o)
{
    double sum = LAST;
    bool adds = !p->metrics[o->term[0].metric].is_ratio;
    for (size_t j = 0; j < k->n_lines; j++) {
        double x = weight(o, &k->lines[j]->values);
        if (x != LAST && (sum == LAST || !adds))
            sum = fmax(sum, x);
        else if (x != LAST)
            sum += x;
    }
    return sum;
}

/* Conflict cycles, excess cache lines and lanes of an atomic that wait for another one's update all cost
 * about a cycle of the memory path each (one LDS pass, one vL1D tag lookup, one update), so their sum is a
 * fair order for lines and kernels. */
static double excess_of(const struct ls_profile *p, const struct ls_p_line *const *lines, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_metrics; i++) {
        if (!names_handler(p, i))
            continue;
        struct order o = by_excess(p, p->metrics[i].handler);
        for (size_t j = 0; j < n && o.n; j++)
            sum += weight(&o, &lines[j]->values);
    }
    return sum;
}

double ls_line_excess(const struct ls_profile *p, const struct ls_p_line *line)
{
    return excess_of(p, &line, 1);
}

static double waste(const struct ls_profile *p, const struct ls_p_kernel *k, int sort)
{
    if (sort < 0)
        return excess_of(p, (const struct ls_p_line *const *)k->lines, k->n_lines);
    const struct order chosen = by_choice(p, sort);
    return chosen_weight(p, k, &chosen);
}

double ls_kernel_excess(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    return waste(p, k, -1);
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

bool ls_measures_time(const struct ls_profile *p, const char *handler)
{
    return ls_profile_role(p, handler, LANESCOPE_ROLE_TIME) >= 0;
}

const char *ls_time_source(const struct ls_p_kernel *k)
{
    return ls_times_source(k->software_time, k->hardware_time);
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
