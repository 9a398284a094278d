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

static bool sound(const struct sg_bulk *p, struct sg_tlb *tlb)
{
    struct placed *place = malloc((p->n_stores + 1) * sizeof *place);
    struct sg_range_read all;
    bool good = place && place_stores(p, tlb, place, &all) && stores_disjoint(p, place) &&
                reads_apart(p, tlb, place, all);
    free(place);
    return good;
}

/* ---- Making and asking ---- */

/* Lanes are counted along x first, then y, then z ("work-item ids" of AMDGPUUsage). The shape of a wavefront
 * of whole rows; false when wavefronts of this work-group have none. */
static bool wave_shape(const uint16_t group[SG_AXES], uint32_t wave[SG_AXES])
{
    uint32_t left = SG_LANES;
    for (unsigned i = 0; i < SG_AXES; i++) {
        wave[i] = group[i] < left ? group[i] : left;
        if (group[i] % wave[i] || left % wave[i])
            return false;
        left /= wave[i];
    }
    return true;
}

/* A smaller work-group at the edge has rows of its own: then all lanes are where others are only if the short
 * axis is the last one. */
static bool edges_fit(const struct sg_dispatch *d)
{
    for (unsigned i = 0; i < SG_AXES; i++)
        for (unsigned k = i + 1; k < SG_AXES; k++)
            if (d->grid[i] % d->workgroup[i] && d->workgroup[k] > 1)
                return false;
    return true;
}

static bool suits(const struct sg_dispatch *d, const struct sg_shape *shape)
{
    return !d->private_bytes && shape->n_groups * shape->max_waves >= MIN_WAVES && edges_fit(d);
}

static uint64_t groups_left(const struct sg_bulk *p)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < p->n_left; i++)
        n += sg_items_number(p->left[i]);
    return n;
}

static void choose_run(struct sg_bulk *p)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < p->n_stores; i++)
        bytes += sg_items_number(p->stores[i].items) * p->stores[i].bytes;
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
    for (unsigned i = 0; i < SG_AXES; i++) {
        p->group[i] = d->workgroup[i];
        p->groups[i] = shape->groups[i];
        p->grid.to[i] = d->grid[i];
    }
    p->n_groups = shape->n_groups;
    if (wave_shape(d->workgroup, p->wave) && sg_bulk_evaluate(p, arch, tlb, d, k, preloaded) &&
        groups_left(p) <= p->n_groups / 2 && sound(p, tlb)) {
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

/* Groups from `group` to the next one that is left to the interpreter, or to the end of their row. */
static uint64_t done_in_row(const struct sg_bulk *p, uint64_t group)
{
    const uint64_t x = group % p->groups[0], y = group / p->groups[0] % p->groups[1];
    const uint64_t z = group / p->groups[0] / p->groups[1];
    uint64_t end = p->groups[0];
    for (unsigned i = 0; i < p->n_left; i++) {
        const struct sg_items *l = &p->left[i];
        if (y < l->from[1] || y >= l->to[1] || z < l->from[2] || z >= l->to[2] || x >= l->to[0])
            continue;
        if (l->from[0] < end)
            end = l->from[0] > x ? l->from[0] : x;
    }
    return end - x;
}

uint64_t sg_bulk_groups(const struct sg_bulk *p, uint64_t group)
{
    uint64_t n = 0;
    while (n < p->groups_per_run && group + n < p->n_groups) {
        uint64_t more = done_in_row(p, group + n);
        n += more;
        if (!more || (group + n) % p->groups[0])
            break;
    }
    /* Rows may be long. */
    return n < p->groups_per_run || p->groups[0] <= p->groups_per_run ? n : p->groups_per_run;
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

static bool no_memory(const struct sg_bulk *p, const struct sg_bulk_store *s, const uint64_t item[SG_AXES],
                      uint64_t va, bool is_write, struct sg_fault *fault)
{
    uint64_t flat = 0;
    *fault = (struct sg_fault){.kind = SG_FAULT_PAGE, .pc = s->pc, .va = va, .is_write = is_write};
    for (unsigned i = SG_AXES; i-- > 0;) {
        fault->workgroup[i] = (uint32_t)(item[i] / p->group[i]);
        flat = flat * p->group[i] + item[i] % p->group[i];
    }
    fault->wave = (uint32_t)(flat / SG_LANES);
    fault->lane = (uint32_t)(flat % SG_LANES);
    snprintf(fault->message, sizeof fault->message, "memory was unmapped while the kernel used it");
    return false;
}

/* `n` bytes from `item` on, which lie side by side. */
static bool move(const struct sg_bulk *p, struct sg_tlb *tlb, const struct sg_bulk_store *s,
                 const uint64_t item[SG_AXES], uint64_t n, struct sg_fault *fault)
{
    uint64_t to = sg_affine_at(s->to, item, p->group), done = 0;
    uint64_t from = s->is_fill ? 0 : sg_affine_at(s->from, item, p->group);
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

/* True when the items of a group are side by side along x, at both ends of a copy. */
static bool items_touch(const struct sg_bulk_store *s)
{
    return s->to.per_item[0] == s->bytes && (s->is_fill || s->from.per_item[0] == s->bytes);
}

/* The same for whole groups. */
static bool groups_touch(const struct sg_bulk *p, const struct sg_bulk_store *s)
{
    const int64_t bytes = (int64_t)s->bytes * p->group[0];
    return items_touch(s) && s->to.per_group[0] == bytes && (s->is_fill || s->from.per_group[0] == bytes);
}

/* One row of work-items, from item[0] to `end`. */
static bool do_row(const struct sg_bulk *p, struct sg_tlb *tlb, const struct sg_bulk_store *s,
                   uint64_t item[SG_AXES], uint64_t end, struct sg_fault *fault)
{
    const bool all = groups_touch(p, s), group = items_touch(s);
    while (item[0] < end) {
        uint64_t next = item[0] + 1;
        if (all)
            next = end;
        else if (group)
            next = (item[0] / p->group[0] + 1) * p->group[0];
        if (next > end)
            next = end;
        if (!move(p, tlb, s, item, (next - item[0]) * s->bytes, fault))
            return false;
        item[0] = next;
    }
    return true;
}

static bool do_store(const struct sg_bulk *p, struct sg_tlb *tlb, const struct sg_bulk_store *s,
                     struct sg_items items, struct sg_fault *fault)
{
    for (uint64_t z = items.from[2]; z < items.to[2]; z++)
        for (uint64_t y = items.from[1]; y < items.to[1]; y++) {
            uint64_t item[SG_AXES] = {items.from[0], y, z};
            if (!do_row(p, tlb, s, item, items.to[0], fault))
                return false;
        }
    return true;
}

/* The work-items of the work-groups from `from` on that make a box and lie before `to`: a part of a row, or
 * whole rows of one plane. *n becomes the number of work-groups. */
static struct sg_items next_box(const struct sg_bulk *p, uint64_t from, uint64_t to, uint64_t *n)
{
    const uint64_t at[SG_AXES] = {from % p->groups[0], from / p->groups[0] % p->groups[1],
                                  from / p->groups[0] / p->groups[1]};
    uint64_t size[SG_AXES] = {p->groups[0] - at[0], 1, 1};
    if (size[0] > to - from)
        size[0] = to - from;
    if (size[0] == p->groups[0]) {
        size[1] = (to - from) / p->groups[0];
        if (size[1] > p->groups[1] - at[1])
            size[1] = p->groups[1] - at[1];
    }
    struct sg_items box;
    for (unsigned i = 0; i < SG_AXES; i++) {
        box.from[i] = at[i] * p->group[i];
        box.to[i] = (at[i] + size[i]) * p->group[i];
    }
    *n = size[0] * size[1];
    return box;
}

bool sg_bulk_run(const struct sg_bulk *p, struct sg_tlb *tlb, uint64_t from, uint64_t to,
                 struct sg_fault *fault)
{
    for (uint64_t n; from < to; from += n) {
        const struct sg_items box = next_box(p, from, to, &n);
        for (unsigned i = 0; i < p->n_stores; i++) {
            struct sg_items items = sg_items_and(p->stores[i].items, box);
            if (!sg_items_empty(items) && !do_store(p, tlb, &p->stores[i], items, fault))
                return false;
        }
    }
    return true;
}
