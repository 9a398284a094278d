/*
 * schedule_idle.c - a worker without anything to run: waiting for work, and for the host.
 */
#include <stdio.h>
#include <time.h>
#include "schedule_group.h"

enum {
    NAP_MICROSECONDS = 50, /* long against a round, short against a host thread's reply */
    NAPS_DOUBLE = 64,      /* naps after which they become twice as long, ... */
    NAP_DOUBLINGS = 8,     /* ... this many times */
};

void sg_wait_for_work(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    pthread_mutex_lock(&e->lock);
    atomic_store(&worker->quiet_in, NO_GROUPS);
    while (!sg_work_to_take(e) && !atomic_load(&e->quit)) {
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
void sg_nap(struct sg_worker *worker, unsigned naps)
{
    struct sg_engine *e = worker->engine;
    unsigned doublings = naps / NAPS_DOUBLE;
    uint64_t until =
        now_ns() + 1000ull * (NAP_MICROSECONDS << (doublings < NAP_DOUBLINGS ? doublings : NAP_DOUBLINGS));
    struct timespec t = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
    pthread_mutex_lock(&e->lock);
    if (!sg_work_to_take(e) && !atomic_load(&e->quit)) {
        e->waiting++;
        pthread_cond_timedwait(&e->work, &e->lock, &t);
        e->waiting--;
    }
    pthread_mutex_unlock(&e->lock);
}

/* Grows whenever some wavefront on the GPU did more than wait. Each worker counts for itself. */
uint64_t sg_engine_progress(struct sg_engine *e)
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
    bool quiet = sg_engine_progress(e) == progress && !sg_work_to_take(e);
    for (unsigned i = 0; i < e->n_workers && quiet; i++) {
        uint64_t in = atomic_load(&e->workers[i].quiet_in);
        quiet = in == NO_GROUPS || in == progress + 1;
    }
    pthread_mutex_unlock(&e->lock);
    return quiet;
}

/* Tells of the dispatches of which work-groups wait here. */
static void tell_groups(struct sg_worker *worker)
{
    struct sg_engine *e = worker->engine;
    struct sg_group *g = worker->groups;
    for (unsigned n = worker->n_groups; n; n--, g = g->next) {
        char text[sizeof(struct sg_fault){0}.message];
        unsigned i = 0;
        if (!g->still && !sg_all_in_grid_barrier(g))
            continue;
        while (i < g->wg.n_waves && (g->state[i] != WAVE_READY || (g->still && g->repeat[i].waits)))
            i++;
        int used = snprintf(text, sizeof text,
                            "all wavefronts on the GPU wait, and none of them can change what "
                            "this one reads; only the host can end it");
        pthread_mutex_lock(&e->lock);
        if (sg_units_refused(g->job)) {
            used = snprintf(text, sizeof text,
                            "all wavefronts on the GPU wait, perhaps for work-groups that find no "
                            "place: ");
            sg_say_room(e, g->job, text + used, sizeof text - (size_t)used);
        }
        pthread_mutex_unlock(&e->lock);
        sg_tell_stalled(worker, g, i, text);
    }
}

/* A dispatch that was not told of and of which no work-group has found a place, or NULL. Lock held. */
static struct sg_job *refused_whole(struct sg_engine *e)
{
    struct sg_job *j = e->jobs;
    while (j && (!sg_units_refused(j) || j->live || j->told))
        j = j->next;
    return j;
}

/* Tells of dispatches that wait for a place while the work-groups that have one wait for something else. */
static void tell_refused(struct sg_engine *e)
{
    struct sg_job *j;
    if (!e->config.ops || !e->config.ops->stalled)
        return;
    pthread_mutex_lock(&e->lock);
    while ((j = refused_whole(e))) {
        struct sg_fault where = {.kind = SG_FAULT_NONE};
        const struct sg_dispatch d = j->dispatch; /* it may start and end while nobody holds the lock */
        int used = snprintf(where.message, sizeof where.message,
                            "it does not start: all wavefronts on the GPU wait, "
                            "and leave it no place; ");
        sg_say_room(e, j, where.message + used, sizeof where.message - (size_t)used);
        j->told = true;
        pthread_mutex_unlock(&e->lock);
        e->config.ops->stalled(e->config.user, &d, &where);
        pthread_mutex_lock(&e->lock);
    }
    pthread_mutex_unlock(&e->lock);
}

/* A quiet round of this worker that began when engine_progress was `progress`. */
void sg_note_quiet(struct sg_worker *worker, uint64_t progress)
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
    tell_groups(worker);
    tell_refused(e);
}
