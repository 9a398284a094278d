/*
 * decode_gfx11.c - the formats that gfx11 has in its own way: "RDNA3 Instruction Set Architecture" chapter 15. Not
 * here: what graphics alone has, EXP, LDSDIR and VINTERP; MIMG is in decode_image.c.
 */
#include "decode.h"

static bool decode_smem(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!gcn_smem_registers(c, s, in))
        return false;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    in->glc = bits(w0, 14, 14);
    in->dlc = bits(w0, 13, 13);
    if (!s->src[0])
        return true;
    in->offset = sign_extend(bits(w1, 20, 0), 21);
    unsigned soffset = bits(w1, 31, 25);
    return scalar_code(c, soffset) == GCN_NULL || scalar_dst(c, soffset, 1, &in->soffset);
}

static bool decode_ds(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!gcn_decode_ds(c, s, bits(c->words[0], 17, 17), false, in))
        return false;
    if (gcn_has(s->op, GCN_COMPARES)) { /* ds_cmpstore has the new value first, ds_cmpst had it second */
        struct gcn_operand new_value = in->data[0];
        in->data[0] = in->data[1];
        in->data[1] = new_value;
    }
    return true;
}

static bool decode_flat(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    uint32_t w0 = c->words[0], w1 = c->words[1];
    unsigned saddr = bits(w1, 22, 16), address_dwords = 2;
    bool off = scalar_code(c, saddr) == GCN_NULL;
    c->size = 2;
    in->glc = bits(w0, 14, 14);
    in->slc = bits(w0, 15, 15);
    in->dlc = bits(w0, 13, 13);
    in->offset = sign_extend(bits(w0, 12, 0), 13);
    if (in->format == GCN_FMT_FLAT) {
        in->offset = (int32_t)bits(w0, 11, 0);
    } else {
        address_dwords = in->format == GCN_FMT_SCRATCH ? bits(w1, 23, 23) : off ? 2 : 1;
        if (!off && !scalar_dst(c, saddr, in->format == GCN_FMT_GLOBAL ? 2 : 1, &in->saddr))
            return false;
    }
    gcn_flat_registers(s, w1, address_dwords, false, in);
    return true;
}

static bool decode_mubuf(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    in->offset = (int32_t)bits(w0, 11, 0);
    in->slc = bits(w0, 12, 12);
    in->dlc = bits(w0, 13, 13);
    in->glc = bits(w0, 14, 14);
    in->offen = bits(w1, 22, 22);
    in->idxen = bits(w1, 23, 23);
    if (bits(w1, 21, 21))
        in->flags |= GCN_INST_TFE;
    if (in->format == GCN_FMT_MTBUF)
        in->simm16 = (int32_t)bits(w0, 25, 19);
    if (!(s->flags & (SLOT_LOAD | SLOT_STORE | SLOT_ATOMIC)))
        return true; /* cache control */
    in->addr = vgpr(bits(w1, 7, 0), (unsigned)in->offen + (unsigned)in->idxen, false);
    if (!scalar_dst(c, bits(w1, 20, 16) << 2, 4, &in->saddr) ||
        !scalar_src(c, bits(w1, 31, 24), 1, true, &in->soffset))
        return false;
    struct gcn_operand data = vgpr(bits(w1, 15, 8), s->dst + (in->flags & GCN_INST_TFE ? 1 : 0), false);
    gcn_buffer_data(s, data, in);
    return true;
}

/* ---- Two operations in one instruction ---- */

/* One of the two, of the opcode `at`, with its fields; both share a literal. */
static bool decode_half(struct cursor *c, const struct gcn_slot *s, unsigned dst, unsigned src0,
                        unsigned src1, struct gcn_inst *in)
{
    in->op = s->op;
    in->dst = vgpr(dst, 1, false);
    if (!vector_src(c, src0, 1, true, &in->src[0]))
        return false;
    if (s->flags & (SLOT_LITERAL_MIDDLE | SLOT_LITERAL_LAST)) {
        unsigned k = s->flags & SLOT_LITERAL_MIDDLE ? 1 : 2;
        in->src[3 - k] = vgpr(src1, 1, false);
        return scalar_src(c, 255, 1, true, &in->src[k]);
    }
    in->src[1] = vgpr(src1, s->src[1], false);
    if (s->flags & SLOT_VCC_IN)
        in->src[2] = vcc(c);
    if (s->flags & SLOT_ACCUMULATE)
        in->src[2] = in->dst;
    return true;
}

/* The registers of the two destinations are never both even or both odd: the second field lacks its last bit. */
bool gcn_decode_vopd_second(struct cursor *c, struct gcn_inst *in)
{
    uint32_t w0 = c->words[0], w1 = c->words[1];
    struct choice y = gcn_choose(c, AT_VOPDY, bits(w0, 21, 17), GCN_FMT_VOPD, NULL);
    c->size = c->size < 2 ? 2 : c->size;
    in->opcode = y.opcode;
    return y.slot && decode_half(c, y.slot, bits(w1, 23, 17) << 1 | !bits(w1, 24, 24), bits(w1, 8, 0),
                                 bits(w1, 16, 9), in);
}

static bool decode_vopd(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    struct gcn_inst second = {0};
    if (c->available < 2 || gcn_mask_dwords(c->target) != 1)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0];
    return decode_half(c, s, bits(c->words[1], 31, 24), bits(w0, 8, 0), bits(w0, 16, 9), in) &&
           gcn_decode_vopd_second(c, &second);
}

/* ---- Format selection ---- */

struct choice gcn_choose_gfx11(const struct cursor *c, uint32_t w)
{
    switch (bits(w, 31, 26)) {
    case 0x32:
        return gcn_choose(c, AT_VOPDX, bits(w, 25, 22), GCN_FMT_VOPD, decode_vopd);
    case 0x33:
        if (bits(w, 25, 23))
            return (struct choice){0};
        return gcn_choose(c, AT_VOP3P, bits(w, 22, 16), GCN_FMT_VOP3P, gcn_decode_vop3p);
    case 0x35:
        return gcn_choose(c, AT_VOP3, bits(w, 25, 16), GCN_FMT_VOP3, gcn_decode_vop3);
    case 0x36:
        return gcn_choose(c, AT_DS, bits(w, 25, 18), GCN_FMT_DS, decode_ds);
    case 0x37:
        return gcn_choose_flat(c, w, bits(w, 17, 16), decode_flat);
    case 0x38:
        return gcn_choose(c, AT_MUBUF, bits(w, 25, 18), GCN_FMT_MUBUF, decode_mubuf);
    case 0x3a:
        return gcn_choose(c, AT_MTBUF, bits(w, 18, 15), GCN_FMT_MTBUF, decode_mubuf);
    case 0x3c:
        return gcn_choose(c, AT_MIMG, bits(w, 25, 18), GCN_FMT_MIMG, gcn_decode_image);
    case 0x3d:
        return gcn_choose(c, AT_SMEM, bits(w, 25, 18), GCN_FMT_SMEM, decode_smem);
    default:
        return (struct choice){0};
    }
}
