/* Metrics and handlers of a profile, and the values of both (profile.h). */
#include "profile_internal.h"
#include "results/reader/saturate.h"

#include <string.h>

/* A handler's results as on another GPU carry that GPU's name behind an '@' (host-handlers/pipeline/modules.h). */
enum { AS_MARK = '@' };

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

int profile_metric_of(const struct profile_adding *a, int64_t id)
{
    const struct ls_r_metric *m = ls_results_metric(a->r, id);
    return m ? a->metric_of[m - a->r->metrics] : -1;
}

bool profile_wants(const struct ls_profile *p, const char *handler)
{
    const char *as = strrchr(handler, AS_MARK);
    return p->as ? as && !strcmp(as + 1, p->as) : !as;
}

const char *profile_keep_handler(struct ls_profile *p, const char *handler)
{
    const char *as = strrchr(handler, AS_MARK);
    const size_t n = as ? (size_t)(as - handler) : strlen(handler);
    char *name = ls_arena_alloc(&p->arena, n + 1);
    memcpy(name, handler, n);
    return name;
}

void profile_add_metrics(struct profile_adding *a)
{
    struct ls_profile *p = a->p;
    for (size_t pass = 0; pass < 2; pass++) { /* ratios after what they are made of */
        for (size_t i = 0; i < a->r->n_metrics; i++) {
            const struct ls_r_metric *m = &a->r->metrics[i];
            if (m->is_ratio != (pass == 1) || !profile_wants(p, m->handler))
                continue;
            const char *handler = profile_keep_handler(p, m->handler);
            int at = ls_profile_metric(p, handler, m->name);
            if (at < 0) {
                at = (int)p->n_metrics;
                *LS_PUSH(p->metrics, p->n_metrics) = (struct ls_p_metric){handler,
                                                                          profile_keep(p, m->name),
                                                                          profile_keep(p, m->unit),
                                                                          profile_keep(p, m->description),
                                                                          m->is_ratio,
                                                                          m->scale,
                                                                          profile_metric_of(a, m->a),
                                                                          profile_metric_of(a, m->b),
                                                                          profile_metric_of(a, m->c),
                                                                          profile_metric_of(a, m->d),
                                                                          m->view};
                if (m->view.title)
                    p->metrics[at].view.title = profile_keep(p, m->view.title);
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
    const char *kept = profile_keep(p, text ? text : title);
    free(text);
    return kept;
}

void profile_add_handlers(struct profile_adding *a)
{
    for (size_t i = 0; i < a->r->n_handlers; i++) {
        const struct ls_r_handler *h = &a->r->handlers[i];
        if (!profile_wants(a->p, h->name))
            continue;
        const char *name = profile_keep_handler(a->p, h->name);
        if (!ls_profile_handler(a->p, name))
            *LS_PUSH(a->p->handlers, a->p->n_handlers) = (struct ls_p_handler){
                name, title_of(a->p, h->title), h->clean ? profile_keep(a->p, h->clean) : NULL};
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

void profile_add_lanes_ratio(struct ls_profile *p)
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

void profile_add_value(struct ls_profile *p, struct ls_p_values *v, size_t metric, int64_t value,
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
