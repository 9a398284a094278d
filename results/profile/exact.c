/* exact.c - see exact.h. */
#include "exact.h"
#include "coverage.h"
#include "unexplained.h"
#include "lanescope/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ls_site_estimated(const struct ls_r_site *s)
{
    return ls_site_observed(s) && !LS_SITE_NO_ACCESS(s->kind) && (s->estimate || !s->join);
}

const char *ls_site_estimate_reason(const struct ls_r_site *s)
{
    return s->estimate && *s->estimate ? s->estimate : "it is not known which instructions do it";
}

bool ls_kernel_partial(const struct ls_p_kernel *k)
{
    return k->dropped || k->unlisted || k->bad || k->filters.n;
}

/* Blocks of which some entries could not be timed. */
static bool lacks_times(const struct ls_profile *p, const struct ls_p_values *v)
{
    double all = 0, some = 0;
    int timed = ls_profile_role(p, NULL, LANESCOPE_ROLE_TIMED);
    if (timed < 0)
        return false;
    ls_profile_value(p, v, (size_t)timed, &some);
    ls_profile_role_value(p, v, p->metrics[timed].handler, LANESCOPE_ROLE_EXECUTIONS, &all);
    return some < all;
}

bool ls_line_exact(const struct ls_profile *p, const struct ls_p_line *line)
{
    return !line->n_estimated && !ls_kernel_partial(line->kernel) && !lacks_times(p, &line->values);
}

static void add_reason(FILE *out, size_t *n, const char *text)
{
    fprintf(out, "%s%s", (*n)++ ? "; " : "", text);
}

static void add_partial(FILE *out, size_t *n, const struct ls_p_kernel *k)
{
    char text[96];
    for (size_t i = 0; i < k->filters.n; i++)
        add_reason(out, n, k->filters.items[i]);
    if (k->dropped) {
        snprintf(text, sizeof(text), "%lld message%s dropped because the ring was full",
                 (long long)k->dropped, k->dropped == 1 ? " was" : "s were");
        add_reason(out, n, text);
    }
    if (k->unlisted) {
        snprintf(text, sizeof(text), "%lld access%s made by code without a symbol", (long long)k->unlisted,
                 k->unlisted == 1 ? " was" : "es were");
        add_reason(out, n, text);
    }
    if (k->bad) {
        snprintf(text, sizeof(text), "%lld message%s damaged and not counted", (long long)k->bad,
                 k->bad == 1 ? " was" : "s were");
        add_reason(out, n, text);
    }
}

char *ls_kernel_reason(const struct ls_p_kernel *k)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    FILE *out = ls_kernel_partial(k) ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    add_partial(out, &n, k);
    fclose(out);
    return text;
}

char *ls_line_reason(const struct ls_profile *p, const struct ls_p_line *line)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    FILE *out = ls_line_exact(p, line) ? NULL : open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (line->n_estimated == line->n_sites)
        add_reason(out, &n, "estimated from width and alignment");
    else if (line->n_estimated) {
        char some[96];
        snprintf(some, sizeof(some), "%zu of %zu accesses of the line estimated from width and alignment",
                 line->n_estimated, line->n_sites);
        add_reason(out, &n, some);
    }
    for (size_t i = 0; i < line->estimate.n; i++)
        fprintf(out, "%s%s", i ? ", or " : ": ", line->estimate.items[i]);
    if (lacks_times(p, &line->values))
        add_reason(out, &n, "not all entries of the block could be timed");
    add_partial(out, &n, line->kernel);
    fclose(out);
    return text;
}

static bool operand_exact(const struct ls_p_values *v, int metric)
{
    return metric < 0 || (size_t)metric >= v->n || !v->present[metric] || !v->estimated[metric];
}

bool ls_value_exact(const struct ls_profile *p, const struct ls_p_values *v, size_t metric)
{
    const struct ls_p_metric *m = &p->metrics[metric];
    if (m->view.role == LANESCOPE_ROLE_TIME && lacks_times(p, v))
        return false;
    if (!m->is_ratio)
        return operand_exact(v, (int)metric);
    return operand_exact(v, m->a) && operand_exact(v, m->b) && operand_exact(v, m->c) &&
           operand_exact(v, m->d);
}

bool ls_line_assumed(const struct ls_profile *p, const struct ls_p_line *line, const char *handler)
{
    double cycles;
    return ls_profile_role_value(p, &line->values, handler, LANESCOPE_ROLE_ASSUMED, &cycles) && cycles > 0;
}

struct ls_exactness ls_kernel_exactness(const struct ls_p_kernel *k)
{
    /* What does an estimated access is among those that nothing explains: it counts once. */
    size_t unexplained = ls_unexplained_count(k);
    size_t more = unexplained > k->estimated ? unexplained - k->estimated : 0;
    return (struct ls_exactness){k->executed + more, k->estimated, more};
}

struct ls_exactness ls_exactness(const struct ls_profile *p)
{
    struct ls_exactness all = {0};
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_exactness e = ls_kernel_exactness(p->kernels[i]);
        all.executed += e.executed;
        all.estimated += e.estimated;
        all.not_counted += e.not_counted;
    }
    return all;
}
