/*
 * decode.h - what the parts of the decoder share: operands, and which slot words are of.
 */
#ifndef GCN_DECODE_H
#define GCN_DECODE_H

#include "gcn.h"
#include "slots.h"

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
    AT_MTBUF = AT_MUBUF + 256,
    AT_MIMG = AT_MTBUF + 16,
    AT_VOPDX = AT_MIMG + 256,
    AT_VOPDY = AT_VOPDX + 16,
    AT_END = AT_VOPDY + 32,
};

/* Words being decoded; `size` counts the dwords that belong to the instruction so far. */
struct cursor {
    struct gcn_target target;
    const uint32_t *words;
    unsigned available;
    unsigned size;
    bool rdna;  /* encoding of gfx10 or later */
    bool gfx11; /* or of gfx11 or later */
    bool gfx12; /* or of gfx12 */
    bool literal_taken;
    uint32_t literal;
};

static inline unsigned bits(uint32_t word, unsigned hi, unsigned lo)
{
    return word >> lo & (uint32_t)((1ull << (hi - lo + 1)) - 1);
}

static inline int32_t sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

static inline bool take_literal(struct cursor *c)
{
    if (c->literal_taken)
        return true;
    if (c->size >= c->available)
        return false;
    c->literal = c->words[c->size++];
    c->literal_taken = true;
    return true;
}

static inline struct gcn_operand operand(enum gcn_operand_kind kind, unsigned index, unsigned dwords)
{
    return (struct gcn_operand){.kind = (uint8_t)kind, .dwords = (uint8_t)dwords, .index = (uint16_t)index};
}

static inline struct gcn_operand vgpr(unsigned index, unsigned dwords, bool acc)
{
    if (!dwords)
        return operand(GCN_OPND_NONE, 0, 0);
    return operand(acc ? GCN_OPND_AGPR : GCN_OPND_VGPR, index & 255, dwords);
}

/* Hardware ignores the low bits of the number of a register pair or quad. */
static inline unsigned align_scalar(unsigned index, unsigned dwords)
{
    if (index >= 124 && index <= 125)
        return index;
    return dwords >= 4 ? index & ~3u : dwords >= 2 ? index & ~1u : index;
}

/* gfx11 has the numbers of M0 and NULL the other way round ("RDNA3 Instruction Set Architecture", table of
 * scalar operands). */
static inline unsigned scalar_code(const struct cursor *c, unsigned code)
{
    return c->gfx11 && (code == GCN_M0 || code == GCN_NULL) ? code ^ GCN_M0 ^ GCN_NULL : code;
}

/* Scalar destination, 7 bits. */
static inline bool scalar_dst(const struct cursor *c, unsigned code, unsigned dwords, struct gcn_operand *out)
{
    *out = operand(GCN_OPND_NONE, 0, 0);
    if (!dwords)
        return true;
    code = scalar_code(c, code);
    if ((code == GCN_NULL && !c->rdna) || code > 127)
        return false;
    *out = operand(GCN_OPND_SCALAR, align_scalar(code, dwords), dwords);
    return true;
}

/* Scalar destination for one bit per lane. */
static inline bool mask_dst(const struct cursor *c, unsigned code, struct gcn_operand *out)
{
    return scalar_dst(c, code, gcn_mask_dwords(c->target), out);
}

/* Scalar source, 8 bits. `literal_ok`: 255 takes a literal dword. */
static inline bool scalar_src(struct cursor *c, unsigned code, unsigned dwords, bool literal_ok,
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
    code = scalar_code(c, code);
    if ((code == GCN_NULL && !c->rdna) || (code > 208 && code < 235) || code == 239 || code == 249 ||
        code == 250 || code == 254)
        return false;
    *out = operand(GCN_OPND_SCALAR, code < 128 ? align_scalar(code, dwords) : code, dwords);
    return true;
}

/* Vector source, 9 bits: VGPRs from 256 on, below them the scalar sources. */
static inline bool vector_src(struct cursor *c, unsigned code, unsigned dwords, bool literal_ok,
                              struct gcn_operand *out)
{
    if (code >= 256 || !dwords) {
        *out = vgpr(code, dwords, false);
        return true;
    }
    return scalar_src(c, code, dwords, literal_ok, out);
}

/* VCC as a mask of lanes. */
static inline struct gcn_operand vcc(const struct cursor *c)
{
    return operand(GCN_OPND_SCALAR, GCN_VCC, gcn_mask_dwords(c->target));
}

/* Decodes the fields of one format. False: invalid, or cut off. */
typedef bool decode_fn(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in);

/* Formats that all encodings have, decode_alu.c. */
decode_fn gcn_decode_sop1, gcn_decode_sop2, gcn_decode_sopc, gcn_decode_sopk, gcn_decode_sopp;
decode_fn gcn_decode_vop1, gcn_decode_vop2, gcn_decode_vopc, gcn_decode_vop3, gcn_decode_vop3p;
/* The sources of VOP3 and VOP3P, from the second word. */
bool gcn_decode_vop3_sources(struct cursor *c, const struct gcn_slot *s, uint32_t w1, struct gcn_inst *in);

/* The scalar registers of SMEM, data and base, which all encodings have at the same places. */
bool gcn_smem_registers(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in);
/* DS, whose bit for GDS stands elsewhere in each encoding; `acc`: data are accumulation registers. */
bool gcn_decode_ds(struct cursor *c, const struct gcn_slot *s, bool gds, bool acc, struct gcn_inst *in);
/* The vector registers of FLAT, SCRATCH and GLOBAL, from the second word, once in->glc is known; `acc` as above. */
void gcn_flat_registers(const struct gcn_slot *s, uint32_t w1, unsigned address_dwords, bool acc,
                        struct gcn_inst *in);
/* What a buffer instruction does with its data. */
void gcn_buffer_data(const struct gcn_slot *s, struct gcn_operand data, struct gcn_inst *in);

/* MIMG of gfx10 and gfx11, VIMAGE and VSAMPLE of gfx12, decode_image.c. */
decode_fn gcn_decode_image, gcn_decode_vimage, gcn_decode_vsample;
/* gfx12: temporal hint and scope, in place of the bits glc, slc and dlc; decode_gfx12.c. */
void gcn_cache_policy(const struct gcn_slot *s, unsigned hint, unsigned scope, struct gcn_inst *in);

/* Which slot the words are of, and how the rest is read; slot NULL: none. */
struct choice {
    const struct gcn_slot *slot;
    decode_fn *decode;
    uint16_t opcode;
    uint8_t format;
};
/* Of the format that begins at `at` (AT_*). */
struct choice gcn_choose(const struct cursor *c, unsigned at, unsigned opcode, enum gcn_format format,
                         decode_fn *decode);
/* FLAT, SCRATCH or GLOBAL by the number of the segment. */
struct choice gcn_choose_flat(const struct cursor *c, uint32_t w, unsigned segment, decode_fn *decode);
/* The second operation of VOPD. */
bool gcn_decode_vopd_second(struct cursor *c, struct gcn_inst *in);
/* The formats from bit 31:30 = 11 on, which the encodings have each in its own way: SMEM, VOP3, memory. */
struct choice gcn_choose_gfx9(const struct cursor *c, uint32_t w);
struct choice gcn_choose_gfx10(const struct cursor *c, uint32_t w);
struct choice gcn_choose_gfx11(const struct cursor *c, uint32_t w);
struct choice gcn_choose_gfx12(const struct cursor *c, uint32_t w);

#endif
