/*
 * schedule_idle.c - a worker without anything to run: waiting for work, and for the host.
 */
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
    struct sg_group *g = worker->groups;
    for (unsigned n = worker->n_groups; n; n--, g = g->next) {
        unsigned i = 0;
        while (i < g->wg.n_waves && (g->state[i] != WAVE_READY || g->repeat[i].waits))
            i++;
        if (g->still && !g->job->told)
            sg_tell_stalled(
                worker, g, i,
                "all wavefronts on the GPU wait, and none of them can change what this one reads; only the "
                "host "
                "can end it");
    }
}
