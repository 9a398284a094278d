/*
 * schedule.h - the engine object, shared between engine.c (submission, code cache) and schedule*.c (worker
 * threads).
 */
#ifndef SOFT_GPU_ISA_SCHEDULE_H
#define SOFT_GPU_ISA_SCHEDULE_H

#include <pthread.h>
#include "soft-gpu/isa/bulk/bulk.h"
#include "soft-gpu/isa/wave/dispatch.h"
#include "soft-gpu/isa/code/device.h"
#include "soft-gpu/isa/memory/gws.h"
#include "soft-gpu/isa/log/log.h"
#include "soft-gpu/isa/log/report.h"

/* Distance at which two threads do not disturb each other: two cache lines, as they are fetched in pairs. */
enum { SG_APART = 128 };

enum {
    SG_SHARE_MOST =
        32, /* work-groups that a worker reserves: the lock then costs little even if they do nothing */
    SG_GROUP_WAVES = 32,   /* of 32 lanes; 1024 work-items at most */
    SG_SIMDS = 4,          /* of a compute unit, or of the two that share a work-group, at most */
    SG_UNITS_OF_GROUP = 2, /* that share one, at most */
};

/* Scratch slots of one queue's backing memory. Dispatches of a queue share it; a slot belongs to one resident
 * wavefront. Slots have one size at a time; it changes only while none is taken. */
struct sg_scratch {
    struct sg_scratch *next;
    uint64_t base, bytes;
    uint32_t slot_bytes;
    uint64_t slots, taken, hint;
    uint8_t *used; /* one byte per slot */
};

/* What a SIMD and a compute unit have given out to work-groups, in the units of struct ls_gpu_family. */
struct sg_simd {
    uint16_t waves, vgprs, sgprs;
};
struct sg_unit {
    struct sg_simd simd[SG_SIMDS];
    uint32_t lds;
};
struct sg_units {
    struct sg_unit *unit;
    unsigned n, next; /* units; the one to look at first */
    uint64_t given;   /* times that a place was given back */
};

/* What a work-group takes: VGPRs and SGPRs of each wavefront, LDS in all. */
struct sg_needs {
    unsigned waves, units; /* units: that share it */
    uint32_t vgprs, sgprs, lds;
};

/* Where a work-group is: the first of its units, wavefronts on each SIMD of them, bytes of LDS in each. */
struct sg_place {
    uint16_t unit;
    uint8_t waves[SG_SIMDS];
    uint32_t lds[SG_UNITS_OF_GROUP];
};

/* A dispatch inside the engine. */
struct sg_job {
    struct sg_job *next;
    struct sg_dispatch dispatch;
    sg_done_fn done;
    void *user;
    uint64_t number; /* from 0, for the log */

    bool ready;     /* kernel, shape, code are filled */
    bool preparing; /* by one worker */
    bool stopped;   /* because of `fault` */
    struct sg_kernel kernel;
    struct sg_user_sgprs user_sgprs; /* of each wavefront */
    struct sg_shape shape;
    struct sg_needs needs;
    struct sg_code *code;
    const struct sg_code_entry *entry;
    struct sg_bulk *bulk; /* how to do it as a whole, or NULL */
    struct sg_scratch *scratch;
    struct sg_check_job *check; /* NULL: off */
    struct sg_report *report;   /* NULL: nobody observes it */
    uint64_t stride, offset;    /* order of the groups when shuffled */

    /* Written for each share of work-groups, under the lock;
     * what is above is read by all for each wavefront. */
    _Alignas(SG_APART) uint64_t next_group; /* groups handed out */
    uint64_t live;                          /* groups resident now, or reserved to be */
    uint64_t blocked;       /* groups that could not go on in blocked_epoch: all waves at barriers */
    uint64_t blocked_epoch; /* of sg_gws.epoch */
    bool end_looked_for;    /* one wavefront that loops was asked whether it can end */
    bool told;              /* that it makes no progress */
    bool refused;           /* the last work-group found no place, ... */
    uint64_t refused_at;    /* ... when sg_units.given was that */
    struct sg_fault fault;
    uint64_t n_inst; /* wavefront instructions so far */
};

struct sg_cached_code {
    struct sg_cached_code *next;
    uint64_t entry;
    unsigned lanes, observers;
    struct sg_code *code;
};

/* sg_worker.quiet_in of a worker without work-groups. */
#define NO_GROUPS UINT64_MAX

/* Workers stand side by side; none may share a cache line with what another one writes. */
struct sg_worker {
    _Alignas(SG_APART) struct sg_engine *engine;
    pthread_t thread;
    struct sg_tlb tlb;
    struct sg_group *groups; /* resident here: a ring, pointing at the one to run next */
    unsigned n_groups;
    bool sleepers; /* in the last round one slept that is not known to wait only */
    struct sg_wave *free_waves;
    struct sg_group *free_groups;
    struct sg_log *log;
    uint64_t random;
    _Atomic uint64_t n_inst, n_lane_ops, n_bulk_groups;
    _Atomic uint64_t n_locks;  /* times that it took the engine's lock for work-groups */
    _Atomic uint64_t busy;     /* rounds in which some wavefront did not only wait */
    _Atomic uint64_t quiet_in; /* 1 + sum of all `busy` before a round in which all wavefronts here only
                                  waited, 0, or NO_GROUPS */
    uint64_t quiet_progress, quiet_since; /* nanoseconds: the whole engine was quiet since then */

    /* Work-groups that this worker has reserved (schedule_admit.c): it takes from the front, others from the
     * back. Job and first number change under the lock, and only while the share is empty. */
    _Alignas(SG_APART) _Atomic uint64_t share;
    struct sg_job *share_job;
    uint64_t share_first;
    uint64_t share_done; /* work-groups of share_job that have ended and still count as resident */
    uint64_t share_inst; /* their wavefront instructions */
    /* Scratch slots: of each reserved work-group, by its place in the share; those that came back. */
    uint64_t share_slots[SG_SHARE_MOST * SG_GROUP_WAVES], free_slots[SG_SHARE_MOST * SG_GROUP_WAVES];
    unsigned n_free_slots;
    /* Places on compute units, likewise. */
    struct sg_place share_places[SG_SHARE_MOST], free_places[SG_SHARE_MOST];
    unsigned n_free_places;
};

struct sg_engine {
    /* Read for each wavefront, hardly ever written. */
    struct sg_engine_config config;
    struct sg_log_file *log_file;
    atomic_bool quit;
    atomic_uint n_workers;
    struct sg_worker *workers;
    struct sg_gws gws;
    struct sg_device device;
    struct sg_weak *weak; /* NULL: memory is strong */

    /* Written for each share of work-groups. */
    _Alignas(SG_APART) pthread_mutex_t lock; /* jobs, codes, scratch, units */
    pthread_cond_t work;
    struct sg_job *jobs, **jobs_tail;
    uint64_t n_jobs;
    struct sg_cached_code *codes;
    struct sg_scratch *scratch;
    struct sg_units units;
    unsigned waiting; /* workers that sleep until `work` is signalled */
};

/* Body of a worker thread; argument struct sg_worker. */
void *sg_worker_main(void *worker);
void sg_worker_free(struct sg_worker *w);

/* engine.c: the code of a kernel entry with a reference for the caller, NULL when out of memory. `reported`: its
 * dispatch is observed. */
struct sg_code *sg_engine_code(struct sg_engine *e, uint64_t entry, unsigned lanes, bool reported);

#endif
