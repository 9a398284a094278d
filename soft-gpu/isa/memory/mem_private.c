/*
 * mem_private.c - loads and stores of scratch_* and of buffer_* instructions.
 *
 * Private memory is interleaved by dwords (mem_interleave.h). gfx90a and gfx1030 reach it through MUBUF with the
 * swizzled V# in s[0:3], others through scratch_*.
 */
#include "mem_interleave.h"

static const uint32_t zeros[SG_MAX_LANES]; /* offsets of an instruction without any */

#define NO_LIMIT (1ull << 32) /* offsets have 32 bits */

/* What the fast paths know of a V#; the whole story stands in mem_view.c. */
struct buffer {
    uint64_t base;  /* with soffset */
    uint64_t limit; /* bytes that an offset may reach */
    bool is_private, is_linear;
};

/* A swizzled V# whose index is the lane, lanes in rows of the wavefront's. */
static bool interleaves(const struct sg_wave *w, const uint32_t *d)
{
    return d[1] >> 31 && d[3] >> 23 & 1 && 8u << (d[3] >> 21 & 3) == w->lanes;
}

SG_INLINE struct buffer describe_gfx9(const struct sg_wave *w, const uint32_t *d, uint32_t soffset)
{
    const bool swizzle = d[1] >> 31, add_tid = d[3] >> 23 & 1;
    const uint32_t stride = (d[1] >> 16 & 0x3fff) | (d[3] >> 15 & 0xf) << 14;
    struct buffer q = {.is_linear = !swizzle && !add_tid};
    if (swizzle && add_tid) {
        q.is_private = stride && interleaves(w, d) && d[2] >= w->lanes;
        q.limit = stride;
    } else {
        q.limit = d[2] > soffset ? d[2] - soffset : 0;
    }
    return q;
}

/* By OOB_SELECT; the index is 0, or the lane. */
static struct buffer describe_gfx10(const struct sg_wave *w, const uint32_t *d, uint32_t soffset)
{
    const bool swizzle = d[1] >> 31, add_tid = d[3] >> 23 & 1;
    const uint32_t stride = d[1] >> 16 & 0x3fff;
    const enum sg_bounds said = (enum sg_bounds)(d[3] >> 28 & 3);
    const enum sg_bounds bounds = said == SG_BOUNDS_RAW && swizzle && stride ? SG_BOUNDS_STRUCTURED : said;
    struct buffer q = {.is_linear = !swizzle && !add_tid, .limit = NO_LIMIT};
    q.is_private =
        interleaves(w, d) && bounds != SG_BOUNDS_RAW && d[2] >= (bounds == SG_BOUNDS_NONE ? 1 : w->lanes);
    if (bounds == SG_BOUNDS_STRUCTURED)
        q.limit = d[2] ? stride : 0;
    else if (bounds == SG_BOUNDS_RAW)
        q.limit = d[2] > soffset ? d[2] - soffset : 0;
    else if (!d[2])
        q.limit = 0;
    return q;
}

SG_INLINE struct buffer describe(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *s)
{
    const uint32_t *d = s + u->c, soffset = s[u->x];
    struct buffer q = {0};
    if (!(u->flags & SG_MF_IDXEN))
        q = w->arch->family->buffers == LS_BUFFER_GFX9 ? describe_gfx9(w, d, soffset)
                                                       : describe_gfx10(w, d, soffset);
    q.base = (d[0] | (uint64_t)(d[1] & 0xffff) << 32) + soffset;
    return q;
}

/* Lanes of a linear buffer that lie inside it, and where. The sum of the offsets has 32 bits (mem_view.c).
 * False when a lane lies partly inside. */
static bool inside(const struct sg_wave *w, const uint32_t *off, uint32_t imm, uint64_t limit, unsigned bytes,
                   uint32_t *xm, uint32_t *at, unsigned lanes)
{
    bool partly = false;
    for (unsigned i = 0; i < lanes; i++) {
        at[i] = off[i] + imm;
        uint32_t in = (uint64_t)at[i] + bytes <= limit ? ~0u : 0;
        partly |= w->xm[i] && !in && (uint64_t)at[i] + 4 <= limit;
        xm[i] = w->xm[i] & in;
    }
    return !partly;
}

static uint64_t mask_of(const uint32_t *xm, unsigned lanes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < lanes; i++)
        mask |= (uint64_t)(xm[i] & 1) << i;
    return mask;
}

struct saved_exec {
    uint32_t xm[SG_MAX_LANES];
    uint64_t exec;
};

/* Narrows EXEC for one access, and back. */
static void narrow(struct sg_wave *w, const uint32_t *xm, struct saved_exec *saved, unsigned lanes)
{
    memcpy(saved->xm, w->xm, sizeof w->xm);
    saved->exec = w->exec;
    memcpy(w->xm, xm, lanes * sizeof *xm);
    w->exec = mask_of(xm, lanes);
}

static void restore(struct sg_wave *w, const struct saved_exec *saved)
{
    memcpy(w->xm, saved->xm, sizeof w->xm);
    w->exec = saved->exec;
}

SG_INLINE bool linear_load(struct sg_wave *w, const struct sg_uop *u, uint32_t (*d)[SG_MAX_LANES],
                           const struct buffer *q, const uint32_t *off, enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t imm = (uint32_t)u->imm;
    if ((uint64_t)sg_lanes_max(off, w->xm, lanes) + imm + bytes <= q->limit)
        return sg_va_load(w, d, q->base + imm, off, e, lanes);
    uint32_t xm[SG_MAX_LANES], at[SG_MAX_LANES];
    if (bytes < 4 || q->limit == NO_LIMIT || !inside(w, off, imm, q->limit, bytes, xm, at, lanes))
        return false;
    struct saved_exec saved;
    narrow(w, xm, &saved, lanes);
    bool done = !w->exec || sg_va_load(w, d, q->base, at, e, lanes);
    restore(w, &saved);
    if (!done)
        return false;
    for (unsigned k = 0; k < sg_elem_dwords(e); k++)
        for (unsigned i = 0; i < lanes; i++)
            d[k][i] &= xm[i] | ~w->xm[i];
    return true;
}

SG_INLINE bool linear_store(struct sg_wave *w, const struct sg_uop *u, uint32_t (*src)[SG_MAX_LANES],
                            const struct buffer *q, const uint32_t *off, enum sg_mem_elem e, unsigned lanes)
{
    const unsigned bytes = sg_elem_bytes(e);
    const uint32_t imm = (uint32_t)u->imm;
    if ((uint64_t)sg_lanes_max(off, w->xm, lanes) + imm + bytes <= q->limit)
        return sg_va_store(w, src, q->base + imm, off, e, lanes);
    uint32_t xm[SG_MAX_LANES], at[SG_MAX_LANES];
    if (bytes < 4 || q->limit == NO_LIMIT || !inside(w, off, imm, q->limit, bytes, xm, at, lanes))
        return false;
    struct saved_exec saved;
    narrow(w, xm, &saved, lanes);
    bool done = !w->exec || sg_va_store(w, src, q->base, at, e, lanes);
    restore(w, &saved);
    return done;
}

SG_INLINE bool scratch_load(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                            enum sg_mem_elem e, unsigned lanes)
{
    const uint32_t *off = u->flags & SG_MF_NO_VADDR ? NULL : v[u->a];
    return sg_private_load(w, &v[u->d], sg_scratch_base(w, s), off, s[u->c] + (uint32_t)u->imm,
                           sg_scratch_limit(w), e, lanes);
}

SG_INLINE bool scratch_store(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                             enum sg_mem_elem e, unsigned lanes)
{
    const uint32_t *off = u->flags & SG_MF_NO_VADDR ? NULL : v[u->a];
    return sg_private_store(w, &v[u->b], sg_scratch_base(w, s), off, s[u->c] + (uint32_t)u->imm,
                            sg_scratch_limit(w), e, lanes);
}

SG_INLINE bool buffer_load(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                           enum sg_mem_elem e, unsigned lanes)
{
    const struct buffer q = describe(w, u, s);
    const uint32_t *off = u->flags & SG_MF_OFFEN ? v[u->a] : NULL;
    if (q.is_private)
        return sg_private_load(w, &v[u->d], q.base, off, (uint32_t)u->imm, q.limit, e, lanes);
    return q.is_linear && linear_load(w, u, &v[u->d], &q, off ? off : zeros, e, lanes);
}

SG_INLINE bool buffer_store(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                            enum sg_mem_elem e, unsigned lanes)
{
    const struct buffer q = describe(w, u, s);
    const uint32_t *off = u->flags & SG_MF_OFFEN ? v[u->a] : NULL;
    if (q.is_private)
        return sg_private_store(w, &v[u->b], q.base, off, (uint32_t)u->imm, q.limit, e, lanes);
    return q.is_linear && linear_store(w, u, &v[u->b], &q, off ? off : zeros, e, lanes);
}

#define LOAD_HANDLERS(NAME, ELEM)                                                                            \
    SG_FAST_HANDLERS(scratch_load_##NAME, sg_mem_slow_load, scratch_load, ELEM)                              \
    SG_FAST_HANDLERS(buffer_load_##NAME, sg_mem_slow_load, buffer_load, ELEM)
#define STORE_HANDLERS(NAME, ELEM)                                                                           \
    SG_FAST_HANDLERS(scratch_store_##NAME, sg_mem_slow_store, scratch_store, ELEM)                           \
    SG_FAST_HANDLERS(buffer_store_##NAME, sg_mem_slow_store, buffer_store, ELEM)

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
