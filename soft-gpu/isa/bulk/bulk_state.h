/*
 * bulk_state.h - the state of bulk_eval.c's machine, shared by its parts: registers that hold formulas, lane
 * masks that are boxes of work-items.
 *
 * The low and the high half of a 64-bit sum stand in two registers and are added by two instructions, so a
 * register is the low or the high half of a 64-bit formula, and a carry names the two formulas whose low
 * halves were added: high(x) + high(y) + carry(x, y) = high(x + y), all modulo 2^64 and without a condition.
 */
#ifndef SOFT_GPU_ISA_BULK_STATE_H
#define SOFT_GPU_ISA_BULK_STATE_H

#include <string.h>
#include "bulk_plan.h"
#include "gcn/constants.h"
#include "gcn/gcn.h"
#include "soft-gpu/isa/code/bits.h"

enum kind {
    UNKNOWN,
    LOW,  /* low half of x */
    HIGH, /* high half of x */
    LOADED,
    MASK, /* low half of a lane mask: work-items `in` */
    MASK_HIGH,
    CARRY,  /* lane mask or SCC: carry out of low(x) + low(y) */
    BORROW, /* the same for low(x) - low(y) */
    WAVES,  /* SCC: true in the wavefronts that the work-items `in` are */
};

struct value {
    uint8_t kind;
    uint8_t dword; /* LOADED: which of the load */
    uint32_t load;
    struct sg_affine x, y;
    struct sg_items in; /* vector registers: where the value stands; masks: the mask */
};

enum { S_REGISTERS = 128, V_REGISTERS = 256, STATES = 24 };

struct state {
    uint64_t pc;
    struct sg_items waves; /* all their lanes, also those outside of the grid */
    struct sg_items exec;
    struct value scc;
    struct value s[S_REGISTERS], v[V_REGISTERS];
};

enum trouble { FINE, GIVE_UP, SPLIT };

struct eval {
    struct sg_bulk *plan;
    const struct ls_gpu *arch;
    struct sg_tlb *tlb;
    struct state *st, *stack[STATES];
    unsigned n_stack, steps, max_steps;
    enum trouble trouble;
    unsigned split_axis;
    uint64_t split_at; /* work-item on that axis */
    bool end;
};

static const struct value unknown = {.kind = UNKNOWN};
static const struct sg_items nobody = {{0}, {0}};

/* One instruction; trouble is noted in `e`. */
void sg_bulk_scalar(struct eval *e, const struct gcn_inst *in); /* bulk_scalar.c */
void sg_bulk_vector(struct eval *e, const struct gcn_inst *in); /* bulk_vector.c */
void sg_bulk_memory(struct eval *e, const struct gcn_inst *in); /* bulk_memory.c */

/* ---- Trouble: the first one counts; the instruction is then as if it had not been begun. ---- */

static inline void give_up(struct eval *e)
{
    if (e->trouble == FINE)
        e->trouble = GIVE_UP;
}

/* Splits before the place `at` of an axis, if that is between two wavefronts. */
static inline bool split_at(struct eval *e, unsigned axis, uint64_t at)
{
    const struct sg_items waves = e->st->waves;
    if (at <= waves.from[axis] || at >= waves.to[axis] || at % e->plan->wave[axis])
        return false;
    if (e->trouble == FINE) {
        e->trouble = SPLIT;
        e->split_axis = axis;
        e->split_at = at;
    }
    return true;
}

/* Splits between wavefronts near one of the sides of `hole`. False: it lies inside a wavefront. */
static inline bool split_near(struct eval *e, struct sg_items hole)
{
    for (unsigned i = SG_AXES; i-- > 0;) {
        const uint64_t size = e->plan->wave[i], from = hole.from[i], to = hole.to[i];
        if (split_at(e, i, from / size * size) || split_at(e, i, (from + size - 1) / size * size) ||
            split_at(e, i, to / size * size) || split_at(e, i, (to + size - 1) / size * size))
            return true;
    }
    return false;
}

/* ---- Values ---- */

static inline struct sg_items all_lanes(const struct eval *e)
{
    return e->st->waves;
}

static inline struct value low(struct sg_affine x)
{
    return (struct value){.kind = LOW, .x = x};
}

static inline struct value number(uint32_t n)
{
    return low(sg_affine_const(n));
}

static inline bool exact(const struct eval *e, struct sg_affine x, struct sg_items in, unsigned bits,
                         bool is_signed, struct sg_exact *out)
{
    return !sg_items_empty(in) && sg_affine_exact(x, in, e->plan->group, bits, is_signed, out);
}

/* The high half of x, as a number where it is the same for all. */
static inline struct value high(const struct eval *e, struct sg_affine x, struct sg_items in)
{
    struct sg_exact r;
    if (exact(e, x, in, 64, false, &r) && r.least >> 32 == r.most >> 32)
        return number((uint32_t)(r.least >> 32));
    return (struct value){.kind = HIGH, .x = x};
}

/* The number, if it is one for all work-items. */
static inline bool constant(const struct value *v, uint32_t *n)
{
    if (v->kind == HIGH && sg_affine_is_const(v->x))
        *n = (uint32_t)(v->x.base >> 32);
    else if (v->kind == LOW && sg_affine_is_const(v->x))
        *n = (uint32_t)v->x.base;
    else
        return false;
    return true;
}

/* The 32-bit register as an integer formula in [0, 2^32): then it is a 64-bit formula, too. */
static inline bool widen(const struct eval *e, const struct value *v, struct sg_items in, struct sg_affine *x)
{
    struct sg_exact r;
    uint32_t n;
    if (constant(v, &n)) {
        *x = sg_affine_const(n);
        return true;
    }
    if (v->kind != LOW || !exact(e, v->x, in, 32, false, &r))
        return false;
    x->base = (uint64_t)r.base;
    memcpy(x->per_group, r.per_group, sizeof x->per_group);
    memcpy(x->per_item, r.per_item, sizeof x->per_item);
    return true;
}

static inline bool join(const struct eval *e, const struct value *lo, const struct value *hi,
                        struct sg_items in, struct sg_affine *x)
{
    struct sg_affine above;
    uint32_t n;
    if (lo->kind == LOW && hi->kind == HIGH && sg_affine_same_slope(lo->x, hi->x) &&
        (uint32_t)lo->x.base == (uint32_t)hi->x.base) {
        *x = hi->x;
        return true;
    }
    if (constant(hi, &n))
        above = sg_affine_const(n);
    else if (hi->kind == LOW)
        above = hi->x;
    else
        return false;
    if (!widen(e, lo, in, x))
        return false;
    *x = sg_affine_add(*x, sg_affine_scale(above, 1ull << 32));
    return true;
}

/* h - high(x), where that is a formula. */
static inline bool above_high(const struct eval *e, const struct value *h, struct sg_affine x,
                              struct sg_items in, struct sg_affine *rest)
{
    if (h->kind == HIGH) {
        if (!sg_affine_same_slope(h->x, x) || (uint32_t)h->x.base != (uint32_t)x.base)
            return false;
        *rest = sg_affine_const((h->x.base - x.base) >> 32);
        return true;
    }
    struct value own = high(e, x, in);
    uint32_t n;
    if (h->kind != LOW || !constant(&own, &n))
        return false;
    *rest = sg_affine_add(h->x, sg_affine_const(0 - (uint64_t)n));
    return true;
}

static inline struct value add_high(const struct eval *e, const struct value *a, const struct value *b,
                                    const struct value *carry, struct sg_items in)
{
    const bool minus = carry->kind == BORROW;
    struct sg_affine ra, rb, sum, y = carry->y;
    uint32_t na, nb;
    if (carry->kind == MASK && sg_items_empty(carry->in) && constant(a, &na) && constant(b, &nb))
        return number(na + nb);
    if (carry->kind != CARRY && carry->kind != BORROW)
        return unknown;
    bool fits = above_high(e, a, carry->x, in, &ra) && above_high(e, b, y, in, &rb);
    if (!fits && !minus)
        fits = above_high(e, a, y, in, &ra) && above_high(e, b, carry->x, in, &rb);
    if (!fits)
        return unknown;
    if (minus) {
        y = sg_affine_scale(y, ~0ull);
        rb = sg_affine_scale(rb, ~0ull);
    }
    sum = sg_affine_add(sg_affine_add(carry->x, y), sg_affine_scale(sg_affine_add(ra, rb), 1ull << 32));
    return high(e, sum, in);
}

/* ---- Operands. `part`: dword of a wider operand. ---- */

static inline struct value scalar_value(const struct eval *e, unsigned index, unsigned part, bool wide)
{
    if (index == SG_S_EXEC)
        return (struct value){.kind = part ? MASK_HIGH : MASK, .in = e->st->exec};
    if (index < S_REGISTERS)
        return index + part < S_REGISTERS ? e->st->s[index + part] : unknown;
    if (gcn_is_inline_float(index) && !wide)
        return number(sg_u32((float)gcn_inline_float(index)));
    int32_t n;
    if (!gcn_inline_integer(index, &n))
        return unknown;
    return number(part ? (n < 0 ? ~0u : 0) : (uint32_t)n);
}

static inline struct value operand_part(struct eval *e, const struct gcn_operand *o, unsigned part, bool wide)
{
    switch (o->kind) {
    case GCN_OPND_VGPR:
        if (o->index + part < V_REGISTERS && sg_items_within(e->st->exec, e->st->v[o->index + part].in))
            return e->st->v[o->index + part];
        return unknown;
    case GCN_OPND_SCALAR:
        return scalar_value(e, o->index, part, wide);
    case GCN_OPND_LITERAL:
        return part ? number(0) : number(o->literal);
    default:
        return unknown;
    }
}

static inline struct value operand(struct eval *e, const struct gcn_operand *o)
{
    return operand_part(e, o, 0, false);
}

static inline bool operand64(struct eval *e, const struct gcn_operand *o, struct sg_items in,
                             struct sg_affine *x)
{
    struct value lo = operand_part(e, o, 0, true), hi = operand_part(e, o, 1, true);
    return join(e, &lo, &hi, in, x);
}

/* The lane mask in a pair of scalar registers; all ones and zero are masks, too. */
static inline bool mask_of(struct eval *e, const struct gcn_operand *o, struct sg_items *m)
{
    struct value lo = operand_part(e, o, 0, true), hi = operand_part(e, o, 1, true);
    uint32_t a, b;
    if (lo.kind == MASK && hi.kind == MASK_HIGH && sg_items_equal(lo.in, hi.in)) {
        *m = sg_items_and(lo.in, all_lanes(e));
        return true;
    }
    if (!constant(&lo, &a) || !constant(&hi, &b) || a != b || (a && ~a))
        return false;
    *m = a ? all_lanes(e) : nobody;
    return true;
}

static inline void set_scalar(struct eval *e, const struct gcn_operand *o, unsigned part, struct value v)
{
    unsigned index = o->index + part;
    if (o->kind != GCN_OPND_SCALAR || index >= S_REGISTERS || index == SG_S_EXEC || index == SG_S_EXEC + 1)
        give_up(e);
    if (e->trouble == FINE)
        e->st->s[index] = v;
}

static inline void set_mask(struct eval *e, const struct gcn_operand *o, struct sg_items m)
{
    if (e->trouble != FINE)
        return;
    if (o->kind == GCN_OPND_SCALAR && o->index == SG_S_EXEC) {
        e->st->exec = m;
        return;
    }
    set_scalar(e, o, 0, (struct value){.kind = MASK, .in = m});
    set_scalar(e, o, 1, (struct value){.kind = MASK_HIGH, .in = m});
}

/* Where a value stands that is written to `b` and stood in `a`: both, if that is a box. */
static inline struct sg_items grown(struct sg_items a, struct sg_items b)
{
    unsigned axis;
    if (sg_items_within(b, a))
        return a;
    if (sg_items_aligned(a, b, &axis) && a.from[axis] <= b.to[axis] && b.from[axis] <= a.to[axis])
        return sg_items_around(a, b);
    return b;
}

/* Active lanes of a vector register; what other lanes hold is forgotten unless it is the same. */
static inline void set_row(struct eval *e, const struct gcn_operand *o, unsigned part, struct value v)
{
    unsigned index = o->index + part;
    struct sg_items exec = e->st->exec;
    if (o->kind != GCN_OPND_VGPR || index >= V_REGISTERS)
        give_up(e);
    if (e->trouble != FINE || sg_items_empty(exec))
        return;
    struct value *r = &e->st->v[index];
    if (v.kind != LOW && v.kind != HIGH && v.kind != LOADED)
        v = unknown;
    bool same = r->kind == v.kind && v.kind != UNKNOWN && v.kind != LOADED &&
                sg_affine_same_slope(r->x, v.x) && r->x.base == v.x.base;
    v.in = same ? grown(r->in, exec) : exec;
    *r = v;
}

static inline void set_row64(struct eval *e, const struct gcn_operand *o, struct sg_affine x)
{
    struct value hi = high(e, x, e->st->exec);
    set_row(e, o, 0, low(x));
    set_row(e, o, 1, hi);
}

/* A comparison's or carry's mask. */
static inline void set_carry(struct eval *e, const struct gcn_operand *o, struct value v)
{
    set_scalar(e, o, 0, v);
    set_scalar(e, o, 1, unknown);
}

static inline void set_scc(struct eval *e, struct value v)
{
    if (e->trouble == FINE)
        e->st->scc = v;
}

/* SCC of a logical operation on masks: any lane of the wavefront. */
static inline struct value any_lane(const struct eval *e, struct sg_items m)
{
    struct value v = {.kind = WAVES};
    if (sg_items_empty(m))
        return v;
    for (unsigned i = 0; i < SG_AXES; i++) {
        const uint64_t size = e->plan->wave[i];
        v.in.from[i] = m.from[i] / size * size;
        v.in.to[i] = (m.to[i] + size - 1) / size * size;
    }
    return v;
}

/* Whether the wavefronts `in` are all of them; splits where they are some. */
static inline bool all_waves(struct eval *e, struct sg_items in)
{
    struct sg_items w = e->st->waves;
    in = sg_items_and(in, w);
    if (sg_items_empty(in))
        return false;
    if (sg_items_equal(in, w))
        return true;
    for (unsigned i = SG_AXES; i-- > 0;)
        if (split_at(e, i, in.from[i]) || split_at(e, i, in.to[i]))
            return false;
    give_up(e);
    return false;
}

static inline bool scc_is_set(struct eval *e)
{
    uint32_t n;
    if (e->st->scc.kind == WAVES)
        return all_waves(e, e->st->scc.in);
    if (constant(&e->st->scc, &n))
        return n != 0;
    give_up(e);
    return false;
}

/* ---- Sets of lanes ---- */

static inline struct sg_items minus(struct eval *e, struct sg_items a, struct sg_items b)
{
    unsigned axis;
    b = sg_items_and(a, b);
    if (sg_items_empty(b))
        return a;
    if (sg_items_equal(a, b))
        return nobody;
    if (sg_items_aligned(a, b, &axis) && b.from[axis] == a.from[axis]) {
        a.from[axis] = b.to[axis];
        return a;
    }
    if (sg_items_aligned(a, b, &axis) && b.to[axis] == a.to[axis]) {
        a.to[axis] = b.from[axis];
        return a;
    }
    if (!split_near(e, b))
        give_up(e);
    return a;
}

static inline struct sg_items either(struct eval *e, struct sg_items a, struct sg_items b)
{
    unsigned axis;
    if (sg_items_within(a, b))
        return b;
    if (sg_items_within(b, a))
        return a;
    if (sg_items_aligned(a, b, &axis) && a.from[axis] <= b.to[axis] && b.from[axis] <= a.to[axis])
        return sg_items_around(a, b);
    if (!split_near(e, a) && !split_near(e, b))
        give_up(e);
    return a;
}

static inline struct sg_items differ(struct eval *e, struct sg_items a, struct sg_items b)
{
    if (sg_items_within(b, a))
        return minus(e, a, b);
    if (sg_items_within(a, b))
        return minus(e, b, a);
    if (sg_items_empty(sg_items_and(a, b)))
        return either(e, a, b);
    give_up(e);
    return a;
}

static inline struct sg_items combine(struct eval *e, unsigned op, struct sg_items a, struct sg_items b)
{
    switch (op) {
    case GCN_OP_S_AND_B64:
    case GCN_OP_S_AND_SAVEEXEC_B64:
        return sg_items_and(a, b);
    case GCN_OP_S_OR_B64:
    case GCN_OP_S_OR_SAVEEXEC_B64:
        return either(e, a, b);
    case GCN_OP_S_XOR_B64:
    case GCN_OP_S_XOR_SAVEEXEC_B64:
        return differ(e, a, b);
    default: /* S_ANDN2_B64, S_ANDN2_SAVEEXEC_B64 */
        return minus(e, a, b);
    }
}

static inline bool compare(struct eval *e, struct sg_affine a, struct sg_affine b, unsigned bits,
                           bool is_signed, enum sg_relation relation, struct sg_items in,
                           struct sg_items *out)
{
    struct sg_exact x, y;
    if (sg_items_empty(in)) {
        *out = in;
        return true;
    }
    if (!exact(e, a, in, bits, is_signed, &x) || !exact(e, b, in, bits, is_signed, &y) ||
        !sg_exact_compare(&x, &y, relation, in, e->plan->group, out))
        return false;
    if (relation == SG_NE)
        *out = minus(e, in, *out);
    return true;
}

static inline bool any_active(struct eval *e, unsigned pair)
{
    const struct gcn_operand o = {.kind = GCN_OPND_SCALAR, .dwords = 2, .index = (uint16_t)pair};
    struct sg_items m;
    if (!mask_of(e, &o, &m)) {
        give_up(e);
        return false;
    }
    return all_waves(e, any_lane(e, m).in);
}

/* Numbers in memory; what is read is noted, for nothing that the kernel writes may be among it. */
static inline bool read_memory(struct eval *e, uint64_t va, void *out, unsigned bytes)
{
    struct sg_bulk *p = e->plan;
    const void *at = sg_tlb_ptr(e->tlb, va, bytes);
    const struct sg_range *r = at ? sg_tlb_range(e->tlb, va) : NULL;
    if (!r || !(r->flags & SG_RANGE_READ))
        return false;
    memcpy(out, at, bytes);
    for (unsigned i = 0; i < p->n_reads; i++)
        if (va >= p->read[i].lo && va <= p->read[i].hi) { /* again, or straight on */
            if (p->read[i].hi < va + bytes)
                p->read[i].hi = va + bytes;
            return true;
        }
    if (p->n_reads == SG_BULK_READS)
        return false;
    p->read[p->n_reads++] = (struct sg_range_read){va, va + bytes};
    return true;
}

#endif
