/*
 * effects.c - which registers an instruction reads and writes: from its operands and the traits of its
 * operation.
 */
#include "gcn.h"

static void add(struct gcn_span *list, uint8_t *n, unsigned file, unsigned first, unsigned count)
{
    if (*n < GCN_SPANS && count)
        list[(*n)++] = (struct gcn_span){(uint8_t)file, (uint8_t)count, (uint16_t)first};
}

/* Constants are no registers; of computed sources (VCCZ, EXECZ, SCC) what they are computed from is read.
 * Numbers: "AMD Instinct MI200 ISA", table of SSRC. */
static void add_computed(struct gcn_target t, unsigned index, struct gcn_effects *out)
{
    enum { VCCZ = 251, EXECZ = 252, SCC = 253 };
    if (index == VCCZ || index == EXECZ)
        add(out->read, &out->n_read, GCN_FILE_SCALAR, index == VCCZ ? GCN_VCC : GCN_EXEC, gcn_mask_dwords(t));
    if (index == SCC)
        add(out->read, &out->n_read, GCN_FILE_SCC, 0, 1);
}

static void reads(struct gcn_target t, const struct gcn_operand *o, struct gcn_effects *out)
{
    if (o->kind == GCN_OPND_VGPR || o->kind == GCN_OPND_AGPR)
        add(out->read, &out->n_read, o->kind == GCN_OPND_VGPR ? GCN_FILE_VGPR : GCN_FILE_AGPR, o->index,
            o->dwords);
    else if (o->kind == GCN_OPND_SCALAR && o->index < 128 && o->index != GCN_NULL)
        add(out->read, &out->n_read, GCN_FILE_SCALAR, o->index, o->dwords);
    else if (o->kind == GCN_OPND_SCALAR)
        add_computed(t, o->index, out);
}

static void writes(const struct gcn_operand *o, struct gcn_effects *out)
{
    if (o->kind == GCN_OPND_VGPR || o->kind == GCN_OPND_AGPR)
        add(out->written, &out->n_written, o->kind == GCN_OPND_VGPR ? GCN_FILE_VGPR : GCN_FILE_AGPR, o->index,
            o->dwords);
    else if (o->kind == GCN_OPND_SCALAR && o->index < 128 && o->index != GCN_NULL)
        add(out->written, &out->n_written, GCN_FILE_SCALAR, o->index, o->dwords);
}

static void add_unnamed(struct gcn_target t, uint32_t flags, struct gcn_effects *out)
{
    const struct {
        uint32_t read, written;
        uint8_t file, first, count;
    } state[] = {
        {GCN_READS_SCC, GCN_WRITES_SCC, GCN_FILE_SCC, 0, 1},
        {GCN_READS_EXEC, GCN_WRITES_EXEC, GCN_FILE_SCALAR, GCN_EXEC, (uint8_t)gcn_mask_dwords(t)},
        {GCN_READS_VCC, 0, GCN_FILE_SCALAR, GCN_VCC, (uint8_t)gcn_mask_dwords(t)},
        {GCN_READS_M0, GCN_WRITES_M0, GCN_FILE_SCALAR, GCN_M0, 1},
    };
    for (unsigned i = 0; i < sizeof state / sizeof *state; i++) {
        if (flags & state[i].read)
            add(out->read, &out->n_read, state[i].file, state[i].first, state[i].count);
        if (flags & state[i].written)
            add(out->written, &out->n_written, state[i].file, state[i].first, state[i].count);
    }
}

/* Vector registers of an address, of gfx9: four coordinates at most ("AMD Instinct MI200 ISA", section on image
 * addresses); what lies beyond the last register is not there. */
static struct gcn_operand image_address(const struct gcn_inst *in)
{
    struct gcn_operand o = in->addr;
    if (in->format == GCN_FMT_MIMG && o.kind == GCN_OPND_VGPR)
        o.dwords = (uint8_t)(o.index + 4 > 256 ? 256 - o.index : 4);
    return o;
}

static void add_operands(struct gcn_target target, const struct gcn_inst *in, struct gcn_effects *out)
{
    const struct gcn_operand address = image_address(in);
    for (unsigned i = 0; i < in->n_src; i++)
        reads(target, &in->src[i], out);
    if (!in->n_runs)
        reads(target, &address, out);
    for (unsigned i = 0; i < in->n_runs; i++)
        add(out->read, &out->n_read, GCN_FILE_VGPR, in->run[i].first, in->run[i].count);
    reads(target, &in->data[0], out);
    reads(target, &in->data[1], out);
    reads(target, &in->saddr, out);
    reads(target, &in->soffset, out);
    writes(&in->dst, out);
    writes(&in->sdst, out);
}

void gcn_effects(struct gcn_target target, const struct gcn_inst *in, struct gcn_effects *out)
{
    enum { PRESERVE = 2, HALF = 8 };
    const struct gcn_traits *t = gcn_traits(in->op);
    struct gcn_inst second;
    out->n_read = out->n_written = 0;
    add_operands(target, in, out);
    if (gcn_second(target, in, &second))
        add_operands(target, &second, out);
    if (t->flags & GCN_SWAPS)
        writes(&in->src[0], out);
    if (t->flags & (GCN_SWAPS | GCN_ACCUMULATES))
        reads(target, &in->dst, out);
    uint32_t flags = t->flags;
    if (in->lds) /* of buffer loads the instruction says whether they go to LDS, which M0 says where */
        flags |= GCN_READS_M0;
    add_unnamed(target, flags, out);
    out->masked = t->unit >= GCN_UNIT_VALU && !(t->flags & GCN_IGNORES_EXEC);
    out->keeps = (t->flags & GCN_KEEPS) ||
                 (t->unit == GCN_UNIT_VALU && t->bytes == 2 && target.gpu->keeps_high_half) ||
                 (t->unit == GCN_UNIT_IMAGE && in->flags & GCN_INST_D16 && target.gpu->d16_keeps_half) ||
                 in->has_dpp || (in->has_sdwa && in->sdwa.dst_unused == PRESERVE) ||
                 (in->format == GCN_FMT_VOP3 && in->op_sel & HALF);
}

/* Whether a span of `list` has a register of [first, first + count) of `file`. */
static bool touches(const struct gcn_span *list, unsigned n, unsigned file, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i].file == file && list[i].first < first + count && first < list[i].first + list[i].count)
            return true;
    return false;
}

/* Both are EXEC, or the same half of it; of an instruction that writes EXEC. */
static bool is_same(const struct gcn_operand *to, const struct gcn_operand *from)
{
    return to->kind == GCN_OPND_SCALAR && from->kind == GCN_OPND_SCALAR && to->index == from->index;
}

/* "AMD Instinct MI200 ISA", sections SOP1 and SOP2: "andn2" complements the second source, which in the
 * saveexec forms is EXEC, and "andn1" the first one. */
static bool is_part_of_exec(const struct gcn_inst *in)
{
    switch (in->op) {
    case GCN_OP_S_AND_SAVEEXEC_B64:
    case GCN_OP_S_ANDN1_SAVEEXEC_B64:
    case GCN_OP_S_ANDN1_WREXEC_B64:
    case GCN_OP_S_AND_SAVEEXEC_B32:
    case GCN_OP_S_ANDN1_SAVEEXEC_B32:
    case GCN_OP_S_ANDN1_WREXEC_B32:
        return true;
    case GCN_OP_S_AND_B32:
    case GCN_OP_S_AND_B64:
        return is_same(&in->dst, &in->src[0]) || is_same(&in->dst, &in->src[1]);
    case GCN_OP_S_ANDN2_B32:
    case GCN_OP_S_ANDN2_B64:
        return is_same(&in->dst, &in->src[0]);
    default:
        return gcn_has(in->op, GCN_COMPARES | GCN_WRITES_EXEC); /* lanes that are not active get 0 */
    }
}

bool gcn_writes_exec(struct gcn_target target, const struct gcn_inst *in, bool *narrows)
{
    struct gcn_effects e;
    gcn_effects(target, in, &e);
    *narrows = false;
    if (!touches(e.written, e.n_written, GCN_FILE_SCALAR, GCN_EXEC, gcn_mask_dwords(target)))
        return false;
    *narrows = is_part_of_exec(in);
    return true;
}
