/*
 * aql.c - one AQL queue: packets in order, kernels asynchronous, completion in any order.
 *
 * Packet formats: HSA Runtime Specification 1.2, section 2.9 "Packets"; vendor packets: ROCr's
 * hsa_ext_amd.h (barrier-value) and amd_aql_queue.cpp (PM4 indirect buffer). Queue fields: ROCr's
 * amd_hsa_queue.h.
 *
 * A packet keeps its slot in the ring until it is complete: kernels read their own packet (dispatch_ptr), and
 * ROCr's scratch handler looks at the packet at the read index.
 */
#include "internal.h"
#include "blit.h"
#include "copy.h"
#include "pm4.h"
#include "hsa_signal.h"

#include <stdio.h>
#include <string.h>

enum packet_type {
    PACKET_VENDOR = 0,
    PACKET_INVALID = 1,
    PACKET_DISPATCH = 2,
    PACKET_BARRIER_AND = 3,
    PACKET_AGENT = 4,
    PACKET_BARRIER_OR = 5,
};

enum vendor_format {
    VENDOR_PM4_IB = 1,
    VENDOR_BARRIER_VALUE = 2,
};

#define HEADER_TYPE(h) ((h) & 0xff)
#define HEADER_BARRIER (1u << 8)
/* Fence scopes: 0 none, 1 agent, 2 system. */
#define HEADER_ACQUIRE(h) ((enum sg_weak_scope)((h) >> 9 & 3))
#define HEADER_RELEASE(h) ((enum sg_weak_scope)((h) >> 11 & 3))

struct packet_dispatch {
    uint16_t header, setup;
    uint16_t workgroup[3], reserved0;
    uint32_t grid[3];
    uint32_t private_bytes, group_bytes;
    uint64_t kernel_object, kernarg, reserved2, completion;
};
_Static_assert(sizeof(struct packet_dispatch) == 64, "hsa_kernel_dispatch_packet_t");

struct packet_barrier {
    uint16_t header, reserved0;
    uint32_t reserved1;
    uint64_t dependency[5];
    uint64_t reserved2, completion;
};
_Static_assert(sizeof(struct packet_barrier) == 64, "hsa_barrier_and_packet_t");

struct packet_barrier_value {
    uint16_t header;
    uint8_t format, reserved0;
    uint32_t reserved1;
    uint64_t signal;
    int64_t value, mask;
    uint32_t condition, reserved2;
    uint64_t reserved3, reserved4, completion;
};
_Static_assert(sizeof(struct packet_barrier_value) == 64, "hsa_amd_barrier_value_packet_t");

/* amd_queue_t. */
enum {
    QUEUE_READ_INDEX = 0x80,
    QUEUE_TMPRING = 0x8c, /* WAVES [11:0], WAVESIZE from bit 12 on, in granules of scratch */
    QUEUE_SCRATCH_SRD = 0x90,
    QUEUE_SCRATCH_BASE = 0xa0,
    QUEUE_SCRATCH_BYTES = 0xa8,
    QUEUE_SCRATCH_LANE_BYTES = 0xb0,
    QUEUE_PROPERTIES = 0xb4,
    QUEUE_INACTIVE_SIGNAL = 0xc0,
    QUEUE_BYTES = 0x100,
};
#define PROPERTY_USE_SCRATCH_ONCE (1u << 4)

/* Codes that ROCr understands in queue_inactive_signal (amd_aql_queue.cpp, DynamicScratchHandler). */
enum inactive_code {
    INACTIVE_SCRATCH = 1,
    INACTIVE_DIMENSIONS = 2,
    INACTIVE_GROUP_MEMORY = 4,
    INACTIVE_CODE = 8,
    INACTIVE_PACKET = 32,
    INACTIVE_GROUP_SIZE = 64,
    INACTIVE_VENDOR_PACKET = 256,
    INACTIVE_RECLAIM_SCRATCH = 512,
};
#define INACTIVE_APERTURE 0x20000000u
#define INACTIVE_ILLEGAL 0x40000000u
#define INACTIVE_TRAP 0x80000000u

#define WORKGROUP_MAX 1024u

static uint64_t queue_u64(const struct sg_queue *q, unsigned offset)
{
    return atomic_load_explicit((_Atomic uint64_t *)(void *)(q->amd_queue + offset), memory_order_acquire);
}

static uint32_t queue_u32(const struct sg_queue *q, unsigned offset)
{
    return atomic_load_explicit((_Atomic uint32_t *)(void *)(q->amd_queue + offset), memory_order_acquire);
}

int aql_open(struct sg_cp *cp, struct sg_queue *q)
{
    q->amd_queue = cp_host(cp, q->desc.read_pointer - QUEUE_READ_INDEX, QUEUE_BYTES);
    if (!q->amd_queue)
        return -EFAULT;
    q->launch = atomic_load_explicit(q->read_pointer, memory_order_acquire);
    atomic_store_explicit(&q->retired, q->launch, memory_order_relaxed);
    return 0;
}

static uint8_t *packet_at(const struct sg_queue *q, uint64_t index)
{
    return q->ring + (index * 64 & (q->desc.ring_bytes - 1));
}

/* ---- Completion ---- */

/* Header invalid, read index over everything complete, then the completion signal. Under q->retire. */
static void retire_packet(struct aql_slot *s)
{
    struct sg_queue *q = s->queue;
    uint8_t *packet = packet_at(q, s->index);
    uint64_t completion, retired = atomic_load_explicit(&q->retired, memory_order_relaxed);
    memcpy(&completion, packet + offsetof(struct packet_dispatch, completion), sizeof completion);
    atomic_store_explicit((_Atomic uint16_t *)(void *)packet, PACKET_INVALID, memory_order_release);
    s->state = SLOT_DONE;
    if (s->scratch_once)
        atomic_store(&q->reclaim, true);
    for (struct aql_slot *head;
         head = &q->slot[retired % AQL_SLOTS], head->state == SLOT_DONE && head->index == retired; retired++)
        head->state = SLOT_FREE;
    atomic_store_explicit(&q->retired, retired, memory_order_release);
    atomic_store_explicit(q->read_pointer, retired, memory_order_release);
    if (completion) {
        struct sg_cp *cp = q->cp;
        if (!signal_complete(cp, completion, s->start, cp->config.ops->ticks(cp->config.user)))
            cp->config.ops->memory_fault(cp->config.user, completion, true);
    }
}

static void finish(struct aql_slot *s)
{
    pthread_mutex_lock(&s->queue->retire);
    if (!s->queue->dead)
        retire_packet(s);
    pthread_mutex_unlock(&s->queue->retire);
}

/* sg_done_fn: from an engine thread. */
static void kernel_done(void *user, const struct sg_fault *fault)
{
    struct aql_slot *s = user;
    struct sg_queue *q = s->queue;
    struct sg_cp *cp = q->cp;
    pthread_mutex_lock(&q->retire);
    bool dead = q->dead;
    if (!dead && fault && fault->kind != SG_FAULT_NONE) {
        if (!atomic_load(&q->has_fault)) {
            q->fault = *fault;
            q->fault_packet = s->index;
            q->fault_kernel = s->kernel_object;
            atomic_store(&q->has_fault, true);
        }
    } else if (!dead) {
        retire_packet(s);
    }
    bool last = --q->in_engine == 0;
    pthread_mutex_unlock(&q->retire);
    if (dead && last)
        queue_free(q);
    else
        cp_after_kernel(cp, q);
}

static struct aql_slot *take_slot(struct sg_queue *q, uint64_t start)
{
    struct aql_slot *s = &q->slot[q->launch % AQL_SLOTS];
    pthread_mutex_lock(&q->retire);
    *s = (struct aql_slot){.queue = q, .index = q->launch, .state = SLOT_BUSY, .start = start};
    pthread_mutex_unlock(&q->retire);
    q->launch++;
    return s;
}

/* A packet that the command processor did itself. */
static enum step_result finish_now(struct sg_cp *cp, struct sg_queue *q)
{
    uint16_t header;
    memcpy(&header, packet_at(q, q->launch), sizeof header);
    sg_engine_fence(cp->config.engine, HEADER_ACQUIRE(header), HEADER_RELEASE(header));
    finish(take_slot(q, cp->config.ops->ticks(cp->config.user)));
    return STEP_PROGRESS;
}

static bool in_flight(struct sg_queue *q)
{
    return atomic_load_explicit(&q->retired, memory_order_acquire) != q->launch;
}

/* ---- Errors ---- */

static void tell_inactive(struct sg_cp *cp, struct sg_queue *q, uint32_t code)
{
    signal_store(cp, queue_u64(q, QUEUE_INACTIVE_SIGNAL), (int64_t)code);
}

static uint32_t inactive_code_of(enum sg_fault_kind kind)
{
    switch (kind) {
    case SG_FAULT_APERTURE:
        return INACTIVE_APERTURE;
    case SG_FAULT_ILLEGAL:
    case SG_FAULT_UNIMPLEMENTED:
        return INACTIVE_ILLEGAL;
    case SG_FAULT_RESOURCES:
        return INACTIVE_GROUP_MEMORY;
    default:
        return INACTIVE_TRAP;
    }
}

/* Stops the queue and tells the terminal and ROCr, which calls the application's error callback. */
static enum step_result fail(struct sg_cp *cp, struct sg_queue *q, const struct sg_fault *fault,
                             uint32_t code, uint64_t kernel_object, uint64_t index)
{
    cp_raise(cp, q, fault, kernel_object, index);
    if (fault->kind != SG_FAULT_PAGE)
        tell_inactive(cp, q, code);
    return STEP_PROGRESS;
}

static enum step_result fail_packet(struct sg_cp *cp, struct sg_queue *q, uint32_t code,
                                    uint64_t kernel_object, const char *message)
{
    struct sg_fault f = {.kind = SG_FAULT_RESOURCES};
    snprintf(f.message, sizeof f.message, "%s", message);
    return fail(cp, q, &f, code, kernel_object, q->launch);
}

static enum step_result fail_page(struct sg_cp *cp, struct sg_queue *q, uint64_t va, bool is_write,
                                  const char *who, uint64_t kernel_object)
{
    struct sg_fault f = {.kind = SG_FAULT_PAGE, .va = va, .is_write = is_write};
    snprintf(f.message, sizeof f.message, "%s: %s of unmapped GPU address 0x%llx", who,
             is_write ? "write" : "read", (unsigned long long)va);
    return fail(cp, q, &f, 0, kernel_object, q->launch);
}

/* ---- Kernel dispatch ---- */

static enum step_result check_dispatch(struct sg_cp *cp, struct sg_queue *q, const struct packet_dispatch *p)
{
    for (int i = 0; i < 3; i++)
        if (!p->workgroup[i] || !p->grid[i])
            return fail_packet(cp, q, INACTIVE_DIMENSIONS, p->kernel_object,
                               "dispatch packet: a work-group or grid dimension is zero");
    if ((uint64_t)p->workgroup[0] * p->workgroup[1] * p->workgroup[2] > WORKGROUP_MAX)
        return fail_packet(cp, q, INACTIVE_GROUP_SIZE, p->kernel_object,
                           "dispatch packet: work-group of more than 1024 work-items");
    if (p->group_bytes > cp->config.arch->family->lds_bytes)
        return fail_packet(cp, q, INACTIVE_GROUP_MEMORY, p->kernel_object,
                           "dispatch packet: more group memory (LDS) than a compute unit has");
    if (!sg_tlb_ptr(&cp->tlb, p->kernel_object, 64))
        return fail_packet(cp, q, INACTIVE_CODE, p->kernel_object,
                           "dispatch packet: kernel object at an unmapped address");
    return STEP_IDLE;
}

/* Newer ROCr leaves the byte size zero. */
static uint64_t scratch_bytes(const struct ls_gpu *gpu, const struct sg_queue *q)
{
    const struct ls_gpu_family *f = gpu->family;
    const uint64_t bytes = queue_u64(q, QUEUE_SCRATCH_BYTES);
    const uint32_t tmpring = queue_u32(q, QUEUE_TMPRING);
    const uint64_t waves = (tmpring & 0xfff) * (f->scratch_by_engine ? gpu->card->engines : 1u);
    return bytes ? bytes : waves * (tmpring >> 12 & ((1u << f->scratch_size_bits) - 1)) * f->scratch_granule;
}

/* The packet at `launch` as the engine takes it. */
static struct sg_dispatch read_dispatch(const struct ls_gpu *gpu, struct sg_queue *q,
                                        const struct packet_dispatch *p)
{
    struct sg_dispatch d = {
        .kernel_object = p->kernel_object,
        .packet = q->desc.ring + (q->launch * 64 & (q->desc.ring_bytes - 1)),
        .queue = q->desc.read_pointer - QUEUE_READ_INDEX,
        .kernarg = p->kernarg,
        .dispatch_id = q->launch,
        .group_bytes = p->group_bytes,
        .private_bytes = p->private_bytes,
        .shared_aperture = 1ull << 48,
        .private_aperture = 2ull << 48,
        .observer = p->reserved2,
        .acquire = HEADER_ACQUIRE(p->header),
        .release = HEADER_RELEASE(p->header),
    };
    for (int i = 0; i < 3; i++) {
        d.grid[i] = p->grid[i];
        d.workgroup[i] = p->workgroup[i];
    }
    if (p->private_bytes) {
        d.scratch_base = queue_u64(q, QUEUE_SCRATCH_BASE);
        d.scratch_bytes = scratch_bytes(gpu, q);
        for (unsigned i = 0; i < 4; i++)
            d.scratch_srd[i] = queue_u32(q, QUEUE_SCRATCH_SRD + 4 * i);
    }
    d.masked = q->masked;
    memcpy(d.units, q->units, sizeof d.units);
    return d;
}

static enum step_result submit(struct sg_cp *cp, struct sg_queue *q, const struct packet_dispatch *p,
                               const struct sg_dispatch *d)
{
    cp_note_code(cp, p->kernel_object);
    struct aql_slot *s = take_slot(q, cp->config.ops->ticks(cp->config.user));
    s->kernel_object = p->kernel_object;
    s->scratch_once = p->private_bytes && queue_u32(q, QUEUE_PROPERTIES) & PROPERTY_USE_SCRATCH_ONCE;
    pthread_mutex_lock(&q->retire);
    q->in_engine++;
    pthread_mutex_unlock(&q->retire);
    if (sg_engine_submit(cp->config.engine, d, kernel_done, s) == 0)
        return STEP_PROGRESS;
    struct sg_fault f = {.kind = SG_FAULT_RESOURCES, .message = "out of host memory for a dispatch"};
    kernel_done(s, &f);
    return STEP_PROGRESS;
}

static enum step_result launch_dispatch(struct sg_cp *cp, struct sg_queue *q, const struct packet_dispatch *p)
{
    enum step_result bad = check_dispatch(cp, q, p);
    if (bad != STEP_IDLE)
        return bad;
    const struct sg_dispatch d = read_dispatch(cp->config.arch, q, p);
    /* Without a place on a compute unit it waits for one, in the engine. */
    if (blit_recognise(cp, p->kernel_object, p->kernarg, &q->copy) &&
        sg_engine_has_room(cp->config.engine, &cp->tlb, &d)) {
        /* It writes memory that earlier kernels may still use only if the application says so: same rule as
           for any kernel, the barrier bit was honoured already. */
        sg_engine_fence(cp->config.engine, SG_WEAK_SYSTEM, SG_WEAK_SYSTEM);
        q->copy_slot = take_slot(q, cp->config.ops->ticks(cp->config.user));
        q->phase = AQL_COPY;
        return STEP_PROGRESS;
    }
    if (p->private_bytes > queue_u32(q, QUEUE_SCRATCH_LANE_BYTES)) {
        /* The handler reads the packet at the read index: this one must be the oldest. */
        if (in_flight(q))
            return STEP_IDLE;
        /* An earlier one, which ended just now, has memory to give back: asked first, ROCr would give and take back at once. */
        if (atomic_load(&q->reclaim))
            return STEP_PROGRESS;
        if (q->scratch_asked)
            return fail_packet(cp, q, INACTIVE_GROUP_MEMORY, p->kernel_object,
                               "dispatch packet: the runtime gave less scratch memory than the kernel needs");
        q->scratch_asked = true;
        q->phase = AQL_WAIT_SCRATCH;
        tell_inactive(cp, q, INACTIVE_SCRATCH);
        return STEP_PROGRESS;
    }
    q->scratch_asked = false;
    return submit(cp, q, p, &d);
}

static enum step_result continue_copy(struct sg_cp *cp, struct sg_queue *q)
{
    struct copy_fault bad;
    if (!copy_some(cp, &q->copy, COPY_BUDGET, &bad))
        return fail_page(cp, q, bad.va, bad.is_write, "copy kernel", 0);
    if (q->copy.done < q->copy.bytes)
        return STEP_PROGRESS;
    q->phase = AQL_READY;
    finish(q->copy_slot);
    return STEP_PROGRESS;
}

/* ---- Barriers and vendor packets ---- */

/* 1 satisfied, 0 not, -1 unmapped signal (*bad). */
static int dependencies_met(struct sg_cp *cp, const struct packet_barrier *p, bool any, uint64_t *bad)
{
    unsigned given = 0, met = 0;
    for (int i = 0; i < 5; i++) {
        int64_t value;
        if (!p->dependency[i])
            continue;
        given++;
        if (!signal_read(cp, p->dependency[i], &value)) {
            *bad = p->dependency[i];
            return -1;
        }
        met += value == 0;
    }
    return any ? !given || met : met == given;
}

static enum step_result barrier(struct sg_cp *cp, struct sg_queue *q, const struct packet_barrier *p,
                                bool any)
{
    uint64_t bad;
    int met = dependencies_met(cp, p, any, &bad);
    if (met < 0)
        return fail_page(cp, q, bad, false, "barrier packet, dependency signal", 0);
    return met ? finish_now(cp, q) : STEP_POLLING;
}

static enum step_result barrier_value(struct sg_cp *cp, struct sg_queue *q,
                                      const struct packet_barrier_value *p)
{
    int64_t value;
    bool met;
    /* HIP uses it without a signal as a plain marker. */
    if (!p->signal)
        return finish_now(cp, q);
    if (!signal_read(cp, p->signal, &value))
        return fail_page(cp, q, p->signal, false, "barrier-value packet, signal", 0);
    value &= p->mask;
    switch (p->condition) { /* hsa_signal_condition_t */
    case 0:
        met = value == p->value;
        break;
    case 1:
        met = value != p->value;
        break;
    case 2:
        met = value < p->value;
        break;
    case 3:
        met = value >= p->value;
        break;
    default:
        return fail_packet(cp, q, INACTIVE_VENDOR_PACKET, 0, "barrier-value packet: unknown condition");
    }
    return met ? finish_now(cp, q) : STEP_POLLING;
}

static enum step_result pm4(struct sg_cp *cp, struct sg_queue *q, const uint8_t *packet)
{
    struct pm4_error e;
    switch (pm4_execute_aql(cp, packet, in_flight(q), &q->pm4_at, &e)) {
    case PM4_DONE: /* whatever caches it was about */
        sg_engine_fence(cp->config.engine, SG_WEAK_SYSTEM, SG_WEAK_SYSTEM);
        return finish_now(cp, q);
    case PM4_POLL:
        return STEP_POLLING;
    case PM4_WAIT_KERNELS:
        return STEP_IDLE;
    default:
        return e.is_page ? fail_page(cp, q, e.va, e.is_write, "PM4 command", 0)
                         : fail_packet(cp, q, INACTIVE_VENDOR_PACKET, 0, e.why);
    }
}

static enum step_result vendor(struct sg_cp *cp, struct sg_queue *q, const uint8_t *packet)
{
    char why[128];
    switch (packet[2]) {
    case VENDOR_PM4_IB:
        return pm4(cp, q, packet);
    case VENDOR_BARRIER_VALUE:
        return barrier_value(cp, q, (const struct packet_barrier_value *)(const void *)packet);
    default:
        snprintf(why, sizeof why, "vendor packet of unknown format %u", packet[2]);
        return fail_packet(cp, q, INACTIVE_VENDOR_PACKET, 0, why);
    }
}

/* ---- The state machine ---- */

static enum step_result launch_packet(struct sg_cp *cp, struct sg_queue *q)
{
    if (q->launch >= atomic_load_explicit(q->write_pointer, memory_order_acquire))
        return STEP_IDLE;
    uint8_t *packet = packet_at(q, q->launch);
    uint32_t header = atomic_load_explicit((_Atomic uint32_t *)(void *)packet, memory_order_acquire);
    if (HEADER_TYPE(header) == PACKET_INVALID)
        return STEP_IDLE; /* reserved, not written yet: a doorbell follows */
    if (q->launch - atomic_load_explicit(&q->retired, memory_order_acquire) >= AQL_SLOTS)
        return STEP_IDLE;
    if (header & HEADER_BARRIER && in_flight(q))
        return STEP_IDLE;
    switch (HEADER_TYPE(header)) {
    case PACKET_DISPATCH:
        return launch_dispatch(cp, q, (const struct packet_dispatch *)(const void *)packet);
    case PACKET_BARRIER_AND:
    case PACKET_BARRIER_OR:
        return barrier(cp, q, (const struct packet_barrier *)(const void *)packet,
                       HEADER_TYPE(header) == PACKET_BARRIER_OR);
    case PACKET_VENDOR:
        return vendor(cp, q, packet);
    default:
        return fail_packet(cp, q, INACTIVE_PACKET, 0, "AQL packet of a type that a GPU does not execute");
    }
}

/* Waits for ROCr's answer to a message in queue_inactive_signal. The signal is tested, not the fields: they
 * change first. */
static enum step_result wait_runtime(struct sg_cp *cp, struct sg_queue *q)
{
    int64_t value;
    uint64_t signal = queue_u64(q, QUEUE_INACTIVE_SIGNAL);
    if (!signal_read(cp, signal, &value))
        return fail_page(cp, q, signal, false, "queue_inactive_signal", 0);
    if (value != 0)
        return STEP_POLLING;
    q->phase = AQL_READY;
    return STEP_PROGRESS;
}

enum step_result aql_step(struct sg_cp *cp, struct sg_queue *q)
{
    enum step_result r = STEP_IDLE, last;
    if (atomic_load(&q->has_fault)) {
        atomic_store(&q->has_fault, false);
        return fail(cp, q, &q->fault, inactive_code_of(q->fault.kind), q->fault_kernel, q->fault_packet);
    }
    for (unsigned packets = 0; packets < 64 && !q->halted; packets++) {
        switch (q->phase) {
        case AQL_WAIT_SCRATCH:
        case AQL_WAIT_RECLAIM:
            last = wait_runtime(cp, q);
            break;
        case AQL_COPY:
            return continue_copy(cp, q);
        default:
            if (atomic_load(&q->reclaim) && !in_flight(q)) {
                atomic_store(&q->reclaim, false);
                q->phase = AQL_WAIT_RECLAIM;
                tell_inactive(cp, q, INACTIVE_RECLAIM_SCRATCH);
                last = STEP_PROGRESS;
            } else {
                last = launch_packet(cp, q);
            }
        }
        if (last != STEP_PROGRESS)
            return r == STEP_PROGRESS ? r : last;
        r = last;
    }
    return r;
}
