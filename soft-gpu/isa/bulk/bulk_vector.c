/*
 * bulk_vector.c - vector arithmetic of bulk_eval.c's machine: what addresses are made of.
 */
#include "bulk_state.h"

static bool vector_compare_op(struct eval *e, const struct gcn_inst *in)
{
#define RELATIONS(R)                                                                                         \
    {GCN_OP_V_CMP_##R##_U32, SG_##R, 32, 0}, {GCN_OP_V_CMP_##R##_I32, SG_##R, 32, 1},                        \
        {GCN_OP_V_CMP_##R##_U64, SG_##R, 64, 0}, {GCN_OP_V_CMP_##R##_I64, SG_##R, 64, 1}
    static const struct {
        uint16_t op;
        uint8_t relation, bits, is_signed;
    } table[] = {RELATIONS(LT), RELATIONS(LE), RELATIONS(EQ), RELATIONS(GE), RELATIONS(GT), RELATIONS(NE)};
    const struct sg_items exec = e->st->exec;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].op != in->op)
            continue;
        struct sg_items m = nobody;
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

static void multiply_add_wide(struct eval *e, const struct gcn_inst *in)
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

/* a + b, where that is a formula. */
static struct value sum(const struct value *a, const struct value *b)
{
    struct value r = unknown;
    uint32_t n;
    if (a->kind == LOW && b->kind == LOW)
        return low(sg_affine_add(a->x, b->x));
    if (b->kind == HIGH) {
        const struct value *t = a;
        a = b;
        b = t;
    }
    if (a->kind == HIGH && constant(b, &n)) /* high(x) + n = high(x + n * 2^32) */
        r = (struct value){.kind = HIGH, .x = sg_affine_add(a->x, sg_affine_const((uint64_t)n << 32))};
    return r;
}

static void vector_sum(struct eval *e, const struct gcn_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]), r = unknown, carry = unknown;
    const bool minus_b = in->op == GCN_OP_V_SUB_CO_U32 || in->op == GCN_OP_V_SUB_U32;
    const bool reversed = in->op == GCN_OP_V_SUBREV_U32 || in->op == GCN_OP_V_SUBREV_CO_U32;
    if (reversed) {
        struct value t = a;
        a = b;
        b = t;
    }
    if (a.kind == LOW && b.kind == LOW) {
        r = low(sg_affine_add(a.x, minus_b || reversed ? sg_affine_scale(b.x, ~0ull) : b.x));
        carry = (struct value){.kind = minus_b || reversed ? BORROW : CARRY, .x = a.x, .y = b.x};
        carry.in = e->st->exec;
    } else if (!minus_b && !reversed) {
        r = sum(&a, &b);
    }
    set_row(e, &in->dst, 0, r);
    if (in->op == GCN_OP_V_ADD_CO_U32 || in->op == GCN_OP_V_SUB_CO_U32 || in->op == GCN_OP_V_SUBREV_CO_U32)
        set_carry(e, &in->sdst, carry);
}

static void vector_sum_high(struct eval *e, const struct gcn_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]);
    struct value carry = operand(e, &in->src[2]), r = unknown;
    bool is_sub = in->op == GCN_OP_V_SUBB_CO_U32;
    if ((carry.kind == BORROW) == is_sub && sg_items_equal(carry.in, e->st->exec))
        r = add_high(e, &a, &b, &carry, e->st->exec);
    set_row(e, &in->dst, 0, r);
    set_carry(e, &in->sdst, unknown);
}

/* Three-operand integer instructions made of sums and shifts: ((a << sa) + b) << sr + c. */
static void shift_add(struct eval *e, const struct gcn_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]), c = operand(e, &in->src[2]);
    struct value r = unknown;
    uint32_t n;
    if (in->op == GCN_OP_V_ADD3_U32) {
        r = sum(&a, &b);
        r = sum(&r, &c);
    }
    if (in->op == GCN_OP_V_LSHL_ADD_U32 && a.kind == LOW && constant(&b, &n) && c.kind == LOW)
        r = low(sg_affine_add(sg_affine_scale(a.x, 1ull << (n & 31)), c.x));
    if (in->op == GCN_OP_V_ADD_LSHL_U32 && a.kind == LOW && b.kind == LOW && constant(&c, &n))
        r = low(sg_affine_scale(sg_affine_add(a.x, b.x), 1ull << (n & 31)));
    set_row(e, &in->dst, 0, r);
}

static void shift_add64(struct eval *e, const struct gcn_inst *in)
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

static void shift64(struct eval *e, const struct gcn_inst *in)
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

static struct value product_low(const struct value *a, const struct value *b)
{
    uint32_t n;
    if (a->kind == LOW && constant(b, &n))
        return low(sg_affine_scale(a->x, n));
    if (b->kind == LOW && constant(a, &n))
        return low(sg_affine_scale(b->x, n));
    if ((constant(a, &n) && !n) || (constant(b, &n) && !n))
        return number(0);
    return unknown;
}

static bool fits24(const struct eval *e, const struct value *v)
{
    struct sg_affine x;
    struct sg_exact r;
    return widen(e, v, e->st->exec, &x) && exact(e, x, e->st->exec, 32, false, &r) && !(r.most >> 24);
}

/* Bits [shift, shift + width) of a register, shift + width <= 32. */
static struct value field(const struct eval *e, const struct value *v, unsigned shift, unsigned width)
{
    struct sg_affine x;
    struct sg_exact r;
    if (!widen(e, v, e->st->exec, &x) || !exact(e, x, e->st->exec, 32, false, &r))
        return unknown;
    if (sg_exact_field(&r, e->st->exec, e->plan->group, shift, width, &x))
        return low(x);
    if (r.least >> shift == r.most >> shift)
        return number((uint32_t)((uint64_t)r.most >> shift & ((1ull << width) - 1)));
    return unknown;
}

static struct value shifted_right(const struct eval *e, const struct gcn_inst *in, const struct value *by,
                                  const struct value *v)
{
    struct sg_affine x;
    struct sg_exact r;
    uint32_t n;
    if (!constant(by, &n) || !widen(e, v, e->st->exec, &x) || !exact(e, x, e->st->exec, 32, false, &r) ||
        (in->op == GCN_OP_V_ASHRREV_I32 && r.most >> 31))
        return unknown;
    return field(e, v, n & 31, 32 - (n & 31));
}

/* v_bfe_u32: offset and width are five bits each, a width of 0 gives 0. */
static struct value bit_field(const struct eval *e, const struct value *v, const struct value *at,
                              const struct value *bits)
{
    uint32_t shift, width;
    if (!constant(at, &shift) || !constant(bits, &width) || !(width & 31))
        return unknown;
    shift &= 31;
    width &= 31;
    return field(e, v, shift, shift + width < 32 ? width : 32 - shift);
}

/* With a number that is a mask of the low bits. */
static struct value masked(const struct eval *e, struct value a, struct value b)
{
    uint32_t n, m;
    if (constant(&a, &n) && constant(&b, &m))
        return number(n & m);
    if (constant(&b, &n)) {
        b = a;
        a = number(n);
    }
    if (!constant(&a, &n) || n & (n + 1) || !n)
        return constant(&a, &n) && !n ? number(0) : unknown;
    return field(e, &b, 0, (unsigned)__builtin_popcount(n));
}

static struct value either_bits(const struct value *a, const struct value *b)
{
    uint32_t n, m;
    if (constant(a, &n) && constant(b, &m))
        return number(n | m);
    if (constant(a, &n) && !n)
        return *b;
    if (constant(b, &n) && !n)
        return *a;
    return unknown;
}

/* -1 - x */
static struct value inverted(const struct value *a)
{
    return a->kind == LOW ? low(sg_affine_add(sg_affine_scale(a->x, ~0ull), sg_affine_const(~0ull)))
                          : unknown;
}

/* (x ^ y) + z, one of x and y all ones. */
static struct value inverted_sum(struct value a, struct value b, const struct value *c)
{
    uint32_t n;
    if (constant(&b, &n)) {
        b = a;
        a = number(n);
    }
    if (!constant(&a, &n) || ~n || c->kind != LOW)
        return unknown;
    b = inverted(&b);
    return sum(&b, c);
}

/* Products, fields and shifts: where the operand's range makes them a formula again. */
static struct value narrow_result(struct eval *e, const struct gcn_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = in->n_src > 1 ? operand(e, &in->src[1]) : unknown;
    struct value c = in->n_src > 2 ? operand(e, &in->src[2]) : unknown;
    struct sg_affine x;
    uint32_t n;
    switch (in->op) {
    case GCN_OP_V_MUL_LO_U32:
        return product_low(&a, &b);
    case GCN_OP_V_MUL_HI_U32:
        return product(e, &a, &b, &x) ? high(e, x, e->st->exec) : unknown;
    case GCN_OP_V_MUL_U32_U24:
    case GCN_OP_V_MAD_U32_U24:
        if (!fits24(e, &a) || !fits24(e, &b) || !product(e, &a, &b, &x))
            return unknown;
        if (in->op == GCN_OP_V_MUL_U32_U24)
            return low(x);
        return c.kind == LOW ? low(sg_affine_add(x, c.x)) : unknown;
    case GCN_OP_V_AND_B32:
        return masked(e, a, b);
    case GCN_OP_V_BFE_U32:
        return bit_field(e, &a, &b, &c);
    case GCN_OP_V_LSHRREV_B32:
    case GCN_OP_V_ASHRREV_I32:
        return shifted_right(e, in, &a, &b);
    case GCN_OP_V_OR_B32:
        return either_bits(&a, &b);
    case GCN_OP_V_NOT_B32:
        return inverted(&a);
    case GCN_OP_V_XAD_U32:
        return inverted_sum(a, b, &c);
    case GCN_OP_V_LSHLREV_B32:
        return b.kind == LOW && constant(&a, &n) ? low(sg_affine_scale(b.x, 1ull << (n & 31))) : unknown;
    default:
        give_up(e);
        return unknown;
    }
}

static void select_row(struct eval *e, const struct gcn_inst *in)
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
static void packed_move(struct eval *e, const struct gcn_inst *in)
{
    struct value lo, hi;
    if (in->src[0].kind == GCN_OPND_LITERAL || in->src[1].kind == GCN_OPND_LITERAL) {
        give_up(e);
        return;
    }
    lo = operand_part(e, &in->src[0], in->op_sel & 1, true);
    hi = operand_part(e, &in->src[1], in->op_sel >> 1 & 1, true);
    set_row(e, &in->dst, 0, lo);
    set_row(e, &in->dst, 1, hi);
}

static void first_lane(struct eval *e, const struct gcn_inst *in)
{
    struct value v = operand(e, &in->src[0]);
    uint32_t n;
    if (!any_active(e, SG_S_EXEC))
        give_up(e); /* lane 0 is read then; nobody does that */
    else if (constant(&v, &n))
        set_scalar(e, &in->dst, 0, number(n));
    else if ((v.kind == LOW || v.kind == HIGH) && !v.x.per_item[0] && !v.x.per_item[1] && !v.x.per_item[2])
        set_scalar(e, &in->dst, 0, (struct value){.kind = v.kind, .x = v.x});
    else
        set_scalar(e, &in->dst, 0, unknown);
}

static bool has_modifiers(const struct gcn_inst *in)
{
    return in->has_sdwa || in->has_dpp || in->abs || in->neg || in->clamp || in->omod;
}

void sg_bulk_vector(struct eval *e, const struct gcn_inst *in)
{
    struct value v;
    if (has_modifiers(in)) {
        give_up(e);
        return;
    }
    switch (in->op) {
    case GCN_OP_V_MOV_B32:
        v = operand(e, &in->src[0]);
        set_row(e, &in->dst, 0, v);
        break;
    case GCN_OP_V_MOV_B64: {
        struct value lo = operand_part(e, &in->src[0], 0, true), hi = operand_part(e, &in->src[0], 1, true);
        set_row(e, &in->dst, 0, lo);
        set_row(e, &in->dst, 1, hi);
        break;
    }
    case GCN_OP_V_PK_MOV_B32:
        packed_move(e, in);
        break;
    case GCN_OP_V_READFIRSTLANE_B32:
        first_lane(e, in);
        break;
    case GCN_OP_V_ADD_U32:
    case GCN_OP_V_SUB_U32:
    case GCN_OP_V_SUBREV_U32:
    case GCN_OP_V_ADD_CO_U32:
    case GCN_OP_V_SUB_CO_U32:
    case GCN_OP_V_SUBREV_CO_U32:
        vector_sum(e, in);
        break;
    case GCN_OP_V_ADDC_CO_U32:
    case GCN_OP_V_SUBB_CO_U32:
        vector_sum_high(e, in);
        break;
    case GCN_OP_V_ADD3_U32:
    case GCN_OP_V_LSHL_ADD_U32:
    case GCN_OP_V_ADD_LSHL_U32:
        shift_add(e, in);
        break;
    case GCN_OP_V_LSHL_ADD_U64:
        shift_add64(e, in);
        break;
    case GCN_OP_V_LSHLREV_B64:
        shift64(e, in);
        break;
    case GCN_OP_V_MAD_U64_U32:
        multiply_add_wide(e, in);
        break;
    case GCN_OP_V_CNDMASK_B32:
        select_row(e, in);
        break;
    default:
        if (vector_compare_op(e, in))
            break;
        v = narrow_result(e, in);
        set_row(e, &in->dst, 0, v);
    }
}
