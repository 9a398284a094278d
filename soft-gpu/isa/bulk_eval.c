/*
 * bulk_eval.c - runs a kernel once for all work-items of a grid.
 *
 * A register holds a formula over the work-items (bulk_value.h), the name of something loaded, or nothing
 * that is known; EXEC and the results of comparisons are intervals of work-items. Where wavefronts part at a
 * branch, or a mask would have a hole, the range of wavefronts is split and each half goes on alone. What
 * cannot be expressed stops the evaluation of that range: its work-groups are left to the interpreter.
 *
 * The low and the high half of a 64-bit sum stand in two registers and are added by two instructions, so a
 * register is the low or the high half of a 64-bit formula, and a carry names the two formulas whose low
 * halves were added: high(x) + high(y) + carry(x, y) = high(x + y), all modulo 2^64 and without a condition.
 */
#include <stdlib.h>
#include <string.h>
#include "bulk_plan.h"
#include "inst.h"

enum kind {
    UNKNOWN,
    LOW,  /* low half of x */
    HIGH, /* high half of x */
    LOADED,
    MASK, /* low half of a lane mask: work-items `in` */
    MASK_HIGH,
    CARRY,  /* lane mask or SCC: carry out of low(x) + low(y) */
    BORROW, /* the same for low(x) - low(y) */
    WAVES,  /* SCC: true in the wavefronts `in` */
};

struct value {
    uint8_t kind;
    uint8_t dword; /* LOADED: which of the load */
    uint32_t load;
    struct sg_affine x, y;
    struct sg_items in; /* vector registers: where the value stands; masks: the mask */
};

enum { S_REGISTERS = 128, V_REGISTERS = 256, STATES = 24, STEPS = 1 << 15 };

struct state {
    uint64_t pc;
    struct sg_items waves;
    struct sg_items exec;
    struct value scc;
    struct value s[S_REGISTERS], v[V_REGISTERS];
};

enum trouble { FINE, GIVE_UP, SPLIT };

struct eval {
    struct sg_bulk *plan;
    const struct sg_arch *arch;
    struct sg_tlb *tlb;
    struct state *st, *stack[STATES];
    unsigned n_stack, steps;
    enum trouble trouble;
    uint64_t split_at; /* wavefront */
    bool end;
};

static const struct value unknown;

/* ---- Trouble: the first one counts; the instruction is then as if it had not been begun. ---- */

static void give_up(struct eval *e)
{
    if (e->trouble == FINE)
        e->trouble = GIVE_UP;
}

/* Splits before a wavefront, if that makes two ranges. */
static bool split_at_wave(struct eval *e, uint64_t wave)
{
    if (wave <= e->st->waves.from || wave >= e->st->waves.to)
        return false;
    if (e->trouble == FINE) {
        e->trouble = SPLIT;
        e->split_at = wave;
    }
    return true;
}

/* Splits at a wavefront near one of the ends of `hole`. False: it lies inside a wavefront. */
static bool split_near(struct eval *e, struct sg_items hole)
{
    return split_at_wave(e, hole.from / SG_LANES) ||
           split_at_wave(e, (hole.from + SG_LANES - 1) / SG_LANES) || split_at_wave(e, hole.to / SG_LANES) ||
           split_at_wave(e, (hole.to + SG_LANES - 1) / SG_LANES);
}

/* ---- Values ---- */

static struct sg_items all_lanes(const struct eval *e)
{
    return (struct sg_items){e->st->waves.from * SG_LANES, e->st->waves.to * SG_LANES};
}

static struct value low(struct sg_affine x)
{
    return (struct value){.kind = LOW, .x = x};
}

static struct value number(uint32_t n)
{
    return low(sg_affine_const(n));
}

static bool exact(const struct eval *e, struct sg_affine x, struct sg_items in, unsigned bits, bool is_signed,
                  struct sg_exact *out)
{
    return !sg_items_empty(in) && sg_affine_exact(x, in, e->plan->group_size, bits, is_signed, out);
}

/* The high half of x, as a number where it is the same for all. */
static struct value high(const struct eval *e, struct sg_affine x, struct sg_items in)
{
    struct sg_exact r;
    if (exact(e, x, in, 64, false, &r) && r.least >> 32 == r.most >> 32)
        return number((uint32_t)(r.least >> 32));
    return (struct value){.kind = HIGH, .x = x};
}

/* The number, if it is one for all work-items. */
static bool constant(const struct value *v, uint32_t *n)
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
static bool widen(const struct eval *e, const struct value *v, struct sg_items in, struct sg_affine *x)
{
    struct sg_exact r;
    uint32_t n;
    if (constant(v, &n)) {
        *x = sg_affine_const(n);
        return true;
    }
    if (v->kind != LOW || !exact(e, v->x, in, 32, false, &r))
        return false;
    *x = (struct sg_affine){(uint64_t)r.base, r.per_group, r.per_item};
    return true;
}

static bool join(const struct eval *e, const struct value *lo, const struct value *hi, struct sg_items in,
                 struct sg_affine *x)
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
static bool above_high(const struct eval *e, const struct value *h, struct sg_affine x, struct sg_items in,
                       struct sg_affine *rest)
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

static struct value add_high(const struct eval *e, const struct value *a, const struct value *b,
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

static bool is_inline_float(unsigned index)
{
    return index >= 240 && index <= 248;
}

static struct value scalar_value(const struct eval *e, unsigned index, unsigned part, bool wide)
{
    if (index == SG_S_EXEC)
        return (struct value){.kind = part ? MASK_HIGH : MASK, .in = e->st->exec};
    if (index < S_REGISTERS)
        return index + part < S_REGISTERS ? e->st->s[index + part] : unknown;
    int32_t n;
    static const uint32_t floats[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                       0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    if (index <= 192)
        n = (int32_t)index - 128;
    else if (index <= 208)
        n = 192 - (int32_t)index;
    else if (is_inline_float(index) && !wide)
        return number(floats[index - 240]);
    else
        return unknown;
    return number(part ? (n < 0 ? ~0u : 0) : (uint32_t)n);
}

static struct value operand_part(struct eval *e, const struct sg_operand *o, unsigned part, bool wide)
{
    switch (o->kind) {
    case SG_OPND_VGPR:
        if (o->index + part < V_REGISTERS && sg_items_within(e->st->exec, e->st->v[o->index + part].in))
            return e->st->v[o->index + part];
        return unknown;
    case SG_OPND_SCALAR:
        return scalar_value(e, o->index, part, wide);
    case SG_OPND_LITERAL:
        return part ? number(0) : number(o->literal);
    default:
        return unknown;
    }
}

static struct value operand(struct eval *e, const struct sg_operand *o)
{
    return operand_part(e, o, 0, false);
}

static bool operand64(struct eval *e, const struct sg_operand *o, struct sg_items in, struct sg_affine *x)
{
    struct value lo = operand_part(e, o, 0, true), hi = operand_part(e, o, 1, true);
    return join(e, &lo, &hi, in, x);
}

/* The lane mask in a pair of scalar registers; all ones and zero are masks, too. */
static bool mask_of(struct eval *e, const struct sg_operand *o, struct sg_items *m)
{
    struct value lo = operand_part(e, o, 0, true), hi = operand_part(e, o, 1, true);
    uint32_t a, b;
    if (lo.kind == MASK && hi.kind == MASK_HIGH && sg_items_equal(lo.in, hi.in)) {
        *m = sg_items_and(lo.in, all_lanes(e));
        return true;
    }
    if (!constant(&lo, &a) || !constant(&hi, &b) || a != b || (a && ~a))
        return false;
    *m = a ? all_lanes(e) : (struct sg_items){0, 0};
    return true;
}

static void set_scalar(struct eval *e, const struct sg_operand *o, unsigned part, struct value v)
{
    unsigned index = o->index + part;
    if (o->kind != SG_OPND_SCALAR || index >= S_REGISTERS || index == SG_S_EXEC || index == SG_S_EXEC + 1)
        give_up(e);
    if (e->trouble == FINE)
        e->st->s[index] = v;
}

static void set_mask(struct eval *e, const struct sg_operand *o, struct sg_items m)
{
    if (e->trouble != FINE)
        return;
    if (o->kind == SG_OPND_SCALAR && o->index == SG_S_EXEC) {
        e->st->exec = m;
        return;
    }
    set_scalar(e, o, 0, (struct value){.kind = MASK, .in = m});
    set_scalar(e, o, 1, (struct value){.kind = MASK_HIGH, .in = m});
}

/* Active lanes of a vector register; what other lanes hold is forgotten unless it is the same. */
static void set_row(struct eval *e, const struct sg_operand *o, unsigned part, struct value v)
{
    unsigned index = o->index + part;
    struct sg_items exec = e->st->exec;
    if (o->kind != SG_OPND_VGPR || index >= V_REGISTERS)
        give_up(e);
    if (e->trouble != FINE || sg_items_empty(exec))
        return;
    struct value *r = &e->st->v[index];
    if (v.kind != LOW && v.kind != HIGH && v.kind != LOADED)
        v = unknown;
    bool same = r->kind == v.kind && v.kind != UNKNOWN && v.kind != LOADED &&
                sg_affine_same_slope(r->x, v.x) && r->x.base == v.x.base && r->in.from <= exec.to &&
                exec.from <= r->in.to;
    v.in = exec;
    if (same) {
        v.in.from = r->in.from < exec.from ? r->in.from : exec.from;
        v.in.to = r->in.to > exec.to ? r->in.to : exec.to;
    }
    *r = v;
}

static void set_row64(struct eval *e, const struct sg_operand *o, struct sg_affine x)
{
    struct value hi = high(e, x, e->st->exec);
    set_row(e, o, 0, low(x));
    set_row(e, o, 1, hi);
}

/* A comparison's or carry's mask. */
static void set_carry(struct eval *e, const struct sg_operand *o, struct value v)
{
    set_scalar(e, o, 0, v);
    set_scalar(e, o, 1, unknown);
}

static void set_scc(struct eval *e, struct value v)
{
    if (e->trouble == FINE)
        e->st->scc = v;
}

/* SCC of a logical operation on masks: any lane of the wavefront. */
static struct value any_lane(struct sg_items m)
{
    struct value v = {.kind = WAVES};
    if (!sg_items_empty(m))
        v.in = (struct sg_items){m.from / SG_LANES, (m.to + SG_LANES - 1) / SG_LANES};
    return v;
}

/* Whether the wavefronts `in` are all of them; splits where they are some. */
static bool all_waves(struct eval *e, struct sg_items in)
{
    struct sg_items w = e->st->waves;
    in = sg_items_and(in, w);
    if (sg_items_empty(in))
        return false;
    if (sg_items_equal(in, w))
        return true;
    if (!split_at_wave(e, in.from) && !split_at_wave(e, in.to))
        give_up(e);
    return false;
}

static bool scc_is_set(struct eval *e)
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

static struct sg_items minus(struct eval *e, struct sg_items a, struct sg_items b)
{
    b = sg_items_and(a, b);
    if (sg_items_empty(b))
        return a;
    if (sg_items_equal(a, b))
        return (struct sg_items){0, 0};
    if (b.from == a.from)
        return (struct sg_items){b.to, a.to};
    if (b.to == a.to)
        return (struct sg_items){a.from, b.from};
    if (!split_near(e, b))
        give_up(e);
    return a;
}

static struct sg_items either(struct eval *e, struct sg_items a, struct sg_items b)
{
    if (sg_items_empty(a))
        return b;
    if (sg_items_empty(b))
        return a;
    const struct sg_items gap = {a.to < b.to ? a.to : b.to, a.from > b.from ? a.from : b.from};
    if (gap.from < gap.to && !split_near(e, gap))
        give_up(e);
    return (struct sg_items){a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to};
}

static struct sg_items differ(struct eval *e, struct sg_items a, struct sg_items b)
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

static struct sg_items combine(struct eval *e, unsigned op, struct sg_items a, struct sg_items b)
{
    switch (op) {
    case SG_OP_S_AND_B64:
    case SG_OP_S_AND_SAVEEXEC_B64:
        return sg_items_and(a, b);
    case SG_OP_S_OR_B64:
    case SG_OP_S_OR_SAVEEXEC_B64:
        return either(e, a, b);
    case SG_OP_S_XOR_B64:
    case SG_OP_S_XOR_SAVEEXEC_B64:
        return differ(e, a, b);
    default: /* S_ANDN2_B64, S_ANDN2_SAVEEXEC_B64 */
        return minus(e, a, b);
    }
}

/* ---- Scalar instructions ---- */

static void logic64(struct eval *e, const struct sg_inst *in)
{
    struct sg_items a, b;
    if (!mask_of(e, &in->src[0], &a) || !mask_of(e, &in->src[1], &b)) {
        give_up(e);
        return;
    }
    struct sg_items m = combine(e, in->op, a, b);
    set_mask(e, &in->dst, m);
    set_scc(e, any_lane(m));
}

static void saveexec(struct eval *e, const struct sg_inst *in)
{
    struct sg_items a, old = e->st->exec;
    if (!mask_of(e, &in->src[0], &a)) {
        give_up(e);
        return;
    }
    struct sg_items m = combine(e, in->op, a, old);
    set_mask(e, &in->dst, old);
    if (e->trouble == FINE)
        e->st->exec = m;
    set_scc(e, any_lane(m));
}

static void move64(struct eval *e, const struct sg_inst *in, const struct sg_operand *from)
{
    struct sg_items m;
    if (in->dst.kind == SG_OPND_SCALAR && in->dst.index == SG_S_EXEC) {
        if (mask_of(e, from, &m))
            set_mask(e, &in->dst, m);
        else
            give_up(e);
        return;
    }
    struct value lo = operand_part(e, from, 0, true), hi = operand_part(e, from, 1, true);
    set_scalar(e, &in->dst, 0, lo);
    set_scalar(e, &in->dst, 1, hi);
}

/* Both operands are numbers. */
static bool numbers(struct eval *e, const struct sg_inst *in, uint32_t n[2])
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]);
    return constant(&a, &n[0]) && constant(&b, &n[1]);
}

/* Logic and shifts that are only done on numbers; `sets_scc` as the instruction does. */
static void scalar_numbers(struct eval *e, const struct sg_inst *in)
{
    uint32_t n[2], r, width;
    if (!numbers(e, in, n)) {
        set_scalar(e, &in->dst, 0, unknown);
        set_scc(e, unknown);
        return;
    }
    switch (in->op) {
    case SG_OP_S_AND_B32:
        r = n[0] & n[1];
        break;
    case SG_OP_S_ANDN2_B32:
        r = n[0] & ~n[1];
        break;
    case SG_OP_S_OR_B32:
        r = n[0] | n[1];
        break;
    case SG_OP_S_XOR_B32:
        r = n[0] ^ n[1];
        break;
    case SG_OP_S_LSHR_B32:
        r = n[0] >> (n[1] & 31);
        break;
    case SG_OP_S_ASHR_I32:
        r = (uint32_t)((int32_t)n[0] >> (n[1] & 31));
        break;
    case SG_OP_S_BFE_U32:
        width = n[1] >> 16 & 0x7f;
        r = n[0] >> (n[1] & 31);
        r = width < 32 ? r & ((1u << width) - 1) : r;
        break;
    default:
        give_up(e);
        return;
    }
    set_scalar(e, &in->dst, 0, number(r));
    set_scc(e, number(r != 0));
}

/* Sums and products of formulas. */
static void scalar_sum(struct eval *e, const struct sg_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]), r = unknown, scc = unknown;
    const bool minus_b = in->op == SG_OP_S_SUB_U32 || in->op == SG_OP_S_SUB_I32;
    uint32_t n;
    if (in->op == SG_OP_S_ADDC_U32 || in->op == SG_OP_S_SUBB_U32) {
        const struct value *c = &e->st->scc;
        bool fits = (c->kind == BORROW) == (in->op == SG_OP_S_SUBB_U32);
        if (fits)
            r = add_high(e, &a, &b, c, all_lanes(e));
    } else if (in->op == SG_OP_S_MUL_I32) {
        if (a.kind == LOW && constant(&b, &n))
            r = low(sg_affine_scale(a.x, n));
        else if (b.kind == LOW && constant(&a, &n))
            r = low(sg_affine_scale(b.x, n));
        scc = e->st->scc;
    } else if (in->op == SG_OP_S_LSHL_B32) {
        if (a.kind == LOW && constant(&b, &n))
            r = low(sg_affine_scale(a.x, 1ull << (n & 31)));
    } else if (a.kind == LOW && b.kind == LOW) {
        r = low(sg_affine_add(a.x, minus_b ? sg_affine_scale(b.x, ~0ull) : b.x));
        if (in->op == SG_OP_S_ADD_U32 || in->op == SG_OP_S_SUB_U32)
            scc = (struct value){.kind = minus_b ? BORROW : CARRY, .x = a.x, .y = b.x};
    }
    if (constant(&r, &n)) {
        r = number(n);
        if (in->op == SG_OP_S_LSHL_B32)
            scc = number(n != 0);
    }
    set_scalar(e, &in->dst, 0, r);
    set_scc(e, scc);
}

static void scalar_shift64(struct eval *e, const struct sg_inst *in)
{
    struct sg_affine x;
    struct value by = operand(e, &in->src[1]);
    struct value r[2] = {unknown, unknown};
    uint32_t n;
    if (operand64(e, &in->src[0], all_lanes(e), &x) && constant(&by, &n)) {
        n &= 63;
        if (in->op == SG_OP_S_LSHL_B64) {
            x = sg_affine_scale(x, 1ull << n);
            r[0] = low(x);
            r[1] = high(e, x, all_lanes(e));
        } else if (sg_affine_is_const(x)) {
            uint64_t y = in->op == SG_OP_S_LSHR_B64 ? x.base >> n : (uint64_t)((int64_t)x.base >> n);
            r[0] = number((uint32_t)y);
            r[1] = number((uint32_t)(y >> 32));
        }
    }
    set_scalar(e, &in->dst, 0, r[0]);
    set_scalar(e, &in->dst, 1, r[1]);
    set_scc(e, unknown);
}

static bool compare(struct eval *e, struct sg_affine a, struct sg_affine b, unsigned bits, bool is_signed,
                    enum sg_relation relation, struct sg_items in, struct sg_items *out)
{
    struct sg_exact x, y;
    if (sg_items_empty(in)) {
        *out = in;
        return true;
    }
    if (!exact(e, a, in, bits, is_signed, &x) || !exact(e, b, in, bits, is_signed, &y) ||
        !sg_exact_compare(&x, &y, relation, in, e->plan->group_size, out))
        return false;
    if (relation == SG_NE)
        *out = minus(e, in, *out);
    return true;
}

static void scalar_compare(struct eval *e, const struct sg_inst *in, enum sg_relation relation, unsigned bits,
                           bool is_signed)
{
    struct sg_items m;
    struct sg_affine a, b;
    struct value va = operand(e, &in->src[0]), vb = operand(e, &in->src[1]);
    bool known = bits == 64 ? operand64(e, &in->src[0], all_lanes(e), &a) &&
                                  operand64(e, &in->src[1], all_lanes(e), &b)
                            : widen(e, &va, all_lanes(e), &a) && widen(e, &vb, all_lanes(e), &b);
    if (known && compare(e, a, b, bits, is_signed, relation, all_lanes(e), &m))
        set_scc(e, any_lane(m));
    else
        set_scc(e, unknown);
}

static void select64(struct eval *e, const struct sg_inst *in)
{
    move64(e, in, &in->src[scc_is_set(e) ? 0 : 1]);
}

/* Numbers in memory; what is read is noted, for nothing that the kernel writes may be among it. */
static bool read_memory(struct eval *e, uint64_t va, void *out, unsigned bytes)
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

static void scalar_load(struct eval *e, const struct sg_inst *in)
{
    struct sg_affine base;
    struct value offset = number(0);
    uint32_t n, data[16];
    if (in->soffset.kind != SG_OPND_NONE)
        offset = operand(e, &in->soffset);
    if (!operand64(e, &in->saddr, all_lanes(e), &base) || !sg_affine_is_const(base) ||
        !constant(&offset, &n)) {
        give_up(e);
        return;
    }
    int64_t immediate = in->flags & SG_INST_SOFFSET_ONLY ? 0 : in->offset;
    uint64_t va = (base.base + n + (uint64_t)immediate) & ~3ull;
    if (in->dst.dwords > 16 || !read_memory(e, va, data, 4u * in->dst.dwords)) {
        give_up(e);
        return;
    }
    for (unsigned i = 0; i < in->dst.dwords; i++)
        set_scalar(e, &in->dst, i, number(data[i]));
}

static void branch(struct eval *e, const struct sg_inst *in, bool taken)
{
    if (taken && e->trouble == FINE)
        e->st->pc += (uint64_t)((int64_t)in->simm16 * 4);
}

static bool any_active(struct eval *e, unsigned pair)
{
    const struct sg_operand o = {.kind = SG_OPND_SCALAR, .dwords = 2, .index = (uint16_t)pair};
    struct sg_items m;
    if (!mask_of(e, &o, &m)) {
        give_up(e);
        return false;
    }
    return all_waves(e, any_lane(m).in);
}

static bool scalar_compare_op(struct eval *e, const struct sg_inst *in)
{
    static const struct {
        uint16_t op;
        uint8_t relation, bits, is_signed;
    } table[] = {
        {SG_OP_S_CMP_EQ_U32, SG_EQ, 32, 0}, {SG_OP_S_CMP_LG_U32, SG_NE, 32, 0},
        {SG_OP_S_CMP_EQ_I32, SG_EQ, 32, 0}, {SG_OP_S_CMP_LG_I32, SG_NE, 32, 0},
        {SG_OP_S_CMP_EQ_U64, SG_EQ, 64, 0}, {SG_OP_S_CMP_LG_U64, SG_NE, 64, 0},
        {SG_OP_S_CMP_LT_U32, SG_LT, 32, 0}, {SG_OP_S_CMP_LE_U32, SG_LE, 32, 0},
        {SG_OP_S_CMP_GT_U32, SG_GT, 32, 0}, {SG_OP_S_CMP_GE_U32, SG_GE, 32, 0},
        {SG_OP_S_CMP_LT_I32, SG_LT, 32, 1}, {SG_OP_S_CMP_LE_I32, SG_LE, 32, 1},
        {SG_OP_S_CMP_GT_I32, SG_GT, 32, 1}, {SG_OP_S_CMP_GE_I32, SG_GE, 32, 1},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].op == in->op) {
            scalar_compare(e, in, table[i].relation, table[i].bits, table[i].is_signed);
            return true;
        }
    return false;
}

static void scalar_op(struct eval *e, const struct sg_inst *in)
{
    struct value v;
    switch (in->op) {
    case SG_OP_S_NOP:
    case SG_OP_S_WAITCNT:
    case SG_OP_S_BARRIER: /* nothing passes between wavefronts: bulk.c checks that */
        break;
    case SG_OP_S_ENDPGM:
        e->end = true;
        break;
    case SG_OP_S_BRANCH:
        branch(e, in, true);
        break;
    case SG_OP_S_CBRANCH_SCC0:
        branch(e, in, !scc_is_set(e));
        break;
    case SG_OP_S_CBRANCH_SCC1:
        branch(e, in, scc_is_set(e));
        break;
    case SG_OP_S_CBRANCH_VCCZ:
        branch(e, in, !any_active(e, SG_S_VCC));
        break;
    case SG_OP_S_CBRANCH_VCCNZ:
        branch(e, in, any_active(e, SG_S_VCC));
        break;
    case SG_OP_S_CBRANCH_EXECZ:
        branch(e, in, !any_active(e, SG_S_EXEC));
        break;
    case SG_OP_S_CBRANCH_EXECNZ:
        branch(e, in, any_active(e, SG_S_EXEC));
        break;
    case SG_OP_S_MOV_B32:
        v = operand(e, &in->src[0]);
        set_scalar(e, &in->dst, 0, v);
        break;
    case SG_OP_S_MOVK_I32:
        set_scalar(e, &in->dst, 0, number((uint32_t)in->simm16));
        break;
    case SG_OP_S_MOV_B64:
        move64(e, in, &in->src[0]);
        break;
    case SG_OP_S_CSELECT_B64:
        select64(e, in);
        break;
    case SG_OP_S_CSELECT_B32:
        v = operand(e, &in->src[scc_is_set(e) ? 0 : 1]);
        set_scalar(e, &in->dst, 0, v);
        break;
    case SG_OP_S_ADD_U32:
    case SG_OP_S_ADD_I32:
    case SG_OP_S_ADDC_U32:
    case SG_OP_S_SUB_U32:
    case SG_OP_S_SUB_I32:
    case SG_OP_S_SUBB_U32:
    case SG_OP_S_MUL_I32:
    case SG_OP_S_LSHL_B32:
        scalar_sum(e, in);
        break;
    case SG_OP_S_AND_B32:
    case SG_OP_S_ANDN2_B32:
    case SG_OP_S_OR_B32:
    case SG_OP_S_XOR_B32:
    case SG_OP_S_LSHR_B32:
    case SG_OP_S_ASHR_I32:
    case SG_OP_S_BFE_U32:
        scalar_numbers(e, in);
        break;
    case SG_OP_S_LSHL_B64:
    case SG_OP_S_LSHR_B64:
    case SG_OP_S_ASHR_I64:
        scalar_shift64(e, in);
        break;
    case SG_OP_S_AND_B64:
    case SG_OP_S_OR_B64:
    case SG_OP_S_XOR_B64:
    case SG_OP_S_ANDN2_B64:
        logic64(e, in);
        break;
    case SG_OP_S_AND_SAVEEXEC_B64:
    case SG_OP_S_OR_SAVEEXEC_B64:
    case SG_OP_S_XOR_SAVEEXEC_B64:
    case SG_OP_S_ANDN2_SAVEEXEC_B64:
        saveexec(e, in);
        break;
    case SG_OP_S_LOAD_DWORD:
    case SG_OP_S_LOAD_DWORDX2:
    case SG_OP_S_LOAD_DWORDX4:
    case SG_OP_S_LOAD_DWORDX8:
    case SG_OP_S_LOAD_DWORDX16:
        scalar_load(e, in);
        break;
    default:
        if (!scalar_compare_op(e, in))
            give_up(e);
    }
}

/* ---- Vector instructions ---- */

static bool vector_compare_op(struct eval *e, const struct sg_inst *in)
{
#define RELATIONS(R)                                                                                         \
    {SG_OP_V_CMP_##R##_U32, SG_##R, 32, 0}, {SG_OP_V_CMP_##R##_I32, SG_##R, 32, 1},                          \
        {SG_OP_V_CMP_##R##_U64, SG_##R, 64, 0}, {SG_OP_V_CMP_##R##_I64, SG_##R, 64, 1}
    static const struct {
        uint16_t op;
        uint8_t relation, bits, is_signed;
    } table[] = {RELATIONS(LT), RELATIONS(LE), RELATIONS(EQ), RELATIONS(GE), RELATIONS(GT), RELATIONS(NE)};
    const struct sg_items exec = e->st->exec;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].op != in->op)
            continue;
        struct sg_items m = {0, 0};
        struct sg_affine a, b;
        struct value va = operand(e, &in->src[0]), vb = operand(e, &in->src[1]);
        bool known =
            sg_items_empty(exec) ||
            ((table[i].bits == 64 ? operand64(e, &in->src[0], exec, &a) && operand64(e, &in->src[1], exec, &b)
                                  : widen(e, &va, exec, &a) && widen(e, &vb, exec, &b)) &&
             compare(e, a, b, table[i].bits, table[i].is_signed, table[i].relation, exec, &m));
        if (known)
            set_mask(e, &in->sdst, m);
        else
            set_carry(e, &in->sdst, unknown);
        return true;
    }
    return false;
}

/* x * y, one of them a number and neither wrapping in 32 bits. */
static bool product(const struct eval *e, const struct value *a, const struct value *b, struct sg_affine *x)
{
    uint32_t n;
    if (constant(b, &n) && widen(e, a, e->st->exec, x)) {
        *x = sg_affine_scale(*x, n);
        return true;
    }
    if (constant(a, &n) && widen(e, b, e->st->exec, x)) {
        *x = sg_affine_scale(*x, n);
        return true;
    }
    /* Nothing is known of the other one, but it is multiplied by zero. */
    if ((constant(a, &n) && !n) || (constant(b, &n) && !n)) {
        *x = sg_affine_const(0);
        return true;
    }
    return false;
}

static void multiply_add_wide(struct eval *e, const struct sg_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]);
    struct value lo = operand_part(e, &in->src[2], 0, true), hi = operand_part(e, &in->src[2], 1, true);
    struct sg_affine x, y;
    struct value r[2] = {unknown, unknown};
    if (product(e, &a, &b, &x)) {
        if (join(e, &lo, &hi, e->st->exec, &y)) {
            y = sg_affine_add(x, y);
            r[0] = low(y);
            r[1] = high(e, y, e->st->exec);
        } else if (sg_affine_is_const(x) && !x.base) {
            r[0] = lo;
            r[1] = hi;
        } else if (lo.kind == LOW) {
            r[0] = low(sg_affine_add(x, lo.x));
        }
    }
    set_row(e, &in->dst, 0, r[0]);
    set_row(e, &in->dst, 1, r[1]);
    set_carry(e, &in->sdst, unknown);
}

static void vector_sum(struct eval *e, const struct sg_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]), r = unknown, carry = unknown;
    const bool minus_b = in->op == SG_OP_V_SUB_CO_U32 || in->op == SG_OP_V_SUB_U32;
    const bool reversed = in->op == SG_OP_V_SUBREV_U32 || in->op == SG_OP_V_SUBREV_CO_U32;
    if (reversed) {
        struct value t = a;
        a = b;
        b = t;
    }
    if (a.kind == LOW && b.kind == LOW) {
        r = low(sg_affine_add(a.x, minus_b || reversed ? sg_affine_scale(b.x, ~0ull) : b.x));
        carry = (struct value){.kind = minus_b || reversed ? BORROW : CARRY, .x = a.x, .y = b.x};
        carry.in = e->st->exec;
    }
    set_row(e, &in->dst, 0, r);
    if (in->op == SG_OP_V_ADD_CO_U32 || in->op == SG_OP_V_SUB_CO_U32 || in->op == SG_OP_V_SUBREV_CO_U32)
        set_carry(e, &in->sdst, carry);
}

static void vector_sum_high(struct eval *e, const struct sg_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]);
    struct value carry = operand(e, &in->src[2]), r = unknown;
    bool is_sub = in->op == SG_OP_V_SUBB_CO_U32;
    if ((carry.kind == BORROW) == is_sub && sg_items_equal(carry.in, e->st->exec))
        r = add_high(e, &a, &b, &carry, e->st->exec);
    set_row(e, &in->dst, 0, r);
    set_carry(e, &in->sdst, unknown);
}

/* Three-operand integer instructions made of sums and shifts: ((a << sa) + b) << sr + c. */
static void shift_add(struct eval *e, const struct sg_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]), c = operand(e, &in->src[2]);
    struct value r = unknown;
    uint32_t n;
    if (in->op == SG_OP_V_ADD3_U32 && a.kind == LOW && b.kind == LOW && c.kind == LOW)
        r = low(sg_affine_add(sg_affine_add(a.x, b.x), c.x));
    if (in->op == SG_OP_V_LSHL_ADD_U32 && a.kind == LOW && constant(&b, &n) && c.kind == LOW)
        r = low(sg_affine_add(sg_affine_scale(a.x, 1ull << (n & 31)), c.x));
    if (in->op == SG_OP_V_ADD_LSHL_U32 && a.kind == LOW && b.kind == LOW && constant(&c, &n))
        r = low(sg_affine_scale(sg_affine_add(a.x, b.x), 1ull << (n & 31)));
    set_row(e, &in->dst, 0, r);
}

static void shift_add64(struct eval *e, const struct sg_inst *in)
{
    struct sg_affine x, y;
    struct value by = operand(e, &in->src[1]);
    uint32_t n;
    if (!operand64(e, &in->src[0], e->st->exec, &x) || !operand64(e, &in->src[2], e->st->exec, &y) ||
        !constant(&by, &n))
        give_up(e);
    else
        set_row64(e, &in->dst, sg_affine_add(sg_affine_scale(x, 1ull << (n & 7)), y));
}

static void shift64(struct eval *e, const struct sg_inst *in)
{
    struct sg_affine x;
    struct value by = operand(e, &in->src[0]);
    uint32_t n;
    if (operand64(e, &in->src[1], e->st->exec, &x) && constant(&by, &n)) {
        set_row64(e, &in->dst, sg_affine_scale(x, 1ull << (n & 63)));
    } else {
        set_row(e, &in->dst, 0, unknown);
        set_row(e, &in->dst, 1, unknown);
    }
}

/* Products, fields and shifts to the right: where the operand's range makes them a formula again. */
static struct value narrow_result(struct eval *e, const struct sg_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = in->n_src > 1 ? operand(e, &in->src[1]) : unknown;
    struct value c = in->n_src > 2 ? operand(e, &in->src[2]) : unknown;
    struct sg_affine x, y;
    struct sg_exact r;
    uint32_t n, m;
    switch (in->op) {
    case SG_OP_V_MUL_LO_U32:
        if (a.kind == LOW && constant(&b, &n))
            return low(sg_affine_scale(a.x, n));
        if (b.kind == LOW && constant(&a, &n))
            return low(sg_affine_scale(b.x, n));
        if ((constant(&a, &n) && !n) || (constant(&b, &n) && !n))
            return number(0);
        return unknown;
    case SG_OP_V_MUL_HI_U32:
        return product(e, &a, &b, &x) ? high(e, x, e->st->exec) : unknown;
    case SG_OP_V_MUL_U32_U24:
    case SG_OP_V_MAD_U32_U24:
        if (!widen(e, &a, e->st->exec, &x) || !exact(e, x, e->st->exec, 32, false, &r) || r.most >> 24 ||
            !widen(e, &b, e->st->exec, &y) || !exact(e, y, e->st->exec, 32, false, &r) || r.most >> 24 ||
            !product(e, &a, &b, &x))
            return unknown;
        if (in->op == SG_OP_V_MUL_U32_U24)
            return low(x);
        return c.kind == LOW ? low(sg_affine_add(x, c.x)) : unknown;
    case SG_OP_V_AND_B32:
        if (constant(&a, &n) && constant(&b, &m))
            return number(n & m);
        if (constant(&b, &n)) {
            b = a;
            a = number(n);
        }
        /* A field that holds the whole value, as of the packed work-item ids. */
        if (constant(&a, &n) && !(n & (n + 1)) && widen(e, &b, e->st->exec, &x) &&
            exact(e, x, e->st->exec, 32, false, &r) && r.most <= n)
            return low(x);
        return unknown;
    case SG_OP_V_BFE_U32:
    case SG_OP_V_LSHRREV_B32:
    case SG_OP_V_ASHRREV_I32:
        m = 32;
        if (in->op != SG_OP_V_BFE_U32) {
            struct value t = a;
            a = b;
            b = t;
        } else if (!constant(&c, &m) || (m &= 31) == 0) {
            return unknown;
        }
        if (!constant(&b, &n) || !widen(e, &a, e->st->exec, &x) || !exact(e, x, e->st->exec, 32, false, &r))
            return unknown;
        n &= 31;
        if (in->op == SG_OP_V_ASHRREV_I32 && r.most >> 31)
            return unknown;
        if (!n && (m == 32 || !(r.most >> m)))
            return low(x);
        if (r.least >> n != r.most >> n || (m < 32 && r.most >> n >> m))
            return unknown;
        return number((uint32_t)(r.most >> n));
    case SG_OP_V_OR_B32:
        if (constant(&a, &n) && constant(&b, &m))
            return number(n | m);
        if (constant(&a, &n) && !n)
            return b;
        if (constant(&b, &n) && !n)
            return a;
        return unknown;
    case SG_OP_V_NOT_B32: /* -1 - x */
        return a.kind == LOW ? low(sg_affine_add(sg_affine_scale(a.x, ~0ull), sg_affine_const(~0ull)))
                             : unknown;
    case SG_OP_V_XAD_U32: /* (x ^ y) + z */
        if (constant(&b, &n)) {
            b = a;
            a = number(n);
        }
        if (!constant(&a, &n) || ~n || b.kind != LOW || c.kind != LOW)
            return unknown;
        return low(sg_affine_add(sg_affine_add(sg_affine_scale(b.x, ~0ull), sg_affine_const(~0ull)), c.x));
    case SG_OP_V_LSHLREV_B32:
        return b.kind == LOW && constant(&a, &n) ? low(sg_affine_scale(b.x, 1ull << (n & 31))) : unknown;
    default:
        give_up(e);
        return unknown;
    }
}

static void select_row(struct eval *e, const struct sg_inst *in)
{
    struct sg_items m;
    struct value r = unknown;
    if (mask_of(e, &in->src[2], &m)) {
        m = sg_items_and(m, e->st->exec);
        if (sg_items_empty(m))
            r = operand(e, &in->src[0]);
        else if (sg_items_equal(m, e->st->exec))
            r = operand(e, &in->src[1]);
        else
            split_near(e, m); /* unknown where the choice changes inside a wavefront */
    }
    set_row(e, &in->dst, 0, r);
}

/* v_pk_mov_b32: op_sel picks the half of the first source that becomes the low dword, op_sel_hi that of the
 * second source for the high one. */
static void packed_move(struct eval *e, const struct sg_inst *in)
{
    struct value lo, hi;
    if (in->src[0].kind == SG_OPND_LITERAL || in->src[1].kind == SG_OPND_LITERAL) {
        give_up(e);
        return;
    }
    lo = operand_part(e, &in->src[0], in->op_sel & 1, true);
    hi = operand_part(e, &in->src[1], in->op_sel >> 1 & 1, true);
    set_row(e, &in->dst, 0, lo);
    set_row(e, &in->dst, 1, hi);
}

static void first_lane(struct eval *e, const struct sg_inst *in)
{
    struct value v = operand(e, &in->src[0]);
    uint32_t n;
    if (!any_active(e, SG_S_EXEC))
        give_up(e); /* lane 0 is read then; nobody does that */
    else if (constant(&v, &n))
        set_scalar(e, &in->dst, 0, number(n));
    else if ((v.kind == LOW || v.kind == HIGH) && !v.x.per_item)
        set_scalar(e, &in->dst, 0, (struct value){.kind = v.kind, .x = v.x});
    else
        set_scalar(e, &in->dst, 0, unknown);
}

static bool has_modifiers(const struct sg_inst *in)
{
    return in->has_sdwa || in->has_dpp || in->abs || in->neg || in->clamp || in->omod;
}

static void vector_op(struct eval *e, const struct sg_inst *in)
{
    struct value v;
    if (has_modifiers(in)) {
        give_up(e);
        return;
    }
    switch (in->op) {
    case SG_OP_V_MOV_B32:
        v = operand(e, &in->src[0]);
        set_row(e, &in->dst, 0, v);
        break;
    case SG_OP_V_MOV_B64: {
        struct value lo = operand_part(e, &in->src[0], 0, true), hi = operand_part(e, &in->src[0], 1, true);
        set_row(e, &in->dst, 0, lo);
        set_row(e, &in->dst, 1, hi);
        break;
    }
    case SG_OP_V_PK_MOV_B32:
        packed_move(e, in);
        break;
    case SG_OP_V_READFIRSTLANE_B32:
        first_lane(e, in);
        break;
    case SG_OP_V_ADD_U32:
    case SG_OP_V_SUB_U32:
    case SG_OP_V_SUBREV_U32:
    case SG_OP_V_ADD_CO_U32:
    case SG_OP_V_SUB_CO_U32:
    case SG_OP_V_SUBREV_CO_U32:
        vector_sum(e, in);
        break;
    case SG_OP_V_ADDC_CO_U32:
    case SG_OP_V_SUBB_CO_U32:
        vector_sum_high(e, in);
        break;
    case SG_OP_V_ADD3_U32:
    case SG_OP_V_LSHL_ADD_U32:
    case SG_OP_V_ADD_LSHL_U32:
        shift_add(e, in);
        break;
    case SG_OP_V_LSHL_ADD_U64:
        shift_add64(e, in);
        break;
    case SG_OP_V_LSHLREV_B64:
        shift64(e, in);
        break;
    case SG_OP_V_MAD_U64_U32:
        multiply_add_wide(e, in);
        break;
    case SG_OP_V_CNDMASK_B32:
        select_row(e, in);
        break;
    default:
        if (vector_compare_op(e, in))
            break;
        v = narrow_result(e, in);
        set_row(e, &in->dst, 0, v);
    }
}

/* ---- Memory ---- */

static unsigned access_bytes(unsigned op, bool *is_store)
{
#define ACCESS(NAME, BYTES)                                                                                  \
    case SG_OP_GLOBAL_LOAD_##NAME:                                                                           \
    case SG_OP_FLAT_LOAD_##NAME:                                                                             \
        return BYTES
#define ACCESS_STORE(NAME, BYTES)                                                                            \
    case SG_OP_GLOBAL_STORE_##NAME:                                                                          \
    case SG_OP_FLAT_STORE_##NAME:                                                                            \
        *is_store = true;                                                                                    \
        return BYTES
    *is_store = false;
    switch (op) {
        ACCESS(UBYTE, 1);
        ACCESS(USHORT, 2);
        ACCESS(DWORD, 4);
        ACCESS(DWORDX2, 8);
        ACCESS(DWORDX3, 12);
        ACCESS(DWORDX4, 16);
        ACCESS_STORE(BYTE, 1);
        ACCESS_STORE(SHORT, 2);
        ACCESS_STORE(DWORD, 4);
        ACCESS_STORE(DWORDX2, 8);
        ACCESS_STORE(DWORDX3, 12);
        ACCESS_STORE(DWORDX4, 16);
    default:
        return 0;
    }
}

static bool access_address(struct eval *e, const struct sg_inst *in, struct sg_affine *at)
{
    struct sg_exact r;
    if (in->saddr.kind == SG_OPND_NONE) {
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

/* Room for one more element in an array that doubles. */
static void *more(struct eval *e, void *array, unsigned n, unsigned *capacity, size_t size)
{
    if (n < *capacity)
        return array;
    unsigned wanted = *capacity ? 2 * *capacity : 16;
    void *r = n < SG_BULK_STORES ? realloc(array, wanted * size) : NULL;
    if (!r) {
        give_up(e);
        return array;
    }
    *capacity = wanted;
    return r;
}

static void load(struct eval *e, const struct sg_inst *in, struct sg_affine at, unsigned bytes)
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
    p->loads = more(e, p->loads, p->n_loads, &p->load_capacity, sizeof *p->loads);
    if (e->trouble != FINE)
        return;
    p->loads[p->n_loads] = (struct sg_bulk_load){e->st->exec, at, bytes};
    for (unsigned i = 0; i * 4 < bytes; i++)
        set_row(e, &in->dst, i, (struct value){.kind = LOADED, .load = p->n_loads, .dword = (uint8_t)i});
    p->n_loads++;
}

/* What a store writes: numbers, or consecutive dwords of one load. */
static bool store_data(struct eval *e, const struct sg_inst *in, struct sg_bulk_store *s)
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
        b->to.base - a->to.base != a->bytes || a->to.per_item < (int64_t)(a->bytes + b->bytes))
        return false;
    if (a->is_fill)
        memcpy(&a->pattern[a->bytes], b->pattern, b->bytes);
    else if (!sg_affine_same_slope(a->from, b->from) || b->from.base - a->from.base != a->bytes)
        return false;
    a->bytes += b->bytes;
    return true;
}

static void store(struct eval *e, const struct sg_inst *in, struct sg_affine at, unsigned bytes)
{
    struct sg_bulk *p = e->plan;
    struct sg_bulk_store s = {.items = e->st->exec, .to = at, .bytes = bytes, .pc = in->pc};
    if (!store_data(e, in, &s)) {
        give_up(e);
        return;
    }
    if (p->n_stores && continues(&p->stores[p->n_stores - 1], &s))
        return;
    p->stores = more(e, p->stores, p->n_stores, &p->store_capacity, sizeof *p->stores);
    if (e->trouble == FINE)
        p->stores[p->n_stores++] = s;
}

static void memory_op(struct eval *e, const struct sg_inst *in)
{
    bool is_store;
    struct sg_affine at;
    unsigned bytes = access_bytes(in->op, &is_store);
    if (bytes && sg_items_empty(e->st->exec))
        return;
    if (!bytes || in->lds || e->st->exec.to > e->plan->n_items || !access_address(e, in, &at))
        give_up(e);
    else if (is_store)
        store(e, in, at, bytes);
    else
        load(e, in, at, bytes);
}

/* ---- The machine ---- */

static unsigned fetch(struct eval *e, uint64_t pc, struct sg_inst *in)
{
    uint32_t words[4];
    unsigned n = 0;
    for (; n < 4; n++) {
        const struct sg_range *r = sg_tlb_range(e->tlb, pc + 4 * n);
        if (!r || !(r->flags & SG_RANGE_EXEC) || r->hi - (pc + 4 * n) < 4)
            break;
        memcpy(&words[n], (const void *)(uintptr_t)(pc + 4 * n + (uint64_t)r->delta), 4);
    }
    return sg_decode(e->arch, words, n, pc, in);
}

static void count(struct eval *e, struct sg_items exec, bool is_vector)
{
    e->plan->n_inst += e->st->waves.to - e->st->waves.from;
    if (is_vector)
        e->plan->n_lane_ops += exec.to - exec.from;
}

static void step(struct eval *e)
{
    struct sg_inst in;
    struct state *st = e->st;
    const uint64_t pc = st->pc;
    const struct sg_items exec = st->exec;
    unsigned size = fetch(e, pc, &in);
    e->trouble = FINE;
    if (!size || ++e->steps > STEPS) {
        give_up(e);
        return;
    }
    st->pc = pc + size;
    if (in.format <= SG_FMT_SMEM)
        scalar_op(e, &in);
    else if (in.format <= SG_FMT_VOP3P)
        vector_op(e, &in);
    else if (in.format == SG_FMT_GLOBAL || in.format == SG_FMT_FLAT)
        memory_op(e, &in);
    else
        give_up(e);
    if (e->trouble == FINE)
        count(e, exec, in.format > SG_FMT_SMEM);
    else
        st->pc = pc;
}

static struct state *push(struct eval *e)
{
    struct state *st = e->n_stack < STATES ? malloc(sizeof *st) : NULL;
    if (st)
        e->stack[e->n_stack++] = st;
    return st;
}

/* The wavefronts from split_at on become a state of their own. */
static bool split(struct eval *e)
{
    struct state *st = e->st, *rest = push(e);
    if (!rest)
        return false;
    *rest = *st;
    rest->waves.from = st->waves.to = e->split_at;
    rest->exec = sg_items_and(rest->exec, (struct sg_items){e->split_at * SG_LANES, UINT64_MAX});
    st->exec = sg_items_and(st->exec, (struct sg_items){0, e->split_at * SG_LANES});
    return true;
}

/* The work-groups of the current state are the interpreter's. */
static bool leave(struct eval *e)
{
    struct sg_bulk *p = e->plan;
    uint64_t waves = p->group_size / SG_LANES;
    if (p->n_left == SG_BULK_LEFT)
        return false;
    p->left[p->n_left++] =
        (struct sg_items){e->st->waves.from / waves, (e->st->waves.to + waves - 1) / waves};
    return true;
}

static void start_registers(struct eval *e, const struct sg_dispatch *d, const struct sg_kernel *k,
                            const uint32_t *preloaded)
{
    struct state *st = e->st;
    uint32_t user[64];
    unsigned n = sg_user_sgprs(d, k, preloaded, user), next = k->rsrc2 >> 1 & 31;
    memset(st, 0, sizeof *st);
    for (unsigned i = 0; i < n; i++)
        st->s[i] = number(user[i]);
    if (k->rsrc2 >> 7 & 1)
        st->s[next++] = low((struct sg_affine){0, 1, 0});
    for (unsigned i = 8; i < 10; i++) /* y and z of the work-group */
        if (k->rsrc2 >> i & 1)
            st->s[next++] = number(0);
    st->pc = k->entry;
    st->waves = (struct sg_items){0, (e->plan->n_items + SG_LANES - 1) / SG_LANES};
    st->exec = (struct sg_items){0, e->plan->n_items};
    st->scc = number(0);
    st->v[0] = low((struct sg_affine){0, 0, 1});
    st->v[0].in = st->exec;
}

/* Goes on with the newest state until it ends. False: the plan is worthless. */
static bool run_state(struct eval *e)
{
    while (!e->end) {
        step(e);
        if (e->trouble == SPLIT && split(e))
            continue;
        if (e->trouble != FINE)
            return e->steps <= STEPS && leave(e);
    }
    return true;
}

bool sg_bulk_evaluate(struct sg_bulk *p, const struct sg_arch *arch, struct sg_tlb *tlb,
                      const struct sg_dispatch *d, const struct sg_kernel *k, const uint32_t *preloaded)
{
    struct eval e = {.plan = p, .arch = arch, .tlb = tlb};
    bool good = (e.st = push(&e)) != NULL;
    if (good)
        start_registers(&e, d, k, preloaded);
    while (good && e.n_stack) {
        /* Halves that split off are pushed above: the state being run is taken off first. */
        e.st = e.stack[--e.n_stack];
        e.end = false;
        good = run_state(&e);
        free(e.st);
    }
    while (e.n_stack)
        free(e.stack[--e.n_stack]);
    return good;
}
