/*
 * bulk.c - checks what bulk_eval.c has found out about a dispatch, and does it.
 *
 * The stores of a plan may be done in any order because of what is checked here: no byte is stored twice, and
 * none that is stored is read. So each range of work-groups is independent of the others, and the outcome is
 * that of any order in which a GPU could run the wavefronts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bulk_move.h"
#include "bulk_plan.h"

enum {
    MIN_WAVES = 64,       /* fewer are done by the interpreter in no time */
    RUN_BYTES = 1 << 20,  /* of one sg_bulk_run: long against the lock, short against an abort */
    PAIR_CHECKS = 1 << 16 /* comparisons of stores that may overlap */
};

/* ---- Checks ---- */

/* The bytes that an access touches lie in [lo, hi). False: it wraps. */
static bool hull(const struct sg_bulk *p, struct sg_affine at, struct sg_items items, uint32_t bytes,
                 struct sg_range_read *out)
{
    struct sg_exact x;
    if (!sg_affine_exact(at, items, p->group_size, 64, false, &x))
        return false;
    *out = (struct sg_range_read){(uint64_t)x.least, (uint64_t)x.most + bytes};
    return true;
}

static bool overlap(struct sg_range_read a, struct sg_range_read b)
{
    return a.lo < b.hi && b.lo < a.hi;
}

static void widen(struct sg_range_read *a, struct sg_range_read b)
{
    a->lo = b.lo < a->lo ? b.lo : a->lo;
    a->hi = b.hi > a->hi ? b.hi : a->hi;
}

static bool mapped(struct sg_tlb *tlb, struct sg_range_read r, uint32_t need)
{
    for (uint64_t va = r.lo; va < r.hi;) {
        const struct sg_range *range = sg_tlb_range(tlb, va);
        if (!range || (range->flags & need) != need)
            return false;
        va = range->hi;
    }
    return true;
}

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* The work-items of one store do not overlap each other. */
static bool apart(const struct sg_bulk *p, const struct sg_bulk_store *s)
{
    const uint64_t group = magnitude(s->to.per_group), item = magnitude(s->to.per_item);
    const bool one_group = s->items.from / p->group_size == (s->items.to - 1) / p->group_size;
    if (s->items.to - s->items.from == 1)
        return true;
    if (item < s->bytes)
        return false;
    if (one_group)
        return true;
    /* Groups follow each other in the direction of the items, or lie further apart than a group is long. */
    return (s->to.per_group > 0) == (s->to.per_item > 0) && group >= item * p->group_size;
}

/* Residues of `distance` modulo `period` leave room for `bytes` on both sides. */
static bool interleaved(uint64_t distance, uint64_t period, uint64_t bytes)
{
    uint64_t r = period ? distance % period : 0;
    return period && r >= bytes && r <= period - bytes;
}

/* Two stores whose ranges overlap touch different bytes all the same. */
static bool disjoint(const struct sg_bulk *p, const struct sg_bulk_store *a, const struct sg_bulk_store *b)
{
    if (!sg_affine_same_slope(a->to, b->to) || a->bytes != b->bytes || a->to.per_item <= 0)
        return false;
    const uint64_t item = (uint64_t)a->to.per_item, group = magnitude(a->to.per_group);
    uint64_t distance = b->to.base - a->to.base;
    if ((int64_t)distance < 0)
        distance = 0 - distance;
    if (group % item == 0 && interleaved(distance, item, a->bytes))
        return true;
    return interleaved(distance, group, item * (p->group_size - 1) + a->bytes);
}

struct placed {
    struct sg_range_read at;
    const struct sg_bulk_store *store;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->at.lo < y->at.lo ? -1 : x->at.lo > y->at.lo;
}

static bool stores_disjoint(const struct sg_bulk *p, struct placed *place)
{
    unsigned checks = 0;
    qsort(place, p->n_stores, sizeof *place, by_place);
    for (unsigned i = 0; i < p->n_stores; i++)
        for (unsigned k = i + 1; k < p->n_stores && place[k].at.lo < place[i].at.hi; k++)
            if (++checks > PAIR_CHECKS || !disjoint(p, place[i].store, place[k].store))
                return false;
    return true;
}

/* Finds the place of each store and the range that holds all of them. */
static bool place_stores(const struct sg_bulk *p, struct sg_tlb *tlb, struct placed *place,
                         struct sg_range_read *all)
{
    *all = (struct sg_range_read){UINT64_MAX, 0};
    for (unsigned i = 0; i < p->n_stores; i++) {
        const struct sg_bulk_store *s = &p->stores[i];
        place[i].store = s;
        if (!hull(p, s->to, s->items, s->bytes, &place[i].at) || !apart(p, s) ||
            !mapped(tlb, place[i].at, SG_RANGE_WRITE))
            return false;
        widen(all, place[i].at);
    }
    return true;
}

static bool reads_apart(const struct sg_bulk *p, struct sg_tlb *tlb, struct sg_range_read stored)
{
    for (unsigned i = 0; i < p->n_loads; i++) {
        struct sg_range_read r;
        if (!hull(p, p->loads[i].at, p->loads[i].items, p->loads[i].bytes, &r) || overlap(r, stored) ||
            !mapped(tlb, r, SG_RANGE_READ))
            return false;
    }
    for (unsigned i = 0; i < p->n_reads; i++)
        if (overlap(p->read[i], stored))
            return false;
    return true;
}

static bool sound(const struct sg_bulk *p, struct sg_tlb *tlb)
{
    struct placed *place = malloc((p->n_stores + 1) * sizeof *place);
    struct sg_range_read all;
    bool good =
        place && place_stores(p, tlb, place, &all) && stores_disjoint(p, place) && reads_apart(p, tlb, all);
    free(place);
    return good;
}

/* ---- Making and asking ---- */

static bool suits(const struct sg_dispatch *d, const struct sg_shape *shape)
{
    return d->grid[1] == 1 && d->grid[2] == 1 && d->workgroup[1] == 1 && d->workgroup[2] == 1 &&
           d->workgroup[0] % SG_LANES == 0 && !d->private_bytes &&
           shape->n_groups * shape->max_waves >= MIN_WAVES;
}

static uint64_t groups_left(const struct sg_bulk *p)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->n_left; i++)
        n += p->left[i].to - p->left[i].from;
    return n;
}

static void choose_run(struct sg_bulk *p)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < p->n_stores; i++)
        bytes += (p->stores[i].items.to - p->stores[i].items.from) * p->stores[i].bytes;
    uint64_t per_group = bytes / p->n_groups + 1;
    p->groups_per_run = RUN_BYTES / per_group ? RUN_BYTES / per_group : 1;
}

struct sg_bulk *sg_bulk_plan(const struct sg_arch *arch, struct sg_tlb *tlb, const struct sg_dispatch *d,
                             const struct sg_kernel *k, const uint32_t *preloaded,
                             const struct sg_shape *shape)
{
    struct sg_bulk *p = suits(d, shape) ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->group_size = d->workgroup[0];
    p->n_items = d->grid[0];
    p->n_groups = shape->n_groups;
    if (sg_bulk_evaluate(p, arch, tlb, d, k, preloaded) && groups_left(p) <= p->n_groups / 2 &&
        sound(p, tlb)) {
        choose_run(p);
        return p;
    }
    sg_bulk_free(p);
    return NULL;
}

void sg_bulk_free(struct sg_bulk *p)
{
    if (!p)
        return;
    free(p->stores);
    free(p->loads);
    free(p);
}

uint64_t sg_bulk_groups(const struct sg_bulk *p, uint64_t group)
{
    uint64_t end = p->n_groups;
    for (unsigned i = 0; i < p->n_left; i++) {
        if (group >= p->left[i].from && group < p->left[i].to)
            return 0;
        if (p->left[i].from > group && p->left[i].from < end)
            end = p->left[i].from;
    }
    return end - group < p->groups_per_run ? end - group : p->groups_per_run;
}

void sg_bulk_counters(const struct sg_bulk *p, uint64_t *wave_instructions, uint64_t *lane_operations)
{
    /* Work-groups that were left in the middle have been counted up to there: their share is taken off. */
    uint64_t left = groups_left(p);
    uint64_t done = left < p->n_groups ? p->n_groups - left : 0;
    *wave_instructions = (uint64_t)((unsigned __int128)p->n_inst * done / p->n_groups);
    *lane_operations = (uint64_t)((unsigned __int128)p->n_lane_ops * done / p->n_groups);
}

/* ---- Doing ---- */

static bool no_memory(const struct sg_bulk *p, const struct sg_bulk_store *s, uint64_t item, uint64_t va,
                      bool is_write, struct sg_fault *fault)
{
    *fault = (struct sg_fault){.kind = SG_FAULT_PAGE, .pc = s->pc, .va = va, .is_write = is_write};
    fault->workgroup[0] = (uint32_t)(item / p->group_size);
    fault->wave = (uint32_t)(item % p->group_size / SG_LANES);
    fault->lane = (uint32_t)(item % SG_LANES);
    snprintf(fault->message, sizeof fault->message, "memory was unmapped while the kernel used it");
    return false;
}

/* `n` bytes from `item` on, which lie side by side. */
static bool move(const struct sg_bulk *p, struct sg_tlb *tlb, const struct sg_bulk_store *s, uint64_t item,
                 uint64_t n, struct sg_fault *fault)
{
    uint64_t to = sg_affine_at(s->to, item, p->group_size), done = 0;
    uint64_t from = s->is_fill ? 0 : sg_affine_at(s->from, item, p->group_size);
    while (done < n) {
        uint64_t piece = n - done;
        const struct sg_range *r = sg_tlb_range(tlb, to + done);
        if (!r || !(r->flags & SG_RANGE_WRITE))
            return no_memory(p, s, item, to + done, true, fault);
        uint8_t *target = (uint8_t *)(uintptr_t)(to + done + (uint64_t)r->delta);
        if (r->hi - (to + done) < piece)
            piece = r->hi - (to + done);
        if (s->is_fill) {
            sg_bulk_fill(target, piece, s->pattern, s->bytes, done % s->bytes);
        } else {
            r = sg_tlb_range(tlb, from + done);
            if (!r || !(r->flags & SG_RANGE_READ))
                return no_memory(p, s, item, from + done, false, fault);
            if (r->hi - (from + done) < piece)
                piece = r->hi - (from + done);
            sg_bulk_copy(target, (const uint8_t *)(uintptr_t)(from + done + (uint64_t)r->delta), piece);
        }
        done += piece;
    }
    return true;
}

/* True when the items of a group are side by side, at both ends of a copy. */
static bool items_touch(const struct sg_bulk_store *s)
{
    return s->to.per_item == s->bytes && (s->is_fill || s->from.per_item == s->bytes);
}

/* The same for whole groups. */
static bool groups_touch(const struct sg_bulk *p, const struct sg_bulk_store *s)
{
    const int64_t bytes = (int64_t)s->bytes * p->group_size;
    return items_touch(s) && s->to.per_group == bytes && (s->is_fill || s->from.per_group == bytes);
}

static bool do_store(const struct sg_bulk *p, struct sg_tlb *tlb, const struct sg_bulk_store *s,
                     struct sg_items items, struct sg_fault *fault)
{
    const bool all = groups_touch(p, s), group = items_touch(s);
    for (uint64_t t = items.from; t < items.to;) {
        uint64_t next = t + 1;
        if (all)
            next = items.to;
        else if (group)
            next = (t / p->group_size + 1) * p->group_size;
        if (next > items.to)
            next = items.to;
        if (!move(p, tlb, s, t, (next - t) * s->bytes, fault))
            return false;
        t = next;
    }
    return true;
}

bool sg_bulk_run(const struct sg_bulk *p, struct sg_tlb *tlb, uint64_t from, uint64_t to,
                 struct sg_fault *fault)
{
    const struct sg_items groups = {from * p->group_size, to * p->group_size};
    for (unsigned i = 0; i < p->n_stores; i++) {
        struct sg_items items = sg_items_and(p->stores[i].items, groups);
        if (!sg_items_empty(items) && !do_store(p, tlb, &p->stores[i], items, fault))
            return false;
    }
    return true;
}
