/*
 * bulk_run.c - does a plan, row by row.
 */
#include <stdio.h>
#include "bulk_move.h"
#include "bulk_plan.h"

static bool no_memory(const struct sg_bulk *p, const struct sg_bulk_store *s, const uint64_t item[SG_AXES],
                      uint64_t va, bool is_write, struct sg_fault *fault)
{
    uint64_t flat = 0;
    *fault = (struct sg_fault){.kind = SG_FAULT_PAGE, .pc = s->pc, .va = va, .is_write = is_write};
    for (unsigned i = SG_AXES; i-- > 0;) {
        fault->workgroup[i] = (uint32_t)(item[i] / p->group[i]);
        flat = flat * p->group[i] + item[i] % p->group[i];
    }
    fault->wave = (uint32_t)(flat / p->lanes);
    fault->lane = (uint32_t)(flat % p->lanes);
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
