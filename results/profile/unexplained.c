/* unexplained.c - see unexplained.h. */
#include "unexplained.h"
#include "common/names.h"
#include "results/reader/saturate.h"
#include "lanescope/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = -1, DIFFERENT = -2 };

struct context {
    struct ls_profile *p;
    struct ls_results *r;
    const struct ls_r_total *totals;
    size_t n_totals;
    struct ls_r_vector *all;
    size_t n;
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
    size_t lo = 0, hi = c->n_totals;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct ls_r_total *t = &c->totals[mid];
        if (t->kernel < kernel || (t->kernel == kernel && t->site < site))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* How often the kernel executed instruction v,
 * as its site tells, all of whose instructions are in from, to. */
static int64_t told_by(const struct context *c, int64_t kernel, const struct ls_r_vector *v, size_t from,
                       size_t to)
{
    const struct ls_r_site *s = v->tells && v->counted ? ls_results_site(c->r, v->site) : NULL;
    int64_t metric = s ? c->executions[s->space != 3] : 0, value = 0, instructions = 0;
    if (!metric)
        return UNKNOWN;
    for (size_t i = first_total(c, kernel, v->site);
         i < c->n_totals && c->totals[i].kernel == kernel && c->totals[i].site == v->site; i++)
        if (c->totals[i].metric == metric)
            value = c->totals[i].value;
    for (size_t i = from; i < to; i++)
        instructions += c->all[i].site == v->site;
    return value % instructions ? DIFFERENT : value / instructions;
}

static bool same_function(const struct ls_r_vector *a, const struct ls_r_vector *b)
{
    return a->kernel == b->kernel && a->module == b->module && !strcmp(a->function, b->function);
}

/* How often instructions from, to, which are executed together, were executed. */
static int64_t executions_of(const struct context *c, int64_t kernel, size_t from, size_t to)
{
    int64_t result = UNKNOWN;
    for (size_t i = from; i < to; i++) {
        int64_t told = told_by(c, kernel, &c->all[i], from, to);
        if (told == DIFFERENT || (told >= 0 && result >= 0 && told != result))
            return DIFFERENT;
        result = told >= 0 ? told : result;
    }
    return result;
}

static struct ls_p_unexplained *entry_of(struct ls_profile *p, struct ls_p_kernel *k, const char *file,
                                         uint32_t line, const char *text)
{
    int length = (int)strcspn(text, " ");
    char name[64];
    snprintf(name, sizeof(name), "%.*s", length, text);
    for (size_t i = 0; i < k->n_unexplained; i++) {
        struct ls_p_unexplained *u = &k->unexplained[i];
        if (!strcmp(u->file, file) && u->line == line && !strcmp(u->instruction, name))
            return u;
    }
    struct ls_p_unexplained *u = LS_PUSH(k->unexplained, k->n_unexplained);
    u->file = ls_arena_string(&p->arena, file);
    u->line = line;
    u->instruction = ls_arena_string(&p->arena, name);
    return u;
}

static void add_instruction(const struct context *c, struct ls_p_kernel *k, const struct ls_r_vector *v,
                            int64_t executions)
{
    const struct ls_r_file *f = ls_results_file(c->r, v->file);
    struct ls_p_unexplained *u = entry_of(c->p, k, f ? f->path : "", v->line, v->text);
    u->here++;
    if (executions < 0)
        u->executions = UNKNOWN;
    else if (u->executions >= 0)
        u->executions = ls_add(u->executions, executions, &c->p->saturated);
}

/* Whether the kernel executed an access of that function. */
static bool reaches(const struct context *c, int64_t kernel, const char *function)
{
    for (size_t i = first_total(c, kernel, 1); i < c->n_totals && c->totals[i].kernel == kernel; i++) {
        const struct ls_r_site *s = ls_results_site(c->r, c->totals[i].site);
        if (s && !strcmp(s->function, function))
            return true;
    }
    return false;
}

static void add_function(const struct context *c, struct ls_p_kernel *k, int64_t kernel, size_t from,
                         size_t to)
{
    for (size_t next; from < to; from = next) {
        for (next = from; next < to && c->all[next].together == c->all[from].together;)
            next++;
        int64_t executions = executions_of(c, kernel, from, next);
        for (size_t i = from; executions == DIFFERENT && i < next; i++)
            k->contradictions += c->all[i].counted;
        for (size_t i = from; i < next; i++)
            if (!c->all[i].site)
                add_instruction(c, k, &c->all[i], executions);
    }
}

static bool was_observed(const struct ls_results *r, int64_t kernel)
{
    bool observed = false;
    for (size_t i = 0; i < r->n_dispatches; i++) {
        const struct ls_r_dispatches *d = &r->dispatches[i];
        if (d->kernel == kernel && (d->bad || d->dropped))
            return false; /* counts too little: said elsewhere */
        observed |= d->kernel == kernel && d->observed;
    }
    return observed;
}

static void add_kernel(const struct context *c, struct ls_p_kernel *k, const struct ls_r_kernel *row)
{
    for (size_t i = 0; i < k->n_unexplained; i++)
        k->unexplained[i].here = 0;
    for (size_t from = 0, to; from < c->n; from = to) {
        const struct ls_r_vector *v = &c->all[from];
        for (to = from; to < c->n && same_function(&c->all[to], v);)
            to++;
        if (v->kernel == row->id ||
            (!v->kernel && v->module == row->module && reaches(c, row->id, v->function)))
            add_function(c, k, row->id, from, to);
    }
    for (size_t i = 0; i < k->n_unexplained; i++) /* ranks run the same code */
        if (k->unexplained[i].here > k->unexplained[i].n)
            k->unexplained[i].n = k->unexplained[i].here;
}

int ls_unexplained_add(struct ls_profile *p, struct ls_results *r, struct ls_p_kernel *const *kernel_of,
                       const struct ls_r_total *totals, size_t n_totals, char **error)
{
    struct context c = {.p = p, .r = r, .totals = totals, .n_totals = n_totals};
    c.executions[0] = executions_metric(r, "lds_bank_conflicts");
    c.executions[1] = executions_metric(r, "memory_coalescing");
    if (ls_results_vectors(r, &c.all, &c.n, error))
        return -1;
    for (size_t i = 0; i < r->n_kernels; i++)
        if (kernel_of[i] && was_observed(r, r->kernels[i].id))
            add_kernel(&c, kernel_of[i], &r->kernels[i]);
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

uint64_t ls_unexplained_count(const struct ls_p_kernel *k)
{
    uint64_t n = 0;
    for (size_t i = 0; i < k->n_unexplained; i++)
        n += k->unexplained[i].executions ? k->unexplained[i].n : 0;
    return n;
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
    for (size_t i = 0, written = 0; i < k->n_unexplained; i++) {
        if (!k->unexplained[i].executions)
            continue;
        fputs(written++ ? "; " : "", out);
        write_place(out, &k->unexplained[i]);
    }
    if (k->contradictions)
        fprintf(out,
                "%s%u vector memory instructions are executed equally often, but their lines have different "
                "numbers of executions: some of these are wrong",
                n ? ". " : "", k->contradictions);
    fclose(out);
    return text;
}
