/*
 * schedule.c - worker threads: work-groups in, wavefronts run, dispatches done.
 *
 * A work-group stays on the thread that took it, so its LDS needs no atomics. A thread runs one work-group
 * until all its wavefronts have ended, which keeps the registers in the cache; only when a work-group yields
 * (s_sleep, or a long loop) does the thread look at its other resident work-groups and take new ones, up to
 * as many as the emulated GPU would hold. So kernels whose work-groups wait for each other make progress, and
 * others pay nothing for it.
 *
 * A work-group that yields again and again is watched (stall.h): when the registers of all its wavefronts
 * repeat, it only waits. From then on it costs one round of its loops per look, and a thread that has only
 * such work-groups naps. If they depend on nothing but themselves, they never end: a deadlock. If the whole
 * engine waits, only the host can end it, and after a while the user is told.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "schedule.h"
#include "disasm.h"
#include "stall.h"

enum {
    LDS_SPARE = 64,     /* readable bytes behind the LDS, a promise of uop.h */
    SLICE = 1 << 11,    /* backward jumps before a yield */
    SLICE_DOUBLES = 32, /* turns after which a work-group's slice doubles: it loops rather than waits */
    SLICE_DOUBLINGS = 5,
    PATIENCE = 4,     /* rounds of loops only, after which as many new work-groups are taken as there are */
    IDLE_ROUNDS = 64, /* fruitless rounds before a thread naps */
    NAP_MICROSECONDS = 50, /* long against a round, short against a host thread's reply */
    NAPS_DOUBLE = 64,      /* naps after which they become twice as long, ... */
    NAP_DOUBLINGS = 7,     /* ... this many times */
    WATCH_FIRST = 32,      /* turns before a work-group is watched; then each time that they have doubled */
    WATCH_AGAIN = 4,       /* the same for one that has waited before */
    WATCH_LEAST = 64,      /* stops of a wavefront that one watch covers at least, ... */
    WATCH_MOST = 4096,     /* ... and at most; in between two for each turn */
    LOOPS_LONG = 256,      /* turns after which it is worth asking whether there is a way out */
};

enum wave_state { WAVE_READY, WAVE_AT_BARRIER, WAVE_ENDED };

struct sg_group {
    struct sg_group *next; /* ring of residents, or free list */
    struct sg_workgroup wg;
    struct sg_job *job;
    unsigned live, at_barrier;
    unsigned turns;                 /* that ended with a yield */
    unsigned waiting;               /* wavefronts found in a grid barrier in its last turn */
    uint64_t blocked_epoch;         /* in which it was counted in job->blocked */
    bool slept;                     /* yielded by s_sleep or a grid barrier in its last turn */
    bool moved;                     /* something but a yield happened in its last turn */
    bool still;                     /* all its wavefronts repeat themselves or wait at barriers */
    unsigned next_watch;            /* in turns */
    size_t lds_capacity;            /* bytes allocated at wg.lds */
    struct sg_check_group *checked; /* of an earlier work-group, to be used again */
    struct sg_wave *wave[16];       /* 1024 work-items at most */
    uint8_t state[16];              /* enum wave_state */
    struct sg_repeat repeat[16];
};

enum turn { TURN_DONE, TURN_YIELDED };

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = (*state += 0x9E3779B97F4A7C15ull);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

/* ---- Scratch slots. Engine lock held. ---- */

static struct sg_scratch *find_scratch(struct sg_engine *e, uint64_t base)
{
    for (struct sg_scratch *s = e->scratch; s; s = s->next)
        if (s->base == base)
            return s;
    struct sg_scratch *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base = base;
    s->next = e->scratch;
    e->scratch = s;
    return s;
}

/* Makes the slots fit the job. False while slots of a smaller size, or of another extent, are taken. */
static bool size_scratch(struct sg_scratch *s, const struct sg_job *j)
{
    if (s->slot_bytes >= j->shape.scratch_bytes && s->bytes == j->dispatch.scratch_bytes &&
        s->slots >= j->shape.max_waves)
        return true;
    if (s->taken)
        return false;
    uint64_t slots = j->dispatch.scratch_bytes / j->shape.scratch_bytes;
    uint8_t *used = calloc(slots, 1);
    if (!used)
        return false;
    free(s->used);
    s->used = used;
    s->slots = slots;
    s->slot_bytes = j->shape.scratch_bytes;
    s->bytes = j->dispatch.scratch_bytes;
    s->hint = 0;
    return true;
}

/* GPU address of a free slot; the caller has made sure that there is one. */
static uint64_t take_slot(struct sg_scratch *s)
{
    uint64_t i = s->hint;
    while (s->used[i])
        i = (i + 1) % s->slots;
    s->used[i] = 1;
    s->taken++;
    s->hint = (i + 1) % s->slots;
    return s->base + i * s->slot_bytes;
}

static void give_slot(struct sg_scratch *s, uint64_t address)
{
    uint64_t i = (address - s->base) / s->slot_bytes;
    s->used[i] = 0;
    s->taken--;
    s->hint = i; /* the most recently used one is in the cache */
}

/* ---- Jobs ---- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* The order of work-groups: offset + i * stride modulo their number, a permutation when both are coprime. */
static void choose_order(struct sg_worker *worker, struct sg_job *j)
{
    j->stride = 1;
    j->offset = 0;
    if (!worker->engine->config.shuffle_waves)
        return;
    uint64_t state = worker->engine->config.seed ^ j->number;
    j->offset = next_random(&state) % j->shape.n_groups;
    do
        j->stride = next_random(&state) % j->shape.n_groups + 1;
    while (gcd(j->stride, j->shape.n_groups) != 1);
}

static void log_job(struct sg_engine *e, const struct sg_job *j)
{
    struct sg_log_dispatch r = {
        .record = {SG_LOG_DISPATCH, sizeof r},
        .dispatch = j->number,
        .kernel_object = j->dispatch.kernel_object,
        .entry = j->kernel.entry,
        .group_bytes = j->dispatch.group_bytes,
        .private_bytes = j->dispatch.private_bytes,
    };
    for (unsigned i = 0; i < 3; i++) {
        r.grid[i] = j->dispatch.grid[i];
        r.workgroup[i] = j->dispatch.workgroup[i];
    }
    sg_log_write_dispatch(e->log_file, &r);
}

/* For counters that one thread writes and others read. */
static void add_to(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + n, memory_order_relaxed);
}

static void count_bulk(struct sg_worker *worker, const struct sg_bulk *bulk)
{
    uint64_t n_inst, n_lane_ops;
    sg_bulk_counters(bulk, &n_inst, &n_lane_ops);
    add_to(&worker->n_inst, n_inst);
    add_to(&worker->n_lane_ops, n_lane_ops);
}

/* Fills what depends on the kernel. Without the engine lock; `preparing` keeps other workers away. */
static void prepare_job(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    struct sg_fault *f = &j->fault;
    if (!sg_kernel_read(&worker->tlb, j->dispatch.kernel_object, &j->kernel)) {
        f->kind = SG_FAULT_PAGE;
        f->va = j->dispatch.kernel_object;
        snprintf(f->message, sizeof f->message, "the kernel descriptor is not mapped");
        return;
    }
    if (!sg_shape_make(e->config.arch, &j->dispatch, &j->kernel, &j->shape, f) ||
        !sg_kernel_preload(&worker->tlb, &j->dispatch, &j->kernel, j->preloaded, f))
        return;
    choose_order(worker, j);
    if (e->log_file)
        log_job(e, j);
    if (e->config.check && !(j->check = sg_check_job_begin(e->config.check))) {
        f->kind = SG_FAULT_RESOURCES;
        snprintf(f->message, sizeof f->message, "out of memory for the check");
        return;
    }
    j->code = sg_engine_code(e, j->kernel.entry);
    if (j->code)
        j->entry = sg_code_find(j->code, j->kernel.entry);
    if (!j->entry) {
        f->kind = SG_FAULT_RESOURCES;
        snprintf(f->message, sizeof f->message, "out of memory while decoding the kernel");
    } else if (!e->log_file && !e->config.check && !e->config.shuffle_waves && !e->config.interpret_all) {
        j->bulk =
            sg_bulk_plan(e->config.arch, &worker->tlb, &j->dispatch, &j->kernel, j->preloaded, &j->shape);
        if (j->bulk)
            count_bulk(worker, j->bulk);
    }
}

static void unlink_job(struct sg_engine *e, struct sg_job *j)
{
    struct sg_job **p = &e->jobs;
    while (*p != j)
        p = &(*p)->next;
    *p = j->next;
    if (e->jobs_tail == &j->next)
        e->jobs_tail = p;
}

static bool job_finished(const struct sg_job *j)
{
    return !j->live && j->ready && (j->stopped || j->next_group == j->shape.n_groups);
}

struct report_target {
    struct sg_engine *engine;
    struct sg_job *job;
    struct sg_check_report report;
};

static void instruction_text(const struct report_target *t, uint64_t pc, char *out, size_t size)
{
    uint32_t words[4];
    out[0] = '\0';
    if (!pc)
        return;
    unsigned n = sg_code_words(t->job->code, pc, words);
    sg_disassemble(t->engine->config.arch, words, n, pc, out, size);
}

static void report_finding(void *user, const struct sg_finding *finding)
{
    struct report_target *t = user;
    struct sg_check_report *r = &t->report;
    r->finding = finding;
    instruction_text(t, finding->a.pc, r->instruction[0], sizeof r->instruction[0]);
    instruction_text(t, finding->b.pc, r->instruction[1], sizeof r->instruction[1]);
    t->engine->config.ops->found(t->engine->config.user, r);
}

static void report_findings(struct sg_engine *e, struct sg_job *j)
{
    struct report_target t = {e, j, {j->dispatch.kernel_object, j->number, NULL, 0, {1, 1}, {"", ""}}};
    const bool wanted = e->config.ops && e->config.ops->found;
    t.report.groups[0] = j->shape.groups[0];
    t.report.groups[1] = j->shape.groups[1];
    sg_check_job_end(j->check, wanted ? report_finding : NULL, &t, &t.report.lost);
    j->check = NULL;
    if (wanted) {
        t.report.finding = NULL;
        e->config.ops->found(e->config.user, &t.report);
    }
}

/* Reports a finished job and frees it. Lock held; released during the callback. */
static void finish_job(struct sg_engine *e, struct sg_job *j)
{
    unlink_job(e, j);
    pthread_mutex_unlock(&e->lock);
    if (e->log_file)
        sg_log_write_end(e->log_file, j->number, j->fault.kind);
    if (j->check)
        report_findings(e, j);
    j->done(j->user, &j->fault);
    sg_code_release(j->code);
    sg_bulk_free(j->bulk);
    free(j);
    pthread_mutex_lock(&e->lock);
}

/* Room for one more work-group of j? Lock held. */
static bool may_start(struct sg_engine *e, struct sg_job *j)
{
    if (j->preparing || j->stopped || (j->ready && j->next_group == j->shape.n_groups))
        return false;
    if (!j->ready)
        return true;
    if (j->live >= j->shape.resident)
        return false;
    if (!j->shape.scratch_bytes)
        return true;
    if (!j->scratch && !(j->scratch = find_scratch(e, j->dispatch.scratch_base)))
        return false;
    return size_scratch(j->scratch, j) && j->scratch->slots - j->scratch->taken >= j->shape.max_waves;
}

/* ---- Groups ---- */

static struct sg_wave *get_wave(struct sg_worker *worker)
{
    struct sg_wave *w = worker->free_waves;
    if (w) {
        worker->free_waves = w->pool_next;
        return w;
    }
    w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    if (!w)
        return NULL;
    memset(w, 0, sizeof *w);
    if (!sg_wave_alloc(w)) {
        free(w);
        return NULL;
    }
    return w;
}

static void put_wave(struct sg_worker *worker, struct sg_wave *w)
{
    w->pool_next = worker->free_waves;
    worker->free_waves = w;
}

static struct sg_group *get_group(struct sg_worker *worker, size_t lds)
{
    struct sg_group *g = worker->free_groups;
    if (g)
        worker->free_groups = g->next;
    else if (!(g = calloc(1, sizeof *g)))
        return NULL;
    if (g->lds_capacity < lds + LDS_SPARE) {
        free(g->wg.lds);
        g->lds_capacity = lds + LDS_SPARE;
        g->wg.lds = aligned_alloc(64, (g->lds_capacity + 63) / 64 * 64);
        if (!g->wg.lds) {
            free(g);
            return NULL;
        }
    }
    return g;
}

/* Zero, or with poison a random pattern: a kernel must not depend on what it finds. */
static void fill(struct sg_worker *worker, uint64_t *state, void *data, size_t bytes)
{
    if (!worker->engine->config.poison) {
        memset(data, 0, bytes);
        return;
    }
    uint8_t *p = data;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t x = next_random(state);
        memcpy(p + i, &x, 8);
    }
}

static void clear_wave(struct sg_worker *worker, struct sg_wave *w, const struct sg_kernel *k,
                       uint64_t *state)
{
    fill(worker, state, w->v[0], k->vgprs * sizeof w->v[0]);
    if (k->agprs)
        fill(worker, state, w->v[256], k->agprs * sizeof w->v[0]);
    fill(worker, state, w->s, 128 * sizeof *w->s);
}

/* Returns a group's wavefronts to the pool and settles its job. */
static void retire_group(struct sg_worker *worker, struct sg_group *g)
{
    struct sg_engine *e = worker->engine;
    struct sg_job *j = g->job;
    uint64_t n_inst = 0, n_lane_ops = 0;
    if (worker->log)
        sg_log_flush(worker->log);
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->wave[i] && g->state[i] == WAVE_ENDED) {
            n_inst += g->wave[i]->n_inst;
            n_lane_ops += g->wave[i]->n_lane_ops;
        }
    add_to(&worker->n_inst, n_inst);
    add_to(&worker->n_lane_ops, n_lane_ops);
    if (g->wg.check) {
        sg_check_group_end(g->wg.check);
        g->checked = g->wg.check;
        g->wg.check = NULL;
    }
    pthread_mutex_lock(&e->lock);
    for (unsigned i = 0; i < g->wg.n_waves && j->shape.scratch_bytes; i++)
        if (g->wave[i] && g->wave[i]->scratch_wave_base)
            give_slot(j->scratch, g->wave[i]->scratch_wave_base);
    j->live--;
    const bool has_scratch = j->shape.scratch_bytes, more = j->next_group < j->shape.n_groups;
    bool abandoned = atomic_load(&e->quit); /* not finished: no callback */
    if (!abandoned && job_finished(j))
        finish_job(e, j);
    else if (e->waiting && (has_scratch || more))
        pthread_cond_broadcast(&e->work); /* a place or a scratch slot became free */
    pthread_mutex_unlock(&e->lock);
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->wave[i]) {
            put_wave(worker, g->wave[i]);
            g->wave[i] = NULL;
        }
    g->job = NULL;
    g->next = worker->free_groups;
    worker->free_groups = g;
}

/* Keeps the first fault of a job. */
static void stop_job(struct sg_worker *worker, struct sg_job *j, const struct sg_fault *fault)
{
    pthread_mutex_lock(&worker->engine->lock);
    if (!j->stopped) {
        j->fault = *fault;
        __atomic_store_n(&j->stopped, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&worker->engine->lock);
}

static bool start_wave(struct sg_worker *worker, struct sg_group *g, const uint32_t size[3], unsigned i)
{
    struct sg_job *j = g->job;
    struct sg_wave *w = g->wave[i];
    uint64_t state = worker->engine->config.seed ^ j->number << 40 ^ g->wg.log_id << 5 ^ i;
    w->arch = worker->engine->config.arch;
    w->engine = worker->engine;
    w->exact_matrix = worker->engine->config.exact_matrix;
    w->dispatch = &j->dispatch;
    w->wg = &g->wg;
    w->tlb = &worker->tlb;
    w->log = worker->log;
    w->wave_in_group = i;
    clear_wave(worker, w, &j->kernel, &state);
    sg_wave_set_registers(w, &j->kernel, j->preloaded, &j->shape, size, i);
    g->state[i] = WAVE_READY;
    return sg_wave_start(w, j->code, j->entry);
}

/* Fills the group for work-group number `flat`. False when out of memory. */
static bool start_group(struct sg_worker *worker, struct sg_group *g, uint64_t flat)
{
    struct sg_job *j = g->job;
    uint32_t size[3];
    uint64_t state = worker->engine->config.seed ^ ~flat;
    g->wg.lds_bytes = j->shape.lds_bytes;
    g->wg.log_id = flat;
    g->wg.log_dispatch = j->number;
    g->live = g->wg.n_waves;
    g->at_barrier = g->turns = 0;
    g->blocked_epoch = 0;
    g->waiting = 0;
    g->still = false;
    g->next_watch = WATCH_FIRST;
    memset(g->repeat, 0, sizeof g->repeat);
    fill(worker, &state, g->wg.lds, g->wg.lds_bytes);
    if (j->check) {
        g->wg.check = sg_check_group_begin(j->check, g->checked, flat, g->wg.n_waves, g->wg.lds_bytes);
        g->checked = NULL;
        if (!g->wg.check)
            return false;
    }
    sg_shape_group(&j->shape, &j->dispatch, flat, g->wg.id, size);
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (!start_wave(worker, g, size, i))
            return false;
    return true;
}

/* Gives the group its wavefronts and scratch slots. Lock held. */
static bool equip_group(struct sg_worker *worker, struct sg_group *g, uint64_t flat)
{
    struct sg_job *j = g->job;
    uint32_t size[3];
    g->wg.n_waves = sg_shape_group(&j->shape, &j->dispatch, flat, g->wg.id, size);
    memset(g->wave, 0, sizeof g->wave);
    for (unsigned i = 0; i < g->wg.n_waves; i++) {
        struct sg_wave *w = g->wave[i] = get_wave(worker);
        if (!w)
            return false;
        w->scratch_wave_base = 0;
        if (j->shape.scratch_bytes)
            w->scratch_wave_base = take_slot(j->scratch);
    }
    return true;
}

static void add_resident(struct sg_worker *worker, struct sg_group *g)
{
    if (worker->groups) {
        g->next = worker->groups->next;
        worker->groups->next = g;
    } else {
        g->next = g;
    }
    worker->groups = g;
    worker->n_groups++;
}

static void out_of_memory(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_fault f = {.kind = SG_FAULT_RESOURCES};
    snprintf(f.message, sizeof f.message, "out of host memory for a work-group");
    stop_job(worker, j, &f);
}

/* Takes a work-group of j. Lock held on entry and exit. */
static void take_group(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    uint64_t flat = j->next_group++;
    if (j->stride != 1 || j->offset)
        flat = (uint64_t)(((unsigned __int128)flat * j->stride + j->offset) % j->shape.n_groups);
    j->live++;
    struct sg_group *g = get_group(worker, j->shape.lds_bytes);
    bool ok = g != NULL;
    if (g) {
        g->job = j;
        ok = equip_group(worker, g, flat);
    }
    pthread_mutex_unlock(&e->lock);
    if (ok)
        ok = start_group(worker, g, flat);
    if (ok) {
        add_resident(worker, g);
    } else {
        out_of_memory(worker, j);
        if (g)
            retire_group(worker, g);
    }
    pthread_mutex_lock(&e->lock);
    if (!g && !--j->live && job_finished(j))
        finish_job(e, j);
}

/* Does work-groups of j as a whole if it begins with such; false if the next one is to be interpreted. Lock
 * held on entry and exit. */
static bool take_bulk(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    struct sg_fault fault;
    uint64_t from = j->next_group, n = j->bulk ? sg_bulk_groups(j->bulk, from) : 0;
    if (!n)
        return false;
    j->next_group += n;
    j->live++;
    pthread_mutex_unlock(&e->lock);
    add_to(&worker->n_bulk_groups, n);
    if (!sg_bulk_run(j->bulk, &worker->tlb, from, from + n, &fault))
        stop_job(worker, j, &fault);
    pthread_mutex_lock(&e->lock);
    j->live--;
    if (!atomic_load(&e->quit) && job_finished(j))
        finish_job(e, j);
    else if (e->waiting && j->next_group < j->shape.n_groups)
        pthread_cond_broadcast(&e->work);
    return true;
}

/* Takes one new work-group if any dispatch has one that may start. */
static bool admit(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    bool taken = false;
    pthread_mutex_lock(&e->lock);
    struct sg_job *j = e->jobs;
    while (j && !may_start(e, j))
        j = j->next;
    if (j && !j->ready) {
        j->preparing = true;
        pthread_mutex_unlock(&e->lock);
        prepare_job(worker, j);
        pthread_mutex_lock(&e->lock);
        j->preparing = false;
        j->ready = true;
        j->stopped = j->fault.kind != SG_FAULT_NONE;
        pthread_cond_broadcast(&e->work);
        if (job_finished(j)) {
            finish_job(e, j);
            j = NULL;
            taken = true; /* look again */
        }
    }
    if (j && may_start(e, j)) {
        if (!take_bulk(worker, j))
            take_group(worker, j);
        taken = true;
    }
    pthread_mutex_unlock(&e->lock);
    return taken;
}

/* ---- Running ---- */

static void release_barrier(struct sg_group *g)
{
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->state[i] == WAVE_AT_BARRIER)
            g->state[i] = WAVE_READY;
    g->at_barrier = 0;
    if (g->wg.check)
        sg_check_barrier(g->wg.check);
}

/* Takes note of how a wavefront returned. False when the dispatch stopped. */
static bool note_stop(struct sg_worker *worker, struct sg_group *g, unsigned i, enum sg_stop stop,
                      bool *yielded)
{
    struct sg_wave *w = g->wave[i];
    switch (stop) {
    case SG_STOP_END:
        g->state[i] = WAVE_ENDED;
        g->live--;
        g->moved = true;
        return true;
    case SG_STOP_BARRIER:
        g->state[i] = WAVE_AT_BARRIER;
        g->at_barrier++;
        g->moved = true;
        return true;
    case SG_STOP_YIELD:
        *yielded = true;
        if (w->budget >= 0)
            g->slept = true;
        else
            g->moved = true;
        return true;
    case SG_STOP_WAIT:
        *yielded = g->slept = true;
        g->waiting++;
        return true;
    case SG_STOP_FAULT:
        g->state[i] = WAVE_ENDED;
        stop_job(worker, g->job, &w->fault);
        return false;
    }
    return false;
}

/* Runs one wavefront to its next stop. False when the dispatch stopped. */
static bool run_wave(struct sg_worker *worker, struct sg_group *g, unsigned i, bool *yielded)
{
    unsigned doublings = g->turns / SLICE_DOUBLES;
    int32_t slice = SLICE << (doublings < SLICE_DOUBLINGS ? doublings : SLICE_DOUBLINGS);
    if (worker->engine->config.shuffle_waves)
        slice = (int32_t)(next_random(&worker->random) % SLICE);
    return note_stop(worker, g, i, sg_wave_run(g->wave[i], slice), yielded);
}

/* Every wavefront of the group waits at a barrier, some of them in a grid barrier that was not released in
 * `epoch`. When that is so for all work-groups and no more can start, nobody will ever release it. A GPU
 * would hang. */
static bool grid_deadlock(struct sg_worker *worker, struct sg_group *g, uint64_t epoch)
{
    struct sg_engine *e = worker->engine;
    struct sg_job *j = g->job;
    pthread_mutex_lock(&e->lock);
    bool dead = epoch == atomic_load(&e->gws.epoch);
    if (dead) {
        if (j->blocked_epoch != epoch) {
            j->blocked_epoch = epoch;
            j->blocked = 0;
        }
        if (g->blocked_epoch != epoch) {
            g->blocked_epoch = epoch;
            j->blocked++;
        }
        dead = j->blocked == j->live && !may_start(e, j);
    }
    pthread_mutex_unlock(&e->lock);
    return dead;
}

static void stop_deadlock(struct sg_worker *worker, struct sg_group *g)
{
    unsigned i = 0;
    while (g->state[i] != WAVE_READY) /* those at s_barrier and those that ended are not */
        i++;
    struct sg_wave *w = g->wave[i];
    sg_fault_at(w, w->next, SG_FAULT_DEADLOCK, 0, 0, false,
                "all work-groups that there are wait in a grid barrier for more to arrive");
    stop_job(worker, g->job, &w->fault);
}

/* ---- Groups that only wait ---- */

static bool all_in_grid_barrier(const struct sg_group *g)
{
    return g->waiting && g->waiting + g->at_barrier == g->live;
}

static bool must_leave(struct sg_worker *worker, struct sg_group *g)
{
    return __atomic_load_n(&g->job->stopped, __ATOMIC_ACQUIRE) || atomic_load(&worker->engine->quit);
}

static void tell(struct sg_worker *worker, struct sg_group *g, unsigned i, const char *message)
{
    struct sg_engine *e = worker->engine;
    struct sg_fault where;
    if (!e->config.stall_seconds || !e->config.ops || !e->config.ops->stalled)
        return;
    pthread_mutex_lock(&e->lock);
    bool told = g->job->told;
    g->job->told = true;
    pthread_mutex_unlock(&e->lock);
    if (told)
        return;
    sg_describe_stall(g->wave[i], &g->repeat[i], message, &where);
    e->config.ops->stalled(e->config.user, &g->job->dispatch, &where);
}

/* Once per dispatch: the code of a wavefront that has looped for long may have no way out. */
static void look_for_end(struct sg_worker *worker, struct sg_group *g, unsigned i)
{
    pthread_mutex_lock(&worker->engine->lock);
    bool done = g->job->end_looked_for;
    g->job->end_looked_for = true;
    pthread_mutex_unlock(&worker->engine->lock);
    if (!done && sg_cannot_end(g->wave[i]))
        tell(worker, g, i, "the kernel never ends: no path leads from this loop to its end");
}

static void stop_endless(struct sg_worker *worker, struct sg_group *g, unsigned i, enum sg_depends depends)
{
    struct sg_fault f;
    char text[sizeof f.message];
    int n = snprintf(text, sizeof text, "endless loop: its registers repeat, and %s",
                     depends == SG_DEPENDS_LDS
                         ? "it reads only LDS, which no wavefront of the work-group will change"
                         : "it reads no memory");
    if (g->at_barrier)
        snprintf(text + n, sizeof text - (size_t)n, "; at a barrier %u other%s for this wavefront",
                 g->at_barrier, g->at_barrier == 1 ? " waits" : "s wait");
    sg_describe_stall(g->wave[i], &g->repeat[i], text, &f);
    stop_job(worker, g->job, &f);
}

enum watched { GROUP_MOVES, GROUP_WAITS, GROUP_DONE };

/* All wavefronts repeat, and depend on nothing outside of the group. Each goes round once more, and its
 * registers are compared one by one: nothing was written meanwhile, so what is the same now will be so for
 * ever. */
static enum watched prove_endless(struct sg_worker *worker, struct sg_group *g, enum sg_depends depends)
{
    unsigned first = g->wg.n_waves;
    for (unsigned i = 0; i < g->wg.n_waves; i++) {
        enum sg_stop stop;
        bool yielded;
        if (g->state[i] != WAVE_READY)
            continue;
        if (!sg_watch_exactly(g->wave[i], &g->job->kernel, &g->repeat[i], &stop) ||
            g->repeat[i].depends == SG_DEPENDS_MEMORY)
            return note_stop(worker, g, i, stop, &yielded) ? GROUP_MOVES : GROUP_DONE;
        if (first == g->wg.n_waves || g->repeat[i].depends > g->repeat[first].depends)
            first = i;
    }
    stop_endless(worker, g, first, depends);
    return GROUP_DONE;
}

/* Goes through the loops of all wavefronts that can run. */
static enum watched watch_waves(struct sg_worker *worker, struct sg_group *g)
{
    unsigned limit = 2 * g->turns, in_grid_barrier = 0, ready = 0;
    enum sg_depends depends = SG_DEPENDS_NOTHING;
    limit = limit < WATCH_LEAST ? WATCH_LEAST : limit > WATCH_MOST ? WATCH_MOST : limit;
    for (unsigned i = 0; i < g->wg.n_waves; i++) {
        struct sg_repeat *r = &g->repeat[i];
        enum sg_stop stop;
        bool yielded;
        if (must_leave(worker, g))
            return GROUP_DONE;
        if (g->state[i] != WAVE_READY)
            continue;
        enum sg_watch w = sg_watch(g->wave[i], &g->job->kernel, limit, r, &stop);
        if (w == SG_WATCH_STOPS && !note_stop(worker, g, i, stop, &yielded))
            return GROUP_DONE;
        if (w == SG_WATCH_CHANGES && g->turns >= LOOPS_LONG)
            look_for_end(worker, g, i);
        if (w != SG_WATCH_REPEATS)
            return GROUP_MOVES;
        ready++;
        in_grid_barrier += r->waits;
        if (r->depends > depends)
            depends = r->depends;
    }
    if (ready == in_grid_barrier)
        return GROUP_MOVES; /* that is run_group's subject */
    return depends == SG_DEPENDS_MEMORY ? GROUP_WAITS : prove_endless(worker, g, depends);
}

static enum watched watch_group(struct sg_worker *worker, struct sg_group *g)
{
    bool was = g->still;
    enum watched result = watch_waves(worker, g);
    g->still = result == GROUP_WAITS;
    g->slept |= g->still;
    if (result != GROUP_MOVES)
        return result;
    g->moved = true;
    if (was)
        g->turns = 0;
    g->next_watch = was ? WATCH_AGAIN : 2 * g->turns;
    return result;
}

/* ---- Turns ---- */

/* Runs the group until it is done or can only yield. */
static enum turn run_group(struct sg_worker *worker, struct sg_group *g)
{
    struct sg_engine *e = worker->engine;
    unsigned n = g->wg.n_waves;
    g->slept = g->moved = false;
    if (g->still || (g->turns >= g->next_watch && !all_in_grid_barrier(g))) {
        enum watched watched = watch_group(worker, g);
        if (watched != GROUP_MOVES)
            return watched == GROUP_WAITS ? TURN_YIELDED : TURN_DONE;
    }
    for (;;) {
        bool yielded = false;
        uint64_t epoch = atomic_load(&e->gws.epoch);
        g->waiting = 0;
        unsigned first = e->config.shuffle_waves ? (unsigned)(next_random(&worker->random) % n) : 0;
        for (unsigned k = 0; k < n; k++) {
            unsigned i = (first + k) % n;
            if (must_leave(worker, g))
                return TURN_DONE;
            if (g->state[i] == WAVE_READY && !run_wave(worker, g, i, &yielded))
                return TURN_DONE;
        }
        if (!g->live)
            return TURN_DONE;
        if (g->at_barrier == g->live)
            release_barrier(g);
        else if (yielded) {
            g->turns++;
            if (all_in_grid_barrier(g) && grid_deadlock(worker, g, epoch)) {
                stop_deadlock(worker, g);
                return TURN_DONE;
            }
            return TURN_YIELDED;
        }
    }
}

/* What one turn of every resident group brought. */
struct round {
    bool moved;        /* anything but yields */
    bool slept;        /* some group waits */
    bool quiet;        /* all groups only wait */
    unsigned finished; /* groups */
};

/* One turn for every resident group. Groups that are done leave. */
static void run_round(struct sg_worker *worker, struct round *r)
{
    struct sg_group *before = worker->groups;
    *r = (struct round){.quiet = true};
    for (unsigned left = worker->n_groups; left; left--) {
        struct sg_group *g = before->next;
        enum turn turn = run_group(worker, g);
        r->moved |= g->moved || turn == TURN_DONE;
        r->slept |= g->slept;
        if (turn == TURN_YIELDED) {
            r->quiet &= g->still || (!g->moved && all_in_grid_barrier(g));
            before = g;
            continue;
        }
        r->quiet = false;
        before->next = g->next;
        if (--worker->n_groups == 0)
            before = NULL;
        worker->groups = before;
        retire_group(worker, g);
        r->finished++;
        if (!before)
            break;
    }
    worker->groups = before;
}

/* ---- Waiting for work, and for the host ---- */

/* Some dispatch could give a work-group. Lock held. */
static bool work_to_take(struct sg_engine *e)
{
    struct sg_job *j = e->jobs;
    while (j && !may_start(e, j))
        j = j->next;
    return j != NULL;
}

static void wait_for_work(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    pthread_mutex_lock(&e->lock);
    atomic_store(&worker->quiet_in, NO_GROUPS);
    while (!work_to_take(e) && !atomic_load(&e->quit)) {
        e->waiting++;
        pthread_cond_wait(&e->work, &e->lock);
        e->waiting--;
    }
    atomic_store(&worker->quiet_in, 0);
    pthread_mutex_unlock(&e->lock);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Nothing moves here: sleeps, the longer the longer that has been so, or until there is work to take. */
static void nap(struct sg_worker *worker, unsigned naps)
{
    struct sg_engine *e = worker->engine;
    unsigned doublings = naps / NAPS_DOUBLE;
    uint64_t until =
        now_ns() + 1000ull * (NAP_MICROSECONDS << (doublings < NAP_DOUBLINGS ? doublings : NAP_DOUBLINGS));
    struct timespec t = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
    pthread_mutex_lock(&e->lock);
    if (!work_to_take(e) && !atomic_load(&e->quit)) {
        e->waiting++;
        pthread_cond_timedwait(&e->work, &e->lock, &t);
        e->waiting--;
    }
    pthread_mutex_unlock(&e->lock);
}

/* Grows whenever some wavefront on the GPU did more than wait. Each worker counts for itself. */
static uint64_t engine_progress(struct sg_engine *e)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < e->n_workers; i++)
        sum += atomic_load(&e->workers[i].busy);
    return sum;
}

/* Nothing on the whole GPU has done more than wait since `progress`. */
static bool engine_quiet(struct sg_engine *e, uint64_t progress)
{
    pthread_mutex_lock(&e->lock);
    bool quiet = engine_progress(e) == progress && !work_to_take(e);
    for (unsigned i = 0; i < e->n_workers && quiet; i++) {
        uint64_t in = atomic_load(&e->workers[i].quiet_in);
        quiet = in == NO_GROUPS || in == progress + 1;
    }
    pthread_mutex_unlock(&e->lock);
    return quiet;
}

/* A quiet round of this worker that began when engine_progress was `progress`. */
static void note_quiet(struct sg_worker *worker, uint64_t progress)
{
    struct sg_engine *e = worker->engine;
    atomic_store(&worker->quiet_in, progress + 1);
    if (!e->config.stall_seconds || !engine_quiet(e, progress))
        return;
    uint64_t now = now_ns();
    if (!worker->quiet_since || worker->quiet_progress != progress) {
        worker->quiet_since = now;
        worker->quiet_progress = progress;
    }
    if (now - worker->quiet_since < e->config.stall_seconds * 1000000000ull)
        return;
    struct sg_group *g = worker->groups;
    for (unsigned n = worker->n_groups; n; n--, g = g->next) {
        unsigned i = 0;
        while (i < g->wg.n_waves && (g->state[i] != WAVE_READY || g->repeat[i].waits))
            i++;
        if (g->still && !g->job->told)
            tell(worker, g, i,
                 "all wavefronts on the GPU wait, and none of them can change what this one reads; only the "
                 "host "
                 "can end it");
    }
}

void *sg_worker_main(void *argument)
{
    struct sg_worker *worker = argument;
    struct sg_engine *e = worker->engine;
    unsigned fruitless = 0, rounds = 0;
    bool quiet = false; /* so was the last round */
    while (!atomic_load(&e->quit)) {
        struct round r;
        if (!worker->groups) {
            atomic_store(&worker->quiet_in, 0);
            if (!admit(worker))
                wait_for_work(worker);
        }
        if (!worker->groups)
            continue;
        uint64_t progress = quiet ? engine_progress(e) : 0;
        run_round(worker, &r);
        if (!r.quiet)
            add_to(&worker->busy, 1);
        if (!worker->groups)
            continue;
        /* Everything here waits or loops: let others in, for it may be them that it waits for. Where
         * newcomers run to their ends, more of them are taken each time. */
        unsigned room = r.slept || ++rounds % PATIENCE == 0 ? worker->n_groups : 0;
        if (room < 2 * r.finished)
            room = 2 * r.finished;
        while (room && admit(worker)) {
            room--;
            r.moved = true;
            r.quiet = false;
        }
        if (quiet && r.quiet)
            note_quiet(worker, progress);
        else if (quiet)
            atomic_store(&worker->quiet_in, 0);
        quiet = r.quiet;
        fruitless = r.moved ? 0 : fruitless + 1;
        if (fruitless > IDLE_ROUNDS)
            nap(worker, fruitless - IDLE_ROUNDS);
        else if (!r.moved)
            sched_yield();
    }
    return NULL;
}

static void free_group(struct sg_group *g)
{
    for (unsigned i = 0; i < 16; i++)
        if (g->wave[i]) {
            sg_wave_free(g->wave[i]);
            free(g->wave[i]);
        }
    sg_check_group_free(g->wg.check);
    sg_check_group_free(g->checked);
    free(g->wg.lds);
    free(g);
}

void sg_worker_free(struct sg_worker *worker)
{
    for (unsigned i = 0; i < worker->n_groups; i++) {
        struct sg_group *g = worker->groups;
        worker->groups = g->next;
        free_group(g);
    }
    for (struct sg_group *g = worker->free_groups, *next; g; g = next) {
        next = g->next;
        free_group(g);
    }
    while (worker->free_waves) {
        struct sg_wave *w = get_wave(worker);
        sg_wave_free(w);
        free(w);
    }
    sg_log_sink_close(worker->log);
}
