/*
 * arrive.c - operations that were under way take effect, in an order that nobody can rely on.
 */
#include "internal.h"

#include <time.h>

enum {
    EVICT_ONE_IN = 32, /* stores that arrive, for each dirty line that leaves the L2 by itself */
    LOOK_ONE_IN = 16,  /* stores to memory that the host reads too, for each time that it may look */
    LOOK_NS = 2000000,
};

/* Caches are written through; what else they have of the line stays as it is. */
static void into_cache(struct sg_weak *w, struct cache *c, const struct op *op, const uint8_t *data,
                       uint64_t mask)
{
    if (HASH_COUNT(c->lines) >= L1_LINES)
        cache_empty(w, c);
    struct line *l = cache_line(c, op->at);
    if (!l)
        return;
    if (data) {
        copy_bytes(l->data, data, mask);
        l->mask |= mask;
    } else {
        l->mask &= ~mask;
    }
    l->since = w->now;
}

/* The other unit of a pair keeps what it has. */
static void into_l1(struct sg_weak *w, const struct op *op, const uint8_t *data, uint64_t mask)
{
    struct cache *shared = weak_shared(w, op->unit);
    into_cache(w, &w->l1[op->unit], op, data, mask);
    if (shared)
        into_cache(w, shared, op, data, mask);
}

static void into_l2(struct sg_weak *w, const struct op *op)
{
    struct cache *c = &w->l2[op->die];
    struct line *l = cache_line(c, op->at);
    if (!l)
        return;
    copy_bytes(l->data, op->store.data, op->store.mask);
    l->mask |= op->store.mask;
    if (HASH_COUNT(c->lines) > L2_LINES || !weak_random(w, EVICT_ONE_IN))
        l2_write_line(w, op->die, c->lines);
}

static void into_memory(struct sg_weak *w, const struct op *op)
{
    uint8_t *host = line_host(w, op->at);
    struct line *dirty = cache_find(&w->l2[op->die], op->at);
    if (host)
        line_write(host, op->store.data, op->store.mask);
    if (dirty && !(dirty->mask &= ~op->store.mask))
        cache_drop(&w->l2[op->die], dirty);
}

static void store_arrive(struct sg_weak *w, const struct op *op)
{
    const bool through = op->store.through || is_uncached(w, op->at);
    old_keep(w, op->at, through ? ALL_DIES : (int)op->die, ALL_DIES);
    w->now++;
    into_l1(w, op, op->store.data, op->store.mask);
    if (through)
        into_memory(w, op);
    else
        into_l2(w, op);
}

uint64_t rmw_now(struct sg_weak *w, const struct op *op, uint32_t reader)
{
    struct line *dirty = cache_find(&w->l2[op->die], op->at);
    if (dirty)
        l2_write_line(w, op->die, dirty);
    uint8_t *host = line_host(w, op->at);
    if (!host)
        return 0;
    const unsigned offset = (unsigned)(op->rmw.va % LINE);
    old_keep(w, op->at, ALL_DIES, ALL_DIES);
    w->now++;
    into_l1(w, op, NULL, bytes_mask(offset, op->rmw.wide ? 8 : 4));
    const uint64_t before = w->config.rmw(host + offset, op->rmw.op, op->rmw.wide, op->rmw.a, op->rmw.b);
    for (unsigned i = 0; w->history && !is_uncached(w, op->at) && i < (op->rmw.wide ? 8 : 4); i += 4) {
        uint32_t now;
        memcpy(&now, host + offset + i, sizeof now);
        history_rmw(w->history, op, op->rmw.va + i, now, reader);
    }
    return before;
}

static void op_arrive(struct sg_weak *w, const struct op *op)
{
    switch (op->kind) {
    case STORE:
        store_arrive(w, op);
        break;
    case RMW:
        (void)rmw_now(w, op, 0);
        break;
    case WRITE_BACK:
        l2_write_back(w, op->die);
        break;
    }
}

/* Some stores have arrived and others have not. On hardware that lasts as long as the link takes, here no time at all
 * unless we take it: a reader on another thread of the host would never meet it. */
static void let_host_look(void)
{
    const struct timespec t = {0, LOOK_NS};
    nanosleep(&t, NULL);
}

/* Each channel of the L2 takes what a compute unit sends in its order: a write-back goes behind what the others of the work-group have
 * stored, too. */
void mates_arrive(struct sg_weak_wave *v)
{
    for (struct sg_weak_wave *m = v->mate; m != v; m = m->mate)
        for (unsigned i = 0; i < m->n;)
            if (m->op[i].kind == WRITE_BACK)
                i++;
            else
                wave_arrive(m, i);
}

void wave_arrive(struct sg_weak_wave *v, unsigned i)
{
    const struct op op = v->op[i];
    v->op[i] = v->op[--v->n];
    if (op.kind == WRITE_BACK) { /* it goes behind all that was stored before */
        wave_arrive_until(v, op.issue - 1);
        mates_arrive(v);
    }
    op_arrive(v->w, &op);
    if (v->n && op.kind == STORE && is_uncached(v->w, op.at) && !weak_random(v->w, LOOK_ONE_IN))
        let_host_look();
}

void wave_arrive_line(struct sg_weak_wave *v, uint64_t at, enum kind kind)
{
    for (unsigned i = 0; i < v->n;)
        if (v->op[i].at == at && v->op[i].kind == kind) {
            wave_arrive(v, i);
            i = 0;
        } else {
            i++;
        }
}

void mates_arrive_line(struct sg_weak_wave *v, uint64_t at, uint64_t mask)
{
    for (struct sg_weak_wave *m = v->mate; m != v; m = m->mate)
        for (unsigned i = 0; i < m->n;) {
            const struct op *op = &m->op[i];
            if (op->at != at || op->kind == WRITE_BACK || (op->kind == STORE && !(op->store.mask & mask)))
                i++;
            else
                wave_arrive(m, i);
        }
}

void wave_arrive_until(struct sg_weak_wave *v, uint64_t issue)
{
    unsigned due[UNDER_WAY], n;
    do {
        n = 0;
        for (unsigned i = 0; i < v->n; i++)
            if (v->op[i].issue <= issue)
                due[n++] = i;
        if (n)
            wave_arrive(v, due[weak_random(v->w, n)]);
    } while (n > 1);
}

void orphan_arrive(struct sg_weak *w, unsigned i)
{
    const struct op op = w->orphan[i];
    w->orphan[i] = w->orphan[--w->n_orphans];
    op_arrive(w, &op);
}
