/*
 * mem_flat.c - loads and stores of flat_* instructions. Lanes that all point into one aperture, or all into
 * none, are handled here; a mixture takes the slow path.
 */
#include "mem_interleave.h"

enum flat_kind { FLAT_GLOBAL, FLAT_LDS, FLAT_PRIVATE, FLAT_MIXED };

/* What the upper address halves say. An offset that carries into them counts as mixed. */
SG_INLINE enum flat_kind flat_kind(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, unsigned lanes)
{
    const uint32_t *high = v[u->a + 1];
    const uint64_t h = high[sg_first_lane(w->exec)];
    if (!sg_lanes_uniform(high, w->xm, w->exec, lanes))
        return FLAT_MIXED;
    if (h < 1u << 15) /* GPU addresses have 47 bits */
        return FLAT_GLOBAL;
    if ((uint64_t)sg_lanes_max(v[u->a], w->xm, lanes) + (uint32_t)u->imm > UINT32_MAX)
        return FLAT_MIXED;
    return h == sg_aperture(w, true) >> 32    ? FLAT_LDS
           : h == sg_aperture(w, false) >> 32 ? FLAT_PRIVATE
                                              : FLAT_MIXED;
}

SG_INLINE uint64_t flat_base(const struct sg_wave *w, const struct sg_uop *u, sg_rows v)
{
    return ((uint64_t)v[u->a + 1][sg_first_lane(w->exec)] << 32) + (uint32_t)u->imm;
}

/* Host pointer such that lane i is at the result + off[i]; NULL when a lane is beyond the LDS: a fault. */
SG_INLINE uint8_t *lds_span(const struct sg_wave *w, const struct sg_uop *u, const uint32_t *off,
                            unsigned bytes, unsigned lanes)
{
    bool inside = (uint64_t)sg_lanes_max(off, w->xm, lanes) + (uint32_t)u->imm + bytes <= w->wg->lds_bytes;
    return inside ? w->wg->lds + (uint32_t)u->imm : NULL;
}

SG_INLINE bool fast_load(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                         enum sg_mem_elem e, unsigned lanes)
{
    const uint32_t *off = v[u->a];
    const uint8_t *lds;
    switch (flat_kind(w, u, v, lanes)) {
    case FLAT_GLOBAL:
        return sg_va_load(w, &v[u->d], flat_base(w, u, v), off, e, lanes);
    case FLAT_PRIVATE:
        return sg_private_load(w, &v[u->d], sg_scratch_base(w, s), off, (uint32_t)u->imm, sg_scratch_limit(w),
                               e, lanes);
    case FLAT_LDS:
        lds = lds_span(w, u, off, sg_elem_bytes(e), lanes);
        if (!lds)
            return false;
        if (sg_lanes_uniform(off, w->xm, w->exec, lanes))
            sg_broadcast(w, &v[u->d], lds + off[sg_first_lane(w->exec)], e, SG_OWN_LDS, lanes);
        else
            sg_gather(w, &v[u->d], lds, off, e, SG_OWN_LDS, lanes);
        return true;
    default:
        return false;
    }
}

SG_INLINE bool fast_store(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                          enum sg_mem_elem e, unsigned lanes)
{
    const uint32_t *off = v[u->a];
    uint8_t *lds;
    switch (flat_kind(w, u, v, lanes)) {
    case FLAT_GLOBAL:
        return sg_va_store(w, &v[u->b], flat_base(w, u, v), off, e, lanes);
    case FLAT_PRIVATE:
        return sg_private_store(w, &v[u->b], sg_scratch_base(w, s), off, (uint32_t)u->imm,
                                sg_scratch_limit(w), e, lanes);
    case FLAT_LDS:
        lds = lds_span(w, u, off, sg_elem_bytes(e), lanes);
        if (!lds)
            return false;
        sg_scatter(w, &v[u->b], lds, off, e, SG_OWN_LDS, lanes);
        return true;
    default:
        return false;
    }
}

#define LOAD_HANDLER(NAME, ELEM) SG_FAST_HANDLERS(flat_load_##NAME, sg_mem_slow_load, fast_load, ELEM)
#define STORE_HANDLER(NAME, ELEM) SG_FAST_HANDLERS(flat_store_##NAME, sg_mem_slow_store, fast_store, ELEM)
SG_LOAD_ELEMS(LOAD_HANDLER)
SG_STORE_ELEMS(STORE_HANDLER)

#define LOAD_ENTRY(NAME, ELEM) [ELEM] = flat_load_##NAME,
#define STORE_ENTRY(NAME, ELEM) [ELEM] = flat_store_##NAME,
const sg_fn sg_flat_loads[SG_ELEMS] = {SG_LOAD_ELEMS(LOAD_ENTRY)};
const sg_fn sg_flat_stores[SG_ELEMS] = {SG_STORE_ELEMS(STORE_ENTRY)};
