/*
 * mem_log.c - the ground truth of memory accesses: one record per access of one wavefront instruction, with
 * the addresses as the hardware would see them. Lanes that a bound drops touch nothing and are left out.
 */
#include "mem_format.h"
#include "soft-gpu/isa/log/log.h"
#include "soft-gpu/isa/log/report.h"

/* Addresses as the instruction has them: in flat ones, LDS and scratch lie in apertures. */
static uint64_t own_address(const struct sg_wave *w, const struct sg_uop *u, const struct sg_mem_view *view,
                            unsigned lane)
{
    if (sg_uop_mode(u) != SG_MODE_FLAT || view->space == SG_SPACE_GLOBAL)
        return sg_view_va(view, lane);
    return view->space == SG_SPACE_LDS ? sg_aperture(w, true) + sg_view_va(view, lane)
                                       : sg_aperture(w, false) + view->off[lane];
}

/* Lanes that access something. */
static uint64_t accessing(const struct sg_uop *u, const struct sg_mem_view *view, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned dword = 0; dword * 4 < bytes; dword++)
        mask |= view->ok[dword];
    mask &= view->mask & ~view->bad;
    return u->flags & SG_MF_FIRST_LANE ? mask & -mask : mask;
}

static void report(struct sg_wave *w, const struct sg_uop *u, const struct sg_mem_view view[3], unsigned n,
                   unsigned bytes)
{
    const bool lds_tid = sg_uop_mode(u) == SG_MODE_LDS_TID, part = u->flags >> SG_LOG_PART_SHIFT & 1;
    uint64_t addr[SG_MAX_LANES], all = 0;
    for (unsigned k = 0; k < n; k++) {
        const uint64_t mask = accessing(u, &view[k], bytes);
        for (uint64_t m = mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            addr[lane] = own_address(w, u, &view[k], lane);
        }
        all |= mask;
    }
    const bool scratch = n == 1 && view[0].space == SG_SPACE_SCRATCH && sg_uop_mode(u) == SG_MODE_BUFFER;
    if (all)
        sg_report_access(w, u, part || lds_tid, scratch, bytes, all, addr);
}

int sg_uop_log(SG_ARGS)
{
    struct sg_mem_view view[3];
    uint64_t addr[SG_MAX_LANES];
    const enum sg_access_kind kind = (enum sg_access_kind)(u->flags >> SG_LOG_KIND_SHIFT & 3);
    unsigned bytes = u->flags >> SG_LOG_BYTES_SHIFT & 0x1f, part = u->flags >> SG_LOG_PART_SHIFT & 1;
    if (!bytes) /* formatted: the V# tells */
        bytes = sg_format_bytes(w, u, s);
    const unsigned n = sg_mem_views(w, u, v, s, bytes, view);
    if (w->report.to)
        report(w, u, view, n, bytes);
    for (unsigned k = 0; w->log && k < n; k++) {
        const uint64_t mask = accessing(u, &view[k], bytes);
        for (uint64_t m = mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            addr[lane] = sg_view_va(&view[k], lane);
        }
        if (mask)
            sg_log_access(w, u, kind, view[k].space, bytes, part, mask, addr);
    }
    SG_NEXT();
}
