/* op_decoded.c - see op.h: an instruction by its words. */
#include "gcn/gcn.h"
#include "op.h"
#include "lanescope/handler.h"

/* Operations that somebody follows. `reversed`: the first two sources stand the other way round. */
static const struct {
    uint16_t op;
    uint8_t kind; /* enum ls_op_kind */
    bool reversed;
} followed[] = {
    {GCN_OP_V_MOV_B32, LS_OP_MOVE, false},
    {GCN_OP_S_MOV_B32, LS_OP_MOVE, false},
    {GCN_OP_S_MOV_B64, LS_OP_MOVE, false},
    {GCN_OP_V_ADD_U32, LS_OP_ADD, false},
    {GCN_OP_V_SUB_U32, LS_OP_SUBTRACT, false},
    {GCN_OP_V_SUBREV_U32, LS_OP_SUBTRACT, true},
    {GCN_OP_V_MUL_U32_U24, LS_OP_MULTIPLY_U24, false},
    {GCN_OP_V_MAD_U32_U24, LS_OP_MULTIPLY_U24, false},
    {GCN_OP_V_MUL_I32_I24, LS_OP_MULTIPLY_I24, false},
    {GCN_OP_V_MAD_I32_I24, LS_OP_MULTIPLY_I24, false},
    {GCN_OP_V_MUL_LO_U32, LS_OP_MULTIPLY, false},
    {GCN_OP_V_LSHLREV_B32, LS_OP_SHIFT_LEFT, true},
    {GCN_OP_V_LSHL_ADD_U32, LS_OP_SHIFT_LEFT, false},
    {GCN_OP_S_ADD_U32, LS_OP_SCALAR_ADD, false},
    {GCN_OP_S_ADDC_U32, LS_OP_SCALAR_ADD_CARRY, false},
    {GCN_OP_S_AND_B32, LS_OP_AND, false},
    {GCN_OP_S_AND_B64, LS_OP_AND, false},
    {GCN_OP_S_ANDN2_B32, LS_OP_AND_NOT, false},
    {GCN_OP_S_ANDN2_B64, LS_OP_AND_NOT, false},
    {GCN_OP_S_XOR_B32, LS_OP_XOR, false},
    {GCN_OP_S_XOR_B64, LS_OP_XOR, false},
    {GCN_OP_V_MBCNT_LO_U32_B32, LS_OP_COUNT_LOW, false},
    {GCN_OP_V_MBCNT_HI_U32_B32, LS_OP_COUNT_HIGH, false},
    {GCN_OP_V_CMP_EQ_U32, LS_OP_EQUAL, false},
    {GCN_OP_V_CMPX_EQ_U32, LS_OP_EQUAL, false},
    {GCN_OP_V_ADD_CO_U32, LS_OP_ADD_OUT, false},
    {GCN_OP_V_ADDC_CO_U32, LS_OP_ADD_CARRY, false},
    {GCN_OP_V_LSHL_ADD_U64, LS_OP_SHIFT_LEFT_64, false},
    {GCN_OP_V_LSHRREV_B32, LS_OP_SHIFT_RIGHT, true},
    {GCN_OP_V_BFE_U32, LS_OP_FIELD, false},
    {GCN_OP_V_AND_B32, LS_OP_VECTOR_AND, false},
    {GCN_OP_V_OR_B32, LS_OP_VECTOR_OR, false},
    {GCN_OP_V_AND_OR_B32, LS_OP_VECTOR_AND_OR, false},
    {GCN_OP_V_LSHL_OR_B32, LS_OP_SHIFT_LEFT_OR, false},
};

static enum ls_file file_of(unsigned file)
{
    return file == GCN_FILE_VGPR   ? LS_FILE_VECTOR
           : file == GCN_FILE_AGPR ? LS_FILE_ACCUMULATION
                                   : LS_FILE_SCALAR;
}

static struct ls_registers range_of(const struct gcn_operand *o)
{
    if (o->kind == GCN_OPND_VGPR || o->kind == GCN_OPND_AGPR)
        return (struct ls_registers){o->kind == GCN_OPND_VGPR ? LS_FILE_VECTOR : LS_FILE_ACCUMULATION,
                                     o->index, o->dwords};
    if (o->kind == GCN_OPND_SCALAR && o->index < 128 && o->index != GCN_NULL)
        return (struct ls_registers){LS_FILE_SCALAR, o->index, o->dwords};
    return (struct ls_registers){.file = -1};
}

/* Inline constants: 128 is 0, up to 192: 64; 193 to 208: -1 to -16 ("AMD Instinct MI200 ISA", table of SSRC). */
static struct ls_operand operand_of(const struct gcn_operand *o)
{
    struct ls_operand x = {.r = range_of(o)};
    if (o->kind == GCN_OPND_SCALAR && o->index == GCN_NULL)
        x = (struct ls_operand){x.r, true, 0};
    else if (o->kind == GCN_OPND_LITERAL)
        x = (struct ls_operand){x.r, true, (int32_t)o->literal};
    else if (o->kind == GCN_OPND_SCALAR && o->index >= 128 && o->index <= 208)
        x = (struct ls_operand){x.r, true, o->index <= 192 ? o->index - 128 : 192 - o->index};
    return x;
}

static void add_address(struct ls_op *x, const struct gcn_operand *o)
{
    if (o->kind != GCN_OPND_NONE)
        x->address[x->n_address++] = operand_of(o);
}

static void read_address(struct ls_op *x, const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    bool buffer = t->unit == GCN_UNIT_BUFFER;
    if (buffer || t->unit == GCN_UNIT_SMEM)
        x->memory = range_of(&in->saddr);
    if (!ls_isa_is_vector(&x->form) || x->form.atomic || t->flags & GCN_READS_M0 || in->lds ||
        in->format == GCN_FMT_MTBUF)
        return;
    add_address(x, &in->addr);
    add_address(x, &in->saddr);
    if (buffer)
        add_address(x, &in->soffset);
    x->buffer_mode = (uint8_t)(in->offen | in->idxen << 1);
}

/* What a copy goes through. */
static void read_data(struct ls_op *x, const struct gcn_inst *in)
{
    const bool plain = ls_isa_is_vector(&x->form) && !x->form.atomic && !x->form.to_lds &&
                       in->format != GCN_FMT_MTBUF &&
                       !(gcn_traits(in->op)->flags & (GCN_CONVERTS | GCN_KEEPS | GCN_READS_M0));
    x->fills = plain && !x->form.store;
    for (unsigned k = 0; plain && x->form.store && k < 2; k++)
        x->data[k] = range_of(&in->data[k]);
}

static bool is_modified(const struct gcn_inst *in)
{
    return in->has_sdwa || in->has_dpp || in->clamp || in->omod || in->neg || in->abs;
}

static void read_computation(struct ls_op *x, const struct gcn_inst *in)
{
    for (size_t i = 0; i < sizeof followed / sizeof *followed && !is_modified(in); i++) {
        if (in->op != followed[i].op)
            continue;
        x->kind = followed[i].kind;
        x->to = range_of(in->dst.kind == GCN_OPND_NONE ? &in->sdst : &in->dst);
        x->n_sources = in->n_src < LS_OP_SOURCES ? in->n_src : LS_OP_SOURCES;
        for (unsigned k = 0; k < x->n_sources; k++)
            x->source[followed[i].reversed && k < 2 ? 1 - k : k] = operand_of(&in->src[k]);
        if (x->kind == LS_OP_ADD_OUT || x->kind == LS_OP_ADD_CARRY)
            x->carry = range_of(&in->sdst);
    }
    if (in->op == GCN_OP_S_MOVK_I32) {
        x->kind = LS_OP_MOVE;
        x->to = range_of(in->dst.kind == GCN_OPND_NONE ? &in->sdst : &in->dst);
        x->n_sources = 1;
        x->source[0] = (struct ls_operand){{.file = -1}, true, in->simm16};
    }
}

/* Of two operations in one instruction one can be followed: the one that computes more than a copy. */
static void read_computations(struct ls_op *x, struct gcn_target t, const struct gcn_inst *in)
{
    struct gcn_inst second;
    struct ls_op y = {.to = {.file = -1}, .carry = {.file = -1}};
    read_computation(x, in);
    if (!gcn_second(t, in, &second))
        return;
    read_computation(&y, &second);
    if (x->kind > LS_OP_MOVE || y.kind <= x->kind)
        return;
    x->kind = y.kind;
    x->to = y.to;
    x->n_sources = y.n_sources;
    for (unsigned k = 0; k < y.n_sources; k++)
        x->source[k] = y.source[k];
}

static bool is_exec(struct gcn_target t, const struct gcn_operand *o)
{
    return o->kind == GCN_OPND_SCALAR && o->index == GCN_EXEC && o->dwords == gcn_mask_dwords(t);
}

/* "AMD Instinct MI200 ISA", sections SOP1 and SOP2. */
static enum ls_exec exec_by(struct gcn_target t, const struct gcn_inst *in, unsigned *from)
{
    bool first = is_exec(t, &in->src[0]), second = is_exec(t, &in->src[1]);
    *from = first && in->n_src > 1;
    switch (in->op) {
    case GCN_OP_S_AND_SAVEEXEC_B32:
    case GCN_OP_S_AND_SAVEEXEC_B64:
        return LS_EXEC_AND;
    case GCN_OP_S_OR_SAVEEXEC_B32:
    case GCN_OP_S_OR_SAVEEXEC_B64:
        return LS_EXEC_OR;
    case GCN_OP_S_XOR_SAVEEXEC_B32:
    case GCN_OP_S_XOR_SAVEEXEC_B64:
        return LS_EXEC_XOR;
    case GCN_OP_S_ANDN2_SAVEEXEC_B32:
    case GCN_OP_S_ANDN2_WREXEC_B32:
    case GCN_OP_S_ANDN2_SAVEEXEC_B64:
    case GCN_OP_S_ANDN2_WREXEC_B64:
        return LS_EXEC_REST;
    case GCN_OP_S_AND_B32:
    case GCN_OP_S_AND_B64:
        return first || second ? LS_EXEC_AND : LS_EXEC_ELSE;
    case GCN_OP_S_OR_B32:
    case GCN_OP_S_OR_B64:
        return first || second ? LS_EXEC_OR : LS_EXEC_ELSE;
    case GCN_OP_S_XOR_B32:
    case GCN_OP_S_XOR_B64:
        return first || second ? LS_EXEC_XOR : LS_EXEC_ELSE;
    case GCN_OP_S_ANDN2_B32:
    case GCN_OP_S_ANDN2_B64:
        return second && !first ? LS_EXEC_REST : LS_EXEC_ELSE;
    case GCN_OP_S_MOV_B32:
    case GCN_OP_S_MOV_B64:
        return LS_EXEC_MOVE;
    default:
        return LS_EXEC_ELSE;
    }
}

static bool is_wrexec(unsigned op)
{
    return op == GCN_OP_S_ANDN1_WREXEC_B32 || op == GCN_OP_S_ANDN2_WREXEC_B32 ||
           op == GCN_OP_S_ANDN1_WREXEC_B64 || op == GCN_OP_S_ANDN2_WREXEC_B64;
}

static void read_exec(struct ls_op *x, struct gcn_target t, const struct gcn_inst *in)
{
    bool narrows;
    unsigned from = 0;
    x->mask_dwords = (uint8_t)gcn_mask_dwords(t);
    x->from.r.file = x->saved.file = -1;
    if (!gcn_writes_exec(t, in, &narrows))
        return;
    bool named = is_exec(t, &in->dst), saves = gcn_has(in->op, GCN_READS_EXEC | GCN_WRITES_EXEC);
    const bool whole = in->dst.dwords == x->mask_dwords; /* not half of a mask of 64 lanes */
    x->exec = (named || saves) && whole ? exec_by(t, in, &from) : LS_EXEC_ELSE;
    if (narrows && x->exec != LS_EXEC_AND)
        x->exec = LS_EXEC_LESS;
    x->from = operand_of(&in->src[from]);
    if (saves) /* "wrexec" saves what the lanes are then: see masks.c, to which it is an unknown mask */
        x->saved = is_wrexec(in->op) ? (struct ls_registers){.file = -1} : range_of(&in->dst);
}

static void read_flow(struct ls_op *x, const struct gcn_inst *in, int64_t offset)
{
    uint32_t f = gcn_traits(in->op)->flags;
    bool calls = f & GCN_CALLS;
    if (f & GCN_JUMPS && !calls) {
        x->flags |= LS_OP_JUMPS | (f & GCN_CONDITIONAL ? LS_OP_FALLS : 0);
        x->target = offset + (int64_t)(gcn_branch_target(in) - in->pc);
    } else if (f & GCN_ENDS || (f & GCN_INDIRECT && !calls)) {
        x->flags |= LS_OP_STOPS;
    }
    if (in->op == GCN_OP_S_CBRANCH_EXECZ)
        x->flags |= LS_OP_EXECZ;
    if (in->op == GCN_OP_S_BARRIER || in->op == GCN_OP_S_BARRIER_WAIT)
        x->flags |= LS_OP_BARRIER;
    if (in->op == GCN_OP_S_CLAUSE) /* "RDNA 2 Instruction Set Architecture", section SOPP: one less, 6 bits */
        x->clause = (uint8_t)((in->simm16 & 63) + 1);
    if (f & (GCN_CALLS | GCN_INDIRECT | GCN_INDEXES))
        x->flags |= LS_OP_CLOBBERS;
    if (f & (GCN_JUMPS | GCN_INDIRECT | GCN_CALLS | GCN_ENDS | GCN_LEAVES | GCN_INDEXES | GCN_WRITES_MODE))
        x->flags |= LS_OP_OPAQUE;
}

static enum lanescope_class class_of_memory(const struct gcn_traits *t)
{
    switch (t->access) {
    case GCN_ACCESS_STORE:
        return LANESCOPE_CLASS_VMEM_STORE;
    case GCN_ACCESS_ATOMIC:
        return LANESCOPE_CLASS_VMEM_ATOMIC;
    default:
        return t->flags & GCN_CACHES ? LANESCOPE_CLASS_OTHER : LANESCOPE_CLASS_VMEM_LOAD;
    }
}

static enum lanescope_class class_of(const struct gcn_traits *t)
{
    static const uint8_t classes[] = {
        [GCN_UNIT_SALU] = LANESCOPE_CLASS_SALU,     [GCN_UNIT_SMEM] = LANESCOPE_CLASS_SMEM,
        [GCN_UNIT_BRANCH] = LANESCOPE_CLASS_BRANCH, [GCN_UNIT_WAIT] = LANESCOPE_CLASS_WAIT,
        [GCN_UNIT_SLEEP] = LANESCOPE_CLASS_WAIT,    [GCN_UNIT_OTHER] = LANESCOPE_CLASS_OTHER,
        [GCN_UNIT_VALU] = LANESCOPE_CLASS_VALU,     [GCN_UNIT_MATRIX] = LANESCOPE_CLASS_MATRIX,
        [GCN_UNIT_LDS] = LANESCOPE_CLASS_LDS,
    };
    return t->unit < sizeof classes ? classes[t->unit] : class_of_memory(t);
}

struct ls_op ls_op_decoded(struct gcn_target target, const struct gcn_inst *in, int64_t offset)
{
    struct ls_op x = {.form = ls_isa_form_decoded(in),
                      .memory = {.file = -1},
                      .to = {.file = -1},
                      .carry = {.file = -1},
                      .data = {{.file = -1}, {.file = -1}}};
    struct gcn_effects e;
    x.code_class = class_of(gcn_traits(in->op));
    read_address(&x, in);
    read_data(&x, in);
    read_computations(&x, target, in);
    read_exec(&x, target, in);
    read_flow(&x, in, offset);
    gcn_effects(target, in, &e);
    for (unsigned i = 0; i < e.n_written && x.n_written < LS_OP_WRITTEN; i++)
        if (e.written[i].file != GCN_FILE_SCC)
            x.written[x.n_written++] =
                (struct ls_registers){file_of(e.written[i].file), e.written[i].first, e.written[i].count};
    return x;
}
