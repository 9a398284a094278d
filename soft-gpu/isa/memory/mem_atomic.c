/*
 * mem_atomic.c - atomics of global_*, flat_* and buffer_*. Memory is shared with other work-groups on other
 * threads and with the host program, so every lane is one host atomic operation, which is what they cost (a
 * locked instruction takes 2 to 3 ns); lanes that share one address are done in one. Flat atomics that hit
 * LDS or private memory are plain: only the running thread sees those.
 */
#include "mem_atomic_ops.h"

/* Rows of one instruction, resolved before the lane loop: the compiler cannot know that atomic operations
 * leave the micro-operation alone. The second halves of 64 bits follow at [SG_MAX_LANES + lane]. */
struct rows {
    const uint32_t *a, *b; /* data; b: what CMPSWAP compares with */
    uint32_t *d;           /* where the old value goes; NULL: nowhere */
};

SG_INLINE struct rows rows_of(const struct sg_uop *u, sg_rows v, bool wide)
{
    return (struct rows){v[u->b], v[u->b + (wide ? 2 : 1)], u->flags & SG_MF_RETURN ? v[u->d] : NULL};
}

SG_INLINE uint64_t wide_value(const uint32_t *row, unsigned lane)
{
    return row[lane] | (uint64_t)row[SG_MAX_LANES + lane] << 32;
}

/* One lane at host address p. The data is read before the destination is written: they may overlap. */
SG_INLINE void lane_rmw(const struct rows *r, unsigned lane, uint8_t *p, enum sg_atomic_op op, bool wide,
                        bool returns)
{
    const bool two = op == SG_ATOMIC_CMPSWAP || op == SG_ATOMIC_CMPSWAP_F;
    if (wide) {
        uint64_t old = sg_atomic_rmw64((uint64_t *)(void *)p, op, wide_value(r->a, lane),
                                       two ? wide_value(r->b, lane) : 0);
        if (returns) {
            r->d[lane] = (uint32_t)old;
            r->d[SG_MAX_LANES + lane] = (uint32_t)(old >> 32);
        }
    } else {
        uint32_t old = sg_atomic_rmw32((uint32_t *)(void *)p, op, r->a[lane], two ? r->b[lane] : 0);
        if (returns)
            r->d[lane] = old;
    }
}

SG_INLINE void all_lanes(const struct rows *r, uint64_t exec, uint8_t *host, const uint32_t *off,
                         enum sg_atomic_op op, bool wide, bool returns)
{
    if (exec == ~0ull) {
        /* The offsets may be the destination row: each is read before its lane is written. */
        for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
            lane_rmw(r, lane, host + off[lane], op, wide, returns);
        return;
    }
    for (uint64_t m = exec; m; m &= m - 1) {
        unsigned lane = sg_first_lane(m);
        lane_rmw(r, lane, host + off[lane], op, wide, returns);
    }
}

/* All active lanes at one address: as if they came one after the other with nobody in between, in one atomic
 * operation of the host. */
SG_INLINE void one_address(const struct rows *r, uint64_t exec, uint8_t *p, enum sg_atomic_op op, bool wide)
{
    const bool two = op == SG_ATOMIC_CMPSWAP || op == SG_ATOMIC_CMPSWAP_F;
    uint64_t before[SG_MAX_LANES], value;
    uint64_t old = wide ? __atomic_load_n((uint64_t *)(void *)p, __ATOMIC_SEQ_CST)
                        : __atomic_load_n((uint32_t *)(void *)p, __ATOMIC_SEQ_CST);
    for (;;) {
        value = old;
        for (uint64_t m = exec; m; m &= m - 1) {
            unsigned i = sg_first_lane(m);
            before[i] = value;
            value = wide ? sg_atomic_new64(op, value, wide_value(r->a, i), two ? wide_value(r->b, i) : 0)
                         : sg_atomic_new32(op, (uint32_t)value, r->a[i], two ? r->b[i] : 0);
        }
        uint32_t narrow = (uint32_t)old;
        if (wide ? __atomic_compare_exchange_n((uint64_t *)(void *)p, &old, value, true, __ATOMIC_SEQ_CST,
                                               __ATOMIC_SEQ_CST)
                 : __atomic_compare_exchange_n((uint32_t *)(void *)p, &narrow, (uint32_t)value, true,
                                               __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            break;
        if (!wide)
            old = narrow;
    }
    for (uint64_t m = r->d ? exec : 0; m; m &= m - 1) {
        unsigned i = sg_first_lane(m);
        r->d[i] = (uint32_t)before[i];
        if (wide)
            r->d[SG_MAX_LANES + i] = (uint32_t)(before[i] >> 32);
    }
}

/* Lanes whose address is not a multiple of the size. */
SG_INLINE bool misaligned(const struct sg_wave *w, const uint32_t *off, uint64_t base, unsigned bytes)
{
    uint32_t low = 0;
    SG_VECTORIZE
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        low |= (off[i] + (uint32_t)base) & w->xm[i];
    return low & (bytes - 1);
}

/* All lanes in one range, addressed with 32-bit offsets. False: not so, nothing was done. */
SG_INLINE bool fast(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                    enum sg_atomic_op op, bool wide)
{
    const unsigned bytes = wide ? 8 : 4;
    const uint32_t *off = v[u->a];
    uint64_t base = (uint64_t)(int64_t)u->imm;
    if (sg_uop_mode(u) == SG_MODE_SADDR) {
        base += sg_s64(s, u->c);
    } else if (sg_uop_mode(u) == SG_MODE_BUFFER) {
        return false;
    } else {
        const uint32_t *high = v[u->a + 1];
        if (!sg_lanes_uniform(high, w->xm, w->exec, SG_MAX_LANES) || high[sg_first_lane(w->exec)] >= 1u << 15)
            return false;
        base += (uint64_t)high[sg_first_lane(w->exec)] << 32;
    }
    if (misaligned(w, off, base, bytes))
        return false;
    uint8_t *host = sg_host_span(w, base, off, bytes, SG_RANGE_WRITE, SG_MAX_LANES);
    if (!host)
        return false;
    const struct rows r = rows_of(u, v, wide);
    if (w->exec & (w->exec - 1) && sg_lanes_uniform(off, w->xm, w->exec, SG_MAX_LANES))
        one_address(&r, w->exec, host + off[sg_first_lane(w->exec)], op, wide);
    else if (r.d)
        all_lanes(&r, w->exec, host, off, op, wide, true);
    else
        all_lanes(&r, w->exec, host, off, op, wide, false);
    return true;
}

/* The new value for a plain read-modify-write of one lane. */
SG_INLINE uint64_t plain_new(const struct sg_uop *u, sg_rows v, unsigned lane, uint64_t old,
                             enum sg_atomic_op op, bool wide)
{
    const bool two = op == SG_ATOMIC_CMPSWAP || op == SG_ATOMIC_CMPSWAP_F;
    if (wide)
        return sg_atomic_new64(op, old, wide_value(v[u->b], lane), two ? wide_value(v[u->b + 2u], lane) : 0);
    return sg_atomic_new32(op, (uint32_t)old, v[u->b][lane], two ? v[u->b + 1][lane] : 0);
}

SG_INLINE int slow_lane(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const struct sg_mem_view *view,
                        unsigned lane, enum sg_atomic_op op, bool wide)
{
    const unsigned bytes = wide ? 8 : 4;
    const uint64_t va = sg_view_va(view, lane);
    uint64_t bad_va, old = 0;
    if (va % bytes)
        return sg_fault_at(w, u, SG_FAULT_APERTURE, va, lane, true, "atomic access to a misaligned address");
    if (view->space == SG_SPACE_GLOBAL && view->pitch == 4 &&
        view->ok[0] & view->ok[bytes / 4 - 1] & 1ull << lane) {
        uint8_t *p = sg_host(w, va, bytes, SG_RANGE_WRITE);
        if (!p)
            return sg_fault_page(w, u, va, lane, true);
        const struct rows r = rows_of(u, v, wide);
        lane_rmw(&r, lane, p, op, wide, r.d != NULL);
        return 0;
    }
    if (!sg_view_read(w, view, lane, &old, bytes, &bad_va))
        return sg_fault_page(w, u, bad_va, lane, true);
    uint64_t value = plain_new(u, v, lane, old, op, wide);
    if (!sg_view_write(w, view, lane, &value, bytes, &bad_va))
        return sg_fault_page(w, u, bad_va, lane, true);
    if (u->flags & SG_MF_RETURN) {
        v[u->d][lane] = (uint32_t)old;
        if (wide)
            v[u->d + 1][lane] = (uint32_t)(old >> 32);
    }
    return 0;
}

SG_INLINE int slow(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                   enum sg_atomic_op op, bool wide)
{
    struct sg_mem_view view[3];
    const unsigned n = sg_mem_views(w, u, v, s, wide ? 8 : 4, view);
    for (unsigned k = 0; k < n; k++) {
        int stop = sg_view_check(w, u, &view[k], true);
        for (uint64_t m = view[k].mask; m && !stop; m &= m - 1)
            stop = slow_lane(w, u, v, &view[k], sg_first_lane(m), op, wide);
        if (stop)
            return stop;
    }
    return 0;
}

#define HANDLER(NAME, OP, WIDE)                                                                              \
    static __attribute__((noinline)) int slow_##NAME(SG_ARGS)                                                \
    {                                                                                                        \
        return slow(w, u, v, s, OP, WIDE);                                                                   \
    }                                                                                                        \
    static int atomic_##NAME(SG_ARGS)                                                                        \
    {                                                                                                        \
        if (w->exec && !fast(w, u, v, s, OP, WIDE)) {                                                        \
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
SG_ATOMICS_COMMON(HANDLER64)

#define ENTRY32(NAME, OP) [OP] = atomic_##NAME##_32,
#define ENTRY64(NAME, OP) [OP] = atomic_##NAME##_64,
const sg_fn sg_atomic_handlers[2][SG_ATOMICS] = {
    {SG_ATOMICS_COMMON(ENTRY32) SG_ATOMICS_32(ENTRY32)},
    {SG_ATOMICS_COMMON(ENTRY64)},
};
