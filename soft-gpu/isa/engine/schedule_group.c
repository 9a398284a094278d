/*
 * schedule_group.c - storage, start and end of a resident work-group.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "schedule_group.h"

enum {
    LDS_SPARE = 64,   /* readable bytes behind the LDS, a promise of uop.h */
    WATCH_FIRST = 32, /* turns before a work-group is watched; then each time that they have doubled */
};

static void free_wave(struct sg_wave *w)
{
    sg_weak_wave_free(w->weak);
    sg_wave_free(w);
    free(w);
}

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
    struct sg_weak *weak = worker->engine->weak;
    if (!sg_wave_alloc(w) || (weak && !(w->weak = sg_weak_wave_create(weak)))) {
        free_wave(w);
        return NULL;
    }
    return w;
}

static void put_wave(struct sg_worker *worker, struct sg_wave *w)
{
    w->pool_next = worker->free_waves;
    worker->free_waves = w;
}

struct sg_group *sg_get_group(struct sg_worker *worker, size_t lds)
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
        uint64_t x = sg_next_random(state);
        memcpy(p + i, &x, 8);
    }
}

static void clear_wave(struct sg_worker *worker, struct sg_wave *w, const struct sg_kernel *k,
                       uint64_t *state)
{
    if (k->lanes == SG_HALF_LANES && !worker->engine->config.poison)
        sg_wave_clear_low(w, k->vgprs);
    else
        fill(worker, state, w->v[0], k->vgprs * sizeof w->v[0]);
    if (k->agprs)
        fill(worker, state, w->v[256], k->agprs * sizeof w->v[0]);
    fill(worker, state, w->s, 128 * sizeof *w->s);
}

static bool start_wave(struct sg_worker *worker, struct sg_group *g, const uint32_t size[3], unsigned i)
{
    struct sg_job *j = g->job;
    struct sg_wave *w = g->wave[i];
    uint64_t state = worker->engine->config.seed ^ j->number << 40 ^ g->wg.log_id << 5 ^ i;
    w->arch = worker->engine->config.arch;
    w->device = &worker->engine->device;
    w->exact_matrix = worker->engine->config.exact_matrix;
    w->dispatch = &j->dispatch;
    w->wg = &g->wg;
    w->tlb = &worker->tlb;
    w->log = worker->log;
    w->wave_in_group = i;
    w->units = j->needs.units;
    clear_wave(worker, w, &j->kernel, &state);
    sg_wave_set_registers(w, &j->kernel, &j->user_sgprs, &j->shape, size, i);
    sg_report_begin(w, j->report);
    g->state[i] = WAVE_READY;
    return sg_wave_start(w, j->code, j->entry);
}

/* Fills the group for work-group number `flat`. False when out of memory. */
bool sg_start_group(struct sg_worker *worker, struct sg_group *g, uint64_t flat)
{
    struct sg_job *j = g->job;
    uint32_t size[3];
    uint64_t state = worker->engine->config.seed ^ ~flat;
    g->wg.lds_bytes = j->shape.lds_bytes;
    g->wg.log_id = flat;
    g->wg.log_dispatch = j->number;
    g->live = g->wg.n_waves;
    g->wg.alive = (uint32_t)((1ull << g->wg.n_waves) - 1);
    g->wg.signalled = g->wg.complete = 0;
    g->at_barrier = g->turns = 0;
    g->blocked_epoch = 0;
    g->waiting = 0;
    g->still = false;
    /* Weak memory changes what loads see without anybody's store: then nothing is taken for a wait. */
    g->next_watch = worker->engine->weak ? UINT_MAX : WATCH_FIRST;
    memset(g->repeat, 0, g->wg.n_waves * sizeof g->repeat[0]);
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

void sg_lock_for_groups(struct sg_worker *worker)
{
    pthread_mutex_lock(&worker->engine->lock);
    sg_add_to(&worker->n_locks, 1);
}

void sg_free_slot(struct sg_worker *worker, uint64_t slot)
{
    if (worker->n_free_slots < sizeof worker->free_slots / sizeof *worker->free_slots) {
        worker->free_slots[worker->n_free_slots++] = slot;
        return;
    }
    sg_lock_for_groups(worker);
    sg_give_slot(worker->share_job->scratch, slot);
    pthread_mutex_unlock(&worker->engine->lock);
}

void sg_free_place(struct sg_worker *worker, const struct sg_place *place)
{
    if (worker->n_free_places < SG_SHARE_MOST) {
        worker->free_places[worker->n_free_places++] = *place;
        return;
    }
    sg_lock_for_groups(worker);
    sg_units_give(worker->engine, worker->share_job, place);
    pthread_mutex_unlock(&worker->engine->lock);
}

bool sg_equip_group(struct sg_worker *worker, struct sg_group *g, uint64_t flat, const uint64_t *slots)
{
    struct sg_job *j = g->job;
    uint32_t size[3];
    unsigned n = 0;
    g->wg.n_waves = sg_shape_group(&j->shape, &j->dispatch, flat, g->wg.id, size);
    memset(g->wave, 0, sizeof g->wave);
    for (struct sg_wave *w; n < g->wg.n_waves && (w = get_wave(worker)); n++) {
        w->scratch_wave_base = slots ? slots[n] : 0;
        g->wave[n] = w;
    }
    for (unsigned i = n; slots && i < j->shape.max_waves; i++) /* a partial group needs fewer */
        sg_free_slot(worker, slots[i]);
    return n == g->wg.n_waves;
}

/* Returns its wavefront instructions. */
static uint64_t add_counters(struct sg_worker *worker, const struct sg_group *g)
{
    uint64_t n_inst = 0, n_lane_ops = 0;
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->wave[i] && g->state[i] == WAVE_ENDED) {
            n_inst += g->wave[i]->n_inst;
            n_lane_ops += g->wave[i]->n_lane_ops;
        }
    sg_add_to(&worker->n_inst, n_inst);
    sg_add_to(&worker->n_lane_ops, n_lane_ops);
    return n_inst;
}

/* One group of the job less, at once. */
static void settle_now(struct sg_worker *worker, struct sg_group *g, uint64_t n_inst)
{
    struct sg_engine *e = worker->engine;
    struct sg_job *j = g->job;
    sg_lock_for_groups(worker);
    j->n_inst += n_inst;
    for (unsigned i = 0; i < g->wg.n_waves && j->shape.scratch_bytes; i++)
        if (g->wave[i] && g->wave[i]->scratch_wave_base)
            sg_give_slot(j->scratch, g->wave[i]->scratch_wave_base);
    sg_units_give(e, j, &g->place);
    j->live--;
    const bool has_scratch = j->shape.scratch_bytes, more = j->next_group < j->shape.n_groups;
    bool abandoned = atomic_load(&e->quit); /* not finished: no callback */
    if (!abandoned && sg_job_finished(j))
        sg_finish_job(e, j);
    else if (e->waiting && (has_scratch || more || sg_units_wanted(e)))
        pthread_cond_broadcast(&e->work); /* a place or a scratch slot became free */
    pthread_mutex_unlock(&e->lock);
}

/* One group of the share's job less; the job learns of it when the worker needs the lock anyway. */
static void settle_later(struct sg_worker *worker, const struct sg_group *g, uint64_t n_inst)
{
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->wave[i] && g->wave[i]->scratch_wave_base)
            sg_free_slot(worker, g->wave[i]->scratch_wave_base);
    sg_free_place(worker, &g->place);
    worker->share_inst += n_inst;
    worker->share_done++;
}

void sg_retire_group(struct sg_worker *worker, struct sg_group *g)
{
    if (worker->log)
        sg_log_flush(worker->log);
    for (unsigned i = 0; i < g->wg.n_waves; i++) /* of a dispatch that was stopped */
        if (g->wave[i])
            sg_report_end(g->wave[i]);
    for (unsigned i = 0; worker->engine->weak && i < g->wg.n_waves; i++)
        if (g->wave[i])
            sg_weak_wave_end(g->wave[i]->weak);
    uint64_t n_inst = add_counters(worker, g);
    if (g->wg.check) {
        sg_check_group_end(g->wg.check);
        g->checked = g->wg.check;
        g->wg.check = NULL;
    }
    if (g->job == worker->share_job)
        settle_later(worker, g, n_inst);
    else
        settle_now(worker, g, n_inst);
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->wave[i]) {
            put_wave(worker, g->wave[i]);
            g->wave[i] = NULL;
        }
    g->job = NULL;
    g->next = worker->free_groups;
    worker->free_groups = g;
}

static void free_group(struct sg_group *g)
{
    for (unsigned i = 0; i < SG_GROUP_WAVES; i++)
        if (g->wave[i])
            free_wave(g->wave[i]);
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
    while (worker->free_waves)
        free_wave(get_wave(worker));
    sg_log_sink_close(worker->log);
}
