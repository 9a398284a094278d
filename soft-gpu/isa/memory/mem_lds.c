/*
 * mem_lds.c - ds_read*, ds_write* of all widths, and their "2" forms. A work-group runs on one thread, so LDS
 * is plain memory. Addresses beyond the work-group's allocation take the slow path, which reads 0 there.
 */
#include "mem_lanes.h"

/* Host pointer such that lane i's data is at the result + off[i]; NULL when a lane is out of bounds. */
SG_INLINE uint8_t *lds_span(const struct sg_wave *w, const uint32_t *off, uint32_t imm, unsigned bytes,
                            unsigned lanes)
{
    if ((uint64_t)sg_lanes_max(off, w->xm, lanes) + imm + bytes > w->wg->lds_bytes)
        return NULL;
    return w->wg->lds + imm;
}

/* True when a block of `lanes` elements from `first` lies in LDS, also the part of inactive lanes. */
SG_INLINE bool block_inside(const struct sg_wave *w, uint32_t first, uint32_t imm, unsigned bytes,
                            unsigned lanes)
{
    return (uint64_t)first + imm + lanes * bytes <= w->wg->lds_bytes;
}

SG_INLINE bool lds_read(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint32_t *off,
                        uint32_t imm, enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    uint32_t first;
    if (sg_lanes_contiguous(off, w->xm, w->exec, bytes, &first, lanes) &&
        block_inside(w, first, imm, bytes, lanes)) {
        sg_block_load(w, d, w->wg->lds + first + imm, e, SG_OWN_LDS, lanes);
        return true;
    }
    if (sg_all_active(w, lanes) && bytes >= 4) {
        const struct sg_eights x = sg_eights(off, bytes, lanes);
        if ((uint64_t)x.hi + imm + bytes > w->wg->lds_bytes)
            return false;
        if (!sg_gather_eights(d, w->wg->lds + imm, off, e, x.step, lanes))
            sg_gather(w, d, w->wg->lds + imm, off, e, SG_OWN_LDS, lanes);
        return true;
    }
    const uint8_t *host = lds_span(w, off, imm, bytes, lanes);
    if (!host)
        return false;
    if (sg_lanes_uniform(off, w->xm, w->exec, lanes))
        sg_broadcast(w, d, host + off[sg_first_lane(w->exec)], e, SG_OWN_LDS, lanes);
    else
        sg_gather(w, d, host, off, e, SG_OWN_LDS, lanes);
    return true;
}

SG_INLINE bool lds_write(const struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], const uint32_t *off,
                         uint32_t imm, enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    uint32_t first;
    if (sg_lanes_contiguous(off, w->xm, w->exec, bytes, &first, lanes) &&
        block_inside(w, first, imm, bytes, lanes)) {
        sg_block_store(w, src, w->wg->lds + first + imm, e, SG_OWN_LDS, lanes);
        return true;
    }
    uint8_t *host = lds_span(w, off, imm, bytes, lanes);
    if (!host)
        return false;
    sg_scatter(w, src, host, off, e, SG_OWN_LDS, lanes);
    return true;
}

/* Code generation makes addresses such as `a[i - n]` of a register below 0 and an offset, whose sum wraps to a place
 * in LDS (on all GPUs after Southern Islands: isDSOffsetLegal of LLVM). Then the sums are the offsets: in `at`, true. */
static bool wrapped(const uint32_t *off, uint32_t imm, uint32_t *at)
{
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        at[i] = off[i] + imm;
    return imm != 0;
}

#define READ_HANDLER(NAME, ELEM)                                                                             \
    static __attribute__((noinline)) bool wrapped_read_##NAME(                                               \
        const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint32_t *off, uint32_t imm)             \
    {                                                                                                        \
        uint32_t at[SG_MAX_LANES];                                                                           \
        return wrapped(off, imm, at) && lds_read(w, d, at, 0, ELEM, SG_MAX_LANES);                           \
    }                                                                                                        \
    READ_HANDLER_OF(lds_read_##NAME, SG_MAX_LANES, NAME, ELEM)                                               \
    READ_HANDLER_OF(lds_read_##NAME##_low, SG_HALF_LANES, NAME, ELEM) SG_LOW(lds_read_##NAME)
#define READ_HANDLER_OF(HANDLER, LANES, NAME, ELEM)                                                          \
    static int HANDLER(SG_ARGS)                                                                              \
    {                                                                                                        \
        if (w->exec && !lds_read(w, &v[u->d], v[u->a], (uint32_t)u->imm, ELEM, LANES) &&                     \
            !wrapped_read_##NAME(w, &v[u->d], v[u->a], (uint32_t)u->imm)) {                                  \
            int stop = sg_mem_slow_load(w, u, v, s);                                                         \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define WRITE_HANDLER(NAME, ELEM)                                                                            \
    static __attribute__((noinline)) bool wrapped_write_##NAME(                                              \
        const struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], const uint32_t *off, uint32_t imm)           \
    {                                                                                                        \
        uint32_t at[SG_MAX_LANES];                                                                           \
        return wrapped(off, imm, at) && lds_write(w, src, at, 0, ELEM, SG_MAX_LANES);                        \
    }                                                                                                        \
    WRITE_HANDLER_OF(lds_write_##NAME, SG_MAX_LANES, NAME, ELEM)                                             \
    WRITE_HANDLER_OF(lds_write_##NAME##_low, SG_HALF_LANES, NAME, ELEM) SG_LOW(lds_write_##NAME)
#define WRITE_HANDLER_OF(HANDLER, LANES, NAME, ELEM)                                                         \
    static int HANDLER(SG_ARGS)                                                                              \
    {                                                                                                        \
        if (w->exec && !lds_write(w, &v[u->b], v[u->a], (uint32_t)u->imm, ELEM, LANES) &&                    \
            !wrapped_write_##NAME(w, &v[u->b], v[u->a], (uint32_t)u->imm)) {                                 \
            int stop = sg_mem_slow_store(w, u, v, s);                                                        \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }

SG_LOAD_ELEMS(READ_HANDLER)
SG_STORE_ELEMS(WRITE_HANDLER)

#define READ_ENTRY(NAME, ELEM) [ELEM] = lds_read_##NAME,
#define WRITE_ENTRY(NAME, ELEM) [ELEM] = lds_write_##NAME,
const sg_fn sg_lds_loads[SG_ELEMS] = {SG_LOAD_ELEMS(READ_ENTRY)};
const sg_fn sg_lds_stores[SG_ELEMS] = {SG_STORE_ELEMS(WRITE_ENTRY)};

/* ---- read2, write2 ---- */

static int slow_read2(SG_ARGS)
{
    struct sg_mem_view view[2];
    struct sg_uop second = *u;
    const unsigned n = sg_elem_dwords(sg_uop_elem(u));
    second.imm = (int32_t)u->x;
    sg_mem_views(w, u, v, s, 4 * n, &view[0]); /* both before any write: the address row may be overwritten */
    sg_mem_views(w, &second, v, s, 4 * n, &view[1]);
    for (unsigned part = 0; part < 2; part++)
        for (uint64_t m = view[part].mask; m; m &= m - 1) {
            unsigned lane = sg_first_lane(m);
            uint32_t data[2] = {0};
            uint64_t va;
            sg_view_read(w, &view[part], lane, data, 4 * n, &va); /* LDS: cannot fault */
            for (unsigned k = 0; k < n; k++)
                v[u->d + part * n + k][lane] = data[k];
        }
    return 0;
}

static int slow_write2(SG_ARGS)
{
    struct sg_uop part = *u;
    int stop = sg_mem_slow_store(w, u, v, s);
    if (stop)
        return stop;
    part.imm = (int32_t)u->x;
    part.b = u->c;
    return sg_mem_slow_store(w, &part, v, s);
}

SG_INLINE void lane_read2(uint32_t (*d)[SG_MAX_LANES], unsigned i, const uint8_t *p, const uint8_t *q,
                          unsigned n)
{
    uint32_t t[4];
    for (unsigned k = 0; k < n; k++) {
        t[k] = ((const sg_u32u *)p)[k];
        t[n + k] = ((const sg_u32u *)q)[k];
    }
    for (unsigned k = 0; k < 2 * n; k++)
        d[k][i] = t[k];
}

/* All lanes. A lane's address is read before its destination is written, for the address row may be a
 * destination row: each group of lanes is finished before the next. */
SG_INLINE bool lds_read2_all(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint32_t *off,
                             uint32_t o1, uint32_t o2, enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e), n = sg_elem_dwords(e);
    const struct sg_eights x = sg_eights(off, bytes, lanes);
    const uint8_t *first = w->wg->lds + o1, *second = w->wg->lds + o2;
    if ((uint64_t)x.hi + (o1 > o2 ? o1 : o2) + bytes > w->wg->lds_bytes)
        return false;
    if (x.step == 0) {
        for (unsigned g = 0; g < lanes; g += 8) {
            const uint32_t o = off[g];
            sg_load_eight(d, g, first + o, n, 0);
            sg_load_eight(d + n, g, second + o, n, 0);
        }
    } else if (x.step != SG_NO_STEP) {
        for (unsigned g = 0; g < lanes; g += 8) {
            const uint32_t o = off[g];
            sg_load_eight(d, g, first + o, n, 4);
            sg_load_eight(d + n, g, second + o, n, 4);
        }
    } else if (o2 == o1 + bytes) {
        sg_gather(w, d, first, off, e == SG_ELEM_B32 ? SG_ELEM_B64 : SG_ELEM_B128, SG_OWN_LDS, lanes);
    } else {
        for (unsigned i = 0; i < lanes; i++)
            lane_read2(d, i, first + off[i], second + off[i], n);
    }
    return true;
}

/* The lane's address is read before its destination is written: the address row may be a destination row. */
SG_INLINE bool lds_read2(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, enum sg_mem_elem e,
                         unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e), n = sg_elem_dwords(e);
    const uint32_t *off = v[u->a];
    const uint32_t o1 = (uint32_t)u->imm, o2 = u->x, top = o1 > o2 ? o1 : o2;
    uint32_t (*d1)[SG_MAX_LANES] = &v[u->d], (*d2)[SG_MAX_LANES] = &v[u->d + n];
    uint32_t first;
    if (o2 == o1 + bytes && sg_lanes_contiguous(off, w->xm, w->exec, 2 * bytes, &first, lanes) &&
        block_inside(w, first, o1, 2 * bytes, lanes)) {
        sg_block_load(w, d1, w->wg->lds + first + o1, e == SG_ELEM_B32 ? SG_ELEM_B64 : SG_ELEM_B128,
                      SG_OWN_LDS, lanes);
        return true;
    }
    if (sg_lanes_contiguous(off, w->xm, w->exec, bytes, &first, lanes) &&
        block_inside(w, first, top, bytes, lanes)) {
        sg_block_load(w, d1, w->wg->lds + first + o1, e, SG_OWN_LDS, lanes);
        sg_block_load(w, d2, w->wg->lds + first + o2, e, SG_OWN_LDS, lanes);
        return true;
    }
    if (sg_all_active(w, lanes))
        return lds_read2_all(w, d1, off, o1, o2, e, lanes);
    const uint8_t *lds = lds_span(w, off, top, bytes, lanes);
    if (!lds)
        return false;
    lds -= top;
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        lane_read2(d1, i, lds + off[i] + o1, lds + off[i] + o2, n);
    }
    return true;
}

/* The first access happens in all lanes before the second. */
SG_INLINE bool lds_write2(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, enum sg_mem_elem e,
                          unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t *off = v[u->a];
    const uint32_t o1 = (uint32_t)u->imm, o2 = u->x, top = o1 > o2 ? o1 : o2;
    uint32_t first;
    if (sg_lanes_contiguous(off, w->xm, w->exec, bytes, &first, lanes) &&
        block_inside(w, first, top, bytes, lanes)) {
        sg_block_store(w, &v[u->b], w->wg->lds + first + o1, e, SG_OWN_LDS, lanes);
        sg_block_store(w, &v[u->c], w->wg->lds + first + o2, e, SG_OWN_LDS, lanes);
        return true;
    }
    uint8_t *lds = lds_span(w, off, top, bytes, lanes);
    if (!lds)
        return false;
    lds -= top;
    sg_scatter(w, &v[u->b], lds + o1, off, e, SG_OWN_LDS, lanes);
    sg_scatter(w, &v[u->c], lds + o2, off, e, SG_OWN_LDS, lanes);
    return true;
}

#define PAIR_HANDLERS(NAME, ELEM)                                                                            \
    READ2_HANDLER(sg_lds_read2_##NAME, SG_MAX_LANES, ELEM)                                                   \
    static READ2_HANDLER(sg_lds_read2_##NAME##_low, SG_HALF_LANES, ELEM)                                     \
        WRITE2_HANDLER(sg_lds_write2_##NAME, SG_MAX_LANES, ELEM) static WRITE2_HANDLER(                      \
            sg_lds_write2_##NAME##_low, SG_HALF_LANES, ELEM) SG_LOW(sg_lds_write2_##NAME)
#define READ2_HANDLER(NAME, LANES, ELEM)                                                                     \
    int NAME(SG_ARGS)                                                                                        \
    {                                                                                                        \
        if (w->exec && !lds_read2(w, u, v, ELEM, LANES)) {                                                   \
            int stop = slow_read2(w, u, v, s);                                                               \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define WRITE2_HANDLER(NAME, LANES, ELEM)                                                                    \
    int NAME(SG_ARGS)                                                                                        \
    {                                                                                                        \
        if (w->exec && !lds_write2(w, u, v, ELEM, LANES)) {                                                  \
            int stop = slow_write2(w, u, v, s);                                                              \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }

PAIR_HANDLERS(b32, SG_ELEM_B32)
PAIR_HANDLERS(b64, SG_ELEM_B64)
SG_LOW(sg_lds_read2_b64)

/* Wavefronts of 32 lanes that read dwords in lane order, in eights: code for tiles has many such reads behind each other, by
 * one row of addresses, which is looked at once. All else goes on in the handler for all cases. */
static int read2_b32_eights(SG_ARGS)
{
    const sg_fn self = u->fn;
    const unsigned a = u->a;
    const uint32_t *off = v[a];
    if (!sg_all_active(w, SG_HALF_LANES)) __attribute__
        ((musttail)) return sg_lds_read2_b32_low(w, u, v, s);
    const struct sg_eights x = sg_eights(off, 4, SG_HALF_LANES);
    if (x.step != 4) __attribute__
        ((musttail)) return sg_lds_read2_b32_low(w, u, v, s);
    const uint32_t at[] = {off[0], off[8], off[16], off[24]};
    bool kept;
    do {
        const uint32_t o1 = (uint32_t)u->imm, o2 = u->x;
        const uint8_t *first = w->wg->lds + o1, *second = w->wg->lds + o2;
        uint32_t *d1 = v[u->d], *d2 = v[u->d + 1];
        if ((uint64_t)x.hi + (o1 > o2 ? o1 : o2) + 4 > w->wg->lds_bytes) __attribute__
            ((musttail)) return sg_lds_read2_b32_low(w, u, v, s);
        for (unsigned k = 0; k < 4; k++) {
            *(sg_v8u *)&d1[8 * k] = *(const sg_v8p *)(first + at[k]);
            *(sg_v8u *)&d2[8 * k] = *(const sg_v8p *)(second + at[k]);
        }
        kept = u->d != a && u->d + 1u != a;
        u++;
    } while (kept && u->fn == self && u->a == a);
    SG_GOTO(u);
}
SG_LOW_IS(sg_lds_read2_b32, read2_b32_eights)

/* ---- Addressed by M0 and the lane number: addtid forms, loads from memory into LDS ---- */

/* The block of all lanes, when lanes follow each other without gaps and all of it is inside; else NULL. */
static uint8_t *tid_block(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s)
{
    uint64_t at = (uint64_t)(s[SG_S_M0] & u->x) + (uint64_t)(int64_t)u->imm;
    if (u->a != sg_elem_bytes(sg_uop_elem(u)) || at + 64u * u->a > w->wg->lds_bytes)
        return NULL;
    return w->wg->lds + at;
}

int sg_lds_tid_load(SG_ARGS)
{
    const uint8_t *p = tid_block(w, u, s);
    if (p && sg_uop_elem(u) == SG_ELEM_B32)
        sg_block_load(w, &v[u->d], p, SG_ELEM_B32, SG_OWN_LDS, SG_MAX_LANES);
    else
        sg_mem_slow_load(w, u, v, s); /* LDS: cannot fault */
    SG_NEXT();
}

int sg_lds_tid_store(SG_ARGS)
{
    uint8_t *p = tid_block(w, u, s);
    if (p && sg_uop_elem(u) == SG_ELEM_B32)
        sg_block_store(w, &v[u->b], p, SG_ELEM_B32, SG_OWN_LDS, SG_MAX_LANES);
    else if (p && sg_uop_elem(u) == SG_ELEM_B128)
        sg_block_store(w, &v[u->b], p, SG_ELEM_B128, SG_OWN_LDS, SG_MAX_LANES);
    else
        sg_mem_slow_store(w, u, v, s);
    SG_NEXT();
}
