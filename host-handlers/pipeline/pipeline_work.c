/* pipeline_work.c - a dispatch: its messages decoded and given to handlers, their results collected. */
#include <stdlib.h>
#include <string.h>

#include "pipeline_internal.h"
#include "common/vector.h"
#include "messages/decode.h"
#include "lanescope/wire.h"

_Static_assert((int)LANESCOPE_EVENT_BLOCK == LS_KIND_BLOCK && (int)LANESCOPE_EVENT_TIME == LS_KIND_TIME &&
                   (int)LANESCOPE_EVENT_END == LS_KIND_WAVE,
               "events are named as the messages");

struct ls_work {
    struct ls_pipeline *pipeline;
    const struct lanescope_dispatch *dispatch;
    struct ls_unsaid unsaid;
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

/* Several handlers price on one GPU; one of them stands for what is to be told of it. */
static struct registered *first_on(struct ls_pipeline *p, const struct ls_gpu *as)
{
    size_t i = 0;
    while (p->handlers[i]->as != as)
        i++;
    return p->handlers[i];
}

/* Whether the dispatch's wavefronts could have run on the GPU that the handler prices them on. */
static bool fits(struct ls_pipeline *p, struct registered *r, const struct lanescope_dispatch *d)
{
    if (!r->as || ls_gpu_takes_waves(r->as, d->arch, d->lanes))
        return true;
    if (!atomic_exchange(&first_on(p, r->as)->told, true))
        ls_pipeline_log(&p->host, LANESCOPE_LOG_WARNING,
                        "%s runs wavefronts of %u lanes: accesses of wavefronts of %u, those of %s for "
                        "example, are not priced on it",
                        r->as->name, (unsigned)r->as->family->lanes, (unsigned)d->lanes, d->kernel);
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
        ls_pipeline_log(&w->pipeline->host, 0,
                        "out of memory: calls of functions without probes are not counted");
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
    if (r->broken || !fits(p, r, d) || !ls_pipeline_call(p, r, "dispatch_begin", call_begin, &c))
        return;
    if (!c.rc)
        w->handed[i].state = c.out;
    else
        ls_pipeline_log(&p->host, 2, "handler '%s' declined dispatch %llu of %s: %s", r->name,
                        (unsigned long long)d->id, d->kernel, strerror(c.rc < 0 ? -c.rc : c.rc));
}

static struct ls_work *new_work(struct ls_pipeline *p, const struct lanescope_dispatch *d)
{
    struct ls_work *w = calloc(1, sizeof *w + p->n_handlers * sizeof w->handed[0]);
    if (!w)
        return NULL;
    ls_guard_renew();
    w->pipeline = p;
    w->dispatch = d;
    return w;
}

struct ls_work *ls_pipeline_begin(struct ls_pipeline *p, const struct lanescope_dispatch *d,
                                  const struct ls_unsaid *unsaid)
{
    struct ls_work *w = new_work(p, d);
    if (!w)
        return NULL;
    if (unsaid)
        w->unsaid = *unsaid;
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
            ls_pipeline_call(work->pipeline, r, "merge", call_merge, &c);
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
    w->unsaid = work->unsaid;
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
            ls_pipeline_call(w->pipeline, r, "accesses", call_accesses, &c);
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
            ls_pipeline_call(w->pipeline, r, "repeated", call_repeated, &c);
    }
}

static void give_reduced(void *user, const struct lanescope_reduced *reduced)
{
    struct ls_work *w = user;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        struct registered *r = w->pipeline->handlers[i];
        struct call c = {.state = w->handed[i].state, .batch = reduced};
        if (takes(w, i) && ls_handler_reduces(r))
            ls_pipeline_call(w->pipeline, r, "reduced", call_reduced, &c);
    }
}

static void give_events(void *user, const struct lanescope_event *e, size_t n)
{
    struct ls_work *w = user;
    for (size_t i = 0; i < w->pipeline->n_handlers; i++) {
        struct registered *r = w->pipeline->handlers[i];
        struct call c = {.state = w->handed[i].state, .batch = e, .n = n};
        if (takes(w, i) && r->handler->events)
            ls_pipeline_call(w->pipeline, r, "events", call_events, &c);
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
    ls_decode_chunk(chunk, size, work->dispatch->sites, work->dispatch->n_sites, &work->unsaid, &sink, stats);
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
            ls_pipeline_call(work->pipeline, r, "dispatch_end", call_end, &c);
    }
    report_calls(work, sink);
    if (stats)
        *stats = work->stats;
    free(work->calls);
    free(work);
}
