/*
 * decode_gfx12.c - the formats that gfx12 has in its own way, memory's: "RDNA4 Instruction Set Architecture" chapter 15; images:
 * decode_image.c. All others are gfx11's. Not here: what graphics alone has, EXP and VINTERP.
 */
#include "decode.h"

void gcn_cache_policy(const struct gcn_slot *s, unsigned hint, unsigned scope, struct gcn_inst *in)
{
    enum { ATOMIC_RETURN = 1, DEVICE = 2 };
    in->th = (uint8_t)hint;
    in->scope = (uint8_t)scope;
    in->glc = (s->flags & SLOT_ATOMIC) && (hint & ATOMIC_RETURN);
    in->scc_bit = scope >= DEVICE;
}

static bool decode_smem(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (!gcn_smem_registers(c, s, in))
        return false;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    gcn_cache_policy(s, bits(w0, 24, 23), bits(w0, 22, 21), in);
    if (s->flags & SLOT_PREFETCH)
        in->simm16 = (int32_t)bits(w0, 12, 6); /* how much, in units of 128 bytes, less one */
    else if (!s->src[0])
        return true;
    in->offset = sign_extend(bits(w1, 23, 0), 24);
    unsigned soffset = bits(w1, 31, 25);
    return scalar_code(c, soffset) == GCN_NULL || scalar_dst(c, soffset, 1, &in->soffset);
}

static bool decode_flat(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    enum { SADDR = 0, ADDRESS = 0, DATA = 8, DST = 24 }; /* the last three: where gfx9 to gfx11 have them */
    if (c->available < 3)
        return false;
    c->size = 3;
    uint32_t w0 = c->words[0], w1 = c->words[1], w2 = c->words[2];
    unsigned saddr = bits(w0, 6, SADDR), address_dwords = 2;
    bool off = scalar_code(c, saddr) == GCN_NULL;
    gcn_cache_policy(s, bits(w1, 22, 20), bits(w1, 19, 18), in);
    if (gcn_has(s->op, GCN_CACHES))
        return true;
    in->offset = sign_extend(bits(w2, 31, 8), 24);
    if (in->format != GCN_FMT_FLAT) {
        address_dwords = in->format == GCN_FMT_SCRATCH ? bits(w1, 17, 17) : off ? 2 : 1;
        if (!off && !scalar_dst(c, saddr, in->format == GCN_FMT_GLOBAL ? 2 : 1, &in->saddr))
            return false;
    }
    uint32_t registers = bits(w2, 7, 0) << ADDRESS | bits(w1, 30, 23) << DATA | bits(w1, 7, 0) << DST;
    gcn_flat_registers(s, registers, address_dwords, false, in);
    if (s->flags & SLOT_BY_LANES)
        in->dst.dwords = (uint8_t)(in->dst.dwords / gcn_mask_dwords(c->target));
    return true;
}

static bool decode_buffer(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    if (c->available < 3)
        return false;
    c->size = 3;
    uint32_t w0 = c->words[0], w1 = c->words[1], w2 = c->words[2];
    gcn_cache_policy(s, bits(w1, 22, 20), bits(w1, 19, 18), in);
    in->offset = sign_extend(bits(w2, 31, 8), 24);
    in->offen = bits(w1, 30, 30);
    in->idxen = bits(w1, 31, 31);
    if (bits(w0, 22, 22))
        in->flags |= GCN_INST_TFE;
    if (in->format == GCN_FMT_MTBUF)
        in->simm16 = (int32_t)bits(w1, 29, 23);
    in->addr = vgpr(bits(w2, 7, 0), (unsigned)in->offen + (unsigned)in->idxen, false);
    if (!scalar_dst(c, bits(w1, 17, 9), 4, &in->saddr) || !scalar_dst(c, bits(w0, 6, 0), 1, &in->soffset))
        return false;
    struct gcn_operand data = vgpr(bits(w1, 7, 0), s->dst + (in->flags & GCN_INST_TFE ? 1 : 0), false);
    gcn_buffer_data(s, data, in);
    return true;
}

/* ---- Format selection ---- */

static struct choice choose_flat(const struct cursor *c, uint32_t w)
{
    static const struct {
        uint16_t at;
        uint8_t format;
    } segments[] = {{AT_FLAT, GCN_FMT_FLAT}, {AT_SCRATCH, GCN_FMT_SCRATCH}, {AT_GLOBAL, GCN_FMT_GLOBAL}};
    unsigned segment = bits(w, 25, 24), op = bits(w, 21, 14);
    if (segment > 2 || op > 127)
        return (struct choice){0};
    return gcn_choose(c, segments[segment].at, op, segments[segment].format, decode_flat);
}

/* Formatted ones have numbers of their own from 128 on. */
static struct choice choose_buffer(const struct cursor *c, uint32_t w)
{
    enum { TYPED = 128, N_TYPED = 16 };
    unsigned op = bits(w, 21, 14);
    if (op < TYPED)
        return gcn_choose(c, AT_MUBUF, op, GCN_FMT_MUBUF, decode_buffer);
    if (op >= TYPED + N_TYPED)
        return (struct choice){0};
    return gcn_choose(c, AT_MTBUF, op - TYPED, GCN_FMT_MTBUF, decode_buffer);
}

struct choice gcn_choose_gfx12(const struct cursor *c, uint32_t w)
{
    switch (bits(w, 31, 26)) {
    case 0x31:
        return choose_buffer(c, w);
    case 0x34:
        return gcn_choose(c, AT_MIMG, bits(w, 21, 14), GCN_FMT_MIMG, gcn_decode_vimage);
    case 0x37:
    case 0x38:
    case 0x3a:
    case 0x3c: /* formats of memory that gfx11 has there */
        return (struct choice){0};
    case 0x39:
        return gcn_choose(c, AT_MIMG, bits(w, 21, 14), GCN_FMT_MIMG, gcn_decode_vsample);
    case 0x3b:
        return choose_flat(c, w);
    case 0x3d:
        return gcn_choose(c, AT_SMEM, bits(w, 18, 13), GCN_FMT_SMEM, decode_smem);
    default:
        return gcn_choose_gfx11(c, w);
    }
}
