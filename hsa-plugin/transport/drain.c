/* drain.c - see drain.h. */
#include "drain.h"
#include "items.h"

#include <fenv.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "hsa-plugin/log.h"
#include "messages/header.h"

struct worker {
    pthread_t thread;
    struct ls_items items;
};

enum { MAX_WORKERS = LS_PARTS_MAX, WAVES_PER_PART = 32 };
/* A kernel that fills this part of a ring while we nap is looked after without naps. */
enum { CROWDED_PART = 4 };
enum {
    SPINS = 16,
    NAP_CROWDED_NS = 20000,
    NAP_FIRST_NS = 50000,
    NAP_LAST_NS = 200000,
    LINGER_NS = 50000,
    BEAT_NS = 20000000
};

static const struct ls_api *api;
static const struct ls_sink *sink;
static struct worker workers[MAX_WORKERS];
static unsigned n_workers;
static pthread_t drainer;
static bool started;
static _Atomic(struct ls_slot *) submitted; /* newest first */
static _Atomic(struct ls_queue *) queues;
static bool crowded; /* the last chunks were so many; the drainer's */
static struct ls_slot *draining, **draining_tail = &draining; /* completed, their chunks maybe not taken */
static _Atomic uint32_t sleeping;                             /* futex: 1 while the drainer sleeps */
static atomic_bool stopping;
static atomic_ulong in_flight, progress;
static atomic_uint_least64_t spent_ns; /* processor time of threads that have ended */
static atomic_ulong unrecorded;        /* of these, those that the GPU is through with */
static atomic_ulong at_work;           /* items that workers have not done yet */
static __thread bool own_thread;

bool ls_drain_is_own_thread(void)
{
    return own_thread;
}

/* 0: there is no such clock. */
static long long clock_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) ? 0 : t.tv_sec * 1000000000ll + t.tv_nsec;
}

static long long now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static void nap(long ns)
{
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

/* ---- workers ---- */

static void put_item(struct worker *w, struct ls_item item)
{
    atomic_fetch_add(&at_work, 1);
    ls_items_put(&w->items, item);
}

static void release(struct ls_slot *s)
{
    struct ls_queue *q = s->use.queue;
    if (!s->use.aborted) /* otherwise the GPU may still write to its buffers */
        ls_slot_put(s);
    atomic_fetch_sub(&q->in_flight, 1);
    ls_drain_ends();
}

/* What every thread of ours begins with. The application may have trapped float exceptions; those of the
 * handlers' arithmetic must not end it. */
static void begin_thread(void)
{
    fesetenv(FE_DFL_ENV);
    own_thread = true;
}

static void end_thread(void)
{
    atomic_fetch_add(&spent_ns, (uint64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

/* Of a slot's part, which is a number below its n_parts. */
static struct worker *worker_of(const struct ls_slot *s, unsigned part)
{
    return &workers[(s->index + part) % n_workers];
}

/* One of those that the end of the dispatch waits for is through. */
static void count_down(struct ls_slot *s)
{
    if (atomic_fetch_sub(&s->use.pending, 1) == 1)
        put_item(worker_of(s, 0), (struct ls_item){LS_ITEM_END, .subject = s});
}

static void give_back(struct ls_slot *s, uint32_t chunk)
{
    ls_ring_give(&s->agent->ring, chunk);
    if (atomic_load(&s->use.over)) /* a kernel that never ends makes no progress, whatever it sends */
        atomic_fetch_add(&progress, 1);
    count_down(s);
    sink->busy();
}

static void work_chunk(struct ls_slot *s, const struct ls_item *item)
{
    struct ls_host_ring *r = &s->agent->ring;
    const void *chunk = ls_ring_chunk(r, item->chunk);
    const size_t size = (size_t)1 << r->chunk_shift;
    enum ls_chunk_left left = LS_CHUNK_DONE;
    if (item->kind == LS_ITEM_CHUNK)
        left = sink->chunk(s, item->detail, chunk, size);
    else
        sink->rest(s, (enum ls_chunk_left)item->detail, chunk, size);
    if (left == LS_CHUNK_DONE)
        give_back(s, item->chunk);
    else
        put_item(worker_of(s, 0), (struct ls_item){LS_ITEM_REST, item->chunk, left, s, NULL});
}

static void *work(void *arg)
{
    struct worker *w = arg;
    bool ended = false; /* the last item was the end of a dispatch */
    begin_thread();
    for (;;) {
        struct ls_item item = ls_items_get(&w->items, ended, sink->idle);
        ended = item.kind == LS_ITEM_END;
        struct ls_slot *s = item.subject;
        switch (item.kind) {
        case LS_ITEM_STOP:
            atomic_fetch_sub(&at_work, 1);
            end_thread();
            return NULL;
        case LS_ITEM_JOB:
            item.run(item.subject);
            break;
        case LS_ITEM_END:
            sink->over(s);
            release(s);
            break;
        case LS_ITEM_CHUNK:
        case LS_ITEM_REST:
            work_chunk(s, &item);
            break;
        }
        atomic_fetch_sub(&at_work, 1);
    }
}

/* ---- the drainer ---- */

static bool take_submitted(void)
{
    struct ls_slot *s = atomic_exchange(&submitted, NULL), *in_order = NULL;
    if (!s)
        return false;
    while (s) {
        struct ls_slot *next = s->next;
        s->next = in_order;
        in_order = s;
        s = next;
    }
    while (in_order) {
        struct ls_queue *q = in_order->use.queue;
        struct ls_slot *next = in_order->next;
        in_order->next = NULL;
        if (q->tail)
            q->tail->next = in_order;
        else
            q->head = in_order;
        q->tail = in_order;
        in_order = next;
    }
    return true;
}

/* The chunk's header says whose it is. A chunk of nobody goes back at once. */
static void route_chunk(struct ls_agent *a, uint32_t chunk)
{
    struct ls_chunk *h = ls_ring_chunk(&a->ring, chunk);
    struct ls_slot *s = ls_slot_of(a, h->slot - 1);
    if (s && s->use.kernel && !s->use.closed && ls_header_end(h, s->ctx)) {
        const unsigned part = ls_part_of(h, s->use.n_parts);
        atomic_fetch_add(&s->use.pending, 1);
        put_item(worker_of(s, part), (struct ls_item){LS_ITEM_CHUNK, chunk, part, s, NULL});
        return;
    }
    if (!s || !s->use.closed) /* else its dispatch never completed: it was told */
        ls_ring_damage(&a->ring);
    ls_ring_give(&a->ring, chunk);
}

static bool drain_ring(struct ls_agent *a)
{
    uint32_t chunk, n = 0;
    for (; ls_ring_take(&a->ring, &chunk); n++)
        route_chunk(a, chunk);
    ls_ring_retry(&a->ring);
    crowded |= n >= a->ring.n_chunks / CROWDED_PART;
    return n;
}

static void completed(struct ls_slot *s)
{
    atomic_store(&s->use.queue->retired, s->use.position);
    atomic_store(&s->use.over, true);
    ls_drain_over();
    if (!s->use.kernel) {
        release(s);
        return;
    }
    if (!s->use.not_observed && s->agent->ring.ring) {
        s->use.done_head = ls_ring_done_head(&s->agent->ring);
        s->use.dropped = 0;
        for (uint32_t i = 0; i < s->agent->dies; i++)
            s->use.dropped += __atomic_load_n(&s->ctx[i].dropped, __ATOMIC_ACQUIRE);
        s->use.unlisted = __atomic_load_n(&s->ctx->unlisted, __ATOMIC_ACQUIRE);
    }
    s->next = NULL;
    *draining_tail = s;
    draining_tail = &s->next;
}

/* Dispatches of a queue end in order, but for those without a barrier bit: then a later one waits here. */
static bool poll_queue(struct ls_queue *q)
{
    bool any = false;
    while (q->head) {
        struct ls_slot *s = q->head;
        bool dead = atomic_load(&q->dead) || atomic_load(&stopping);
        if (api->core.signal_load_scacquire(s->signal) > 0) {
            if (!dead)
                break;
            s->use.aborted = true;
        }
        q->head = s->next;
        if (!q->head)
            q->tail = NULL;
        completed(s);
        any = true;
    }
    return any;
}

static bool retire(void)
{
    bool any = false;
    struct ls_slot **at = &draining;
    while (*at) {
        struct ls_slot *s = *at;
        bool observed = !s->use.not_observed && s->agent->ring.ring;
        /* Tickets of a dispatch that did not complete may never be redeemed. */
        if (observed && !s->use.aborted && !ls_ring_drained(&s->agent->ring, s->use.done_head)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = NULL;
        s->use.closed = true;
        count_down(s);
        any = true;
    }
    draining_tail = at;
    return any;
}

static bool pass(void)
{
    struct ls_agent *agents;
    size_t n = ls_agents(&agents);
    bool any = take_submitted();
    for (struct ls_queue *q = atomic_load(&queues); q; q = q->next)
        any |= poll_queue(q);
    for (size_t i = 0; i < n; i++)
        if (__atomic_load_n(&agents[i].ring.ring, __ATOMIC_ACQUIRE))
            any |= drain_ring(&agents[i]);
    any |= retire();
    return any;
}

static bool nothing_to_do(void)
{
    if (draining || atomic_load(&submitted))
        return false;
    for (struct ls_queue *q = atomic_load(&queues); q; q = q->next)
        if (q->head)
            return false;
    return true;
}

static void beat(void)
{
    static long long last;
    struct ls_agent *agents;
    size_t n = ls_agents(&agents);
    long long now = now_ns();
    if (now - last < BEAT_NS)
        return;
    last = now;
    for (size_t i = 0; i < n; i++)
        if (__atomic_load_n(&agents[i].ring.ring, __ATOMIC_ACQUIRE))
            ls_ring_beat(&agents[i].ring);
}

static void sleep_until_submitted(void)
{
    atomic_store(&sleeping, 1);
    if (nothing_to_do() && !atomic_load(&stopping))
        syscall(SYS_futex, &sleeping, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    atomic_store(&sleeping, 0);
}

static void *drain(void *arg)
{
    unsigned idle = 0;
    bool lingered = false;
    long ns = NAP_FIRST_NS;
    (void)arg;
    begin_thread();
    for (;;) {
        beat();
        if (pass()) {
            idle = 0;
            lingered = false;
            ns = crowded ? NAP_CROWDED_NS : NAP_FIRST_NS;
            continue;
        }
        if (nothing_to_do()) {
            if (atomic_load(&stopping)) {
                end_thread();
                return NULL;
            }
            /* Small launches follow each other: whoever finds us asleep pays for waking us. */
            if (lingered)
                sleep_until_submitted();
            else
                nap(LINGER_NS);
            lingered = true;
        } else if (crowded && ++idle < SPINS) {
            sched_yield();
        } else { /* small launches follow each other: several are through when we wake */
            nap(ns);
            crowded = false;
            ns = ns < NAP_LAST_NS ? 2 * ns : NAP_LAST_NS;
        }
    }
}

/* ---- the other threads' side ---- */

static void wake_drainer(void)
{
    if (atomic_exchange(&sleeping, 0))
        syscall(SYS_futex, &sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void ls_drain_add_queue(struct ls_queue *q)
{
    q->next = atomic_load(&queues);
    while (!atomic_compare_exchange_weak(&queues, &q->next, q))
        continue;
}

struct ls_queue *ls_drain_queues(void)
{
    return atomic_load(&queues);
}

void ls_drain_submit(struct ls_slot *s)
{
    atomic_fetch_add(&s->use.queue->in_flight, 1);
    atomic_fetch_add(&in_flight, 1);
    atomic_store(&s->use.pending, 1);
    s->next = atomic_load(&submitted);
    while (!atomic_compare_exchange_weak(&submitted, &s->next, s))
        continue;
    wake_drainer();
}

bool ls_drain_post(void (*run)(void *subject), void *subject)
{
    if (started)
        put_item(&workers[0], (struct ls_item){LS_ITEM_JOB, .subject = subject, .run = run});
    return started;
}

void ls_drain_begins(void)
{
    atomic_fetch_add(&in_flight, 1);
}

void ls_drain_over(void)
{
    atomic_fetch_add(&unrecorded, 1);
}

void ls_drain_ends(void)
{
    atomic_fetch_add(&progress, 1);
    atomic_fetch_sub(&unrecorded, 1);
    atomic_fetch_sub(&in_flight, 1);
}

/* The workers get on without any thread of the program; should they hang all the same, it goes on after a second. */
void ls_drain_throttle(void)
{
    enum { ROW = 1024, NAPS = 10000 };
    unsigned long seen = atomic_load(&progress);
    for (int i = 0; i < NAPS && atomic_load(&unrecorded) > ROW; i++) {
        nap(NAP_LAST_NS / 2);
        unsigned long now = atomic_load(&progress);
        i = now == seen ? i : 0;
        seen = now;
    }
}

bool ls_drain_is_computing(void)
{
    return atomic_load(&at_work) && atomic_load(&unrecorded) == atomic_load(&in_flight);
}

/* Changes while somebody gets on: the GPU, or workers with what it has left them, in milliseconds of processor time. Their work ends:
 * analyses have a budget (join/work.h), and handlers a limit (host-handlers/pipeline/guard.h). */
static unsigned long steps(void)
{
    unsigned long sum = atomic_load(&progress);
    for (unsigned i = 0; ls_drain_is_computing() && i < n_workers; i++) {
        clockid_t clock;
        if (!pthread_getcpuclockid(workers[i].thread, &clock))
            sum += (unsigned long)(clock_ns(clock) / 1000000);
    }
    return sum;
}

bool ls_drain_wait(struct ls_queue *q, unsigned seconds)
{
    unsigned long seen = steps();
    long long since = now_ns();
    while (q ? atomic_load(&q->in_flight) != 0 : atomic_load(&in_flight) != 0) {
        unsigned long now = steps();
        if (now != seen) {
            seen = now;
            since = now_ns();
        } else if (now_ns() - since > seconds * 1000000000ll) {
            return false;
        }
        nap(NAP_LAST_NS / 2);
    }
    return true;
}

static int start_thread(pthread_t *t, void *(*f)(void *), void *arg, const char *name)
{
    int rc = pthread_create(t, NULL, f, arg);
    if (!rc)
        pthread_setname_np(*t, name);
    return rc;
}

unsigned ls_drain_parts(uint64_t waves)
{
    const uint64_t parts = waves / WAVES_PER_PART;
    return parts < 1 ? 1 : parts < n_workers ? (unsigned)parts : n_workers;
}

int ls_drain_start(const struct ls_api *a, const struct ls_sink *to, unsigned decoders)
{
    sigset_t all, before;
    int rc = 0;
    api = a;
    sink = to;
    atomic_store(&stopping, false);
    n_workers = !decoders ? ls_drain_usual_workers() : decoders < MAX_WORKERS ? decoders : MAX_WORKERS;
    /* The application's signal handlers must not run on our threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 0; i < n_workers && !rc; i++) {
        ls_items_init(&workers[i].items);
        rc = start_thread(&workers[i].thread, work, &workers[i], "lanescope-work");
        if (rc)
            n_workers = i;
    }
    if (!rc)
        rc = start_thread(&drainer, drain, NULL, "lanescope-drain");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    started = rc == 0;
    if (!rc)
        return 0;
    for (unsigned i = 0; i < n_workers; i++) {
        put_item(&workers[i], (struct ls_item){.kind = LS_ITEM_STOP});
        pthread_join(workers[i].thread, NULL);
    }
    ls_log(LS_LOG_ERROR, "threads could not be started: %s", strerror(rc));
    return -1;
}

uint64_t ls_drain_stop(void)
{
    struct ls_agent *agents;
    size_t n = ls_agents(&agents);
    if (!started)
        return 0;
    started = false;
    for (size_t i = 0; i < n; i++)
        if (agents[i].ring.ring)
            ls_ring_close(&agents[i].ring);
    atomic_store(&stopping, true);
    wake_drainer();
    pthread_join(drainer, NULL);
    for (unsigned i = 0; i < n_workers; i++) {
        put_item(&workers[i], (struct ls_item){.kind = LS_ITEM_STOP});
        pthread_join(workers[i].thread, NULL);
        ls_items_free(&workers[i].items);
        memset(&workers[i], 0, sizeof workers[i]);
    }
    return atomic_exchange(&spent_ns, 0);
}
