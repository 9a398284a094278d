/* code.c - see code.h. */
#include "code.h"
#include "common/sorted.h"

#include <stdlib.h>

struct context {
    struct ls_profile *p;
    struct ls_results *r;
    const struct ls_p_line *(*line_of)(void *, const struct ls_p_kernel *, const struct ls_r_site *);
    void *context;
};

static const struct ls_p_line *counted(const struct context *c, const struct ls_p_kernel *k,
                                       const struct ls_r_code *i)
{
    const struct ls_r_site *s = ls_results_site(c->r, i->site);
    return s ? c->line_of(c->context, k, s) : NULL;
}

static const char *keep(const struct context *c, const char *text)
{
    return ls_arena_string(&c->p->arena, text);
}

static void add(const struct context *c, struct ls_p_kernel *k, const struct ls_r_code *i)
{
    const struct ls_r_file *f = ls_results_file(c->r, i->file);
    *LS_PUSH(k->code, k->n_code) = (struct ls_p_code){.function = keep(c, i->function),
                                                      .offset = i->offset,
                                                      .text = keep(c, i->text),
                                                      .file = keep(c, f ? f->path : ""),
                                                      .line = i->line,
                                                      .column = i->column,
                                                      .counted = counted(c, k, i),
                                                      .joined = i->joined};
}

/* The first instruction of a kernel and module; of kernel 0: of the module's functions that are not inlined. */
static size_t first_of(const struct ls_r_code *code, size_t n, int64_t kernel, int64_t module)
{
    return LS_FIRST_NOT(n, at,
                        code[at].kernel < kernel || (code[at].kernel == kernel && code[at].module < module));
}

static void add_kernel(const struct context *c, struct ls_p_kernel *k, const struct ls_r_kernel *row,
                       const struct ls_r_code *code, size_t n)
{
    for (size_t i = first_of(code, n, 0, row->module);
         i < n && !code[i].kernel && code[i].module == row->module; i++)
        if (counted(c, k, &code[i])) /* it belongs to the kernels that were seen in it */
            add(c, k, &code[i]);
    for (size_t i = first_of(code, n, row->id, INT64_MIN); i < n && code[i].kernel == row->id; i++)
        add(c, k, &code[i]);
}

int ls_code_add(struct ls_profile *p, struct ls_results *r, struct ls_p_kernel *const *kernel_of,
                const bool *launched,
                const struct ls_p_line *(*line_of)(void *, const struct ls_p_kernel *,
                                                   const struct ls_r_site *),
                void *context, char **error)
{
    const struct context c = {p, r, line_of, context};
    struct ls_r_code *code;
    size_t n;
    if (ls_results_code(r, &code, &n, error))
        return -1;
    for (int idle = 0; idle <= 1; idle++)
        for (size_t j = 0; j < r->n_kernels; j++)
            if (kernel_of[j] && !kernel_of[j]->n_code && launched[j] != idle)
                add_kernel(&c, kernel_of[j], &r->kernels[j], code, n);
    free(code);
    return 0;
}
