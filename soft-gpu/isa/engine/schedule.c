/*
 * schedule.c - worker threads: work-groups in, wavefronts run, dispatches done.
 *
 * A work-group stays on the thread that took it, so its LDS needs no atomics. A thread runs one work-group
 * until all its wavefronts have ended, which keeps the registers in the cache; only when a work-group yields
 * (s_sleep, or a long loop) does the thread look at its other resident work-groups and take new ones, up to
 * as many as the emulated GPU would hold. So kernels whose work-groups wait for each other make progress, and
 * others pay nothing for it. What loops for long gets more of it in a turn. But while one sleeps, loops do not get
 * more: they may be waiting for it, and each of its sleeps would cost a turn of them all. Who sleeps in a loop that does
 * nothing else waits for nobody, and gets more sleeps in a turn; others ask for something that has not happened yet.
 *
 * A work-group that yields again and again is watched (stall.h): when the registers of all its wavefronts
 * repeat, it only waits. From then on it costs one round of its loops per look, and a thread that has only
 * such work-groups naps. If they depend on nothing but themselves, they never end: a deadlock. If the whole
 * engine waits, only the host can end it, and after a while the user is told.
 */
#include <sched.h>
#include <stdio.h>
#include "schedule_group.h"

enum {
    SLICE = 1 << 11,    /* backward jumps before a yield */
    SLICE_DOUBLES = 32, /* turns after which a work-group's slice doubles: it loops rather than waits */
    SLICE_DOUBLINGS = 5,
    DELAY_DOUBLINGS = 6, /* of the sleeps in a turn in a loop that does nothing else, one at first */
    PATIENCE = 4,     /* rounds of loops only, after which as many new work-groups are taken as there are */
    IDLE_ROUNDS = 64, /* fruitless rounds before a thread naps */
};

enum turn { TURN_DONE, TURN_YIELDED };

/* Weak memory hears of the barrier; wavefronts that have ended are gone. */
static void tell_weak(struct sg_group *g)
{
    struct sg_weak_wave *all[SG_CHECK_WAVES];
    unsigned n = 0;
    for (unsigned i = 0; i < g->wg.n_waves && n < SG_CHECK_WAVES; i++)
        if (g->wave[i] && g->wave[i]->weak)
            all[n++] = g->wave[i]->weak;
    if (n)
        sg_weak_barrier(all, n);
}

static void release_barrier(struct sg_group *g)
{
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        if (g->state[i] == WAVE_AT_BARRIER)
            g->state[i] = WAVE_READY;
    g->at_barrier = 0;
    if (g->wg.check)
        sg_check_barrier(g->wg.check);
    tell_weak(g);
}

/* Whether every wavefront that is left has signalled the split barrier. */
static bool all_signalled(const struct sg_workgroup *wg)
{
    return __builtin_expect(wg->signalled != 0, 0) && !(wg->alive & ~wg->signalled);
}

/* Whoever waits at the split barrier goes on, and whoever comes there need not wait. For the check everything that was done
 * until now is ordered, also what a wavefront does between its signal and its wait: that hides races, and invents none. */
__attribute__((noinline, cold)) static void complete_split_barrier(struct sg_group *g)
{
    g->wg.complete = g->wg.alive;
    g->wg.signalled = 0;
    release_barrier(g);
}

/* As sg_note_stop. Part of the loop over wavefronts, which short ones go around often. */
__attribute__((always_inline)) static inline bool note_stop(struct sg_worker *worker, struct sg_group *g,
                                                            unsigned i, enum sg_stop stop, bool *yielded)
{
    struct sg_wave *w = g->wave[i];
    switch (stop) {
    case SG_STOP_END:
        sg_report_end(w);
        g->state[i] = WAVE_ENDED;
        g->live--;
        g->moved = true;
        g->wg.alive &= ~(1u << i);
        if (all_signalled(&g->wg))
            complete_split_barrier(g);
        return true;
    case SG_STOP_SIGNAL:
        complete_split_barrier(g);
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
        sg_stop_job(worker, g->job, &w->fault);
        return false;
    }
    return false;
}

bool sg_note_stop(struct sg_worker *worker, struct sg_group *g, unsigned i, enum sg_stop stop, bool *yielded)
{
    return note_stop(worker, g, i, stop, yielded);
}

static unsigned at_most(unsigned n, unsigned most)
{
    return n < most ? n : most;
}

/* Runs the wavefront to its next stop, or for so many sleeps of a delay. */
static enum sg_stop run_slice(struct sg_wave *w, int32_t slice, unsigned sleeps)
{
    w->yielded_at = NULL;
    enum sg_stop stop = sg_wave_run(w, slice);
    while (stop == SG_STOP_YIELD && w->budget >= 0 && --sleeps && sg_only_delays(w))
        stop = sg_wave_run(w, w->budget);
    return stop;
}

/* Runs one wavefront for its slice. False when the dispatch stopped. */
static bool run_wave(struct sg_worker *worker, struct sg_group *g, unsigned i, bool *yielded)
{
    unsigned doublings = g->turns / SLICE_DOUBLES, sleeps = 1u << at_most(doublings, DELAY_DOUBLINGS);
    int32_t slice = SLICE << (worker->sleepers ? 0 : at_most(doublings, SLICE_DOUBLINGS));
    if (worker->engine->config.shuffle_waves) {
        slice = (int32_t)(sg_next_random(&worker->random) % SLICE);
        sleeps = 1;
    }
    return note_stop(worker, g, i, run_slice(g->wave[i], slice, sleeps), yielded);
}

/* No other dispatch has work-groups on the GPU, whose end could make room. Lock held. */
static bool alone(const struct sg_engine *e, const struct sg_job *job)
{
    for (const struct sg_job *j = e->jobs; j; j = j->next)
        if (j != job && j->live)
            return false;
    return true;
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
        dead = j->blocked == j->live && !sg_may_start(e, j) && (!j->refused || alone(e, j));
    }
    pthread_mutex_unlock(&e->lock);
    return dead;
}

static void stop_deadlock(struct sg_worker *worker, struct sg_group *g, const char *message)
{
    unsigned i = 0, last = g->wg.n_waves - 1;
    while (i < last && g->state[i] != WAVE_READY) /* those at s_barrier and those that ended are not */
        i++;
    struct sg_wave *w = g->wave[i];
    char text[sizeof w->fault.message];
    int n = snprintf(text, sizeof text, "%s", message);
    pthread_mutex_lock(&worker->engine->lock);
    if (sg_units_refused(g->job)) {
        n += snprintf(text + n, sizeof text - (size_t)n, ": ");
        sg_say_room(worker->engine, g->job, text + n, sizeof text - (size_t)n);
    }
    pthread_mutex_unlock(&worker->engine->lock);
    sg_fault_at(w, w->next, SG_FAULT_DEADLOCK, 0, 0, false, text);
    sg_stop_job(worker, g->job, &w->fault);
}

/* With weak memory: what its wavefronts have under way may arrive, also of those at barriers. */
static __attribute__((noinline)) void let_time_pass(struct sg_group *g)
{
    for (unsigned i = 0; i < g->wg.n_waves; i++)
        (void)sg_weak_turn(g->wave[i]->weak);
}

/* Runs the group until it is done or can only yield. */
static enum turn run_group(struct sg_worker *worker, struct sg_group *g)
{
    struct sg_engine *e = worker->engine;
    unsigned n = g->wg.n_waves;
    g->slept = g->moved = false;
    if (e->weak)
        let_time_pass(g);
    if (g->still || (g->turns >= g->next_watch && !sg_all_in_grid_barrier(g))) {
        enum sg_watched watched = sg_watch_group(worker, g);
        if (watched != GROUP_MOVES)
            return watched == GROUP_WAITS ? TURN_YIELDED : TURN_DONE;
    }
    for (;;) {
        bool yielded = false;
        uint64_t epoch = atomic_load(&e->gws.epoch);
        g->waiting = 0;
        unsigned first = e->config.shuffle_waves ? (unsigned)(sg_next_random(&worker->random) % n) : 0;
        for (unsigned k = 0; k < n; k++) {
            unsigned i = (first + k) % n;
            if (sg_must_leave(worker, g))
                return TURN_DONE;
            if (g->state[i] == WAVE_READY && !run_wave(worker, g, i, &yielded))
                return TURN_DONE;
        }
        if (!g->live)
            return TURN_DONE;
        if (g->at_barrier == g->live && e->config.arch->family->split_barriers) {
            stop_deadlock(worker, g, "all wavefronts wait at a barrier that not all have signalled");
            return TURN_DONE;
        }
        if (g->at_barrier == g->live)
            release_barrier(g);
        else if (yielded) {
            g->turns++;
            if (sg_all_in_grid_barrier(g) && grid_deadlock(worker, g, epoch)) {
                stop_deadlock(worker, g,
                              "all work-groups that there are wait in a grid barrier for more to arrive");
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
    bool sleepers;     /* some group sleeps, and is not known to wait only */
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
        r->sleepers |= g->slept && !g->still;
        if (turn == TURN_YIELDED) {
            r->quiet &= g->still || (!g->moved && sg_all_in_grid_barrier(g));
            before = g;
            continue;
        }
        r->quiet = false;
        before->next = g->next;
        if (--worker->n_groups == 0)
            before = NULL;
        worker->groups = before;
        sg_retire_group(worker, g);
        r->finished++;
        if (!before)
            break;
    }
    worker->groups = before;
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
            if (!sg_admit(worker))
                sg_wait_for_work(worker);
        }
        if (!worker->groups)
            continue;
        uint64_t progress = quiet ? sg_engine_progress(e) : 0;
        run_round(worker, &r);
        worker->sleepers = r.sleepers;
        if (!r.quiet)
            sg_add_to(&worker->busy, 1);
        if (!worker->groups)
            continue;
        /* Everything here waits or loops: let others in, for it may be them that it waits for. Where
         * newcomers run to their ends, more of them are taken each time. */
        unsigned room = r.slept || ++rounds % PATIENCE == 0 ? worker->n_groups : 0;
        if (room < 2 * r.finished)
            room = 2 * r.finished;
        while (room && sg_admit(worker)) {
            room--;
            r.moved = true;
            r.quiet = false;
        }
        if (quiet && r.quiet)
            sg_note_quiet(worker, progress);
        else if (quiet)
            atomic_store(&worker->quiet_in, 0);
        quiet = r.quiet;
        fruitless = r.moved ? 0 : fruitless + 1;
        if (fruitless > IDLE_ROUNDS)
            sg_nap(worker, fruitless - IDLE_ROUNDS);
        else if (!r.moved)
            sched_yield();
    }
    return NULL;
}
