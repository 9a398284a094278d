/*
 * decode.c - machine words to struct gcn_inst.
 *
 * The formats of gfx9 compute GPUs, their prefixes and field positions: "AMD Instinct MI200 ISA" chapter 12
 * and "AMD Instinct MI300 ISA" chapter 13. What an opcode is called and how wide its operands are stands in
 * the generated tables; nothing here knows a mnemonic, except the few whose fields have an irregular meaning.
 */
#include <string.h>
#include "gcn.h"
#include "slots.h"

/* Where the slots of a format begin. */
enum {
    AT_SOP2 = 0,
    AT_SOPK = AT_SOP2 + 96,
    AT_SOP1 = AT_SOPK + 32,
    AT_SOPC = AT_SOP1 + 256,
    AT_SOPP = AT_SOPC + 128,
    AT_SMEM = AT_SOPP + 128,
    AT_VOP2 = AT_SMEM + 256,
    AT_VOP1 = AT_VOP2 + 64,
    AT_VOPC = AT_VOP1 + 256,
    AT_VOP3 = AT_VOPC + 256,
    AT_VOP3P = AT_VOP3 + 1024,
    AT_VOP3PX = AT_VOP3P + 128,
    AT_DS = AT_VOP3PX + 128,
    AT_FLAT = AT_DS + 256,
    AT_GLOBAL = AT_FLAT + 128,
    AT_SCRATCH = AT_GLOBAL + 128,
    AT_MUBUF = AT_SCRATCH + 128,
    AT_MTBUF = AT_MUBUF + 128,
    AT_MIMG = AT_MTBUF + 16,
    AT_END = AT_MIMG + 128,
};

#define SLOT(FORMAT, OPCODE, FURTHER_ROW, OP, GPUS, DST, SRC0, SRC1, SRC2, FLAGS)                            \
    [AT_##FORMAT + (OPCODE)] = {OP, FURTHER_ROW, GPUS, DST, {SRC0, SRC1, SRC2}, FLAGS},
#define FURTHER(NUMBER, ...)
static const struct gcn_slot slots[AT_END] = {
#include "tables/slots.inc"
};
#undef SLOT
#undef FURTHER
#define SLOT(...)
#define FURTHER(NUMBER, OP, GPUS, DST, SRC0, SRC1, SRC2, FLAGS)                                              \
    [NUMBER] = {OP, 0, GPUS, DST, {SRC0, SRC1, SRC2}, FLAGS},
static const struct gcn_slot further[] = {
#include "tables/slots.inc"
};
#undef SLOT
#undef FURTHER

/* Words being decoded; `size` counts the dwords that belong to the instruction so far. */
struct cursor {
    struct gcn_target target;
    const uint32_t *words;
    unsigned available;
    unsigned size;
    bool literal_taken;
    uint32_t literal;
};

static unsigned bits(uint32_t word, unsigned hi, unsigned lo)
{
    return word >> lo & (uint32_t)((1ull << (hi - lo + 1)) - 1);
}

static int32_t sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

static bool take_literal(struct cursor *c)
{
    if (c->literal_taken)
        return true;
    if (c->size >= c->available)
        return false;
    c->literal = c->words[c->size++];
    c->literal_taken = true;
    return true;
}

static struct gcn_operand operand(enum gcn_operand_kind kind, unsigned index, unsigned dwords)
{
    return (struct gcn_operand){.kind = (uint8_t)kind, .dwords = (uint8_t)dwords, .index = (uint16_t)index};
}

static struct gcn_operand vgpr(unsigned index, unsigned dwords, bool acc)
{
    if (!dwords)
        return operand(GCN_OPND_NONE, 0, 0);
    return operand(acc ? GCN_OPND_AGPR : GCN_OPND_VGPR, index & 255, dwords);
}

/* Hardware ignores the low bits of the number of a register pair or quad. */
static unsigned align_scalar(unsigned index, unsigned dwords)
{
    if (index >= 124 && index <= 125)
        return index;
    return dwords >= 4 ? index & ~3u : dwords >= 2 ? index & ~1u : index;
}

/* Scalar destination, 7 bits. */
static bool scalar_dst(unsigned code, unsigned dwords, struct gcn_operand *out)
{
    *out = operand(GCN_OPND_NONE, 0, 0);
    if (!dwords)
        return true;
    if (code == 125 || code > 127)
        return false;
    *out = operand(GCN_OPND_SCALAR, align_scalar(code, dwords), dwords);
    return true;
}

/* Scalar destination for one bit per lane. */
static bool mask_dst(const struct cursor *c, unsigned code, struct gcn_operand *out)
{
    return scalar_dst(code, gcn_mask_dwords(c->target), out);
}

/* Scalar source, 8 bits. `literal_ok`: 255 takes a literal dword. */
static bool scalar_src(struct cursor *c, unsigned code, unsigned dwords, bool literal_ok,
                       struct gcn_operand *out)
{
    *out = operand(GCN_OPND_NONE, 0, 0);
    if (!dwords)
        return true;
    if (code == 255) {
        if (!literal_ok || !take_literal(c))
            return false;
        *out = operand(GCN_OPND_LITERAL, 255, dwords);
        out->literal = c->literal;
        return true;
    }
    if (code == 125 || (code > 208 && code < 235) || code == 239 || code == 249 || code == 250 || code == 254)
        return false;
    *out = operand(GCN_OPND_SCALAR, code < 128 ? align_scalar(code, dwords) : code, dwords);
    return true;
}

/* Vector source, 9 bits: VGPRs from 256 on, below them the scalar sources. */
static bool vector_src(struct cursor *c, unsigned code, unsigned dwords, bool literal_ok,
                       struct gcn_operand *out)
{
    if (code >= 256 || !dwords) {
        *out = vgpr(code, dwords, false);
        return true;
    }
    return scalar_src(c, code, dwords, literal_ok, out);
}

/* VCC as a mask of lanes. */
static struct gcn_operand vcc(const struct cursor *c)
{
    return operand(GCN_OPND_SCALAR, GCN_VCC, gcn_mask_dwords(c->target));
}

static void count_sources(struct gcn_inst *in)
{
    in->n_src = 0;
    for (unsigned i = 0; i < sizeof in->src / sizeof in->src[0]; i++)
        if (in->src[i].kind != GCN_OPND_NONE)
            in->n_src = (uint8_t)(i + 1);
}

/* ---- Scalar formats ---- */

static bool decode_sop2(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    return scalar_dst(bits(w, 22, 16), s->dst, &in->dst) &&
           scalar_src(c, bits(w, 7, 0), s->src[0], true, &in->src[0]) &&
           scalar_src(c, bits(w, 15, 8), s->src[1], true, &in->src[1]);
}

static bool decode_sop1(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    return scalar_dst(bits(w, 22, 16), s->dst, &in->dst) &&
           scalar_src(c, bits(w, 7, 0), s->src[0], true, &in->src[0]);
}

static bool decode_sopc(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    if (s->op == GCN_OP_S_SET_GPR_IDX_ON) /* the second source field is an immediate mode */
        in->simm16 = (int32_t)bits(w, 15, 8);
    return scalar_src(c, bits(w, 7, 0), s->src[0], true, &in->src[0]) &&
           scalar_src(c, bits(w, 15, 8), s->src[1], true, &in->src[1]);
}

/* The destination field is a source in compares, s_setreg and s_cbranch_i_fork, and both in s_addk and
 * s_mulk. */
static bool decode_sopk(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    struct gcn_operand field;
    if (!scalar_dst(bits(w, 22, 16), s->dst, &field))
        return false;
    in->simm16 = sign_extend(w & 0xffff, 16);
    switch (s->op) {
    case GCN_OP_S_MOVK_I32:
    case GCN_OP_S_CMOVK_I32:
    case GCN_OP_S_GETREG_B32:
    case GCN_OP_S_CALL_B64:
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

static bool decode_sopp(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    (void)s;
    in->simm16 = sign_extend(c->words[0] & 0xffff, 16);
    return true;
}

static bool decode_smem(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    struct gcn_operand data;
    if (!scalar_dst(bits(w0, 12, 6), s->dst, &data))
        return false;
    if (s->flags & (SLOT_STORE | SLOT_ATOMIC))
        in->data[0] = data;
    else
        in->dst = data;
    in->glc = bits(w0, 16, 16);
    if ((s->flags & SLOT_ATOMIC) && in->glc) {
        in->dst = data;
        in->dst.dwords = (uint8_t)(gcn_has(s->op, GCN_COMPARES) ? data.dwords / 2 : data.dwords);
    }
    if (!s->src[0])
        return true;
    if (!scalar_dst(bits(w0, 5, 0) << 1, s->src[0], &in->saddr))
        return false;
    bool imm = bits(w0, 17, 17), soffset_en = bits(w0, 14, 14);
    if (imm)
        in->offset = sign_extend(bits(w1, 20, 0), 21);
    else
        in->flags |= GCN_INST_SOFFSET_ONLY;
    if (imm && !soffset_en)
        return true;
    return scalar_dst(soffset_en ? bits(w1, 31, 25) : bits(w1, 6, 0), 1, &in->soffset);
}

/* ---- Vector formats ---- */

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
        if (bits(w, 15, 15) && !mask_dst(c, bits(w, 14, 8), &in->sdst))
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
    in->dpp.bound_ctrl = bits(w, 19, 19);
    in->dpp.bank_mask = (uint8_t)bits(w, 27, 24);
    in->dpp.row_mask = (uint8_t)bits(w, 31, 28);
    in->neg = (uint8_t)(bits(w, 20, 20) | bits(w, 22, 22) << 1);
    in->abs = (uint8_t)(bits(w, 21, 21) | bits(w, 23, 23) << 1);
    in->src[0] = vgpr(bits(w, 7, 0), s->src[0], false);
    return true;
}

/* src0 of VOP1, VOP2 and VOPC, where SDWA and DPP branch off. src[1] must be filled already. */
static bool decode_src0(struct cursor *c, const struct gcn_slot *s, unsigned code, struct gcn_inst *in)
{
    if (code == 249)
        return decode_sdwa(c, s, in);
    if (code == 250)
        return decode_dpp(c, s, in);
    return vector_src(c, code, s->src[0], true, &in->src[0]);
}

static bool vop_dst(const struct gcn_slot *s, unsigned code, struct gcn_inst *in)
{
    if (s->flags & SLOT_DST_SCALAR)
        return scalar_dst(code, s->dst, &in->dst);
    in->dst = vgpr(code, s->dst, false);
    return true;
}

static bool decode_vop2(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    struct gcn_operand src1 = vgpr(bits(w, 16, 9), s->src[1], false);
    in->dst = vgpr(bits(w, 24, 17), s->dst, false);
    if (s->flags & (SLOT_LITERAL_MIDDLE | SLOT_LITERAL_LAST)) {
        unsigned k = s->flags & SLOT_LITERAL_MIDDLE ? 1 : 2;
        in->src[3 - k] = vgpr(bits(w, 16, 9), 1, false);
        unsigned src0 = bits(w, 8, 0);
        return src0 != 249 && src0 != 250 && scalar_src(c, 255, 1, true, &in->src[k]) &&
               vector_src(c, src0, 1, true, &in->src[0]);
    }
    in->src[1] = src1;
    if (s->flags & SLOT_VCC_IN)
        in->src[2] = vcc(c);
    if (s->flags & SLOT_VCC_OUT)
        in->sdst = vcc(c);
    if (s->flags & SLOT_ACCUMULATE)
        in->src[2] = in->dst;
    return decode_src0(c, s, bits(w, 8, 0), in);
}

static bool decode_vop1(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    if (!vop_dst(s, bits(w, 24, 17), in))
        return false;
    if (s->op == GCN_OP_V_ACCVGPR_MOV_B32) {
        in->dst.kind = GCN_OPND_AGPR;
        in->src[0] = vgpr(bits(w, 7, 0), 1, true);
        return bits(w, 8, 8);
    }
    if (!s->src[0])
        return true;
    return decode_src0(c, s, bits(w, 8, 0), in);
}

static bool decode_vopc(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w = c->words[0];
    in->sdst = vcc(c);
    in->src[1] = vgpr(bits(w, 16, 9), s->src[1], false);
    return decode_src0(c, s, bits(w, 8, 0), in);
}

static bool vop3_sources(struct cursor *c, const struct gcn_slot *s, uint32_t w1, struct gcn_inst *in)
{
    for (unsigned i = 0; i < 3; i++)
        if (!vector_src(c, bits(w1, 9 * i + 8, 9 * i), s->src[i], false, &in->src[i]))
            return false;
    return true;
}

static bool decode_vop3(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
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
        if (!mask_dst(c, bits(w0, 7, 0), &in->sdst))
            return false;
    } else if (!vop_dst(s, bits(w0, 7, 0), in)) {
        return false;
    }
    if (!vop3_sources(c, s, w1, in))
        return false;
    if (s->flags & SLOT_ACCUMULATE)
        in->src[2] = in->dst;
    return true;
}

/* Registers per matrix operand of the f8f6f4 family by its data format: fp8, bf8, fp6, bf6, fp4. */
static unsigned f8f6f4_dwords(unsigned format)
{
    return format <= 1 ? 8 : format <= 3 ? 6 : 4;
}

static bool decode_mai(struct cursor *c, const struct gcn_slot *s, uint32_t w0, uint32_t w1,
                       struct gcn_inst *in)
{
    if (!vop3_sources(c, s, w1, in))
        return false;
    in->dst = vgpr(bits(w0, 7, 0), s->dst, bits(w0, 15, 15));
    if (s->op == GCN_OP_V_ACCVGPR_READ_B32) { /* the file follows from the opcode */
        in->dst.kind = GCN_OPND_VGPR;
        if (in->src[0].kind != GCN_OPND_VGPR)
            return false;
        in->src[0].kind = GCN_OPND_AGPR;
        return true;
    }
    if (s->op == GCN_OP_V_ACCVGPR_WRITE_B32) {
        in->dst.kind = GCN_OPND_AGPR;
        return true;
    }
    in->cbsz = (uint8_t)bits(w0, 10, 8);
    in->abid = (uint8_t)bits(w0, 14, 11);
    in->blgp = (uint8_t)bits(w1, 31, 29);
    for (unsigned i = 0; i < 2; i++) {
        if (in->src[i].kind != GCN_OPND_VGPR)
            return false;
        if (bits(w1, 27 + i, 27 + i))
            in->src[i].kind = GCN_OPND_AGPR;
    }
    /* The accumulator shares its file with the result; the third source of the sparse forms is a VGPR. */
    if (in->src[2].kind == GCN_OPND_VGPR && in->src[2].dwords == in->dst.dwords && bits(w0, 15, 15))
        in->src[2].kind = GCN_OPND_AGPR;
    if (s->flags & SLOT_FORMATS) {
        if (in->cbsz > 4 || in->blgp > 4)
            return false;
        in->src[0].dwords = (uint8_t)f8f6f4_dwords(in->cbsz);
        in->src[1].dwords = (uint8_t)f8f6f4_dwords(in->blgp);
    }
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

static bool decode_vop3p(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    if (s->flags & SLOT_MAI) {
        in->format = GCN_FMT_MAI;
        return decode_mai(c, s, w0, w1, in);
    }
    vop3p_modifiers(w0, w1, in);
    in->dst = vgpr(bits(w0, 7, 0), s->dst, false);
    return vop3_sources(c, s, w1, in);
}

/* gfx950: a 64-bit prefix (opcode 44) holds the two scale operands of the matrix instruction that follows. */
static bool decode_vop3px(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    c->size = 4;
    if (!decode_mai(c, s, c->words[2], c->words[3], in) ||
        !vector_src(c, bits(c->words[1], 8, 0), 1, false, &in->src[3]) ||
        !vector_src(c, bits(c->words[1], 17, 9), 1, false, &in->src[4]))
        return false;
    in->op_sel = (uint8_t)bits(c->words[0], 13, 11);
    in->op_sel_hi = (uint8_t)(bits(c->words[1], 28, 27) | bits(c->words[0], 14, 14) << 2);
    return true;
}

/* ---- Memory formats ---- */

static bool decode_ds(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    bool acc = bits(w0, 25, 25);
    in->offset0 = (uint8_t)bits(w0, 7, 0);
    in->offset1 = (uint8_t)bits(w0, 15, 8);
    in->offset = (int32_t)bits(w0, 15, 0);
    if (bits(w0, 16, 16))
        in->flags |= GCN_INST_GDS;
    in->addr = vgpr(bits(w1, 7, 0), s->src[0], false);
    in->data[0] = vgpr(bits(w1, 15, 8), s->src[1], acc);
    in->data[1] = vgpr(bits(w1, 23, 16), s->src[2], acc);
    in->dst = vgpr(bits(w1, 31, 24), s->dst, acc);
    return true;
}

static bool decode_flat(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w0 = c->words[0], w1 = c->words[1];
    c->size = 2;
    bool acc = bits(w1, 23, 23), off = bits(w1, 22, 16) == 0x7f, sve = bits(w0, 13, 13);
    in->glc = bits(w0, 16, 16);
    in->scc_bit = bits(w0, 25, 25);
    if (c->target.gpu->sc_cache_bits)
        in->nt = bits(w0, 17, 17);
    else
        in->slc = bits(w0, 17, 17);
    unsigned address_dwords = 2;
    if (in->format == GCN_FMT_FLAT) {
        in->offset = (int32_t)bits(w0, 11, 0);
    } else {
        in->offset = sign_extend(bits(w0, 12, 0), 13);
        if (in->format == GCN_FMT_GLOBAL)
            address_dwords = off ? 2 : 1;
        else
            address_dwords = c->target.gpu->scratch_sve ? sve : off;
        if (!off && !scalar_dst(bits(w1, 22, 16), in->format == GCN_FMT_GLOBAL ? 2 : 1, &in->saddr))
            return false;
    }
    in->addr = vgpr(bits(w1, 7, 0), address_dwords, false);
    in->data[0] = vgpr(bits(w1, 15, 8), s->src[1], acc);
    in->lds = (s->flags & SLOT_TO_LDS) != 0;
    if (!(s->flags & SLOT_ATOMIC) || in->glc)
        in->dst = vgpr(bits(w1, 31, 24), s->dst, acc);
    return true;
}

static bool decode_mubuf(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    bool acc = bits(w1, 23, 23), typed = in->format == GCN_FMT_MTBUF;
    in->offset = (int32_t)bits(w0, 11, 0);
    in->offen = bits(w0, 12, 12);
    in->idxen = bits(w0, 13, 13);
    in->glc = bits(w0, 14, 14);
    in->scc_bit = typed ? bits(w1, 21, 21) : bits(w0, 15, 15);
    in->lds = !typed && bits(w0, 16, 16);
    bool stream = typed ? bits(w1, 22, 22) : bits(w0, 17, 17);
    if (c->target.gpu->sc_cache_bits)
        in->nt = stream;
    else
        in->slc = stream;
    if (typed)
        in->simm16 = (int32_t)bits(w0, 25, 19); /* dfmt 3:0, nfmt 6:4 */
    if (!(s->flags & (SLOT_LOAD | SLOT_STORE | SLOT_ATOMIC)))
        return true; /* cache control */
    in->addr = vgpr(bits(w1, 7, 0), (unsigned)in->offen + (unsigned)in->idxen, false);
    if (!scalar_dst(bits(w1, 20, 16) << 2, 4, &in->saddr) ||
        !scalar_src(c, bits(w1, 31, 24), 1, false, &in->soffset))
        return false;
    struct gcn_operand data = vgpr(bits(w1, 15, 8), s->dst, acc);
    if (s->flags & SLOT_LOAD) {
        if (!in->lds)
            in->dst = data;
        return true;
    }
    in->data[0] = data;
    if ((s->flags & SLOT_ATOMIC) && in->glc) {
        in->dst = data;
        if (gcn_has(s->op, GCN_COMPARES))
            in->dst.dwords /= 2;
    }
    return true;
}

/* How many address registers there are depends on the resource; `addr` is the first one. */
static bool decode_mimg(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    static const struct {
        uint8_t word, bit;
        uint32_t flag;
    } flags[] = {{0, 12, GCN_INST_UNRM},
                 {0, 14, GCN_INST_DA},
                 {0, 15, GCN_INST_A16},
                 {0, 17, GCN_INST_LWE},
                 {1, 31, GCN_INST_D16}};
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (bits(c->words[flags[i].word], flags[i].bit, flags[i].bit))
            in->flags |= flags[i].flag;
    in->simm16 = (int32_t)bits(w0, 11, 8);
    in->glc = bits(w0, 13, 13);
    in->slc = bits(w0, 25, 25);
    in->scc_bit = bits(w0, 7, 7);
    unsigned dwords = (unsigned)__builtin_popcount((unsigned)in->simm16);
    dwords = in->flags & GCN_INST_D16 ? (dwords + 1) / 2 : dwords;
    struct gcn_operand data = vgpr(bits(w1, 15, 8), dwords ? dwords : 1, bits(w0, 16, 16));
    in->addr = vgpr(bits(w1, 7, 0), s->src[0], false);
    if (!scalar_dst(bits(w1, 20, 16) << 2, 8, &in->saddr) ||
        (s->op == GCN_OP_IMAGE_SAMPLE && !scalar_dst(bits(w1, 25, 21) << 2, 4, &in->soffset)))
        return false;
    if (s->flags & (SLOT_STORE | SLOT_ATOMIC)) {
        in->data[0] = data;
        if ((s->flags & SLOT_ATOMIC) && in->glc) {
            in->dst = data;
            if (gcn_has(s->op, GCN_COMPARES))
                in->dst.dwords = (uint8_t)(data.dwords > 1 ? data.dwords / 2 : 1);
        }
        return true;
    }
    in->dst = data;
    return true;
}

/* ---- Format selection ---- */

typedef bool (*decode_fn)(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in);

struct choice {
    const struct gcn_slot *slot;
    decode_fn decode;
    uint16_t opcode;
    uint8_t format;
};

static struct choice choose(const struct cursor *c, unsigned at, unsigned opcode, enum gcn_format format,
                            decode_fn decode)
{
    const struct gcn_slot *s = &slots[at + opcode];
    if (!(s->gpus & c->target.gpu->isa))
        s = s->further && further[s->further].gpus & c->target.gpu->isa ? &further[s->further] : NULL;
    return (struct choice){s, decode, (uint16_t)opcode, (uint8_t)format};
}

static struct choice choose_scalar(const struct cursor *c, uint32_t w)
{
    switch (bits(w, 31, 23)) {
    case 0x17d:
        return choose(c, AT_SOP1, bits(w, 15, 8), GCN_FMT_SOP1, decode_sop1);
    case 0x17e:
        return choose(c, AT_SOPC, bits(w, 22, 16), GCN_FMT_SOPC, decode_sopc);
    case 0x17f:
        return choose(c, AT_SOPP, bits(w, 22, 16), GCN_FMT_SOPP, decode_sopp);
    }
    if (bits(w, 31, 28) == 0xb)
        return choose(c, AT_SOPK, bits(w, 27, 23), GCN_FMT_SOPK, decode_sopk);
    return choose(c, AT_SOP2, bits(w, 29, 23), GCN_FMT_SOP2, decode_sop2);
}

static struct choice choose_flat(const struct cursor *c, uint32_t w)
{
    unsigned op = bits(w, 24, 18);
    if (c->available < 2)
        return (struct choice){0};
    switch (bits(w, 15, 14)) {
    case 0:
        return choose(c, AT_FLAT, op, GCN_FMT_FLAT, decode_flat);
    case 1:
        return choose(c, AT_SCRATCH, op, GCN_FMT_SCRATCH, decode_flat);
    case 2:
        return choose(c, AT_GLOBAL, op, GCN_FMT_GLOBAL, decode_flat);
    default:
        return (struct choice){0};
    }
}

static struct choice choose_vop3(const struct cursor *c, uint32_t w)
{
    if (bits(w, 31, 23) != 0x1a7)
        return choose(c, AT_VOP3, bits(w, 25, 16), GCN_FMT_VOP3, decode_vop3);
    unsigned op = bits(w, 22, 16);
    if (op == 44 && c->available >= 4 && bits(c->words[2], 31, 23) == 0x1a7)
        return choose(c, AT_VOP3PX, bits(c->words[2], 22, 16), GCN_FMT_VOP3PX, decode_vop3px);
    return choose(c, AT_VOP3P, op, GCN_FMT_VOP3P, decode_vop3p);
}

static struct choice choose_format(const struct cursor *c)
{
    uint32_t w = c->words[0];
    if (!bits(w, 31, 31)) {
        unsigned op = bits(w, 30, 25);
        if (op == 0x3e)
            return choose(c, AT_VOPC, bits(w, 24, 17), GCN_FMT_VOPC, decode_vopc);
        if (op == 0x3f)
            return choose(c, AT_VOP1, bits(w, 16, 9), GCN_FMT_VOP1, decode_vop1);
        return choose(c, AT_VOP2, op, GCN_FMT_VOP2, decode_vop2);
    }
    if (bits(w, 31, 30) == 2)
        return choose_scalar(c, w);
    switch (bits(w, 31, 26)) {
    case 0x30:
        return choose(c, AT_SMEM, bits(w, 25, 18), GCN_FMT_SMEM, decode_smem);
    case 0x34:
        return choose_vop3(c, w);
    case 0x36:
        return choose(c, AT_DS, bits(w, 24, 17), GCN_FMT_DS, decode_ds);
    case 0x37:
        return choose_flat(c, w);
    case 0x38:
        return choose(c, AT_MUBUF, bits(w, 24, 18), GCN_FMT_MUBUF, decode_mubuf);
    case 0x3a:
        return choose(c, AT_MTBUF, bits(w, 18, 15), GCN_FMT_MTBUF, decode_mubuf);
    case 0x3c:
        return choose(c, AT_MIMG, bits(w, 24, 18), GCN_FMT_MIMG, decode_mimg);
    default:
        return (struct choice){0};
    }
}

unsigned gcn_decode(struct gcn_target target, const uint32_t *words, unsigned dwords, uint64_t pc,
                    struct gcn_inst *out)
{
    memset(out, 0, sizeof *out);
    struct cursor c = {.target = target, .words = words, .available = dwords, .size = 1};
    if (!dwords)
        return 0;
    struct choice choice = choose_format(&c);
    if (!choice.slot)
        return 0;
    out->op = choice.slot->op;
    out->format = choice.format;
    out->opcode = choice.opcode;
    out->pc = pc;
    if (!choice.decode(&c, choice.slot, out))
        return 0;
    count_sources(out);
    out->bytes = (uint8_t)(4 * c.size);
    memcpy(out->words, words, out->bytes);
    return out->bytes;
}

const struct gcn_slot *gcn_slot_of(struct gcn_target target, const struct gcn_inst *in)
{
    struct cursor c = {.target = target, .words = in->words, .available = in->bytes / 4};
    return in->bytes ? choose_format(&c).slot : NULL;
}
