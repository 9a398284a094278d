/*
 * disasm.c - struct gcn_inst to text.
 *
 * The syntax is LLVM's, except that mnemonics carry no encoding suffix (_e32, _e64, _sdwa, _dpp) and that
 * immediates with symbolic names (s_waitcnt, hwreg, sendmsg, swizzle, buffer formats) are printed as numbers.
 * The round-trip test compares every opcode with LLVM.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "constants.h"
#include "gcn.h"
#include "slots.h"

struct out {
    char *text;
    unsigned size, used;
    bool first; /* no operand printed yet */
    bool rdna;  /* encoding of gfx10 or later */
    bool gfx11; /* or of gfx11 or later */
    bool gfx12; /* or of gfx12 */
};

__attribute__((format(printf, 2, 3))) static void print(struct out *o, const char *format, ...)
{
    va_list ap;
    if (o->used >= o->size)
        return;
    va_start(ap, format);
    int n = vsnprintf(o->text + o->used, o->size - o->used, format, ap);
    va_end(ap);
    if (n > 0)
        o->used += (unsigned)n;
}

/* Separates operands: a blank behind the mnemonic, then commas. */
static void separate(struct out *o)
{
    print(o, o->first ? " " : ", ");
    o->first = false;
}

static void print_registers(struct out *o, const char *file, unsigned first, unsigned count)
{
    if (count <= 1)
        print(o, "%s%u", file, first);
    else
        print(o, "%s[%u:%u]", file, first, first + count - 1);
}

static const char *const inline_floats[9] = {"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                             "-2.0", "4.0",  "-4.0", "0.15915494"};
static const char *const computed[] = {"src_vccz", "src_execz", "src_scc"};
static const char *const apertures[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                        "src_private_limit"};

/* Registers with names of their own; a pair has the name without _lo. */
static bool print_named(struct out *o, unsigned index, unsigned count)
{
    static const struct {
        uint8_t index;
        const char *name;
    } pairs[] = {{102, "flat_scratch"}, {104, "xnack_mask"}, {106, "vcc"}, {126, "exec"}};
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (index / 2 != pairs[i].index / 2u)
            continue;
        print(o, "%s%s", pairs[i].name, count >= 2 ? "" : index & 1 ? "_hi" : "_lo");
        return true;
    }
    return false;
}

static void print_scalar(struct out *o, const struct gcn_operand *op)
{
    unsigned i = op->index;
    int32_t integer;
    if (i < 102 || (o->rdna && i < 106))
        print_registers(o, "s", i, op->dwords);
    else if (i == 124)
        print(o, "m0");
    else if (i == GCN_NULL)
        print(o, "null");
    else if (i >= 108 && i < 124)
        print_registers(o, "ttmp", i - 108, op->dwords);
    else if (i < 128)
        print_named(o, i, op->dwords);
    else if (gcn_inline_integer(i, &integer))
        print(o, "%d", integer);
    else if (i >= 235 && i <= 238)
        print(o, "%s", apertures[i - 235]);
    else if (gcn_is_inline_float(i))
        print(o, "%s", i == 248 && op->dwords == 2 ? "0.15915494309189532" : inline_floats[i - 240]);
    else if (i >= 251 && i <= 253)
        print(o, "%s", computed[i - 251]);
}

static void print_operand(struct out *o, const struct gcn_operand *op)
{
    switch (op->kind) {
    case GCN_OPND_VGPR:
        print_registers(o, "v", op->index, op->dwords);
        break;
    case GCN_OPND_AGPR:
        print_registers(o, "a", op->index, op->dwords);
        break;
    case GCN_OPND_SCALAR:
        print_scalar(o, op);
        break;
    case GCN_OPND_LITERAL:
        print(o, "0x%x", op->literal);
        break;
    default:
        print(o, "off");
    }
}

static void operand(struct out *o, const struct gcn_operand *op)
{
    if (op->kind == GCN_OPND_NONE)
        return;
    separate(o);
    print_operand(o, op);
}

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
        print(o, "%s", in->op_sel >> bit & 1 ? ".h" : ".l");
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
    separate(o);
    print(o, "%s%s%s", word ? "neg(" : neg ? "-" : "", abs ? "|" : "", sext ? "sext(" : "");
    print_operand(o, op);
    half(o, in, op, is_half_source(slot, i), i);
    print(o, "%s%s%s", sext ? ")" : "", abs ? "|" : "", word ? ")" : "");
}

static void bit_list(struct out *o, const char *name, unsigned bits, unsigned count)
{
    print(o, " %s:[", name);
    for (unsigned i = 0; i < count; i++)
        print(o, "%s%u", i ? "," : "", bits >> i & 1);
    print(o, "]");
}

static void output_modifiers(struct out *o, const struct gcn_inst *in)
{
    static const char *const omod[] = {"", " mul:2", " mul:4", " div:2"};
    print(o, "%s%s", in->clamp ? " clamp" : "", omod[in->omod & 3]);
}

static void sdwa(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    static const char *const select[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                         "WORD_0", "WORD_1", "DWORD",  "?"};
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    if (!(slot->flags & SLOT_COMPARE))
        print(o, " dst_sel:%s dst_unused:%s", select[in->sdwa.dst_sel & 7], unused[in->sdwa.dst_unused & 3]);
    print(o, " src0_sel:%s", select[in->sdwa.src_sel[0] & 7]);
    if (slot->src[1])
        print(o, " src1_sel:%s", select[in->sdwa.src_sel[1] & 7]);
}

static void dpp8(struct out *o, const struct gcn_inst *in)
{
    print(o, " dpp8:[");
    for (unsigned i = 0; i < 8; i++)
        print(o, "%s%u", i ? "," : "", in->dpp.lanes >> 3 * i & 7);
    print(o, "]%s", in->dpp.fetch_inactive ? " fi:1" : "");
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
        print(o, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (c < 0x130 && (c & 15))
        print(o, " %s:%u", shifts[(c >> 4) - 0x10], c & 15);
    else if (c >= 0x150 && c < 0x160)
        print(o, " %s:%u", o->rdna ? "row_share" : "row_newbcast", c & 15);
    else if (c >= 0x160 && c < 0x170)
        print(o, " row_xmask:%u", c & 15);
    else
        switch (c) {
        case 0x130:
            print(o, " wave_shl:1");
            break;
        case 0x134:
            print(o, " wave_rol:1");
            break;
        case 0x138:
            print(o, " wave_shr:1");
            break;
        case 0x13c:
            print(o, " wave_ror:1");
            break;
        case 0x140:
            print(o, " row_mirror");
            break;
        case 0x141:
            print(o, " row_half_mirror");
            break;
        case 0x142:
            print(o, " row_bcast:15");
            break;
        case 0x143:
            print(o, " row_bcast:31");
            break;
        default:
            print(o, " dpp_ctrl:0x%x", c);
        }
    print(o, " row_mask:0x%x bank_mask:0x%x%s%s", in->dpp.row_mask, in->dpp.bank_mask,
          in->dpp.bound_ctrl ? " bound_ctrl:1" : "", in->dpp.fetch_inactive ? " fi:1" : "");
}

/* v_bitop3: the fields of abs, neg and omod hold the truth table. */
static void truth_table(struct out *o, const struct gcn_inst *in)
{
    unsigned table = in->neg | (unsigned)in->abs << 3 | (unsigned)in->omod << 6;
    operand(o, &in->dst);
    for (unsigned i = 0; i < 3; i++)
        operand(o, &in->src[i]);
    if (table)
        print(o, " bitop3:%u", table);
    if (in->op_sel && in->op == GCN_OP_V_BITOP3_B16)
        bit_list(o, "op_sel", in->op_sel, 4);
}

static void vector(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    if (in->op == GCN_OP_V_BITOP3_B16 || in->op == GCN_OP_V_BITOP3_B32) {
        truth_table(o, in);
        return;
    }
    unsigned sources = 3;
    if ((slot->flags & SLOT_ACCUMULATE) && in->format != GCN_FMT_VOP3P)
        sources = 2;
    operand(o, &in->dst);
    half(o, in, &in->dst, slot->flags & SLOT_HALF_DST, 3);
    operand(o, &in->sdst);
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
    operand(o, &in->dst);
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

static void packed(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    if (in->op == GCN_OP_V_FMA_MIX_F32 || in->op == GCN_OP_V_FMA_MIXLO_F16 ||
        in->op == GCN_OP_V_FMA_MIXHI_F16) {
        mixed(o, in, slot);
        return;
    }
    operand(o, &in->dst);
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind != GCN_OPND_NONE) {
            separate(o);
            print_operand(o, &in->src[i]);
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
    operand(o, &in->dst);
    for (unsigned i = 0; i < sources; i++)
        operand(o, &in->src[i]);
}

static void two(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    struct gcn_inst second;
    one_of_two(o, in);
    if (!gcn_second(target, in, &second))
        return;
    print(o, " :: v_dual_%s", gcn_op_name(second.op) + 2);
    o->first = true;
    one_of_two(o, &second);
}

static void matrix(struct out *o, struct gcn_target target, const struct gcn_inst *in,
                   const struct gcn_slot *slot)
{
    operand(o, &in->dst);
    for (unsigned i = 0; i < 5; i++)
        operand(o, &in->src[i]);
    if (in->format == GCN_FMT_VOP3PX) {
        if (in->op_sel & 3)
            bit_list(o, "op_sel", in->op_sel, 3);
        bit_list(o, "op_sel_hi", in->op_sel_hi & 3, 3);
    }
    if (in->cbsz)
        print(o, " cbsz:%u", in->cbsz);
    if (in->abid && in->format != GCN_FMT_VOP3PX)
        print(o, " abid:%u", in->abid);
    if (in->blgp && target.gpu->f64_matrix_neg && slot->flags & SLOT_NEGATES)
        bit_list(o, "neg", in->blgp, 3);
    else if (in->blgp)
        print(o, " blgp:%u", in->blgp);
}

static void scalar(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    operand(o, &in->dst);
    if (in->format == GCN_FMT_SOPK && in->op != GCN_OP_S_SETREG_IMM32_B32 && in->op != GCN_OP_S_SETREG_B32) {
        if (in->dst.kind == GCN_OPND_NONE)
            operand(o, &in->src[0]);
        separate(o);
        print(o, "0x%x", (unsigned)in->simm16 & 0xffff);
        return;
    }
    if (in->format == GCN_FMT_SOPK) {
        separate(o);
        print(o, "0x%x", (unsigned)in->simm16 & 0xffff);
    }
    operand(o, &in->src[0]);
    operand(o, &in->src[1]);
    if (!(slot->flags & SLOT_ACCUMULATE))
        operand(o, &in->src[2]);
    if (in->format == GCN_FMT_SOPP || in->op == GCN_OP_S_SET_GPR_IDX_ON ||
        in->op == GCN_OP_S_SENDMSG_RTN_B32 || in->op == GCN_OP_S_SENDMSG_RTN_B64) {
        separate(o);
        print(o, "0x%x", (unsigned)in->simm16 & 0xffff);
    }
}

/* gfx12's hint of how long the data will be wanted; an atomic has other ones. */
static void temporal_hint(struct out *o, const struct gcn_inst *in, unsigned access)
{
    enum { RETURN = 1, NON_TEMPORAL = 2, CASCADE = 4, WRITE_BACK = 3, LAST = 7, DEVICE = 2, SYSTEM = 3 };
    static const char *const hints[] = {"RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    const bool store = access == GCN_ACCESS_STORE;
    if (!in->th)
        return;
    if (access == GCN_ACCESS_ATOMIC && in->th & CASCADE && in->scope >= DEVICE)
        print(o, " th:TH_ATOMIC_CASCADE%s", in->th & NON_TEMPORAL ? "_NT" : "_RT");
    else if (access == GCN_ACCESS_ATOMIC && in->th & CASCADE)
        print(o, " th:TH_ATOMIC_0x%x", in->th);
    else if (access == GCN_ACCESS_ATOMIC)
        print(o, " th:TH_ATOMIC_%s%s", in->th & NON_TEMPORAL ? "NT" : "RETURN",
              in->th == (NON_TEMPORAL | RETURN) ? "_RETURN" : "");
    else if (in->th == LAST && !store)
        print(o, " th:0x%x", in->th);
    else if (in->th == WRITE_BACK && (store || in->scope == SYSTEM))
        print(o, " th:TH_%s_%s", store ? "STORE" : "LOAD", in->scope == SYSTEM ? "BYPASS" : "WB");
    else
        print(o, " th:TH_%s_%s", store ? "STORE" : "LOAD", hints[in->th & 7]);
}

static void cache_policy(struct out *o, const struct gcn_inst *in)
{
    static const char *const scopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"};
    temporal_hint(o, in, gcn_traits(in->op)->access);
    print(o, "%s", scopes[in->scope & 3]);
}

/* The offset of s_prefetch stands in front of the register. */
static void prefetch(struct out *o, const struct gcn_inst *in)
{
    operand(o, &in->saddr);
    separate(o);
    print(o, "%s0x%x, ", in->offset < 0 ? "-" : "", (unsigned)(in->offset < 0 ? -in->offset : in->offset));
    if (in->soffset.kind == GCN_OPND_NONE)
        print(o, "null");
    else
        print_operand(o, &in->soffset);
    print(o, ", %d", in->simm16);
}

static void smem(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    if (slot->flags & SLOT_PREFETCH) {
        prefetch(o, in);
        return;
    }
    operand(o, in->data[0].kind != GCN_OPND_NONE ? &in->data[0] : &in->dst);
    operand(o, &in->saddr);
    if (in->saddr.kind == GCN_OPND_NONE)
        return;
    operand(o, &in->soffset);
    if (!(in->flags & GCN_INST_SOFFSET_ONLY)) {
        if (o->gfx12 && !in->offset) {
            if (in->soffset.kind == GCN_OPND_NONE)
                separate(o);
            print(o, in->soffset.kind == GCN_OPND_NONE ? "0x0" : " offset:0");
        } else if (o->rdna && !in->offset) {
            if (in->soffset.kind == GCN_OPND_NONE) {
                separate(o);
                print(o, "null");
            }
        } else if (in->soffset.kind != GCN_OPND_NONE) {
            print(o, " offset:%d", in->offset);
        } else {
            separate(o);
            print(o, "%s0x%x", in->offset < 0 ? "-" : "",
                  (unsigned)(in->offset < 0 ? -in->offset : in->offset));
        }
    }
    if (o->gfx12)
        cache_policy(o, in);
    else if (in->glc && (in->dst.kind != GCN_OPND_NONE || in->data[0].kind != GCN_OPND_NONE))
        print(o, " glc");
    if (in->dlc)
        print(o, " dlc");
}

static void cache_bits(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    if (o->gfx12)
        cache_policy(o, in);
    else if (target.gpu->sc_cache_bits)
        print(o, "%s%s%s", in->glc ? " sc0" : "", in->nt ? " nt" : "", in->scc_bit ? " sc1" : "");
    else
        print(o, "%s%s%s%s", in->glc ? " glc" : "", in->slc ? " slc" : "", in->dlc ? " dlc" : "",
              in->scc_bit ? " scc" : "");
}

static void ds(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot)
{
    bool new_first = o->gfx11 && gcn_has(in->op, GCN_COMPARES);
    operand(o, &in->dst);
    operand(o, &in->addr);
    operand(o, &in->data[new_first]);
    operand(o, &in->data[!new_first]);
    if (slot->flags & SLOT_OFFSET2) {
        if (in->offset0)
            print(o, " offset0:%u", in->offset0);
        if (in->offset1)
            print(o, " offset1:%u", in->offset1);
    } else if (in->offset) {
        print(o, " offset:%d", in->offset);
    }
    if (in->flags & GCN_INST_GDS)
        print(o, " gds");
}

static void flat(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    if (gcn_has(in->op, GCN_CACHES)) {
        cache_bits(o, target, in);
        return;
    }
    operand(o, &in->dst);
    if (in->op != GCN_OP_GLOBAL_LOAD_DWORD_ADDTID && in->op != GCN_OP_GLOBAL_STORE_DWORD_ADDTID) {
        separate(o);
        print_operand(o, &in->addr);
    }
    operand(o, &in->data[0]);
    if (in->format != GCN_FMT_FLAT) {
        separate(o);
        print_operand(o, &in->saddr);
    }
    if (in->offset)
        print(o, " offset:%d", in->offset);
    cache_bits(o, target, in);
}

static void buffer(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    if (in->saddr.kind != GCN_OPND_NONE) {
        if (in->data[0].kind != GCN_OPND_NONE)
            operand(o, &in->data[0]);
        else
            operand(o, &in->dst);
        if (in->addr.kind != GCN_OPND_NONE || !in->lds) {
            separate(o);
            print_operand(o, &in->addr);
        }
        operand(o, &in->saddr);
        operand(o, &in->soffset);
        if (in->format == GCN_FMT_MTBUF)
            print(o, " format:%d", in->simm16);
        print(o, "%s%s", in->idxen ? " idxen" : "", in->offen ? " offen" : "");
        if (in->offset)
            print(o, " offset:%d", in->offset);
    }
    cache_bits(o, target, in);
    if (in->flags & GCN_INST_TFE)
        print(o, " tfe");
    if (in->lds)
        print(o, " lds");
}

static void image_address(struct out *o, const struct gcn_inst *in)
{
    if (in->n_runs <= 1) {
        operand(o, &in->addr);
        return;
    }
    separate(o);
    for (unsigned i = 0; i < in->n_runs; i++) {
        print(o, i ? ", " : "[");
        print_registers(o, "v", in->run[i].first, in->run[i].count);
    }
    print(o, "]");
}

static void image(struct out *o, struct gcn_target target, const struct gcn_inst *in)
{
    static const char *const dims[] = {"1D",       "2D",       "3D",      "CUBE",
                                       "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
    static const struct {
        uint32_t flag;
        const char *text;
    } flags[] = {{GCN_INST_R128, " r128"}, {GCN_INST_A16, " a16"}, {GCN_INST_TFE, " tfe"},
                 {GCN_INST_LWE, " lwe"},   {GCN_INST_DA, " da"},   {GCN_INST_D16, " d16"}};
    const bool ray = gcn_image_form(in->op) & GCN_IMAGE_RAY; /* of which only A16 is a choice */
    operand(o, in->data[0].kind != GCN_OPND_NONE ? &in->data[0] : &in->dst);
    image_address(o, in);
    operand(o, &in->saddr);
    operand(o, &in->soffset);
    if (in->simm16 && !ray)
        print(o, " dmask:0x%x", (unsigned)in->simm16);
    if (o->rdna && !ray)
        print(o, " dim:SQ_RSRC_IMG_%s", dims[in->dim & 7]);
    print(o, "%s", in->flags & GCN_INST_UNRM && !ray ? " unorm" : "");
    cache_bits(o, target, in);
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (in->flags & flags[i].flag && (!ray || flags[i].flag == GCN_INST_A16))
            print(o, "%s", flags[i].text);
}

static void operands(struct out *o, struct gcn_target target, const struct gcn_inst *in,
                     const struct gcn_slot *slot)
{
    switch (in->format) {
    case GCN_FMT_SMEM:
        smem(o, in, slot);
        break;
    case GCN_FMT_VOP2:
    case GCN_FMT_VOP1:
    case GCN_FMT_VOPC:
    case GCN_FMT_VOP3:
        vector(o, in, slot);
        break;
    case GCN_FMT_VOP3P:
        packed(o, in, slot);
        break;
    case GCN_FMT_VOPD:
        two(o, target, in);
        break;
    case GCN_FMT_MAI:
    case GCN_FMT_VOP3PX:
        matrix(o, target, in, slot);
        break;
    case GCN_FMT_DS:
        ds(o, in, slot);
        break;
    case GCN_FMT_FLAT:
    case GCN_FMT_GLOBAL:
    case GCN_FMT_SCRATCH:
        flat(o, target, in);
        break;
    case GCN_FMT_MUBUF:
    case GCN_FMT_MTBUF:
        buffer(o, target, in);
        break;
    case GCN_FMT_MIMG:
        image(o, target, in);
        break;
    default:
        scalar(o, in, slot);
    }
}

unsigned gcn_disassemble(struct gcn_target target, const uint32_t *words, unsigned dwords, uint64_t pc,
                         char *text, unsigned size)
{
    struct gcn_inst in;
    struct out o = {.text = text,
                    .size = size,
                    .first = true,
                    .rdna = target.gpu->family->encoding >= 10,
                    .gfx11 = target.gpu->family->encoding >= 11,
                    .gfx12 = target.gpu->family->encoding >= 12};
    unsigned n = gcn_decode(target, words, dwords, pc, &in);
    if (size)
        text[0] = 0;
    if (!n) {
        print(&o, ".long 0x%08x", dwords ? words[0] : 0);
        return dwords ? 4 : 0;
    }
    bool dual = in.format == GCN_FMT_VOPD;
    print(&o, "%s%s", dual ? "v_dual_" : "", gcn_op_name(in.op) + (dual ? 2 : 0));
    operands(&o, target, &in, gcn_slot_of(target, &in));
    return n;
}
