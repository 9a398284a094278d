/*
 * mem_gws.c - global wave sync (ds_gws_*).
 *
 * Operations: "AMD Instinct MI200 ISA" chapter 12.12, DS_GWS_INIT to DS_GWS_BARRIER. Which of the 64
 * resources: M0[21:16] plus the instruction's offset (LLVM, AMDGPUInstructionSelector, selectDSGWSIntrinsic).
 * The operand is the first active lane's. Each barrier sets the count of the next one, so consecutive ones
 * may differ.
 *
 * A waiting wavefront stays at the second micro-operation of its instruction and is asked again in each turn
 * of its work-group. What it waits for (the phase at its arrival) stands in a temporary scalar.
 */
#include "mem_internal.h"
#include "soft-gpu/isa/code/device.h"
#include "gws.h"

static struct sg_gws_resource *resource_of(struct sg_gws *gws, const struct sg_uop *u, const uint32_t *s)
{
    return &gws->resource[((s[SG_S_M0] >> 16 & 63) + (uint32_t)u->imm) % SG_GWS_RESOURCES];
}

static uint32_t operand(const struct sg_wave *w, const struct sg_uop *u, sg_rows v)
{
    return v[u->a][w->exec ? __builtin_ctzll(w->exec) : 0];
}

/* A single wavefront that a test runs by hand has no one to synchronise with. */
static int alone(struct sg_wave *w, const struct sg_uop *u)
{
    return sg_fault_at(w, u, SG_FAULT_DEADLOCK, 0, 0, false, "global wave sync outside of a dispatch");
}

static void next_phase(struct sg_gws_resource *r)
{
    atomic_fetch_add_explicit(&r->phase, 1, memory_order_release);
}

static int gws_init(SG_ARGS)
{
    if (!w->device)
        return alone(w, u);
    struct sg_gws *gws = w->device->gws;
    pthread_mutex_lock(&gws->lock);
    resource_of(gws, u, s)->counter = operand(w, u, v);
    pthread_mutex_unlock(&gws->lock);
    SG_NEXT();
}

static int gws_barrier(SG_ARGS)
{
    if (!w->device)
        return alone(w, u);
    struct sg_gws *gws = w->device->gws;
    struct sg_gws_resource *r = resource_of(gws, u, s);
    pthread_mutex_lock(&gws->lock);
    s[u->d] = r->phase;
    if (r->counter) {
        r->counter--;
    } else {
        r->counter = operand(w, u, v);
        next_phase(r);
        atomic_fetch_add(&gws->epoch, 1);
    }
    pthread_mutex_unlock(&gws->lock);
    SG_NEXT();
}

/* Second half of a barrier. */
static int gws_wait(SG_ARGS)
{
    struct sg_gws_resource *r = resource_of(w->device->gws, u, s);
    if (atomic_load_explicit(&r->phase, memory_order_acquire) != s[u->d]) {
        if (w->wg->check)
            sg_check_acquire(w->wg->check, w->wave_in_group);
        if (w->weak) {
            sg_weak_lock(w->weak);
            sg_weak_grid_barrier(w->weak);
            sg_weak_unlock(w->weak);
        }
        SG_NEXT();
    }
    w->next = u;
    return SG_STOP_WAIT;
}

/* Adds to the semaphore: the operand, or 1 when x is set. */
static int gws_sema_add(SG_ARGS)
{
    if (!w->device)
        return alone(w, u);
    struct sg_gws *gws = w->device->gws;
    pthread_mutex_lock(&gws->lock);
    resource_of(gws, u, s)->counter += u->x ? 1 : operand(w, u, v);
    pthread_mutex_unlock(&gws->lock);
    SG_NEXT();
}

static int gws_sema_release_all(SG_ARGS)
{
    if (!w->device)
        return alone(w, u);
    struct sg_gws *gws = w->device->gws;
    struct sg_gws_resource *r = resource_of(gws, u, s);
    pthread_mutex_lock(&gws->lock);
    r->counter = 0;
    next_phase(r);
    pthread_mutex_unlock(&gws->lock);
    SG_NEXT();
}

static int gws_sema_arrive(SG_ARGS)
{
    if (!w->device)
        return alone(w, u);
    s[u->d] = atomic_load_explicit(&resource_of(w->device->gws, u, s)->phase, memory_order_acquire);
    SG_NEXT();
}

/* Second half of sema_p: takes one, unless everybody was released meanwhile. */
static int gws_sema_take(SG_ARGS)
{
    struct sg_gws *gws = w->device->gws;
    struct sg_gws_resource *r = resource_of(gws, u, s);
    pthread_mutex_lock(&gws->lock);
    bool released = r->phase != s[u->d], taken = !released && r->counter;
    r->counter -= taken;
    pthread_mutex_unlock(&gws->lock);
    if (released || taken) {
        if (w->wg->check)
            sg_check_acquire(w->wg->check, w->wave_in_group);
        SG_NEXT();
    }
    w->next = u;
    return SG_STOP_YIELD;
}

static struct sg_uop *emit(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, unsigned phase)
{
    struct sg_uop *u = sg_emit(b, fn, phase, in->addr.index, 0, 0);
    u->imm = in->offset0;
    return u;
}

bool sg_build_gws(struct sg_builder *b, const struct gcn_inst *in)
{
    unsigned phase;
    switch (in->op) {
    case GCN_OP_DS_GWS_INIT:
        emit(b, in, gws_init, 0);
        return true;
    case GCN_OP_DS_GWS_BARRIER:
        phase = sg_temp_scalars(b, 1);
        emit(b, in, gws_barrier, phase);
        emit(b, in, gws_wait, phase);
        return true;
    case GCN_OP_DS_GWS_SEMA_V:
    case GCN_OP_DS_GWS_SEMA_BR:
        emit(b, in, gws_sema_add, 0)->x = in->op == GCN_OP_DS_GWS_SEMA_V;
        return true;
    case GCN_OP_DS_GWS_SEMA_P:
        phase = sg_temp_scalars(b, 1);
        emit(b, in, gws_sema_arrive, phase);
        emit(b, in, gws_sema_take, phase);
        return true;
    case GCN_OP_DS_GWS_SEMA_RELEASE_ALL:
        emit(b, in, gws_sema_release_all, 0);
        return true;
    default:
        return false;
    }
}
