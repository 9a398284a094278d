/*
 * mem_global.c - loads and stores of global_* instructions. With a scalar base the lanes' 32-bit
 * offsets are used as they are; with 64-bit addresses the common upper half becomes the base.
 */
#include "mem_lanes.h"

/* The upper address half that all active lanes share, as the base of their 32-bit offsets. False when they
 * differ, or when it is no GPU address (they have 47 bits). */
SG_INLINE bool common_base(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, uint64_t *base)
{
    const uint32_t *high = v[u->a + 1];
    if (!sg_lanes_uniform(high, w->xm, w->exec))
        return false;
    uint64_t h = high[sg_first_lane(w->exec)];
    *base = (h << 32) + (uint64_t)(int64_t)u->imm;
    return h < 1u << 15;
}

SG_INLINE uint64_t scalar_base(const struct sg_uop *u, const uint32_t *s)
{
    return sg_s64(s, u->c) + (uint64_t)(int64_t)u->imm;
}

#define LOAD_HANDLERS(NAME, ELEM)                                                                            \
    static int global_load_##NAME(SG_ARGS)                                                                   \
    {                                                                                                        \
        uint64_t base;                                                                                       \
        if (w->exec && (!common_base(w, u, v, &base) || !sg_va_load(w, &v[u->d], base, v[u->a], ELEM))) {    \
            int stop = sg_mem_slow_load(w, u, v, s);                                                         \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }                                                                                                        \
    static int saddr_load_##NAME(SG_ARGS)                                                                    \
    {                                                                                                        \
        if (w->exec && !sg_va_load(w, &v[u->d], scalar_base(u, s), v[u->a], ELEM)) {                         \
            int stop = sg_mem_slow_load(w, u, v, s);                                                         \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
#define STORE_HANDLERS(NAME, ELEM)                                                                           \
    static int global_store_##NAME(SG_ARGS)                                                                  \
    {                                                                                                        \
        uint64_t base;                                                                                       \
        if (w->exec && (!common_base(w, u, v, &base) || !sg_va_store(w, &v[u->b], base, v[u->a], ELEM))) {   \
            int stop = sg_mem_slow_store(w, u, v, s);                                                        \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }                                                                                                        \
    static int saddr_store_##NAME(SG_ARGS)                                                                   \
    {                                                                                                        \
        if (w->exec && !sg_va_store(w, &v[u->b], scalar_base(u, s), v[u->a], ELEM)) {                        \
            int stop = sg_mem_slow_store(w, u, v, s);                                                        \
            if (stop)                                                                                        \
                return stop;                                                                                 \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
SG_LOAD_ELEMS(LOAD_HANDLERS)
SG_STORE_ELEMS(STORE_HANDLERS)

#define GLOBAL_LOAD(NAME, ELEM) [ELEM] = global_load_##NAME,
#define SADDR_LOAD(NAME, ELEM) [ELEM] = saddr_load_##NAME,
#define GLOBAL_STORE(NAME, ELEM) [ELEM] = global_store_##NAME,
#define SADDR_STORE(NAME, ELEM) [ELEM] = saddr_store_##NAME,
const sg_fn sg_global_loads[SG_ELEMS] = {SG_LOAD_ELEMS(GLOBAL_LOAD)};
const sg_fn sg_saddr_loads[SG_ELEMS] = {SG_LOAD_ELEMS(SADDR_LOAD)};
const sg_fn sg_global_stores[SG_ELEMS] = {SG_STORE_ELEMS(GLOBAL_STORE)};
const sg_fn sg_saddr_stores[SG_ELEMS] = {SG_STORE_ELEMS(SADDR_STORE)};
