/*
 * cp.c - the thread: steps every queue in turn, and sleeps well when there is nothing to do.
 *
 * Sleeping has three depths. Right after work it yields, because the next doorbell is often microseconds
 * away. Then it naps, longer the longer nothing happens. When no queue waits for memory that the host may
 * change silently, it write-protects the doorbell page and sleeps until a doorbell, an engine completion or
 * an ioctl. A blocked queue rules that out: the host satisfies a dependency by storing a signal.
 */
#include "internal.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MICROSECOND 1000ull
#define YIELD_NS (50 * MICROSECOND)
#define TRAP_AFTER_NS (1000 * MICROSECOND)
#define NAP_MIN_NS (20 * MICROSECOND)
#define NAP_MAX_NS (1000 * MICROSECOND)
#define NAP_LONG_NS (4000 * MICROSECOND)
#define LONG_IDLE_NS (500000 * MICROSECOND)
/* Trapped sleep looks around this often all the same: a doorbell page that the kernel dropped from our
 * protection must not hang a program. */
#define TRAPPED_LOOK_NS (250000 * MICROSECOND)

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* An ioctl thread takes the lock through here: the loop lets visitors in between two rounds. */
static void visit(struct sg_cp *cp)
{
    atomic_fetch_add(&cp->visitors, 1);
    pthread_mutex_lock(&cp->lock);
    atomic_fetch_sub(&cp->visitors, 1);
}

static void leave(struct sg_cp *cp)
{
    pthread_mutex_unlock(&cp->lock);
}

void *cp_host(struct sg_cp *cp, uint64_t va, uint64_t size)
{
    struct sg_range r;
    if (!sg_mem_lookup(cp->config.mem, va, &r) || size > r.hi - va)
        return NULL;
    return (void *)(uintptr_t)(va + (uint64_t)r.delta);
}

/* ---- Code ranges ---- */

void cp_note_code(struct sg_cp *cp, uint64_t va)
{
    for (unsigned i = 0; i < cp->codes; i++)
        if (cp->code[i].lo <= va && va < cp->code[i].hi)
            return;
    if (cp->codes == CODE_RANGES) {
        /* More code than we track: remember one range around all of it, and invalidate too often. */
        for (unsigned i = 1; i < cp->codes; i++) {
            if (cp->code[i].lo < cp->code[0].lo)
                cp->code[0].lo = cp->code[i].lo;
            if (cp->code[i].hi > cp->code[0].hi)
                cp->code[0].hi = cp->code[i].hi;
        }
        cp->codes = 1;
    }
    if (sg_mem_lookup(cp->config.mem, va, &cp->code[cp->codes]))
        cp->codes++;
}

void cp_wrote(struct sg_cp *cp, uint64_t va, uint64_t size)
{
    for (unsigned i = 0; i < cp->codes; i++) {
        if (va < cp->code[i].hi && cp->code[i].lo < va + size) {
            sg_engine_invalidate_code(cp->config.engine, va, size);
            return;
        }
    }
}

void sg_cp_memory_gone(struct sg_cp *cp, uint64_t va, uint64_t size)
{
    visit(cp);
    for (unsigned i = 0; i < cp->codes && !atomic_load(&cp->stop);) {
        if (va < cp->code[i].hi && cp->code[i].lo < va + size) {
            sg_engine_invalidate_code(cp->config.engine, cp->code[i].lo, cp->code[i].hi - cp->code[i].lo);
            cp->code[i] = cp->code[--cp->codes];
        } else {
            i++;
        }
    }
    leave(cp);
}

/* ---- Faults ---- */

void cp_raise(struct sg_cp *cp, struct sg_queue *q, const struct sg_fault *fault, uint64_t kernel_object,
              uint64_t packet_index)
{
    struct sg_cp_fault report = {fault, kernel_object, q->desc.id, packet_index};
    q->halted = true;
    cp->config.ops->report(cp->config.user, &report);
    if (fault->kind == SG_FAULT_PAGE)
        cp->config.ops->memory_fault(cp->config.user, fault->va, fault->is_write);
}

/* ---- The loop ---- */

/* One round over all queues: the most lively result. */
static enum step_result step_all(struct sg_cp *cp)
{
    enum step_result best = STEP_IDLE;
    pthread_mutex_lock(&cp->lock);
    for (struct sg_queue *q = cp->queues; q; q = q->next) {
        if (q->suspended || q->halted)
            continue;
        enum step_result r = q->desc.kind == SG_QUEUE_AQL ? aql_step(cp, q) : sdma_step(cp, q);
        if (r > best)
            best = r;
    }
    pthread_mutex_unlock(&cp->lock);
    while (atomic_load(&cp->visitors) && !atomic_load(&cp->stop))
        sched_yield();
    return best;
}

static void drain_wake(struct sg_cp *cp)
{
    uint64_t count;
    while (read(cp->wake_fd, &count, sizeof count) == (ssize_t)sizeof count)
        ;
}

static void nap(struct sg_cp *cp, uint64_t ns)
{
    struct pollfd p = {.fd = cp->wake_fd, .events = POLLIN};
    struct timespec t = {(time_t)(ns / 1000000000ull), (long)(ns % 1000000000ull)};
    ppoll(&p, 1, &t, NULL);
}

static void sleep_trapped(struct sg_cp *cp)
{
    struct pollfd p[2] = {{.fd = cp->wake_fd, .events = POLLIN}, {.fd = cp->doorbells.fd, .events = POLLIN}};
    struct timespec t = {0, (long)TRAPPED_LOOK_NS};
    ppoll(p, 2, &t, NULL);
}

static uint64_t nap_length(uint64_t idle)
{
    uint64_t ns = idle / 4;
    if (ns < NAP_MIN_NS)
        return NAP_MIN_NS;
    if (idle > LONG_IDLE_NS)
        return NAP_LONG_NS;
    return ns > NAP_MAX_NS ? NAP_MAX_NS : ns;
}

/* Nothing happened for `idle` ns; `state` is what the last round said. Returns true when the round made
 * after announcing the sleep found work. */
static bool rest(struct sg_cp *cp, enum step_result state, uint64_t idle)
{
    bool trapped = false, work;
    if (idle < YIELD_NS) {
        sched_yield();
        return false;
    }
    /* Announce, then look once more: whoever makes work after this look sees the announcement. */
    atomic_store(&cp->sleeping, true);
    if (state == STEP_IDLE && idle > TRAP_AFTER_NS) {
        pthread_mutex_lock(&cp->lock);
        trapped = doorbell_arm(&cp->doorbells);
        pthread_mutex_unlock(&cp->lock);
    }
    state = step_all(cp);
    atomic_store(&cp->polling, state == STEP_POLLING);
    work = state == STEP_PROGRESS;
    if (!work && !atomic_load(&cp->stop)) {
        if (trapped && state == STEP_IDLE)
            sleep_trapped(cp);
        else
            nap(cp, nap_length(idle));
    }
    atomic_store(&cp->sleeping, false);
    if (trapped) {
        pthread_mutex_lock(&cp->lock);
        doorbell_disarm(&cp->doorbells);
        pthread_mutex_unlock(&cp->lock);
    }
    drain_wake(cp);
    return work;
}

static void *cp_thread(void *arg)
{
    struct sg_cp *cp = arg;
    uint64_t active = now_ns();
    prctl(PR_SET_NAME, "softgpu-cp");
    prctl(PR_SET_TIMERSLACK, 1000);
    while (!atomic_load(&cp->stop)) {
        enum step_result r = step_all(cp);
        if (r == STEP_PROGRESS || rest(cp, r, now_ns() - active))
            active = now_ns();
    }
    return NULL;
}

static int start_thread(struct sg_cp *cp)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = pthread_create(&cp->thread, NULL, cp_thread, cp);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    cp->thread_runs = err == 0;
    return -err;
}

void sg_cp_kick(struct sg_cp *cp)
{
    uint64_t one = 1;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&cp->sleeping)) {
        ssize_t written = write(cp->wake_fd, &one, sizeof one);
        (void)written; /* a full counter wakes as well */
    }
}

/* While the command processor sleeps, the engine thread that ended a kernel launches what follows in the same
 * queue: a chain of kernels then needs no switch between threads. */
void cp_after_kernel(struct sg_cp *cp, struct sg_queue *q)
{
    enum step_result r = STEP_POLLING;
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load(&cp->sleeping))
        return; /* its next round sees the completion */
    if (!atomic_load(&cp->polling) && pthread_mutex_trylock(&cp->lock) == 0) {
        /* Removed meanwhile? Then it is not in the list, and may be freed. */
        struct sg_queue *known = cp->queues;
        while (known && known != q)
            known = known->next;
        for (unsigned n = 0; n < 8 && (!n || r == STEP_PROGRESS); n++)
            r = !known || q->suspended || q->halted || atomic_load(&cp->stop) ? STEP_IDLE : aql_step(cp, q);
        pthread_mutex_unlock(&cp->lock);
    }
    if (r != STEP_IDLE)
        sg_cp_kick(cp);
}

/* ---- Life of the object ---- */

struct sg_cp *sg_cp_create(const struct sg_cp_config *config)
{
    struct sg_cp *cp = calloc(1, sizeof *cp);
    if (!cp)
        return NULL;
    cp->config = *config;
    cp->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cp->wake_fd < 0) {
        free(cp);
        return NULL;
    }
    pthread_mutex_init(&cp->lock, NULL);
    sg_tlb_init(&cp->tlb, config->mem);
    doorbell_init(&cp->doorbells);
    return cp;
}

void sg_cp_stop(struct sg_cp *cp)
{
    if (!cp->thread_runs)
        return;
    atomic_store(&cp->stop, true);
    uint64_t one = 1;
    ssize_t written = write(cp->wake_fd, &one, sizeof one);
    (void)written;
    pthread_join(cp->thread, NULL);
    cp->thread_runs = false;
    doorbell_disarm(&cp->doorbells);
    for (struct sg_queue *q = cp->queues; q; q = q->next) {
        pthread_mutex_lock(&q->retire);
        q->dead = true;
        pthread_mutex_unlock(&q->retire);
    }
}

void sg_cp_free(struct sg_cp *cp)
{
    while (cp->queues) {
        struct sg_queue *q = cp->queues;
        cp->queues = q->next;
        queue_free(q);
    }
    doorbell_close(&cp->doorbells);
    close(cp->wake_fd);
    pthread_mutex_destroy(&cp->lock);
    free(cp);
}

/* ---- Queues ---- */

void queue_free(struct sg_queue *q)
{
    pthread_mutex_destroy(&q->retire);
    free(q);
}

static int set_ring(struct sg_cp *cp, struct sg_queue *q, uint64_t ring, uint32_t bytes)
{
    if (bytes < 64 || bytes & (bytes - 1))
        return -EINVAL;
    uint8_t *host = cp_host(cp, ring, bytes);
    if (!host)
        return -EFAULT;
    q->ring = host;
    q->desc.ring = ring;
    q->desc.ring_bytes = bytes;
    return 0;
}

static int open_queue(struct sg_cp *cp, struct sg_queue *q)
{
    int err = set_ring(cp, q, q->desc.ring, q->desc.ring_bytes);
    if (err)
        return err;
    q->read_pointer = cp_host(cp, q->desc.read_pointer, sizeof *q->read_pointer);
    q->write_pointer = cp_host(cp, q->desc.write_pointer, sizeof *q->write_pointer);
    if (!q->read_pointer || !q->write_pointer)
        return -EFAULT;
    if (q->desc.kind == SG_QUEUE_AQL)
        return aql_open(cp, q);
    q->sdma_read = atomic_load_explicit(q->read_pointer, memory_order_acquire);
    return 0;
}

int sg_cp_add_queue(struct sg_cp *cp, const struct sg_queue_desc *desc)
{
    struct sg_queue *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    q->cp = cp;
    q->desc = *desc;
    pthread_mutex_init(&q->retire, NULL);
    visit(cp);
    int err = open_queue(cp, q);
    if (!err && !cp->thread_runs)
        err = start_thread(cp);
    if (!err) {
        q->next = cp->queues;
        cp->queues = q;
    }
    leave(cp);
    if (err)
        queue_free(q);
    sg_cp_kick(cp);
    return err;
}

static struct sg_queue **find(struct sg_cp *cp, uint32_t id)
{
    struct sg_queue **link = &cp->queues;
    while (*link && (*link)->desc.id != id)
        link = &(*link)->next;
    return link;
}

int sg_cp_update_queue(struct sg_cp *cp, uint32_t id, uint64_t ring, uint32_t ring_bytes, bool active)
{
    int err = -EINVAL;
    visit(cp);
    struct sg_queue *q = *find(cp, id);
    if (q) {
        pthread_mutex_lock(&q->retire);
        err = ring && ring_bytes ? set_ring(cp, q, ring, ring_bytes) : 0;
        pthread_mutex_unlock(&q->retire);
        q->suspended = !active;
    }
    leave(cp);
    sg_cp_kick(cp);
    return err;
}

int sg_cp_set_units(struct sg_cp *cp, uint32_t id, const uint32_t *mask, size_t words)
{
    visit(cp);
    struct sg_queue *q = *find(cp, id);
    if (q) {
        q->masked = true;
        for (size_t i = 0; i < SG_UNIT_WORDS; i++)
            q->units[i] = i < words ? mask[i] : 0;
    }
    leave(cp);
    return q ? 0 : -EINVAL;
}

int sg_cp_remove_queue(struct sg_cp *cp, uint32_t id)
{
    bool idle = false;
    visit(cp);
    struct sg_queue **link = find(cp, id), *q = *link;
    if (q) {
        *link = q->next;
        pthread_mutex_lock(&q->retire);
        q->dead = true;
        idle = q->in_engine == 0;
        pthread_mutex_unlock(&q->retire);
    }
    leave(cp);
    /* With kernels still in the engine the last of them frees it. */
    if (q && idle)
        queue_free(q);
    return q ? 0 : -EINVAL;
}

void sg_cp_watch_doorbells(struct sg_cp *cp, void *page, size_t bytes)
{
    visit(cp);
    doorbell_disarm(&cp->doorbells);
    doorbell_set_page(&cp->doorbells, page, bytes);
    leave(cp);
}
