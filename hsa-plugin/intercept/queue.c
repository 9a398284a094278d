/*
 * queue.c - see queue.h.
 *
 * A queue that the application creates becomes an intercept queue. Each dispatch packet gets a completion
 * signal of ours; the application's signal, if there is one, moves to a barrier packet behind it, which
 * carries it after the kernel is done and, having the barrier bit, before anything later starts. So the
 * application sees the order that it asked for. All packets of one callback are written with one call of the
 * writer.
 */
#include "queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "allocations.h"
#include "common/vector.h"
#include "hsa-plugin/clock.h"
#include "hsa-plugin/transport/drain.h"
#include "hsa-plugin/code/kernels.h"
#include "hsa-plugin/code/launch.h"
#include "hsa-plugin/log.h"
#include "queue_create.h"
#include "streams.h"
#include "hsa-plugin/record/alone.h"
#include "hsa-plugin/record/record.h"
#include "hsa-plugin/record/reduce.h"
#include "times.h"
#include "state.h"

static atomic_uint_least64_t n_dispatches;

/* ---- packets ---- */

static unsigned packet_type(uint16_t header)
{
    return (header >> HSA_PACKET_HEADER_TYPE) & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

static void add_barrier(hsa_kernel_dispatch_packet_t *out, hsa_signal_t signal)
{
    hsa_barrier_and_packet_t b = {
        .header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_NONE << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .completion_signal = signal,
    };
    _Static_assert(sizeof b == sizeof *out, "AQL packets have 64 bytes");
    memcpy(out, &b, sizeof b);
}

static void describe(struct ls_slot_use *u, struct ls_queue *q, struct ls_kernel *k,
                     const hsa_kernel_dispatch_packet_t *p, uint64_t place)
{
    const struct ls_giver giver = ls_giver_of(q->hsa, place);
    uint32_t dims = p->setup & ((1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
    memset(u, 0, sizeof *u);
    u->kernel = k;
    u->queue = q;
    u->number = atomic_fetch_add(&n_dispatches, 1) + 1;
    u->submit = ls_now_ns();
    u->thread = giver.thread;
    u->stream = giver.stream;
    u->grid[0] = p->grid_size_x;
    u->grid[1] = dims > 1 ? p->grid_size_y : 1;
    u->grid[2] = dims > 2 ? p->grid_size_z : 1;
    u->workgroup[0] = p->workgroup_size_x;
    u->workgroup[1] = dims > 1 ? p->workgroup_size_y : 1;
    u->workgroup[2] = dims > 2 ? p->workgroup_size_z : 1;
    u->lds_bytes = p->group_segment_size;
    u->scratch_bytes = p->private_segment_size;
    u->app_signal = p->completion_signal.handle;
    u->n_parts = 1;
}

/* Why this dispatch runs the original kernel; NULL when its clone shall run. */
static const char *excluded(const struct ls_tool *t, struct ls_kernel *k)
{
    const char *unwanted = ls_tool_region_reason();
    if (ls_tool_is_paused()) /* --kernel-iteration-range counts the others only */
        return "measured by an autotuner";
    if (unwanted)
        return unwanted;
    uint64_t nth = atomic_fetch_add(&k->n_dispatches, 1) + 1;
    if (!t->observing)
        return "no handler is loaded";
    if (k->not_instrumented && !t->config.alone)
        return k->not_instrumented;
    if (!k->selected)
        return t->config.originals ? "--check of global memory runs the original kernels"
                                   : "left out by --kernel-include-regex or --kernel-exclude-regex";
    if (!ls_in_ranges(t->config.ranges, t->config.n_ranges, nth))
        return "outside --kernel-iteration-range";
    return k->not_instrumented ? ls_record_alone(&t->api, k) : NULL;
}

/* Rewrites the packet so that the dispatch is observed. NULL, or why it is not. */
static const char *observe(struct ls_tool *t, struct ls_slot *s, struct ls_kernel *k,
                           const struct ls_queue *q, hsa_kernel_dispatch_packet_t *out)
{
    if (k->alone)
        return ls_launch_alone(&t->api, &t->config, s, k, k->alone->map, out);
    if (t->config.summary)
        s->use.reduction = ls_reduction_of(&t->api, s->agent, k);
    const uint32_t units = q->cooperative ? ls_agent_units(&t->api, s->agent, q->hsa) : 0;
    return ls_launch_clone(&t->api, &t->config, s, k, units, out);
}

/* Failures are told once per kernel, those of a GPU's ring once for all; filters and kernels without a clone only in
 * the database. */
static void tell(struct ls_agent *a, struct ls_kernel *k, const char *reason)
{
    if (reason == a->ring_failed) {
        if (!atomic_exchange(&a->ring_told, true))
            ls_log(LS_LOG_WARNING, "%s: all kernels run unobserved: %s", a->arch, reason);
        return;
    }
    if (!atomic_exchange(&k->reason_logged, true)) {
        ls_log(LS_LOG_WARNING, "%s runs unobserved: %s", k->demangled, reason);
        ls_record_note(LS_LOG_WARNING, "%s runs unobserved: %s", k->demangled, reason);
    }
}

static void keep_allocations(struct ls_slot_use *u)
{
    struct ls_allocations *a = ls_allocations_get();
    u->allocations_owner = a;
    u->allocations = a ? a->list : NULL;
    u->n_allocations = a ? a->n : 0;
}

/* Writes one or two packets for the application's dispatch packet at `place` of its queue; returns how many. */
static size_t rewrite_dispatch(struct ls_tool *t, struct ls_queue *q, const hsa_kernel_dispatch_packet_t *in,
                               uint64_t place, hsa_kernel_dispatch_packet_t *out, uint64_t position)
{
    struct ls_kernel *k = ls_kernel_of(&t->api, &t->config, q->agent, in->kernel_object);
    struct ls_slot *s = k ? ls_slot_get(&t->api, q->agent) : NULL;
    struct ls_slot_use unslotted, *u = s ? &s->use : &unslotted;
    *out = *in;
    if (!k)
        return 1;
    describe(u, q, k, in, place);
    u->not_observed = excluded(t, k);
    if (k->entry && k->not_instrumented && !k->alone)
        tell(q->agent, k, k->not_instrumented);
    if (!s) {
        u->not_observed = "out of memory: no room for another dispatch in flight";
        tell(q->agent, k, u->not_observed);
        ls_record_untimed(k, u, q->agent);
        return 1;
    }
    if (!u->not_observed) {
        u->not_observed = observe(t, s, k, q, out);
        if (u->not_observed)
            tell(q->agent, k, u->not_observed);
    }
    if (!u->not_observed && ls_record_needs() & LANESCOPE_NEEDS_ALLOCATIONS)
        keep_allocations(u);
    if (!u->not_observed && !u->summary) /* counts come in a few chunks */
        u->n_parts = ls_drain_parts(u->n_waves);
    out->completion_signal = s->signal;
    u->position = q->tracked = position;
    if (u->app_signal)
        ls_times_bind(u->app_signal, u->number, s->signal);
    uint64_t app_signal = u->app_signal;
    ls_drain_submit(s); /* from here on the slot is the drainer's */
    if (!app_signal)
        return 1;
    add_barrier(out + 1, in->completion_signal);
    return 2;
}

/* The completion signal lies at the same place in barrier packets. */
static void passing_by(const hsa_kernel_dispatch_packet_t *p, unsigned type)
{
    _Static_assert(offsetof(hsa_barrier_and_packet_t, completion_signal) ==
                       offsetof(hsa_kernel_dispatch_packet_t, completion_signal),
                   "completion signals");
    if ((type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR) &&
        p->completion_signal.handle)
        ls_times_unbind(p->completion_signal.handle);
}

/* The queue below ours must never be full: ROCr 5 aborts when packets of one doorbell overflow twice. So we
 * count what we put in and what has completed, with a marker of our own where the program sends long rows of
 * packets whose completion we do not see. Progress may depend on this very thread: after a while it goes on
 * regardless. */
static void wait_for_room(struct ls_queue *q, size_t n)
{
    enum { NAP_NS = 20000, NAPS = 50000, MARGIN = 8 };
    struct timespec nap = {0, NAP_NS};
    uint64_t seen = atomic_load(&q->retired);
    for (int i = 0; i < NAPS && q->written + n + MARGIN - seen > q->hsa->size; i++) {
        nanosleep(&nap, NULL);
        uint64_t now = atomic_load(&q->retired);
        if (now != seen)
            i = 0;
        seen = now;
    }
}

static size_t add_marker(struct ls_tool *t, struct ls_queue *q, hsa_kernel_dispatch_packet_t *out,
                         uint64_t position)
{
    struct ls_slot *s = ls_slot_get(&t->api, q->agent);
    if (!s)
        return 0;
    memset(&s->use, 0, sizeof s->use);
    s->use.queue = q;
    s->use.position = q->tracked = position;
    add_barrier(out, s->signal);
    ls_drain_submit(s);
    return 1;
}

static bool have_room(struct ls_queue *q, size_t n)
{
    size_t room = n < 16 ? 16 : n;
    if (q->room >= n)
        return true;
    if (!LS_RESERVE(q->out, room))
        return false;
    q->room = room;
    return true;
}

/* ROCr calls it with the packets of an intercepted queue; `data` is its struct ls_queue. */
static void on_packets(const void *packets, uint64_t n, uint64_t user_index, void *data,
                       ls_packet_writer writer)
{
    const hsa_kernel_dispatch_packet_t *in = packets;
    struct ls_queue *q = data;
    struct ls_tool *t = ls_tool_get();
    size_t m = 0;
    if (!t || !have_room(q, 2 * n + 1)) {
        writer(packets, n);
        return;
    }
    wait_for_room(q, 2 * n + 1);
    ls_drain_throttle();
    for (uint64_t i = 0; i < n; i++) {
        unsigned type = packet_type(in[i].header);
        if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
            m += rewrite_dispatch(t, q, &in[i], user_index + i, &q->out[m], q->written + m + 1);
        } else {
            passing_by(&in[i], type);
            q->out[m++] = in[i];
        }
    }
    if (q->written + m - q->tracked > q->hsa->size / 4)
        m += add_marker(t, q, &q->out[m], q->written + m + 1);
    q->written += m;
    writer(q->out, m);
}

/* ---- profiling ---- */

static hsa_status_t set_profiler_enabled(hsa_queue_t *queue, int enable)
{
    /* Times are needed for every dispatch; an application that switches them off does not notice. */
    if (!enable && ls_tool_get() && ls_queue_of(queue))
        return HSA_STATUS_SUCCESS;
    return ls_tool_originals()->api.amd.profiling_set_profiler_enabled(queue, enable);
}

static hsa_status_t get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                      hsa_amd_profiling_dispatch_time_t *time)
{
    const struct ls_api *api = &ls_tool_originals()->api;
    hsa_signal_t own, again;
    uint64_t start, end;
    if (!time || !ls_times_find(signal.handle, &own, &start, &end))
        return api->amd.profiling_get_dispatch_time(agent, signal, time);
    if (own.handle) {
        hsa_status_t rc = api->amd.profiling_get_dispatch_time(agent, own, time);
        /* Unless the dispatch was retired meanwhile and its signal given to another one. */
        if (!ls_times_find(signal.handle, &again, &start, &end) || again.handle == own.handle)
            return rc;
    }
    if (!start && !end)
        return api->amd.profiling_get_dispatch_time(agent, signal, time);
    time->start = start;
    time->end = end;
    return HSA_STATUS_SUCCESS;
}

/* ---- code objects ---- */

static hsa_status_t load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                           hsa_code_object_reader_t reader, const char *options,
                                           hsa_loaded_code_object_t *loaded)
{
    struct ls_tool *t = ls_tool_get(), *o = ls_tool_originals();
    hsa_loaded_code_object_t own = {0}, *out = loaded ? loaded : &own;
    hsa_status_t rc =
        o->api.core.executable_load_agent_code_object(executable, agent, reader, options, t ? out : loaded);
    if (rc == HSA_STATUS_SUCCESS && t)
        ls_code_object_loaded(&t->api, &t->config, executable, *out);
    return rc;
}

static void record_code_object(void *co)
{
    ls_record_code_object(co);
}

static hsa_status_t executable_freeze(hsa_executable_t executable, const char *options)
{
    struct ls_tool *t = ls_tool_get(), *o = ls_tool_originals();
    hsa_status_t rc = o->api.core.executable_freeze(executable, options);
    if (rc != HSA_STATUS_SUCCESS || !t)
        return rc;
    ls_executable_frozen(&t->api, &t->config, executable);
    for (struct ls_code_object *co = ls_code_objects(); co; co = co->next)
        if (co->executable.handle == executable.handle && !co->gone && co->n_modules) {
            ls_agent_ring(&t->api, co->agent, &t->config); /* now, not inside the first dispatch's time */
            ls_drain_post(record_code_object, co);
        }
    return rc;
}

static hsa_status_t executable_destroy(hsa_executable_t executable)
{
    if (ls_tool_get())
        ls_executable_destroyed(executable);
    return ls_tool_originals()->api.core.executable_destroy(executable);
}

void ls_queue_hooks(struct ls_core_table *core, struct ls_amd_table *amd)
{
    ls_queue_create_hooks(core, amd, on_packets);
    core->executable_load_agent_code_object = load_agent_code_object;
    core->executable_freeze = executable_freeze;
    core->executable_destroy = executable_destroy;
    amd->profiling_set_profiler_enabled = set_profiler_enabled;
    amd->profiling_get_dispatch_time = get_dispatch_time;
}
