/*
 * engine.c - the engine object: creation, submission, the cache of decoded kernels, counters.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <time.h>
#include <xmmintrin.h>
#include "schedule_group.h"
#include "soft-gpu/isa/decode/decode.h"
#include "soft-gpu/isa/memory/mem_weak.h"

/* Zeroed memory for a structure that has parts of its own cache lines. NULL when out of memory. */
static void *apart(size_t bytes)
{
    void *p = aligned_alloc(SG_APART, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* ---- Decoded kernels ---- */

struct sg_code *sg_engine_code(struct sg_engine *e, uint64_t entry, unsigned lanes, bool reported)
{
    struct sg_code *code = NULL;
    const unsigned observers = (e->log_file || reported ? SG_OBSERVE_LOG : 0u) |
                               (e->config.check & ~SG_CHECK_WEAK ? SG_OBSERVE_CHECK : 0u) |
                               (e->config.check & SG_CHECK_GLOBAL ? SG_OBSERVE_GLOBAL : 0u) |
                               (e->weak ? SG_OBSERVE_WEAK : 0u);
    pthread_mutex_lock(&e->lock);
    for (struct sg_cached_code *c = e->codes; c && !code; c = c->next)
        if (c->entry == entry && c->lanes == lanes && c->observers == observers)
            code = c->code;
    if (code)
        sg_code_retain(code);
    pthread_mutex_unlock(&e->lock);
    if (code)
        return code;
    struct sg_code_source source = {.mem = e->config.mem};
    struct sg_cached_code *c = malloc(sizeof *c);
    code = sg_code_create((struct gcn_target){e->config.arch, lanes}, &source, entry, observers);
    if (!c || !code) {
        free(c);
        sg_code_release(code);
        return NULL;
    }
    sg_code_retain(code); /* one reference for the cache, one for the caller */
    pthread_mutex_lock(&e->lock);
    *c = (struct sg_cached_code){e->codes, entry, lanes, observers, code};
    e->codes = c;
    pthread_mutex_unlock(&e->lock);
    return code;
}

void sg_engine_invalidate_code(struct sg_engine *e, uint64_t va, uint64_t size)
{
    pthread_mutex_lock(&e->lock);
    for (struct sg_cached_code **p = &e->codes, *c; (c = *p);) {
        if (!sg_code_overlaps(c->code, va, size)) {
            p = &c->next;
            continue;
        }
        *p = c->next;
        sg_code_release(c->code);
        free(c);
    }
    pthread_mutex_unlock(&e->lock);
}

/* ---- Life ---- */

/* The handlers are compiled for x86-64-v3; running them elsewhere would be a SIGILL in the middle of a
 * kernel. */
static bool processor_suffices(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") &&
           __builtin_cpu_supports("lzcnt");
}

/* It is held for some ten instructions per work-group: waiting a moment for it is cheaper than sleeping. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &a);
    pthread_mutexattr_destroy(&a);
}

static unsigned available_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

static void stop_workers(struct sg_engine *e)
{
    atomic_store(&e->quit, true);
    pthread_mutex_lock(&e->lock);
    pthread_cond_broadcast(&e->work);
    pthread_mutex_unlock(&e->lock);
    for (unsigned i = 0; i < e->n_workers; i++)
        pthread_join(e->workers[i].thread, NULL);
}

static void engine_free(struct sg_engine *e)
{
    uint64_t lost;
    for (unsigned i = 0; i < e->n_workers; i++)
        sg_worker_free(&e->workers[i]);
    for (struct sg_job *j = e->jobs, *next; j; j = next) {
        next = j->next;
        if (j->check)
            sg_check_job_end(j->check, NULL, NULL, &lost);
        sg_code_release(j->code);
        sg_bulk_free(j->bulk);
        sg_report_close(j->report);
        free(j);
    }
    for (struct sg_cached_code *c = e->codes, *next; c; c = next) {
        next = c->next;
        sg_code_release(c->code);
        free(c);
    }
    for (struct sg_scratch *s = e->scratch, *next; s; s = next) {
        next = s->next;
        free(s->used);
        free(s);
    }
    sg_units_destroy(e);
    sg_log_close(e->log_file);
    sg_weak_destroy(e->weak);
    pthread_mutex_destroy(&e->lock);
    pthread_mutex_destroy(&e->gws.lock);
    pthread_cond_destroy(&e->work);
    free(e->workers);
    free(e);
}

/*
 * A new thread inherits the float environment of the one that makes it, and an application may have changed
 * its own: it flushes denormals (-ffast-math), rounds otherwise, or has trapped exceptions. The GPU has a
 * MODE register instead, and the interpreter counts on the processor's default.
 */
static void *run_worker(void *worker)
{
    _mm_setcsr(0x1f80); /* all exceptions masked, to nearest, denormals kept (Intel SDM volume 1, 10.2.3) */
    return sg_worker_main(worker);
}

static bool start_worker(struct sg_engine *e, struct sg_worker *w, unsigned index)
{
    w->engine = e;
    atomic_init(&w->quiet_in, NO_GROUPS);
    w->random = e->config.seed * 0x9E3779B97F4A7C15ull + index + 1;
    sg_tlb_init(&w->tlb, e->config.mem);
    if (e->log_file && !(w->log = sg_log_sink(e->log_file)))
        return false;
    /* Signals belong to the application's threads. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&w->thread, NULL, run_worker, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error)
        sg_log_sink_close(w->log);
    return !error;
}

static struct sg_weak *make_weak(const struct sg_engine_config *config)
{
    const struct ls_gpu_card *card = config->arch->card;
    const struct sg_weak_config weak = {.mem = config->mem,
                                        .dies = card->dies,
                                        .units = card->compute_units / card->dies,
                                        .pairs = config->arch->family->hw_id == LS_HW_ID1,
                                        .seed = config->weak_seed,
                                        .follow = config->check & SG_CHECK_WEAK,
                                        .rmw = sg_weak_host_rmw};
    return sg_weak_create(&weak);
}

struct sg_engine *sg_engine_create(const struct sg_engine_config *config, const char **why)
{
    if (!processor_suffices()) {
        *why = "the software GPU needs a processor with AVX2, FMA, BMI2 and F16C (x86-64-v3)";
        return NULL;
    }
    unsigned threads = config->threads ? config->threads : available_cores();
    if (config->check & SG_CHECK_GLOBAL || config->weak)
        threads = 1; /* check.h: its clock is one thread's; weak.h: so that a seed says all */
    struct sg_engine *e = apart(sizeof *e);
    if (e)
        e->workers = apart(threads * sizeof *e->workers);
    if (!e || !e->workers) {
        free(e);
        *why = "out of memory";
        return NULL;
    }
    e->config = *config;
    e->jobs_tail = &e->jobs;
    init_lock(&e->lock);
    e->device = (struct sg_device){e->config.ops, e->config.user, &e->gws};
    pthread_mutex_init(&e->gws.lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&e->work, &clock);
    pthread_condattr_destroy(&clock);
    e->gws.epoch = 1; /* 0: never counted */
    *why = sg_units_create(e) ? NULL : "out of memory";
    if (!*why && config->weak && !(e->weak = make_weak(config)))
        *why = "out of memory for the weak memory";
    if (!*why && config->access_log)
        e->log_file = sg_log_create(config->access_log, config->arch); /* without it the program goes on */
    for (; !*why && e->n_workers < threads; e->n_workers++)
        if (!start_worker(e, &e->workers[e->n_workers], e->n_workers))
            *why = "cannot start a worker thread";
    if (*why) {
        stop_workers(e);
        engine_free(e);
        return NULL;
    }
    return e;
}

void sg_engine_destroy(struct sg_engine *e)
{
    if (!e)
        return;
    stop_workers(e);
    engine_free(e);
}

int sg_engine_submit(struct sg_engine *e, const struct sg_dispatch *d, sg_done_fn done, void *user)
{
    struct sg_job *j = apart(sizeof *j);
    if (!j)
        return -ENOMEM;
    j->dispatch = *d;
    j->done = done;
    j->user = user;
    pthread_mutex_lock(&e->lock);
    j->number = e->n_jobs++;
    *e->jobs_tail = j;
    e->jobs_tail = &j->next;
    pthread_cond_broadcast(&e->work);
    pthread_mutex_unlock(&e->lock);
    return 0;
}

bool sg_engine_has_room(struct sg_engine *e, struct sg_tlb *tlb, const struct sg_dispatch *d)
{
    struct sg_kernel k;
    struct sg_shape shape;
    struct sg_fault fault;
    if (!sg_kernel_read(e->config.arch, tlb, d->kernel_object, &k) ||
        !sg_shape_make(e->config.arch, d, &k, &shape, &fault))
        return false;
    const struct sg_needs needs = sg_needs_of(e->config.arch, &k, &shape);
    pthread_mutex_lock(&e->lock);
    bool room = sg_units_fit(e, d, &needs);
    for (const struct sg_job *j = e->jobs; j && room; j = j->next)
        room = j->ready && (j->stopped || j->next_group == j->shape.n_groups);
    pthread_mutex_unlock(&e->lock);
    return room;
}

void sg_engine_fence(struct sg_engine *e, enum sg_weak_scope acquire, enum sg_weak_scope release)
{
    if (!e->weak)
        return;
    sg_weak_release(e->weak, release);
    sg_weak_acquire(e->weak, acquire);
}

void sg_engine_counters(struct sg_engine *e, uint64_t *wave_instructions, uint64_t *lane_operations)
{
    *wave_instructions = *lane_operations = 0;
    for (unsigned i = 0; i < e->n_workers; i++) {
        *wave_instructions += atomic_load_explicit(&e->workers[i].n_inst, memory_order_relaxed);
        *lane_operations += atomic_load_explicit(&e->workers[i].n_lane_ops, memory_order_relaxed);
    }
}

uint64_t sg_engine_bulk_groups(struct sg_engine *e)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < e->n_workers; i++)
        n += atomic_load_explicit(&e->workers[i].n_bulk_groups, memory_order_relaxed);
    return n;
}

uint64_t sg_engine_lock_turns(struct sg_engine *e)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < e->n_workers; i++)
        n += atomic_load_explicit(&e->workers[i].n_locks, memory_order_relaxed);
    return n;
}
