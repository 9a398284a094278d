/*
 * bulk_scalar.c - scalar instructions of bulk_eval.c's machine: lane masks, branches, addresses, numbers from
 * memory.
 */
#include "bulk_state.h"

static void logic64(struct eval *e, const struct gcn_inst *in)
{
    struct sg_items a, b;
    if (!mask_of(e, &in->src[0], &a) || !mask_of(e, &in->src[1], &b)) {
        give_up(e);
        return;
    }
    struct sg_items m = combine(e, in->op, a, b);
    set_mask(e, &in->dst, m);
    set_scc(e, any_lane(e, m));
}

static void saveexec(struct eval *e, const struct gcn_inst *in)
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
    set_scc(e, any_lane(e, m));
}

static void move64(struct eval *e, const struct gcn_inst *in, const struct gcn_operand *from)
{
    struct sg_items m;
    if (in->dst.kind == GCN_OPND_SCALAR && in->dst.index == SG_S_EXEC) {
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
static bool numbers(struct eval *e, const struct gcn_inst *in, uint32_t n[2])
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]);
    return constant(&a, &n[0]) && constant(&b, &n[1]);
}

/* Logic and shifts that are only done on numbers; `sets_scc` as the instruction does. */
static void scalar_numbers(struct eval *e, const struct gcn_inst *in)
{
    uint32_t n[2], r, width;
    if (!numbers(e, in, n)) {
        set_scalar(e, &in->dst, 0, unknown);
        set_scc(e, unknown);
        return;
    }
    switch (in->op) {
    case GCN_OP_S_AND_B32:
        r = n[0] & n[1];
        break;
    case GCN_OP_S_ANDN2_B32:
        r = n[0] & ~n[1];
        break;
    case GCN_OP_S_OR_B32:
        r = n[0] | n[1];
        break;
    case GCN_OP_S_XOR_B32:
        r = n[0] ^ n[1];
        break;
    case GCN_OP_S_LSHR_B32:
        r = n[0] >> (n[1] & 31);
        break;
    case GCN_OP_S_ASHR_I32:
        r = (uint32_t)((int32_t)n[0] >> (n[1] & 31));
        break;
    case GCN_OP_S_BFE_U32:
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
static void scalar_sum(struct eval *e, const struct gcn_inst *in)
{
    struct value a = operand(e, &in->src[0]), b = operand(e, &in->src[1]), r = unknown, scc = unknown;
    const bool minus_b = in->op == GCN_OP_S_SUB_U32 || in->op == GCN_OP_S_SUB_I32;
    uint32_t n;
    if (in->op == GCN_OP_S_ADDC_U32 || in->op == GCN_OP_S_SUBB_U32) {
        const struct value *c = &e->st->scc;
        bool fits = (c->kind == BORROW) == (in->op == GCN_OP_S_SUBB_U32);
        if (fits)
            r = add_high(e, &a, &b, c, all_lanes(e));
    } else if (in->op == GCN_OP_S_MUL_I32) {
        if (a.kind == LOW && constant(&b, &n))
            r = low(sg_affine_scale(a.x, n));
        else if (b.kind == LOW && constant(&a, &n))
            r = low(sg_affine_scale(b.x, n));
        scc = e->st->scc;
    } else if (in->op == GCN_OP_S_LSHL_B32) {
        if (a.kind == LOW && constant(&b, &n))
            r = low(sg_affine_scale(a.x, 1ull << (n & 31)));
    } else if (a.kind == LOW && b.kind == LOW) {
        r = low(sg_affine_add(a.x, minus_b ? sg_affine_scale(b.x, ~0ull) : b.x));
        if (in->op == GCN_OP_S_ADD_U32 || in->op == GCN_OP_S_SUB_U32)
            scc = (struct value){.kind = minus_b ? BORROW : CARRY, .x = a.x, .y = b.x};
    }
    if (constant(&r, &n)) {
        r = number(n);
        if (in->op == GCN_OP_S_LSHL_B32)
            scc = number(n != 0);
    }
    set_scalar(e, &in->dst, 0, r);
    set_scc(e, scc);
}

static void scalar_shift64(struct eval *e, const struct gcn_inst *in)
{
    struct sg_affine x;
    struct value by = operand(e, &in->src[1]);
    struct value r[2] = {unknown, unknown};
    uint32_t n;
    if (operand64(e, &in->src[0], all_lanes(e), &x) && constant(&by, &n)) {
        n &= 63;
        if (in->op == GCN_OP_S_LSHL_B64) {
            x = sg_affine_scale(x, 1ull << n);
            r[0] = low(x);
            r[1] = high(e, x, all_lanes(e));
        } else if (sg_affine_is_const(x)) {
            uint64_t y = in->op == GCN_OP_S_LSHR_B64 ? x.base >> n : (uint64_t)((int64_t)x.base >> n);
            r[0] = number((uint32_t)y);
            r[1] = number((uint32_t)(y >> 32));
        }
    }
    set_scalar(e, &in->dst, 0, r[0]);
    set_scalar(e, &in->dst, 1, r[1]);
    set_scc(e, unknown);
}

/* What a comparison asks, from its number: SOPC has EQ, LG, GT, GE, LT, LE for i32 (0 to 5) and u32 (6 to
 * 11), and EQ and LG for u64 (18, 19). "AMD Instinct MI200" ISA, table of SOPC opcodes. Equality asks for no
 * sign. */
static void scalar_compare(struct eval *e, const struct gcn_inst *in)
{
    static const enum sg_relation relations[6] = {SG_EQ, SG_NE, SG_GT, SG_GE, SG_LT, SG_LE};
    const bool wide = in->opcode >= 18, is_signed = in->opcode >= 2 && in->opcode < 6;
    const enum sg_relation relation = relations[in->opcode % 6];
    struct sg_items m;
    struct sg_affine a, b;
    struct value va = operand(e, &in->src[0]), vb = operand(e, &in->src[1]);
    bool known =
        wide ? operand64(e, &in->src[0], all_lanes(e), &a) && operand64(e, &in->src[1], all_lanes(e), &b)
             : widen(e, &va, all_lanes(e), &a) && widen(e, &vb, all_lanes(e), &b);
    if (known && compare(e, a, b, wide ? 64 : 32, is_signed, relation, all_lanes(e), &m))
        set_scc(e, any_lane(e, m));
    else
        set_scc(e, unknown);
}

static void move32(struct eval *e, const struct gcn_inst *in)
{
    set_scalar(e, &in->dst, 0, operand(e, &in->src[0]));
}

static void move_immediate(struct eval *e, const struct gcn_inst *in)
{
    set_scalar(e, &in->dst, 0, number((uint32_t)in->simm16));
}

static void move_pair(struct eval *e, const struct gcn_inst *in)
{
    move64(e, in, &in->src[0]);
}

static void select32(struct eval *e, const struct gcn_inst *in)
{
    set_scalar(e, &in->dst, 0, operand(e, &in->src[scc_is_set(e) ? 0 : 1]));
}

static void select64(struct eval *e, const struct gcn_inst *in)
{
    move64(e, in, &in->src[scc_is_set(e) ? 0 : 1]);
}

static void scalar_load(struct eval *e, const struct gcn_inst *in)
{
    struct sg_affine base;
    struct value offset = number(0);
    uint32_t n, data[16];
    if (in->soffset.kind != GCN_OPND_NONE)
        offset = operand(e, &in->soffset);
    if (!operand64(e, &in->saddr, all_lanes(e), &base) || !sg_affine_is_const(base) ||
        !constant(&offset, &n)) {
        give_up(e);
        return;
    }
    int64_t immediate = in->flags & GCN_INST_SOFFSET_ONLY ? 0 : in->offset;
    uint64_t va = (base.base + n + (uint64_t)immediate) & ~3ull;
    if (in->dst.dwords > 16 || !read_memory(e, va, data, 4u * in->dst.dwords)) {
        give_up(e);
        return;
    }
    for (unsigned i = 0; i < in->dst.dwords; i++)
        set_scalar(e, &in->dst, i, number(data[i]));
}

/* ---- Control flow ---- */

/* Nothing passes between wavefronts, so a barrier does nothing: bulk_check.c sees to that. */
static void nothing(struct eval *e, const struct gcn_inst *in)
{
    (void)e;
    (void)in;
}

static void end_program(struct eval *e, const struct gcn_inst *in)
{
    (void)in;
    e->end = true;
}

/* Where a branch goes on the condition; may split the wavefronts, which is trouble. */
static bool is_taken(struct eval *e, unsigned op)
{
    switch (op) {
    case GCN_OP_S_CBRANCH_SCC0:
        return !scc_is_set(e);
    case GCN_OP_S_CBRANCH_SCC1:
        return scc_is_set(e);
    case GCN_OP_S_CBRANCH_VCCZ:
        return !any_active(e, SG_S_VCC);
    case GCN_OP_S_CBRANCH_VCCNZ:
        return any_active(e, SG_S_VCC);
    case GCN_OP_S_CBRANCH_EXECZ:
        return !any_active(e, SG_S_EXEC);
    case GCN_OP_S_CBRANCH_EXECNZ:
        return any_active(e, SG_S_EXEC);
    default: /* S_BRANCH */
        return true;
    }
}

static void branch(struct eval *e, const struct gcn_inst *in)
{
    if (is_taken(e, in->op) && e->trouble == FINE)
        e->st->pc += (uint64_t)((int64_t)in->simm16 * 4);
}

/* ---- Which instruction is which ---- */

typedef void (*evaluator)(struct eval *e, const struct gcn_inst *in);

static const evaluator evaluators[GCN_OP_COUNT] = {
    [GCN_OP_S_NOP] = nothing,
    [GCN_OP_S_WAITCNT] = nothing,
    [GCN_OP_S_BARRIER] = nothing,
    [GCN_OP_S_BARRIER_SIGNAL] = nothing,
    [GCN_OP_S_BARRIER_WAIT] = nothing,
    [GCN_OP_S_ENDPGM] = end_program,
    [GCN_OP_S_BRANCH] = branch,
    [GCN_OP_S_CBRANCH_SCC0] = branch,
    [GCN_OP_S_CBRANCH_SCC1] = branch,
    [GCN_OP_S_CBRANCH_VCCZ] = branch,
    [GCN_OP_S_CBRANCH_VCCNZ] = branch,
    [GCN_OP_S_CBRANCH_EXECZ] = branch,
    [GCN_OP_S_CBRANCH_EXECNZ] = branch,
    [GCN_OP_S_MOV_B32] = move32,
    [GCN_OP_S_MOVK_I32] = move_immediate,
    [GCN_OP_S_CSELECT_B32] = select32,
    [GCN_OP_S_MOV_B64] = move_pair,
    [GCN_OP_S_CSELECT_B64] = select64,
    [GCN_OP_S_ADD_U32] = scalar_sum,
    [GCN_OP_S_ADD_I32] = scalar_sum,
    [GCN_OP_S_ADDC_U32] = scalar_sum,
    [GCN_OP_S_SUB_U32] = scalar_sum,
    [GCN_OP_S_SUB_I32] = scalar_sum,
    [GCN_OP_S_SUBB_U32] = scalar_sum,
    [GCN_OP_S_MUL_I32] = scalar_sum,
    [GCN_OP_S_LSHL_B32] = scalar_sum,
    [GCN_OP_S_AND_B32] = scalar_numbers,
    [GCN_OP_S_ANDN2_B32] = scalar_numbers,
    [GCN_OP_S_OR_B32] = scalar_numbers,
    [GCN_OP_S_XOR_B32] = scalar_numbers,
    [GCN_OP_S_LSHR_B32] = scalar_numbers,
    [GCN_OP_S_ASHR_I32] = scalar_numbers,
    [GCN_OP_S_BFE_U32] = scalar_numbers,
    [GCN_OP_S_LSHL_B64] = scalar_shift64,
    [GCN_OP_S_LSHR_B64] = scalar_shift64,
    [GCN_OP_S_ASHR_I64] = scalar_shift64,
    [GCN_OP_S_AND_B64] = logic64,
    [GCN_OP_S_OR_B64] = logic64,
    [GCN_OP_S_XOR_B64] = logic64,
    [GCN_OP_S_ANDN2_B64] = logic64,
    [GCN_OP_S_AND_SAVEEXEC_B64] = saveexec,
    [GCN_OP_S_OR_SAVEEXEC_B64] = saveexec,
    [GCN_OP_S_XOR_SAVEEXEC_B64] = saveexec,
    [GCN_OP_S_ANDN2_SAVEEXEC_B64] = saveexec,
    [GCN_OP_S_LOAD_DWORD] = scalar_load,
    [GCN_OP_S_LOAD_DWORDX2] = scalar_load,
    [GCN_OP_S_LOAD_DWORDX4] = scalar_load,
    [GCN_OP_S_LOAD_DWORDX8] = scalar_load,
    [GCN_OP_S_LOAD_DWORDX16] = scalar_load,
    [GCN_OP_S_CMP_EQ_U32] = scalar_compare,
    [GCN_OP_S_CMP_LG_U32] = scalar_compare,
    [GCN_OP_S_CMP_EQ_I32] = scalar_compare,
    [GCN_OP_S_CMP_LG_I32] = scalar_compare,
    [GCN_OP_S_CMP_EQ_U64] = scalar_compare,
    [GCN_OP_S_CMP_LG_U64] = scalar_compare,
    [GCN_OP_S_CMP_LT_U32] = scalar_compare,
    [GCN_OP_S_CMP_LE_U32] = scalar_compare,
    [GCN_OP_S_CMP_GT_U32] = scalar_compare,
    [GCN_OP_S_CMP_GE_U32] = scalar_compare,
    [GCN_OP_S_CMP_LT_I32] = scalar_compare,
    [GCN_OP_S_CMP_LE_I32] = scalar_compare,
    [GCN_OP_S_CMP_GT_I32] = scalar_compare,
    [GCN_OP_S_CMP_GE_I32] = scalar_compare,
};

void sg_bulk_scalar(struct eval *e, const struct gcn_inst *in)
{
    if (evaluators[in->op])
        evaluators[in->op](e, in);
    else
        give_up(e);
}
