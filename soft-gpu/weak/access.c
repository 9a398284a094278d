/*
 * access.c - what a wavefront's memory instructions see and leave behind.
 */
#include "internal.h"

enum {
    EVICT_ONE_IN = 16, /* instructions that hit in the L1, for each line that is evicted by chance */
    STALE_ONE_IN = 2,  /* misses that find what the line was, if the unit may have it */
};

void sg_weak_at(struct sg_weak_wave *v, uint64_t pc, unsigned lane)
{
    v->place.pc = pc;
    v->place.lane = lane;
}

bool sg_weak_found(struct sg_weak_wave *v, struct sg_weak_finding *out)
{
    const bool has = v->has_found;
    if (has)
        *out = v->found;
    v->has_found = false;
    return has;
}

void sg_weak_issue(struct sg_weak_wave *v)
{
    v->issued++;
    if (v->n && v->issued > VMCNT_MOST)
        wave_arrive_until(v, v->issued - VMCNT_MOST);
}

/* ---- Loads ---- */

/* The line goes from the cache, which has nothing older from now on. */
static void forget_line(struct sg_weak *w, struct cache *c, uint64_t at)
{
    struct line *l = cache_line(c, at);
    if (l) {
        l->mask = 0;
        l->since = w->now;
    }
}

/* The line as the cache comes to have it, when it is loaded anew: as it is now, or was. */
static void fetch(struct sg_weak_wave *v, const struct cache *c, struct line *l, uint64_t at,
                  uint8_t data[LINE])
{
    struct sg_weak *w = v->w;
    const uint64_t since = l->since > c->emptied ? l->since : c->emptied;
    line_view(w, v->die, at, data);
    const struct old *o = old_find(w, v->die, at, since);
    if (o && weak_random(w, STALE_ONE_IN))
        memcpy(data, o->data, LINE);
    else
        l->since = w->now;
}

/* Through a cache, and `next` behind it (NULL: the L2): whole lines are filled. `again`: another lane of the
 * instruction. */
static void load_through(struct sg_weak_wave *v, struct cache *c, struct cache *next, uint64_t at,
                         uint64_t mask, bool again, uint8_t data[LINE])
{
    struct sg_weak *w = v->w;
    if (HASH_COUNT(c->lines) >= L1_LINES)
        cache_empty(w, c);
    c->loaded = true;
    struct line *l = cache_line(c, at);
    if (l && l->mask && !again && !weak_random(w, EVICT_ONE_IN))
        l->mask = 0;
    if (l && !(mask & ~l->mask)) {
        memcpy(data, l->data, LINE);
        return;
    }
    if (next)
        load_through(v, next, NULL, at, ~0ull, again, data);
    else if (l)
        fetch(v, c, l, at, data);
    else
        line_view(w, v->die, at, data);
    if (!l)
        return;
    copy_bytes(l->data, data, ~l->mask);
    l->mask = ~0ull;
    memcpy(data, l->data, LINE);
}

/* Whether the wavefront's last load through a cache was of this line and instruction. */
static bool is_again(struct sg_weak_wave *v, uint64_t at)
{
    const bool again = v->hit_issue == v->issued && v->hit_at == at;
    v->hit_issue = v->issued;
    v->hit_at = at;
    return again;
}

static void load_vector(struct sg_weak_wave *v, uint64_t at, uint64_t mask, enum sg_weak_past past,
                        uint8_t data[LINE])
{
    struct sg_weak *w = v->w;
    struct cache *l1 = &w->l1[v->unit], *shared = weak_shared(w, v->unit);
    if (past == SG_WEAK_PAST) {
        line_view(w, v->die, at, data);
        forget_line(w, l1, at);
        if (shared)
            forget_line(w, shared, at);
    } else if (past == SG_WEAK_PAST_NEAR && shared) {
        forget_line(w, l1, at);
        load_through(v, shared, NULL, at, mask, is_again(v, at), data);
    } else {
        load_through(v, l1, shared, at, mask, is_again(v, at), data);
    }
}

/* What the wavefront or one of its mates has stored lies over what it loads. */
static void lay_own_over(const struct sg_weak_wave *v, uint64_t at, uint8_t data[LINE])
{
    const struct sg_weak_wave *m = v;
    do
        for (unsigned i = 0; i < m->n; i++)
            if (m->op[i].kind == STORE && m->op[i].at == at)
                copy_bytes(data, m->op[i].store.data, m->op[i].store.mask);
    while ((m = m->mate) != v);
}

void sg_weak_load(struct sg_weak_wave *v, uint64_t va, unsigned n, enum sg_weak_past past, void *out)
{
    uint8_t data[LINE], *to = out;
    for (unsigned part; n; n -= part, va += part, to += part) {
        const uint64_t at = va / LINE;
        const unsigned offset = (unsigned)(va % LINE);
        part = in_line(va, n);
        wave_arrive_line(v, at, RMW);
        mates_arrive_line(v, at, 0);
        load_vector(v, at, bytes_mask(offset, part), past, data);
        lay_own_over(v, at, data);
        memcpy(to, data + offset, part);
        if (v->w->history && !is_uncached(v->w, at))
            history_load(v, va, part, past == SG_WEAK_PAST ? BYPASS : VECTOR, to);
    }
}

void sg_weak_scalar_load(struct sg_weak_wave *v, uint64_t va, unsigned n, void *out)
{
    uint8_t data[LINE], *to = out;
    for (unsigned part; n; n -= part, va += part, to += part) {
        part = in_line(va, n);
        v->hit_issue = 0; /* a scalar load is no instruction of the vector memory */
        load_through(v, &v->w->scalar[v->die], NULL, va / LINE, bytes_mask((unsigned)(va % LINE), part),
                     is_again(v, va / LINE), data);
        memcpy(to, data + va % LINE, part);
        if (v->w->history && !is_uncached(v->w, va / LINE))
            history_load(v, va, part, SCALAR, to);
    }
}

/* ---- Stores ---- */

/* Room for one more operation. */
static struct op *add(struct sg_weak_wave *v, enum kind kind, uint64_t at)
{
    if (v->n == UNDER_WAY)
        wave_arrive(v, weak_random(v->w, v->n));
    struct op *op = &v->op[v->n++];
    *op = (struct op){
        .kind = kind, .die = v->die, .unit = v->unit, .at = at, .issue = v->issued, .node = v->node};
    return op;
}

static struct op *store_of(struct sg_weak_wave *v, uint64_t at, bool through)
{
    for (unsigned i = 0; i < v->n; i++)
        if (v->op[i].kind == STORE && v->op[i].at == at) {
            if (v->op[i].store.through == through)
                return &v->op[i];
            wave_arrive(v, i);
            break;
        }
    struct op *op = add(v, STORE, at);
    op->store.through = through;
    return op;
}

void sg_weak_store(struct sg_weak_wave *v, uint64_t va, unsigned n, bool through, const void *data)
{
    const uint8_t *from = data;
    for (unsigned part; n; n -= part, va += part, from += part) {
        const unsigned offset = (unsigned)(va % LINE);
        part = in_line(va, n);
        wave_arrive_line(v, va / LINE, RMW);
        mates_arrive_line(v, va / LINE, bytes_mask(offset, part));
        if (v->w->history && !is_uncached(v->w, va / LINE)) {
            uint8_t before[LINE];
            line_view(v->w, v->die, va / LINE, before);
            history_store(v->w->history, v, va, part, through, from, before);
        }
        struct op *op = store_of(v, va / LINE, through);
        memcpy(op->store.data + offset, from, part);
        op->store.mask |= bytes_mask(offset, part);
    }
}

/* Those of earlier instructions come first; lanes of one instruction have no order. */
static void after_earlier_rmw(struct sg_weak_wave *v, uint64_t at)
{
    for (unsigned i = 0; i < v->n;)
        if (v->op[i].kind == RMW && v->op[i].at == at && v->op[i].issue < v->issued) {
            wave_arrive(v, i);
            i = 0;
        } else {
            i++;
        }
}

uint64_t sg_weak_rmw(struct sg_weak_wave *v, uint64_t va, unsigned op, bool wide, uint64_t a, uint64_t b,
                     bool returns)
{
    const uint64_t at = va / LINE;
    struct op now = {.kind = RMW, .die = v->die, .unit = v->unit, .at = at, .node = v->node};
    wave_arrive_line(v, at, STORE);
    mates_arrive_line(v, at, bytes_mask((unsigned)(va % LINE), wide ? 8 : 4));
    if (returns)
        wave_arrive_line(v, at, RMW);
    else
        after_earlier_rmw(v, at);
    struct op *o = returns ? &now : add(v, RMW, at);
    o->rmw.va = va;
    o->rmw.op = op;
    o->rmw.wide = wide;
    o->rmw.a = a;
    o->rmw.b = b;
    o->when = history_now(v->w->history);
    o->pc = v->place.pc;
    o->lane = (uint8_t)v->place.lane;
    if (returns)
        return rmw_now(v->w, o, v->node);
    for (unsigned i = 0; v->w->history && !is_uncached(v->w, at) && i < (wide ? 8 : 4); i += 4)
        history_rmw_comes(v->w->history, va + i);
    return 0;
}

/* ---- Waits and cache controls ---- */

/* On gfx9 LLVM lets a wavefront release by a wait for its own stores what others of its work-group have stored before a barrier, where
 * it puts no wait (SIMemoryLegalizer: "The L1 cache keeps all memory operations in order for wavefronts in the same work-group").
 * On gfx10 and later it does not count on that any more (LLVM pull request 161638). */
static void wait_for_mates(struct sg_weak_wave *v)
{
    for (struct sg_weak_wave *m = v->mate; m != v; m = m->mate)
        wave_arrive_until(m, m->met);
}

void sg_weak_wait(struct sg_weak_wave *v, unsigned left)
{
    if (v->issued > left)
        wave_arrive_until(v, v->issued - left);
    if (!left && !v->w->config.pairs)
        wait_for_mates(v);
}

void sg_weak_write_back(struct sg_weak_wave *v)
{
    v->issued++;
    (void)add(v, WRITE_BACK, 0);
}

void sg_weak_invalidate(struct sg_weak_wave *v)
{
    sg_weak_invalidate_near(v);
    sg_weak_invalidate_shared(v);
    if (!v->w->shared)
        cache_empty(v->w, &v->w->l1[v->unit]);
}

void sg_weak_invalidate_near(struct sg_weak_wave *v)
{
    if (v->w->shared)
        cache_empty(v->w, &v->w->l1[v->unit]);
}

void sg_weak_invalidate_shared(struct sg_weak_wave *v)
{
    struct cache *shared = weak_shared(v->w, v->unit);
    if (shared)
        cache_empty(v->w, shared);
}

void sg_weak_grid_barrier(struct sg_weak_wave *v)
{
    struct cache *c = &v->w->l1[v->unit], *shared = weak_shared(v->w, v->unit);
    if (!c->loaded)
        cache_empty(v->w, c);
    if (shared && !shared->loaded)
        cache_empty(v->w, shared);
}

void sg_weak_invalidate_scalar(struct sg_weak_wave *v)
{
    cache_empty(v->w, &v->w->scalar[v->die]);
}

void sg_weak_settle(struct sg_weak_wave *v)
{
    wave_arrive_until(v, v->issued);
    mates_arrive(v);
    l2_write_back(v->w, v->die);
    sg_weak_invalidate(v);
}
