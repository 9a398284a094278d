/*
 * mem_weak.c - loads, stores, atomics and cache controls on weak memory. Which cache bits mean what: LLVM
 * AMDGPUUsage, "Memory Model GFX90A", "GFX942", "GFX10-GFX11" and "GFX12", code sequences.
 */
#include "mem_atomic_ops.h"
#include "mem_internal.h"
#include "mem_weak.h"
#include "soft-gpu/isa/code/code.h"

enum { SCOPE_SE = 1, SCOPE_DEVICE, SCOPE_SYSTEM }; /* of gfx12's instructions */

/* Upper bits of a micro-operation's flags here. */
enum {
    PAST = 1 << SG_MF_EXTRA_SHIFT,       /* a load past the L1, a store through the L2 */
    NEAR = 1 << (SG_MF_EXTRA_SHIFT + 1), /* a load past the L0 */
    WIDE = NEAR,                         /* of atomics */
    OP_SHIFT = SG_MF_EXTRA_SHIFT + 2,
};

/* Continues behind the ordinary micro-operation; from time to time with another wavefront. */
#define DONE_WITH_BOTH()                                                                                     \
    do {                                                                                                     \
        if (sg_weak_turn(w->weak))                                                                           \
            return sg_weak_pause(w, u + 1);                                                                  \
        SG_GOTO(u + 2);                                                                                      \
    } while (0)

/* ---- One lane ---- */

struct access {
    struct sg_wave *w;
    const struct sg_uop *u;
    const struct sg_mem_view *view;
    unsigned bytes;
    bool is_write;
};

/* Is the lane's memory there? 0, or the fault. */
static int check_lane(const struct access *a, unsigned lane, unsigned offset, unsigned n)
{
    const uint64_t va = sg_view_va(a->view, lane) + offset;
    const uint32_t need = a->is_write ? SG_RANGE_WRITE : SG_RANGE_READ;
    for (unsigned i = 0; i < n; i += n > 1 ? n - 1 : 1) {
        const struct sg_range *r = sg_tlb_range(a->w->tlb, va + i);
        if (!r || !(r->flags & need))
            return sg_fault_page(a->w, a->u, va + i, lane, a->is_write);
    }
    return 0;
}

/* Moves `n` bytes of the lane. */
static int move_part(const struct access *a, unsigned lane, unsigned offset, unsigned n, uint8_t *data)
{
    const bool past = a->u->flags & PAST, near = a->u->flags & NEAR;
    const uint64_t va = sg_view_va(a->view, lane) + offset;
    int stop = check_lane(a, lane, offset, n);
    if (stop)
        return stop;
    sg_weak_at(a->w->weak, sg_uop_pc(a->w, a->u), lane);
    if (a->is_write)
        sg_weak_store(a->w->weak, va, n, past, data + offset);
    else
        sg_weak_load(a->w->weak, va, n,
                     past   ? SG_WEAK_PAST
                     : near ? SG_WEAK_PAST_NEAR
                            : SG_WEAK_CACHED,
                     data + offset);
    return 0;
}

/* Dwords of a buffer that are out of its bounds are not accessed; loads give 0. */
static int move_lane(const struct access *a, unsigned lane, uint8_t data[16])
{
    int stop = 0;
    uint64_t all = a->view->mask;
    for (unsigned k = 0; 4 * k < a->bytes; k++)
        all &= a->view->ok[k];
    if (all >> lane & 1 && a->view->pitch == 4)
        return move_part(a, lane, 0, a->bytes, data);
    if (!a->is_write)
        memset(data, 0, 16);
    for (unsigned k = 0; 4 * k < a->bytes && !stop; k++)
        if (a->view->ok[k] >> lane & 1)
            stop = move_part(a, lane, 4 * k, a->bytes - 4 * k < 4 ? a->bytes - 4 * k : 4, data);
    return stop;
}

/* The same in LDS or private memory. */
static int move_own_lane(const struct access *a, unsigned lane, uint8_t data[16])
{
    uint64_t va;
    bool ok = a->is_write ? sg_view_write(a->w, a->view, lane, data, a->bytes, &va)
                          : sg_view_read(a->w, a->view, lane, data, a->bytes, &va);
    return ok ? 0 : sg_fault_page(a->w, a->u, va, lane, a->is_write);
}

static void from_rows(const struct sg_uop *u, sg_rows v, unsigned lane, unsigned bytes, uint8_t data[16])
{
    if (bytes < 4)
        sg_elem_store(data, sg_uop_elem(u), v[u->b][lane]);
    for (unsigned i = 0; i < bytes / 4; i++)
        memcpy(data + 4 * i, &v[u->b + i][lane], 4);
}

static void to_rows(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, unsigned lane, unsigned bytes,
                    const uint8_t data[16])
{
    if (bytes < 4)
        v[u->d][lane] =
            sg_elem_load(data, sg_uop_elem(u)) | (v[u->d][lane] & sg_elem_kept(w, sg_uop_elem(u)));
    for (unsigned i = 0; i < bytes / 4; i++)
        memcpy(&v[u->d + i][lane], data + 4 * i, 4);
}

static int move_view(const struct access *a, sg_rows v)
{
    uint8_t data[16];
    int stop = sg_view_check(a->w, a->u, a->view, a->is_write);
    for (uint64_t m = a->view->mask; m && !stop; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        if (a->is_write)
            from_rows(a->u, v, lane, a->bytes, data);
        stop = (a->view->space == SG_SPACE_GLOBAL ? move_lane : move_own_lane)(a, lane, data);
        if (!stop && !a->is_write)
            to_rows(a->w, a->u, v, lane, a->bytes, data);
    }
    return stop;
}

/* ---- Loads and stores ---- */

/* Some lane is in global memory. */
static bool any_global(const struct sg_mem_view *view, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (view[k].space == SG_SPACE_GLOBAL)
            return true;
    return false;
}

static int move_all(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_mem_view *view,
                    unsigned n, bool is_write)
{
    int stop = 0;
    sg_weak_lock(w->weak);
    sg_weak_issue(w->weak);
    for (unsigned k = 0; k < n && !stop; k++) {
        const struct access a = {w, u, &view[k], sg_elem_bytes(sg_uop_elem(u)), is_write};
        stop = move_view(&a, v);
    }
    sg_weak_unlock(w->weak);
    sg_take_found(w);
    return stop;
}

static void only_issue(struct sg_wave *w)
{
    sg_weak_lock(w->weak);
    sg_weak_issue(w->weak);
    sg_weak_unlock(w->weak);
}

static int weak_move(SG_ARGS)
{
    struct sg_mem_view view[3];
    const bool is_write = u->x;
    const unsigned bytes = sg_elem_bytes(sg_uop_elem(u));
    struct sg_uop address = *u; /* x is ours; the ordinary one has that of the address */
    address.x = u[1].x;
    const unsigned n = sg_mem_views(w, &address, v, s, bytes, view);
    if (!any_global(view, n)) {
        only_issue(w);
        SG_NEXT();
    }
    int stop = move_all(w, u, v, view, n, is_write);
    if (stop)
        return stop;
    DONE_WITH_BOTH();
}

/* gfx10 has glc alone at work-group scope, glc and dlc at agent scope, glc and slc for what is loaded but once (LLVM,
 * SIGfx10CacheControl). gfx11 has glc at both scopes, as gfx9, so that nothing can tell them apart. */
static bool glc_is_near(const struct sg_builder *b)
{
    return sg_builder_arch(b)->isa == LS_GPU_ISA_GFX1030;
}

static bool is_past(const struct sg_builder *b, const struct gcn_inst *in, bool is_write)
{
    if (sg_builder_arch(b)->sc_cache_bits)
        return in->scc_bit; /* sc1: agent or system */
    if (is_write || !in->glc)
        return in->scc_bit;
    return !glc_is_near(b) || in->dlc || in->slc;
}

/* A load of work-group scope, past one of the L0 of its two units and not past the L1 behind. */
static bool is_near(const struct gcn_inst *in, bool is_write)
{
    return !is_write && (in->glc || in->scope == SCOPE_SE);
}

static void emit_move(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, const struct sg_mem_uop *m,
                      bool is_write)
{
    const enum sg_mem_mode mode = (enum sg_mem_mode)(m->flags & SG_MF_MODE);
    if (sg_builder_weak(b) && mode != SG_MODE_LDS && mode != SG_MODE_LDS_TID) {
        struct sg_mem_uop weak = *m;
        weak.flags &= PAST - 1;
        weak.flags |= is_past(b, in, is_write) ? PAST : is_near(in, is_write) ? NEAR : 0;
        weak.x = is_write;
        sg_emit_mem(b, weak_move, &weak);
    }
    sg_emit_mem(b, fn, m);
}

void sg_emit_load(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, const struct sg_mem_uop *m)
{
    emit_move(b, in, fn, m, false);
}

void sg_emit_store(struct sg_builder *b, const struct gcn_inst *in, sg_fn fn, const struct sg_mem_uop *m)
{
    emit_move(b, in, fn, m, true);
}

/* ---- Atomics ---- */

uint64_t sg_weak_host_rmw(void *host, unsigned op, bool wide, uint64_t a, uint64_t b)
{
    return wide ? sg_atomic_rmw64(host, (enum sg_atomic_op)op, a, b)
                : sg_atomic_rmw32(host, (enum sg_atomic_op)op, (uint32_t)a, (uint32_t)b);
}

static uint64_t operand(sg_rows v, unsigned row, unsigned lane, bool wide)
{
    return v[row][lane] | (wide ? (uint64_t)v[row + 1][lane] << 32 : 0);
}

static int rmw_lanes(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_mem_view *view)
{
    const bool wide = u->flags & WIDE, returns = u->flags & SG_MF_RETURN;
    const unsigned op = u->flags >> OP_SHIFT;
    const struct access a = {w, u, view, wide ? 8 : 4, true};
    int stop = 0;
    for (uint64_t m = view->mask & view->ok[0] & view->ok[wide]; m && !stop; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        stop = check_lane(&a, lane, 0, a.bytes);
        if (stop)
            break;
        sg_weak_at(w->weak, sg_uop_pc(w, u), lane);
        const uint64_t second = op == SG_ATOMIC_CMPSWAP ? operand(v, u->b + (wide ? 2u : 1u), lane, wide) : 0;
        const uint64_t old = sg_weak_rmw(w->weak, sg_view_va(view, lane), op, wide,
                                         operand(v, u->b, lane, wide), second, returns);
        if (returns) {
            v[u->d][lane] = (uint32_t)old;
            if (wide)
                v[u->d + 1][lane] = (uint32_t)(old >> 32);
        }
    }
    return stop;
}

/* All lanes at aligned places of linear global memory? */
static bool is_ordinary(const struct sg_mem_view *view, unsigned n, unsigned bytes)
{
    if (n != 1 || view->space != SG_SPACE_GLOBAL || view->pitch != 4 || view->bad)
        return false;
    for (uint64_t m = view->mask; m; m &= m - 1)
        if (sg_view_va(view, (unsigned)__builtin_ctzll(m)) % bytes)
            return false;
    return true;
}

static int weak_atomic(SG_ARGS)
{
    struct sg_mem_view view[3];
    const unsigned bytes = u->flags & WIDE ? 8 : 4, n = sg_mem_views(w, u, v, s, bytes, view);
    if (!is_ordinary(view, n, bytes)) { /* the ordinary one does it, or finds the fault */
        sg_weak_lock(w->weak);
        sg_weak_issue(w->weak);
        if (any_global(view, n))
            sg_weak_settle(w->weak);
        sg_weak_unlock(w->weak);
        SG_NEXT();
    }
    sg_weak_lock(w->weak);
    sg_weak_issue(w->weak);
    int stop = rmw_lanes(w, u, v, view);
    if (!stop && view->mask & ~(view->ok[0] & view->ok[bytes / 8]) && u->flags & SG_MF_RETURN)
        for (uint64_t m = view->mask & ~(view->ok[0] & view->ok[bytes / 8]); m; m &= m - 1)
            for (unsigned i = 0; i < bytes / 4; i++)
                v[u->d + i][__builtin_ctzll(m)] = 0; /* out of the buffer's bounds */
    sg_weak_unlock(w->weak);
    if (stop)
        return stop;
    DONE_WITH_BOTH();
}

void sg_emit_atomic(struct sg_builder *b, sg_fn fn, const struct sg_mem_uop *m, unsigned op, bool wide)
{
    if (sg_builder_weak(b)) {
        struct sg_mem_uop weak = *m;
        weak.flags &= PAST - 1;
        weak.flags |= (wide ? WIDE : 0) | op << OP_SHIFT;
        sg_emit_mem(b, weak_atomic, &weak);
    }
    sg_emit_mem(b, fn, m);
}

/* ---- Cache controls ---- */

static int weak_write_back(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_write_back(w->weak);
    sg_weak_unlock(w->weak);
    SG_NEXT();
}

static int weak_invalidate_near(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_invalidate_near(w->weak);
    sg_weak_unlock(w->weak);
    SG_NEXT();
}

static int weak_invalidate_shared(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_invalidate_shared(w->weak);
    sg_weak_unlock(w->weak);
    SG_NEXT();
}

static int weak_invalidate(SG_ARGS)
{
    sg_weak_lock(w->weak);
    sg_weak_invalidate(w->weak);
    sg_weak_unlock(w->weak);
    SG_NEXT();
}

void sg_emit_cache_control(struct sg_builder *b, const struct gcn_inst *in)
{
    if (!sg_builder_weak(b))
        return;
    switch (in->op) {
    case GCN_OP_BUFFER_WBL2:
        sg_emit(b, weak_write_back, 0, 0, 0, 0);
        return;
    case GCN_OP_BUFFER_INV:
    case GCN_OP_BUFFER_WBINVL1:
    case GCN_OP_BUFFER_WBINVL1_VOL:
        sg_emit(b, weak_invalidate, 0, 0, 0, 0);
        return;
    case GCN_OP_GLOBAL_WB: /* gfx12: whose scope says how far */
        if (in->scope == SCOPE_SYSTEM)
            sg_emit(b, weak_write_back, 0, 0, 0, 0);
        return;
    case GCN_OP_GLOBAL_INV:
    case GCN_OP_GLOBAL_WBINV:
        if (in->scope >= SCOPE_SE)
            sg_emit(b, in->scope >= SCOPE_DEVICE ? weak_invalidate : weak_invalidate_near, 0, 0, 0, 0);
        return;
    case GCN_OP_BUFFER_GL1_INV: /* of an array, behind the L0 of its units */
        sg_emit(b, weak_invalidate_shared, 0, 0, 0, 0);
        return;
    case GCN_OP_BUFFER_GL0_INV:
        sg_emit(b, weak_invalidate_near, 0, 0, 0, 0);
        return;
    default: /* buffer_invl2: the L2 here has only what it will write back */
        return;
    }
}
