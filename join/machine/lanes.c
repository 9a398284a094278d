/*
 * lanes.c - see lanes.h. What is followed, with wavefronts of 64 lanes (those of 32 have masks of one register,
 * and no v_mbcnt_hi):
 *
 *     s_mov_b64 s[4:5], exec               or exec itself below
 *     v_mbcnt_lo_u32_b32 v1, s4, 0
 *     v_mbcnt_hi_u32_b32 v1, s5, v1        v1: active lanes below this one (AMD "Instinct MI200" ISA
 *     v_cmp_eq_u32_e32 vcc, 0, v1          document, section 12.11: V_MBCNT_LO/HI_U32_B32)
 *     s_and_saveexec_b64 s[2:3], vcc       exec: the lowest active lane; or s_and_b64 exec, exec, vcc,
 *                                          perhaps in two steps: s_and_b64 s[2:3], exec, vcc;
 *                                          s_mov_b64 exec, s[2:3]
 *     s_xor_b64 s[2:3], exec, s[2:3]       perhaps
 *     s_cbranch_execz ...                  perhaps
 *
 * in this order, with anything in between that does not write these registers. Whatever is not understood
 * ends it.
 */
#include "lanes.h"

static const struct ls_registers none = {.file = LS_FILE_VECTOR};

static bool is(struct ls_registers known, struct ls_registers r)
{
    return known.n && ls_registers_equal(known, r);
}

/* Whether r is that register of a mask: 0 the lower one. */
static bool is_part(struct ls_registers mask, struct ls_registers r, unsigned part)
{
    return part < mask.n && r.file == mask.file && r.n == 1 && r.first == mask.first + part;
}

static bool is_value(const struct ls_operand *o, int32_t value)
{
    return o->constant && o->value == value;
}

static void forget_written(struct ls_lanes *x, const struct ls_op *op)
{
    struct ls_registers *const known[] = {&x->exec, &x->low, &x->rank, &x->lowest, &x->fewer};
    for (unsigned i = 0; i < op->n_written; i++)
        for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
            if (known[k]->n && ls_registers_meet(*known[k], op->written[i]))
                *known[k] = none;
}

static void forget_all(struct ls_lanes *x)
{
    x->exec = x->low = x->rank = x->lowest = x->fewer = none;
}

static void follow_low(struct ls_lanes *x, const struct ls_op *op, uint64_t at)
{
    const struct ls_registers exec = {LS_FILE_SCALAR, LS_REGISTER_EXEC, op->mask_dwords};
    bool copy = is_part(x->exec, op->source[0].r, 0), itself = is_part(exec, op->source[0].r, 0);
    forget_written(x, op);
    if (!is_value(&op->source[1], 0) || (!copy && !itself))
        return;
    x->low = op->to;
    x->counted = copy ? x->copied : at;
    if (op->mask_dwords == 1)
        x->rank = op->to;
}

static void follow_high(struct ls_lanes *x, const struct ls_op *op)
{
    const struct ls_registers exec = {LS_FILE_SCALAR, LS_REGISTER_EXEC, op->mask_dwords};
    bool copy = is_part(x->exec, op->source[0].r, 1), itself = is_part(exec, op->source[0].r, 1);
    bool low = is(x->low, op->source[1].r);
    forget_written(x, op);
    if (low && (copy || itself))
        x->rank = op->to;
    if (copy && x->copied < x->counted)
        x->counted = x->copied;
}

/* Of an intersection of the active lanes with a mask: the mask. */
static struct ls_registers mask_of(const struct ls_op *op)
{
    if (op->kind != LS_OP_AND)
        return none;
    return ls_is_exec(op, op->source[0].r)   ? op->source[1].r
           : ls_is_exec(op, op->source[1].r) ? op->source[0].r
                                             : none;
}

/* Some of the active lanes, put into registers from which they will come into exec. */
static void follow_fewer(struct ls_lanes *x, const struct ls_op *op)
{
    struct ls_registers mask = mask_of(op);
    bool without = op->kind == LS_OP_AND_NOT && ls_is_exec(op, op->source[0].r);
    bool lowest = is(x->lowest, mask), is_fewer = mask.n || without;
    forget_written(x, op);
    if (is_fewer) {
        x->fewer = op->to;
        x->fewer_is_lowest = lowest;
    }
}

/* One step of the chain, or anything else that writes registers. */
static void follow(struct ls_lanes *x, const struct ls_op *op, uint64_t at)
{
    bool equal = op->kind == LS_OP_EQUAL && is_value(&op->source[0], 0) && is(x->rank, op->source[1].r);
    if (op->kind == LS_OP_COUNT_LOW) {
        follow_low(x, op, at);
    } else if (op->kind == LS_OP_COUNT_HIGH) {
        follow_high(x, op);
    } else if (op->kind == LS_OP_AND || op->kind == LS_OP_AND_NOT) {
        follow_fewer(x, op);
    } else {
        forget_written(x, op);
        if (op->kind == LS_OP_MOVE && ls_is_exec(op, op->source[0].r)) {
            x->exec = op->to;
            x->copied = at;
        }
        if (equal)
            x->lowest = op->to;
    }
}

/* The instruction writes exec. */
static struct ls_lanes_region begin(const struct ls_lanes *x, const struct ls_op *op, uint64_t at,
                                    uint32_t mask)
{
    bool moved = op->exec == LS_EXEC_MOVE && x->fewer_is_lowest && is(x->fewer, op->from.r);
    bool narrowed = op->exec == LS_EXEC_AND && is(x->lowest, op->from.r);
    return moved || narrowed ? (struct ls_lanes_region){at + 1, x->counted, 0, mask}
                             : (struct ls_lanes_region){0};
}

struct ls_lanes_region ls_lanes_next(struct ls_lanes *x, const struct ls_op *op, uint64_t at, uint64_t size,
                                     uint32_t mask)
{
    if (op->kind == LS_OP_COUNT_LOW && !is_value(&op->source[0], -1)) /* all lanes, active or not */
        x->counts++;
    if (op->exec != LS_EXEC_SAME) {
        x->region = begin(x, op, at, mask);
        x->epoch++;
        forget_all(x);
    } else if (op->flags & LS_OP_OPAQUE) {
        forget_all(x);
        if (x->region.start && !x->region.behind && op->flags & LS_OP_EXECZ)
            x->region.behind = at + size;
        else
            x->region = (struct ls_lanes_region){0};
    } else {
        follow(x, op, at);
    }
    return x->region;
}
