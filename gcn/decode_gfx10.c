/*
 * decode_gfx10.c - the formats that gfx10 has in its own way: "AMD RDNA 2 Instruction Set Architecture" chapter 13.
 * Not here: EXP and VINTRP; MIMG is in decode_image.c.
 */
#include "decode.h"

static bool decode_smem(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!gcn_smem_registers(c, s, in))
        return false;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    in->glc = bits(w0, 16, 16);
    in->dlc = bits(w0, 14, 14);
    if (!s->src[0])
        return true;
    in->offset = sign_extend(bits(w1, 20, 0), 21);
    if (bits(w1, 31, 25) == GCN_NULL)
        return true;
    return scalar_dst(c, bits(w1, 31, 25), 1, &in->soffset);
}

static bool decode_ds(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    return gcn_decode_ds(c, s, bits(c->words[0], 17, 17), false, in);
}

/* Scratch: no SADDR and no VADDR is one encoding, SADDR 0x7f; SADDR NULL leaves VADDR alone. */
static bool decode_flat(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    enum { NOTHING = 0x7f };
    uint32_t w0 = c->words[0], w1 = c->words[1];
    unsigned saddr = bits(w1, 22, 16), address_dwords = 2;
    bool off = saddr == GCN_NULL || saddr == NOTHING;
    c->size = 2;
    in->glc = bits(w0, 16, 16);
    in->slc = bits(w0, 17, 17);
    in->dlc = bits(w0, 12, 12);
    if (in->format == GCN_FMT_FLAT) {
        in->offset = (int32_t)bits(w0, 10, 0);
    } else {
        in->offset = sign_extend(bits(w0, 11, 0), 12);
        if (in->format == GCN_FMT_GLOBAL)
            address_dwords = off ? 2 : 1;
        else
            address_dwords = saddr == GCN_NULL;
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
    bool typed = in->format == GCN_FMT_MTBUF;
    in->offset = (int32_t)bits(w0, 11, 0);
    in->offen = bits(w0, 12, 12);
    in->idxen = bits(w0, 13, 13);
    in->glc = bits(w0, 14, 14);
    in->dlc = bits(w0, 15, 15);
    in->lds = !typed && bits(w0, 16, 16);
    in->slc = bits(w1, 22, 22);
    if (bits(w1, 23, 23))
        in->flags |= GCN_INST_TFE;
    if (typed)
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

/* ---- Format selection ---- */

static struct choice choose_buffer(const struct cursor *c, uint32_t w)
{
    if (bits(w, 31, 26) == 0x38)
        return gcn_choose(c, AT_MUBUF, bits(w, 24, 18) | bits(w, 25, 25) << 7, GCN_FMT_MUBUF, decode_mubuf);
    if (c->available < 2)
        return (struct choice){0};
    return gcn_choose(c, AT_MTBUF, bits(w, 18, 16) | bits(c->words[1], 21, 21) << 3, GCN_FMT_MTBUF,
                      decode_mubuf);
}

struct choice gcn_choose_gfx10(const struct cursor *c, uint32_t w)
{
    switch (bits(w, 31, 26)) {
    case 0x33:
        if (bits(w, 25, 23))
            return (struct choice){0};
        return gcn_choose(c, AT_VOP3P, bits(w, 22, 16), GCN_FMT_VOP3P, gcn_decode_vop3p);
    case 0x35:
        return gcn_choose(c, AT_VOP3, bits(w, 25, 16), GCN_FMT_VOP3, gcn_decode_vop3);
    case 0x36:
        return gcn_choose(c, AT_DS, bits(w, 25, 18), GCN_FMT_DS, decode_ds);
    case 0x37:
        return gcn_choose_flat(c, w, bits(w, 15, 14), decode_flat);
    case 0x38:
    case 0x3a:
        return choose_buffer(c, w);
    case 0x3c:
        return gcn_choose(c, AT_MIMG, bits(w, 24, 18) | bits(w, 0, 0) << 7, GCN_FMT_MIMG, gcn_decode_image);
    case 0x3d:
        return gcn_choose(c, AT_SMEM, bits(w, 25, 18), GCN_FMT_SMEM, decode_smem);
    default:
        return (struct choice){0};
    }
}
