/* pipeline.c - handlers: loaded, asked what they want, closed; their metrics. See pipeline.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline_internal.h"
#include "common/vector.h"

struct ls_pipeline *ls_pipeline_create(void (*log)(void *user, int level, const char *line), void *log_user)
{
    struct ls_pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    ls_guard_install();
    p->log = log;
    p->log_user = log_user;
    ls_pipeline_fill_host(p);
    return p;
}

/* Frees what was registered behind the first `from`, `ratios_from` and `titles_from`. */
static void free_metrics(struct ls_pipeline *p, size_t from, size_t ratios_from, size_t titles_from)
{
    for (size_t i = from; i < p->n_metrics; i++) {
        free((char *)p->metrics[i].name);
        free((char *)p->metrics[i].unit);
        free((char *)p->metrics[i].description);
        free((char *)p->metrics[i].view.title);
    }
    for (size_t i = ratios_from; i < p->n_ratios; i++) {
        free((char *)p->ratios[i].ratio.name);
        free((char *)p->ratios[i].ratio.unit);
        free((char *)p->ratios[i].ratio.description);
        free((char *)p->ratios[i].view.title);
    }
    for (size_t i = titles_from; i < p->n_titles; i++) {
        free((char *)p->titles[i].title);
        free((char *)p->titles[i].clean);
    }
    p->n_titles = titles_from;
    p->n_metrics = from;
    p->n_ratios = ratios_from;
}

static void call_open(void *arg)
{
    struct call *c = arg;
    c->rc = c->to->handler->open(c->host, c->options, &c->out);
}

static void call_close(void *arg)
{
    const struct call *c = arg;
    c->to->handler->close(c->to->self);
}

static void free_handler(struct registered *r)
{
    if (!r->broken) /* code that was left in the middle stays loaded */
        ls_module_close(r->module);
    free(r->name);
    free(r);
}

void ls_pipeline_summary(struct ls_pipeline *p)
{
    p->summary = true;
}

bool ls_handler_reduces(const struct registered *r)
{
    return !r->as && ls_module_reduces(r->module);
}

bool ls_pipeline_reduces(const struct ls_pipeline *p)
{
    for (size_t i = 0; i < p->n_handlers; i++)
        if (p->handlers[i]->handler->accesses && !ls_handler_reduces(p->handlers[i]))
            return false;
    return true;
}

uint32_t ls_pipeline_needs(const struct ls_pipeline *p)
{
    uint32_t needs = 0;
    for (size_t i = 0; i < p->n_handlers; i++)
        needs |= ls_module_needs(p->handlers[i]->module);
    return needs;
}

/* "name" or "name@gpu"; malloc'd. */
static char *name_of(const struct lanescope_handler *h, const struct ls_gpu *as)
{
    char *name = NULL;
    return asprintf(&name, "%s%.*s%s", h->name, as != NULL, (const char[]){LS_AS_MARK, 0},
                    as ? as->name : "") < 0
               ? NULL
               : name;
}

static int load(struct ls_pipeline *p, const char *module_dir, const char *spec, const struct ls_gpu *as,
                char **error)
{
    const size_t metrics = p->n_metrics, ratios = p->n_ratios, titles = p->n_titles;
    struct ls_module *module = ls_module_open(module_dir, spec, error);
    if (!module)
        return -1;
    const struct lanescope_handler *h = ls_module_handler(module);
    if (as && !(ls_module_needs(module) & LANESCOPE_PRICES_ACCESSES)) {
        ls_module_close(module);
        return 0;
    }
    if (p->summary && !ls_module_counts(module)) {
        if (asprintf(error, "handler '%s' needs every single access: it cannot be used in summary mode",
                     h->name) < 0)
            *error = NULL;
        ls_module_close(module);
        return -1;
    }
    struct registered *r = calloc(1, sizeof *r);
    char *name = name_of(h, as);
    struct registered **slot =
        r && name ? ls_pipeline_append((void **)&p->handlers, &p->n_handlers, sizeof *p->handlers) : NULL;
    struct call c = {.host = &p->host, .options = ls_module_options(module), .rc = slot ? 0 : -ENOMEM};
    if (slot) {
        *slot = r;
        *r = (struct registered){.module = module,
                                 .handler = h,
                                 .as = as,
                                 .name = name,
                                 .code = ls_guard_code_of(h->dispatch_begin)};
    }
    p->opening = name;
    bool back = !slot || !h->open || ls_pipeline_call(p, r, "open", call_open, &c);
    p->opening = NULL;
    if (slot && back && !c.rc) {
        r->self = c.out;
        return 0;
    }
    if (asprintf(error, "handler '%s' refused to open: %s", h->name,
                 back ? strerror(c.rc < 0 ? -c.rc : c.rc) : "it crashed or did not return") < 0)
        *error = NULL;
    p->n_handlers -= slot != NULL;
    free_metrics(p, metrics, ratios, titles);
    if (back)
        ls_module_close(module);
    free(name);
    free(r);
    return -1;
}

int ls_pipeline_load(struct ls_pipeline *p, const char *module_dir, const char *spec, char **error)
{
    return load(p, module_dir, spec, NULL, error);
}

int ls_pipeline_load_as(struct ls_pipeline *p, const char *module_dir, const char *spec,
                        const struct ls_gpu *gpu, char **error)
{
    return load(p, module_dir, spec, gpu, error);
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

size_t ls_pipeline_titles(const struct ls_pipeline *p, const struct ls_title_info **out)
{
    *out = p->titles;
    return p->n_titles;
}

void ls_pipeline_destroy(struct ls_pipeline *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_handlers; i++) {
        struct call c = {0};
        if (p->handlers[i]->handler->close && !p->handlers[i]->broken)
            ls_pipeline_call(p, p->handlers[i], "close", call_close, &c);
    }
    free_metrics(p, 0, 0, 0);
    for (size_t i = 0; i < p->n_handlers; i++)
        free_handler(p->handlers[i]);
    free(p->metrics);
    free(p->ratios);
    free(p->titles);
    free(p->handlers);
    free(p);
}
