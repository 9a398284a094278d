/*
 * decode_alu.c - formats of the scalar and the vector ALU: "AMD Instinct MI200 ISA" chapter 12, "AMD Instinct
 * MI300 ISA" chapter 13, "AMD RDNA 2 Instruction Set Architecture" chapter 13. gfx10 has them at the same
 * places; it adds NULL (125), a literal in VOP3 and VOP3P, and DPP8. gfx11 has no SDWA, but DPP in VOP3 and VOP3P, and
 * operands that are halves of registers ("RDNA3 Instruction Set Architecture", chapters 7 and 15).
 */
#include "decode.h"

/* ---- Scalar formats ---- */

bool gcn_decode_sop2(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    const unsigned second = s->flags & SLOT_LITERAL_MIDDLE ? 2 : 1;
    if (!scalar_dst(c, bits(w, 22, 16), s->dst, &in->dst) ||
        !scalar_src(c, bits(w, 7, 0), s->src[0], true, &in->src[0]) ||
        !scalar_src(c, bits(w, 15, 8), s->src[1], true, &in->src[second]))
        return false;
    if (s->flags & SLOT_ACCUMULATE)
        in->src[2] = in->dst;
    if (s->flags & (SLOT_LITERAL_MIDDLE | SLOT_LITERAL_LAST))
        return scalar_src(c, 255, 1, true, &in->src[3 - second]);
    return true;
}

bool gcn_decode_sop1(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    if (s->op == GCN_OP_S_SENDMSG_RTN_B32 || s->op == GCN_OP_S_SENDMSG_RTN_B64)
        in->simm16 = (int32_t)bits(w, 7, 0); /* the message, not an operand */
    return scalar_dst(c, bits(w, 22, 16), s->dst, &in->dst) &&
           scalar_src(c, bits(w, 7, 0), s->src[0], true, &in->src[0]);
}

bool gcn_decode_sopc(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    if (s->op == GCN_OP_S_SET_GPR_IDX_ON) /* the second source field is an immediate mode */
        in->simm16 = (int32_t)bits(w, 15, 8);
    return scalar_src(c, bits(w, 7, 0), s->src[0], true, &in->src[0]) &&
           scalar_src(c, bits(w, 15, 8), s->src[1], true, &in->src[1]);
}

/* The destination field is a source in compares, s_setreg and s_cbranch_i_fork, and both in s_addk and
 * s_mulk. */
bool gcn_decode_sopk(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    struct gcn_operand field;
    if (!scalar_dst(c, bits(w, 22, 16), s->dst, &field))
        return false;
    in->simm16 = sign_extend(w & 0xffff, 16);
    switch (s->op) {
    case GCN_OP_S_MOVK_I32:
    case GCN_OP_S_CMOVK_I32:
    case GCN_OP_S_GETREG_B32:
    case GCN_OP_S_CALL_B64:
    case GCN_OP_S_SUBVECTOR_LOOP_BEGIN:
    case GCN_OP_S_SUBVECTOR_LOOP_END:
        in->dst = field;
        return true;
    case GCN_OP_S_ADDK_I32:
    case GCN_OP_S_MULK_I32:
        in->dst = in->src[0] = field;
        return true;
    case GCN_OP_S_SETREG_IMM32_B32:
        return scalar_src(c, 255, 1, true, &in->src[0]);
    default:
        in->src[0] = field;
        return true;
    }
}

bool gcn_decode_sopp(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    (void)s;
    in->simm16 = sign_extend(c->words[0] & 0xffff, 16);
    return true;
}
/* ---- Vector formats ---- */

/* Compares that write EXEC write nothing else on gfx10 and later. */
static bool writes_mask(const struct cursor *c, const struct gcn_slot *s)
{
    return !c->rdna || !gcn_has(s->op, GCN_WRITES_EXEC);
}

/* SDWA dword, MI200 ISA chapter 12 "VOP_SDWA" and "VOP_SDWAB" (compares). */
static bool decode_sdwa(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!(s->flags & SLOT_SDWA) || c->size >= c->available)
        return false;
    uint32_t w = c->words[c->size++];
    in->has_sdwa = true;
    in->sdwa.src_sel[0] = (uint8_t)bits(w, 18, 16);
    in->sdwa.src_sel[1] = (uint8_t)bits(w, 26, 24);
    in->sdwa.sext[0] = bits(w, 19, 19);
    in->sdwa.sext[1] = bits(w, 27, 27);
    in->neg = (uint8_t)(bits(w, 20, 20) | bits(w, 28, 28) << 1);
    in->abs = (uint8_t)(bits(w, 21, 21) | bits(w, 29, 29) << 1);
    if (s->flags & SLOT_COMPARE) {
        in->sdwa.dst_sel = GCN_SDWA_DWORD;
        if (writes_mask(c, s) && bits(w, 15, 15) && !mask_dst(c, bits(w, 14, 8), &in->sdst))
            return false;
    } else {
        in->sdwa.dst_sel = (uint8_t)bits(w, 10, 8);
        in->sdwa.dst_unused = (uint8_t)bits(w, 12, 11);
        in->clamp = bits(w, 13, 13);
        in->omod = (uint8_t)bits(w, 15, 14);
    }
    if (in->sdwa.src_sel[0] > GCN_SDWA_DWORD || (s->src[1] && in->sdwa.src_sel[1] > GCN_SDWA_DWORD) ||
        in->sdwa.dst_sel > GCN_SDWA_DWORD || in->sdwa.dst_unused > 2)
        return false;
    if (!vector_src(c, bits(w, 7, 0) | (bits(w, 23, 23) ? 0 : 256), s->src[0], false, &in->src[0]))
        return false;
    return !s->src[1] || !bits(w, 31, 31) ||
           scalar_src(c, in->src[1].index & 255, s->src[1], false, &in->src[1]);
}

static bool decode_dpp(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!(s->flags & (SLOT_DPP | SLOT_DPP64)) || c->size >= c->available)
        return false;
    uint32_t w = c->words[c->size++];
    in->has_dpp = true;
    in->dpp.ctrl = (uint16_t)bits(w, 16, 8);
    in->dpp.fetch_inactive = c->rdna && bits(w, 18, 18);
    in->dpp.bound_ctrl = bits(w, 19, 19);
    in->dpp.bank_mask = (uint8_t)bits(w, 27, 24);
    in->dpp.row_mask = (uint8_t)bits(w, 31, 28);
    in->neg = (uint8_t)(bits(w, 20, 20) | bits(w, 22, 22) << 1);
    in->abs = (uint8_t)(bits(w, 21, 21) | bits(w, 23, 23) << 1);
    in->src[0] = vgpr(bits(w, 7, 0), s->src[0], false);
    return true;
}

/* "AMD RDNA 2 Instruction Set Architecture", section DPP8: the source operand's code says whether inactive lanes
 * are read. */
static bool decode_dpp8(struct cursor *c, const struct gcn_slot *s, bool fetch_inactive, struct gcn_inst *in)
{
    if (!(s->flags & SLOT_DPP) || c->size >= c->available)
        return false;
    uint32_t w = c->words[c->size++];
    in->has_dpp = in->dpp.eight = true;
    in->dpp.lanes = bits(w, 31, 8);
    in->dpp.fetch_inactive = fetch_inactive;
    in->src[0] = vgpr(bits(w, 7, 0), s->src[0], false);
    return true;
}

/* Codes of src0 behind which a dword says whose lanes' values it takes. */
enum { DPP8_OPERAND = 233, DPP8_FETCH = 234, DPP = 250 };

static bool is_dpp(const struct cursor *c, unsigned code)
{
    return code == DPP || (c->rdna && (code == DPP8_OPERAND || code == DPP8_FETCH));
}

/* src0 of VOP1, VOP2 and VOPC, where SDWA and DPP branch off. src[1] must be filled already. */
static bool decode_src0(struct cursor *c, const struct gcn_slot *s, unsigned code, struct gcn_inst *in)
{
    enum { SDWA = 249 };
    if (code == SDWA)
        return decode_sdwa(c, s, in);
    if (is_dpp(c, code))
        return code == DPP ? decode_dpp(c, s, in) : decode_dpp8(c, s, code == DPP8_FETCH, in);
    return vector_src(c, code, s->src[0], true, &in->src[0]);
}

/* The half that bit 7 of the number of a 16-bit operand chooses; `bit` is its one of op_sel. */
static void take_half(struct gcn_operand *o, unsigned bit, struct gcn_inst *in)
{
    enum { HIGH = 128 };
    if (o->kind != GCN_OPND_VGPR || !(o->index & HIGH))
        return;
    o->index &= HIGH - 1;
    in->op_sel |= (uint8_t)(1u << bit);
}

/* gfx11's VOP1, VOP2 and VOPC; the accumulator is the half that is the destination, too. */
static void take_halves(const struct gcn_slot *s, struct gcn_inst *in)
{
    enum { DESTINATION = 3 };
    unsigned second = s->flags & SLOT_LITERAL_MIDDLE ? 2 : 1;
    if (s->flags & SLOT_HALF_SRC0)
        take_half(&in->src[0], 0, in);
    if (s->flags & SLOT_HALF_SRC1)
        take_half(&in->src[second], second, in);
    if (s->flags & SLOT_HALF_DST)
        take_half(&in->dst, DESTINATION, in);
    if ((s->flags & SLOT_HALF_DST) && (s->flags & SLOT_ACCUMULATE))
        take_half(&in->src[2], 2, in);
}

static bool vop_dst(const struct cursor *c, const struct gcn_slot *s, unsigned code, struct gcn_inst *in)
{
    if (s->flags & SLOT_DST_SCALAR)
        return scalar_dst(c, code, s->dst, &in->dst);
    in->dst = vgpr(code, s->dst, false);
    return true;
}

bool gcn_decode_vop2(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    struct gcn_operand src1 = vgpr(bits(w, 16, 9), s->src[1], false);
    in->dst = vgpr(bits(w, 24, 17), s->dst, false);
    if (s->flags & (SLOT_LITERAL_MIDDLE | SLOT_LITERAL_LAST)) {
        unsigned k = s->flags & SLOT_LITERAL_MIDDLE ? 1 : 2;
        in->src[3 - k] = vgpr(bits(w, 16, 9), 1, false);
        unsigned src0 = bits(w, 8, 0);
        if (src0 == 249 || src0 == DPP || !scalar_src(c, 255, 1, true, &in->src[k]) ||
            !vector_src(c, src0, 1, true, &in->src[0]))
            return false;
        take_halves(s, in);
        return true;
    }
    in->src[1] = src1;
    if (s->flags & SLOT_VCC_IN)
        in->src[2] = vcc(c);
    if (s->flags & SLOT_VCC_OUT)
        in->sdst = vcc(c);
    if (s->flags & SLOT_ACCUMULATE)
        in->src[2] = in->dst;
    if (!decode_src0(c, s, bits(w, 8, 0), in))
        return false;
    take_halves(s, in);
    return true;
}

bool gcn_decode_vop1(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    if (!vop_dst(c, s, bits(w, 24, 17), in))
        return false;
    if (s->op == GCN_OP_V_ACCVGPR_MOV_B32) {
        in->dst.kind = GCN_OPND_AGPR;
        in->src[0] = vgpr(bits(w, 7, 0), 1, true);
        return bits(w, 8, 8);
    }
    if (s->src[0] && !decode_src0(c, s, bits(w, 8, 0), in))
        return false;
    take_halves(s, in);
    return true;
}

bool gcn_decode_vopc(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    if (writes_mask(c, s))
        in->sdst = vcc(c);
    in->src[1] = vgpr(bits(w, 16, 9), s->src[1], false);
    if (!decode_src0(c, s, bits(w, 8, 0), in))
        return false;
    take_halves(s, in);
    return true;
}

/* A source that is a mask of lanes; the table has its width in wavefronts of 32. */
static void set_mask_width(const struct cursor *c, struct gcn_operand *mask)
{
    mask->dwords = (uint8_t)gcn_mask_dwords(c->target);
    if (mask->kind == GCN_OPND_SCALAR && mask->index < 128)
        mask->index = (uint16_t)align_scalar(mask->index, mask->dwords);
}

/* The signs are those of VOP3, not of the dword. */
static bool decode_vop3_dpp(struct cursor *c, const struct gcn_slot *s, unsigned code, struct gcn_inst *in)
{
    uint8_t neg = in->neg, abs = in->abs;
    bool valid = code == DPP ? decode_dpp(c, s, in) : decode_dpp8(c, s, code == DPP8_FETCH, in);
    in->neg = neg;
    in->abs = abs;
    return valid;
}

bool gcn_decode_vop3_sources(struct cursor *c, const struct gcn_slot *s, uint32_t w1, struct gcn_inst *in)
{
    bool dpp = c->gfx11 && is_dpp(c, bits(w1, 8, 0));
    for (unsigned i = dpp; i < 3; i++)
        if (!vector_src(c, bits(w1, 9 * i + 8, 9 * i), s->src[i], c->rdna && !dpp, &in->src[i]))
            return false;
    if (dpp && !decode_vop3_dpp(c, s, bits(w1, 8, 0), in))
        return false;
    if (s->flags & SLOT_MASK_IN)
        set_mask_width(c, &in->src[2]);
    return true;
}

bool gcn_decode_vop3(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    in->clamp = bits(w0, 15, 15);
    in->omod = (uint8_t)bits(w1, 28, 27);
    in->neg = (uint8_t)bits(w1, 31, 29);
    if (s->flags & SLOT_SDST) {
        if (!mask_dst(c, bits(w0, 14, 8), &in->sdst))
            return false;
    } else {
        in->abs = (uint8_t)bits(w0, 10, 8);
        in->op_sel = (uint8_t)bits(w0, 14, 11);
    }
    if (s->flags & SLOT_COMPARE) {
        if (writes_mask(c, s) && !mask_dst(c, bits(w0, 7, 0), &in->sdst))
            return false;
    } else if (!vop_dst(c, s, bits(w0, 7, 0), in)) {
        return false;
    }
    if (!gcn_decode_vop3_sources(c, s, w1, in))
        return false;
    if (s->flags & SLOT_ACCUMULATE)
        in->src[2] = in->dst;
    if ((s->flags & SLOT_ACCUMULATE) && (s->flags & SLOT_HALF_DST))
        in->op_sel = (uint8_t)((in->op_sel & 0xb) | (in->op_sel >> 1 & 4));
    return true;
}

static void vop3p_modifiers(uint32_t w0, uint32_t w1, struct gcn_inst *in)
{
    in->clamp = bits(w0, 15, 15);
    in->op_sel = (uint8_t)bits(w0, 13, 11);
    in->op_sel_hi = (uint8_t)(bits(w1, 28, 27) | bits(w0, 14, 14) << 2);
    in->neg = (uint8_t)bits(w1, 31, 29);
    in->neg_hi = (uint8_t)bits(w0, 10, 8);
}

/* Matrices, which all lanes hold together: with twice the lanes each has half of it. */
static void divide_by_lanes(const struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    const unsigned parts = gcn_mask_dwords(c->target);
    if (!(s->flags & SLOT_BY_LANES))
        return;
    in->dst.dwords = (uint8_t)(in->dst.dwords / parts);
    if (s->src[2] == s->dst) /* else it says which elements of a sparse matrix there are */
        in->src[2].dwords = (uint8_t)(in->src[2].dwords / parts);
    if (s->flags & SLOT_BY_LANES_SRC0)
        in->src[0].dwords = (uint8_t)(in->src[0].dwords / parts);
    if (s->flags & SLOT_BY_LANES_SRC1)
        in->src[1].dwords = (uint8_t)(in->src[1].dwords / parts);
}

bool gcn_decode_vop3p(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    vop3p_modifiers(w0, w1, in);
    in->dst = vgpr(bits(w0, 7, 0), s->dst, false);
    if (!gcn_decode_vop3_sources(c, s, w1, in))
        return false;
    divide_by_lanes(c, s, in);
    return true;
}
