/*
 * schedule_watch.c - work-groups that only wait: those that never end are stopped, others cost one round of
 * their loops per look.
 */
#include <stdio.h>
#include "schedule_group.h"

enum {
    WATCH_AGAIN = 4,   /* turns before one that has waited before is watched again */
    WATCH_LEAST = 64,  /* stops of a wavefront that one watch covers at least, ... */
    WATCH_MOST = 4096, /* ... and at most; in between two for each turn */
    COUNTS_LONG = 64,  /* turns after which it is worth asking whether a loop only counts, ... */
    LOOPS_LONG = 256,  /* ... or has no way out */
};

void sg_tell_stalled(struct sg_worker *worker, struct sg_group *g, unsigned i, const char *message)
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
    where.kind = SG_FAULT_DEADLOCK;
    if (e->config.stall_stops)
        sg_stop_job(worker, g->job, &where);
}

/* Once per dispatch: the code of a wavefront that has looped for long may have no way out. */
static void look_for_end(struct sg_worker *worker, struct sg_group *g, unsigned i)
{
    pthread_mutex_lock(&worker->engine->lock);
    bool done = g->job->end_looked_for;
    g->job->end_looked_for = true;
    pthread_mutex_unlock(&worker->engine->lock);
    if (!done && sg_cannot_end(g->wave[i]))
        sg_tell_stalled(worker, g, i, "the kernel never ends: no path leads from this loop to its end");
}

static void stop_endless(struct sg_worker *worker, struct sg_group *g, unsigned i, enum sg_depends depends)
{
    struct sg_fault f;
    char text[sizeof f.message];
    int n = snprintf(text, sizeof text, "endless loop: its registers repeat%s, and %s",
                     g->repeat[i].counts ? " but for those that only count" : "",
                     depends == SG_DEPENDS_LDS
                         ? "it reads only LDS, which no wavefront of the work-group will change"
                         : "it reads no memory");
    if (g->at_barrier)
        snprintf(text + n, sizeof text - (size_t)n, "; at a barrier %u other%s for this wavefront",
                 g->at_barrier, g->at_barrier == 1 ? " waits" : "s wait");
    sg_describe_stall(g->wave[i], &g->repeat[i], text, &f);
    sg_stop_job(worker, g->job, &f);
}

/* All wavefronts repeat, and depend on nothing outside of the group. Each goes round once more, and its
 * registers are compared one by one: nothing was written meanwhile, so what is the same now will be so for
 * ever. */
static enum sg_watched prove_endless(struct sg_worker *worker, struct sg_group *g, enum sg_depends depends)
{
    unsigned first = g->wg.n_waves;
    for (unsigned i = 0; i < g->wg.n_waves; i++) {
        enum sg_stop stop;
        bool yielded;
        if (g->state[i] != WAVE_READY)
            continue;
        if (!sg_watch_exactly(g->wave[i], &g->job->kernel, &g->repeat[i], &stop) ||
            g->repeat[i].depends >= SG_DEPENDS_MEMORY)
            return sg_note_stop(worker, g, i, stop, &yielded) ? GROUP_MOVES : GROUP_DONE;
        if (first == g->wg.n_waves || g->repeat[i].depends > g->repeat[first].depends)
            first = i;
    }
    stop_endless(worker, g, first, depends);
    return GROUP_DONE;
}

/* Goes through the loops of all wavefronts that can run. */
static enum sg_watched watch_waves(struct sg_worker *worker, struct sg_group *g)
{
    unsigned limit = 2 * g->turns, in_grid_barrier = 0, ready = 0;
    enum sg_depends depends = SG_DEPENDS_NOTHING;
    limit = limit < WATCH_LEAST ? WATCH_LEAST : limit > WATCH_MOST ? WATCH_MOST : limit;
    for (unsigned i = 0; i < g->wg.n_waves; i++) {
        struct sg_repeat *r = &g->repeat[i];
        enum sg_stop stop;
        bool yielded;
        if (sg_must_leave(worker, g))
            return GROUP_DONE;
        if (g->state[i] != WAVE_READY)
            continue;
        enum sg_watch w = sg_watch(g->wave[i], &g->job->kernel, limit, g->turns >= COUNTS_LONG, r, &stop);
        if (w == SG_WATCH_STOPS && !sg_note_stop(worker, g, i, stop, &yielded))
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

enum sg_watched sg_watch_group(struct sg_worker *worker, struct sg_group *g)
{
    bool was = g->still;
    enum sg_watched result = watch_waves(worker, g);
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
