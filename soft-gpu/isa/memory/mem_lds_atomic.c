/*
 * mem_lds_atomic.c - ds_add_u32 and its kin. LDS belongs to the running thread, so they are plain
 * read-modify-write, lane after lane; the old value is returned by the *_rtn_* forms.
 */
#include "mem_atomic_ops.h"

/* Host pointer such that lane i's word is at the result + off[i]; NULL: out of bounds or misaligned. */
SG_INLINE uint8_t *words(const struct sg_wave *w, const uint32_t *off, uint32_t imm, unsigned bytes,
                         unsigned lanes)
{
    uint32_t max = 0, low = 0;
    SG_VECTORIZE
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t o = off[i] & w->xm[i];
        max = o > max ? o : max;
        low |= (o + imm) & w->xm[i];
    }
    if (low & (bytes - 1) || (uint64_t)max + imm + bytes > w->wg->lds_bytes)
        return NULL;
    return w->wg->lds + imm;
}

/* Rows of one instruction, resolved before the lane loop: the compiler cannot know that LDS writes leave the
 * micro-operation alone. */
struct rows {
    const uint32_t *off, *a, *b; /* the second halves of 64 bits follow at [SG_MAX_LANES + lane] */
    uint32_t *d;                 /* NULL: nothing is returned */
};

SG_INLINE struct rows rows_of(const struct sg_uop *u, sg_rows v)
{
    return (struct rows){v[u->a], v[u->b], v[u->c], u->flags & SG_MF_RETURN ? v[u->d] : NULL};
}

SG_INLINE uint64_t wide_value(const uint32_t *row, unsigned i)
{
    return row[i] | (uint64_t)row[SG_MAX_LANES + i] << 32;
}

SG_INLINE void lane_rmw(const struct rows *r, unsigned i, uint8_t *p, enum sg_atomic_op op, bool wide,
                        bool returns)
{
    if (wide) {
        sg_u64u *q = (sg_u64u *)p;
        uint64_t old = *q;
        *q = sg_atomic_new64(op, old, wide_value(r->a, i), wide_value(r->b, i));
        if (returns) {
            r->d[i] = (uint32_t)old;
            r->d[SG_MAX_LANES + i] = (uint32_t)(old >> 32);
        }
    } else {
        sg_u32u *q = (sg_u32u *)p;
        uint32_t old = *q;
        *q = sg_atomic_new32(op, old, r->a[i], r->b[i]);
        if (returns)
            r->d[i] = old;
    }
}

SG_INLINE void all_lanes(const struct sg_wave *w, const struct rows *r, uint8_t *host, enum sg_atomic_op op,
                         bool wide, bool returns, unsigned lanes)
{
    if (sg_all_active(w, lanes)) {
        for (unsigned i = 0; i < lanes; i++)
            lane_rmw(r, i, host + r->off[i], op, wide, returns);
        return;
    }
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        lane_rmw(r, i, host + r->off[i], op, wide, returns);
    }
}

SG_INLINE bool fast(struct sg_wave *w, const struct sg_uop *u, sg_rows v, enum sg_atomic_op op, bool wide,
                    unsigned lanes)
{
    const struct rows r = rows_of(u, v);
    uint8_t *host = words(w, r.off, (uint32_t)u->imm, wide ? 8 : 4, lanes);
    if (!host)
        return false;
    if (r.d)
        all_lanes(w, &r, host, op, wide, true, lanes);
    else
        all_lanes(w, &r, host, op, wide, false, lanes);
    return true;
}

/* Out of bounds: 0 is returned, nothing is written. */
SG_INLINE int slow(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                   enum sg_atomic_op op, bool wide)
{
    struct sg_mem_view view[1];
    const unsigned bytes = wide ? 8 : 4;
    if (!sg_mem_views(w, u, v, s, bytes, view))
        return 0;
    for (uint64_t m = view->mask; m; m &= m - 1) {
        unsigned lane = sg_first_lane(m);
        if (view->base[lane] % bytes)
            return sg_fault_at(w, u, SG_FAULT_APERTURE, view->base[lane], lane, true,
                               "LDS atomic at a misaligned address");
        if (view->ok[0] >> lane & 1) {
            const struct rows r = rows_of(u, v);
            lane_rmw(&r, lane, w->wg->lds + view->base[lane], op, wide, r.d != NULL);
        } else if (u->flags & SG_MF_RETURN) {
            v[u->d][lane] = 0;
            if (wide)
                v[u->d + 1][lane] = 0;
        }
    }
    return 0;
}

#define HANDLER(NAME, OP, WIDE)                                                                              \
    static __attribute__((noinline)) int slow_##NAME(SG_ARGS)                                                \
    {                                                                                                        \
        return slow(w, u, v, s, OP, WIDE);                                                                   \
    }                                                                                                        \
    HANDLER_OF(lds_##NAME, NAME, OP, WIDE, SG_MAX_LANES)                                                     \
    HANDLER_OF(lds_##NAME##_low, NAME, OP, WIDE, SG_HALF_LANES) SG_LOW(lds_##NAME)
#define HANDLER_OF(HANDLER, NAME, OP, WIDE, LANES)                                                           \
    static int HANDLER(SG_ARGS)                                                                              \
    {                                                                                                        \
        if (w->exec && !fast(w, u, v, OP, WIDE, LANES)) {                                                    \
            int stop = slow_##NAME(w, u, v, s);                                                              \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define HANDLER32(NAME, OP) HANDLER(NAME##_32, OP, false)
#define HANDLER64(NAME, OP) HANDLER(NAME##_64, OP, true)
SG_ATOMICS_COMMON(HANDLER32)
SG_ATOMICS_32(HANDLER32)
SG_ATOMICS_LDS(HANDLER32)
SG_ATOMICS_LDS_32(HANDLER32)
SG_ATOMICS_COMMON(HANDLER64)
SG_ATOMICS_LDS(HANDLER64)
SG_ATOMICS_LDS_64(HANDLER64)

#define ENTRY32(NAME, OP) [OP] = lds_##NAME##_32,
#define ENTRY64(NAME, OP) [OP] = lds_##NAME##_64,
const sg_fn sg_lds_atomic_handlers[2][SG_ATOMICS] = {
    {SG_ATOMICS_COMMON(ENTRY32) SG_ATOMICS_32(ENTRY32) SG_ATOMICS_LDS(ENTRY32) SG_ATOMICS_LDS_32(ENTRY32)},
    {SG_ATOMICS_COMMON(ENTRY64) SG_ATOMICS_LDS(ENTRY64) SG_ATOMICS_LDS_64(ENTRY64)},
};
