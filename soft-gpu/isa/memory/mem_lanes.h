/*
 * mem_lanes.h - moving rows between registers and host memory once the lanes' places are known as
 * "host pointer + 32-bit offset of the lane". The loops are written for the vectoriser: contiguous lanes are
 * one block copy (with a transpose for wide elements), a uniform address is a broadcast, the rest a lane
 * loop.
 */
#ifndef SOFT_GPU_ISA_MEM_LANES_H
#define SOFT_GPU_ISA_MEM_LANES_H

#include "mem_block.h"

/* How all lanes lie when looked at in groups of 8, as rows of two-dimensional blocks do: `step` bytes from
 * lane to lane in every group - 0 or the element's size - or SG_NO_STEP;
 * and the least and greatest offset. */
enum { SG_NO_STEP = -1 };
struct sg_eights {
    int step;
    uint32_t lo, hi;
};
SG_INLINE struct sg_eights sg_eights(const uint32_t *off, unsigned size, unsigned lanes)
{
    const sg_v8 count = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint32_t step = off[1] - off[0];
    const sg_v8 expect = count * step;
    sg_v8 bad = {0}, lo = *(const sg_v8u *)off, hi = lo;
    for (unsigned g = 0; g < lanes; g += 8) {
        const sg_v8 o = *(const sg_v8u *)&off[g];
        bad |= (o - off[g]) ^ expect;
        lo = __builtin_elementwise_min(lo, o);
        hi = __builtin_elementwise_max(hi, o);
    }
    const bool regular = (step == 0 || step == size) && !__builtin_reduce_or(bad);
    return (struct sg_eights){regular ? (int)step : SG_NO_STEP, __builtin_reduce_min(lo),
                              __builtin_reduce_max(hi)};
}

/* Lanes g..g+7 of n dwords each from p: the same for all (step 0), or one lane after the other. */
SG_INLINE void sg_load_eight(uint32_t (*d)[SG_MAX_LANES], unsigned g, const uint8_t *p, unsigned n, int step)
{
    const sg_u32u *q = (const sg_u32u *)p;
    if (step == 0 && n > 1) {
        const sg_v4 x = sg_whole_load(p, n);
        for (unsigned k = 0; k < n; k++)
            *(sg_v8u *)&d[k][g] = (sg_v8){0} + x[k];
    } else if (step == 0) {
        *(sg_v8u *)&d[0][g] = (sg_v8){0} + *q;
    } else if (n == 1) {
        memcpy(&d[0][g], p, 32);
    } else if (n == 2) {
        sg_v8 a = *(const sg_v8p *)p, b = *(const sg_v8p *)(p + 32);
        *(sg_v8u *)&d[0][g] = SG_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
        *(sg_v8u *)&d[1][g] = SG_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
    } else if (n == 4) {
        const uint8_t *at[8];
        for (unsigned k = 0; k < 8; k++)
            at[k] = p + 16 * k;
        sg_load128x8(d, g, at);
    }
}

/* All lanes of dword multiples when they lie in regular eights; else false. `off` may be a destination row:
 * a group's place is read before the group is written. */
SG_INLINE bool sg_gather_eights(uint32_t (*d)[SG_MAX_LANES], const uint8_t *host, const uint32_t *off,
                                enum sg_mem_elem e, int step, unsigned lanes)
{
    const unsigned n = sg_elem_dwords(e);
    if (step == SG_NO_STEP || sg_elem_bytes(e) < 4 || e == SG_ELEM_B96)
        return false;
    if (step == 0)
        for (unsigned g = 0; g < lanes; g += 8)
            sg_load_eight(d, g, host + off[g], n, 0);
    else
        for (unsigned g = 0; g < lanes; g += 8)
            sg_load_eight(d, g, host + off[g], n, 4);
    return true;
}

/* Active lanes from host + off[lane]. `off` may be one of the
 * destination rows: each lane reads its offset before anything of that lane is written. */
SG_INLINE void sg_gather(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint8_t *host,
                         const uint32_t *off, enum sg_mem_elem e, enum sg_place place, unsigned lanes)
{
    if (sg_all_active(w, lanes)) {
        if (e == SG_ELEM_B128 && sg_pitch(place) == 4) {
            for (unsigned i = 0; i < lanes; i += 8) {
                const uint8_t *at[8];
                for (unsigned k = 0; k < 8; k++)
                    at[k] = host + off[i + k];
                sg_load128x8(d, i, at);
            }
            return;
        }
        if (e == SG_ELEM_B64 && sg_pitch(place) == 4) {
            for (unsigned i = 0; i < lanes; i += 4)
                sg_load64x4(d, i, host, off);
            return;
        }
        _Pragma("clang loop vectorize(disable) unroll_count(4)") for (unsigned i = 0; i < lanes; i++)
            sg_lane_load(w, d, i, host + off[i], e, place);
        return;
    }
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        sg_lane_load(w, d, i, host + off[i], e, place);
    }
}

/* Active lanes to host + off[lane], in lane order: the highest lane wins where they collide. */
SG_INLINE void sg_scatter(const struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint8_t *host,
                          const uint32_t *off, enum sg_mem_elem e, enum sg_place place, unsigned lanes)
{
    if (sg_all_active(w, lanes)) {
        if (e == SG_ELEM_B128 && sg_pitch(place) == 4) {
            for (unsigned i = 0; i < lanes; i += 8) {
                uint8_t *at[8];
                for (unsigned k = 0; k < 8; k++)
                    at[k] = host + off[i + k];
                sg_store128x8(src, i, at);
            }
            return;
        }
        if (e == SG_ELEM_B32 && sg_pitch(place) == 4 && sg_eights(off, 4, lanes).step > 0) {
            for (unsigned g = 0; g < lanes; g += 8)
                sg_store_dwords(host + off[g], &src[0][g], 8);
            return;
        }
        _Pragma("clang loop vectorize(disable) unroll_count(4)") for (unsigned i = 0; i < lanes; i++)
            sg_lane_store(src, i, host + off[i], e, place);
        return;
    }
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        sg_lane_store(src, i, host + off[i], e, place);
    }
}

/* All lanes from one place. */
SG_INLINE void sg_broadcast(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint8_t *p,
                            enum sg_mem_elem e, enum sg_place place, unsigned lanes)
{
    const unsigned n = sg_elem_dwords(e);
    const uint32_t *xm = w->xm;
    if (sg_elem_bytes(e) < 4) {
        const uint32_t kept = sg_elem_kept(w, e);
        SG_VECTORIZE
        for (unsigned i = 0; i < lanes; i++)
            d[0][i] = (sg_elem_load(p, e) & xm[i]) | (d[0][i] & (kept | ~xm[i]));
        return;
    }
    sg_v4 x = {0};
    if (n > 1 && place == SG_SHARED)
        x = sg_whole_load(p, n);
    else
        for (unsigned k = 0; k < n; k++)
            x[k] = ((const sg_u32u *)p)[k];
    for (unsigned k = 0; k < n; k++) {
        const uint32_t value = x[k];
        SG_VECTORIZE
        for (unsigned i = 0; i < lanes; i++)
            d[k][i] = (value & xm[i]) | (d[k][i] & ~xm[i]);
    }
}

/* ---- Loads and stores at GPU address base + off[lane]. False: not covered here, nothing was done. ---- */

/* The part [va, va+size) of a range in host memory when the range has the given SG_RANGE_* permission, or NULL. */
SG_INLINE uint8_t *sg_host_in(const struct sg_range *r, uint64_t va, uint64_t size, uint32_t need)
{
    if (!r || !(r->flags & need) || r->hi - va < size)
        return NULL;
    return (uint8_t *)(uintptr_t)(va + (uint64_t)r->delta);
}

/* Host pointer for [va, va+size) with the given SG_RANGE_* permission, or NULL. */
SG_INLINE uint8_t *sg_host(struct sg_wave *w, uint64_t va, uint64_t size, uint32_t need)
{
    return sg_host_in(sg_tlb_range(w->tlb, va), va, size, need);
}

/* Host pointer H such that lane i is at H + off[i], when all active lanes lie in one range; else NULL. */
SG_INLINE uint8_t *sg_host_span(struct sg_wave *w, uint64_t base, const uint32_t *off, unsigned bytes,
                                uint32_t need, unsigned lanes)
{
    uint32_t min, max;
    sg_lanes_span(off, w->xm, &min, &max, lanes);
    uint8_t *p = sg_host(w, base + min, (uint64_t)(max - min) + bytes, need);
    return p ? p - min : NULL;
}

SG_INLINE bool sg_va_load(struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], uint64_t base, const uint32_t *off,
                          enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    uint32_t first;
    if (sg_lanes_contiguous(off, w->xm, w->exec, bytes, &first, lanes)) {
        const uint8_t *p = sg_host(w, base + first, lanes * bytes, SG_RANGE_READ);
        if (p) {
            sg_block_load(w, d, p, e, SG_SHARED, lanes);
            return true;
        }
    } else if (sg_lanes_uniform(off, w->xm, w->exec, lanes)) {
        const uint8_t *p = sg_host(w, base + off[sg_first_lane(w->exec)], bytes, SG_RANGE_READ);
        if (p) {
            sg_broadcast(w, d, p, e, SG_SHARED, lanes);
            return true;
        }
        return false;
    }
    if (sg_all_active(w, lanes)) {
        const struct sg_eights x = sg_eights(off, bytes, lanes);
        const uint8_t *p = sg_host(w, base + x.lo, (uint64_t)(x.hi - x.lo) + bytes, SG_RANGE_READ);
        if (!p)
            return false;
        if (!sg_gather_eights(d, p - x.lo, off, e, x.step, lanes))
            sg_gather(w, d, p - x.lo, off, e, SG_SHARED, lanes);
        return true;
    }
    const uint8_t *host = sg_host_span(w, base, off, bytes, SG_RANGE_READ, lanes);
    if (!host)
        return false;
    sg_gather(w, d, host, off, e, SG_SHARED, lanes);
    return true;
}

SG_INLINE bool sg_va_store(struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint64_t base,
                           const uint32_t *off, enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    uint32_t first;
    if (sg_lanes_contiguous(off, w->xm, w->exec, bytes, &first, lanes)) {
        uint8_t *p = sg_host(w, base + first, lanes * bytes, SG_RANGE_WRITE);
        if (p) {
            sg_block_store(w, src, p, e, SG_SHARED, lanes);
            return true;
        }
    }
    uint8_t *host = sg_host_span(w, base, off, bytes, SG_RANGE_WRITE, lanes);
    if (!host)
        return false;
    sg_scatter(w, src, host, off, e, SG_SHARED, lanes);
    return true;
}

/* A handler that tries HOW, and else does it lane by lane. */
#define SG_HANDLER(NAME, SLOW, HOW, ...)                                                                     \
    static int NAME(SG_ARGS)                                                                                 \
    {                                                                                                        \
        if (w->exec && !HOW(__VA_ARGS__)) {                                                                  \
            int stop = SLOW(w, u, v, s);                                                                     \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }

#endif
