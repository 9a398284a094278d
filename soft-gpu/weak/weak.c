/*
 * weak.c - the object, packets, and wavefronts that begin and end.
 */
#include "internal.h"

#include <stdlib.h>

enum {
    ARRIVE_ONE_IN = 8, /* turns of a wavefront, for each of its operations that arrives by itself */
    ORPHAN_ONE_IN = 8, /* the same for those of wavefronts that have ended */
    EVICT_ONE_IN =
        64, /* turns, for each line that leaves an L2 by itself: so that who polls for it can end */
    SWITCH_ONE_IN = 32 /* turns after which another wavefront runs */
};

static unsigned n_pairs(const struct sg_weak *w)
{
    return (w->config.dies * w->config.units + 1) / 2;
}

struct sg_weak *sg_weak_create(const struct sg_weak_config *config)
{
    struct sg_weak *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->config = *config;
    w->random = config->seed * 0x9E3779B97F4A7C15ull + 1;
    w->l1 = calloc((size_t)config->dies * config->units, sizeof *w->l1);
    w->shared = config->pairs ? calloc(n_pairs(w), sizeof *w->shared) : NULL;
    w->l2 = calloc(config->dies, sizeof *w->l2);
    w->scalar = calloc(config->dies, sizeof *w->scalar);
    w->on_unit = calloc((size_t)config->dies * config->units, sizeof *w->on_unit);
    pthread_mutex_init(&w->lock, NULL);
    sg_tlb_init(&w->tlb, config->mem);
    w->history = config->follow ? history_create() : NULL;
    if (w->l1 && (w->shared || !config->pairs) && w->l2 && w->scalar && w->on_unit &&
        (w->history || !config->follow))
        return w;
    sg_weak_destroy(w);
    return NULL;
}

static void empty_all(struct sg_weak *w, struct cache *c, unsigned n)
{
    for (unsigned i = 0; c && i < n; i++)
        cache_empty(w, &c[i]);
}

void sg_weak_destroy(struct sg_weak *w)
{
    if (!w)
        return;
    empty_all(w, w->l1, w->config.dies * w->config.units);
    empty_all(w, w->shared, n_pairs(w));
    empty_all(w, w->l2, w->config.dies);
    empty_all(w, w->scalar, w->config.dies);
    old_forget_all(w);
    history_destroy(w->history);
    pthread_mutex_destroy(&w->lock);
    free(w->l1);
    free(w->shared);
    free(w->l2);
    free(w->scalar);
    free(w->on_unit);
    free(w);
}

void sg_weak_acquire(struct sg_weak *w, enum sg_weak_scope scope)
{
    if (scope == SG_WEAK_NONE)
        return;
    pthread_mutex_lock(&w->lock);
    empty_all(w, w->l1, w->config.dies * w->config.units);
    empty_all(w, w->shared, n_pairs(w));
    empty_all(w, w->scalar, w->config.dies);
    pthread_mutex_unlock(&w->lock);
}

void sg_weak_release(struct sg_weak *w, enum sg_weak_scope scope)
{
    /* With one L2 all of the agent see the same. */
    if (scope == SG_WEAK_NONE || (scope == SG_WEAK_AGENT && w->config.dies == 1))
        return;
    pthread_mutex_lock(&w->lock);
    for (unsigned i = 0; i < w->config.dies; i++)
        l2_write_back(w, i);
    pthread_mutex_unlock(&w->lock);
}

void sg_weak_arrive(struct sg_weak *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->n_orphans)
        orphan_arrive(w, weak_random(w, w->n_orphans));
    if (w->history)
        history_dispatch_ended(w->history);
    pthread_mutex_unlock(&w->lock);
}

struct sg_weak_wave *sg_weak_wave_create(struct sg_weak *w)
{
    struct sg_weak_wave *v = calloc(1, sizeof *v);
    if (v) {
        v->w = w;
        v->mate = v;
    }
    return v;
}

void sg_weak_wave_free(struct sg_weak_wave *v)
{
    free(v);
}

/* It comes to its unit, and to those of its work-group that are there. */
static void come(struct sg_weak_wave *v)
{
    struct sg_weak_wave **all = &v->w->on_unit[v->unit], *m = *all;
    while (m && m->place.group != v->place.group)
        m = m->next;
    if (m) {
        v->mate = m->mate;
        m->mate = v;
    }
    v->next = *all;
    *all = v;
}

static void leave(struct sg_weak_wave *v)
{
    struct sg_weak_wave **at = &v->w->on_unit[v->unit], *m = v;
    while (*at && *at != v)
        at = &(*at)->next;
    if (!*at) /* it has not begun */
        return;
    *at = v->next;
    while (m->mate != v)
        m = m->mate;
    m->mate = v->mate;
    v->mate = v;
}

void sg_weak_wave_begin(struct sg_weak_wave *v, unsigned die, unsigned unit, uint64_t group, unsigned wave)
{
    v->die = die;
    v->unit = die * v->w->config.units + unit;
    v->issued = 0;
    v->hit_issue = 0;
    v->met = 0;
    v->n = 0;
    v->place = (struct sg_weak_place){.group = group, .wave = wave};
    v->has_found = false;
    pthread_mutex_lock(&v->w->lock);
    come(v);
    if (v->w->history)
        history_begin(v->w->history, v);
    pthread_mutex_unlock(&v->w->lock);
}

void sg_weak_barrier(struct sg_weak_wave *const *v, unsigned n)
{
    struct sg_weak *w = v[0]->w;
    if (n < 2)
        return;
    pthread_mutex_lock(&w->lock);
    for (unsigned i = 0; i < n; i++)
        v[i]->met = v[i]->issued;
    if (w->history)
        history_barrier(w->history, v, n);
    pthread_mutex_unlock(&w->lock);
}

void sg_weak_wave_end(struct sg_weak_wave *v)
{
    struct sg_weak *w = v->w;
    pthread_mutex_lock(&w->lock);
    wave_arrive_line(v, 0, WRITE_BACK); /* the others need no order any more */
    while (v->n) {
        if (w->n_orphans == ORPHANS)
            orphan_arrive(w, weak_random(w, ORPHANS));
        w->orphan[w->n_orphans++] = v->op[--v->n];
    }
    leave(v);
    if (w->history)
        history_end(w->history, v);
    pthread_mutex_unlock(&w->lock);
}

bool sg_weak_turn(struct sg_weak_wave *v)
{
    struct sg_weak *w = v->w;
    pthread_mutex_lock(&w->lock);
    if (v->n && !weak_random(w, ARRIVE_ONE_IN))
        wave_arrive(v, weak_random(w, v->n));
    if (w->n_orphans && !weak_random(w, ORPHAN_ONE_IN))
        orphan_arrive(w, weak_random(w, w->n_orphans));
    if (!weak_random(w, EVICT_ONE_IN)) {
        const unsigned die = weak_random(w, w->config.dies);
        if (w->l2[die].lines)
            l2_write_line(w, die, w->l2[die].lines);
    }
    const bool other = !weak_random(w, SWITCH_ONE_IN);
    pthread_mutex_unlock(&w->lock);
    return other;
}

void sg_weak_lock(struct sg_weak_wave *v)
{
    pthread_mutex_lock(&v->w->lock);
}

void sg_weak_unlock(struct sg_weak_wave *v)
{
    pthread_mutex_unlock(&v->w->lock);
}
