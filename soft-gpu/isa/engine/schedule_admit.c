/*
 * schedule_admit.c - which work-group a worker takes next.
 *
 * Work-groups may take less than a microsecond, so a worker reserves several at a time under the engine's
 * lock, its share, and then begins one after the other without it. The nearer the end of the dispatch, the
 * smaller are the shares, and a worker that finds nothing else takes half of what another one has reserved:
 * so all end at about the same time. Reserved work-groups count as resident.
 */
#include <stdio.h>
#include "schedule_group.h"

enum {
    SHARE_MOST = 32,  /* work-groups: the lock then costs little even if they do nothing */
    SHARE_PART = 8,   /* of what a worker would get of the rest if all got the same */
    SHARE_PLACES = 2, /* the same, of the places for resident work-groups */
};

/* ---- Shares: numbers [begin, end) behind share_first, in one word. ---- */

static uint64_t pack(uint64_t begin, uint64_t end)
{
    return begin << 32 | end;
}

static uint32_t share_begin(uint64_t share)
{
    return (uint32_t)(share >> 32);
}

static uint32_t share_end(uint64_t share)
{
    return (uint32_t)share;
}

static bool share_empty(uint64_t share)
{
    return share_begin(share) == share_end(share);
}

/* Takes the first of the worker's own share. */
static bool take_own(struct sg_worker *worker, uint64_t *number)
{
    uint64_t share = atomic_load(&worker->share);
    do {
        if (share_empty(share))
            return false;
        *number = worker->share_first + share_begin(share);
    } while (!atomic_compare_exchange_weak(&worker->share, &share,
                                           pack(share_begin(share) + 1ull, share_end(share))));
    return true;
}

/* Gives up what is left of the share of a dispatch that has stopped. */
static void drop_share(struct sg_worker *worker)
{
    uint64_t share = atomic_exchange(&worker->share, 0);
    worker->share_done += share_end(share) - share_begin(share);
}

static void set_share(struct sg_worker *worker, struct sg_job *j, uint64_t first, uint32_t n)
{
    worker->share_job = j;
    worker->share_first = first;
    atomic_store(&worker->share, pack(0, n));
}

/* Takes the later half of what some other worker has reserved. Lock held, so that share_job and share_first
 * of a share that is not empty stay what they are. */
static bool take_half(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    for (unsigned i = 0; i < e->n_workers; i++) {
        struct sg_worker *other = &e->workers[i];
        uint64_t share = atomic_load(&other->share);
        uint32_t n;
        do
            n = (share_end(share) - share_begin(share) + 1) / 2;
        while (n && !atomic_compare_exchange_weak(&other->share, &share,
                                                  pack(share_begin(share), share_end(share) - n)));
        if (!n)
            continue;
        set_share(worker, other->share_job, other->share_first + share_end(share) - n, n);
        return true;
    }
    return false;
}

static uint32_t share_size(const struct sg_engine *e, const struct sg_job *j)
{
    uint64_t n = (j->shape.n_groups - j->next_group) / (SHARE_PART * e->n_workers);
    uint64_t places = (j->shape.resident - j->live) / (SHARE_PLACES * e->n_workers);
    if (j->bulk || e->config.shuffle_waves)
        return 1;
    n = n < places ? n : places;
    return n < 1 ? 1 : n < SHARE_MOST ? (uint32_t)n : SHARE_MOST;
}

static void reserve(struct sg_worker *worker, struct sg_job *j)
{
    uint32_t n = share_size(worker->engine, j);
    set_share(worker, j, j->next_group, n);
    j->next_group += n;
    j->live += n;
}

void sg_settle(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    struct sg_job *j = worker->share_job;
    if (!worker->share_done)
        return;
    j->live -= worker->share_done;
    worker->share_done = 0;
    if (atomic_load(&e->quit)) /* not finished: no callback */
        return;
    if (sg_job_finished(j))
        sg_finish_job(e, j);
    else if (e->waiting && j->next_group < j->shape.n_groups)
        pthread_cond_broadcast(&e->work); /* a place became free */
}

/* ---- Beginning a work-group ---- */

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
    sg_stop_job(worker, j, &f);
}

/* The work-group that is number `number` in the order of the job. */
static uint64_t in_order(const struct sg_job *j, uint64_t number)
{
    if (j->stride == 1 && !j->offset)
        return number;
    return (uint64_t)(((unsigned __int128)number * j->stride + j->offset) % j->shape.n_groups);
}

/* `g` has its wavefronts, or `ok` is false. */
static void begin(struct sg_worker *worker, struct sg_group *g, uint64_t flat, bool ok)
{
    if (ok && sg_start_group(worker, g, flat)) {
        add_resident(worker, g);
    } else {
        out_of_memory(worker, g->job);
        sg_retire_group(worker, g);
    }
}

/* Begins the next work-group of the worker's share. */
static bool take_shared(struct sg_worker *worker)
{
    struct sg_job *j = worker->share_job;
    uint64_t number;
    if (!take_own(worker, &number)) /* otherwise j lives: what was taken counts as resident */
        return false;
    if (__atomic_load_n(&j->stopped, __ATOMIC_ACQUIRE)) {
        drop_share(worker);
        worker->share_done++;
        return false;
    }
    struct sg_group *g = sg_get_group(worker, j->shape.lds_bytes);
    if (!g) {
        out_of_memory(worker, j);
        worker->share_done++;
        return true;
    }
    g->job = j;
    begin(worker, g, in_order(j, number), sg_equip_group(worker, g, in_order(j, number)));
    return true;
}

/* Takes a work-group that needs scratch slots. Lock held on entry and exit. */
static void take_with_scratch(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    uint64_t flat = in_order(j, j->next_group++);
    j->live++;
    struct sg_group *g = sg_get_group(worker, j->shape.lds_bytes);
    bool ok = false;
    if (g) {
        g->job = j;
        ok = sg_equip_group(worker, g, flat);
    }
    pthread_mutex_unlock(&e->lock);
    if (g)
        begin(worker, g, flat, ok);
    else
        out_of_memory(worker, j);
    pthread_mutex_lock(&e->lock);
    if (!g && !--j->live && sg_job_finished(j))
        sg_finish_job(e, j);
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
    sg_add_to(&worker->n_bulk_groups, n);
    if (!sg_bulk_run(j->bulk, &worker->tlb, from, from + n, &fault))
        sg_stop_job(worker, j, &fault);
    pthread_mutex_lock(&e->lock);
    j->live--;
    if (!atomic_load(&e->quit) && sg_job_finished(j))
        sg_finish_job(e, j);
    else if (e->waiting && j->next_group < j->shape.n_groups)
        pthread_cond_broadcast(&e->work);
    return true;
}

/* Makes a new job ready. Lock held on entry and exit. False when it has ended with that. */
static bool make_ready(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    j->preparing = true;
    pthread_mutex_unlock(&e->lock);
    sg_prepare_job(worker, j);
    pthread_mutex_lock(&e->lock);
    j->preparing = false;
    j->ready = true;
    j->stopped = j->fault.kind != SG_FAULT_NONE;
    pthread_cond_broadcast(&e->work);
    if (!sg_job_finished(j))
        return true;
    sg_finish_job(e, j);
    return false;
}

static struct sg_job *first_to_start(struct sg_engine *e)
{
    struct sg_job *j = e->jobs;
    while (j && !sg_may_start(e, j))
        j = j->next;
    return j;
}

/* Lock held on entry and exit. */
static bool take_new(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    struct sg_job *j = first_to_start(e);
    if (!j)
        return take_half(worker);
    if (!j->ready && !make_ready(worker, j))
        return true; /* look again */
    if (!sg_may_start(e, j))
        return false;
    if (take_bulk(worker, j))
        return true;
    if (j->shape.scratch_bytes)
        take_with_scratch(worker, j);
    else
        reserve(worker, j);
    return true;
}

bool sg_admit(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    if (take_shared(worker))
        return true;
    pthread_mutex_lock(&e->lock);
    sg_settle(worker);
    bool taken = take_new(worker);
    pthread_mutex_unlock(&e->lock);
    take_shared(worker);
    return taken;
}

bool sg_work_to_take(struct sg_engine *e)
{
    for (unsigned i = 0; i < e->n_workers; i++)
        if (!share_empty(atomic_load(&e->workers[i].share)))
            return true;
    return first_to_start(e) != NULL;
}
