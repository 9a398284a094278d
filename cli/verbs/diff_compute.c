/* Joins the lines of two profiles and judges each number (diff.h). */
#include "diff.h"
#include "diff_match.h"
#include "results/profile/exact.h"
#include "results/reader/saturate.h"
#include "source_map.h"
#include "cli/common/text_numbers.h"
#include "results/profile/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = {"same", "better", "worse", "changed", "new", "gone"};
    return names[v];
}

/* ---- from lines of A to lines of B ---- */

struct file_map {
    const struct ls_p_file *a, *b; /* b NULL: B has no such file */
    uint32_t *line;                /* source_map; NULL: line numbers stay */
    uint32_t n;
    UT_hash_handle hh; /* by the path of a */
};

struct maps {
    const struct diff *d;
    struct diff_files files;
    struct file_map *known;
};

static const struct file_map *map_of(struct maps *m, const char *path)
{
    struct file_map *f;
    HASH_FIND_STR(m->known, path, f);
    const struct ls_p_file *a = f ? f->a : ls_profile_file(m->d->profile[SIDE_A], path);
    if (f || !a)
        return f;
    f = ls_realloc(NULL, sizeof(*f));
    *f = (struct file_map){.a = a, .b = diff_counterpart(m->d, &m->files, path)};
    f->line = source_map(f->a, f->b, &f->n);
    HASH_ADD_KEYPTR(hh, m->known, a->path, strlen(a->path), f);
    return f;
}

static void forget_maps(struct maps *m)
{
    struct file_map *f, *next;
    HASH_ITER(hh, m->known, f, next)
    {
        HASH_DEL(m->known, f);
        free(f->line);
        free(f);
    }
    diff_files_free(&m->files);
}

/* Writes a place in terms of B's files. */
static void put_place(struct maps *m, int side, const char *path, uint32_t line, FILE *key)
{
    const struct file_map *f = side == SIDE_A ? map_of(m, path) : NULL;
    uint32_t to = f && f->line ? line <= f->n ? f->line[line] : 0 : line;
    if (f && f->line && !to)
        fprintf(key, "gone:%s:%u|", path, line);
    else
        fprintf(key, "%s:%u|", f && f->b ? f->b->path : path, to);
}

/* What equal lines of both sides have in common: title and the user's calls around it. What libraries do
 * inside of it, and between the calls, changes with their versions. malloc'd. */
static char *key_of(struct maps *m, int side, const struct ls_p_line *line)
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s|%s|", line->kind, line->space);
    if (*line->title.file)
        put_place(m, side, line->title.file, line->title.line, out);
    else
        fprintf(out, "%s|", line->function);
    for (size_t i = line->title_depth; i < line->n_chain; i++)
        if (!line->chain[i].library)
            put_place(m, side, line->chain[i].file, line->chain[i].line, out);
    fclose(out);
    return key;
}

/* ---- sums ---- */

static void add_values(struct ls_profile *p, struct ls_p_values *to, const struct ls_p_values *from)
{
    if (!to->n) {
        to->n = p->n_metrics;
        to->sum = ls_realloc(NULL, (to->n + 1) * sizeof(*to->sum));
        to->present = ls_realloc(NULL, (to->n + 1) * sizeof(*to->present));
        memset(to->sum, 0, to->n * sizeof(*to->sum));
        to->estimated = ls_realloc(NULL, (to->n + 1) * sizeof(*to->estimated));
        memset(to->present, 0, to->n * sizeof(*to->present));
        memset(to->estimated, 0, to->n * sizeof(*to->estimated));
    }
    for (size_t i = 0; i < from->n; i++) {
        to->sum[i] = ls_add(to->sum[i], from->sum[i], &p->saturated);
        to->present[i] |= from->present[i];
        to->estimated[i] |= from->estimated[i];
    }
}

/* Takes over a malloc'd text, or NULL. */
static void add_reason(struct ls_p_texts *t, char *text)
{
    size_t i = 0;
    while (text && i < t->n && strcmp(t->items[i], text))
        i++;
    if (text && i == t->n)
        *LS_PUSH(t->items, t->n) = text;
    else
        free(text);
}

/* Takes the key over. */
static struct diff_entry *entry_of(struct diff_kernel *k, struct text_number **keys, char *key)
{
    const size_t *index = text_number(keys, key, k->n_lines);
    return *index < k->n_lines ? &k->lines[*index] : LS_PUSH(k->lines, k->n_lines);
}

static void add_lines(const struct diff *d, struct maps *m, struct diff_kernel *k)
{
    struct text_number *keys = NULL;
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; k->kernel[side] && i < k->kernel[side]->n_lines; i++) {
            const struct ls_p_line *line = k->kernel[side]->lines[i];
            char *key = line->values.n ? key_of(m, side, line) : NULL;
            if (!key)
                continue;
            struct diff_entry *e = entry_of(k, &keys, key);
            e->line[side] = e->line[side] ? e->line[side] : line;
            add_reason(&e->reasons[side], ls_line_reason(d->profile[side], line));
            add_values(d->profile[side], &e->sum[side], &line->values);
            add_values(d->profile[side], &k->total.sum[side], &line->values);
        }
    text_numbers_free(keys);
    for (int side = 0; side < SIDES; side++)
        if (k->kernel[side])
            add_values(d->profile[side], &k->total.sum[side], &k->kernel[side]->values);
}

/* ---- verdicts ---- */

static enum verdict judge(const struct diff_metric *m, double percent, double a, double b)
{
    double limit = fabs(a) * percent / 100, worse = m->direction * (b - a);
    /* Averages per dispatch are quotients: no verdict on their last bits. */
    double noise = fmax(fabs(a), fabs(b)) * 1e-12;
    if (fabs(b - a) <= noise)
        return VERDICT_SAME;
    return worse > limit + noise ? VERDICT_WORSE : worse < 0 ? VERDICT_BETTER : VERDICT_CHANGED;
}

static double divisor(const struct diff *d, const struct diff_kernel *k, int side,
                      const struct diff_metric *m)
{
    bool divide = d->per_dispatch && !m->is_ratio && k->kernel[side] && k->kernel[side]->observed;
    return divide ? (double)k->kernel[side]->observed : 1;
}

/* Whether what the metric is a part of costs no more than before. */
static bool whole_is_no_worse(const struct diff *d, const struct diff_kernel *k, const struct diff_entry *e,
                              const struct diff_metric *m, double percent)
{
    const struct diff_metric whole = {.direction = 1};
    double value[SIDES];
    for (int side = 0; side < SIDES; side++) {
        if (m->chosen || m->index[side] < 0 || !e->sum[side].n ||
            !ls_whole_cost(d->profile[side], m->index[side], &e->sum[side], &value[side]))
            return false;
        value[side] /= divisor(d, k, side, &whole);
    }
    return judge(&whole, percent, value[SIDE_A], value[SIDE_B]) != VERDICT_WORSE;
}

/* total: of a kernel, where a missing number of one side is 0, not a line that came or went. */
static void compare(const struct diff *d, const struct diff_kernel *k, struct diff_entry *e, bool total)
{
    e->values = calloc(d->n_metrics + 1, sizeof(*e->values));
    for (size_t i = 0; i < d->n_metrics && e->values; i++) {
        const struct diff_metric *m = &d->metrics[i];
        struct diff_value *v = &e->values[i];
        for (int side = 0; side < SIDES; side++) {
            v->has[side] =
                e->sum[side].n && m->index[side] >= 0 &&
                ls_profile_value(d->profile[side], &e->sum[side], (size_t)m->index[side], &v->value[side]);
            v->inexact[side] =
                v->has[side] && (ls_kernel_partial(k->kernel[side]) ||
                                 !ls_value_exact(d->profile[side], &e->sum[side], (size_t)m->index[side]));
            v->value[side] = v->has[side] ? v->value[side] / divisor(d, k, side, m) : 0;
        }
        double a = v->value[SIDE_A], b = v->value[SIDE_B];
        v->change = a == b ? 0 : a ? 100 * (b - a) / fabs(a) : b > 0 ? INFINITY : -INFINITY;
        bool known = m->index[SIDE_A] >= 0 && m->index[SIDE_B] >= 0; /* the handler ran on both sides */
        bool whole = known && (total || (e->line[SIDE_A] && e->line[SIDE_B]));
        v->allowed = diff_allowed(d, k, e, m, &v->placed);
        if (!v->has[SIDE_A] && !v->has[SIDE_B])
            v->verdict = VERDICT_SAME;
        else if ((m->is_ratio || !whole) && v->has[SIDE_A] != v->has[SIDE_B])
            v->verdict = v->has[SIDE_B] ? VERDICT_NEW : VERDICT_GONE;
        else
            v->verdict = judge(m, v->allowed, a, b);
        if (d->other_waves && (v->verdict == VERDICT_BETTER || v->verdict == VERDICT_WORSE))
            v->verdict = VERDICT_CHANGED;
        v->in_part = v->verdict == VERDICT_WORSE && whole_is_no_worse(d, k, e, m, v->allowed);
        if (v->in_part)
            v->verdict = VERDICT_CHANGED;
        e->changed |= v->verdict != VERDICT_SAME;
    }
}

static size_t count_both(const struct diff *d, const struct diff_entry *e)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_metrics && e->values; i++)
        n += e->values[i].has[SIDE_A] && e->values[i].has[SIDE_B];
    return n;
}

static size_t count_worse(const struct diff *d, const struct diff_entry *e)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_metrics && e->values; i++)
        n += e->values[i].verdict == VERDICT_WORSE;
    return n;
}

/* ---- kernels ---- */

void diff_compute(struct diff *d)
{
    struct maps maps = {.d = d, .files = diff_files(d)};
    diff_pair_kernels(d);
    for (size_t i = 0; i < d->n_kernels; i++) {
        struct diff_kernel *k = &d->kernels[i];
        add_lines(d, &maps, k);
        if (k->kernel[SIDE_A] && k->kernel[SIDE_B])
            diff_pair_moved(d, k);
        bool both = k->total.sum[SIDE_A].n && k->total.sum[SIDE_B].n && k->kernel[SIDE_A]->observed &&
                    k->kernel[SIDE_B]->observed;
        d->compared += both;
        compare(d, k, &k->total, both);
        for (size_t j = 0; j < k->n_lines; j++)
            compare(d, k, &k->lines[j], false);
        d->numbers += both ? count_both(d, &k->total) : 0;
        d->worse += both ? count_worse(d, &k->total) : 0;
        for (size_t j = 0; j < k->n_lines; j++)
            d->worse += both ? count_worse(d, &k->lines[j]) : 0;
    }
    forget_maps(&maps);
}

static void free_entry(struct diff_entry *e)
{
    for (int side = 0; side < SIDES; side++) {
        free(e->sum[side].sum);
        free(e->sum[side].present);
        free(e->sum[side].estimated);
        for (size_t i = 0; i < e->reasons[side].n; i++)
            free((char *)e->reasons[side].items[i]);
        free(e->reasons[side].items);
    }
    free(e->values);
}

bool diff_assumed(const struct diff *d, const struct diff_entry *e)
{
    bool assumed = false;
    for (int side = 0; side < SIDES; side++)
        assumed |= e->line[side] && ls_line_assumed(d->profile[side], e->line[side], NULL);
    return assumed;
}

void diff_free(struct diff *d)
{
    for (size_t i = 0; i < d->n_kernels; i++) {
        free_entry(&d->kernels[i].total);
        for (size_t j = 0; j < d->kernels[i].n_lines; j++)
            free_entry(&d->kernels[i].lines[j]);
        free(d->kernels[i].lines);
    }
    free(d->kernels);
    free(d->renames);
    free(d->allowances);
    free(d->metrics);
    for (int side = 0; side < SIDES; side++)
        ls_profile_free(d->profile[side]);
}
