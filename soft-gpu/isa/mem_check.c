/*
 * mem_check.c - tells the check for races of every LDS access, before it takes place. Which lanes, addresses
 * and values: as for the access log.
 */
#include "code.h"
#include "mem_internal.h"

/* What each lane of a store writes. */
static void spell_out_data(const struct sg_uop *u, sg_rows v, unsigned bytes, uint64_t lanes,
                           uint8_t data[SG_LANES][SG_CHECK_BYTES])
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
    uint8_t data[SG_LANES][SG_CHECK_BYTES];
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
    SG_NEXT();
}
