/*
 * build_mem_ds.c - DS instructions.
 */
#include "mem_atomic_ops.h"

static bool read_elem(unsigned op, enum sg_mem_elem *e)
{
    switch (op) {
    case GCN_OP_DS_READ_B32:
        *e = SG_ELEM_B32;
        return true;
    case GCN_OP_DS_READ_B64:
        *e = SG_ELEM_B64;
        return true;
    case GCN_OP_DS_READ_B96:
        *e = SG_ELEM_B96;
        return true;
    case GCN_OP_DS_READ_B128:
        *e = SG_ELEM_B128;
        return true;
    case GCN_OP_DS_READ_U8:
        *e = SG_ELEM_U8;
        return true;
    case GCN_OP_DS_READ_I8:
        *e = SG_ELEM_S8;
        return true;
    case GCN_OP_DS_READ_U16:
        *e = SG_ELEM_U16;
        return true;
    case GCN_OP_DS_READ_I16:
        *e = SG_ELEM_S16;
        return true;
    case GCN_OP_DS_READ_U8_D16:
        *e = SG_ELEM_U8_LO;
        return true;
    case GCN_OP_DS_READ_U8_D16_HI:
        *e = SG_ELEM_U8_HI;
        return true;
    case GCN_OP_DS_READ_I8_D16:
        *e = SG_ELEM_S8_LO;
        return true;
    case GCN_OP_DS_READ_I8_D16_HI:
        *e = SG_ELEM_S8_HI;
        return true;
    case GCN_OP_DS_READ_U16_D16:
        *e = SG_ELEM_B16_LO;
        return true;
    case GCN_OP_DS_READ_U16_D16_HI:
        *e = SG_ELEM_B16_HI;
        return true;
    default:
        return false;
    }
}

static bool write_elem(unsigned op, enum sg_mem_elem *e)
{
    switch (op) {
    case GCN_OP_DS_WRITE_B32:
        *e = SG_ELEM_B32;
        return true;
    case GCN_OP_DS_WRITE_B64:
        *e = SG_ELEM_B64;
        return true;
    case GCN_OP_DS_WRITE_B96:
        *e = SG_ELEM_B96;
        return true;
    case GCN_OP_DS_WRITE_B128:
        *e = SG_ELEM_B128;
        return true;
    case GCN_OP_DS_WRITE_B8:
        *e = SG_ELEM_U8;
        return true;
    case GCN_OP_DS_WRITE_B16:
        *e = SG_ELEM_U16;
        return true;
    case GCN_OP_DS_WRITE_B8_D16_HI:
        *e = SG_ELEM_U8_HI;
        return true;
    case GCN_OP_DS_WRITE_B16_D16_HI:
        *e = SG_ELEM_B16_HI;
        return true;
    default:
        return false;
    }
}

/* One row per atomic; `rtn` is the mnemonic that returns the old value. */
struct atomic {
    uint16_t op, rtn;
    uint8_t what; /* enum sg_atomic_op */
    bool wide;
};

#define BOTH(NAME, TYPE, OP, WIDE) {GCN_OP_DS_##NAME##_##TYPE, GCN_OP_DS_##NAME##_RTN_##TYPE, OP, WIDE}
#define BOTH_INT(NAME, KIND, OP) BOTH(NAME, KIND##32, OP, false), BOTH(NAME, KIND##64, OP, true)

static const struct atomic atomics[] = {
    BOTH_INT(ADD, U, SG_ATOMIC_ADD),
    BOTH_INT(SUB, U, SG_ATOMIC_SUB),
    BOTH_INT(RSUB, U, SG_ATOMIC_RSUB),
    BOTH_INT(INC, U, SG_ATOMIC_INC),
    BOTH_INT(DEC, U, SG_ATOMIC_DEC),
    BOTH_INT(MIN, I, SG_ATOMIC_SMIN),
    BOTH_INT(MAX, I, SG_ATOMIC_SMAX),
    BOTH_INT(MIN, U, SG_ATOMIC_UMIN),
    BOTH_INT(MAX, U, SG_ATOMIC_UMAX),
    BOTH_INT(AND, B, SG_ATOMIC_AND),
    BOTH_INT(OR, B, SG_ATOMIC_OR),
    BOTH_INT(XOR, B, SG_ATOMIC_XOR),
    BOTH_INT(MSKOR, B, SG_ATOMIC_MSKOR),
    BOTH_INT(CMPST, B, SG_ATOMIC_CMPST),
    BOTH_INT(CMPST, F, SG_ATOMIC_CMPST_F),
    BOTH_INT(MIN, F, SG_ATOMIC_FMIN),
    BOTH_INT(MAX, F, SG_ATOMIC_FMAX),
    BOTH_INT(ADD, F, SG_ATOMIC_FADD),
    BOTH_INT(MIN_NUM, F, SG_ATOMIC_MIN_NUM), /* gfx12, as the next ones */
    BOTH_INT(MAX_NUM, F, SG_ATOMIC_MAX_NUM),
    BOTH(COND_SUB, U32, SG_ATOMIC_COND_SUB, false),
    BOTH(SUB_CLAMP, U32, SG_ATOMIC_CSUB, false),
    BOTH(PK_ADD, F16, SG_ATOMIC_PK_ADD_F16, false),
    BOTH(PK_ADD, BF16, SG_ATOMIC_PK_ADD_BF16, false),
    {GCN_OP_INVALID, GCN_OP_DS_WRXCHG_RTN_B32, SG_ATOMIC_SWAP, false},
    {GCN_OP_INVALID, GCN_OP_DS_WRXCHG_RTN_B64, SG_ATOMIC_SWAP, true},
    {GCN_OP_INVALID, GCN_OP_DS_WRAP_RTN_B32, SG_ATOMIC_WRAP, false},
    {GCN_OP_INVALID, GCN_OP_DS_CONDXCHG32_RTN_B64, SG_ATOMIC_CONDXCHG32, true},
};

/* An operand's row, 0 when the instruction does not have it. */
static unsigned row_or_0(const struct gcn_operand *o)
{
    return o->kind == GCN_OPND_NONE ? 0 : sg_row(o);
}

static bool build_access(struct sg_builder *b, const struct gcn_inst *in)
{
    enum sg_mem_elem e;
    const bool read = read_elem(in->op, &e);
    if (!read && !write_elem(in->op, &e))
        return false;
    struct sg_mem_uop m = {.d = row_or_0(&in->dst),
                           .a = sg_row(&in->addr),
                           .b = row_or_0(&in->data[0]),
                           .imm = in->offset,
                           .flags = SG_MODE_LDS | (uint32_t)e << SG_MF_ELEM_SHIFT};
    sg_emit_observers(b, &m, read ? SG_ACCESS_LOAD : SG_ACCESS_STORE, sg_elem_bytes(e), 0);
    sg_emit_mem(b, read ? sg_lds_loads[e] : sg_lds_stores[e], &m);
    return true;
}

/* read2, write2, wrxchg2 and their st64 forms: two offsets in units of the element or of 64 elements. */
static bool pair_form(unsigned op, unsigned *unit, bool *wide, bool *write, bool *exchange)
{
    *exchange = *write = *wide = false;
    switch (op) {
    case GCN_OP_DS_WRXCHG2_RTN_B32:
    case GCN_OP_DS_WRXCHG2ST64_RTN_B32:
        *exchange = true;
        *unit = op == GCN_OP_DS_WRXCHG2_RTN_B32 ? 4 : 256;
        return true;
    case GCN_OP_DS_WRXCHG2_RTN_B64:
    case GCN_OP_DS_WRXCHG2ST64_RTN_B64:
        *exchange = *wide = true;
        *unit = op == GCN_OP_DS_WRXCHG2_RTN_B64 ? 8 : 512;
        return true;
    case GCN_OP_DS_WRITE2_B32:
    case GCN_OP_DS_WRITE2ST64_B32:
        *write = true;
        *unit = op == GCN_OP_DS_WRITE2_B32 ? 4 : 256;
        return true;
    case GCN_OP_DS_WRITE2_B64:
    case GCN_OP_DS_WRITE2ST64_B64:
        *write = *wide = true;
        *unit = op == GCN_OP_DS_WRITE2_B64 ? 8 : 512;
        return true;
    case GCN_OP_DS_READ2_B32:
    case GCN_OP_DS_READ2ST64_B32:
        *unit = op == GCN_OP_DS_READ2_B32 ? 4 : 256;
        return true;
    case GCN_OP_DS_READ2_B64:
    case GCN_OP_DS_READ2ST64_B64:
        *wide = true;
        *unit = op == GCN_OP_DS_READ2_B64 ? 8 : 512;
        return true;
    default:
        return false;
    }
}

/* Two exchanges, the first in all lanes before the second. The operands go through temporary rows, because
 * the first result may overwrite the address or the second operand. */
static void build_exchange2(struct sg_builder *b, struct sg_mem_uop *m, bool wide)
{
    const unsigned n = wide ? 2 : 1, bytes = 4 * n;
    struct sg_mem_uop second = *m;
    second.imm = (int32_t)m->x;
    second.b = m->c;
    sg_emit_observers(b, m, SG_ACCESS_ATOMIC, bytes, 0);
    sg_emit_observers(b, &second, SG_ACCESS_ATOMIC, bytes, 1);
    unsigned row = sg_temp_rows(b, 2 * n), d = m->d;
    m->flags |= SG_MF_RETURN;
    second.flags |= SG_MF_RETURN;
    m->d = row;
    second.d = row + n;
    m->c = second.c = 0;
    sg_emit_mem(b, sg_lds_atomic_handlers[wide][SG_ATOMIC_SWAP], m);
    sg_emit_mem(b, sg_lds_atomic_handlers[wide][SG_ATOMIC_SWAP], &second);
    for (unsigned k = 0; k < 2 * n; k++)
        sg_emit(b, sg_row_copy, d + k, row + k, 0, 0);
}

static bool build_pair(struct sg_builder *b, const struct gcn_inst *in)
{
    unsigned unit;
    bool wide, write, exchange;
    if (!pair_form(in->op, &unit, &wide, &write, &exchange))
        return false;
    const enum sg_mem_elem e = wide ? SG_ELEM_B64 : SG_ELEM_B32;
    struct sg_mem_uop m = {.d = row_or_0(&in->dst),
                           .a = sg_row(&in->addr),
                           .b = row_or_0(&in->data[0]),
                           .c = row_or_0(&in->data[1]),
                           .imm = in->offset0 * (int32_t)unit,
                           .x = in->offset1 * unit,
                           .flags = SG_MODE_LDS | (uint32_t)e << SG_MF_ELEM_SHIFT};
    if (exchange) {
        build_exchange2(b, &m, wide);
        return true;
    }
    struct sg_mem_uop second = m;
    second.imm = (int32_t)m.x;
    second.b = m.c;
    enum sg_access_kind kind = write ? SG_ACCESS_STORE : SG_ACCESS_LOAD;
    sg_emit_observers(b, &m, kind, sg_elem_bytes(e), 0);
    sg_emit_observers(b, &second, kind, sg_elem_bytes(e), 1);
    if (write)
        sg_emit_mem(b, wide ? sg_lds_write2_b64 : sg_lds_write2_b32, &m);
    else
        sg_emit_mem(b, wide ? sg_lds_read2_b64 : sg_lds_read2_b32, &m);
    return true;
}

static bool build_atomic(struct sg_builder *b, const struct gcn_inst *in)
{
    const struct atomic *a = NULL;
    for (unsigned i = 0; i < sizeof atomics / sizeof *atomics && !a; i++)
        if (in->op == atomics[i].op || in->op == atomics[i].rtn)
            a = &atomics[i];
    if (!a || in->op == GCN_OP_INVALID)
        return false;
    struct sg_mem_uop m = {.d = row_or_0(&in->dst),
                           .a = sg_row(&in->addr),
                           .b = sg_row(&in->data[0]),
                           .c = row_or_0(&in->data[1]),
                           .imm = in->offset,
                           .flags = SG_MODE_LDS | (in->op == a->rtn ? SG_MF_RETURN : 0)};
    sg_emit_observers(b, &m, SG_ACCESS_ATOMIC, a->wide ? 8 : 4, 0);
    sg_emit_mem(b, sg_lds_atomic_handlers[a->wide][a->what], &m);
    return true;
}

static bool build_transposed(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_uop m = {
        .d = row_or_0(&in->dst), .a = sg_row(&in->addr), .imm = in->offset, .flags = SG_MODE_LDS};
    switch (in->op) {
    case GCN_OP_DS_READ_B64_TR_B4:
        m.x = 4;
        break;
    case GCN_OP_DS_READ_B96_TR_B6:
        m.x = 6;
        break;
    case GCN_OP_DS_READ_B64_TR_B8:
        m.x = 8;
        break;
    case GCN_OP_DS_READ_B64_TR_B16:
        m.x = 16;
        break;
    default:
        return false;
    }
    sg_emit_observers(b, &m, SG_ACCESS_LOAD, m.x == 6 ? 12 : 8, 0);
    sg_emit_mem(b, sg_ds_read_tr, &m);
    return true;
}

static bool build_other(struct sg_builder *b, const struct gcn_inst *in)
{
    struct sg_mem_uop m = {
        .d = row_or_0(&in->dst), .a = row_or_0(&in->addr), .b = row_or_0(&in->data[0]), .imm = in->offset};
    struct sg_mem_uop tid;
    switch (in->op) {
    case GCN_OP_DS_SWIZZLE_B32:
        m.x = (uint16_t)in->offset;
        sg_emit_mem(b, sg_ds_swizzle, &m);
        return true;
    case GCN_OP_DS_PERMUTE_B32:
        sg_emit_mem(b, sg_ds_permute, &m);
        return true;
    case GCN_OP_DS_BPERMUTE_B32:
        sg_emit_mem(b, sg_ds_bpermute, &m);
        return true;
    case GCN_OP_DS_BPERMUTE_FI_B32: /* reads lanes that are not active, too */
        m.x = 1;
        sg_emit_mem(b, sg_ds_bpermute, &m);
        return true;
    case GCN_OP_DS_APPEND:
    case GCN_OP_DS_CONSUME:
        /* One access for the whole wavefront: logged for the first active lane. */
        tid = sg_lds_tid_uop(b, in->offset, 0, 0, SG_ELEM_B32);
        tid.x = 0xffff;
        tid.flags |= SG_MF_FIRST_LANE;
        sg_emit_observers(b, &tid, SG_ACCESS_ATOMIC, 4, 0);
        m.x = in->op == GCN_OP_DS_APPEND ? 1 : UINT32_MAX;
        sg_emit_mem(b, sg_ds_append, &m);
        return true;
    case GCN_OP_DS_READ_ADDTID_B32:
        tid = sg_lds_tid_uop(b, in->offset, m.d, 4, SG_ELEM_B32);
        tid.x = 0xffff;
        sg_emit_observers(b, &tid, SG_ACCESS_LOAD, 4, 0);
        sg_emit_mem(b, sg_lds_tid_load, &tid);
        return true;
    case GCN_OP_DS_WRITE_ADDTID_B32:
        tid = sg_lds_tid_uop(b, in->offset, m.b, 4, SG_ELEM_B32);
        tid.x = 0xffff;
        sg_emit_observers(b, &tid, SG_ACCESS_STORE, 4, 0);
        sg_emit_mem(b, sg_lds_tid_store, &tid);
        return true;
    default:
        return false;
    }
}

bool sg_build_ds(struct sg_builder *b, const struct gcn_inst *in)
{
    if (in->flags & GCN_INST_GDS) /* there is no global data share, only the global wave sync */
        return sg_build_gws(b, in);
    return build_access(b, in) || build_pair(b, in) || build_atomic(b, in) || build_transposed(b, in) ||
           build_other(b, in);
}
