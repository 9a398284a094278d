/*
 * mem_interleave.h - access to private memory, which is interleaved by dwords: dword d of lane i lies at
 * base + d * 256 + i * 4. An access with the same offset in every lane (a spill, a stack slot) is a
 * contiguous row of 256 bytes. So it is with wavefronts of 64 lanes; of others mem_view.c does these accesses.
 */
#ifndef SOFT_GPU_ISA_MEM_INTERLEAVE_H
#define SOFT_GPU_ISA_MEM_INTERLEAVE_H

#include "mem_lanes.h"

SG_INLINE bool sg_aligned(uint32_t off, enum sg_mem_elem e)
{
    unsigned bytes = sg_elem_bytes(e);
    return !(off & (bytes < 4 ? bytes - 1 : 3));
}

/* Lane i at p + i * 4, further dwords SG_ROW_BYTES apart. */
SG_INLINE void sg_rows_load(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint8_t *p,
                            enum sg_mem_elem e)
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
        const sg_u32u *q = (const sg_u32u *)(p + k * SG_ROW_BYTES);
        SG_VECTORIZE
        for (unsigned i = 0; i < SG_MAX_LANES; i++)
            d[k][i] = (q[i] & xm[i]) | (d[k][i] & ~xm[i]);
    }
}

SG_INLINE void sg_rows_store(const struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint8_t *p,
                             enum sg_mem_elem e)
{
    if (w->exec == ~0ull && sg_elem_bytes(e) >= 4) {
        for (unsigned k = 0; k < sg_elem_dwords(e); k++)
            memcpy(p + k * SG_ROW_BYTES, src[k], SG_ROW_BYTES);
        return;
    }
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        sg_lane_store(src, i, p + i * 4, e, SG_PRIVATE);
    }
}

/* Bytes from a lane's first to its last touched one. */
SG_INLINE unsigned sg_reach(enum sg_mem_elem e)
{
    return (sg_elem_dwords(e) - 1) * SG_ROW_BYTES + (sg_elem_bytes(e) < 4 ? sg_elem_bytes(e) : 4);
}

/* Turns offsets in private memory into offsets from the wavefront's base.
 * False: unaligned or beyond `limit`. */
SG_INLINE bool sg_interleave(const struct sg_wave *w, const uint32_t *off, uint32_t add, uint64_t limit,
                             enum sg_mem_elem e, uint32_t *out)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t low = bytes < 4 ? bytes - 1 : 3;
    uint32_t bad = 0, max = 0;
    SG_VECTORIZE
    for (uint32_t i = 0; i < SG_MAX_LANES; i++) {
        uint32_t o = (off[i] + add) & w->xm[i];
        bad |= o & low;
        max = o > max ? o : max;
        out[i] = (o >> 2) * SG_ROW_BYTES + i * 4 + (o & 3);
    }
    return !bad && (uint64_t)max + bytes <= limit && max < 1u << 24;
}

SG_INLINE bool sg_private_load(struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], uint64_t base,
                               const uint32_t *off, uint32_t add, uint64_t limit, enum sg_mem_elem e)
{
    if (w->lanes != SG_MAX_LANES)
        return false;
    if (!off || sg_lanes_uniform(off, w->xm, w->exec, SG_MAX_LANES)) {
        uint32_t o = (off ? off[sg_first_lane(w->exec)] : 0) + add;
        if (!sg_aligned(o, e) || (uint64_t)o + sg_elem_bytes(e) > limit)
            return false;
        const uint8_t *p = sg_host(w, base + (uint64_t)(o / 4) * SG_ROW_BYTES,
                                   sg_elem_dwords(e) * SG_ROW_BYTES, SG_RANGE_READ);
        if (p)
            sg_rows_load(w, d, p + o % 4, e);
        return p != NULL;
    }
    uint32_t at[SG_MAX_LANES];
    if (!sg_interleave(w, off, add, limit, e, at))
        return false;
    const uint8_t *host = sg_host_span(w, base, at, sg_reach(e), SG_RANGE_READ, SG_MAX_LANES);
    if (host)
        sg_gather(w, d, host, at, e, SG_PRIVATE, SG_MAX_LANES);
    return host != NULL;
}

SG_INLINE bool sg_private_store(struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint64_t base,
                                const uint32_t *off, uint32_t add, uint64_t limit, enum sg_mem_elem e)
{
    if (w->lanes != SG_MAX_LANES)
        return false;
    if (!off || sg_lanes_uniform(off, w->xm, w->exec, SG_MAX_LANES)) {
        uint32_t o = (off ? off[sg_first_lane(w->exec)] : 0) + add;
        if (!sg_aligned(o, e) || (uint64_t)o + sg_elem_bytes(e) > limit)
            return false;
        uint8_t *p = sg_host(w, base + (uint64_t)(o / 4) * SG_ROW_BYTES, sg_elem_dwords(e) * SG_ROW_BYTES,
                             SG_RANGE_WRITE);
        if (p)
            sg_rows_store(w, src, p + o % 4, e);
        return p != NULL;
    }
    uint32_t at[SG_MAX_LANES];
    if (!sg_interleave(w, off, add, limit, e, at))
        return false;
    uint8_t *host = sg_host_span(w, base, at, sg_reach(e), SG_RANGE_WRITE, SG_MAX_LANES);
    if (host)
        sg_scatter(w, src, host, at, e, SG_PRIVATE, SG_MAX_LANES);
    return host != NULL;
}

#endif
