/*
 * disasm_vector.c - operands and modifiers of vector ALU and matrix instructions as text.
 */
#include "constants.h"
#include "disasm.h"

static bool is_constant(const struct gcn_operand *op)
{
    return op->kind == GCN_OPND_LITERAL ||
           (op->kind == GCN_OPND_SCALAR && op->index >= 128 && op->index < 235) ||
           (op->kind == GCN_OPND_SCALAR && gcn_is_inline_float(op->index));
}

/* Which half of its register a 16-bit operand of gfx11 is; `bit` is its one of op_sel. */
static void half(struct out *o, const struct gcn_inst *in, const struct gcn_operand *op, bool is_half,
                 unsigned bit)
{
    if (is_half && op->kind == GCN_OPND_VGPR)
        gcn_print(o, "%s", in->op_sel >> bit & 1 ? ".h" : ".l");
}

/* Whether source i is half a register. The constant of v_fmamk stands between its registers. */
static bool is_half_source(const struct gcn_slot *slot, unsigned i)
{
    static const uint32_t flags[3] = {SLOT_HALF_SRC0, SLOT_HALF_SRC1, SLOT_HALF_SRC2};
    return slot->flags & flags[slot->flags & SLOT_LITERAL_MIDDLE && i == 2 ? 1 : i];
}

/* A source of a vector instruction with its abs, neg and sext. */
static void source(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot, unsigned i)
{
    const struct gcn_operand *op = &in->src[i];
    bool abs = in->abs >> i & 1, neg = in->neg >> i & 1, sext = in->has_sdwa && i < 2 && in->sdwa.sext[i];
    bool word = neg && !abs && is_constant(op);
    if (op->kind == GCN_OPND_NONE)
        return;
    gcn_print_separator(o);
    gcn_print(o, "%s%s%s", word ? "neg(" : neg ? "-" : "", abs ? "|" : "", sext ? "sext(" : "");
    gcn_print_operand(o, op);
    half(o, in, op, is_half_source(slot, i), i);
    gcn_print(o, "%s%s%s", sext ? ")" : "", abs ? "|" : "", word ? ")" : "");
}

static void bit_list(struct out *o, const char *name, unsigned bits, unsigned count)
{
    gcn_print(o, " %s:[", name);
    for (unsigned i = 0; i < count; i++)
        gcn_print(o, "%s%u", i ? "," : "", bits >> i & 1);
    gcn_print(o, "]");
}

static void output_modifiers(struct out *o, const struct gcn_inst *in)
{
    static const char *const omod[] = {"", " mul:2", " mul:4", " div:2"};
    gcn_print(o, "%s%s", in->clamp ? " clamp" : "", omod[in->omod & 3]);
}

static void sdwa(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    static const char *const select[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                         "WORD_0", "WORD_1", "DWORD",  "?"};
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    if (!(slot->flags & SLOT_COMPARE))
        gcn_print(o, " dst_sel:%s dst_unused:%s", select[in->sdwa.dst_sel & 7],
                  unused[in->sdwa.dst_unused & 3]);
    gcn_print(o, " src0_sel:%s", select[in->sdwa.src_sel[0] & 7]);
    if (slot->src[1])
        gcn_print(o, " src1_sel:%s", select[in->sdwa.src_sel[1] & 7]);
}

static void dpp8(struct out *o, const struct gcn_inst *in)
{
    gcn_print(o, " dpp8:[");
    for (unsigned i = 0; i < 8; i++)
        gcn_print(o, "%s%u", i ? "," : "", in->dpp.lanes >> 3 * i & 7);
    gcn_print(o, "]%s", in->dpp.fetch_inactive ? " fi:1" : "");
}

static void dpp(struct out *o, const struct gcn_inst *in)
{
    unsigned c = in->dpp.ctrl;
    if (in->dpp.eight) {
        dpp8(o, in);
        return;
    }
    static const char *const shifts[] = {"row_shl", "row_shr", "row_ror"};
    if (c < 0x100)
        gcn_print(o, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (c < 0x130 && (c & 15))
        gcn_print(o, " %s:%u", shifts[(c >> 4) - 0x10], c & 15);
    else if (c >= 0x150 && c < 0x160)
        gcn_print(o, " %s:%u", o->rdna ? "row_share" : "row_newbcast", c & 15);
    else if (c >= 0x160 && c < 0x170)
        gcn_print(o, " row_xmask:%u", c & 15);
    else
        switch (c) {
        case 0x130:
            gcn_print(o, " wave_shl:1");
            break;
        case 0x134:
            gcn_print(o, " wave_rol:1");
            break;
        case 0x138:
            gcn_print(o, " wave_shr:1");
            break;
        case 0x13c:
            gcn_print(o, " wave_ror:1");
            break;
        case 0x140:
            gcn_print(o, " row_mirror");
            break;
        case 0x141:
            gcn_print(o, " row_half_mirror");
            break;
        case 0x142:
            gcn_print(o, " row_bcast:15");
            break;
        case 0x143:
            gcn_print(o, " row_bcast:31");
            break;
        default:
            gcn_print(o, " dpp_ctrl:0x%x", c);
        }
    gcn_print(o, " row_mask:0x%x bank_mask:0x%x%s%s", in->dpp.row_mask, in->dpp.bank_mask,
              in->dpp.bound_ctrl ? " bound_ctrl:1" : "", in->dpp.fetch_inactive ? " fi:1" : "");
}

/* v_bitop3: the fields of abs, neg and omod hold the truth table. */
static void truth_table(struct out *o, const struct gcn_inst *in)
{
    unsigned table = in->neg | (unsigned)in->abs << 3 | (unsigned)in->omod << 6;
    gcn_print_next(o, &in->dst);
    for (unsigned i = 0; i < 3; i++)
        gcn_print_next(o, &in->src[i]);
    if (table)
        gcn_print(o, " bitop3:%u", table);
    if (in->op_sel && in->op == GCN_OP_V_BITOP3_B16)
        bit_list(o, "op_sel", in->op_sel, 4);
}

void gcn_print_vector(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    if (in->op == GCN_OP_V_BITOP3_B16 || in->op == GCN_OP_V_BITOP3_B32) {
        truth_table(o, in);
        return;
    }
    unsigned sources = 3;
    if ((slot->flags & SLOT_ACCUMULATE) && in->format != GCN_FMT_VOP3P)
        sources = 2;
    gcn_print_next(o, &in->dst);
    half(o, in, &in->dst, slot->flags & SLOT_HALF_DST, 3);
    gcn_print_next(o, &in->sdst);
    for (unsigned i = 0; i < sources; i++)
        source(o, in, slot, i);
    if (in->format == GCN_FMT_VOP3 && in->op_sel) {
        unsigned n = slot->src[2] ? 3 : slot->src[1] ? 2 : 1;
        bool with_dst = !o->gfx11 || !gcn_has(in->op, GCN_COMPARES | GCN_WRITES_EXEC);
        bit_list(o, "op_sel", (in->op_sel & ((1u << n) - 1)) | (in->op_sel >> 3) << n, n + with_dst);
    }
    output_modifiers(o, in);
    if (in->has_sdwa)
        sdwa(o, in, slot);
    if (in->has_dpp)
        dpp(o, in);
}

/* v_fma_mix: neg_lo and neg_hi mean neg and abs, op_sel_hi means "this source is f16". */
static void mixed(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    struct gcn_inst plain = *in;
    plain.abs = in->neg_hi;
    gcn_print_next(o, &in->dst);
    for (unsigned i = 0; i < 3; i++)
        source(o, &plain, slot, i);
    if (in->op_sel & 7)
        bit_list(o, "op_sel", in->op_sel, 3);
    if (in->op_sel_hi & 7)
        bit_list(o, "op_sel_hi", in->op_sel_hi, 3);
    output_modifiers(o, in);
    if (in->has_dpp)
        dpp(o, in);
}

void gcn_print_packed(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    if (in->op == GCN_OP_V_FMA_MIX_F32 || in->op == GCN_OP_V_FMA_MIXLO_F16 ||
        in->op == GCN_OP_V_FMA_MIXHI_F16) {
        mixed(o, in, slot);
        return;
    }
    gcn_print_next(o, &in->dst);
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind != GCN_OPND_NONE) {
            gcn_print_separator(o);
            gcn_print_operand(o, &in->src[i]);
        }
    unsigned all = (1u << in->n_src) - 1;
    if (in->op_sel & all)
        bit_list(o, "op_sel", in->op_sel, in->n_src);
    if ((in->op_sel_hi & all) != all)
        bit_list(o, "op_sel_hi", in->op_sel_hi, in->n_src);
    if (in->neg & all)
        bit_list(o, "neg_lo", in->neg, in->n_src);
    if (in->neg_hi & all)
        bit_list(o, "neg_hi", in->neg_hi, in->n_src);
    output_modifiers(o, in);
    if (in->has_dpp)
        dpp(o, in);
}

/* One operation of two: neither an accumulator nor VCC is named; of three sources that are, one is a constant. */
static void one_of_two(struct out *o, const struct gcn_inst *in)
{
    const bool named = in->op == GCN_OP_V_FMAMK_F32 || in->op == GCN_OP_V_FMAAK_F32;
    const unsigned sources = in->n_src > 2 && !named ? 2 : in->n_src;
    gcn_print_next(o, &in->dst);
    for (unsigned i = 0; i < sources; i++)
        gcn_print_next(o, &in->src[i]);
}

void gcn_print_two(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    struct gcn_inst second;
    one_of_two(o, in);
    if (!gcn_second(target, in, &second))
        return;
    gcn_print(o, " :: v_dual_%s", gcn_op_name(second.op) + 2);
    o->first = true;
    one_of_two(o, &second);
}

void gcn_print_matrix(struct out *o, struct gcn_target target, const struct gcn_inst *in,
                      const struct gcn_slot *slot)
{
    gcn_print_next(o, &in->dst);
    for (unsigned i = 0; i < 5; i++)
        gcn_print_next(o, &in->src[i]);
    if (in->format == GCN_FMT_VOP3PX) {
        if (in->op_sel & 3)
            bit_list(o, "op_sel", in->op_sel, 3);
        bit_list(o, "op_sel_hi", in->op_sel_hi & 3, 3);
    }
    if (in->cbsz)
        gcn_print(o, " cbsz:%u", in->cbsz);
    if (in->abid && in->format != GCN_FMT_VOP3PX)
        gcn_print(o, " abid:%u", in->abid);
    if (in->blgp && target.gpu->f64_matrix_neg && slot->flags & SLOT_NEGATES)
        bit_list(o, "neg", in->blgp, 3);
    else if (in->blgp)
        gcn_print(o, " blgp:%u", in->blgp);
}
