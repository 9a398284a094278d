/* times.c - see times.h. */
#include "times.h"
#include "overlap.h"
#include "profile.h"
#include "lanescope/defaults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "results/reader/activity.h"
#include "results/reader/saturate.h"

/* ---- statistics ---- */

static void add_to_stat(struct ls_stat *s, bool known, int64_t ns)
{
    s->calls = ls_add(s->calls, 1, NULL);
    if (!known)
        return;
    s->min = s->timed && s->min < ns ? s->min : ns;
    s->max = s->timed && s->max > ns ? s->max : ns;
    s->timed++;
    s->total = ls_add(s->total, ns, NULL);
    double off = (double)ns - s->mean; /* Welford's */
    s->mean += off / (double)s->timed;
    s->squares += off * ((double)ns - s->mean);
}

double ls_stat_average(const struct ls_stat *s)
{
    return s->timed ? s->mean : 0;
}

double ls_stat_deviation(const struct ls_stat *s)
{
    return s->timed > 1 ? sqrt(s->squares / (double)(s->timed - 1)) : 0;
}

const char *ls_times_source(bool software, bool hardware)
{
    return !software ? "GPU" : hardware ? "GPU and software GPU" : "software GPU";
}

/* ---- rows by kernel, and by name ---- */

struct ls_t_row {
    UT_hash_handle hh;
    const struct ls_p_kernel *kernel;
    size_t row;
};

static size_t row_of_kernel(struct ls_times *t, struct ls_arena *arena, const struct ls_p_kernel *kernel)
{
    struct ls_t_row *e;
    HASH_FIND_PTR(t->kernel_rows, &kernel, e);
    if (e)
        return e->row;
    e = ls_arena_alloc(arena, sizeof *e);
    e->kernel = kernel;
    e->row = t->n_kernels;
    HASH_ADD_PTR(t->kernel_rows, kernel, e);
    LS_PUSH(t->kernels, t->n_kernels)->kernel = kernel;
    return e->row;
}

struct ls_t_name {
    UT_hash_handle hh;
    size_t row;
    char key[];
};

/* The row of a name in one of the lists; `next` is the one that a new name gets. */
static size_t row_of(struct ls_t_name **names, struct ls_arena *arena, const char *name, size_t next)
{
    size_t n = strlen(name) + 1;
    struct ls_t_name *e;
    HASH_FIND_STR(*names, name, e);
    if (e)
        return e->row;
    e = ls_arena_alloc(arena, sizeof(*e) + n);
    memcpy(e->key, name, n);
    e->row = next;
    HASH_ADD_STR(*names, key, e);
    return next;
}

struct adding {
    struct ls_times *t;
    struct ls_arena *arena;
    struct ls_results *r;
    struct ls_activity a;
    struct ls_p_kernel *const *kernel_of;
};

/* NULL: it is left out. */
static const struct ls_p_kernel *kernel_of(const struct adding *x, const struct ls_a_launch *l)
{
    const struct ls_r_kernel *k = ls_results_kernel(x->r, l->kernel);
    return k ? x->kernel_of[k - x->r->kernels] : NULL;
}

/* Launches of kernels that do not matter are taken out. */
static void keep_wanted(struct adding *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->a.n_launches; i++)
        if (kernel_of(x, &x->a.launches[i]))
            x->a.launches[n++] = x->a.launches[i];
    x->a.n_launches = n;
}

/* A merged database has processes of both. */
static bool is_software(const struct adding *x, int64_t process)
{
    const struct ls_r_process *p = ls_results_process(x->r, process);
    return p && ls_is_software_gpu(p->gpu);
}

static void add_kernels(struct adding *x)
{
    struct ls_times *t = x->t;
    for (size_t i = 0; i < x->a.n_launches; i++) {
        const struct ls_a_launch *l = &x->a.launches[i];
        size_t row = row_of_kernel(t, x->arena, kernel_of(x, l));
        struct ls_t_kernel *k = &t->kernels[row];
        int64_t ns;
        bool known = ls_interval(l->start, l->end, &ns);
        add_to_stat(&k->stat, known, ns);
        *(is_software(x, l->process) ? &k->software : &k->hardware) = true;
    }
}

static void add_copies(struct adding *x)
{
    struct ls_times *t = x->t;
    for (size_t i = 0; i < x->a.n_copies; i++) {
        const struct ls_a_copy *c = &x->a.copies[i];
        const char *direction = ls_copy_direction(c);
        size_t row = 0;
        while (row < t->n_copies && strcmp(t->copies[row].direction, direction))
            row++;
        if (row == t->n_copies)
            LS_PUSH(t->copies, t->n_copies)->direction = direction;
        int64_t ns;
        bool known = ls_interval(c->start, c->end, &ns);
        add_to_stat(&t->copies[row].stat, known, ns);
        t->copies[row].bytes = ls_add(t->copies[row].bytes, c->bytes, NULL);
    }
}

/* ---- who launched what ---- */

/* Something that a thread launched; `sum`: of the ns of it and of all before it in the list. */
struct launched {
    int64_t process, thread, submit, sum;
};
struct launches {
    struct launched *list;
    size_t n;
};

static int by_thread(const void *a, const void *b)
{
    const struct launched *x = a, *y = b;
    return x->process != y->process ? (x->process < y->process ? -1 : 1)
           : x->thread != y->thread ? (x->thread < y->thread ? -1 : 1)
                                    : (x->submit > y->submit) - (x->submit < y->submit);
}

static void add_launched(struct launches *l, int64_t process, int64_t thread, int64_t submit, int64_t ns)
{
    if (thread)
        *LS_PUSH(l->list, l->n) = (struct launched){process, thread, submit, ns};
}

static void sort_launches(struct launches *l)
{
    if (l->n)
        qsort(l->list, l->n, sizeof(*l->list), by_thread);
    for (size_t i = 1; i < l->n; i++)
        l->list[i].sum = ls_add(l->list[i].sum, l->list[i - 1].sum, NULL);
}

/* How many of the list come before the key, or are equal to it with `through`. */
static size_t count_before(const struct launches *l, const struct launched *key, bool through)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = by_thread(&l->list[middle], key);
        if (order < 0 || (through && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t launched_in(const struct launches *l, const struct ls_a_marker *m, int64_t *ns)
{
    struct launched first = {m->process, m->thread, m->start, 0},
                    last = {m->process, m->thread, m->end ? m->end : INT64_MAX, 0};
    size_t from = count_before(l, &first, false), to = count_before(l, &last, true);
    if (to <= from)
        return 0;
    *ns = ls_add(*ns, ls_subtract(l->list[to - 1].sum, from ? l->list[from - 1].sum : 0, NULL), NULL);
    return (int64_t)(to - from);
}

static struct ls_t_range *range_of(struct adding *x, const struct ls_a_marker *m)
{
    struct ls_times *t = x->t;
    bool started = m->kind == LS_A_STARTED;
    size_t row = row_of(&t->range_names[started], x->arena, m->text, t->n_ranges);
    if (row == t->n_ranges) {
        struct ls_t_range *new = LS_PUSH(t->ranges, t->n_ranges);
        new->text = ls_arena_string(x->arena, m->text);
        new->started = started;
        new->owns = true;
    }
    return &t->ranges[row];
}

static void add_ranges(struct adding *x)
{
    struct launches kernels = {NULL, 0}, copies = {NULL, 0};
    int64_t ns, ignored = 0;
    for (size_t i = 0; i < x->a.n_launches; i++) {
        const struct ls_a_launch *l = &x->a.launches[i];
        ls_interval(l->start, l->end, &ns);
        add_launched(&kernels, l->process, l->thread, l->submit, ns);
    }
    for (size_t i = 0; i < x->a.n_copies; i++)
        add_launched(&copies, x->a.copies[i].process, x->a.copies[i].thread, x->a.copies[i].submit, 0);
    sort_launches(&kernels);
    sort_launches(&copies);
    for (size_t i = 0; i < x->a.n_markers; i++) {
        const struct ls_a_marker *m = &x->a.markers[i];
        if (m->kind == LS_A_MARK) {
            x->t->marks = ls_add(x->t->marks, 1, NULL);
            continue;
        }
        struct ls_t_range *range = range_of(x, m);
        bool known = ls_interval(m->start, m->end, &ns);
        add_to_stat(&range->stat, known, ns);
        range->owns &= kernels.n == x->a.n_launches;
        range->kernels = ls_add(range->kernels, launched_in(&kernels, m, &range->kernels_ns), NULL);
        range->copies = ls_add(range->copies, launched_in(&copies, m, &ignored), NULL);
    }
    free(kernels.list);
    free(copies.list);
}

/* ---- the whole ---- */

/* 0: both are called the same. */
static int kernels_by_name(const void *a, const void *b)
{
    const struct ls_p_kernel *x = ((const struct ls_t_kernel *)a)->kernel,
                             *y = ((const struct ls_t_kernel *)b)->kernel;
    int order = strcmp(x->name, y->name);
    order = order ? order : x->twin - y->twin;
    order = order || !x->twin ? order : strcmp(x->file, y->file);
    order = order || !x->twin ? order
                              : strcmp(x->code_name ? x->code_name : "", y->code_name ? y->code_name : "");
    return order || !x->twin ? order : (x->line > y->line) - (x->line < y->line);
}

static int kernels_by_time(const void *a, const void *b)
{
    const struct ls_t_kernel *x = a, *y = b;
    return x->stat.total != y->stat.total ? (x->stat.total < y->stat.total ? 1 : -1) : kernels_by_name(x, y);
}

static void fold_stat(struct ls_stat *s, const struct ls_stat *more)
{
    const double all = (double)s->timed + (double)more->timed, off = more->mean - s->mean;
    s->calls = ls_add(s->calls, more->calls, NULL);
    if (!more->timed)
        return;
    s->min = s->timed && s->min < more->min ? s->min : more->min;
    s->max = s->timed && s->max > more->max ? s->max : more->max;
    s->squares += more->squares + off * off * (double)s->timed * (double)more->timed / all; /* Chan's */
    s->mean += off * (double)more->timed / all;
    s->timed = ls_add(s->timed, more->timed, NULL);
    s->total = ls_add(s->total, more->total, NULL);
}

/* Kernels of one name are one row, as of several GPUs, but for those that are told apart by their files. */
static void fold_kernels(struct ls_times *t)
{
    size_t n = 0;
    if (t->n_kernels)
        qsort(t->kernels, t->n_kernels, sizeof(*t->kernels), kernels_by_name);
    for (size_t i = 0; i < t->n_kernels; i++) {
        struct ls_t_kernel *k = &t->kernels[i], *last = n ? &t->kernels[n - 1] : NULL;
        if (!last || kernels_by_name(last, k)) {
            t->kernels[n++] = *k;
            continue;
        }
        fold_stat(&last->stat, &k->stat);
        last->software |= k->software;
        last->hardware |= k->hardware;
    }
    t->n_kernels = n;
}

static int copies_by_time(const void *a, const void *b)
{
    const struct ls_t_copy *x = a, *y = b;
    return x->stat.total != y->stat.total ? (x->stat.total < y->stat.total ? 1 : -1)
                                          : strcmp(x->direction, y->direction);
}

static int ranges_by_time(const void *a, const void *b)
{
    const struct ls_t_range *x = a, *y = b;
    return x->stat.total != y->stat.total ? (x->stat.total < y->stat.total ? 1 : -1)
           : x->started != y->started     ? x->started - y->started
                                          : strcmp(x->text, y->text);
}

static void clear_names(struct ls_times *t)
{
    HASH_CLEAR(hh, t->kernel_rows);
    HASH_CLEAR(hh, t->range_names[0]);
    HASH_CLEAR(hh, t->range_names[1]);
}

void ls_times_sort(struct ls_times *t)
{
    fold_kernels(t);
    if (t->n_kernels)
        qsort(t->kernels, t->n_kernels, sizeof(*t->kernels), kernels_by_time);
    if (t->n_copies)
        qsort(t->copies, t->n_copies, sizeof(*t->copies), copies_by_time);
    if (t->n_ranges)
        qsort(t->ranges, t->n_ranges, sizeof(*t->ranges), ranges_by_time);
    clear_names(t); /* rows have moved */
}

/* Whose the times are. */
static void add_sources(struct adding *x)
{
    for (size_t i = 0; i < x->a.n_launches; i++)
        *(is_software(x, x->a.launches[i].process) ? &x->t->software : &x->t->hardware) = true;
    for (size_t i = 0; i < x->a.n_copies; i++)
        *(is_software(x, x->a.copies[i].process) ? &x->t->software : &x->t->hardware) = true;
}

int ls_times_add(struct ls_times *t, struct ls_arena *arena, struct ls_results *r,
                 struct ls_p_kernel *const *kernel_of, char **error)
{
    struct adding x = {.t = t, .arena = arena, .r = r, .kernel_of = kernel_of};
    int rc = ls_activity_load(r, &x.a, error);
    if (!rc) {
        keep_wanted(&x);
        add_kernels(&x);
        add_copies(&x);
        add_ranges(&x);
        ls_overlap_add(t, arena, r, &x.a);
        add_sources(&x);
    }
    ls_activity_free(&x.a);
    return rc;
}

void ls_times_free(struct ls_times *t)
{
    clear_names(t);
    free(t->kernels);
    free(t->copies);
    free(t->ranges);
    free(t->queues);
    ls_overlap_free(t);
}
