/* pipeline_host.c - what handlers call, and guarded calls of them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline_internal.h"
#include "common/vector.h"

void ls_pipeline_log(const struct lanescope_host *h, int level, const char *format, ...)
{
    const struct ls_pipeline *p = (const struct ls_pipeline *)h;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ls_guard_pause();
    if (p->log)
        p->log(p->log_user, level, line);
    ls_guard_resume();
}

void *ls_pipeline_append(void **array, size_t *n, size_t size)
{
    char *grown = ls_grown(*array, *n, size);
    if (!grown)
        return NULL;
    *array = grown;
    return memset(grown + (*n)++ * size, 0, size);
}

static uint32_t host_metric(const struct lanescope_host *h, const char *name, const char *unit,
                            const char *description)
{
    struct ls_pipeline *p = h->user;
    char *n = strdup(name), *u = strdup(unit), *d = strdup(description);
    ls_guard_pause();
    struct ls_metric_info *m =
        n && u && d ? ls_pipeline_append((void **)&p->metrics, &p->n_metrics, sizeof *p->metrics) : NULL;
    ls_guard_resume();
    if (!m) {
        free(n);
        free(u);
        free(d);
        return 0;
    }
    *m = (struct ls_metric_info){.handler = p->opening, .name = n, .unit = u, .description = d};
    return (uint32_t)p->n_metrics;
}

static int host_ratio(const struct lanescope_host *h, const struct lanescope_ratio *r)
{
    struct ls_pipeline *p = h->user;
    if (r->a > p->n_metrics || r->b > p->n_metrics || r->c > p->n_metrics || r->d > p->n_metrics)
        return -EINVAL;
    struct lanescope_ratio copy = *r;
    copy.name = strdup(r->name);
    copy.unit = strdup(r->unit);
    copy.description = strdup(r->description);
    ls_guard_pause();
    struct ls_ratio_info *slot =
        copy.name && copy.unit && copy.description
            ? ls_pipeline_append((void **)&p->ratios, &p->n_ratios, sizeof *p->ratios)
            : NULL;
    ls_guard_resume();
    if (!slot) {
        free((char *)copy.name);
        free((char *)copy.unit);
        free((char *)copy.description);
        return -ENOMEM;
    }
    *slot = (struct ls_ratio_info){.handler = p->opening, .ratio = copy};
    return 0;
}

/* Where the view of a metric or ratio of the opening handler is kept; NULL: there is none of that name. */
static struct ls_view_info *view_of(struct ls_pipeline *p, const char *name)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (p->metrics[i].handler == p->opening && !strcmp(p->metrics[i].name, name))
            return &p->metrics[i].view;
    for (size_t i = 0; i < p->n_ratios; i++)
        if (p->ratios[i].handler == p->opening && !strcmp(p->ratios[i].ratio.name, name))
            return &p->ratios[i].view;
    return NULL;
}

static int host_view(const struct lanescope_host *h, const char *name, const struct lanescope_view *v)
{
    struct ls_pipeline *p = h->user;
    struct ls_view_info *view = view_of(p, name);
    char *title = NULL;
    if (!view)
        return -ENOENT;
    if (v->size < offsetof(struct lanescope_view, cost) + sizeof v->cost || v->show > LANESCOPE_SHOW_EXPORT)
        return -EINVAL;
    const bool has_role = v->size >= offsetof(struct lanescope_view, role) + sizeof v->role;
    if (v->title && !(title = strdup(v->title)))
        return -ENOMEM;
    free((char *)view->title);
    *view = (struct ls_view_info){.title = title,
                                  .direction = (v->direction > 0) - (v->direction < 0),
                                  .excess = (v->excess > 0) - (v->excess < 0),
                                  .show = v->show,
                                  .cost = v->cost != 0,
                                  .role = has_role ? v->role : LANESCOPE_ROLE_NONE,
                                  .position = ++p->n_views};
    return 0;
}

static int host_title(const struct lanescope_host *h, const char *title, const char *clean)
{
    struct ls_pipeline *p = h->user;
    char *t = strdup(title), *c = clean ? strdup(clean) : NULL;
    ls_guard_pause();
    struct ls_title_info *slot =
        t && (c || !clean) ? ls_pipeline_append((void **)&p->titles, &p->n_titles, sizeof *p->titles) : NULL;
    ls_guard_resume();
    if (!slot) {
        free(t);
        free(c);
        return -ENOMEM;
    }
    *slot = (struct ls_title_info){p->opening, t, c};
    return 0;
}

static void host_add(struct lanescope_results *r, uint32_t site, uint32_t metric, int64_t value)
{
    ls_guard_pause();
    if (r->sink && r->sink->value)
        r->sink->value(r->sink->user, site, metric, value);
    ls_guard_resume();
}

static void host_row(struct lanescope_results *r, const char *table, uint32_t site, const char *json)
{
    /* Looking at the handler's texts may crash; storing them must not be interrupted. */
    size_t length = strlen(table) + strlen(json);
    ls_guard_pause();
    if (length && r->sink && r->sink->row)
        r->sink->row(r->sink->user, r->handler, table, site, json);
    ls_guard_resume();
}

void ls_pipeline_fill_host(struct ls_pipeline *p)
{
    p->host = (struct lanescope_host){
        .size = sizeof p->host,
        .abi = LANESCOPE_HANDLER_ABI,
        .user = p,
        .log = ls_pipeline_log,
        .metric = host_metric,
        .ratio = host_ratio,
        .add = host_add,
        .row = host_row,
        .view = host_view,
        .title = host_title,
    };
}

bool ls_pipeline_call(struct ls_pipeline *p, struct registered *r, const char *what,
                      void (*function)(void *arg), struct call *c)
{
    char why[160];
    c->to = r;
    if (ls_guard_call(&r->code, function, c, why, sizeof why))
        return true;
    r->broken = true;
    ls_pipeline_log(&p->host, 0,
                    "handler '%s' %s in %s and is disabled: its results are incomplete; the program goes on",
                    r->name, why, what);
    return false;
}
