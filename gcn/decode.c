/*
 * decode.c - machine words to struct gcn_inst: which slot they are of. What an opcode is called and how wide its
 * operands are stands in the generated tables, where the fields are in decode_alu.c, decode_gfx9.c,
 * decode_gfx10.c, decode_gfx11.c, decode_gfx12.c and decode_image.c; nothing there knows a mnemonic, except the few whose fields have an irregular meaning.
 */
#include "decode.h"

#include <string.h>

#define SLOT(FORMAT, OPCODE, FURTHER_ROW, OP, GPUS, DST, SRC0, SRC1, SRC2, FLAGS)                            \
    [AT_##FORMAT + (OPCODE)] = {OP, FURTHER_ROW, GPUS, DST, {SRC0, SRC1, SRC2}, FLAGS},
#define FURTHER(NUMBER, ...)
static const struct gcn_slot slots_gfx9[AT_END] = {
#include "tables/slots.inc"
};
static const struct gcn_slot slots_gfx10[AT_END] = {
#include "tables/slots_gfx10.inc"
};
static const struct gcn_slot slots_gfx11[AT_END] = {
#include "tables/slots_gfx11.inc"
};
static const struct gcn_slot slots_gfx12[AT_END] = {
#include "tables/slots_gfx12.inc"
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

static void count_sources(struct gcn_inst *in)
{
    in->n_src = 0;
    for (unsigned i = 0; i < sizeof in->src / sizeof in->src[0]; i++)
        if (in->src[i].kind != GCN_OPND_NONE)
            in->n_src = (uint8_t)(i + 1);
}

bool gcn_decode_ds(struct cursor *c, const struct gcn_slot *s, bool gds, bool acc, struct gcn_inst *in)
{
    if (c->available < 2)
        return false;
    c->size = 2;
    uint32_t w0 = c->words[0], w1 = c->words[1];
    in->offset0 = (uint8_t)bits(w0, 7, 0);
    in->offset1 = (uint8_t)bits(w0, 15, 8);
    in->offset = (int32_t)bits(w0, 15, 0);
    if (gds)
        in->flags |= GCN_INST_GDS;
    in->addr = vgpr(bits(w1, 7, 0), s->src[0], false);
    in->data[0] = vgpr(bits(w1, 15, 8), s->src[1], acc);
    in->data[1] = vgpr(bits(w1, 23, 16), s->src[2], acc);
    in->dst = vgpr(bits(w1, 31, 24), s->dst, acc);
    return true;
}

bool gcn_smem_registers(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    struct gcn_operand data;
    if (c->available < 2)
        return false;
    c->size = 2;
    if (!scalar_dst(c, bits(c->words[0], 12, 6), s->dst, &data))
        return false;
    if (s->flags & (SLOT_STORE | SLOT_ATOMIC))
        in->data[0] = data;
    else
        in->dst = data;
    return scalar_dst(c, bits(c->words[0], 5, 0) << 1, s->src[0], &in->saddr);
}

void gcn_flat_registers(const struct gcn_slot *s, uint32_t w1, unsigned address_dwords, bool acc,
                        struct gcn_inst *in)
{
    if (s->op == GCN_OP_GLOBAL_LOAD_DWORD_ADDTID || s->op == GCN_OP_GLOBAL_STORE_DWORD_ADDTID)
        address_dwords = 0;
    in->addr = vgpr(bits(w1, 7, 0), address_dwords, false);
    in->data[0] = vgpr(bits(w1, 15, 8), s->src[1], acc);
    if (!(s->flags & SLOT_ATOMIC) || in->glc)
        in->dst = vgpr(bits(w1, 31, 24), s->dst, acc);
}

void gcn_buffer_data(const struct gcn_slot *s, struct gcn_operand data, struct gcn_inst *in)
{
    if (s->flags & SLOT_LOAD) {
        if (!in->lds)
            in->dst = data;
        return;
    }
    in->data[0] = data;
    if ((s->flags & SLOT_ATOMIC) && in->glc) {
        in->dst = data;
        if (gcn_has(s->op, GCN_COMPARES))
            in->dst.dwords /= 2;
    }
}

struct choice gcn_choose(const struct cursor *c, unsigned at, unsigned opcode, enum gcn_format format,
                         decode_fn *decode)
{
    const struct gcn_slot *s = c->gfx12   ? slots_gfx12
                               : c->gfx11 ? slots_gfx11
                               : c->rdna  ? slots_gfx10
                                          : slots_gfx9;
    s += at + opcode;
    if (!(s->gpus & c->target.gpu->isa))
        s = s->further && further[s->further].gpus & c->target.gpu->isa ? &further[s->further] : NULL;
    return (struct choice){s, decode, (uint16_t)opcode, (uint8_t)format};
}

struct choice gcn_choose_flat(const struct cursor *c, uint32_t w, unsigned segment, decode_fn *decode)
{
    unsigned op = bits(w, 24, 18);
    if (c->available < 2)
        return (struct choice){0};
    switch (segment) {
    case 0:
        return gcn_choose(c, AT_FLAT, op, GCN_FMT_FLAT, decode);
    case 1:
        return gcn_choose(c, AT_SCRATCH, op, GCN_FMT_SCRATCH, decode);
    case 2:
        return gcn_choose(c, AT_GLOBAL, op, GCN_FMT_GLOBAL, decode);
    default:
        return (struct choice){0};
    }
}

static struct choice choose_scalar(const struct cursor *c, uint32_t w)
{
    switch (bits(w, 31, 23)) {
    case 0x17d:
        return gcn_choose(c, AT_SOP1, bits(w, 15, 8), GCN_FMT_SOP1, gcn_decode_sop1);
    case 0x17e:
        return gcn_choose(c, AT_SOPC, bits(w, 22, 16), GCN_FMT_SOPC, gcn_decode_sopc);
    case 0x17f:
        return gcn_choose(c, AT_SOPP, bits(w, 22, 16), GCN_FMT_SOPP, gcn_decode_sopp);
    }
    if (bits(w, 31, 28) == 0xb)
        return gcn_choose(c, AT_SOPK, bits(w, 27, 23), GCN_FMT_SOPK, gcn_decode_sopk);
    return gcn_choose(c, AT_SOP2, bits(w, 29, 23), GCN_FMT_SOP2, gcn_decode_sop2);
}

static struct choice choose_format(const struct cursor *c)
{
    uint32_t w = c->words[0];
    if (!bits(w, 31, 31)) {
        unsigned op = bits(w, 30, 25);
        if (op == 0x3e)
            return gcn_choose(c, AT_VOPC, bits(w, 24, 17), GCN_FMT_VOPC, gcn_decode_vopc);
        if (op == 0x3f)
            return gcn_choose(c, AT_VOP1, bits(w, 16, 9), GCN_FMT_VOP1, gcn_decode_vop1);
        return gcn_choose(c, AT_VOP2, op, GCN_FMT_VOP2, gcn_decode_vop2);
    }
    if (bits(w, 31, 30) == 2)
        return choose_scalar(c, w);
    if (c->gfx12)
        return gcn_choose_gfx12(c, w);
    if (c->gfx11)
        return gcn_choose_gfx11(c, w);
    return c->rdna ? gcn_choose_gfx10(c, w) : gcn_choose_gfx9(c, w);
}

static struct cursor cursor_at(struct gcn_target target, const uint32_t *words, unsigned dwords)
{
    return (struct cursor){.target = target,
                           .words = words,
                           .available = dwords,
                           .size = 1,
                           .rdna = target.gpu->family->encoding >= 10,
                           .gfx11 = target.gpu->family->encoding >= 11,
                           .gfx12 = target.gpu->family->encoding >= 12};
}

unsigned gcn_decode(struct gcn_target target, const uint32_t *words, unsigned dwords, uint64_t pc,
                    struct gcn_inst *out)
{
    memset(out, 0, sizeof *out);
    struct cursor c = cursor_at(target, words, dwords);
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
    struct cursor c = cursor_at(target, in->words, in->bytes / 4);
    return in->bytes ? choose_format(&c).slot : NULL;
}

bool gcn_second(struct gcn_target target, const struct gcn_inst *in, struct gcn_inst *out)
{
    struct cursor c = cursor_at(target, in->words, in->bytes / 4);
    if (in->format != GCN_FMT_VOPD)
        return false;
    *out = (struct gcn_inst){.format = GCN_FMT_VOPD, .bytes = in->bytes, .pc = in->pc};
    memcpy(out->words, in->words, in->bytes);
    if (!gcn_decode_vopd_second(&c, out))
        return false;
    count_sources(out);
    return true;
}

uint32_t gcn_end_word(struct gcn_target target)
{
    const struct cursor c = cursor_at(target, NULL, 0);
    unsigned opcode = 0;
    for (; opcode < 127; opcode++) {
        const struct gcn_slot *s = gcn_choose(&c, AT_SOPP, opcode, GCN_FMT_SOPP, gcn_decode_sopp).slot;
        if (s && s->op == GCN_OP_S_ENDPGM)
            break;
    }
    return 0x17fu << 23 | opcode << 16; /* as choose_scalar reads it */
}
