/*
 * mem_log.c - the ground truth of memory accesses: one record per access of one wavefront instruction, with
 * the addresses as the hardware would see them. Lanes that a bound drops touch nothing and are left out.
 */
#include "mem_format.h"

int sg_uop_log(SG_ARGS)
{
    struct sg_mem_view view[3];
    uint64_t addr[SG_LANES];
    const enum sg_access_kind kind = (enum sg_access_kind)(u->flags >> SG_LOG_KIND_SHIFT & 3);
    unsigned bytes = u->flags >> SG_LOG_BYTES_SHIFT & 0x1f, part = u->flags >> SG_LOG_PART_SHIFT & 1;
    if (!bytes) /* formatted: the V# tells */
        bytes = sg_format_bytes(u, s);
    const unsigned n = sg_mem_views(w, u, v, s, bytes, view);
    for (unsigned k = 0; k < n; k++) {
        uint64_t mask = 0;
        for (unsigned dword = 0; dword * 4 < bytes; dword++)
            mask |= view[k].ok[dword];
        mask &= view[k].mask & ~view[k].bad;
        if (u->flags & SG_MF_FIRST_LANE)
            mask &= -mask;
        for (uint64_t m = mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            addr[lane] = sg_view_va(&view[k], lane);
        }
        if (mask)
            sg_log_access(w, u, kind, view[k].space, bytes, part, mask, addr);
    }
    SG_NEXT();
}
