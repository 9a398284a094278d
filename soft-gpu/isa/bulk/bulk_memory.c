/*
 * bulk_memory.c - loads and stores of bulk_eval.c's machine: they become entries of the plan.
 */
#include <stdlib.h>
#include "bulk_state.h"
#include "common/vector.h"

/* Bytes of a load or store of whole numbers, 0: it is none. */
static unsigned access_bytes(unsigned op, bool *is_store)
{
    const struct gcn_traits *t = gcn_traits(op);
    *is_store = t->access == GCN_ACCESS_STORE;
    if ((t->unit != GCN_UNIT_GLOBAL && t->unit != GCN_UNIT_FLAT) || t->access == GCN_ACCESS_ATOMIC ||
        t->flags & (GCN_CONVERTS | GCN_KEEPS))
        return 0;
    return t->bytes;
}

static bool access_address(struct eval *e, const struct gcn_inst *in, struct sg_affine *at)
{
    struct sg_exact r;
    if (in->saddr.kind == GCN_OPND_NONE) {
        if (!operand64(e, &in->addr, e->st->exec, at))
            return false;
    } else {
        struct value offset = operand(e, &in->addr);
        struct sg_affine x;
        if (!operand64(e, &in->saddr, e->st->exec, at) || !widen(e, &offset, e->st->exec, &x))
            return false;
        *at = sg_affine_add(*at, x);
    }
    *at = sg_affine_add(*at, sg_affine_const((uint64_t)(int64_t)in->offset));
    /* A GPU address has 47 bits, so this is no aperture of a flat access either. */
    return exact(e, *at, e->st->exec, 64, false, &r) && r.most < (__int128)1 << 47;
}

static void load(struct eval *e, const struct gcn_inst *in, struct sg_affine at, unsigned bytes)
{
    struct sg_bulk *p = e->plan;
    uint32_t data[4] = {0};
    if (sg_affine_is_const(at)) { /* the same for all */
        if (!read_memory(e, at.base, data, bytes))
            give_up(e);
        for (unsigned i = 0; i * 4 < bytes; i++)
            set_row(e, &in->dst, i, number(data[i]));
        return;
    }
    if (p->n_loads >= SG_BULK_STORES || !LS_ROOM(p->loads, p->n_loads)) {
        give_up(e);
        return;
    }
    p->loads[p->n_loads] = (struct sg_bulk_load){e->st->exec, at, bytes};
    for (unsigned i = 0; i * 4 < bytes; i++)
        set_row(e, &in->dst, i, (struct value){.kind = LOADED, .load = p->n_loads, .dword = (uint8_t)i});
    p->n_loads++;
}

/* What a store writes: numbers, or consecutive dwords of one load. */
static bool store_data(struct eval *e, const struct gcn_inst *in, struct sg_bulk_store *s)
{
    struct value first = operand_part(e, &in->data[0], 0, true);
    s->is_fill = first.kind != LOADED;
    for (unsigned i = 0; i * 4 < s->bytes; i++) {
        struct value v = operand_part(e, &in->data[0], i, true);
        uint32_t n;
        if (s->is_fill) {
            if (!constant(&v, &n))
                return false;
            memcpy(&s->pattern[4 * i], &n, 4);
        } else if (v.kind != LOADED || v.load != first.load || v.dword != first.dword + i) {
            return false;
        }
    }
    if (s->is_fill)
        return true;
    const struct sg_bulk_load *l = &e->plan->loads[first.load];
    s->from = sg_affine_add(l->at, sg_affine_const(4u * first.dword));
    return 4u * first.dword + s->bytes <= l->bytes;
}

/* A store that continues the one before, in the same work-items: both become one. */
static bool continues(struct sg_bulk_store *a, const struct sg_bulk_store *b)
{
    if (!sg_items_equal(a->items, b->items) || a->is_fill != b->is_fill ||
        a->bytes + b->bytes > SG_BULK_PATTERN || !sg_affine_same_slope(a->to, b->to) ||
        b->to.base - a->to.base != a->bytes || a->to.per_item[0] < (int64_t)(a->bytes + b->bytes))
        return false;
    if (a->is_fill)
        memcpy(&a->pattern[a->bytes], b->pattern, b->bytes);
    else if (!sg_affine_same_slope(a->from, b->from) || b->from.base - a->from.base != a->bytes)
        return false;
    a->bytes += b->bytes;
    return true;
}

static void store(struct eval *e, const struct gcn_inst *in, struct sg_affine at, unsigned bytes)
{
    struct sg_bulk *p = e->plan;
    struct sg_bulk_store s = {.items = e->st->exec, .to = at, .bytes = bytes, .pc = in->pc};
    if (!store_data(e, in, &s)) {
        give_up(e);
        return;
    }
    if (p->n_stores && continues(&p->stores[p->n_stores - 1], &s))
        return;
    if (p->n_stores < SG_BULK_STORES && LS_ROOM(p->stores, p->n_stores))
        p->stores[p->n_stores++] = s;
    else
        give_up(e);
}

void sg_bulk_memory(struct eval *e, const struct gcn_inst *in)
{
    bool is_store;
    struct sg_affine at;
    unsigned bytes = access_bytes(in->op, &is_store);
    if (bytes && sg_items_empty(e->st->exec))
        return;
    if (!bytes || in->lds || !sg_items_within(e->st->exec, e->plan->grid) || !access_address(e, in, &at))
        give_up(e);
    else if (is_store)
        store(e, in, at, bytes);
    else
        load(e, in, at, bytes);
}
