/*
 * queue_create.c - see queue_create.h. Every way to a compute queue ends in an intercept queue of ROCr that
 * has the packets' handler registered.
 */
#include "queue_create.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "hsa-plugin/transport/agent.h"
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/log.h"
#include "hsa-plugin/record/record.h"
#include "state.h"

static ls_packet_handler handle_packets;

/* The application's own queue pointer is handed to its error callback by ROCr; all we add is that the
 * dispatches in flight are given up. */
static void on_error(hsa_status_t status, hsa_queue_t *source, void *data)
{
    struct ls_queue *q = data;
    if (status != HSA_STATUS_SUCCESS)
        atomic_store(&q->dead, true);
    if (q->callback)
        q->callback(status, source, q->callback_data);
}

/* Whether hsa_queue_create in the table is still ROCr's own: then nobody else intercepts, and the queue can
 * be made an intercept queue at once instead of being made twice. */
static bool nobody_before_us(const struct ls_api *api)
{
    Dl_info a, b;
    void *rocr = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *init = rocr ? dlsym(rocr, "hsa_init") : NULL;
    bool same = init && dladdr(init, &a) && dladdr((void *)(uintptr_t)api->core.queue_create, &b) &&
                a.dli_fbase == b.dli_fbase;
    if (rocr)
        dlclose(rocr);
    return same;
}

/* What hsa_queue_create is told. */
struct wanted {
    hsa_agent_t agent;
    uint32_t size;
    hsa_queue_type32_t type;
    ls_queue_error callback;
    void *data;
    uint32_t private_size, group_size;
    bool intercept; /* by another tool, with hsa_amd_queue_intercept_create */
};

/* A GPU has one cooperative queue. ROCr counts who asks for it, and frees it behind the last one (GpuAgent::GWSRelease); but an
 * intercept queue around it, when destroyed, frees it at once, and ROCr uses it afterwards. So there is one of ours, too, for all
 * who ask, which is never destroyed; what it is made of is asked for once more, to be given back when nobody uses it. With other
 * tools' queues under or above ours it is theirs to do. */
static bool is_shared(const struct wanted *w)
{
    return w->type == HSA_QUEUE_TYPE_COOPERATIVE && !w->intercept &&
           nobody_before_us(&ls_tool_originals()->api);
}

static hsa_status_t plain_create(const struct ls_api *api, const struct wanted *w, hsa_queue_t **queue)
{
    return (w->intercept ? api->amd_tail.queue_intercept_create : api->core.queue_create)(
        w->agent, w->size, w->type, w->callback, w->data, w->private_size, w->group_size, queue);
}

static hsa_status_t make_intercepted(const struct ls_api *api, struct wanted w, struct ls_queue *q)
{
    hsa_status_t rc;
    if (!w.intercept && !nobody_before_us(api)) {
        rc = plain_create(api, &w, &q->hsa);
        if (rc != HSA_STATUS_SUCCESS)
            return rc;
        if (api->amd_tail.queue_intercept_register(q->hsa, handle_packets, q) == HSA_STATUS_SUCCESS)
            return HSA_STATUS_SUCCESS;
        api->core.queue_destroy(q->hsa);
    }
    w.intercept = true;
    rc = plain_create(api, &w, &q->hsa);
    if (rc != HSA_STATUS_SUCCESS)
        return rc;
    rc = api->amd_tail.queue_intercept_register(q->hsa, handle_packets, q);
    if (rc != HSA_STATUS_SUCCESS)
        api->core.queue_destroy(q->hsa);
    return rc;
}

static void tell_not_intercepted(void)
{
    ls_log(LS_LOG_WARNING, "a queue could not be intercepted: its kernels are not recorded");
    ls_record_note(LS_LOG_WARNING, "a queue could not be intercepted: its kernels are not recorded");
}

static hsa_status_t create_own(const struct wanted *w, hsa_queue_t **queue)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    struct ls_agent *a = ls_tool_get() ? ls_agent_of(w->agent) : NULL;
    struct ls_queue *q = a && queue ? calloc(1, sizeof *q) : NULL;
    if (q) {
        struct wanted ours = *w;
        q->agent = a;
        q->cooperative = w->type == HSA_QUEUE_TYPE_COOPERATIVE;
        q->callback = w->callback;
        q->callback_data = w->data;
        ours.callback = w->callback ? on_error : NULL;
        ours.data = q;
        if (make_intercepted(api, ours, q) == HSA_STATUS_SUCCESS) {
            api->amd.profiling_set_profiler_enabled(q->hsa, 1);
            ls_drain_add_queue(q);
            *queue = q->hsa;
            return HSA_STATUS_SUCCESS;
        }
    }
    free(q);
    hsa_status_t rc = plain_create(api, w, queue);
    if (rc == HSA_STATUS_SUCCESS && a)
        tell_not_intercepted();
    return rc;
}

/* The cooperative queue that the agent has already; NULL: none. */
static struct ls_queue *kept_of(hsa_agent_t agent)
{
    for (struct ls_queue *q = ls_drain_queues(); q; q = q->next)
        if (q->kept && q->agent->hsa.handle == agent.handle)
            return q;
    return NULL;
}

static pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER; /* `kept` and `users` of all queues */

/* Under the lock. */
static hsa_status_t create_shared(const struct wanted *w, hsa_queue_t **queue)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    hsa_queue_t *itself = NULL;
    struct ls_queue *q = kept_of(w->agent);
    if (q) {
        q->users++;
        *queue = q->hsa;
        return HSA_STATUS_SUCCESS;
    }
    hsa_status_t rc = plain_create(api, w, &itself);
    if (rc != HSA_STATUS_SUCCESS)
        return rc;
    rc = create_own(w, queue);
    q = rc == HSA_STATUS_SUCCESS ? ls_queue_of(*queue) : NULL;
    if (!q) {
        api->core.queue_destroy(itself);
        return rc;
    }
    q->kept = itself;
    q->users = 1;
    return rc;
}

static hsa_status_t create(const struct wanted *w, hsa_queue_t **queue)
{
    if (!queue || !ls_tool_get() || !ls_agent_of(w->agent) || !is_shared(w))
        return create_own(w, queue);
    pthread_mutex_lock(&sharing);
    hsa_status_t rc = create_shared(w, queue);
    pthread_mutex_unlock(&sharing);
    return rc;
}

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 ls_queue_error callback, void *data, uint32_t private_size,
                                 uint32_t group_size, hsa_queue_t **queue)
{
    return create(&(struct wanted){agent, size, type, callback, data, private_size, group_size, false},
                  queue);
}

/* Other tools make their intercept queues with it, past hsa_queue_create. */
static hsa_status_t queue_intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                           ls_queue_error callback, void *data, uint32_t private_size,
                                           uint32_t group_size, hsa_queue_t **queue)
{
    return create(&(struct wanted){agent, size, type, callback, data, private_size, group_size, true}, queue);
}

/* ---- hsa_amd_queue_create ---- */

static bool zero(const void *p, size_t n)
{
    const unsigned char *b = p;
    while (n && !*b)
        b++, n--;
    return n == 0;
}

/* A description that we understand to the last field. Where the ring lies (flags) makes no difference to what
 * the program can do with it. */
static bool understood(const struct ls_queue_description *d)
{
    return d->version == 1 && d->engine == 0 && d->bytes &&
           d->bytes % sizeof(hsa_kernel_dispatch_packet_t) == 0 && !d->traffic_class &&
           zero(d->reserved0, sizeof d->reserved0) && zero(d->reserved1, sizeof d->reserved1) &&
           zero(d->reserved2, sizeof d->reserved2);
}

static hsa_status_t queue_destroy(hsa_queue_t *queue);

static hsa_status_t create_described(hsa_agent_t agent, struct ls_queue_description *d)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    /* No field tells the size of the group segment: the runtime takes its default. */
    struct wanted w = {agent,      d->bytes / (uint32_t)sizeof(hsa_kernel_dispatch_packet_t),
                       d->type,    d->callback,
                       d->data,    d->private_segment_size,
                       UINT32_MAX, false};
    d->queue = NULL;
    hsa_status_t rc = create(&w, &d->queue);
    if (rc == HSA_STATUS_SUCCESS && d->priority != HSA_AMD_QUEUE_PRIORITY_NORMAL)
        rc = api->amd_tail.queue_set_priority(d->queue, d->priority);
    if (rc == HSA_STATUS_SUCCESS && d->cu_mask_bits)
        rc = api->amd.queue_cu_set_mask(d->queue, d->cu_mask_bits, d->cu_mask);
    if (rc != HSA_STATUS_SUCCESS && d->queue) {
        queue_destroy(d->queue);
        d->queue = NULL;
    }
    return rc;
}

/* Queues that could be made stay, whatever becomes of the others; the first error is the result. */
static hsa_status_t amd_queue_create(hsa_agent_t agent, struct ls_queue_description *d, uint32_t n)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    hsa_status_t first = HSA_STATUS_SUCCESS;
    if (!d || !n || !ls_tool_get() || !ls_agent_of(agent))
        return api->amd_queue_create(agent, d, n);
    for (uint32_t i = 0; i < n; i++) {
        hsa_status_t rc;
        if (understood(&d[i])) {
            rc = create_described(agent, &d[i]);
        } else {
            rc = api->amd_queue_create(agent, &d[i], 1);
            if (rc == HSA_STATUS_SUCCESS && d[i].engine == 0)
                tell_not_intercepted();
        }
        if (first == HSA_STATUS_SUCCESS)
            first = rc;
    }
    return first;
}

/* Shared queues of ROCr 10, which cannot be made as intercept queues. */
static hsa_status_t counted_queue_acquire(hsa_agent_t agent, hsa_queue_type_t type,
                                          hsa_amd_queue_priority_t priority, ls_queue_error callback,
                                          void *data, uint64_t flags, hsa_queue_t **queue)
{
    hsa_status_t rc =
        ls_tool_originals()->api.counted_queue_acquire(agent, type, priority, callback, data, flags, queue);
    if (rc == HSA_STATUS_SUCCESS && ls_tool_get())
        tell_not_intercepted();
    return rc;
}

/* ---- the end of a queue ---- */

struct ls_queue *ls_queue_of(const hsa_queue_t *hsa)
{
    for (struct ls_queue *q = ls_drain_queues(); q; q = q->next)
        if (q->hsa == hsa)
            return q;
    return NULL;
}

/* One user of a shared queue is gone: whether others are left. With none *itself is what it was made of, and who asks now gets another
 * one. */
static bool others_use(struct ls_queue *q, hsa_queue_t **itself)
{
    pthread_mutex_lock(&sharing);
    const bool others = q->kept && --q->users;
    if (!others) {
        *itself = q->kept;
        q->kept = NULL;
    }
    pthread_mutex_unlock(&sharing);
    return others;
}

/* As often as it was asked for: for us, and for the intercept queue. */
static hsa_status_t give_back(hsa_queue_t *itself)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    api->core.queue_destroy(itself);
    return api->core.queue_destroy(itself);
}

static hsa_status_t queue_destroy(hsa_queue_t *queue)
{
    struct ls_tool *t = ls_tool_get();
    struct ls_queue *q = ls_queue_of(queue);
    hsa_queue_t *itself = NULL;
    if (q && others_use(q, &itself))
        return HSA_STATUS_SUCCESS;
    if (q && t) {
        /* The runtime would drop what is in flight; the application normally has waited for it. */
        if (!ls_drain_wait(q, t->config.finish_timeout)) {
            atomic_store(&q->dead, true);
            ls_drain_wait(q, 1);
        }
    }
    if (q)
        q->hsa = NULL; /* its address may come back with another queue */
    return itself ? give_back(itself) : ls_tool_originals()->api.core.queue_destroy(queue);
}

void ls_queue_create_hooks(struct ls_core_table *core, struct ls_amd_table *amd, ls_packet_handler packets)
{
    ls_amd_queue_create *described = ls_api_live_amd_queue_create(amd);
    ls_counted_queue_acquire *counted = ls_api_live_counted_queue_acquire(amd);
    handle_packets = packets;
    core->queue_create = queue_create;
    core->queue_destroy = queue_destroy;
    ls_api_live_tail(amd)->queue_intercept_create = queue_intercept_create;
    if (described)
        *described = amd_queue_create;
    if (counted)
        *counted = counted_queue_acquire;
}
