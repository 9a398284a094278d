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
 *                                          s_mov_b64 exec, s[2:3]; or v_cmpx_eq_u32 0, v1 in place of both,
 *                                          which writes exec
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
    struct ls_registers *const known[] = {&x->low, &x->rank, &x->lowest, &x->fewer};
    for (unsigned i = 0; i < op->n_written; i++) {
        for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
            if (known[k]->n && ls_registers_meet(*known[k], op->written[i]))
                *known[k] = none;
        for (unsigned k = 0; k < LS_LANES_COPIES; k++)
            if (x->copies[k].exec.n && ls_registers_meet(x->copies[k].exec, op->written[i]))
                x->copies[k].exec = none;
    }
}

static void forget_all(struct ls_lanes *x)
{
    for (unsigned i = 0; i < LS_LANES_COPIES; i++)
        x->copies[i].exec = none;
    x->low = x->rank = x->lowest = x->fewer = none;
}

/* Whether r is that register of the active lanes' mask, or of a copy; since when it is. */
static bool is_active(const struct ls_lanes *x, const struct ls_op *op, struct ls_registers r, unsigned part,
                      uint64_t *since)
{
    for (unsigned i = 0; i < LS_LANES_COPIES; i++)
        if (is_part(x->copies[i].exec, r, part)) {
            *since = x->copies[i].at;
            return true;
        }
    return is_part((struct ls_registers){LS_FILE_SCALAR, LS_REGISTER_EXEC, op->mask_dwords}, r, part);
}

static void follow_low(struct ls_lanes *x, const struct ls_op *op, uint64_t at)
{
    uint64_t since = at;
    bool active = is_active(x, op, op->source[0].r, 0, &since);
    forget_written(x, op);
    if (!is_value(&op->source[1], 0) || !active)
        return;
    x->low = op->to;
    x->counted = since;
    if (op->mask_dwords == 1)
        x->rank = op->to;
}

/* Of 32 lanes it counts none, whatever the mask ("RDNA3 Instruction Set Architecture", V_MBCNT_HI_U32_B32). */
static void follow_high(struct ls_lanes *x, const struct ls_op *op)
{
    uint64_t since = x->counted;
    bool low = is(x->low, op->source[1].r) || (op->mask_dwords == 1 && is(x->rank, op->source[1].r));
    bool active = op->mask_dwords == 1 || is_active(x, op, op->source[0].r, 1, &since);
    forget_written(x, op);
    if (low && active)
        x->rank = op->to;
    if (since < x->counted)
        x->counted = since;
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

/* Whether it asks each lane if it is the lowest one. */
static bool asks_for_lowest(const struct ls_lanes *x, const struct ls_op *op)
{
    return op->kind == LS_OP_EQUAL && is_value(&op->source[0], 0) && is(x->rank, op->source[1].r);
}

/* One step of the chain, or anything else that writes registers. */
static void follow(struct ls_lanes *x, const struct ls_op *op, uint64_t at)
{
    bool equal = asks_for_lowest(x, op);
    if (op->kind == LS_OP_COUNT_LOW) {
        follow_low(x, op, at);
    } else if (op->kind == LS_OP_COUNT_HIGH) {
        follow_high(x, op);
    } else if (op->kind == LS_OP_AND || op->kind == LS_OP_AND_NOT) {
        follow_fewer(x, op);
    } else {
        forget_written(x, op);
        if (op->kind == LS_OP_MOVE && ls_is_exec(op, op->source[0].r)) {
            x->copies[x->made++ % LS_LANES_COPIES] = (struct ls_lanes_copy){op->to, at};
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
    bool compared = op->exec == LS_EXEC_LESS && asks_for_lowest(x, op);
    return moved || narrowed || compared ? (struct ls_lanes_region){at + 1, x->counted, 0, mask}
                                         : (struct ls_lanes_region){0};
}

/* A constant counts lanes whether they are active or not, and a mask in a vector register is the program's, which may have
 * another one in each lane: code generation has its own in scalar registers. */
static bool may_count_active(const struct ls_op *op)
{
    const struct ls_operand *mask = &op->source[0];
    return !mask->constant && !(mask->r.n && mask->r.file == LS_FILE_VECTOR);
}

struct ls_lanes_region ls_lanes_next(struct ls_lanes *x, const struct ls_op *op, uint64_t at, uint64_t size,
                                     uint32_t mask)
{
    x->counts += op->kind == LS_OP_COUNT_LOW && may_count_active(op);
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
