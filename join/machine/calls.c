/* calls.c - see calls.h. */
#include "calls.h"

#include <string.h>

enum { RETURN_ADDRESS = 30 }; /* s[30:31] (LLVM, "User Guide for AMDGPU Backend", non-kernel functions) */

static bool is_register(const struct gcn_operand *o)
{
    return o->kind == GCN_OPND_SCALAR && o->index < LS_CALLS_REGISTERS;
}

/* Inline constants: 128 to 192 are 0 to 64, 193 to 208 are -1 to -16 ("AMD Instinct MI200 ISA", table of SSRC). */
static bool value_of(const struct ls_calls *c, const struct gcn_operand *o, uint32_t *out)
{
    if (o->kind == GCN_OPND_LITERAL)
        *out = o->literal;
    else if (is_register(o) && c->known[o->index])
        *out = c->value[o->index];
    else if (o->kind == GCN_OPND_SCALAR && o->index >= 128 && o->index <= 192)
        *out = o->index - 128u;
    else if (o->kind == GCN_OPND_SCALAR && o->index > 192 && o->index <= 208)
        *out = 192u - o->index;
    else
        return false;
    return true;
}

static bool pair_of(const struct ls_calls *c, const struct gcn_operand *o, uint64_t *out)
{
    if (!is_register(o) || o->index + 1 >= LS_CALLS_REGISTERS || !c->known[o->index] ||
        !c->known[o->index + 1])
        return false;
    *out = c->value[o->index] | (uint64_t)c->value[o->index + 1] << 32;
    return true;
}

static void set(struct ls_calls *c, const struct gcn_operand *o, unsigned n, uint64_t value)
{
    for (unsigned k = 0; k < n && is_register(o) && o->index + k < LS_CALLS_REGISTERS; k++) {
        c->known[o->index + k] = true;
        c->value[o->index + k] = (uint32_t)(value >> 32 * k);
    }
}

static void forget(struct ls_calls *c, struct gcn_target target, const struct gcn_inst *in)
{
    struct gcn_effects e;
    gcn_effects(target, in, &e);
    for (unsigned i = 0; i < e.n_written; i++) {
        const struct gcn_span *s = &e.written[i];
        if (s->file == GCN_FILE_SCC)
            c->carry_known = false;
        for (unsigned k = 0; s->file == GCN_FILE_SCALAR && k < s->count; k++)
            if (s->first + k < LS_CALLS_REGISTERS)
                c->known[s->first + k] = false;
    }
}

/* What the instruction computes, if that is followed. */
static void compute(struct ls_calls *c, struct gcn_target target, const struct gcn_inst *in)
{
    const struct ls_calls old = *c;
    const bool with_carry = in->op == GCN_OP_S_ADDC_U32;
    uint32_t a, b;
    uint64_t pair;
    forget(c, target, in);
    switch (in->op) {
    case GCN_OP_S_GETPC_B64:
        set(c, &in->dst, 2, in->pc + in->bytes);
        break;
    case GCN_OP_S_MOV_B32:
        if (value_of(&old, &in->src[0], &a))
            set(c, &in->dst, 1, a);
        break;
    case GCN_OP_S_MOV_B64:
        if (pair_of(&old, &in->src[0], &pair))
            set(c, &in->dst, 2, pair);
        break;
    case GCN_OP_S_SEXT_I32_I16: /* gfx12's s_getpc gives 48 bits; the upper half is extended so */
        if (value_of(&old, &in->src[0], &a))
            set(c, &in->dst, 1, (uint32_t)(int16_t)a);
        break;
    case GCN_OP_S_ADD_U32:
    case GCN_OP_S_ADDC_U32:
        if (!value_of(&old, &in->src[0], &a) || !value_of(&old, &in->src[1], &b) ||
            (with_carry && !old.carry_known))
            break;
        const uint64_t sum = (uint64_t)a + b + (with_carry && old.carry);
        set(c, &in->dst, 1, sum);
        c->carry = sum >> 32;
        c->carry_known = true;
        break;
    default:
        break;
    }
}

void ls_calls_label(struct ls_calls *c)
{
    memset(c, 0, sizeof *c);
}

enum ls_call ls_calls_next(struct ls_calls *c, struct gcn_target target, const struct gcn_inst *in,
                           bool kernel, uint64_t *to)
{
    const uint32_t flags = gcn_traits(in->op)->flags;
    if (!(flags & (GCN_CALLS | GCN_INDIRECT))) {
        compute(c, target, in);
        return LS_CALL_NONE;
    }
    const bool jumps = flags & GCN_JUMPS, known = pair_of(c, &in->src[0], to);
    const bool returns = in->op == GCN_OP_S_SETPC_B64 && !kernel && !known && is_register(&in->src[0]) &&
                         in->src[0].index == RETURN_ADDRESS;
    if (jumps)
        *to = gcn_branch_target(in);
    ls_calls_label(c); /* what is called may write any */
    return returns ? LS_CALL_NONE : jumps || known ? LS_CALL_TO : LS_CALL_ANYWHERE;
}
