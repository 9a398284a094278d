/* unexplained.c - see unexplained.h. */
#include "unexplained.h"
#include "common/sorted.h"
#include "coverage.h"
#include "profile_internal.h"
#include "common/names.h"
#include "lanescope/defaults.h"
#include "results/reader/saturate.h"
#include "lanescope/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1, DIFFERENT = -2 };
/* What is known of a kernel's dispatches; a part of one counts too little, which is said elsewhere. */
enum { OBSERVED = 1, IN_PART = 2 };

/* Instructions from, to of the list: one function of a kernel, or of a module (kernel 0). */
struct function {
    size_t from, to;
    const struct ls_r_kernel *reached_by; /* of a module: the last kernel that is known to reach it */
    UT_hash_handle hh;                    /* those of modules, by module and name */
    char key[];
};

#define FUNCTION_KEY "%lld %s" /* module, name */

struct context {
    struct ls_profile *p;
    struct ls_results *r;
    const struct ls_r_total *totals;
    size_t n_totals;
    struct ls_r_vector *all;
    size_t n;
    struct function *shared;
    unsigned char *dispatched; /* kernels by index: bits below */
    int64_t executions[2]; /* ids of the metrics, of LDS and of other memory; 0: their handler did not run */
};

static int64_t executions_metric(const struct ls_results *r, const char *handler)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        if (r->metrics[i].view.role == LANESCOPE_ROLE_EXECUTIONS && !strcmp(r->metrics[i].handler, handler))
            return r->metrics[i].id;
    return 0;
}

/* First element that is not before that site of that kernel: totals are sorted. */
static size_t first_total(const struct context *c, int64_t kernel, int64_t site)
{
    const struct ls_r_total *t = c->totals;
    return LS_FIRST_NOT(c->n_totals, at,
                        t[at].kernel < kernel || (t[at].kernel == kernel && t[at].site < site));
}

/* Executions of the site's instructions in the kernel; UNKNOWN: no handler counted them. */
static int64_t site_executions(const struct context *c, int64_t kernel, const struct ls_r_site *s)
{
    int64_t metric = s ? c->executions[s->space != 3] : 0, value = 0;
    if (!metric)
        return UNKNOWN;
    for (size_t i = first_total(c, kernel, s->id);
         i < c->n_totals && c->totals[i].kernel == kernel && c->totals[i].site == s->id; i++)
        if (c->totals[i].metric == metric)
            value = c->totals[i].value;
    return value;
}

/* How often the kernel executed each of the instructions from, to, which are all of their site, as that tells. */
static int64_t told_by(const struct context *c, int64_t kernel, size_t from, size_t to)
{
    const struct ls_r_vector *v = &c->all[from];
    int64_t instructions = (int64_t)(to - from);
    while (from < to && !(c->all[from].tells && c->all[from].counted))
        from++;
    const int64_t value = site_executions(c, kernel, from < to ? ls_results_site(c->r, v->site) : NULL);
    return value == UNKNOWN ? UNKNOWN : value % instructions ? DIFFERENT : value / instructions;
}

static bool same_function(const struct ls_r_vector *a, const struct ls_r_vector *b)
{
    return a->kernel == b->kernel && a->module == b->module && !strcmp(a->function, b->function);
}

/* How often instructions from, to, which are executed together, were executed. All of a site stand together. */
static int64_t executions_of(const struct context *c, int64_t kernel, size_t from, size_t to)
{
    int64_t result = UNKNOWN;
    for (size_t next; from < to; from = next) {
        for (next = from + 1; next < to && c->all[next].site == c->all[from].site;)
            next++;
        int64_t told = told_by(c, kernel, from, next);
        if (told == DIFFERENT || (told >= 0 && result >= 0 && told != result))
            return DIFFERENT;
        result = told >= 0 ? told : result;
    }
    return result;
}

static struct ls_p_unexplained *entry_of(struct ls_profile *p, struct ls_p_kernel *k, const char *file,
                                         uint32_t line, const char *text, bool arguments)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, " "), text);
    char *key = ls_text("%u %d %s %s", line, arguments, name, file);
    if (!key)
        abort();
    struct profile_entry *e = profile_find(k->index->unexplained, key);
    if (!e) {
        e = profile_enter(p, &k->index->unexplained, key);
        e->index = k->n_unexplained;
        *LS_PUSH(k->unexplained, k->n_unexplained) =
            (struct ls_p_unexplained){.arguments = arguments,
                                      .file = ls_arena_string(&p->arena, file),
                                      .line = line,
                                      .instruction = ls_arena_string(&p->arena, name)};
    }
    free(key);
    return &k->unexplained[e->index];
}

/* It reads kernel arguments, for each lane at an address of its own: no scalar load can. */
static bool reads_arguments(const struct context *c, const struct ls_r_vector *v)
{
    const struct ls_r_site *s = v->site && !v->counted ? ls_results_site(c->r, v->site) : NULL;
    return s && !ls_site_observed(s) && s->reason == LS_REASON_KERNARG;
}

static void add_instruction(const struct context *c, struct ls_p_kernel *k, const struct ls_r_vector *v,
                            int64_t executions)
{
    const struct ls_r_file *f = ls_results_file(c->r, v->file);
    struct ls_p_unexplained *u = entry_of(c->p, k, f ? f->path : "", v->line, v->text, reads_arguments(c, v));
    u->here++;
    if (executions < 0)
        u->executions = UNKNOWN;
    else if (u->executions >= 0)
        u->executions = ls_add(u->executions, executions, &c->p->saturated);
}

/* Counted instructions of a function of which no single one tells, as they are copies, or their accesses look the same: together
 * they are executed as often as their accesses. */
struct untold {
    int64_t executions; /* of those of which others tell */
    int64_t *sites;     /* of each */
    size_t n;
    bool over; /* more than a number holds */
};

/* Lanes of flat accesses are counted where they go to, and those of buffers that are out of range nowhere. */
static bool counts_once(const struct context *c, int64_t site)
{
    const struct ls_r_site *s = ls_results_site(c->r, site);
    return s && (s->space == 1 || s->space == 3 || s->space == 4);
}

static void add_untold(const struct context *c, struct untold *u, size_t from, size_t to, int64_t executions)
{
    for (size_t i = from; i < to; i++) {
        const struct ls_r_vector *v = &c->all[i];
        if (v->tells || !v->counted || !counts_once(c, v->site))
            continue;
        u->over |= executions > 0 && __builtin_add_overflow(u->executions, executions, &u->executions);
        *LS_PUSH(u->sites, u->n) = v->site;
    }
}

static int by_number(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Whether they are executed more often than their accesses; then some of these have instructions of others. */
static bool is_too_much(const struct context *c, int64_t kernel, const struct untold *u)
{
    int64_t all = 0;
    if (u->n)
        qsort(u->sites, u->n, sizeof *u->sites, by_number);
    for (size_t i = 0; i < u->n; i++) {
        if (i && u->sites[i] == u->sites[i - 1])
            continue;
        const int64_t value = site_executions(c, kernel, ls_results_site(c->r, u->sites[i]));
        if (value == UNKNOWN || __builtin_add_overflow(all, value, &all))
            return false;
    }
    return !u->over && u->executions > all;
}

static void add_function(const struct context *c, struct ls_p_kernel *k, int64_t kernel, size_t from,
                         size_t to)
{
    struct untold untold = {0};
    for (size_t next; from < to; from = next) {
        for (next = from; next < to && c->all[next].together == c->all[from].together;)
            next++;
        int64_t executions = executions_of(c, kernel, from, next);
        for (size_t i = from; executions == DIFFERENT && i < next; i++)
            k->contradictions += c->all[i].counted;
        for (size_t i = from; i < next; i++)
            if (!c->all[i].site || reads_arguments(c, &c->all[i]))
                add_instruction(c, k, &c->all[i], executions);
        add_untold(c, &untold, from, next, executions);
    }
    if (is_too_much(c, kernel, &untold))
        k->contradictions += (uint32_t)untold.n;
    free(untold.sites);
}

static size_t end_of_function(const struct context *c, size_t from)
{
    size_t to = from + 1;
    while (to < c->n && same_function(&c->all[to], &c->all[from]))
        to++;
    return to;
}

static struct function *shared_function(const struct context *c, int64_t module, const char *name)
{
    char *key = ls_text(FUNCTION_KEY, (long long)module, name);
    struct function *f;
    if (!key)
        abort();
    HASH_FIND_STR(c->shared, key, f);
    free(key);
    return f;
}

static int by_place(const void *x, const void *y)
{
    const struct function *const *a = x, *const *b = y;
    return ((*a)->from > (*b)->from) - ((*a)->from < (*b)->from);
}

/* Those functions of modules whose accesses the kernel executed, in the order of the list. */
static void add_reached(const struct context *c, struct ls_p_kernel *k, const struct ls_r_kernel *row)
{
    struct function **reached = NULL;
    size_t n = 0;
    for (size_t i = first_total(c, row->id, 1); i < c->n_totals && c->totals[i].kernel == row->id; i++) {
        const struct ls_r_site *s = ls_results_site(c->r, c->totals[i].site);
        struct function *f = s && c->shared ? shared_function(c, row->module, s->function) : NULL;
        if (f && f->reached_by != row) {
            f->reached_by = row;
            *LS_PUSH(reached, n) = f;
        }
    }
    if (n)
        qsort(reached, n, sizeof(struct function *), by_place);
    for (size_t i = 0; i < n; i++)
        add_function(c, k, row->id, reached[i]->from, reached[i]->to);
    free(reached);
}

/* The first instruction of its own; of 0: of functions of modules. */
static size_t first_of_kernel(const struct context *c, int64_t kernel)
{
    return LS_FIRST_NOT(c->n, at, c->all[at].kernel < kernel);
}

static void add_kernel(const struct context *c, struct ls_p_kernel *k, const struct ls_r_kernel *row)
{
    for (size_t i = 0; i < k->n_unexplained; i++)
        k->unexplained[i].here = 0;
    add_reached(c, k, row);
    for (size_t from = first_of_kernel(c, row->id), to; from < c->n && c->all[from].kernel == row->id;
         from = to) {
        to = end_of_function(c, from);
        add_function(c, k, row->id, from, to);
    }
    for (size_t i = 0; i < k->n_unexplained; i++) /* ranks run the same code */
        if (k->unexplained[i].here > k->unexplained[i].n)
            k->unexplained[i].n = k->unexplained[i].here;
}

/* Functions of modules by name. */
static void find_shared(struct context *c, struct ls_arena *arena)
{
    for (size_t from = first_of_kernel(c, 0), to; from < c->n && !c->all[from].kernel; from = to) {
        const struct ls_r_vector *v = &c->all[from];
        to = end_of_function(c, from);
        size_t size = strlen(v->function) + 32;
        struct function *f = ls_arena_alloc(arena, sizeof(*f) + size);
        *f = (struct function){.from = from, .to = to};
        snprintf(f->key, size, FUNCTION_KEY, (long long)v->module, v->function);
        HASH_ADD_STR(c->shared, key, f);
    }
}

static void find_dispatched(struct context *c)
{
    c->dispatched = ls_realloc(NULL, c->r->n_kernels + 1);
    memset(c->dispatched, 0, c->r->n_kernels + 1);
    for (size_t i = 0; i < c->r->n_dispatches; i++) {
        const struct ls_r_dispatches *d = &c->r->dispatches[i];
        const struct ls_r_kernel *k = ls_results_kernel(c->r, d->kernel);
        if (k)
            c->dispatched[k - c->r->kernels] |=
                (d->observed ? OBSERVED : 0) | (d->bad || d->dropped ? IN_PART : 0);
    }
}

int ls_unexplained_add(struct ls_profile *p, struct ls_results *r, struct ls_p_kernel *const *kernel_of,
                       const struct ls_r_total *totals, size_t n_totals, char **error)
{
    struct context c = {.p = p, .r = r, .totals = totals, .n_totals = n_totals};
    struct ls_arena arena = {0};
    c.executions[0] = executions_metric(r, LS_LDS_HANDLER);
    c.executions[1] = executions_metric(r, LS_GLOBAL_HANDLER);
    if (ls_results_vectors(r, &c.all, &c.n, error))
        return -1;
    find_shared(&c, &arena);
    find_dispatched(&c);
    for (size_t i = 0; i < r->n_kernels; i++)
        if (kernel_of[i] && c.dispatched[i] == OBSERVED)
            add_kernel(&c, kernel_of[i], &r->kernels[i]);
    HASH_CLEAR(hh, c.shared);
    ls_arena_free(&arena);
    free(c.dispatched);
    free(c.all);
    return 0;
}

static void write_place(FILE *out, const struct ls_p_unexplained *u)
{
    if (u->line)
        fprintf(out, "%s:%u", ls_base_name(u->file), u->line);
    else
        fprintf(out, "no line");
    fprintf(out, " %s", u->instruction);
    if (u->n > 1)
        fprintf(out, " (%u of them)", u->n);
    if (u->executions >= 0)
        fprintf(out, " (%lld execution%s)", (long long)u->executions, u->executions == 1 ? "" : "s");
}

/* How many that may have been executed. */
static uint64_t count(const struct ls_p_kernel *k, bool arguments)
{
    uint64_t n = 0;
    for (size_t i = 0; i < k->n_unexplained; i++)
        if (k->unexplained[i].arguments == arguments && k->unexplained[i].executions)
            n += k->unexplained[i].n;
    return n;
}

uint64_t ls_unexplained_count(const struct ls_p_kernel *k)
{
    return count(k, false);
}

static void write_places(FILE *out, const struct ls_p_kernel *k, bool arguments)
{
    for (size_t i = 0, written = 0; i < k->n_unexplained; i++) {
        if (k->unexplained[i].arguments != arguments || !k->unexplained[i].executions)
            continue;
        fputs(written++ ? "; " : "", out);
        write_place(out, &k->unexplained[i]);
    }
}

char *ls_arguments_text(const struct ls_p_kernel *k)
{
    char *text = NULL;
    size_t size = 0;
    const uint64_t n = count(k, true);
    FILE *out = n ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    fprintf(out, "%llu vector memory instruction%s kernel arguments, which are not counted: ",
            (unsigned long long)n, n == 1 ? " reads" : "s read");
    write_places(out, k, true);
    fclose(out);
    return text;
}

char *ls_unexplained_text(const struct ls_p_kernel *k)
{
    char *text = NULL;
    size_t size = 0;
    uint64_t n = ls_unexplained_count(k);
    FILE *out = n || k->contradictions ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    if (n)
        fprintf(out,
                "%llu vector memory instruction%s that no observed access explains: ", (unsigned long long)n,
                n == 1 ? "" : "s");
    write_places(out, k, false);
    if (k->contradictions)
        fprintf(
            out,
            "%s%u vector memory instructions are executed as often as others, but their lines have different "
            "numbers of executions: some of these are wrong",
            n ? ". " : "", k->contradictions);
    fclose(out);
    return text;
}
