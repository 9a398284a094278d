/*
 * mem_block.h - what mem_lanes.h is made of: how lanes lie, wide elements by transposes, blocks of 64
 * elements that follow each other, single lanes.
 *
 * A 32-bit access is one machine instruction, so flags that a kernel or the host polls are never torn, and a
 * store writes each dword once, so a flag that the host has taken and cleared does not come back. Wider ones
 * to shared memory: see mem_whole.h.
 */
#ifndef SOFT_GPU_ISA_MEM_BLOCK_H
#define SOFT_GPU_ISA_MEM_BLOCK_H

#include "mem_internal.h"
#include "mem_whole.h"

/* Vectorising is wanted, not required: it fails with low optimisation and with sanitizers. */
#pragma clang diagnostic ignored "-Wpass-failed"

#define SG_INLINE static inline __attribute__((always_inline))
#define SG_VECTORIZE _Pragma("clang loop vectorize(assume_safety) interleave(disable)")

/* The elements that have handlers, for tables: X(name, element). */
#define SG_LOAD_ELEMS(X)                                                                                     \
    X(b32, SG_ELEM_B32)                                                                                      \
    X(b64, SG_ELEM_B64)                                                                                      \
    X(b96, SG_ELEM_B96)                                                                                      \
    X(b128, SG_ELEM_B128)                                                                                    \
    X(u8, SG_ELEM_U8)                                                                                        \
    X(s8, SG_ELEM_S8)                                                                                        \
    X(u16, SG_ELEM_U16)                                                                                      \
    X(s16, SG_ELEM_S16)                                                                                      \
    X(u8_lo, SG_ELEM_U8_LO)                                                                                  \
    X(u8_hi, SG_ELEM_U8_HI)                                                                                  \
    X(s8_lo, SG_ELEM_S8_LO)                                                                                  \
    X(s8_hi, SG_ELEM_S8_HI)                                                                                  \
    X(b16_lo, SG_ELEM_B16_LO)                                                                                \
    X(b16_hi, SG_ELEM_B16_HI)
#define SG_STORE_ELEMS(X)                                                                                    \
    X(b32, SG_ELEM_B32)                                                                                      \
    X(b64, SG_ELEM_B64)                                                                                      \
    X(b96, SG_ELEM_B96)                                                                                      \
    X(b128, SG_ELEM_B128)                                                                                    \
    X(u8, SG_ELEM_U8)                                                                                        \
    X(u16, SG_ELEM_U16)                                                                                      \
    X(u8_hi, SG_ELEM_U8_HI)                                                                                  \
    X(b16_hi, SG_ELEM_B16_HI)

/* Whose memory an access is to. */
enum sg_place {
    SG_SHARED,       /* others look at it meanwhile */
    SG_OWN_LDS,      /* only this engine thread does */
    SG_PRIVATE,      /* so, too, and the dwords of one lane lie a row of all lanes apart */
    SG_PRIVATE_HALF, /* so, too, of wavefronts of 32 lanes */
};

/* Bytes from a dword of one lane to its next. */
SG_INLINE unsigned sg_pitch(enum sg_place place)
{
    return place == SG_PRIVATE ? 4 * SG_MAX_LANES : place == SG_PRIVATE_HALF ? 4 * SG_HALF_LANES : 4;
}

/* `lanes`, here and in mem_lanes.h: so many of a row are looked at, a constant: all, or the lower half, which is all
 * that wavefronts of 32 lanes have. */

SG_INLINE unsigned sg_first_lane(uint64_t exec)
{
    return (unsigned)__builtin_ctzll(exec);
}

SG_INLINE unsigned sg_last_lane(uint64_t exec)
{
    return 63 - (unsigned)__builtin_clzll(exec);
}

/* True when active lanes lie `size` bytes apart in lane order, without wrapping in 32 bits; *first is lane
 * 0's offset then, be lane 0 active or not. */
SG_INLINE bool sg_lanes_contiguous(const uint32_t *off, const uint32_t *xm, uint64_t exec, uint32_t size,
                                   uint32_t *first, unsigned lanes)
{
    unsigned f = sg_first_lane(exec), l = sg_last_lane(exec);
    uint32_t o = off[f] - f * size, bad = 0;
    if (off[l] - off[f] != (l - f) * size || o > UINT32_MAX - lanes * size) /* o may have wrapped below 0 */
        return false;
    *first = o;
    SG_VECTORIZE
    for (uint32_t i = 0; i < lanes; i++)
        bad |= (off[i] - (o + i * size)) & xm[i];
    return !bad;
}

SG_INLINE bool sg_lanes_uniform(const uint32_t *off, const uint32_t *xm, uint64_t exec, unsigned lanes)
{
    uint32_t o = off[sg_first_lane(exec)], bad = 0;
    if (off[sg_last_lane(exec)] != o)
        return false;
    SG_VECTORIZE
    for (unsigned i = 0; i < lanes; i++)
        bad |= (off[i] ^ o) & xm[i];
    return !bad;
}

/* Smallest and largest offset of active lanes. */
SG_INLINE void sg_lanes_span(const uint32_t *off, const uint32_t *xm, uint32_t *min, uint32_t *max,
                             unsigned lanes)
{
    uint32_t lo = UINT32_MAX, hi = 0;
    SG_VECTORIZE
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t a = off[i] | ~xm[i], b = off[i] & xm[i];
        lo = a < lo ? a : lo;
        hi = b > hi ? b : hi;
    }
    *min = lo;
    *max = hi;
}

SG_INLINE uint32_t sg_lanes_max(const uint32_t *off, const uint32_t *xm, unsigned lanes)
{
    uint32_t hi = 0;
    SG_VECTORIZE
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t b = off[i] & xm[i];
        hi = b > hi ? b : hi;
    }
    return hi;
}

typedef uint32_t sg_v8 __attribute__((vector_size(32)));
typedef uint32_t sg_v8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t sg_v8p __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t sg_d2 __attribute__((vector_size(16)));

#define SG_SHUFFLE __builtin_shufflevector

/* 4x4 transpose in each half of eight lanes. */
SG_INLINE void sg_transpose(sg_v8 a, sg_v8 b, sg_v8 c, sg_v8 d, sg_v8 out[4])
{
    sg_v8 ab0 = SG_SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
          ab1 = SG_SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    sg_v8 cd0 = SG_SHUFFLE(c, d, 0, 8, 1, 9, 4, 12, 5, 13),
          cd1 = SG_SHUFFLE(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = SG_SHUFFLE(ab0, cd0, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SG_SHUFFLE(ab0, cd0, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = SG_SHUFFLE(ab1, cd1, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = SG_SHUFFLE(ab1, cd1, 2, 3, 10, 11, 6, 7, 14, 15);
}

SG_INLINE sg_v8 sg_two_lanes(const uint8_t *p, const uint8_t *q)
{
    return SG_SHUFFLE(*(const sg_v4p *)p, *(const sg_v4p *)q, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Lanes i..i+7 of 128 bits, each at its own place. */
SG_INLINE void sg_load128x8(uint32_t (*d)[SG_MAX_LANES], unsigned i, const uint8_t *const at[8])
{
    sg_v8 row[4];
    sg_transpose(sg_two_lanes(at[0], at[4]), sg_two_lanes(at[1], at[5]), sg_two_lanes(at[2], at[6]),
                 sg_two_lanes(at[3], at[7]), row);
    for (unsigned k = 0; k < 4; k++)
        *(sg_v8u *)&d[k][i] = row[k];
}

/* In lane order: the highest lane wins where they collide. */
SG_INLINE void sg_store128x8(uint32_t (*src)[SG_MAX_LANES], unsigned i, uint8_t *const at[8])
{
    sg_v8 lane[4];
    sg_transpose(*(sg_v8u *)&src[0][i], *(sg_v8u *)&src[1][i], *(sg_v8u *)&src[2][i], *(sg_v8u *)&src[3][i],
                 lane);
    for (unsigned k = 0; k < 4; k++)
        *(sg_v4p *)at[k] = SG_SHUFFLE(lane[k], lane[k], 0, 1, 2, 3);
    for (unsigned k = 0; k < 4; k++)
        *(sg_v4p *)at[k + 4] = SG_SHUFFLE(lane[k], lane[k], 4, 5, 6, 7);
}

/* Lanes i..i+3 of 64 bits. */
SG_INLINE void sg_load64x4(uint32_t (*d)[SG_MAX_LANES], unsigned i, const uint8_t *host, const uint32_t *off)
{
    sg_d2 a = {*(const sg_u64u *)(host + off[i]), *(const sg_u64u *)(host + off[i + 1])};
    sg_d2 b = {*(const sg_u64u *)(host + off[i + 2]), *(const sg_u64u *)(host + off[i + 3])};
    *(sg_v4u *)&d[0][i] = SG_SHUFFLE((sg_v4)a, (sg_v4)b, 0, 2, 4, 6);
    *(sg_v4u *)&d[1][i] = SG_SHUFFLE((sg_v4)a, (sg_v4)b, 1, 3, 5, 7);
}

/* `lanes` elements of 12 bytes by whole blocks of 16 between memory and `copy`, where they begin at the offset
 * that is returned. The first and the last block may reach beyond the elements, not beyond their page. */
SG_INLINE unsigned sg_blocks_load(uint8_t copy[64 * 12 + 16], const uint8_t *p, unsigned lanes)
{
    const unsigned at = (unsigned)((uintptr_t)p & 15);
    for (unsigned i = 0; i < lanes * 12 + at; i += 16)
        *(sg_v4p *)(copy + i) = sg_whole_load128(p - at + i);
    return at;
}

SG_INLINE void sg_block_load128(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint8_t *p,
                                unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i += 8, p += 128) {
        const sg_v8 mask = *(const sg_v8u *)&w->xm[i];
        sg_v8 row[4];
        sg_transpose(sg_two_lanes(p, p + 64), sg_two_lanes(p + 16, p + 80), sg_two_lanes(p + 32, p + 96),
                     sg_two_lanes(p + 48, p + 112), row);
        for (unsigned k = 0; k < 4; k++) {
            sg_v8u *to = (sg_v8u *)&d[k][i];
            *to = (row[k] & mask) | (*to & ~mask);
        }
    }
}

/* Active lanes from a block of `lanes` elements at p. Reads the whole block. */
SG_INLINE void sg_block_load(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], const uint8_t *p,
                             enum sg_mem_elem e, enum sg_place place, unsigned lanes)
{
    const uint32_t *xm = w->xm;
    const unsigned n = sg_elem_dwords(e), bytes = sg_elem_bytes(e);
    const uint32_t kept = sg_elem_kept(w, e);
    uint8_t copy[64 * 12 + 16];
    if (e == SG_ELEM_B128) {
        sg_block_load128(w, d, p, lanes);
        return;
    }
    if (e == SG_ELEM_B96 && place == SG_SHARED)
        p = copy + sg_blocks_load(copy, p, lanes);
    const sg_u32u *q = (const sg_u32u *)p;
    if (sg_all_active(w, lanes)) {
        if (bytes < 4) {
            SG_VECTORIZE
            for (unsigned i = 0; i < lanes; i++)
                d[0][i] = sg_elem_load(p + i * bytes, e) | (d[0][i] & kept);
        } else if (n == 1) {
            memcpy(d[0], p, lanes * sizeof d[0][0]);
        } else {
            SG_VECTORIZE
            for (unsigned i = 0; i < lanes; i++)
                for (unsigned k = 0; k < n; k++)
                    d[k][i] = q[i * n + k];
        }
        return;
    }
    if (bytes < 4) {
        SG_VECTORIZE
        for (unsigned i = 0; i < lanes; i++)
            d[0][i] = (sg_elem_load(p + i * bytes, e) & xm[i]) | (d[0][i] & (kept | ~xm[i]));
    } else {
        SG_VECTORIZE
        for (unsigned i = 0; i < lanes; i++)
            for (unsigned k = 0; k < n; k++)
                d[k][i] = (q[i * n + k] & xm[i]) | (d[k][i] & ~xm[i]);
    }
}

/* n dwords to memory that others watch. Not memcpy, which may write some of them twice: glibc copies short
 * lengths as two pieces that overlap, 4 bytes as the same piece twice. Volatile, lest the compiler make a
 * memcpy of it. */
SG_INLINE void sg_store_dwords(uint8_t *p, const uint32_t *src, unsigned n)
{
    unsigned i = 0;
    for (; i + 8 <= n; i += 8)
        *(volatile sg_v8p *)(p + 4 * i) = *(const sg_v8u *)&src[i];
    for (; i < n; i++)
        *(volatile sg_u32u *)(p + 4 * i) = src[i];
}

/* `lanes` elements of 12 bytes by whole blocks; those at both ends, which reach beyond the elements, by lane. */
SG_INLINE void sg_block_store96(uint32_t (*src)[SG_MAX_LANES], uint8_t *p, unsigned lanes)
{
    uint32_t copy[64 * 3];
    SG_VECTORIZE
    for (unsigned i = 0; i < lanes; i++)
        for (unsigned k = 0; k < 3; k++)
            copy[i * 3 + k] = src[k][i];
    unsigned first = 0, last = lanes; /* lanes that begin and end a block */
    while ((uintptr_t)(p + 12 * first) & 15 && first < 4)
        first++;
    if (first == 4) /* not aligned to dwords: nothing is whole */
        first = 0;
    last -= (last - first) % 4;
    for (unsigned i = 0; i < first; i++)
        sg_whole_store96(p + 12 * i, (sg_v4){src[0][i], src[1][i], src[2][i]});
    for (unsigned i = 3 * first; i < 3 * last; i += 4)
        sg_whole_store128(p + 4 * i, *(const sg_v4u *)&copy[i]);
    for (unsigned i = last; i < lanes; i++)
        sg_whole_store96(p + 12 * i, (sg_v4){src[0][i], src[1][i], src[2][i]});
}

SG_INLINE void sg_lane_store(uint32_t (*src)[SG_MAX_LANES], unsigned i, uint8_t *p, enum sg_mem_elem e,
                             enum sg_place place)
{
    const unsigned n = sg_elem_dwords(e), pitch = sg_pitch(place);
    if (sg_elem_bytes(e) < 4) {
        sg_elem_store(p, e, src[0][i]);
    } else if (n > 1 && place == SG_SHARED) {
        sg_v4 x = {0};
        for (unsigned k = 0; k < n; k++)
            x[k] = src[k][i];
        sg_whole_store(p, x, n);
    } else {
        for (unsigned k = 0; k < n; k++)
            *(sg_u32u *)(p + k * pitch) = src[k][i];
    }
}

/* All active lanes to a block of `lanes` elements at p. Touches nothing of inactive lanes. */
SG_INLINE void sg_block_store(const struct sg_wave *w, uint32_t (*src)[SG_MAX_LANES], uint8_t *p,
                              enum sg_mem_elem e, enum sg_place place, unsigned lanes)
{
    const unsigned n = sg_elem_dwords(e), bytes = sg_elem_bytes(e);
    sg_u32u *q = (sg_u32u *)p;
    if (sg_all_active(w, lanes)) {
        if (bytes < 4) {
            SG_VECTORIZE
            for (unsigned i = 0; i < lanes; i++)
                sg_elem_store(p + i * bytes, e, src[0][i]);
        } else if (n == 1) {
            sg_store_dwords(p, src[0], lanes);
        } else if (n == 4) {
            for (unsigned i = 0; i < lanes; i += 8) {
                uint8_t *at[8];
                for (unsigned k = 0; k < 8; k++)
                    at[k] = p + 16 * (i + k);
                sg_store128x8(src, i, at);
            }
        } else if (n == 3 && place == SG_SHARED) {
            sg_block_store96(src, p, lanes);
        } else {
            SG_VECTORIZE
            for (unsigned i = 0; i < lanes; i++)
                for (unsigned k = 0; k < n; k++)
                    q[i * n + k] = src[k][i];
        }
        return;
    }
    if (!w->exec)
        return;
    const unsigned first = sg_first_lane(w->exec);
    const uint64_t run = w->exec >> first;
    if (bytes == 4 && !(run & (run + 1))) { /* one run of lanes, as at the end of a grid */
        sg_store_dwords(p + 4 * first, &src[0][first], (unsigned)__builtin_popcountll(run));
        return;
    }
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        sg_lane_store(src, i, p + i * bytes, e, place);
    }
}

SG_INLINE void sg_lane_load(const struct sg_wave *w, uint32_t (*d)[SG_MAX_LANES], unsigned i,
                            const uint8_t *p, enum sg_mem_elem e, enum sg_place place)
{
    const unsigned n = sg_elem_dwords(e), pitch = sg_pitch(place);
    if (sg_elem_bytes(e) < 4) {
        d[0][i] = sg_elem_load(p, e) | (d[0][i] & sg_elem_kept(w, e));
        return;
    }
    sg_v4 t = {0};
    if (n > 1 && place == SG_SHARED)
        t = sg_whole_load(p, n);
    else
        for (unsigned k = 0; k < n; k++)
            t[k] = *(const sg_u32u *)(p + k * pitch);
    for (unsigned k = 0; k < n; k++)
        d[k][i] = t[k];
}

#endif
