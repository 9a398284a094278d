/*
 * bulk_check.c - whether the stores of a plan may be done in any order: no byte is stored twice, and none
 * that is stored is read. Then each range of work-groups is independent of the others, and the outcome is
 * that of any order in which a GPU could run the wavefronts.
 */
#include <stdlib.h>
#include "bulk_plan.h"

enum { PAIR_CHECKS = 1 << 16 /* comparisons of accesses that may overlap */ };

/* What some work-items access: `bytes` bytes at `at`. */
struct access {
    struct sg_affine at;
    struct sg_items items;
    uint32_t bytes;
};

static struct access store_access(const struct sg_bulk_store *s)
{
    return (struct access){s->to, s->items, s->bytes};
}

/* The bytes that an access touches lie in [lo, hi). False: it wraps. */
static bool hull(const struct sg_bulk *p, const struct access *a, struct sg_range_read *out)
{
    struct sg_exact x;
    if (!sg_affine_exact(a->at, a->items, p->group, 64, false, &x))
        return false;
    *out = (struct sg_range_read){(uint64_t)x.least, (uint64_t)x.most + a->bytes};
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

/* The places of an access are among lo + sum of i * stride, 0 <= i < number, for all terms: two for each axis
 * at most. */
enum { TERMS = 2 * SG_AXES };
struct term {
    uint64_t stride, number;
};
struct lattice {
    uint64_t lo;
    struct term term[TERMS];
    unsigned n;
};

static void add_term(struct lattice *l, int64_t stride, uint64_t number)
{
    if (number > 1)
        l->term[l->n++] = (struct term){magnitude(stride), number};
}

/* False when the access wraps. */
static bool make_lattice(const struct sg_bulk *p, const struct access *a, struct lattice *l)
{
    struct sg_items items = a->items;
    struct sg_exact x;
    l->n = 0;
    for (unsigned i = 0; i < SG_AXES; i++) {
        const uint64_t size = p->group[i], from = items.from[i] / size, to = (items.to[i] - 1) / size + 1;
        if (a->at.per_group[i] == a->at.per_item[i] * (int64_t)size || to - from == 1) {
            add_term(l, a->at.per_item[i], items.to[i] - items.from[i]);
            continue;
        }
        add_term(l, a->at.per_item[i], size);
        add_term(l, a->at.per_group[i], to - from);
        items.from[i] = from * size; /* whole groups: parts of them make no lattice */
        items.to[i] = to * size;
    }
    if (!sg_affine_exact(a->at, items, p->group, 64, false, &x))
        return false;
    l->lo = (uint64_t)x.least;
    return true;
}

static int by_stride(const void *a, const void *b)
{
    const struct term *x = a, *y = b;
    return x->stride < y->stride ? -1 : x->stride > y->stride;
}

/* The work-items of one store do not overlap each other: each stride reaches over all that lies at shorter
 * ones. */
static bool apart(const struct sg_bulk *p, const struct sg_bulk_store *s)
{
    const struct access a = store_access(s);
    struct lattice l;
    unsigned __int128 extent = s->bytes;
    if (!make_lattice(p, &a, &l))
        return false;
    qsort(l.term, l.n, sizeof *l.term, by_stride);
    for (unsigned i = 0; i < l.n; i++) {
        if (l.term[i].stride < extent)
            return false;
        extent += (unsigned __int128)l.term[i].stride * (l.term[i].number - 1);
    }
    return true;
}

/* Modulo `period` the bytes of an access, whose first one is 0, lie in [0, window). */
static unsigned __int128 window(const struct lattice *l, uint32_t bytes, uint64_t period)
{
    unsigned __int128 w = bytes;
    for (unsigned i = 0; i < l->n; i++)
        if (l->term[i].stride % period)
            w += (unsigned __int128)l->term[i].stride * (l->term[i].number - 1);
    return w;
}

/* Two accesses whose ranges overlap touch different bytes all the same: modulo one of the strides, say the
 * distance of two rows, they do. */
static bool disjoint(const struct sg_bulk *p, const struct access *a, const struct access *b)
{
    struct lattice la, lb;
    if (!make_lattice(p, a, &la) || !make_lattice(p, b, &lb))
        return false;
    for (unsigned i = 0; i < la.n; i++) {
        const uint64_t period = la.term[i].stride;
        if (!period)
            continue;
        const uint64_t distance =
            lb.lo >= la.lo ? (lb.lo - la.lo) % period : (period - (la.lo - lb.lo) % period) % period;
        if (distance >= window(&la, a->bytes, period) && distance + window(&lb, b->bytes, period) <= period)
            return true;
    }
    return false;
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
        for (unsigned k = i + 1; k < p->n_stores && place[k].at.lo < place[i].at.hi; k++) {
            const struct access a = store_access(place[i].store), b = store_access(place[k].store);
            if (++checks > PAIR_CHECKS || !disjoint(p, &a, &b))
                return false;
        }
    return true;
}

/* Finds the place of each store and the range that holds all of them. */
static bool place_stores(const struct sg_bulk *p, struct sg_tlb *tlb, struct placed *place,
                         struct sg_range_read *all)
{
    *all = (struct sg_range_read){UINT64_MAX, 0};
    for (unsigned i = 0; i < p->n_stores; i++) {
        const struct sg_bulk_store *s = &p->stores[i];
        const struct access a = store_access(s);
        place[i].store = s;
        if (!hull(p, &a, &place[i].at) || !apart(p, s) || !mapped(tlb, place[i].at, SG_RANGE_WRITE))
            return false;
        widen(all, place[i].at);
    }
    return true;
}

/* Nothing is stored where `a` reads. `all`: the range of all stores. */
static bool read_apart(const struct sg_bulk *p, const struct placed *place, struct sg_range_read all,
                       const struct access *a, struct sg_range_read at)
{
    for (unsigned i = 0; overlap(at, all) && i < p->n_stores; i++) {
        const struct access b = store_access(place[i].store);
        if (overlap(at, place[i].at) && !disjoint(p, &b, a))
            return false;
    }
    return true;
}

static bool reads_apart(const struct sg_bulk *p, struct sg_tlb *tlb, const struct placed *place,
                        struct sg_range_read all)
{
    if ((uint64_t)(p->n_loads + p->n_reads) * p->n_stores > PAIR_CHECKS)
        place = NULL;
    for (unsigned i = 0; i < p->n_loads; i++) {
        const struct access a = {p->loads[i].at, p->loads[i].items, p->loads[i].bytes};
        struct sg_range_read r;
        if (!hull(p, &a, &r) || !mapped(tlb, r, SG_RANGE_READ) ||
            !(place ? read_apart(p, place, all, &a, r) : !overlap(r, all)))
            return false;
    }
    for (unsigned i = 0; i < p->n_reads; i++) {
        const struct sg_range_read r = p->read[i];
        const struct access a = {sg_affine_const(r.lo), {{0}, {1, 1, 1}}, (uint32_t)(r.hi - r.lo)};
        if (!(place ? read_apart(p, place, all, &a, r) : !overlap(r, all)))
            return false;
    }
    return true;
}

bool sg_bulk_is_sound(const struct sg_bulk *p, struct sg_tlb *tlb)
{
    struct placed *place = malloc((p->n_stores + 1) * sizeof *place);
    struct sg_range_read all;
    bool good = place && place_stores(p, tlb, place, &all) && stores_disjoint(p, place) &&
                reads_apart(p, tlb, place, all);
    free(place);
    return good;
}
