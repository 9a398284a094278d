/*
 * evidence.h - summary mode: where a site's evidence lies, and whose it is (struct ls_evidence in lanescope/wire.h).
 */
#ifndef LS_EVIDENCE_H
#define LS_EVIDENCE_H

#include "device.h"

typedef GLOBAL struct ls_evidence *evidence_ptr;

static HOT inline evidence_ptr evidence_of(ctx_ptr ctx, uint32_t site)
{
    return (evidence_ptr)ctx->evidence + site + 1;
}

/* Number of a wavefront in the dispatch. */
static HOT inline uint32_t wave_number(wave_ptr w, ctx_ptr ctx)
{
    return (uint32_t)(((uint64_t)w - ctx->waves) / sizeof(struct ls_wave));
}

/* The upper half of the wavefront's words of evidence: the lower its number, the larger. */
static HOT inline uint32_t own_evidence(wave_ptr w, ctx_ptr ctx)
{
    return ~wave_number(w, ctx);
}

/* A word of a table as the scalar unit sees it. */
static HOT inline uint64_t seen(uint64_t word)
{
    return *(const CONSTANT uint64_t *)word;
}

/* Whether the host wants evidence of this wavefront's accesses of a site: no lower one has executed it. Once one has, it
 * stays so. */
static HOT inline _Bool is_wanted(wave_ptr w, ctx_ptr ctx, uint64_t evidence, uint32_t head)
{
    uint32_t offset = (head & HEAD_SITE) * (uint32_t)sizeof(struct ls_evidence);
    uint32_t owner = ~(uint32_t)(seen(evidence + offset) >> 32);
    OPAQUE(owner);
    return owner >= wave_number(w, ctx);
}

/* Adds accesses to the sum, if no lower wavefront has executed the site; one lane runs this. `mine`: the
 * upper half of this wavefront's words. Returns 1 at its first access of the site. */
static inline uint32_t add_access(GLOBAL uint64_t *sum, uint32_t mine, uint32_t mask)
{
    uint64_t have = LOAD(sum, AGENT), next = (uint64_t)mine << 32 | (uint32_t)(have + mask);
    uint32_t owner = (uint32_t)(have >> 32);
    if (owner < mine) {
        have = __hip_atomic_fetch_max(sum, (uint64_t)mine << 32 | mask, __ATOMIC_RELAXED, AGENT);
        return (uint32_t)(have >> 32) < mine;
    }
    if (owner == mine)
        __hip_atomic_compare_exchange_strong(sum, &have, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED, AGENT);
    return 0;
}

static HOT inline void put_evidence(GLOBAL uint64_t *word, uint32_t mine, uint32_t value)
{
    VECTOR(word);
    __hip_atomic_fetch_max(word, (uint64_t)mine << 32 | value, __ATOMIC_RELAXED, AGENT);
}

/* Keeps an access, made so many times by this wavefront, if no lower one has executed its site: the first of them. */
static HOT inline void keep_evidence(wave_ptr w, ctx_ptr ctx, mask_t exec, uint32_t head, uint32_t low,
                                     uint32_t high, uint32_t times)
{
    uint32_t mine = own_evidence(w, ctx), first = 0;
    evidence_ptr e = evidence_of(ctx, (head & HEAD_SITE) - 1);
    VECTOR(e);
    if (bits_below(exec) == 0)
        first = add_access(&e->sum, mine, LS_EVIDENCE_MASK(exec) * times);
    if (readfirstlane(first)) {
        uint32_t lane = bits_below(ALL_LANES);
        put_evidence(&e->exec[0], mine, (uint32_t)exec);
        put_evidence(&e->exec[1], mine, (uint32_t)((uint64_t)exec >> 32));
        put_evidence(&e->low[lane], mine, low);
        put_evidence(&e->high[lane], mine, high);
    }
}

#endif
