/*
 * mem_private.c - loads and stores of scratch_* and of buffer_* instructions.
 *
 * Private memory is interleaved by dwords: dword d of lane i lies at base + d * 256 + i * 4, so an access
 * with the same offset in every lane (a spill, a stack slot) is a contiguous row of 256 bytes. gfx90a reaches
 * it through MUBUF with the swizzled V# in s[0:3], gfx942 and later through scratch_*.
 */
#include "mem_interleave.h"

static const uint32_t zeros[SG_MAX_LANES]; /* offsets of an instruction without any */

/* What the fast paths know of a V#; the whole story stands in mem_view.c. */
struct buffer {
    uint64_t base;  /* with soffset */
    uint64_t limit; /* bytes that an offset may reach */
    bool is_private, is_linear;
};

SG_INLINE struct buffer describe(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s)
{
    const uint32_t *d = s + u->c;
    const bool swizzle = d[1] >> 31, add_tid = d[3] >> 23 & 1;
    struct buffer q = {.base = (d[0] | (uint64_t)(d[1] & 0xffff) << 32) + s[u->x]};
    if (u->flags & SG_MF_IDXEN || w->arch->family->buffers != LS_BUFFER_GFX9)
        return q;
    q.is_linear = !swizzle && !add_tid;
    if (swizzle && add_tid) {
        uint32_t stride = (d[1] >> 16 & 0x3fff) | (d[3] >> 15 & 0xf) << 14;
        q.is_private = stride && (d[3] >> 21 & 3) == 3 && d[2] >= SG_MAX_LANES;
        q.limit = stride;
    } else {
        q.limit = d[2] > s[u->x] ? d[2] - s[u->x] : 0;
    }
    return q;
}

/* Lanes of a linear buffer that lie inside it, and where. The sum of the offsets has 32 bits (mem_view.c).
 * False when a lane lies partly inside. */
static bool inside(const struct sg_wave *w, const uint32_t *off, uint32_t imm, uint64_t limit, unsigned bytes,
                   uint32_t *xm, uint32_t *at)
{
    bool partly = false;
    for (unsigned i = 0; i < SG_MAX_LANES; i++) {
        at[i] = off[i] + imm;
        uint32_t in = (uint64_t)at[i] + bytes <= limit ? ~0u : 0;
        partly |= w->xm[i] && !in && (uint64_t)at[i] + 4 <= limit;
        xm[i] = w->xm[i] & in;
    }
    return !partly;
}

static uint64_t mask_of(const uint32_t *xm)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        mask |= (uint64_t)(xm[i] & 1) << i;
    return mask;
}

struct saved_exec {
    uint32_t xm[SG_MAX_LANES];
    uint64_t exec;
};

/* Narrows EXEC for one access, and back. */
static void narrow(struct sg_wave *w, const uint32_t *xm, struct saved_exec *saved)
{
    memcpy(saved->xm, w->xm, sizeof w->xm);
    saved->exec = w->exec;
    memcpy(w->xm, xm, sizeof w->xm);
    w->exec = mask_of(xm);
}

static void restore(struct sg_wave *w, const struct saved_exec *saved)
{
    memcpy(w->xm, saved->xm, sizeof w->xm);
    w->exec = saved->exec;
}

SG_INLINE bool linear_load(struct sg_wave *w, const struct sg_uop *u, uint32_t (*d)[SG_MAX_LANES],
                           const struct buffer *q, const uint32_t *off, enum sg_mem_elem e)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t imm = (uint32_t)u->imm;
    if ((uint64_t)sg_lanes_max(off, w->xm, SG_MAX_LANES) + imm + bytes <= q->limit)
        return sg_va_load(w, d, q->base + imm, off, e, SG_MAX_LANES);
    uint32_t xm[SG_MAX_LANES], at[SG_MAX_LANES];
    if (bytes < 4 || !inside(w, off, imm, q->limit, bytes, xm, at))
        return false;
    struct saved_exec saved;
    narrow(w, xm, &saved);
    bool done = !w->exec || sg_va_load(w, d, q->base, at, e, SG_MAX_LANES);
    restore(w, &saved);
    if (!done)
        return false;
    for (unsigned k = 0; k < sg_elem_dwords(e); k++)
        for (unsigned i = 0; i < SG_MAX_LANES; i++)
            d[k][i] &= xm[i] | ~w->xm[i];
    return true;
}

SG_INLINE bool linear_store(struct sg_wave *w, const struct sg_uop *u, uint32_t (*src)[SG_MAX_LANES],
                            const struct buffer *q, const uint32_t *off, enum sg_mem_elem e)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t imm = (uint32_t)u->imm;
    if ((uint64_t)sg_lanes_max(off, w->xm, SG_MAX_LANES) + imm + bytes <= q->limit)
        return sg_va_store(w, src, q->base + imm, off, e, SG_MAX_LANES);
    uint32_t xm[SG_MAX_LANES], at[SG_MAX_LANES];
    if (bytes < 4 || !inside(w, off, imm, q->limit, bytes, xm, at))
        return false;
    struct saved_exec saved;
    narrow(w, xm, &saved);
    bool done = !w->exec || sg_va_store(w, src, q->base, at, e, SG_MAX_LANES);
    restore(w, &saved);
    return done;
}

#define LOAD_HANDLERS(NAME, ELEM)                                                                            \
    static bool scratch_load_fast_##NAME(SG_ARGS)                                                            \
    {                                                                                                        \
        const uint32_t *off = u->flags & SG_MF_NO_VADDR ? NULL : v[u->a];                                    \
        return sg_private_load(w, &v[u->d], sg_scratch_base(w, s), off, s[u->c] + (uint32_t)u->imm,          \
                               sg_scratch_limit(w), ELEM);                                                   \
    }                                                                                                        \
    static bool buffer_load_fast_##NAME(SG_ARGS)                                                             \
    {                                                                                                        \
        const struct buffer q = describe(w, u, s);                                                           \
        const uint32_t *off = u->flags & SG_MF_OFFEN ? v[u->a] : NULL;                                       \
        if (q.is_private)                                                                                    \
            return sg_private_load(w, &v[u->d], q.base, off, (uint32_t)u->imm, q.limit, ELEM);               \
        return q.is_linear && linear_load(w, u, &v[u->d], &q, off ? off : zeros, ELEM);                      \
    }                                                                                                        \
    static int scratch_load_##NAME(SG_ARGS)                                                                  \
    {                                                                                                        \
        if (w->exec && !scratch_load_fast_##NAME(w, u, v, s)) {                                              \
            int stop = sg_mem_slow_load(w, u, v, s);                                                         \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }                                                                                                        \
    static int buffer_load_##NAME(SG_ARGS)                                                                   \
    {                                                                                                        \
        if (w->exec && !buffer_load_fast_##NAME(w, u, v, s)) {                                               \
            int stop = sg_mem_slow_load(w, u, v, s);                                                         \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define STORE_HANDLERS(NAME, ELEM)                                                                           \
    static bool scratch_store_fast_##NAME(SG_ARGS)                                                           \
    {                                                                                                        \
        const uint32_t *off = u->flags & SG_MF_NO_VADDR ? NULL : v[u->a];                                    \
        return sg_private_store(w, &v[u->b], sg_scratch_base(w, s), off, s[u->c] + (uint32_t)u->imm,         \
                                sg_scratch_limit(w), ELEM);                                                  \
    }                                                                                                        \
    static bool buffer_store_fast_##NAME(SG_ARGS)                                                            \
    {                                                                                                        \
        const struct buffer q = describe(w, u, s);                                                           \
        const uint32_t *off = u->flags & SG_MF_OFFEN ? v[u->a] : NULL;                                       \
        if (q.is_private)                                                                                    \
            return sg_private_store(w, &v[u->b], q.base, off, (uint32_t)u->imm, q.limit, ELEM);              \
        return q.is_linear && linear_store(w, u, &v[u->b], &q, off ? off : zeros, ELEM);                     \
    }                                                                                                        \
    static int scratch_store_##NAME(SG_ARGS)                                                                 \
    {                                                                                                        \
        if (w->exec && !scratch_store_fast_##NAME(w, u, v, s)) {                                             \
            int stop = sg_mem_slow_store(w, u, v, s);                                                        \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }                                                                                                        \
    static int buffer_store_##NAME(SG_ARGS)                                                                  \
    {                                                                                                        \
        if (w->exec && !buffer_store_fast_##NAME(w, u, v, s)) {                                              \
            int stop = sg_mem_slow_store(w, u, v, s);                                                        \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }

SG_LOAD_ELEMS(LOAD_HANDLERS)
SG_STORE_ELEMS(STORE_HANDLERS)

#define SCRATCH_LOAD(NAME, ELEM) [ELEM] = scratch_load_##NAME,
#define BUFFER_LOAD(NAME, ELEM) [ELEM] = buffer_load_##NAME,
#define SCRATCH_STORE(NAME, ELEM) [ELEM] = scratch_store_##NAME,
#define BUFFER_STORE(NAME, ELEM) [ELEM] = buffer_store_##NAME,
const sg_fn sg_scratch_loads[SG_ELEMS] = {SG_LOAD_ELEMS(SCRATCH_LOAD)};
const sg_fn sg_buffer_loads[SG_ELEMS] = {SG_LOAD_ELEMS(BUFFER_LOAD)};
const sg_fn sg_scratch_stores[SG_ELEMS] = {SG_STORE_ELEMS(SCRATCH_STORE)};
const sg_fn sg_buffer_stores[SG_ELEMS] = {SG_STORE_ELEMS(BUFFER_STORE)};
