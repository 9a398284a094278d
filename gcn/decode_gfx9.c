/*
 * decode_gfx9.c - the formats that gfx9 compute GPUs have in their own way: "AMD Instinct MI200 ISA" chapter 12
 * and "AMD Instinct MI300 ISA" chapter 13.
 */
#include "decode.h"

/* ---- Matrix and scalar memory formats ---- */

static bool decode_smem(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!gcn_smem_registers(c, s, in))
        return false;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    in->glc = bits(w0, 16, 16);
    if ((s->flags & SLOT_ATOMIC) && in->glc) {
        in->dst = in->data[0];
        if (gcn_has(s->op, GCN_COMPARES))
            in->dst.dwords /= 2;
    }
    if (!s->src[0])
        return true;
    bool imm = bits(w0, 17, 17), soffset_en = bits(w0, 14, 14);
    if (imm)
        in->offset = sign_extend(bits(w1, 20, 0), 21);
    else
        in->flags |= GCN_INST_SOFFSET_ONLY;
    if (imm && !soffset_en)
        return true;
    return scalar_dst(c, soffset_en ? bits(w1, 31, 25) : bits(w1, 6, 0), 1, &in->soffset);
}

/* Registers per matrix operand of the f8f6f4 family by its data format: fp8, bf8, fp6, bf6, fp4. */
static unsigned f8f6f4_dwords(unsigned format)
{
    return format <= 1 ? 8 : format <= 3 ? 6 : 4;
}

static bool decode_mai(struct cursor *c, const struct gcn_slot *s, uint32_t w0, uint32_t w1,
                       struct gcn_inst *in)
{
    if (!gcn_decode_vop3_sources(c, s, w1, in))
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
    return gcn_decode_ds(c, s, bits(c->words[0], 16, 16), bits(c->words[0], 25, 25), in);
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
        if (!off && !scalar_dst(c, bits(w1, 22, 16), in->format == GCN_FMT_GLOBAL ? 2 : 1, &in->saddr))
            return false;
    }
    in->lds = (s->flags & SLOT_TO_LDS) != 0;
    gcn_flat_registers(s, w1, address_dwords, acc, in);
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
    if (!scalar_dst(c, bits(w1, 20, 16) << 2, 4, &in->saddr) ||
        !scalar_src(c, bits(w1, 31, 24), 1, false, &in->soffset))
        return false;
    struct gcn_operand data = vgpr(bits(w1, 15, 8), s->dst, acc);
    gcn_buffer_data(s, data, in);
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
    if (!scalar_dst(c, bits(w1, 20, 16) << 2, 8, &in->saddr) ||
        (s->op == GCN_OP_IMAGE_SAMPLE && !scalar_dst(c, bits(w1, 25, 21) << 2, 4, &in->soffset)))
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

static bool decode_vop3p(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!(s->flags & SLOT_MAI))
        return gcn_decode_vop3p(c, s, in);
    if (c->available < 2)
        return false;
    c->size = 2;
    in->format = GCN_FMT_MAI;
    return decode_mai(c, s, c->words[0], c->words[1], in);
}

/* ---- Format selection ---- */

static struct choice choose_vop3(const struct cursor *c, uint32_t w)
{
    if (bits(w, 31, 23) != 0x1a7)
        return gcn_choose(c, AT_VOP3, bits(w, 25, 16), GCN_FMT_VOP3, gcn_decode_vop3);
    unsigned op = bits(w, 22, 16);
    if (op == 44 && c->available >= 4 && bits(c->words[2], 31, 23) == 0x1a7)
        return gcn_choose(c, AT_VOP3PX, bits(c->words[2], 22, 16), GCN_FMT_VOP3PX, decode_vop3px);
    return gcn_choose(c, AT_VOP3P, op, GCN_FMT_VOP3P, decode_vop3p);
}

struct choice gcn_choose_gfx9(const struct cursor *c, uint32_t w)
{
    switch (bits(w, 31, 26)) {
    case 0x30:
        return gcn_choose(c, AT_SMEM, bits(w, 25, 18), GCN_FMT_SMEM, decode_smem);
    case 0x34:
        return choose_vop3(c, w);
    case 0x36:
        return gcn_choose(c, AT_DS, bits(w, 24, 17), GCN_FMT_DS, decode_ds);
    case 0x37:
        return gcn_choose_flat(c, w, bits(w, 15, 14), decode_flat);
    case 0x38:
        return gcn_choose(c, AT_MUBUF, bits(w, 24, 18), GCN_FMT_MUBUF, decode_mubuf);
    case 0x3a:
        return gcn_choose(c, AT_MTBUF, bits(w, 18, 15), GCN_FMT_MTBUF, decode_mubuf);
    case 0x3c:
        return gcn_choose(c, AT_MIMG, bits(w, 24, 18), GCN_FMT_MIMG, decode_mimg);
    default:
        return (struct choice){0};
    }
}
