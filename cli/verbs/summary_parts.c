/* summary_parts.c - see summary_parts.h. */
#include "summary_parts.h"
#include "results/reader/arena.h"
#include "results/reader/saturate.h"
#include "results/profile/unexplained.h"

#include <stdlib.h>
#include <string.h>

struct summary_counts summary_count(const struct ls_profile *p)
{
    struct summary_counts c = {0};
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        c.dispatches = ls_add(c.dispatches, k->dispatches, NULL);
        c.observed = ls_add(c.observed, k->observed, NULL);
        c.dropped = ls_add(c.dropped, k->dropped, NULL);
        c.unlisted = ls_add(c.unlisted, k->unlisted, NULL);
        c.instructions +=
            k->observed ? k->instructions : 0; /* of others it says nothing that they have probes */
        c.covered += k->observed ? k->instructions_observed : 0;
        c.instrumented += !k->not_instrumented;
        c.alone += k->not_instrumented && k->alone;
        c.unexplained += ls_unexplained_count(k);
        c.contradictions += k->contradictions;
    }
    return c;
}

static void consider(struct summary_worst *w, const struct ls_profile *p, const struct ls_p_kernel *k,
                     const struct ls_table *t)
{
    double weight = ls_line_weight(p, t->handler, t->rows[0]);
    size_t i = 0;
    while (i < w->n && strcmp(w->list[i].table->handler, t->handler))
        i++;
    if (i == w->n)
        *LS_PUSH(w->list, w->n) = (struct summary_line){k, t->rows[0], weight, t};
    else if (w->list[i].table->by_count) /* times are missing: no other kernel's is known to be more */
        return;
    else if (weight > w->list[i].weight || t->by_count)
        w->list[i] = (struct summary_line){k, t->rows[0], weight, t};
}

void summary_find_worst(struct summary_worst *w, const struct ls_profile *p)
{
    const struct ls_table_options o = {.sort = -1, .top = 1};
    *w = (struct summary_worst){.tables = ls_realloc(NULL, (p->n_kernels + 1) * sizeof(*w->tables)),
                                .n_tables = ls_realloc(NULL, (p->n_kernels + 1) * sizeof(*w->n_tables)),
                                .n_kernels = p->n_kernels};
    for (size_t i = 0; i < p->n_kernels; i++) {
        w->tables[i] = ls_tables(p, p->kernels[i], &o, &w->n_tables[i]);
        for (size_t j = 0; j < w->n_tables[i]; j++)
            consider(w, p, p->kernels[i], &w->tables[i][j]);
    }
}

void summary_worst_free(struct summary_worst *w)
{
    for (size_t i = 0; i < w->n_kernels; i++)
        ls_tables_free(w->tables[i], w->n_tables[i]);
    free(w->tables);
    free(w->n_tables);
    free(w->list);
}
