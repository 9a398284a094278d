/*
 * mem_global.c - loads and stores of global_* instructions. With a scalar base the lanes' 32-bit
 * offsets are used as they are; with 64-bit addresses the common upper half becomes the base.
 */
#include "mem_lanes.h"

/* The upper address half that all active lanes share, as the base of their 32-bit offsets. False when they
 * differ, or when it is no GPU address (they have 47 bits). */
SG_INLINE bool common_base(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, uint64_t *base,
                           unsigned lanes)
{
    const uint32_t *high = v[u->a + 1];
    if (!sg_lanes_uniform(high, w->xm, w->exec, lanes))
        return false;
    uint64_t h = high[sg_first_lane(w->exec)];
    *base = (h << 32) + (uint64_t)(int64_t)u->imm;
    return h < 1u << 15;
}

SG_INLINE uint64_t scalar_base(const struct sg_uop *u, const uint32_t *s)
{
    return sg_s64(s, u->c) + (uint64_t)(int64_t)u->imm;
}

/* By 64-bit addresses. False: not covered here, nothing was done. */
SG_INLINE bool load(struct sg_wave *w, const struct sg_uop *u, sg_rows v, enum sg_mem_elem e, unsigned lanes)
{
    uint64_t base;
    return common_base(w, u, v, &base, lanes) && sg_va_load(w, &v[u->d], base, v[u->a], e, lanes);
}

SG_INLINE bool store(struct sg_wave *w, const struct sg_uop *u, sg_rows v, enum sg_mem_elem e, unsigned lanes)
{
    uint64_t base;
    return common_base(w, u, v, &base, lanes) && sg_va_store(w, &v[u->b], base, v[u->a], e, lanes);
}

SG_INLINE bool saddr_load(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                          enum sg_mem_elem e, unsigned lanes)
{
    return sg_va_load(w, &v[u->d], scalar_base(u, s), v[u->a], e, lanes);
}

SG_INLINE bool saddr_store(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                           enum sg_mem_elem e, unsigned lanes)
{
    return sg_va_store(w, &v[u->b], scalar_base(u, s), v[u->a], e, lanes);
}

#define LOAD_HANDLERS(NAME, ELEM)                                                                            \
    SG_HANDLER(global_load_##NAME, sg_mem_slow_load, load, w, u, v, ELEM, SG_MAX_LANES)                      \
    SG_HANDLER(global_load_##NAME##_low, sg_mem_slow_load, load, w, u, v, ELEM, SG_HALF_LANES)               \
    SG_HANDLER(saddr_load_##NAME, sg_mem_slow_load, saddr_load, w, u, v, s, ELEM, SG_MAX_LANES)              \
    SG_HANDLER(saddr_load_##NAME##_low, sg_mem_slow_load, saddr_load, w, u, v, s, ELEM, SG_HALF_LANES)       \
    SG_LOW(saddr_load_##NAME)
#define STORE_HANDLERS(NAME, ELEM)                                                                           \
    SG_HANDLER(global_store_##NAME, sg_mem_slow_store, store, w, u, v, ELEM, SG_MAX_LANES)                   \
    SG_HANDLER(global_store_##NAME##_low, sg_mem_slow_store, store, w, u, v, ELEM, SG_HALF_LANES)            \
    SG_HANDLER(saddr_store_##NAME, sg_mem_slow_store, saddr_store, w, u, v, s, ELEM, SG_MAX_LANES)           \
    SG_HANDLER(saddr_store_##NAME##_low, sg_mem_slow_store, saddr_store, w, u, v, s, ELEM, SG_HALF_LANES)    \
    SG_LOW(saddr_store_##NAME)
/* Not part of the handlers below, which would save registers for it first. */
static __attribute__((noinline)) int global_load_b32_low(SG_ARGS);
static __attribute__((noinline)) int global_store_b32_low(SG_ARGS);
SG_LOAD_ELEMS(LOAD_HANDLERS)
SG_STORE_ELEMS(STORE_HANDLERS)

/* ---- Wavefronts of 32 lanes whose dwords lie in lane order: what does not fit goes on in the handler for all cases,
 * which takes longer to begin and to end than these take together. ---- */

/* All lanes are active, 64-bit addresses rise by 4, and the range is cached: where in host memory; else NULL. */
SG_INLINE uint8_t *dwords_in_order(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, uint32_t need)
{
    enum { BYTES = SG_HALF_LANES * 4 };
    const uint32_t *low = v[u->a], *high = v[u->a + 1], o = low[0], h = high[0];
    uint32_t bad = 0;
    if (!sg_all_active(w, SG_HALF_LANES) || o > UINT32_MAX - BYTES || h >= 1u << 15)
        return NULL;
    SG_VECTORIZE
    for (uint32_t i = 0; i < SG_HALF_LANES; i++)
        bad |= (low[i] - (o + i * 4)) | (high[i] ^ h);
    const uint64_t va = ((uint64_t)h << 32 | o) + (uint64_t)(int64_t)u->imm;
    return bad ? NULL : sg_host_in(sg_tlb_hit(w->tlb, va), va, BYTES, need);
}

static int global_load_b32_row(SG_ARGS)
{
    const uint8_t *p = dwords_in_order(w, u, v, SG_RANGE_READ);
    if (!p) __attribute__
        ((musttail)) return global_load_b32_low(w, u, v, s);
    memcpy(v[u->d], p, SG_HALF_LANES * sizeof v[0][0]);
    SG_NEXT();
}

static int global_store_b32_row(SG_ARGS)
{
    uint8_t *p = dwords_in_order(w, u, v, SG_RANGE_WRITE);
    if (!p) __attribute__
        ((musttail)) return global_store_b32_low(w, u, v, s);
    sg_store_dwords(p, v[u->b], SG_HALF_LANES);
    SG_NEXT();
}

#define LOW_LOAD(NAME, ELEM)                                                                                 \
    SG_LOW_IS(global_load_##NAME, ELEM == SG_ELEM_B32 ? global_load_b32_row : global_load_##NAME##_low)
#define LOW_STORE(NAME, ELEM)                                                                                \
    SG_LOW_IS(global_store_##NAME, ELEM == SG_ELEM_B32 ? global_store_b32_row : global_store_##NAME##_low)
SG_LOAD_ELEMS(LOW_LOAD)
SG_STORE_ELEMS(LOW_STORE)

#define GLOBAL_LOAD(NAME, ELEM) [ELEM] = global_load_##NAME,
#define SADDR_LOAD(NAME, ELEM) [ELEM] = saddr_load_##NAME,
#define GLOBAL_STORE(NAME, ELEM) [ELEM] = global_store_##NAME,
#define SADDR_STORE(NAME, ELEM) [ELEM] = saddr_store_##NAME,
const sg_fn sg_global_loads[SG_ELEMS] = {SG_LOAD_ELEMS(GLOBAL_LOAD)};
const sg_fn sg_saddr_loads[SG_ELEMS] = {SG_LOAD_ELEMS(SADDR_LOAD)};
const sg_fn sg_global_stores[SG_ELEMS] = {SG_STORE_ELEMS(GLOBAL_STORE)};
const sg_fn sg_saddr_stores[SG_ELEMS] = {SG_STORE_ELEMS(SADDR_STORE)};
