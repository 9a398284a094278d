/* Sums up databases per kernel and source line (profile.h). */
#include "profile.h"
#include "accesses.h"
#include "common/names.h"
#include "lanescope/printable.h"
#include "code.h"
#include "code_uri.h"
#include "filters.h"
#include "coverage.h"
#include "error_text.h"
#include "exact.h"
#include "gpus/gpus.h"
#include "lanescope/sites.h"
#include "notes.h"
#include "saturate.h"
#include "title.h"
#include "unexplained.h"
#include "lanescope/defaults.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uthash.h>

/* Lookup tables of a kernel: its lines by key, its counted sites by module and number. */
struct entry {
    UT_hash_handle hh;
    void *line;
    bool estimated; /* of a site */
    char key[];
};
struct ls_p_kernel_index {
    struct entry *lines, *sites;
};

/* What add_results carries around: the translation from the database's ids. */
struct adding {
    struct ls_profile *p;
    struct ls_results *r;
    struct ls_p_kernel **kernel_of; /* by index in r->kernels; NULL: left out */
    int *metric_of;                 /* by index in r->metrics */
    size_t first_database;          /* in p->databases: that of r's first process */
};

/* The recording that the kernel of that id is from. */
static size_t database_of(const struct adding *a, int64_t kernel)
{
    const struct ls_r_kernel *k = ls_results_kernel(a->r, kernel);
    const struct ls_r_process *x = k ? ls_results_process(a->r, k->process) : NULL;
    return a->first_database + (x ? (size_t)(x - a->r->processes) : 0);
}

static const char *keep(struct ls_profile *p, const char *s)
{
    return ls_arena_string(&p->arena, s ? s : "");
}

static struct entry *find_entry(struct entry *table, const char *key)
{
    struct entry *e;
    HASH_FIND_STR(table, key, e);
    return e;
}

static struct entry *add_entry(struct ls_profile *p, struct entry **table, const char *key)
{
    size_t n = strlen(key) + 1;
    struct entry *e = ls_arena_alloc(&p->arena, sizeof(*e) + n);
    memcpy(e->key, key, n);
    HASH_ADD_STR(*table, key, e);
    return e;
}

static void add_text(struct ls_profile *p, struct ls_p_texts *t, const char *s)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->items[i], s))
            return;
    if (*s)
        *LS_PUSH(t->items, t->n) = keep(p, s);
}

/* ---- metrics ---- */

int ls_profile_metric(const struct ls_profile *p, const char *handler, const char *name)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if ((!handler || !strcasecmp(p->metrics[i].handler, handler)) &&
            !strcasecmp(p->metrics[i].name, name))
            return (int)i;
    return -1;
}

int ls_profile_role(const struct ls_profile *p, const char *handler, enum lanescope_role role)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (p->metrics[i].view.role == role && (!handler || !strcmp(p->metrics[i].handler, handler)))
            return (int)i;
    return -1;
}

bool ls_profile_role_value(const struct ls_profile *p, const struct ls_p_values *v, const char *handler,
                           enum lanescope_role role, double *out)
{
    int metric = ls_profile_role(p, handler, role);
    return metric >= 0 && ls_profile_value(p, v, (size_t)metric, out);
}

static int mapped(const struct adding *a, int64_t id)
{
    const struct ls_r_metric *m = ls_results_metric(a->r, id);
    return m ? a->metric_of[m - a->r->metrics] : -1;
}

/* A handler's results as on another GPU carry that GPU's name behind an '@' (host-handlers/modules.h). */
enum { AS_MARK = '@' };

/* Whether results of the handler are wanted: as on p->as, or on the GPU that ran the kernels. */
static bool is_wanted(const struct ls_profile *p, const char *handler)
{
    const char *as = strrchr(handler, AS_MARK);
    return p->as ? as && !strcmp(as + 1, p->as) : !as;
}

/* The name without the GPU's. */
static const char *keep_handler(struct ls_profile *p, const char *handler)
{
    const char *as = strrchr(handler, AS_MARK);
    const size_t n = as ? (size_t)(as - handler) : strlen(handler);
    char *name = ls_arena_alloc(&p->arena, n + 1);
    memcpy(name, handler, n);
    return name;
}

static void add_metrics(struct adding *a)
{
    struct ls_profile *p = a->p;
    for (size_t pass = 0; pass < 2; pass++) { /* ratios after what they are made of */
        for (size_t i = 0; i < a->r->n_metrics; i++) {
            const struct ls_r_metric *m = &a->r->metrics[i];
            if (m->is_ratio != (pass == 1) || !is_wanted(p, m->handler))
                continue;
            const char *handler = keep_handler(p, m->handler);
            int at = ls_profile_metric(p, handler, m->name);
            if (at < 0) {
                at = (int)p->n_metrics;
                *LS_PUSH(p->metrics, p->n_metrics) = (struct ls_p_metric){
                    handler,         keep(p, m->name), keep(p, m->unit), keep(p, m->description),
                    m->is_ratio,     m->scale,         mapped(a, m->a),  mapped(a, m->b),
                    mapped(a, m->c), mapped(a, m->d),  m->view};
                if (m->view.title)
                    p->metrics[at].view.title = keep(p, m->view.title);
            }
            a->metric_of[i] = at;
        }
    }
}

const struct ls_p_handler *ls_profile_handler(const struct ls_profile *p, const char *name)
{
    for (size_t i = 0; i < p->n_handlers; i++)
        if (!strcmp(p->handlers[i].name, name))
            return &p->handlers[i];
    return NULL;
}

/* No table of another GPU's prices may look like one of what ran. */
static const char *title_of(struct ls_profile *p, const char *title)
{
    char *text = p->as ? ls_text("%s, as on %s", title, p->as) : NULL;
    const char *kept = keep(p, text ? text : title);
    free(text);
    return kept;
}

static void add_handlers(struct adding *a)
{
    for (size_t i = 0; i < a->r->n_handlers; i++) {
        const struct ls_r_handler *h = &a->r->handlers[i];
        if (!is_wanted(a->p, h->name))
            continue;
        const char *name = keep_handler(a->p, h->name);
        if (!ls_profile_handler(a->p, name))
            *LS_PUSH(a->p->handlers, a->p->n_handlers) =
                (struct ls_p_handler){name, title_of(a->p, h->title), h->clean ? keep(a->p, h->clean) : NULL};
    }
    for (size_t i = 0; a->p->as && i < a->p->n_metrics; i++) { /* handlers without a title */
        const char *name = a->p->metrics[i].handler;
        if (!ls_profile_handler(a->p, name))
            *LS_PUSH(a->p->handlers, a->p->n_handlers) =
                (struct ls_p_handler){name, title_of(a->p, name), NULL};
    }
}

/* The quotient stands where its handler puts the sum. */
static struct ls_metric_view lanes_view(uint32_t position)
{
    return position ? (struct ls_metric_view){.title = "Active Lanes",
                                              .direction = LANESCOPE_MORE_IS_BETTER,
                                              .show = LANESCOPE_SHOW_ALWAYS,
                                              .role = LANESCOPE_ROLE_LANES,
                                              .position = position}
                    : (struct ls_metric_view){.role = LANESCOPE_ROLE_LANES};
}

/* Every handler that counts both gets the quotient that readers want to see. */
static void add_lanes_ratio(struct ls_profile *p)
{
    static const char name[] = LS_ACTIVE_LANES;
    for (size_t i = 0, n = p->n_metrics; i < n; i++) {
        const char *handler = p->metrics[i].handler;
        if (p->metrics[i].view.role != LANESCOPE_ROLE_LANES || p->metrics[i].is_ratio)
            continue;
        int executions = ls_profile_role(p, handler, LANESCOPE_ROLE_EXECUTIONS);
        if (executions < 0 || ls_profile_metric(p, handler, name) >= 0)
            continue;
        *LS_PUSH(p->metrics, p->n_metrics) = (struct ls_p_metric){
            handler, name,       "lanes", "average number of active lanes of an execution", true, 1.0, (int)i,
            -1,      executions, -1,      lanes_view(p->metrics[i].view.position)};
    }
}

static void add_value(struct ls_profile *p, struct ls_p_values *v, size_t metric, int64_t value,
                      bool estimated)
{
    if (metric >= v->n) {
        size_t n = p->n_metrics;
        v->sum = ls_realloc(v->sum, n * sizeof(*v->sum));
        v->present = ls_realloc(v->present, n * sizeof(*v->present));
        v->estimated = ls_realloc(v->estimated, n * sizeof(*v->estimated));
        memset(v->sum + v->n, 0, (n - v->n) * sizeof(*v->sum));
        memset(v->present + v->n, 0, (n - v->n) * sizeof(*v->present));
        memset(v->estimated + v->n, 0, (n - v->n) * sizeof(*v->estimated));
        v->n = n;
    }
    v->sum[metric] = ls_add(v->sum[metric], value, &p->saturated);
    v->present[metric] = true;
    v->estimated[metric] |= estimated;
}

static double operand(const struct ls_p_values *v, int metric, bool *any)
{
    if (metric < 0 || (size_t)metric >= v->n || !v->present[metric])
        return 0;
    *any = true;
    return (double)v->sum[metric];
}

bool ls_profile_value(const struct ls_profile *p, const struct ls_p_values *v, size_t metric, double *out)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    bool any = false;
    if (!m->is_ratio) {
        *out = operand(v, (int)metric, &any);
        return any;
    }
    double above = operand(v, m->a, &any) - operand(v, m->b, &any);
    double below = operand(v, m->c, &any) - operand(v, m->d, &any);
    *out = below != 0 ? m->scale * above / below : 0;
    return any;
}

/* ---- kernels ---- */

bool ls_profile_is_observed(const struct ls_profile *p)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (p->kernels[i]->observed)
            return true;
    return false;
}

unsigned ls_kernel_lanes(const struct ls_p_kernel *k)
{
    return k->lanes ? k->lanes : ls_gpu_lanes(k->arch);
}

/* The symbol alone does not tell: Triton's kernels of one function share it, and their names differ; functions of two
 * modules may share both. */
static struct ls_p_kernel *same_kernel(struct ls_profile *p, const struct ls_r_kernel *k, const char *file)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (!strcmp(p->kernels[i]->mangled, k->mangled) && !strcmp(p->kernels[i]->name, k->name) &&
            !strcmp(p->kernels[i]->arch, k->arch) && p->kernels[i]->lanes == k->lanes &&
            (!k->compiler || !strcmp(p->kernels[i]->file, file)))
            return p->kernels[i];
    struct ls_p_kernel *out = ls_arena_alloc(&p->arena, sizeof(*out));
    out->index = ls_arena_alloc(&p->arena, sizeof(*out->index));
    *LS_PUSH(p->kernels, p->n_kernels) = out;
    return out;
}

/* The name that the URI's escapes stand for may contain anything. */
static const char *library_of(struct adding *a, const char *uri)
{
    char *path = ls_code_uri_file(uri);
    if (!path)
        return NULL;
    const char *name = ls_base_name(path);
    char *text = ls_realloc(NULL, LS_PRINTABLE_GROWTH * strlen(name) + 1);
    ls_printable(text, name, strlen(name), "");
    name = keep(a->p, text);
    free(text);
    free(path);
    return name;
}

static struct ls_p_kernel *add_kernel(struct adding *a, const struct ls_r_kernel *k)
{
    const struct ls_r_file *f = ls_results_file(a->r, k->file);
    struct ls_p_kernel *out = same_kernel(a->p, k, f ? f->path : "");
    bool fresh = !out->name;
    out->name = keep(a->p, k->name);
    out->mangled = keep(a->p, k->mangled);
    out->arch = keep(a->p, k->arch);
    out->lanes = k->lanes;
    out->file = keep(a->p, f ? f->path : "");
    out->line = k->line;
    out->lds_bytes = k->lds_bytes;
    out->scratch_bytes = k->scratch_bytes;
    out->sgprs = k->sgprs;
    out->vgprs = k->vgprs;
    out->agprs = k->agprs;
    out->library = library_of(a, k->uri);
    out->compiler = k->compiler ? keep(a->p, k->compiler) : NULL;
    out->alone |= k->alone;
    out->unlisted = ls_add(out->unlisted, k->unlisted, &a->p->saturated);
    /* Instrumented in one of the databases: instrumented. */
    bool instrumented = k->module && !k->not_instrumented; /* a table may be there without a usable clone */
    if (!instrumented && (fresh || out->not_instrumented))
        out->not_instrumented =
            keep(a->p, k->not_instrumented ? k->not_instrumented : "it has no site table");
    else
        out->not_instrumented = NULL;
    return out;
}

static struct ls_p_kernel *kernel_by_id(const struct adding *a, int64_t id)
{
    const struct ls_r_kernel *k = ls_results_kernel(a->r, id);
    return k ? a->kernel_of[k - a->r->kernels] : NULL;
}

static void add_kernels(struct adding *a, const regex_t *only)
{
    for (size_t i = 0; i < a->r->n_kernels; i++) {
        const struct ls_r_kernel *k = &a->r->kernels[i];
        if (!only || !regexec(only, k->name, 0, NULL, 0) || !regexec(only, k->mangled, 0, NULL, 0))
            a->kernel_of[i] = add_kernel(a, k);
    }
}

/* Ranks, and the GPUs of a process, launch the same shapes: it may be among the first `known` ones. */
static void add_shape(struct ls_p_kernel *k, size_t known, const uint32_t size[6])
{
    for (size_t i = 0; i < known; i++)
        if (!memcmp(k->shape[i], size, sizeof(k->shape[i])))
            return;
    if (!k->shapes) {
        memcpy(k->grid, size, sizeof(k->grid));
        memcpy(k->workgroup, size + 3, sizeof(k->workgroup));
    }
    memcpy(*LS_PUSH(k->shape, k->shapes), size, sizeof(*k->shape));
}

static void add_dispatches(struct adding *a)
{
    bool *hit = &a->p->saturated;
    for (size_t i = 0; i < a->r->n_dispatches; i++) {
        const struct ls_r_dispatches *d = &a->r->dispatches[i];
        struct ls_p_kernel *k = kernel_by_id(a, d->kernel);
        if (!k)
            continue;
        const struct ls_p_database *db = &a->p->databases[database_of(a, d->kernel)];
        const bool software = ls_is_software_gpu(db->gpu);
        k->dispatches = ls_add(k->dispatches, d->count, hit);
        *(software ? &k->software_time : &k->hardware_time) = true;
        k->duration_ns = ls_add(k->duration_ns, d->duration_ns, hit);
        k->chunks = ls_add(k->chunks, d->chunks, hit);
        k->bytes = ls_add(k->bytes, d->bytes, hit);
        k->messages = ls_add(k->messages, d->messages, hit);
        k->bad = ls_add(k->bad, d->bad, hit);
        k->dropped = ls_add(k->dropped, d->dropped, hit);
        if (d->observed) {
            k->observed = ls_add(k->observed, d->count, hit);
            add_text(a->p, &k->filters, db->filters);
        } else
            ls_count(&a->p->arena, &k->not_observed, &k->n_not_observed,
                     *d->reason ? d->reason : "for an unknown reason", NULL, d->count);
    }
    size_t known = 0; /* those of one row of `kernel` are different */
    for (size_t i = 0; i < a->r->n_shapes; i++) {
        const struct ls_r_shape *s = &a->r->shapes[i];
        struct ls_p_kernel *k = kernel_by_id(a, s->kernel);
        if (!k)
            continue;
        if (!i || s[-1].kernel != s->kernel)
            known = k->shapes;
        add_shape(k, known, s->size);
    }
}

/* ---- lines ---- */

static const char *site_key(struct adding *a, const struct ls_r_site *s, char buffer[64])
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
    fprintf(out, "%s|%s|", ls_kind_name(s->kind), ls_space_name(s->space));
    if (s->alone) /* each instruction is a line */
        fprintf(out, "%s+%llx|", s->function, (unsigned long long)s->offset);
    if (!f)
        fprintf(out, "%s", s->function); /* no debug information: by function */
    for (bool first = true; f; f = ls_frame_parent(r, f), first = false)
        fprintf(out, "%s:%u:%u %s|", path_of(r, f), f->line, first ? 0 : f->column, f->function);
    fclose(out);
    return key;
}

const struct ls_p_file *ls_profile_file(const struct ls_profile *p, const char *path)
{
    for (size_t i = 0; i < p->n_files; i++)
        if (!strcmp(p->files[i].path, path))
            return &p->files[i];
    return NULL;
}

const char *ls_profile_line(const struct ls_p_file *f, uint32_t number, size_t *length)
{
    return ls_file_line(&(struct ls_r_file){.text = f->text, .size = f->size}, number, length);
}

/* Keeps the text of a file that has numbers. The first recording's text counts. */
static void add_file(struct ls_profile *p, const struct ls_results *r, const struct ls_r_file *file)
{
    struct ls_p_file *f = file ? (struct ls_p_file *)ls_profile_file(p, file->path) : NULL;
    if (!file)
        return;
    if (!f) {
        f = LS_PUSH(p->files, p->n_files);
        f->path = keep(p, file->path);
        f->library = ls_is_library(p, r, file);
    }
    if (f->text && file->text)
        f->differs |= f->size != file->size || memcmp(f->text, file->text, f->size);
    if (!f->text && file->text) {
        f->text = memcpy(ls_arena_alloc(&p->arena, file->size + 1), file->text, file->size);
        f->size = file->size;
        f->modified_ns = file->modified_ns;
    }
    if (!f->text)
        f->problem = keep(p, file->problem ? file->problem : "the recording did not end normally");
}

/* The line's text without surrounding blanks; NULL with *problem. */
static const char *source_text(struct ls_profile *p, const struct ls_r_file *file, uint32_t line,
                               const char **problem)
{
    size_t n;
    const char *text = line ? ls_file_line(file, line, &n) : NULL;
    if (!text) {
        *problem = keep(p, !file           ? "unknown file"
                           : !line         ? "the compiler gave it no line"
                           : file->problem ? file->problem
                           : file->text    ? "the file has no such line"
                                           : "the recording did not end normally");
        return NULL;
    }
    while (n && (text[0] == ' ' || text[0] == '\t'))
        text++, n--;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    char *copy = ls_arena_alloc(&p->arena, n + 1);
    return memcpy(copy, text, n);
}

static struct ls_p_place place_of(struct adding *a, const struct ls_r_frame *f)
{
    const struct ls_r_file *file = ls_frame_file(a->r, f);
    return (struct ls_p_place){keep(a->p, path_of(a->r, f)), f->line, f->column, keep(a->p, f->function),
                               file && ls_is_library(a->p, a->r, file)};
}

static void set_title(struct adding *a, struct ls_p_line *line, const struct ls_r_frame *innermost)
{
    const struct ls_r_frame *f = ls_title_frame(a->p, a->r, innermost, &line->title_depth);
    line->title = place_of(a, f);
    line->title_source = source_text(a->p, ls_frame_file(a->r, f), f->line, &line->title_source_problem);
}

static void set_place(struct adding *a, struct ls_p_line *line, const struct ls_r_site *s)
{
    struct ls_profile *p = a->p;
    const struct ls_r_frame *f = ls_results_frame(a->r, s->frame);
    line->kind = ls_kind_name(s->kind);
    line->space = ls_space_name(s->space);
    line->file = keep(p, f ? path_of(a->r, f) : "");
    line->line = f ? f->line : 0;
    line->function = keep(p, f ? f->function : s->function);
    line->alone = s->alone;
    line->offset = s->offset;
    if (!f) {
        line->source_problem = line->title_source_problem =
            s->alone ? "its code has no line table" : "no debug information (compile with -g)";
        line->title = (struct ls_p_place){"", 0, 0, line->function, false};
        return;
    }
    line->source = source_text(p, ls_frame_file(a->r, f), f->line, &line->source_problem);
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
static void count_executed(struct adding *a, struct ls_p_kernel *k, struct entry *site,
                           const struct ls_r_site *s)
{
    struct ls_p_line *line = site->line;
    if (!ls_site_estimated(s) || site->estimated)
        return;
    site->estimated = true;
    k->estimated++;
    line->n_estimated++;
    add_text(a->p, &line->estimate, ls_site_estimate_reason(s));
}

/* Texts of the files that the report may show lines of. */
static void add_files(struct adding *a, const struct ls_p_line *line, const struct ls_r_frame *f)
{
    size_t depth = 0;
    for (; f && depth <= line->title_depth; f = ls_frame_parent(a->r, f), depth++)
        if (!depth || depth == line->title_depth)
            add_file(a->p, a->r, ls_frame_file(a->r, f));
}

/* The kernel's line that the site belongs to; a site seen for the first time adds its facts to it. */
static struct ls_p_line *line_of(struct adding *a, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    char id[64];
    struct entry *known = find_entry(k->index->sites, site_key(a, s, id));
    if (known && known->line) {
        count_executed(a, k, known, s);
        return known->line;
    }
    char *key = line_key(a->r, s);
    if (!key)
        return NULL;
    struct entry *e = find_entry(k->index->lines, key);
    if (!e) {
        e = add_entry(a->p, &k->index->lines, key);
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
    add_text(a->p, &line->instruction, s->instruction);
    add_text(a->p, &line->isa, s->isa ? s->isa : "");
    line->isa_merged |= s->isa_merged;
    line->n_sites++;
    if (!known)
        known = add_entry(a->p, &k->index->sites, id);
    known->line = line;
    k->executed += ls_site_observed(s) && !LS_SITE_NO_ACCESS(s->kind);
    count_executed(a, k, known, s);
    return line;
}

/* Coverage counts every site once, however many processes recorded it. */
static void add_coverage(struct adding *a, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    char id[64];
    if (find_entry(k->index->sites, site_key(a, s, id)))
        return;
    add_entry(a->p, &k->index->sites, id);
    ls_cover(&a->p->arena, k, s);
}

static int add_totals(struct adding *a, char **error)
{
    struct ls_r_total *totals;
    size_t n;
    if (ls_results_totals(a->r, &totals, &n, error))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct ls_r_total *t = &totals[i];
        struct ls_p_kernel *k = kernel_by_id(a, t->kernel);
        int metric = mapped(a, t->metric);
        if (!k || metric < 0)
            continue;
        const struct ls_r_site *s = ls_results_site(a->r, t->site);
        if (s)
            add_coverage(a, k, s); /* a shared function's site that this kernel reached */
        struct ls_p_line *line = s ? line_of(a, k, s) : NULL;
        if (line)
            add_value(a->p, &line->values, (size_t)metric, t->value, ls_site_estimated(s));
        else if (!t->site)
            add_value(a->p, &k->values, (size_t)metric, t->value, false);
    }
    int rc = ls_unexplained_add(a->p, a->r, a->kernel_of, totals, n, error);
    free(totals);
    return rc;
}

static bool same_place(const struct ls_p_place *x, const struct ls_p_place *y)
{
    return x->line == y->line && !strcmp(x->file, y->file);
}

static void add_merge(struct ls_p_kernel *k, const struct ls_p_place *other, const struct ls_p_place *counted)
{
    for (size_t i = 0; i < k->n_merges; i++)
        if (same_place(&k->merges[i].other, other) && same_place(&k->merges[i].counted, counted))
            return;
    if (!same_place(other, counted) && other->line && counted->line)
        *LS_PUSH(k->merges, k->n_merges) = (struct ls_p_merge){*other, *counted};
}

/* The kernel reached the access that counts the instruction: then it did the other one, too. */
static void add_merged_site(struct adding *a, struct ls_p_kernel *k, const struct ls_r_site *s,
                            const struct ls_r_site *lead)
{
    char id[64];
    size_t depth;
    const struct ls_r_frame *f = ls_results_frame(a->r, s->frame), *title;
    struct entry *known = f ? find_entry(k->index->sites, site_key(a, lead, id)) : NULL;
    if (!known || !known->line)
        return; /* not this kernel's, or not executed */
    title = ls_title_frame(a->p, a->r, f, &depth);
    struct ls_p_place other = place_of(a, title);
    add_merge(k, &other, &((const struct ls_p_line *)known->line)->title);
    add_file(a->p, a->r, ls_frame_file(a->r, title));
}

/* Which lines an instruction merges accesses of. Only one of them has its numbers. */
static void add_merges(struct adding *a)
{
    for (size_t i = 0; i < a->r->n_sites; i++) {
        const struct ls_r_site *s = &a->r->sites[i], *lead = ls_results_site(a->r, s->counted_at);
        struct ls_p_kernel *only = lead && s->kernel ? kernel_by_id(a, s->kernel) : NULL;
        if (only)
            add_merged_site(a, only, s, lead);
        for (size_t j = 0; lead && !s->kernel && j < a->r->n_kernels; j++)
            if (a->kernel_of[j] && a->r->kernels[j].module == s->module)
                add_merged_site(a, a->kernel_of[j], s, lead);
    }
}

/* Which functions a call leads to is known only when it runs:
 * these are counted by executions, not by sites. */
static int add_calls(struct adding *a, char **error)
{
    struct ls_r_call *calls;
    size_t n;
    if (ls_results_calls(a->r, &calls, &n, error))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ls_p_kernel *k = kernel_by_id(a, calls[i].kernel);
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

static void add_sites(struct adding *a)
{
    for (size_t i = 0; i < a->r->n_sites; i++) {
        const struct ls_r_site *s = &a->r->sites[i];
        struct ls_p_kernel *k = kernel_by_id(a, s->kernel);
        if (k)
            add_coverage(a, k, s);
    }
    /* Sites in functions that several kernels reach belong to each kernel of that module as far as they are
     * not observed: nobody can tell which of them ran. Observed ones count where they have numbers. */
    for (size_t j = 0; j < a->r->n_kernels; j++) {
        const struct ls_r_kernel *k = &a->r->kernels[j];
        for (size_t i = 0; a->kernel_of[j] && k->module && i < a->r->n_sites; i++) {
            const struct ls_r_site *s = &a->r->sites[i];
            if (!s->kernel && s->module == k->module && !ls_site_observed(s))
                add_coverage(a, a->kernel_of[j], s);
        }
    }
}

/* ---- the rest ---- */

char *ls_command_text(const char *argv)
{
    json_t *list = json_loads(argv, 0, NULL), *item;
    size_t i, size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        json_decref(list);
        return NULL;
    }
    json_array_foreach(list, i, item)
    {
        const char *word = json_string_value(item) ? json_string_value(item) : "";
        bool quote = !*word || strpbrk(word, " \t\n'\"\\$&|;<>*?()");
        fprintf(out, quote ? "%s\"%s\"" : "%s%s", i ? " " : "", word);
    }
    fclose(out);
    json_decref(list);
    return text;
}

static void add_note(struct ls_profile *p, int level, const char *text)
{
    for (size_t i = 0; i < p->n_notes; i++) {
        if (p->notes[i].level == level && !strcmp(p->notes[i].text, text)) {
            p->notes[i].count++;
            return;
        }
    }
    *LS_PUSH(p->notes, p->n_notes) = (struct ls_p_note){level, keep(p, text), 1};
}

/* Whether the recording was priced as on that GPU, too. */
static bool is_priced(const char *options, const char *as)
{
    json_t *o = as && options ? json_loads(options, 0, NULL) : NULL;
    const char *list = json_string_value(json_object_get(o, "as"));
    const size_t n = as ? strlen(as) : 0;
    bool found = false;
    while (list && *list && !found) {
        found = strcspn(list, ",") == n && !strncmp(list, as, n);
        list += strcspn(list, ",");
        list += *list == ',';
    }
    json_decref(o);
    return found;
}

static const char *first_text(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void add_process(struct adding *a, const struct ls_r_process *x)
{
    struct ls_profile *p = a->p;
    struct ls_results *r = a->r;
    char *command = ls_command_text(x->argv), *filters = ls_filters_text(x->options);
    *LS_PUSH(p->databases, p->n_databases) =
        (struct ls_p_database){.path = keep(p, ls_results_text(r, r->path)),
                               .created = keep(p, first_text(x->created, r->created)),
                               .version = keep(p, first_text(x->version, r->version)),
                               .command = keep(p, ls_results_text(r, command)),
                               .gpu = keep(p, x->gpu),
                               .runtime = keep(p, x->runtime),
                               .hostname = keep(p, x->hostname),
                               .filters = keep(p, ls_results_text(r, filters)),
                               .guid = keep(p, first_text(x->guid, r->guid)),
                               .partial = x->state ? strcmp(x->state, "complete") != 0 : r->partial,
                               .live = r->live,
                               .priced = is_priced(x->options, p->as),
                               .pid = x->pid,
                               .rank = keep(p, x->rank),
                               .run_id = keep(p, first_text(x->run_id, r->run_id)),
                               .part = keep(p, x->file)};
    free(command);
    free(filters);
}

/* A merged database holds several recordings. */
static void add_databases(struct adding *a)
{
    const struct ls_r_process none = {.argv = "[]"};
    a->first_database = a->p->n_databases;
    for (size_t i = 0; i < a->r->n_processes; i++)
        add_process(a, &a->r->processes[i]);
    if (!a->r->n_processes)
        add_process(a, &none);
    for (size_t i = 0; i < a->r->n_notes; i++)
        add_note(a->p, a->r->notes[i].level, a->r->notes[i].text);
}

/* Rows of handlers, joined with kernel and line. */
static int add_rows(struct adding *a, char **error)
{
    struct ls_profile *p = a->p;
    struct ls_r_row *rows;
    size_t n;
    if (!a->r->n_rows)
        return 0;
    if (ls_results_rows(a->r, &rows, &n, error))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct ls_p_kernel *k = kernel_by_id(a, rows[i].kernel);
        const struct ls_r_site *s = ls_results_site(a->r, rows[i].site);
        if (!k || !is_wanted(p, rows[i].handler))
            continue;
        if (s)
            add_coverage(a, k, s);
        *LS_PUSH(k->rows, k->n_rows) = (struct ls_p_row){.handler = keep_handler(p, rows[i].handler),
                                                         .table = keep(p, rows[i].table),
                                                         .json = keep(p, rows[i].json),
                                                         .line = s ? line_of(a, k, s) : NULL,
                                                         .dispatch = rows[i].dispatch,
                                                         .database = database_of(a, rows[i].kernel)};
    }
    free(rows);
    return 0;
}

static const struct ls_p_line *line_with_site(void *context, const struct ls_p_kernel *k,
                                              const struct ls_r_site *s)
{
    char id[64];
    const struct entry *known = find_entry(k->index->sites, site_key(context, s, id));
    return known ? known->line : NULL;
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

/* The error when a recording would count twice; NULL. */
static char *said_before(const struct ls_profile *p, const struct ls_results *r)
{
    for (size_t i = 0; i < p->n_databases; i++)
        for (size_t j = 0; j < r->n_processes; j++)
            if (*r->processes[j].guid && !strcmp(p->databases[i].guid, r->processes[j].guid))
                return ls_text(
                    "%s: %s the same recording as %s and would count twice; give each recording once",
                    r->path, r->processes[j].file ? "holds" : "is", p->databases[i].path);
    return NULL;
}

/* Results may be closed afterwards. */
static int add_results(struct ls_profile *p, struct ls_results *r, const regex_t *only, char **error)
{
    struct adding a = {.p = p, .r = r};
    *error = said_before(p, r);
    if (*error)
        return -1;
    a.kernel_of = ls_realloc(NULL, (r->n_kernels + 1) * sizeof(*a.kernel_of));
    a.metric_of = ls_realloc(NULL, (r->n_metrics + 1) * sizeof(*a.metric_of));
    memset(a.kernel_of, 0, (r->n_kernels + 1) * sizeof(*a.kernel_of));
    memset(a.metric_of, 0xff, (r->n_metrics + 1) * sizeof(*a.metric_of)); /* -1 */
    add_databases(&a);
    add_metrics(&a);
    add_handlers(&a);
    add_lanes_ratio(p);
    add_kernels(&a, only);
    add_dispatches(&a);
    add_sites(&a);
    int rc = add_totals(&a, error);
    if (!rc)
        add_merges(&a);
    if (!rc)
        rc = add_calls(&a, error);
    if (!rc)
        rc = add_rows(&a, error);
    if (!rc && p->with_code)
        rc = ls_code_add(p, r, a.kernel_of, line_with_site, &a, error);
    if (!rc)
        rc = ls_findings_add(&p->findings, &p->n_findings, &p->arena, r, only, error);
    if (!rc)
        rc = ls_times_add(&p->times, &p->arena, r, only, error);
    ls_accesses_find_rivals(p);
    p->saturated |= r->saturated;
    if (p->saturated)
        add_note(p, 1, LS_NOTE_SATURATED);
    if (r->chains_cut)
        add_note(p, 1, "inlining chains of more than 256 calls were cut");
    for (size_t i = 0; i < r->n_files; i++) /* files that an earlier recording has, too */
        if (ls_profile_file(p, r->files[i].path))
            add_file(p, r, &r->files[i]);
    free(a.kernel_of);
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
    free(p->notes);
    free(p->files);
    free(p->findings);
    free(p->rivals);
    free(p->libraries);
    ls_times_free(&p->times);
    ls_arena_free(&p->arena);
    free(p);
}
