/* copies.c - see copies.h. */
#include "copies.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "hsa-plugin/clock.h"
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/log.h"
#include "hsa-plugin/record/record.h"
#include "times.h"
#include "state.h"
#include "streams.h"

/* A copy under way. */
struct copy {
    struct ls_copy record;
    hsa_signal_t app, own;
    bool failed;        /* the runtime refused it */
    struct copy *along; /* copies that the same signal completes */
    struct copy *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct copy *pool; /* under lock */
static atomic_uint_least64_t n_copies;

/* Numbers under which times.c knows copies must not be those of dispatches. */
static const uint64_t is_copy = 1ull << 63;

static void put(struct copy *c)
{
    pthread_mutex_lock(&lock);
    c->next = pool;
    pool = c;
    pthread_mutex_unlock(&lock);
    ls_drain_ends();
}

/* On a worker. */
static void record(void *copy)
{
    struct copy *c = copy;
    ls_record_copy(&c->record);
    put(c);
}

static void over(struct copy *c)
{
    ls_drain_over();
    if (c->failed || !ls_drain_post(record, c))
        put(c);
}

/* With its own signal at 1; NULL when out of memory or signals. */
static struct copy *get(const struct ls_api *api)
{
    pthread_mutex_lock(&lock);
    struct copy *c = pool;
    if (c)
        pool = c->next;
    pthread_mutex_unlock(&lock);
    if (c) {
        api->core.signal_store_relaxed(c->own, 1);
        return c;
    }
    c = calloc(1, sizeof *c);
    if (c && api->amd_tail.signal_create(1, 0, NULL, 0, &c->own) == HSA_STATUS_SUCCESS)
        return c;
    free(c);
    return NULL;
}

/* On a thread of the runtime's. `value` is below 1: 0, or negative after an error. */
static bool completed(hsa_signal_value_t value, void *data)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    struct copy *c = data;
    hsa_amd_profiling_async_copy_time_t t = {0, 0};
    if (!c->failed) {
        if (api->amd.profiling_get_async_copy_time(c->own, &t) != HSA_STATUS_SUCCESS)
            t.start = t.end = 0;
        c->record.start = t.start;
        c->record.end = t.end;
        /* The program may ask for these times as soon as it sees its signal. */
        ls_times_bind(c->app.handle, c->record.number | is_copy, (hsa_signal_t){0});
        ls_times_final(c->app.handle, c->record.number | is_copy, t.start, t.end);
        if (value < 0)
            api->core.signal_store_screlease(c->app, value);
        else
            api->core.signal_subtract_screlease(c->app, 1);
    }
    for (struct copy *next; c; c = next) {
        next = c->along;
        if (next) {
            next->failed = c->failed;
            next->record.start = c->record.start;
            next->record.end = c->record.end;
        }
        over(c);
    }
    return false; /* once */
}

/* A record of a copy that nothing completes yet; NULL: there shall be none. */
static struct copy *ready(hsa_signal_t app, hsa_agent_t to, hsa_agent_t from, uint64_t bytes)
{
    struct ls_tool *t = app.handle ? ls_tool_get() : NULL;
    struct copy *c = t ? get(&t->api) : NULL;
    if (!c) {
        static atomic_flag told = ATOMIC_FLAG_INIT;
        if (t && !atomic_flag_test_and_set(&told))
            ls_record_note(LS_LOG_WARNING, "not all copies are recorded: out of memory or signals");
        return NULL;
    }
    const struct ls_giver giver = ls_giver();
    c->record.number = atomic_fetch_add(&n_copies, 1) + 1;
    c->app = app;
    c->failed = false;
    c->record.from = ls_agent_of(from);
    c->record.to = ls_agent_of(to);
    c->record.bytes = bytes;
    c->record.start = c->record.end = 0;
    c->record.submit = ls_now_ns();
    c->record.thread = giver.thread;
    c->record.stream = giver.stream;
    c->along = NULL;
    ls_drain_begins();
    return c;
}

/* Readies a copy; NULL: it shall run without us. */
static struct copy *begin(hsa_signal_t app, hsa_agent_t to, hsa_agent_t from, uint64_t bytes)
{
    struct copy *c = ready(app, to, from, bytes);
    if (!c)
        return NULL;
    if (ls_tool_originals()->api.amd.signal_async_handler(c->own, HSA_SIGNAL_CONDITION_LT, 1, completed, c) ==
        HSA_STATUS_SUCCESS)
        return c;
    c->failed = true;
    over(c);
    return NULL;
}

static hsa_signal_t signal_of(const struct copy *c, hsa_signal_t app)
{
    return c ? c->own : app;
}

/* What the runtime refused never signals: then the handler is called by us. */
static hsa_status_t check(struct copy *c, hsa_status_t rc)
{
    if (c && rc != HSA_STATUS_SUCCESS) {
        c->failed = true;
        ls_tool_originals()->api.core.signal_store_screlease(c->own, 0);
    }
    return rc;
}

static hsa_status_t async_copy(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
                               size_t bytes, uint32_t n_waits, const hsa_signal_t *waits, hsa_signal_t done)
{
    struct copy *c = begin(done, to_agent, from_agent, bytes);
    return check(c, ls_tool_originals()->api.amd.memory_async_copy(to, to_agent, from, from_agent, bytes,
                                                                   n_waits, waits, signal_of(c, done)));
}

static hsa_status_t copy_on_engine(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
                                   size_t bytes, uint32_t n_waits, const hsa_signal_t *waits,
                                   hsa_signal_t done, uint32_t engine, bool force_blit)
{
    struct copy *c = begin(done, to_agent, from_agent, bytes);
    return check(c, ls_tool_originals()->api.copy_on_engine(to, to_agent, from, from_agent, bytes, n_waits,
                                                            waits, signal_of(c, done), engine, force_blit));
}

/* A box between pitched allocations; `agent` does the work, and the direction says which side is its. */
static hsa_status_t copy_rect(const hsa_pitched_ptr_t *to, const hsa_dim3_t *to_offset,
                              const hsa_pitched_ptr_t *from, const hsa_dim3_t *from_offset,
                              const hsa_dim3_t *range, hsa_agent_t agent, hsa_amd_copy_direction_t direction,
                              uint32_t n_waits, const hsa_signal_t *waits, hsa_signal_t done)
{
    const hsa_agent_t host = {0};
    bool out = direction == hsaDeviceToHost, in = direction == hsaHostToDevice;
    uint64_t bytes = range ? (uint64_t)range->x * range->y * range->z : 0; /* x counts bytes */
    struct copy *c = begin(done, out ? host : agent, in ? host : agent, bytes);
    return check(c, ls_tool_originals()->api.amd_tail.memory_async_copy_rect(to, to_offset, from, from_offset,
                                                                             range, agent, direction, n_waits,
                                                                             waits, signal_of(c, done)));
}

/* The copies of an operation; the first one has the signal. NULL: it shall run without us. */
static struct copy *begin_operation(const struct ls_copy_op *op)
{
    const bool broadcast = op->type == LS_COPY_BROADCAST, lists = op->n_entries > 0;
    if (op->type >= LS_COPY_OP_TYPES || (broadcast && !lists))
        return NULL;
    struct copy *first = begin(op->done, lists ? op->to_agents[0] : op->to_agent, op->from_agent,
                               lists && !broadcast ? op->list_bytes[0] : op->bytes);
    for (unsigned i = 1; first && i < op->n_entries; i++) {
        struct copy *c =
            ready(op->done, op->to_agents[i], op->from_agent, broadcast ? op->bytes : op->list_bytes[i]);
        if (c) {
            c->along = first->along;
            first->along = c;
        }
    }
    return first;
}

/* The runtime reads the operations during the call. */
static hsa_status_t batch_copy(const struct ls_copy_op *ops, uint32_t n_ops, uint32_t n_waits,
                               const hsa_signal_t *waits)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    struct ls_copy_op *ours = ops && n_ops ? malloc(n_ops * sizeof *ours) : NULL;
    struct copy **copy = ours ? calloc(n_ops, sizeof *copy) : NULL;
    if (!copy) {
        free(ours);
        return api->batch_copy(ops, n_ops, n_waits, waits);
    }
    memcpy(ours, ops, n_ops * sizeof *ours);
    for (uint32_t i = 0; i < n_ops; i++) {
        copy[i] = begin_operation(&ops[i]);
        ours[i].done = signal_of(copy[i], ops[i].done);
    }
    hsa_status_t rc = api->batch_copy(ours, n_ops, n_waits, waits);
    for (uint32_t i = 0; i < n_ops; i++)
        check(copy[i], rc);
    free(copy);
    free(ours);
    return rc;
}

static hsa_status_t copy_enable(bool enable)
{
    /* Times are needed for every copy; a program that switches them off does not notice. */
    if (!enable && ls_tool_get())
        return HSA_STATUS_SUCCESS;
    return ls_tool_originals()->api.amd.profiling_async_copy_enable(enable);
}

static hsa_status_t get_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t *time)
{
    hsa_signal_t own;
    uint64_t start, end;
    if (!time || !ls_times_find(signal.handle, &own, &start, &end) || own.handle || (!start && !end))
        return ls_tool_originals()->api.amd.profiling_get_async_copy_time(signal, time);
    time->start = start;
    time->end = end;
    return HSA_STATUS_SUCCESS;
}

void ls_copies_start(const struct ls_api *api)
{
    api->amd.profiling_async_copy_enable(true);
}

void ls_copies_release(const struct ls_api *api)
{
    pthread_mutex_lock(&lock);
    while (pool) {
        struct copy *c = pool;
        pool = c->next;
        api->core.signal_destroy(c->own);
        free(c);
    }
    pthread_mutex_unlock(&lock);
}

void ls_copies_hooks(struct ls_amd_table *amd)
{
    ls_copy_on_engine *on_engine = ls_api_live_copy_on_engine(amd);
    amd->memory_async_copy = async_copy;
    amd->profiling_async_copy_enable = copy_enable;
    amd->profiling_get_async_copy_time = get_copy_time;
    ls_api_live_tail(amd)->memory_async_copy_rect = copy_rect;
    if (on_engine)
        *on_engine = copy_on_engine;
    ls_batch_copy *batch = ls_api_live_batch_copy(amd);
    if (batch)
        *batch = batch_copy;
}
