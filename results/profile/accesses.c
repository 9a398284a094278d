/*
 * accesses.c - how many accesses handlers count together. Those of LDS and of other memory are the work of two
 * handlers; two that count the same ones are told by lines of one address space with numbers of both.
 */
#include "accesses.h"
#include "results/reader/arena.h"

#include <string.h>

#define MOST_COUNTERS 16 /* handlers that count accesses: more are not looked at */

/* A handler's numbers of some lines. */
struct counter {
    int metric; /* its active lanes */
    double executions, lanes;
};

static bool counts_lanes(const struct ls_p_metric *m)
{
    return m->view.role == LANESCOPE_ROLE_LANES && !m->is_ratio;
}

/* Handlers with numbers of both roles, most executions first; of equals the first one. */
static size_t counters_of(const struct ls_profile *p, const struct ls_p_values *v, const char *handler,
                          struct counter list[MOST_COUNTERS])
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_metrics && n < MOST_COUNTERS; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        struct counter c = {.metric = (int)i};
        if (!counts_lanes(m) || (handler && strcmp(m->handler, handler)) ||
            !ls_profile_value(p, v, i, &c.lanes) ||
            !ls_profile_role_value(p, v, m->handler, LANESCOPE_ROLE_EXECUTIONS, &c.executions))
            continue;
        size_t at = n++;
        for (; at > 0 && list[at - 1].executions < c.executions; at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
    return n;
}

static bool are_rivals(const struct ls_profile *p, int a, int b)
{
    for (size_t i = 0; i < p->n_rivals; i++)
        if ((p->rivals[i].a == a && p->rivals[i].b == b) || (p->rivals[i].a == b && p->rivals[i].b == a))
            return true;
    return false;
}

bool ls_accesses(const struct ls_profile *p, const struct ls_p_values *v, const char *handler,
                 double *executions, double *lanes)
{
    struct counter list[MOST_COUNTERS];
    double active = 0;
    *executions = 0;
    for (size_t i = 0, n = counters_of(p, v, handler, list), taken = 0; i < n; i++) {
        bool again = false;
        for (size_t j = 0; j < taken; j++)
            again |= are_rivals(p, list[j].metric, list[i].metric);
        if (again)
            continue;
        active += list[i].lanes;
        *executions += list[i].executions;
        list[taken++] = list[i];
    }
    *lanes = *executions > 0 ? active / *executions : 0;
    return *executions > 0;
}

/* Flat accesses go to LDS and to other memory: two handlers that have numbers of one count different parts. */
static void find_rivals_of(struct ls_profile *p, const struct ls_p_line *line)
{
    struct counter list[MOST_COUNTERS];
    size_t n = strcmp(line->space, "flat") != 0 ? counters_of(p, &line->values, NULL, list) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!are_rivals(p, list[i].metric, list[j].metric))
                *LS_PUSH(p->rivals, p->n_rivals) = (struct ls_p_rivals){list[i].metric, list[j].metric};
}

void ls_accesses_find_rivals(struct ls_profile *p)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            find_rivals_of(p, p->kernels[i]->lines[j]);
}
