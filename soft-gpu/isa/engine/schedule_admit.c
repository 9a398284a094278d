/*
 * schedule_admit.c - which work-group a worker takes next.
 *
 * Work-groups may take less than a microsecond, so a worker reserves several at a time under the engine's
 * lock, its share, and then begins one after the other without it. The nearer the end of the dispatch, the
 * smaller are the shares, and a worker that finds nothing else takes half of what another one has reserved:
 * so all end at about the same time. Reserved work-groups count as resident.
 */
#include <stdio.h>
#include <string.h>
#include "schedule_group.h"

enum {
    SHARE_PART = 2,   /* of what a worker would get of the rest if all got the same */
    SHARE_PLACES = 1, /* the same, of the places for resident work-groups */
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

/* The scratch slots of the work-group at `place` of the worker's share; NULL: it needs none. */
static uint64_t *slots_at(struct sg_worker *worker, uint64_t place)
{
    const struct sg_shape *shape = &worker->share_job->shape;
    return shape->scratch_bytes ? worker->share_slots + place * shape->max_waves : NULL;
}

/* Work-group number `number` of the share is not begun. */
static void drop_group(struct sg_worker *worker, uint64_t number)
{
    const uint64_t *slots = slots_at(worker, number - worker->share_first);
    for (unsigned i = 0; slots && i < worker->share_job->shape.max_waves; i++)
        sg_free_slot(worker, slots[i]);
    sg_free_place(worker, &worker->share_places[number - worker->share_first]);
    worker->share_done++;
}

/* Gives up what is left of the share of a dispatch that has stopped. */
static void drop_share(struct sg_worker *worker)
{
    uint64_t share = atomic_exchange(&worker->share, 0);
    for (uint32_t i = share_begin(share); i < share_end(share); i++)
        drop_group(worker, worker->share_first + i);
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
        uint32_t first = share_end(share) - n;
        set_share(worker, other->share_job, other->share_first + first, n);
        memcpy(worker->share_places, other->share_places + first, n * sizeof *worker->share_places);
        if (slots_at(other, first))
            memcpy(worker->share_slots, slots_at(other, first),
                   n * other->share_job->shape.max_waves * sizeof *worker->share_slots);
        return true;
    }
    return false;
}

static uint32_t share_size(const struct sg_engine *e, const struct sg_job *j)
{
    uint64_t n = (j->shape.n_groups - j->next_group) / (SHARE_PART * e->n_workers);
    uint64_t places =
        j->live < j->shape.resident ? (j->shape.resident - j->live) / (SHARE_PLACES * e->n_workers) : 0;
    if (j->bulk || e->config.shuffle_waves)
        return 1;
    n = n < places ? n : places;
    if (j->shape.scratch_bytes) {
        uint64_t slots =
            (j->scratch->slots - j->scratch->taken) / (j->shape.max_waves * SHARE_PLACES * e->n_workers);
        n = n < slots ? n : slots;
    }
    return n < 1 ? 1 : n < SG_SHARE_MOST ? (uint32_t)n : SG_SHARE_MOST;
}

static void reserve(struct sg_worker *worker, struct sg_job *j)
{
    const uint32_t most = share_size(worker->engine, j);
    uint32_t n = 0;
    while (n < most && sg_units_take(worker->engine, j, &worker->share_places[n]))
        n++;
    set_share(worker, j, j->next_group, n);
    for (unsigned i = 0; j->shape.scratch_bytes && i < n * j->shape.max_waves; i++)
        worker->share_slots[i] = sg_take_slot(j->scratch);
    j->next_group += n;
    j->live += n;
}

/* Takes the work-groups off their job that have ended since the last time. Lock held; released during the
 * callback if the job has ended. */
static void settle(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    struct sg_job *j = worker->share_job;
    const bool has_slots = worker->n_free_slots;
    if (!worker->share_done && !has_slots)
        return;
    while (worker->n_free_slots)
        sg_give_slot(j->scratch, worker->free_slots[--worker->n_free_slots]);
    while (worker->n_free_places)
        sg_units_give(e, j, &worker->free_places[--worker->n_free_places]);
    j->live -= worker->share_done;
    j->n_inst += worker->share_inst;
    worker->share_done = worker->share_inst = 0;
    if (atomic_load(&e->quit)) /* not finished: no callback */
        return;
    if (sg_job_finished(j))
        sg_finish_job(e, j);
    else if (e->waiting && (has_slots || j->next_group < j->shape.n_groups || sg_units_wanted(e)))
        pthread_cond_broadcast(&e->work); /* a place or a scratch slot became free */
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
        drop_group(worker, number);
        return false;
    }
    struct sg_group *g = sg_get_group(worker, j->shape.lds_bytes);
    if (!g) {
        out_of_memory(worker, j);
        drop_group(worker, number);
        return true;
    }
    g->job = j;
    g->place = worker->share_places[number - worker->share_first];
    uint64_t flat = in_order(j, number);
    begin(worker, g, flat, sg_equip_group(worker, g, flat, slots_at(worker, number - worker->share_first)));
    return true;
}

/* Does work-groups of j as a whole if it begins with such; false if the next one is to be interpreted. Lock
 * held on entry and exit. */
static bool take_bulk(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    struct sg_fault fault;
    struct sg_place place;
    uint64_t from = j->next_group, n = j->bulk ? sg_bulk_groups(j->bulk, from) : 0;
    if (!n || !sg_units_take(e, j, &place))
        return false;
    j->next_group += n;
    j->live++;
    pthread_mutex_unlock(&e->lock);
    sg_add_to(&worker->n_bulk_groups, n);
    if (!sg_bulk_run(j->bulk, &worker->tlb, from, from + n, &fault))
        sg_stop_job(worker, j, &fault);
    pthread_mutex_lock(&e->lock);
    sg_units_give(e, j, &place);
    j->live--;
    if (!atomic_load(&e->quit) && sg_job_finished(j))
        sg_finish_job(e, j);
    else if (e->waiting && (j->next_group < j->shape.n_groups || sg_units_wanted(e)))
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
    reserve(worker, j);
    return true;
}

bool sg_admit(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    if (take_shared(worker))
        return true;
    sg_lock_for_groups(worker);
    settle(worker);
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
