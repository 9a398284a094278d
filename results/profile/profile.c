/* Sums up databases per kernel and source line (profile.h). */
#include "profile_internal.h"
#include "accesses.h"
#include "code.h"
#include "results/file/notes.h"

#include <stdlib.h>
#include <string.h>

size_t profile_database_of(const struct profile_adding *a, int64_t kernel)
{
    const struct ls_r_kernel *k = ls_results_kernel(a->r, kernel);
    const struct ls_r_process *x = k ? ls_results_process(a->r, k->process) : NULL;
    return a->first_database + (x ? (size_t)(x - a->r->processes) : 0);
}

const char *profile_keep(struct ls_profile *p, const char *s)
{
    return ls_arena_string(&p->arena, s ? s : "");
}

struct profile_entry *profile_find(struct profile_entry *table, const char *key)
{
    struct profile_entry *e;
    HASH_FIND_STR(table, key, e);
    return e;
}

struct profile_entry *profile_enter(struct ls_profile *p, struct profile_entry **table, const char *key)
{
    size_t n = strlen(key) + 1;
    struct profile_entry *e = ls_arena_alloc(&p->arena, sizeof(*e) + n);
    memcpy(e->key, key, n);
    HASH_ADD_STR(*table, key, e);
    return e;
}

void profile_add_text(struct ls_profile *p, struct ls_p_texts *t, const char *s)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->items[i], s))
            return;
    if (*s)
        *LS_PUSH(t->items, t->n) = profile_keep(p, s);
}

/* Rows of handlers, joined with kernel and line. */
static int add_rows(struct profile_adding *a, char **error)
{
    struct ls_profile *p = a->p;
    struct ls_r_row *rows;
    size_t n;
    if (!a->r->n_rows)
        return 0;
    if (ls_results_rows(a->r, &rows, &n, error))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ls_p_kernel *k = profile_kernel_of(a, rows[i].kernel);
        const struct ls_r_site *s = ls_results_site(a->r, rows[i].site);
        if (!k || !profile_wants(p, rows[i].handler))
            continue;
        const struct ls_r_frame *f = s ? ls_results_frame(a->r, s->frame) : NULL;
        if (s)
            profile_add_coverage(a, k, s);
        struct ls_p_row *row = LS_PUSH(k->rows, k->n_rows);
        *row = (struct ls_p_row){.handler = profile_keep_handler(p, rows[i].handler),
                                 .table = profile_keep(p, rows[i].table),
                                 .line = s ? profile_line_of(a, k, s) : NULL,
                                 .column = f ? f->column : 0,
                                 .dispatch = rows[i].dispatch,
                                 .database = profile_database_of(a, rows[i].kernel)};
        profile_set_row_text(p, row, rows[i].json);
    }
    free(rows);
    return 0;
}

bool ls_profile_priced(const struct ls_profile *p)
{
    for (size_t i = 0; p->as && i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            if (p->kernels[i]->lines[j]->values.n)
                return true;
    return false;
}

struct ls_profile *ls_profile_new(void)
{
    struct ls_profile *p = ls_realloc(NULL, sizeof(*p));
    memset(p, 0, sizeof(*p));
    return p;
}

static int note_dangling(struct profile_adding *a, char **error)
{
    int64_t n;
    if (ls_results_dangling(a->r, &n, error))
        return -1;
    a->p->databases[a->first_database].dangling = n;
    char *text = n ? ls_text("%lld reference%s" LS_NOTE_DANGLING, (long long)n, n == 1 ? "" : "s") : NULL;
    if (text)
        profile_add_note(a->p, 1, text);
    free(text);
    return 0;
}

/* Results may be closed afterwards. */
static int add_results(struct ls_profile *p, struct ls_results *r, const regex_t *only, char **error)
{
    struct profile_adding a = {.p = p, .r = r};
    *error = profile_said_before(p, r);
    if (*error)
        return -1;
    a.kernel_of = ls_realloc(NULL, (r->n_kernels + 1) * sizeof(*a.kernel_of));
    a.metric_of = ls_realloc(NULL, (r->n_metrics + 1) * sizeof(*a.metric_of));
    memset(a.kernel_of, 0, (r->n_kernels + 1) * sizeof(*a.kernel_of));
    memset(a.metric_of, 0xff, (r->n_metrics + 1) * sizeof(*a.metric_of)); /* -1 */
    ls_profile_spell(p, r);
    profile_add_databases(&a);
    profile_add_metrics(&a);
    profile_add_handlers(&a);
    profile_add_lanes_ratio(p);
    profile_find_launched(&a);
    profile_add_kernels(&a, only);
    profile_add_dispatches(&a);
    profile_add_sites(&a);
    int rc = note_dangling(&a, error);
    if (!rc)
        rc = profile_add_totals(&a, error);
    if (!rc)
        profile_add_merges(&a);
    if (!rc)
        rc = profile_add_calls(&a, error);
    if (!rc)
        rc = add_rows(&a, error);
    if (!rc && p->with_code)
        rc = ls_code_add(p, r, a.kernel_of, a.launched, profile_line_with_site, &a, error);
    if (!rc)
        rc = ls_findings_add(&p->findings, &p->n_findings, &p->arena, r, only, error);
    if (!rc)
        rc = ls_times_add(&p->times, &p->arena, r, a.kernel_of, error);
    ls_accesses_find_rivals(p);
    p->saturated |= r->saturated;
    if (p->saturated)
        profile_add_note(p, 1, LS_NOTE_SATURATED);
    if (r->chains_cut)
        profile_add_note(p, 1, "inlining chains of more than 256 calls were cut");
    for (size_t i = 0; i < r->n_files; i++) /* files that an earlier recording has, too */
        if (ls_profile_file(p, r->files[i].path))
            profile_add_file(p, r, &r->files[i]);
    free(a.kernel_of);
    free(a.launched);
    free(a.metric_of);
    return rc;
}

int ls_profile_add_file(struct ls_profile *p, const char *path, const regex_t *only, char **error)
{
    struct ls_results *r = ls_results_open(path, error);
    if (!r)
        return -1;
    if (p->raw)
        ls_results_keep_raw(r);
    int rc = ls_results_load(r, error);
    if (!rc)
        rc = add_results(p, r, only, error);
    ls_results_close(r);
    return rc;
}

static void free_values(struct ls_p_values *v)
{
    free(v->sum);
    free(v->present);
    free(v->estimated);
}

static void free_kernel(struct ls_p_kernel *k)
{
    HASH_CLEAR(hh, k->index->lines);
    HASH_CLEAR(hh, k->index->sites);
    HASH_CLEAR(hh, k->index->unexplained);
    HASH_CLEAR(hh, k->index->merges);
    for (size_t i = 0; i < k->n_lines; i++) {
        struct ls_p_line *line = k->lines[i];
        free(line->columns);
        free(line->bytes);
        free(line->chain);
        free(line->instruction.items);
        free(line->isa.items);
        free(line->estimate.items);
        free_values(&line->values);
    }
    free(k->lines);
    free(k->rows);
    free(k->code);
    free(k->not_observed);
    free(k->not_covered);
    free(k->unexplained);
    free(k->shape);
    free(k->filters.items);
    free(k->merges);
    free_values(&k->values);
}

void ls_profile_free(struct ls_profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_kernels; i++)
        free_kernel(p->kernels[i]);
    free(p->kernels);
    free(p->metrics);
    free(p->handlers);
    free(p->databases);
    ls_seen_free(&p->seen);
    HASH_CLEAR(hh, p->kernel_index);
    HASH_CLEAR(hh, p->note_index);
    HASH_CLEAR(hh, p->file_index);
    HASH_CLEAR(hh, p->spelling_index);
    profile_free_row_texts(p);
    free(p->spellings);
    free(p->notes);
    free(p->files);
    free(p->by_ends.items);
    free(p->findings);
    free(p->rivals);
    free(p->libraries);
    ls_times_free(&p->times);
    ls_arena_free(&p->arena);
    free(p);
}
