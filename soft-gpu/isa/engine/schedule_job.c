/*
 * schedule_job.c - a dispatch inside the engine: what its kernel says, whether it may start a work-group, its
 * end.
 */
#include <stdio.h>
#include <stdlib.h>
#include "schedule_group.h"

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
    j->offset = sg_next_random(&state) % j->shape.n_groups;
    do
        j->stride = sg_next_random(&state) % j->shape.n_groups + 1;
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

static void count_bulk(struct sg_worker *worker, struct sg_job *j)
{
    uint64_t n_inst, n_lane_ops;
    sg_bulk_counters(j->bulk, &n_inst, &n_lane_ops);
    j->n_inst = n_inst;
    sg_add_to(&worker->n_inst, n_inst);
    sg_add_to(&worker->n_lane_ops, n_lane_ops);
}

/* Fills what depends on the kernel. Without the engine lock; `preparing` keeps other workers away. */
void sg_prepare_job(struct sg_worker *worker, struct sg_job *j)
{
    struct sg_engine *e = worker->engine;
    struct sg_fault *f = &j->fault;
    if (e->weak)
        sg_weak_acquire(e->weak, j->dispatch.acquire);
    if (!sg_kernel_read(e->config.arch, &worker->tlb, j->dispatch.kernel_object, &j->kernel)) {
        f->kind = SG_FAULT_PAGE;
        f->va = j->dispatch.kernel_object;
        snprintf(f->message, sizeof f->message, "the kernel descriptor is not mapped");
        return;
    }
    uint32_t preloaded[SG_USER_SGPRS_MAX];
    if (!sg_shape_make(e->config.arch, &j->dispatch, &j->kernel, &j->shape, f) ||
        !sg_kernel_preload(&worker->tlb, &j->dispatch, &j->kernel, preloaded, f))
        return;
    sg_user_sgprs(e->config.arch, &j->dispatch, &j->kernel, preloaded, &j->user_sgprs);
    j->needs = sg_needs_of(e->config.arch, &j->kernel, &j->shape);
    choose_order(worker, j);
    if (e->log_file)
        log_job(e, j);
    if (e->config.check && !(j->check = sg_check_job_begin(e->config.check))) {
        f->kind = SG_FAULT_RESOURCES;
        snprintf(f->message, sizeof f->message, "out of memory for the check");
        return;
    }
    j->report = sg_report_open(&worker->tlb, j->dispatch.observer);
    j->code = sg_engine_code(e, j->kernel.entry, j->kernel.lanes, j->report);
    if (j->code)
        j->entry = sg_code_find(j->code, j->kernel.entry);
    if (!j->entry) {
        f->kind = SG_FAULT_RESOURCES;
        snprintf(f->message, sizeof f->message, "out of memory while decoding the kernel");
    } else if (!e->log_file && !j->report && !e->config.check && !e->config.shuffle_waves &&
               !e->config.interpret_all && !e->weak) {
        j->bulk =
            sg_bulk_plan(e->config.arch, &worker->tlb, &j->dispatch, &j->kernel, &j->user_sgprs, &j->shape);
        if (j->bulk)
            count_bulk(worker, j);
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

bool sg_job_finished(const struct sg_job *j)
{
    return !j->live && j->ready && (j->stopped || j->next_group == j->shape.n_groups);
}

/* Reports a finished job and frees it. Lock held; released during the callback. */
void sg_finish_job(struct sg_engine *e, struct sg_job *j)
{
    unlink_job(e, j);
    pthread_mutex_unlock(&e->lock);
    if (e->weak) {
        sg_weak_arrive(e->weak);
        sg_weak_release(e->weak, j->dispatch.release);
    }
    if (e->log_file)
        sg_log_write_end(e->log_file, j->number, j->fault.kind);
    if (j->check)
        sg_report_findings(e, j);
    if (e->config.count_dispatches && e->config.ops && e->config.ops->ended)
        e->config.ops->ended(e->config.user, &j->dispatch, j->n_inst);
    j->done(j->user, &j->fault);
    sg_code_release(j->code);
    sg_bulk_free(j->bulk);
    sg_report_close(j->report);
    free(j);
    pthread_mutex_lock(&e->lock);
}

/* Room for one more work-group of j? Lock held. */
bool sg_may_start(struct sg_engine *e, struct sg_job *j)
{
    if (j->preparing || j->stopped || (j->ready && j->next_group == j->shape.n_groups))
        return false;
    if (!j->ready)
        return true;
    if (!sg_units_have_room(e, j))
        return false;
    if (!j->shape.scratch_bytes)
        return true;
    if (!j->scratch && !(j->scratch = sg_find_scratch(e, j->dispatch.scratch_base)))
        return false;
    return sg_size_scratch(j->scratch, j) && j->scratch->slots - j->scratch->taken >= j->shape.max_waves;
}

/* Keeps the first fault of a job. */
void sg_stop_job(struct sg_worker *worker, struct sg_job *j, const struct sg_fault *fault)
{
    pthread_mutex_lock(&worker->engine->lock);
    if (!j->stopped) {
        j->fault = *fault;
        __atomic_store_n(&j->stopped, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&worker->engine->lock);
}
