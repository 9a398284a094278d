/* Source lines of a profile: sites become lines, and lines get the numbers of their sites (profile.h). */
#include "profile_internal.h"
#include "common/sorted.h"
#include "common/names.h"
#include "coverage.h"
#include "exact.h"
#include "lanescope/sites.h"
#include "title.h"
#include "unexplained.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *site_key(struct profile_adding *a, const struct ls_r_site *s, char buffer[64])
{
    const struct ls_r_module *m = ls_results_module(a->r, s->module);
    snprintf(buffer, 64, "%.32s:%u", m ? m->hash : "", s->number);
    return buffer;
}

static const char *path_of(const struct ls_results *r, const struct ls_r_frame *f)
{
    const struct ls_r_file *file = ls_results_file(r, f->file);
    return file ? file->path : "";
}

/* Text that tells lines apart; malloc'd. */
static char *line_key(const struct ls_results *r, const struct ls_r_site *s)
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&key, &size);
    if (!out)
        return NULL;
    const struct ls_r_frame *f = ls_results_frame(r, s->frame);
    fprintf(out, "%s|%s|", ls_kind_name(s->kind), ls_site_space_name(s));
    if (s->alone) /* each instruction is a line */
        fprintf(out, "%s+%llx|", s->function, (unsigned long long)s->offset);
    if (!f)
        fprintf(out, "%s", s->function); /* no debug information: by function */
    for (bool first = true; f; f = ls_frame_parent(r, f), first = false)
        fprintf(out, "%s:%u:%u %s|", path_of(r, f), f->line, first ? 0 : f->column, f->function);
    fclose(out);
    return key;
}

static struct ls_p_place place_of(struct profile_adding *a, const struct ls_r_frame *f)
{
    const struct ls_r_file *file = ls_frame_file(a->r, f);
    return (struct ls_p_place){profile_keep(a->p, path_of(a->r, f)), f->line, f->column,
                               profile_keep(a->p, f->function), file && ls_is_library(a->p, a->r, file)};
}

static void set_title(struct profile_adding *a, struct ls_p_line *line, const struct ls_r_frame *innermost)
{
    const struct ls_r_frame *f = ls_title_frame(a->p, a->r, innermost, &line->title_depth);
    line->title = place_of(a, f);
    line->title_source =
        profile_source_text(a->p, ls_frame_file(a->r, f), f->line, &line->title_source_problem);
}

static void set_place(struct profile_adding *a, struct ls_p_line *line, const struct ls_r_site *s)
{
    struct ls_profile *p = a->p;
    const struct ls_r_frame *f = ls_results_frame(a->r, s->frame);
    line->kind = ls_kind_name(s->kind);
    line->space = ls_site_space_name(s);
    line->file = profile_keep(p, f ? path_of(a->r, f) : "");
    line->line = f ? f->line : 0;
    line->function = profile_keep(p, f ? f->function : s->function);
    line->alone = s->alone;
    line->offset = s->offset;
    if (!f) {
        line->source_problem = line->title_source_problem =
            s->alone ? "its code has no line table" : "no debug information (compile with -g)";
        line->title = (struct ls_p_place){"", 0, 0, line->function, false};
        return;
    }
    line->source = profile_source_text(p, ls_frame_file(a->r, f), f->line, &line->source_problem);
    set_title(a, line, f);
    while ((f = ls_frame_parent(a->r, f)))
        *LS_PUSH(line->chain, line->n_chain) = place_of(a, f);
}

static void add_number(uint32_t **list, size_t *n, uint32_t x)
{
    size_t at = 0;
    while (at < *n && (*list)[at] < x)
        at++;
    if (at < *n && (*list)[at] == x)
        return;
    *LS_PUSH(*list, *n) = 0;
    memmove(*list + at + 1, *list + at, (*n - at - 1) * sizeof(**list));
    (*list)[at] = x;
}

/* Each site counts once, however many recordings have it:
 * as estimated when one of them has estimates of it. */
static void count_executed(struct profile_adding *a, struct ls_p_kernel *k, struct profile_entry *site,
                           const struct ls_r_site *s)
{
    struct ls_p_line *line = site->line;
    if (!ls_site_estimated(s) || site->estimated)
        return;
    site->estimated = true;
    k->estimated++;
    line->n_estimated++;
    profile_add_text(a->p, &line->estimate, ls_site_estimate_reason(s));
}

/* Texts of the files that the report may show lines of. */
static void add_files(struct profile_adding *a, const struct ls_p_line *line, const struct ls_r_frame *f)
{
    size_t depth = 0;
    for (; f && depth <= line->title_depth; f = ls_frame_parent(a->r, f), depth++)
        if (!depth || depth == line->title_depth)
            profile_add_file(a->p, a->r, ls_frame_file(a->r, f));
}

struct ls_p_line *profile_line_of(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    char id[64];
    struct profile_entry *known = profile_find(k->index->sites, site_key(a, s, id));
    if (known && known->line) {
        count_executed(a, k, known, s);
        return known->line;
    }
    char *key = line_key(a->r, s);
    if (!key)
        return NULL;
    struct profile_entry *e = profile_find(k->index->lines, key);
    if (!e) {
        e = profile_enter(a->p, &k->index->lines, key);
        struct ls_p_line *line = ls_arena_alloc(&a->p->arena, sizeof(*line));
        e->line = line;
        line->kernel = k;
        line->key = e->key;
        set_place(a, line, s);
        *LS_PUSH(k->lines, k->n_lines) = line;
    }
    free(key);
    struct ls_p_line *line = e->line;
    const struct ls_r_frame *f = ls_results_frame(a->r, s->frame);
    add_files(a, line, f);
    if (f && f->column)
        add_number(&line->columns, &line->n_columns, f->column);
    add_number(&line->bytes, &line->n_bytes, s->bytes);
    profile_add_text(a->p, &line->instruction, s->instruction);
    profile_add_text(a->p, &line->isa, s->isa ? s->isa : "");
    line->isa_merged |= s->isa_merged;
    line->n_sites++;
    if (!known)
        known = profile_enter(a->p, &k->index->sites, id);
    known->line = line;
    k->executed += ls_site_observed(s) && !LS_SITE_NO_ACCESS(s->kind);
    count_executed(a, k, known, s);
    return line;
}

/* Sites in functions that several kernels reach belong to each kernel of the module as far as they are not observed: nobody
 * can tell which of them ran. Observed ones count where they have numbers. */
static bool is_anyones(const struct ls_results *r, const struct ls_r_site *s)
{
    (void)r;
    return !s->kernel && !ls_site_observed(s);
}

void profile_add_coverage(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    char id[64];
    if (is_anyones(a->r, s) || profile_find(k->index->sites, site_key(a, s, id)))
        return;
    profile_enter(a->p, &k->index->sites, id);
    ls_cover(&a->p->arena, k, s);
}

int profile_add_totals(struct profile_adding *a, char **error)
{
    struct ls_r_total *totals;
    size_t n;
    if (ls_results_totals(a->r, &totals, &n, error))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct ls_r_total *t = &totals[i];
        struct ls_p_kernel *k = profile_kernel_of(a, t->kernel);
        int metric = profile_metric_of(a, t->metric);
        if (!k || metric < 0)
            continue;
        const struct ls_r_site *s = ls_results_site(a->r, t->site);
        if (s)
            profile_add_coverage(a, k, s); /* a shared function's site that this kernel reached */
        struct ls_p_line *line = s ? profile_line_of(a, k, s) : NULL;
        if (line)
            profile_add_value(a->p, &line->values, (size_t)metric, t->value, ls_site_estimated(s));
        else if (!t->site)
            profile_add_value(a->p, &k->values, (size_t)metric, t->value, false);
    }
    int rc = ls_unexplained_add(a->p, a->r, a->kernel_of, totals, n, error);
    free(totals);
    return rc;
}

static bool same_place(const struct ls_p_place *x, const struct ls_p_place *y)
{
    return x->line == y->line && !strcmp(x->file, y->file);
}

static void add_merge(struct ls_profile *p, struct ls_p_kernel *k, const struct ls_p_place *other,
                      const struct ls_p_place *counted)
{
    char *key = ls_text("%u %u %zu %s%s", other->line, counted->line, strlen(other->file), other->file,
                        counted->file);
    if (!key)
        abort();
    bool known = profile_find(k->index->merges, key);
    if (!known && !same_place(other, counted) && other->line && counted->line) {
        profile_enter(p, &k->index->merges, key)->index = k->n_merges;
        *LS_PUSH(k->merges, k->n_merges) = (struct ls_p_merge){*other, *counted};
    }
    free(key);
}

/* One instruction does what stands at frame f, too. The kernel reached the access that counts it: then it did the
 * other one. */
static void add_done_at(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_frame *f,
                        const struct ls_r_site *lead)
{
    char id[64];
    size_t depth;
    const struct ls_r_frame *title;
    struct profile_entry *known = f ? profile_find(k->index->sites, site_key(a, lead, id)) : NULL;
    if (!known || !known->line)
        return; /* not this kernel's, or not executed */
    title = ls_title_frame(a->p, a->r, f, &depth);
    struct ls_p_place other = place_of(a, title);
    add_merge(a->p, k, &other, &known->line->title);
    profile_add_file(a->p, a->r, ls_frame_file(a->r, title));
}

static size_t first_part(const struct ls_results *r, const struct ls_r_site *s)
{
    return LS_FIRST_NOT(r->n_parts, at, r->parts[at].site < s->id);
}

/* With another site, or with accesses that the compiler merged before there were sites. */
static bool is_merged(const struct ls_results *r, const struct ls_r_site *s)
{
    const size_t at = first_part(r, s);
    return ls_results_site(r, s->counted_at) || (at < r->n_parts && r->parts[at].site == s->id);
}

static void add_merged_site(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    const struct ls_r_site *lead = ls_results_site(a->r, s->counted_at);
    if (lead)
        add_done_at(a, k, ls_results_frame(a->r, s->frame), lead);
    for (size_t i = first_part(a->r, s); i < a->r->n_parts && a->r->parts[i].site == s->id; i++)
        add_done_at(a, k, ls_results_frame(a->r, a->r->parts[i].frame), lead ? lead : s);
}

/* ---- sites in functions that several kernels of a module reach ---- */

/* Such sites, ordered by module. */
struct shared_sites {
    const struct ls_r_site **list;
    size_t n;
};

static int by_module(const void *x, const void *y)
{
    const struct ls_r_site *const *a = x, *const *b = y;
    if ((*a)->module != (*b)->module)
        return (*a)->module < (*b)->module ? -1 : 1;
    return (*a > *b) - (*a < *b); /* as they stand in the database */
}

static struct shared_sites find_shared(const struct profile_adding *a,
                                       bool wanted(const struct ls_results *, const struct ls_r_site *))
{
    struct shared_sites shared = {0};
    for (size_t i = 0; i < a->r->n_sites; i++)
        if (!a->r->sites[i].kernel && wanted(a->r, &a->r->sites[i]))
            *LS_PUSH(shared.list, shared.n) = &a->r->sites[i];
    if (shared.n)
        qsort(shared.list, shared.n, sizeof(*shared.list), by_module);
    return shared;
}

/* The first one of the module. */
static size_t first_of_module(const struct shared_sites *shared, int64_t module)
{
    return LS_FIRST_NOT(shared->n, at, shared->list[at]->module < module);
}

void profile_add_merges(struct profile_adding *a)
{
    for (size_t i = 0; i < a->r->n_sites; i++) {
        const struct ls_r_site *s = &a->r->sites[i];
        struct ls_p_kernel *only = s->kernel && is_merged(a->r, s) ? profile_kernel_of(a, s->kernel) : NULL;
        if (only)
            add_merged_site(a, only, s);
    }
    struct shared_sites shared = find_shared(a, is_merged);
    for (size_t j = 0; j < a->r->n_kernels; j++) {
        int64_t module = a->r->kernels[j].module;
        struct ls_p_kernel *k = a->kernel_of[j];
        size_t i = k && k->n_lines && module ? first_of_module(&shared, module) : shared.n;
        for (; i < shared.n && shared.list[i]->module == module; i++)
            add_merged_site(a, k, shared.list[i]);
    }
    free(shared.list);
}

int profile_add_calls(struct profile_adding *a, char **error)
{
    struct ls_r_call *calls;
    size_t n;
    if (ls_results_calls(a->r, &calls, &n, error))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ls_p_kernel *k = profile_kernel_of(a, calls[i].kernel);
        const struct ls_r_site *s = ls_results_site(a->r, calls[i].site);
        const struct ls_r_frame *f = s ? ls_results_frame(a->r, s->frame) : NULL;
        const char *path = f ? path_of(a->r, f) : "";
        char where[256];
        if (!k || !s)
            continue;
        if (f)
            snprintf(where, sizeof(where), "at %.200s:%u", ls_base_name(path), f->line);
        else
            snprintf(where, sizeof(where), "in %.200s", s->function);
        ls_cover_calls(&a->p->arena, k, where, calls[i].executions);
    }
    free(calls);
    return 0;
}

/* What is anyone's in the module, as of a kernel that has nothing else. */
static struct ls_p_kernel coverage_of_anyones(struct profile_adding *a, const struct shared_sites *shared,
                                              size_t from, size_t to)
{
    struct ls_p_kernel all = {0};
    for (size_t i = from; i < to; i++)
        ls_cover(&a->p->arena, &all, shared->list[i]);
    return all;
}

static void add_anyones(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_site *first,
                        const struct ls_p_kernel *all)
{
    const struct ls_r_module *m = ls_results_module(a->r, first->module);
    char id[64];
    snprintf(id, sizeof(id), "%.32s:all", m ? m->hash : "");
    if (profile_find(k->index->sites, id))
        return; /* another process's */
    profile_enter(a->p, &k->index->sites, id);
    k->any_function |= all->any_function;
    k->instructions += all->instructions;
    for (size_t i = 0; i < all->n_not_covered; i++)
        ls_count(&a->p->arena, &k->not_covered, &k->n_not_covered, all->not_covered[i].name,
                 all->not_covered[i].plural, all->not_covered[i].n);
}

static int by_kernels_module(const void *x, const void *y)
{
    const struct ls_r_kernel *const *a = x, *const *b = y;
    if ((*a)->module != (*b)->module)
        return (*a)->module < (*b)->module ? -1 : 1;
    return (*a > *b) - (*a < *b);
}

static void add_all_anyones(struct profile_adding *a)
{
    struct shared_sites shared = find_shared(a, is_anyones);
    const struct ls_r_kernel **kernels = NULL;
    size_t n = 0;
    for (size_t j = 0; j < a->r->n_kernels; j++)
        if (a->kernel_of[j] && a->r->kernels[j].module && !profile_is_idle_copy(a, &a->r->kernels[j]))
            *LS_PUSH(kernels, n) = &a->r->kernels[j];
    if (n)
        qsort(kernels, n, sizeof(*kernels), by_kernels_module);
    for (size_t i = 0, next; i < n; i = next) {
        const int64_t module = kernels[i]->module;
        size_t from = first_of_module(&shared, module), to = from;
        while (to < shared.n && shared.list[to]->module == module)
            to++;
        struct ls_p_kernel all = coverage_of_anyones(a, &shared, from, to);
        for (next = i; next < n && kernels[next]->module == module; next++)
            if (from < to)
                add_anyones(a, a->kernel_of[kernels[next] - a->r->kernels], shared.list[from], &all);
        free(all.not_covered);
    }
    free(kernels);
    free(shared.list);
}

void profile_add_sites(struct profile_adding *a)
{
    for (size_t i = 0; i < a->r->n_sites; i++) {
        const struct ls_r_site *s = &a->r->sites[i];
        const struct ls_r_kernel *k = ls_results_kernel(a->r, s->kernel);
        if (k && profile_kernel_of(a, s->kernel) && !profile_is_idle_copy(a, k))
            profile_add_coverage(a, profile_kernel_of(a, s->kernel), s);
    }
    add_all_anyones(a);
}

const struct ls_p_line *profile_line_with_site(void *context, const struct ls_p_kernel *k,
                                               const struct ls_r_site *s)
{
    char id[64];
    const struct profile_entry *known = profile_find(k->index->sites, site_key(context, s, id));
    return known ? known->line : NULL;
}
