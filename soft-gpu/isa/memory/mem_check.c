/*
 * mem_check.c - tells the check for races of every access to LDS, and to global memory if asked, before it
 * takes place. Which lanes, addresses and values: as for the access log.
 */
#include "soft-gpu/isa/code/code.h"
#include "mem_internal.h"

/* What each lane of a store writes. */
static void spell_out_data(const struct sg_uop *u, sg_rows v, unsigned bytes, uint64_t lanes,
                           uint8_t data[SG_MAX_LANES][SG_CHECK_BYTES])
{
    const enum sg_mem_elem e = sg_uop_elem(u);
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (bytes < 4)
            sg_elem_store(data[lane], e, v[u->b][lane]);
        else
            for (unsigned i = 0; i < bytes / 4; i++)
                memcpy(data[lane] + 4 * i, &v[u->b + i][lane], 4);
    }
}

/* What each lane of a store to global memory will overwrite; unmapped bytes are the access's own fault. */
static bool spell_out_before(struct sg_wave *w, const struct sg_mem_view *view, unsigned bytes,
                             uint64_t lanes, uint8_t before[SG_MAX_LANES][SG_CHECK_BYTES])
{
    uint64_t va;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (!sg_view_read(w, view, lane, before[lane], bytes, &va))
            return false;
    }
    return true;
}

/* Plain accesses are compared with each other; the others tell what a wavefront may know. */
static void check_global(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_mem_view *view,
                         unsigned bytes)
{
    const enum sg_access_kind kind = (enum sg_access_kind)(u->flags >> SG_LOG_KIND_SHIFT & 3);
    uint64_t lanes = view->mask & ~view->bad, addr[SG_MAX_LANES];
    uint8_t data[SG_MAX_LANES][SG_CHECK_BYTES], before[SG_MAX_LANES][SG_CHECK_BYTES];
    for (unsigned dword = 0; dword * 4 < bytes; dword++)
        lanes &= view->ok[dword];
    if (!lanes)
        return;
    if (kind == SG_ACCESS_ATOMIC || u->flags & SG_LOG_SYNC) {
        if (kind == SG_ACCESS_LOAD || u->flags & SG_MF_RETURN)
            sg_check_acquire(w->wg->check, w->wave_in_group);
        return;
    }
    if (view->pitch != 4 || !bytes)
        return; /* swizzled buffers, formats: not followed */
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        addr[lane] = sg_view_va(view, lane);
    }
    struct sg_check_access a = {.pc = sg_uop_pc(w, u),
                                .wave = w->wave_in_group,
                                .kind = kind == SG_ACCESS_LOAD ? SG_CHECK_READ : SG_CHECK_WRITE,
                                .space = SG_CHECK_MEMORY,
                                .bytes = bytes,
                                .lanes = lanes,
                                .addr = addr};
    if (u->flags & SG_LOG_DATA && spell_out_before(w, view, bytes, lanes, before)) {
        spell_out_data(u, v, bytes, lanes, data);
        a.data = (const uint8_t (*)[SG_CHECK_BYTES])data;
        a.before = (const uint8_t (*)[SG_CHECK_BYTES])before;
    }
    sg_check_access(w->wg->check, &a);
}

static void check_view(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_mem_view *view,
                       unsigned bytes)
{
    static const enum sg_check_kind kinds[4] = {[SG_ACCESS_LOAD] = SG_CHECK_READ,
                                                [SG_ACCESS_STORE] = SG_CHECK_WRITE,
                                                [SG_ACCESS_ATOMIC] = SG_CHECK_ATOMIC};
    uint64_t lanes = view->mask & ~view->bad & view->ok[0];
    if (u->flags & SG_MF_FIRST_LANE)
        lanes &= -lanes;
    if (!lanes)
        return;
    uint8_t data[SG_MAX_LANES][SG_CHECK_BYTES];
    struct sg_check_access a = {.pc = sg_uop_pc(w, u),
                                .wave = w->wave_in_group,
                                .kind = kinds[u->flags >> SG_LOG_KIND_SHIFT & 3],
                                .space = SG_CHECK_LDS,
                                .bytes = bytes,
                                .lanes = lanes,
                                .addr = view->base,
                                .memory = w->wg->lds};
    if (u->flags & SG_LOG_DATA) {
        spell_out_data(u, v, bytes, lanes, data);
        a.data = (const uint8_t (*)[SG_CHECK_BYTES])data;
    }
    sg_check_access(w->wg->check, &a);
}

int sg_uop_check(SG_ARGS)
{
    struct sg_mem_view view[3];
    const unsigned bytes = u->flags >> SG_LOG_BYTES_SHIFT & 0x1f;
    const unsigned n = w->wg->check ? sg_mem_views(w, u, v, s, bytes, view) : 0;
    for (unsigned k = 0; k < n; k++)
        if (view[k].space == SG_SPACE_LDS)
            check_view(w, u, v, &view[k], bytes);
        else if (view[k].space == SG_SPACE_GLOBAL && u->flags & SG_LOG_GLOBAL)
            check_global(w, u, v, &view[k], bytes);
    SG_NEXT();
}
