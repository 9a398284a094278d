/*
 * mem_interleave.h - access to private memory, which is interleaved by dwords: dword d of lane i lies at
 * base + d * 4 * lanes + i * 4. An access with the same offset in every lane (a spill, a stack slot) is a
 * contiguous row.
 */
#ifndef SOFT_GPU_ISA_MEM_INTERLEAVE_H
#define SOFT_GPU_ISA_MEM_INTERLEAVE_H

#include "mem_lanes.h"

SG_INLINE bool sg_aligned(uint32_t off, enum sg_mem_elem e)
{
    unsigned bytes = sg_elem_bytes(e);
    return !(off & (bytes < 4 ? bytes - 1 : 3));
}

SG_INLINE enum sg_place sg_private_place(unsigned lanes)
{
    return lanes == SG_MAX_LANES ? SG_PRIVATE : SG_PRIVATE_HALF;
}

/* Lane i at p + i * 4, further dwords a row apart. */
SG_INLINE void sg_rows_load(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint8_t *p,
                            enum sg_mem_elem e, unsigned lanes)
{
    const uint32_t *xm = w->xm;
    if (sg_elem_bytes(e) < 4) {
        const uint32_t kept = sg_elem_kept(w, e);
        for (uint64_t m = w->exec; m; m &= m - 1) {
            unsigned i = sg_first_lane(m);
            d[0][i] = sg_elem_load(p + i * 4, e) | (d[0][i] & kept);
        }
        return;
    }
    for (unsigned k = 0; k < sg_elem_dwords(e); k++) {
        const sg_u32u *q = (const sg_u32u *)(p + k * 4 * lanes);
        SG_VECTORIZE
        for (unsigned i = 0; i < lanes; i++)
            d[k][i] = (q[i] & xm[i]) | (d[k][i] & ~xm[i]);
    }
}

SG_INLINE void sg_rows_store(const struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint8_t *p,
                             enum sg_mem_elem e, unsigned lanes)
{
    if (sg_all_active(w, lanes) && sg_elem_bytes(e) >= 4) {
        for (unsigned k = 0; k < sg_elem_dwords(e); k++)
            memcpy(p + k * 4 * lanes, src[k], 4 * lanes);
        return;
    }
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        sg_lane_store(src, i, p + i * 4, e, sg_private_place(lanes));
    }
}

/* Bytes from a lane's first to its last touched one. */
SG_INLINE unsigned sg_reach(enum sg_mem_elem e, unsigned lanes)
{
    return (sg_elem_dwords(e) - 1) * 4 * lanes + (sg_elem_bytes(e) < 4 ? sg_elem_bytes(e) : 4);
}

/* Turns offsets in private memory into offsets from the wavefront's base.
 * False: unaligned or beyond `limit`. */
SG_INLINE bool sg_interleave(const struct sg_wave *w, const uint32_t *off, uint32_t add, uint64_t limit,
                             enum sg_mem_elem e, uint32_t *out, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t low = bytes < 4 ? bytes - 1 : 3;
    uint32_t bad = 0, max = 0;
    SG_VECTORIZE
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t o = (off[i] + add) & w->xm[i];
        bad |= o & low;
        max = o > max ? o : max;
        out[i] = (o >> 2) * 4 * lanes + i * 4 + (o & 3);
    }
    return !bad && (uint64_t)max + bytes <= limit && max < 1u << 24;
}

/* Not every micro-operation of wavefronts of 32 lanes has the handler for the lower half (decode/pairs.c): then the rows have another
 * length, and it is done lane by lane. */
SG_INLINE bool sg_private_load(struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], uint64_t base,
                               const uint32_t *off, uint32_t add, uint64_t limit, enum sg_mem_elem e,
                               unsigned lanes)
{
    if (w->lanes != lanes)
        return false;
    if (!off || sg_lanes_uniform(off, w->xm, w->exec, lanes)) {
        uint32_t o = (off ? off[sg_first_lane(w->exec)] : 0) + add;
        if (!sg_aligned(o, e) || (uint64_t)o + sg_elem_bytes(e) > limit)
            return false;
        const uint8_t *p =
            sg_host(w, base + (uint64_t)(o / 4) * 4 * lanes, sg_elem_dwords(e) * 4 * lanes, SG_RANGE_READ);
        if (p)
            sg_rows_load(w, d, p + o % 4, e, lanes);
        return p != NULL;
    }
    uint32_t at[SG_MAX_LANES];
    if (!sg_interleave(w, off, add, limit, e, at, lanes))
        return false;
    const uint8_t *host = sg_host_span(w, base, at, sg_reach(e, lanes), SG_RANGE_READ, lanes);
    if (host)
        sg_gather(w, d, host, at, e, sg_private_place(lanes), lanes);
    return host != NULL;
}

SG_INLINE bool sg_private_store(struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint64_t base,
                                const uint32_t *off, uint32_t add, uint64_t limit, enum sg_mem_elem e,
                                unsigned lanes)
{
    if (w->lanes != lanes)
        return false;
    if (!off || sg_lanes_uniform(off, w->xm, w->exec, lanes)) {
        uint32_t o = (off ? off[sg_first_lane(w->exec)] : 0) + add;
        if (!sg_aligned(o, e) || (uint64_t)o + sg_elem_bytes(e) > limit)
            return false;
        uint8_t *p =
            sg_host(w, base + (uint64_t)(o / 4) * 4 * lanes, sg_elem_dwords(e) * 4 * lanes, SG_RANGE_WRITE);
        if (p)
            sg_rows_store(w, src, p + o % 4, e, lanes);
        return p != NULL;
    }
    uint32_t at[SG_MAX_LANES];
    if (!sg_interleave(w, off, add, limit, e, at, lanes))
        return false;
    uint8_t *host = sg_host_span(w, base, at, sg_reach(e, lanes), SG_RANGE_WRITE, lanes);
    if (host)
        sg_scatter(w, src, host, at, e, sg_private_place(lanes), lanes);
    return host != NULL;
}

/* Handlers of all lanes and of the lower half that try FAST, and else do it lane by lane. */
#define SG_FAST_HANDLERS(NAME, SLOW, FAST, ELEM)                                                             \
    SG_HANDLER(NAME, SLOW, FAST, w, u, v, s, ELEM, SG_MAX_LANES)                                             \
    SG_HANDLER(NAME##_low, SLOW, FAST, w, u, v, s, ELEM, SG_HALF_LANES)                                      \
    SG_LOW(NAME)

#endif
