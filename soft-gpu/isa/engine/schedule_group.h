/*
 * schedule_group.h - a resident work-group, and what the parts of the scheduler (schedule*.c) do for each
 * other.
 */
#ifndef SOFT_GPU_ISA_SCHEDULE_GROUP_H
#define SOFT_GPU_ISA_SCHEDULE_GROUP_H

#include "schedule.h"
#include "soft-gpu/isa/analysis/stall.h"

enum wave_state { WAVE_READY, WAVE_AT_BARRIER, WAVE_ENDED };

struct sg_group {
    struct sg_group *next; /* ring of residents, or free list */
    struct sg_workgroup wg;
    struct sg_place place;
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
    struct sg_wave *wave[SG_GROUP_WAVES];
    uint8_t state[SG_GROUP_WAVES]; /* enum wave_state */
    struct sg_repeat repeat[SG_GROUP_WAVES];
};

static inline uint64_t sg_next_random(uint64_t *state)
{
    uint64_t x = (*state += 0x9E3779B97F4A7C15ull);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

/* For counters that one thread writes and others read. */
static inline void sg_add_to(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + n, memory_order_relaxed);
}

static inline bool sg_all_in_grid_barrier(const struct sg_group *g)
{
    return g->waiting && g->waiting + g->at_barrier == g->live;
}

static inline bool sg_must_leave(struct sg_worker *worker, struct sg_group *g)
{
    return __atomic_load_n(&g->job->stopped, __ATOMIC_ACQUIRE) || atomic_load(&worker->engine->quit);
}

/* ---- schedule.c ---- */

/* Takes note of how a wavefront returned. False when the dispatch stopped. */
bool sg_note_stop(struct sg_worker *worker, struct sg_group *g, unsigned i, enum sg_stop stop, bool *yielded);

/* ---- schedule_scratch.c: scratch slots. Engine lock held. ---- */

/* The slots of the backing memory at `base`; NULL when out of memory. */
struct sg_scratch *sg_find_scratch(struct sg_engine *e, uint64_t base);
/* Makes the slots fit the job. False while slots of a smaller size, or of another extent, are taken. */
bool sg_size_scratch(struct sg_scratch *s, const struct sg_job *j);
/* GPU address of a free slot; the caller has made sure that there is one. */
uint64_t sg_take_slot(struct sg_scratch *s);
void sg_give_slot(struct sg_scratch *s, uint64_t address);

/* ---- schedule_units.c: places for work-groups on compute units. Engine lock held. ---- */

/* False when out of memory. */
bool sg_units_create(struct sg_engine *e);
void sg_units_destroy(struct sg_engine *e);
/* What a work-group of that kernel and shape takes. */
struct sg_needs sg_needs_of(const struct ls_gpu *arch, const struct sg_kernel *k,
                            const struct sg_shape *shape);
/* Whether any unit that the dispatch may use has room for such a work-group. */
bool sg_units_fit(struct sg_engine *e, const struct sg_dispatch *d, const struct sg_needs *n);
/* The same for one more work-group of j; it is noted when not. */
bool sg_units_have_room(struct sg_engine *e, struct sg_job *j);
/* A place for one more work-group of j. False when there is none. */
bool sg_units_take(struct sg_engine *e, const struct sg_job *j, struct sg_place *place);
void sg_units_give(struct sg_engine *e, const struct sg_job *j, const struct sg_place *place);
/* Whether a work-group of j, which is not NULL, waits for a place. */
bool sg_units_refused(const struct sg_job *j);
/* Whether one of any dispatch does. */
bool sg_units_wanted(const struct sg_engine *e);
/* How many work-groups of j run, how many could, and what there is too little of. As snprintf. */
int sg_say_room(const struct sg_engine *e, const struct sg_job *j, char *out, size_t size);

/* ---- schedule_job.c ---- */

/* Fills what depends on the kernel. Without the engine lock; `preparing` keeps other workers away. */
void sg_prepare_job(struct sg_worker *worker, struct sg_job *j);
bool sg_job_finished(const struct sg_job *j);
/* Reports a finished job and frees it. Lock held; released during the callback. */
void sg_finish_job(struct sg_engine *e, struct sg_job *j);
/* Room for one more work-group of j? Lock held. */
bool sg_may_start(struct sg_engine *e, struct sg_job *j);
/* Keeps the first fault of a job. */
void sg_stop_job(struct sg_worker *worker, struct sg_job *j, const struct sg_fault *fault);
/* schedule_report.c: tells config.ops->found what the check has found. */
void sg_report_findings(struct sg_engine *e, struct sg_job *j);

/* ---- schedule_group.c ---- */

/* A group with room for `lds` bytes; NULL when out of memory. */
struct sg_group *sg_get_group(struct sg_worker *worker, size_t lds);
/* Gives the group its wavefronts and scratch slots; `slots`: as many as a group of the job may need, or NULL. False when
 * out of memory. */
bool sg_equip_group(struct sg_worker *worker, struct sg_group *g, uint64_t flat, const uint64_t *slots);
/* A slot of share_job's that nobody uses any more; the next time with the lock others can have it. */
void sg_free_slot(struct sg_worker *worker, uint64_t slot);
/* The same for the place of one of its work-groups. */
void sg_free_place(struct sg_worker *worker, const struct sg_place *place);
/* Takes the engine's lock for work-groups, and counts that. */
void sg_lock_for_groups(struct sg_worker *worker);
/* Fills the group for work-group number `flat`. False when out of memory. */
bool sg_start_group(struct sg_worker *worker, struct sg_group *g, uint64_t flat);
/* Returns a group's wavefronts to the pool and settles its job. */
void sg_retire_group(struct sg_worker *worker, struct sg_group *g);

/* ---- schedule_admit.c ---- */

/* Takes one new work-group if any dispatch has one that may start. */
bool sg_admit(struct sg_worker *worker);
/* Some dispatch could give a work-group. Lock held. */
bool sg_work_to_take(struct sg_engine *e);

/* ---- schedule_watch.c: groups that only wait. ---- */

enum sg_watched { GROUP_MOVES, GROUP_WAITS, GROUP_DONE };

/* Goes through the loops of all wavefronts that can run. */
enum sg_watched sg_watch_group(struct sg_worker *worker, struct sg_group *g);
/* Tells the user, once per dispatch, that the wavefront waits. */
void sg_tell_stalled(struct sg_worker *worker, struct sg_group *g, unsigned i, const char *message);

/* ---- schedule_idle.c ---- */

/* Sleeps until some dispatch could give a work-group. */
void sg_wait_for_work(struct sg_worker *worker);
/* Nothing moves here: sleeps, the longer the longer that has been so, or until there is work to take. */
void sg_nap(struct sg_worker *worker, unsigned naps);
/* Grows whenever some wavefront on the GPU did more than wait. Each worker counts for itself. */
uint64_t sg_engine_progress(struct sg_engine *e);
/* A quiet round of this worker that began when sg_engine_progress was `progress`. */
void sg_note_quiet(struct sg_worker *worker, uint64_t progress);

#endif
