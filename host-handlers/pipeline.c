/* pipeline.c - handlers, their metrics, and the dispatches that run through them. See pipeline.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "modules.h"

struct registered {
    struct ls_module *module;
    const struct lanescope_handler *handler;
    void *self;
};

struct ls_pipeline {
    struct lanescope_host host; /* first: handlers hand it back to us */
    void (*log)(void *user, int level, const char *line);
    void *log_user;
    struct registered *handlers;
    size_t n_handlers;
    const char *opening; /* name of the handler whose open runs */
    struct ls_metric_info *metrics;
    size_t n_metrics;
    struct ls_ratio_info *ratios;
    size_t n_ratios;
};

struct ls_work {
    struct ls_pipeline *pipeline;
    const struct lanescope_dispatch *dispatch;
    struct ls_chunk_stats stats;
    void *states[]; /* per handler; NULL: it declined this dispatch */
};

struct lanescope_results {
    const struct ls_result_sink *sink;
    const char *handler;
};

__attribute__((format(printf, 3, 4))) static void host_log(const struct lanescope_host *h, int level,
                                                           const char *format, ...)
{
    const struct ls_pipeline *p = (const struct ls_pipeline *)h;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (p->log)
        p->log(p->log_user, level, line);
}

/* Grows *array by one zeroed element and returns it. */
static void *append(void **array, size_t *n, size_t size)
{
    char *grown = realloc(*array, (*n + 1) * size);
    if (!grown)
        return NULL;
    *array = grown;
    memset(grown + *n * size, 0, size);
    return grown + (*n)++ * size;
}

static uint32_t host_metric(const struct lanescope_host *h, const char *name, const char *unit,
                            const char *description)
{
    struct ls_pipeline *p = h->user;
    char *n = strdup(name), *u = strdup(unit), *d = strdup(description);
    struct ls_metric_info *m =
        n && u && d ? append((void **)&p->metrics, &p->n_metrics, sizeof *p->metrics) : NULL;
    if (!m) {
        free(n);
        free(u);
        free(d);
        return 0;
    }
    *m = (struct ls_metric_info){p->opening, n, u, d};
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
    struct ls_ratio_info *slot = copy.name && copy.unit && copy.description
                                     ? append((void **)&p->ratios, &p->n_ratios, sizeof *p->ratios)
                                     : NULL;
    if (!slot) {
        free((char *)copy.name);
        free((char *)copy.unit);
        free((char *)copy.description);
        return -ENOMEM;
    }
    *slot = (struct ls_ratio_info){p->opening, copy};
    return 0;
}

static void host_add(struct lanescope_results *r, uint32_t site, uint32_t metric, int64_t value)
{
    if (r->sink && r->sink->value)
        r->sink->value(r->sink->user, site, metric, value);
}

static void host_row(struct lanescope_results *r, const char *table, uint32_t site, const char *json)
{
    if (r->sink && r->sink->row)
        r->sink->row(r->sink->user, r->handler, table, site, json);
}

struct ls_pipeline *ls_pipeline_create(void (*log)(void *user, int level, const char *line), void *log_user)
{
    struct ls_pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->log = log;
    p->log_user = log_user;
    p->host = (struct lanescope_host){
        .size = sizeof p->host,
        .abi = LANESCOPE_HANDLER_ABI,
        .user = p,
        .log = host_log,
        .metric = host_metric,
        .ratio = host_ratio,
        .add = host_add,
        .row = host_row,
    };
    return p;
}

static void free_metrics(struct ls_pipeline *p, size_t from, size_t ratios_from)
{
    for (size_t i = from; i < p->n_metrics; i++) {
        free((char *)p->metrics[i].name);
        free((char *)p->metrics[i].unit);
        free((char *)p->metrics[i].description);
    }
    for (size_t i = ratios_from; i < p->n_ratios; i++) {
        free((char *)p->ratios[i].ratio.name);
        free((char *)p->ratios[i].ratio.unit);
        free((char *)p->ratios[i].ratio.description);
    }
    p->n_metrics = from;
    p->n_ratios = ratios_from;
}

int ls_pipeline_load(struct ls_pipeline *p, const char *module_dir, const char *spec, char **error)
{
    const size_t metrics = p->n_metrics, ratios = p->n_ratios;
    struct ls_module *module = ls_module_open(module_dir, spec, error);
    if (!module)
        return -1;
    const struct lanescope_handler *h = ls_module_handler(module);
    struct registered *slot = append((void **)&p->handlers, &p->n_handlers, sizeof *p->handlers);
    p->opening = h->name;
    int rc = !slot ? -ENOMEM : h->open ? h->open(&p->host, ls_module_options(module), &slot->self) : 0;
    p->opening = NULL;
    if (!rc) {
        slot->module = module;
        slot->handler = h;
        return 0;
    }
    if (asprintf(error, "handler '%s' refused to open: %s", h->name, strerror(rc < 0 ? -rc : rc)) < 0)
        *error = NULL;
    p->n_handlers -= slot != NULL;
    free_metrics(p, metrics, ratios);
    ls_module_close(module);
    return -1;
}

size_t ls_pipeline_metrics(const struct ls_pipeline *p, const struct ls_metric_info **out)
{
    *out = p->metrics;
    return p->n_metrics;
}

size_t ls_pipeline_ratios(const struct ls_pipeline *p, const struct ls_ratio_info **out)
{
    *out = p->ratios;
    return p->n_ratios;
}

struct ls_work *ls_pipeline_begin(struct ls_pipeline *p, const struct lanescope_dispatch *d)
{
    struct ls_work *w = calloc(1, sizeof *w + p->n_handlers * sizeof w->states[0]);
    if (!w)
        return NULL;
    w->pipeline = p;
    w->dispatch = d;
    for (size_t i = 0; i < p->n_handlers; i++) {
        const struct registered *r = &p->handlers[i];
        int rc = r->handler->dispatch_begin(r->self, d, &w->states[i]);
        if (rc) {
            w->states[i] = NULL;
            host_log(&p->host, 2, "handler '%s' declined dispatch %llu of %s: %s", r->handler->name,
                     (unsigned long long)d->id, d->kernel, strerror(rc < 0 ? -rc : rc));
        }
    }
    return w;
}

static void give_accesses(void *user, const struct lanescope_access *a, size_t n)
{
    struct ls_work *w = user;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        const struct lanescope_handler *h = w->pipeline->handlers[i].handler;
        if (w->states[i] && h->accesses)
            h->accesses(w->states[i], a, n);
    }
}

static void give_events(void *user, const struct lanescope_event *e, size_t n)
{
    struct ls_work *w = user;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        const struct lanescope_handler *h = w->pipeline->handlers[i].handler;
        if (w->states[i] && h->events)
            h->events(w->states[i], e, n);
    }
}

void ls_pipeline_chunk(struct ls_work *work, const void *chunk, size_t size)
{
    const struct decode_sink sink = {work, give_accesses, give_events};
    ls_decode_chunk(chunk, size, work->dispatch->sites, work->dispatch->n_sites, &sink, &work->stats);
}

void ls_pipeline_end(struct ls_work *work, const struct ls_result_sink *sink, struct ls_chunk_stats *stats)
{
    for (size_t i = 0; i < work->pipeline->n_handlers; i++) {
        const struct lanescope_handler *h = work->pipeline->handlers[i].handler;
        struct lanescope_results r = {sink, h->name};
        if (work->states[i])
            h->dispatch_end(work->states[i], &r);
    }
    if (stats)
        *stats = work->stats;
    free(work);
}

void ls_pipeline_destroy(struct ls_pipeline *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_handlers; i++) {
        if (p->handlers[i].handler->close)
            p->handlers[i].handler->close(p->handlers[i].self);
    }
    free_metrics(p, 0, 0);
    for (size_t i = 0; i < p->n_handlers; i++)
        ls_module_close(p->handlers[i].module);
    free(p->metrics);
    free(p->ratios);
    free(p->handlers);
    free(p);
}
