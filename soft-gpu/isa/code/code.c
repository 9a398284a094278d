/*
 * code.c - decoded code of a kernel: found by address, shared, freed.
 */
#include <stdlib.h>
#include <string.h>
#include "code_state.h"
#include "common/vector.h"

static atomic_ullong next_serial = 1;

const struct sg_code_entry *sg_code_find(struct sg_code *c, uint64_t pc)
{
    const struct sg_code_entry *e =
        sg_find_indirect(atomic_load_explicit(&c->indirect, memory_order_acquire), pc);
    if (e)
        return e;
    pthread_mutex_lock(&c->lock);
    e = sg_find_indirect(atomic_load(&c->indirect), pc);
    if (!e) {
        struct sg_known *k = c->decode(c, pc);
        if (k && sg_add_indirect(c, &k->entry))
            e = &k->entry;
    }
    pthread_mutex_unlock(&c->lock);
    return e;
}

uint64_t sg_code_base(const struct sg_code *c)
{
    return c->base;
}

const uint64_t *sg_code_windows(const struct sg_code *c)
{
    return c->windows;
}

static void code_free(struct sg_code *c)
{
    struct sg_known *k, *tmp;
    HASH_ITER(hh, c->known, k, tmp)
    {
        HASH_DEL(c->known, k);
        free(k);
    }
    for (struct sg_chunk *p = c->chunks, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    for (struct sg_indexed *p = c->indexed, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    for (struct sg_indirect *p = atomic_load(&c->indirect), *next; p; p = next) {
        next = p->older;
        free(p);
    }
    free(c->constants);
    free(c->constant_hash[0]);
    free(c->constant_hash[1]);
    free(c->work);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct sg_code *sg_code_new(struct gcn_target target, const struct sg_code_source *source, uint64_t base,
                            unsigned observers, sg_decode_fn decode)
{
    struct sg_code *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->target = target;
    c->source = *source;
    c->base = base;
    c->observers = observers;
    c->decode = decode;
    c->serial = atomic_fetch_add(&next_serial, 1);
    c->lo = UINT64_MAX;
    atomic_init(&c->references, 1);
    pthread_mutex_init(&c->lock, NULL);
    if (source->mem)
        sg_tlb_init(&c->tlb, source->mem);
    /* Large and mostly untouched: the pages of calloc appear when they are used. */
    c->constants = calloc(SG_MAX_CONSTS + 2, sizeof *c->constants);
    c->constant_hash[0] = calloc(CONST_SLOTS, sizeof(uint32_t));
    c->constant_hash[1] = calloc(CONST_SLOTS, sizeof(uint32_t));
    if (!c->constants || !c->constant_hash[0] || !c->constant_hash[1]) {
        code_free(c);
        return NULL;
    }
    return c;
}

void sg_code_retain(struct sg_code *c)
{
    atomic_fetch_add(&c->references, 1);
}

void sg_code_release(struct sg_code *c)
{
    if (c && atomic_fetch_sub(&c->references, 1) == 1)
        code_free(c);
}

bool sg_code_overlaps(struct sg_code *c, uint64_t va, uint64_t size)
{
    uint64_t end = va + size < va ? UINT64_MAX : va + size;
    pthread_mutex_lock(&c->lock);
    bool overlaps = c->lo < end && va < c->hi;
    pthread_mutex_unlock(&c->lock);
    return overlaps;
}

bool sg_code_load_constants(struct sg_code *c, struct sg_wave *w)
{
    unsigned n = atomic_load_explicit(&c->n_constants, memory_order_acquire);
    if (w->code_serial != c->serial) {
        w->code_serial = c->serial;
        w->constants_loaded = 0;
    }
    if (SG_FIRST_CONST + n > w->s_size) {
        uint32_t size = (SG_FIRST_CONST + n + 255u) / 256 * 256;
        if (!LS_RESERVE(w->s, size))
            return false;
        w->s_size = size;
    }
    memcpy(w->s + SG_FIRST_CONST + w->constants_loaded, c->constants + w->constants_loaded,
           (n - w->constants_loaded) * sizeof *w->s);
    w->constants_loaded = n;
    return true;
}

bool sg_code_is_indexed(struct sg_code *c)
{
    pthread_mutex_lock(&c->lock);
    bool is = c->indexed != NULL;
    pthread_mutex_unlock(&c->lock);
    return is;
}

unsigned sg_code_words(struct sg_code *c, uint64_t pc, uint32_t words[GCN_WORDS])
{
    pthread_mutex_lock(&c->lock);
    unsigned n = sg_code_fetch(c, pc, words);
    pthread_mutex_unlock(&c->lock);
    return n;
}

void sg_code_count_to(struct sg_code *c, struct sg_wave *w, uint64_t pc)
{
    pthread_mutex_lock(&c->lock);
    struct sg_known *k = sg_code_known(c, pc);
    for (unsigned mode = 1; !k && mode < 4; mode++)
        k = sg_code_known(c, pc | mode);
    if (k) {
        w->n_inst += (uint64_t)(int64_t)k->entry.number;
        sg_count_lanes(w, k->entry.vectors);
    }
    pthread_mutex_unlock(&c->lock);
}
