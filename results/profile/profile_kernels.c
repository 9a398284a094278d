/* Kernels of a profile, and how often they were dispatched (profile.h). */
#include "profile_internal.h"
#include "common/code_uri.h"
#include "common/names.h"
#include "coverage.h"
#include "lanescope/defaults.h"
#include "gpus/gpus.h"
#include "lanescope/printable.h"
#include "results/reader/saturate.h"

#include <stdlib.h>
#include <string.h>

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

bool ls_kernel_priced(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    const struct ls_gpu *as = p->as ? ls_gpu_find(p->as) : NULL;
    return !as || ls_gpu_takes_waves(as, k->arch, ls_kernel_lanes(k));
}

static struct ls_p_kernel *kernel_at(struct ls_profile *p, const char *key)
{
    struct profile_entry *e = profile_find(p->kernel_index, key);
    return e ? e->kernel : NULL;
}

static void enter_kernel(struct ls_profile *p, const char *key, struct ls_p_kernel *k)
{
    if (!kernel_at(p, key))
        profile_enter(p, &p->kernel_index, key)->kernel = k;
}

/* The symbol alone does not tell: Triton's kernels of one function share it, and their names differ; functions of two
 * modules may share both, so that with a run-time compiler the file counts; so it does for functions of unnamed
 * namespaces that one process has of several files (`twin`). Each kernel is entered with its origin, and the first of its
 * name without. */
static struct ls_p_kernel *same_kernel(struct ls_profile *p, const struct ls_r_kernel *k, const char *origin,
                                       bool twin)
{
    const int n = (int)ls_without_unit(k->mangled);
    char *any = ls_text("%u %d %zu %.*s%s%s", k->lanes, n, strlen(k->name), n, k->mangled, k->name, k->arch);
    char *one = any ? ls_text("%s %s", any, origin) : NULL;
    if (!one)
        abort();
    struct ls_p_kernel *out = kernel_at(p, one), *first = kernel_at(p, any);
    out = out || k->compiler || twin ? out : first;
    if (!out) {
        out = ls_arena_alloc(&p->arena, sizeof(*out));
        out->index = ls_arena_alloc(&p->arena, sizeof(*out->index));
        *LS_PUSH(p->kernels, p->n_kernels) = out;
        if (first)
            out->twin = first->twin = true;
    }
    enter_kernel(p, any, out);
    enter_kernel(p, one, out);
    free(one);
    free(any);
    return out;
}

/* The name that the URI's escapes stand for may contain anything. */
static const char *library_of(struct profile_adding *a, const char *uri)
{
    char *path = ls_code_uri_file(uri);
    if (!path)
        return NULL;
    const char *name = ls_base_name(path);
    char *text = ls_realloc(NULL, LS_PRINTABLE_GROWTH * strlen(name) + 1);
    ls_printable(text, name, strlen(name), "");
    name = profile_keep(a->p, text);
    free(text);
    free(path);
    return name;
}

static const char *keep_linkage(struct ls_profile *p, const char *mangled)
{
    char *text = strndup(mangled, ls_without_unit(mangled));
    if (!text)
        abort();
    const char *kept = profile_keep(p, text);
    free(text);
    return kept;
}

void profile_find_launched(struct profile_adding *a)
{
    a->launched = ls_realloc(NULL, (a->r->n_kernels + 1) * sizeof(*a->launched));
    memset(a->launched, 0, (a->r->n_kernels + 1) * sizeof(*a->launched));
    for (size_t i = 0; i < a->r->n_dispatches; i++) {
        const struct ls_r_kernel *k = ls_results_kernel(a->r, a->r->dispatches[i].kernel);
        if (k && a->r->dispatches[i].count)
            a->launched[k - a->r->kernels] = true;
    }
}

bool profile_is_idle_copy(const struct profile_adding *a, const struct ls_r_kernel *k)
{
    const struct ls_p_kernel *one = a->kernel_of[k - a->r->kernels];
    return one && one->dispatches && !a->launched[k - a->r->kernels];
}

/* What the compiler made of it. */
static void add_facts(struct profile_adding *a, struct ls_p_kernel *out, const struct ls_r_kernel *k)
{
    const struct ls_r_file *f = ls_results_file(a->r, k->file);
    out->name = profile_keep(a->p, k->name);
    out->mangled = profile_keep(a->p, k->mangled);
    out->linkage = keep_linkage(a->p, k->mangled);
    out->arch = profile_keep(a->p, k->arch);
    out->lanes = k->lanes;
    out->file = profile_keep(a->p, f ? f->path : "");
    out->line = k->line;
    out->lds_bytes = k->lds_bytes;
    out->scratch_bytes = k->scratch_bytes;
    out->sgprs = k->sgprs;
    out->vgprs = k->vgprs;
    out->agprs = k->agprs;
    out->library = library_of(a, k->uri);
    out->compiler = k->compiler ? profile_keep(a->p, k->compiler) : NULL;
}

static struct ls_p_kernel *add_kernel(struct profile_adding *a, const struct ls_r_kernel *k,
                                      const char *origin, bool twin)
{
    struct ls_p_kernel *out = same_kernel(a->p, k, origin, twin);
    const bool fresh = !out->name;
    if (fresh || a->launched[k - a->r->kernels]) {
        add_facts(a, out, k);
        out->code_name = k->file || !*origin ? NULL : profile_keep(a->p, origin);
    }
    out->alone |= k->alone;
    out->unlisted = ls_add(out->unlisted, k->unlisted, &a->p->saturated);
    /* Instrumented in one of the databases: instrumented. */
    bool instrumented = k->module && !k->not_instrumented; /* a table may be there without a usable clone */
    if (!instrumented && (fresh || out->not_instrumented))
        out->not_instrumented =
            profile_keep(a->p, k->not_instrumented ? k->not_instrumented : "it has no site table");
    else
        out->not_instrumented = NULL;
    return out;
}

struct ls_p_kernel *profile_kernel_of(const struct profile_adding *a, int64_t id)
{
    const struct ls_r_kernel *k = ls_results_kernel(a->r, id);
    return k ? a->kernel_of[k - a->r->kernels] : NULL;
}

static int by_identity(const void *a, const void *b)
{
    const struct ls_r_kernel *x = *(const struct ls_r_kernel *const *)a,
                             *y = *(const struct ls_r_kernel *const *)b;
    const size_t n = ls_without_unit(x->mangled), m = ls_without_unit(y->mangled);
    int order = strncmp(x->mangled, y->mangled, n < m ? n : m);
    order = order ? order : (n > m) - (n < m);
    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->arch, y->arch);
    order = order ? order : (x->lanes > y->lanes) - (x->lanes < y->lanes);
    return order ? order : (x->process > y->process) - (x->process < y->process);
}

/* By index: what tells kernels of one name apart. The file, or of those without probes and line tables the hash of their instructions;
 * "": nothing is known. */
static const char **find_origins(const struct ls_results *r)
{
    const char **origin = ls_realloc(NULL, (r->n_kernels + 1) * sizeof(*origin));
    for (size_t i = 0; i < r->n_kernels; i++) {
        const struct ls_r_file *f = ls_results_file(r, r->kernels[i].file);
        origin[i] = f ? f->path : "";
    }
    for (size_t i = 0; i < r->n_sites; i++) {
        const struct ls_r_site *s = &r->sites[i];
        const struct ls_r_kernel *k = s->alone ? ls_results_kernel(r, s->kernel) : NULL;
        const struct ls_r_module *m = k && !k->file ? ls_results_module(r, s->module) : NULL;
        if (m)
            origin[k - r->kernels] = m->hash;
    }
    return origin;
}

/* By index: which kernels have an origin, and the same identity as one of another origin in the same process. (Processes of a merged
 * recording may have been compiled in different places.) */
static bool *find_twins(const struct ls_results *r, const char *const *origin)
{
    const struct ls_r_kernel **sorted = ls_realloc(NULL, (r->n_kernels + 1) * sizeof(*sorted));
    bool *twin = ls_realloc(NULL, r->n_kernels + 1);
    memset(twin, 0, r->n_kernels + 1);
    for (size_t i = 0; i < r->n_kernels; i++)
        sorted[i] = &r->kernels[i];
    if (r->n_kernels)
        qsort(sorted, r->n_kernels, sizeof(*sorted), by_identity);
    for (size_t i = 0, end; i < r->n_kernels; i = end) {
        const char *last = "";
        bool several = false;
        for (end = i; end < r->n_kernels && !by_identity(&sorted[i], &sorted[end]); end++) {
            const char *own = origin[sorted[end] - r->kernels];
            several |= *last && *own && strcmp(own, last) != 0;
            last = *own ? own : last;
        }
        for (size_t j = i; several && j < end; j++)
            twin[sorted[j] - r->kernels] = *origin[sorted[j] - r->kernels];
    }
    free(sorted);
    return twin;
}

void profile_add_kernels(struct profile_adding *a, const regex_t *only)
{
    const char **origin = find_origins(a->r);
    bool *twin = find_twins(a->r, origin);
    for (size_t i = 0; i < a->r->n_kernels; i++) {
        const struct ls_r_kernel *k = &a->r->kernels[i];
        if (!only || !regexec(only, k->name, 0, NULL, 0) || !regexec(only, k->mangled, 0, NULL, 0))
            a->kernel_of[i] = add_kernel(a, k, origin[i], twin[i]);
    }
    free(twin);
    free(origin);
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

void profile_add_dispatches(struct profile_adding *a)
{
    bool *hit = &a->p->saturated;
    for (size_t i = 0; i < a->r->n_dispatches; i++) {
        const struct ls_r_dispatches *d = &a->r->dispatches[i];
        struct ls_p_kernel *k = profile_kernel_of(a, d->kernel);
        if (!k)
            continue;
        const struct ls_p_database *db = &a->p->databases[profile_database_of(a, d->kernel)];
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
            profile_add_text(a->p, &k->filters, db->filters);
        } else
            ls_count(&a->p->arena, &k->not_observed, &k->n_not_observed,
                     *d->reason ? d->reason : "for an unknown reason", NULL, d->count);
    }
    size_t known = 0; /* those of one row of `kernel` are different */
    for (size_t i = 0; i < a->r->n_shapes; i++) {
        const struct ls_r_shape *s = &a->r->shapes[i];
        struct ls_p_kernel *k = profile_kernel_of(a, s->kernel);
        if (!k)
            continue;
        if (!i || s[-1].kernel != s->kernel)
            known = k->shapes;
        add_shape(k, known, s->size);
    }
}
