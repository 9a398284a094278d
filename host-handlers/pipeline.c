/* pipeline.c - handlers, their metrics, and the dispatches that run through them. See pipeline.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"
#include "common/vector.h"
#include "messages/decode.h"
#include "lanescope/wire.h"
#include "guard.h"
#include "modules.h"

_Static_assert((int)LANESCOPE_EVENT_BLOCK == LS_KIND_BLOCK && (int)LANESCOPE_EVENT_TIME == LS_KIND_TIME &&
                   (int)LANESCOPE_EVENT_END == LS_KIND_WAVE,
               "events are named as the messages");

struct registered {
    struct ls_module *module;
    const struct lanescope_handler *handler;
    void *self;
    const struct ls_gpu *as; /* that it prices accesses on; NULL: on the one that made them */
    char *name;              /* of its results */
    atomic_bool told;        /* that wavefronts do not fit that GPU */
    struct ls_guard_code code;
    atomic_bool broken; /* it crashed or hung: never called again */
};

struct ls_pipeline {
    struct lanescope_host host; /* first: handlers hand it back to us */
    void (*log)(void *user, int level, const char *line);
    void *log_user;
    struct registered **handlers;
    size_t n_handlers;
    bool summary;
    const char *opening; /* name of the handler whose open runs */
    struct ls_metric_info *metrics;
    size_t n_metrics;
    struct ls_ratio_info *ratios;
    size_t n_ratios;
    struct ls_title_info *titles;
    size_t n_titles;
    unsigned n_views;
};

struct ls_work {
    struct ls_pipeline *pipeline;
    const struct lanescope_dispatch *dispatch;
    struct ls_leads leads;
    struct ls_chunk_stats stats;
    struct unprobed {
        uint64_t executions, lanes;
    } *calls;      /* per site; NULL: none so far */
    bool one_lane; /* there are sites of the form LANESCOPE_ISA_ONE_LANE */
    bool lacks;    /* a part: a handler has no state in it */
    bool ordered;  /* the chunk at hand is for handlers without `merge` alone: a part has counted it */
    struct handed {
        void *state;                           /* NULL: it declined this dispatch */
        struct lanescope_dispatch as_on_other; /* of a handler that prices accesses on another GPU */
    } handed[];                                /* per handler */
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
    ls_guard_pause();
    if (p->log)
        p->log(p->log_user, level, line);
    ls_guard_resume();
}

/* Grows *array by one zeroed element and returns it; NULL when out of memory. */
static void *append(void **array, size_t *n, size_t size)
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
        n && u && d ? append((void **)&p->metrics, &p->n_metrics, sizeof *p->metrics) : NULL;
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
    struct ls_ratio_info *slot = copy.name && copy.unit && copy.description
                                     ? append((void **)&p->ratios, &p->n_ratios, sizeof *p->ratios)
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
        t && (c || !clean) ? append((void **)&p->titles, &p->n_titles, sizeof *p->titles) : NULL;
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

struct ls_pipeline *ls_pipeline_create(void (*log)(void *user, int level, const char *line), void *log_user)
{
    struct ls_pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    ls_guard_install();
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
        .view = host_view,
        .title = host_title,
    };
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

/* ---- guarded calls of handlers ---- */

/* A call, its arguments and its result. */
struct call {
    const struct registered *to;
    const struct lanescope_host *host;
    const char *options;
    const struct lanescope_dispatch *dispatch;
    void *state;
    const void *batch;
    size_t n;
    struct lanescope_results *results;
    void *out;
    int rc;
};

static void call_open(void *arg)
{
    struct call *c = arg;
    c->rc = c->to->handler->open(c->host, c->options, &c->out);
}

static void call_begin(void *arg)
{
    struct call *c = arg;
    c->rc = c->to->handler->dispatch_begin(c->to->self, c->dispatch, &c->out);
}

static void call_accesses(void *arg)
{
    const struct call *c = arg;
    c->to->handler->accesses(c->state, c->batch, c->n);
}

static void call_repeated(void *arg)
{
    const struct call *c = arg;
    c->to->handler->repeated(c->state, c->batch, c->n);
}

static void call_reduced(void *arg)
{
    const struct call *c = arg;
    c->to->handler->reduced(c->state, c->batch);
}

static void call_events(void *arg)
{
    const struct call *c = arg;
    c->to->handler->events(c->state, c->batch, c->n);
}

static void call_merge(void *arg)
{
    const struct call *c = arg;
    c->to->handler->merge(c->state, c->out);
}

static void call_end(void *arg)
{
    const struct call *c = arg;
    c->to->handler->dispatch_end(c->state, c->results);
}

static void call_close(void *arg)
{
    const struct call *c = arg;
    c->to->handler->close(c->to->self);
}

/* False when the handler had to be left; it is then disabled for good. Its states stay as they are. */
static bool guarded(struct ls_pipeline *p, struct registered *r, const char *what,
                    void (*function)(void *arg), struct call *c)
{
    char why[160];
    c->to = r;
    if (ls_guard_call(&r->code, function, c, why, sizeof why))
        return true;
    r->broken = true;
    host_log(&p->host, 0,
             "handler '%s' %s in %s and is disabled: its results are incomplete; the program goes on",
             r->name, why, what);
    return false;
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

/* What the GPU reduces, it reduces by its own banks. */
static bool reduces(const struct registered *r)
{
    return !r->as && ls_module_reduces(r->module);
}

bool ls_pipeline_reduces(const struct ls_pipeline *p)
{
    for (size_t i = 0; i < p->n_handlers; i++)
        if (p->handlers[i]->handler->accesses && !reduces(p->handlers[i]))
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
        r && name ? append((void **)&p->handlers, &p->n_handlers, sizeof *p->handlers) : NULL;
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
    bool back = !slot || !h->open || guarded(p, r, "open", call_open, &c);
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

static bool is_one_lane(const struct lanescope_dispatch *d, uint32_t site)
{
    const struct lanescope_isa *isa = lanescope_isa_of(d, site);
    return isa && isa->form == LANESCOPE_ISA_ONE_LANE;
}

/* Of an atomic that the hardware does in one lane for all, that lane only. */
static void keep_one_lane(struct lanescope_access *a)
{
    uint64_t addr[64];
    lanescope_addresses(a, addr);
    a->base = addr[__builtin_ctzll(a->exec)];
    a->exec &= -a->exec;
    a->active = 1;
    a->pattern = LANESCOPE_STRIDED;
    a->stride = 0;
    a->words = NULL;
}

/* Whether the dispatch's wavefronts could have run on the GPU that the handler prices them on. */
static bool fits(struct ls_pipeline *p, struct registered *r, const struct lanescope_dispatch *d)
{
    if (!r->as || r->as->family->lanes == d->lanes)
        return true;
    if (!atomic_exchange(&r->told, true))
        host_log(
            &p->host, LANESCOPE_LOG_WARNING,
            "%s runs wavefronts of %u lanes: accesses of %s, whose wavefronts have %u, are not priced on it",
            r->as->name, (unsigned)r->as->family->lanes, d->kernel, (unsigned)d->lanes);
    return false;
}

/* What the handler is told of the dispatch. */
static const struct lanescope_dispatch *dispatch_for(const struct registered *r, struct handed *to,
                                                     const struct lanescope_dispatch *d)
{
    if (!r->as)
        return d;
    to->as_on_other = *d;
    to->as_on_other.arch = r->as->name;
    return &to->as_on_other;
}

/* Calls of functions without probes are no handler's business: they say what no handler can know. */
static void count_call(void *user, uint32_t site, uint64_t executions, uint64_t lanes)
{
    struct ls_work *w = user;
    if (!w->calls)
        w->calls = calloc(w->dispatch->n_sites, sizeof *w->calls);
    if (!w->calls) {
        host_log(&w->pipeline->host, 0, "out of memory: calls of functions without probes are not counted");
        return;
    }
    w->calls[site].executions += executions;
    w->calls[site].lanes += lanes;
}

/* Gives the handler a state in the work; without one it gets nothing of it. */
static void begin_handler(struct ls_work *w, size_t i)
{
    struct ls_pipeline *p = w->pipeline;
    struct registered *r = p->handlers[i];
    const struct lanescope_dispatch *d = w->dispatch;
    struct call c = {.dispatch = dispatch_for(r, &w->handed[i], d)};
    if (r->broken || !fits(p, r, d) || !guarded(p, r, "dispatch_begin", call_begin, &c))
        return;
    if (!c.rc)
        w->handed[i].state = c.out;
    else
        host_log(&p->host, 2, "handler '%s' declined dispatch %llu of %s: %s", r->name,
                 (unsigned long long)d->id, d->kernel, strerror(c.rc < 0 ? -c.rc : c.rc));
}

static struct ls_work *new_work(struct ls_pipeline *p, const struct lanescope_dispatch *d)
{
    struct ls_work *w = calloc(1, sizeof *w + p->n_handlers * sizeof w->handed[0]);
    if (!w)
        return NULL;
    ls_guard_install();
    w->pipeline = p;
    w->dispatch = d;
    return w;
}

struct ls_work *ls_pipeline_begin(struct ls_pipeline *p, const struct lanescope_dispatch *d,
                                  const struct ls_leads *leads)
{
    struct ls_work *w = new_work(p, d);
    if (!w)
        return NULL;
    if (leads)
        w->leads = *leads;
    for (uint32_t i = 0; i < d->n_sites; i++)
        w->one_lane |= is_one_lane(d, i);
    for (size_t i = 0; i < p->n_handlers; i++)
        begin_handler(w, i);
    return w;
}

bool ls_pipeline_has_ordered(const struct ls_pipeline *p)
{
    for (size_t i = 0; i < p->n_handlers; i++)
        if (!p->handlers[i]->handler->merge)
            return true;
    return false;
}

static void add_stats(struct ls_chunk_stats *to, const struct ls_chunk_stats *s)
{
    to->chunks += s->chunks;
    to->bytes += s->bytes;
    to->messages += s->messages;
    to->bad_chunks += s->bad_chunks;
    to->bad_messages += s->bad_messages;
}

void ls_pipeline_join(struct ls_work *work, struct ls_work *part)
{
    for (size_t i = 0; i < work->pipeline->n_handlers; i++) {
        struct registered *r = work->pipeline->handlers[i];
        struct call c = {.state = work->handed[i].state, .out = part->handed[i].state};
        if (c.out && !r->broken)
            guarded(work->pipeline, r, "merge", call_merge, &c);
    }
    for (uint32_t i = 0; part->calls && i < work->dispatch->n_sites; i++)
        if (part->calls[i].executions)
            count_call(work, i, part->calls[i].executions, part->calls[i].lanes);
    add_stats(&work->stats, &part->stats);
    free(part->calls);
    free(part);
}

struct ls_work *ls_pipeline_part(const struct ls_work *work)
{
    struct ls_work *w = new_work(work->pipeline, work->dispatch);
    if (!w)
        return NULL;
    w->one_lane = work->one_lane;
    w->leads = work->leads;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        const struct registered *r = w->pipeline->handlers[i];
        if (!r->handler->merge || !work->handed[i].state)
            continue;
        begin_handler(w, i);
        w->lacks |= !w->handed[i].state && !r->broken;
    }
    return w;
}

bool ls_pipeline_lacks(const struct ls_work *part)
{
    return part->lacks;
}

/* Whether the handler takes what is decoded at the moment. */
static bool takes(const struct ls_work *w, size_t i)
{
    const struct registered *r = w->pipeline->handlers[i];
    return w->handed[i].state && !r->broken && (!w->ordered || !r->handler->merge);
}

static void give_accesses(void *user, const struct lanescope_access *a, size_t n)
{
    struct ls_work *w = user;
    struct lanescope_access done[DECODE_BATCH];
    if (w->one_lane) {
        memcpy(done, a, n * sizeof *a);
        for (size_t i = 0; i < n; i++)
            if (a[i].exec && is_one_lane(w->dispatch, a[i].site))
                keep_one_lane(&done[i]);
        a = done;
    }
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        struct registered *r = w->pipeline->handlers[i];
        struct call c = {.state = w->handed[i].state, .batch = a, .n = n};
        if (takes(w, i) && r->handler->accesses)
            guarded(w->pipeline, r, "accesses", call_accesses, &c);
    }
}

static void give_repeated(void *user, const struct lanescope_access *a, uint64_t count)
{
    struct ls_work *w = user;
    struct lanescope_access done;
    if (a->exec && is_one_lane(w->dispatch, a->site)) {
        done = *a;
        keep_one_lane(&done);
        a = &done;
    }
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        struct registered *r = w->pipeline->handlers[i];
        struct call c = {.state = w->handed[i].state, .batch = a, .n = count};
        if (takes(w, i) && ls_module_counts(r->module))
            guarded(w->pipeline, r, "repeated", call_repeated, &c);
    }
}

static void give_reduced(void *user, const struct lanescope_reduced *reduced)
{
    struct ls_work *w = user;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        struct registered *r = w->pipeline->handlers[i];
        struct call c = {.state = w->handed[i].state, .batch = reduced};
        if (takes(w, i) && reduces(r))
            guarded(w->pipeline, r, "reduced", call_reduced, &c);
    }
}

static void give_events(void *user, const struct lanescope_event *e, size_t n)
{
    struct ls_work *w = user;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        struct registered *r = w->pipeline->handlers[i];
        struct call c = {.state = w->handed[i].state, .batch = e, .n = n};
        if (takes(w, i) && r->handler->events)
            guarded(w->pipeline, r, "events", call_events, &c);
    }
}

static void report_calls(const struct ls_work *w, const struct ls_result_sink *sink)
{
    for (uint32_t i = 0; w->calls && sink && sink->call && i < w->dispatch->n_sites; i++)
        if (w->calls[i].executions)
            sink->call(sink->user, i, w->calls[i].executions, w->calls[i].lanes);
}

static void decode(struct ls_work *work, const void *chunk, size_t size, struct ls_chunk_stats *stats)
{
    const struct decode_sink sink = {.user = work,
                                     .accesses = give_accesses,
                                     .repeated = give_repeated,
                                     .reduced = give_reduced,
                                     .events = give_events,
                                     .call = work->ordered ? NULL : count_call};
    ls_decode_chunk(chunk, size, work->dispatch->sites, work->dispatch->n_sites, &work->leads, &sink, stats);
}

uint64_t ls_pipeline_messages(const struct ls_work *work)
{
    return work->stats.messages;
}

void ls_pipeline_chunk(struct ls_work *work, const void *chunk, size_t size)
{
    decode(work, chunk, size, &work->stats);
}

void ls_pipeline_ordered(struct ls_work *work, const void *chunk, size_t size)
{
    struct ls_chunk_stats counted = {0};
    work->ordered = true;
    decode(work, chunk, size, &counted);
    work->ordered = false;
}

void ls_pipeline_end(struct ls_work *work, const struct ls_result_sink *sink, struct ls_chunk_stats *stats)
{
    for (size_t i = 0; i < work->pipeline->n_handlers; i++) {
        struct registered *r = work->pipeline->handlers[i];
        struct lanescope_results results = {sink, r->name};
        struct call c = {.state = work->handed[i].state, .results = &results};
        if (work->handed[i].state && !r->broken)
            guarded(work->pipeline, r, "dispatch_end", call_end, &c);
    }
    report_calls(work, sink);
    if (stats)
        *stats = work->stats;
    free(work->calls);
    free(work);
}

void ls_pipeline_destroy(struct ls_pipeline *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_handlers; i++) {
        struct call c = {0};
        if (p->handlers[i]->handler->close && !p->handlers[i]->broken)
            guarded(p, p->handlers[i], "close", call_close, &c);
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
