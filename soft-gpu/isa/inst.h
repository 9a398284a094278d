/*
 * inst.h - one decoded instruction, independent of the target's opcode numbers. Filled by decode.c from the
 * generated tables; read by the builders (build_salu.c, build_valu.c, build_mem.c) that turn it into
 * micro-operations.
 */
#ifndef SOFT_GPU_ISA_INST_H
#define SOFT_GPU_ISA_INST_H

#include <stdbool.h>
#include <stdint.h>
#include "tables/ops.h" /* generated: enum sg_op { SG_OP_INVALID, SG_OP_S_ADD_U32, ... }, one per base mnemonic */

enum sg_format {
    SG_FMT_SOP2,
    SG_FMT_SOPK,
    SG_FMT_SOP1,
    SG_FMT_SOPC,
    SG_FMT_SOPP,
    SG_FMT_SMEM,
    SG_FMT_VOP2,
    SG_FMT_VOP1,
    SG_FMT_VOPC,
    SG_FMT_VOP3,
    SG_FMT_VOP3P,
    SG_FMT_MAI,
    SG_FMT_DS,
    SG_FMT_FLAT,
    SG_FMT_GLOBAL,
    SG_FMT_SCRATCH,
    SG_FMT_MUBUF,
    SG_FMT_MTBUF,
    SG_FMT_MIMG,
    SG_FMT_VOP3PX, /* gfx950: MFMA with scale operands, 16 bytes; `op` is V_MFMA_SCALE_... */
};

enum sg_operand_kind {
    SG_OPND_NONE,
    SG_OPND_VGPR,    /* index 0..255 */
    SG_OPND_AGPR,    /* index 0..255 */
    SG_OPND_SCALAR,  /* index = 8-bit scalar source encoding: 0..127 registers (106/107 VCC, 124 M0, 126/127
                        EXEC),  128..208 and 240..248 inline constants, 235..238 apertures, 251 vccz, 252
                        execz,  253 scc */
    SG_OPND_LITERAL, /* `literal` holds the 32-bit literal */
};

struct sg_operand {
    uint8_t kind;   /* enum sg_operand_kind */
    uint8_t dwords; /* width of the operand in registers, from the generated table (1 for 16-bit) */
    uint16_t index;
    uint32_t literal;
};

enum {
    SG_SDWA_BYTE0,
    SG_SDWA_BYTE1,
    SG_SDWA_BYTE2,
    SG_SDWA_BYTE3,
    SG_SDWA_WORD0,
    SG_SDWA_WORD1,
    SG_SDWA_DWORD
};

struct sg_inst {
    uint16_t op;     /* enum sg_op */
    uint8_t format;  /* enum sg_format: the encoding it came in. A VOP2 op in VOP3 encoding has SG_FMT_VOP3 */
    uint8_t bytes;   /* 4, 8, 12 or 16 */
    uint16_t opcode; /* as encoded */
    uint64_t pc;     /* GPU address */
    uint32_t words[4];

    /* dst: vdst, sdst of scalar formats, vdata of loads. sdst: second (scalar) destination: VOPC result (VCC
     * or the VOP3 sdst), carry out of VOP2/VOP3B. src[2] of VOP2 with carry in (addc, cndmask) is VCC, made
     * explicit. For v_fmac/v_mac the accumulator is src[2] = dst, made explicit.
     * v_fmamk/v_madmk/v_fmaak/v_madak: literal explicit at its place in src[]. */
    struct sg_operand dst, sdst, src[5]; /* src[3], src[4]: scales of VOP3PX */
    uint8_t n_src;

    /* VOP3 and VOP3P modifiers. */
    uint8_t abs, neg;          /* bit i: src[i]; for VOP3P neg = neg_lo */
    uint8_t neg_hi;            /* VOP3P */
    uint8_t op_sel, op_sel_hi; /* bit i: src[i]; op_sel bit 3: destination half */
    bool clamp;
    uint8_t omod;             /* 0 none, 1 *2, 2 *4, 3 /2 */
    uint8_t cbsz, abid, blgp; /* MAI */

    bool has_sdwa;
    struct {
        uint8_t src_sel[2], dst_sel, dst_unused; /* dst_unused: 0 pad, 1 sext, 2 preserve */
        bool sext[2];
    } sdwa; /* neg and abs of SDWA stand in neg/abs above; SGPR sources are resolved into src[] */

    bool has_dpp;
    struct {
        uint16_t ctrl;
        uint8_t row_mask, bank_mask;
        bool bound_ctrl;
    } dpp;

    /* Memory and scalar formats. */
    int32_t offset; /* sign-extended immediate offset; DS: offset0 | offset1 << 8 for the "2" forms */
    uint8_t offset0, offset1;   /* DS */
    struct sg_operand addr;     /* vaddr (FLAT, GLOBAL, SCRATCH, MUBUF, DS; MIMG: its first register) */
    struct sg_operand data[2];  /* vdata of stores and atomics; DS data0, data1 */
    struct sg_operand saddr;    /* scalar base (GLOBAL, SCRATCH, SMEM sbase, srsrc); NONE when "off" */
    struct sg_operand soffset;  /* MUBUF, SMEM; MIMG: the sampler S# */
    bool glc, slc, scc_bit, nt; /* cache bits; glc (sc0 on gfx942) on an atomic: returns the old value */
    bool offen, idxen, lds;     /* MUBUF */
    int32_t simm16;             /* SOPP, SOPK: sign-extended; MIMG: dmask */
    uint32_t flags;             /* SG_INST_* */
};

enum {
    SG_INST_GDS = 1u << 0,          /* DS with the gds bit */
    SG_INST_SOFFSET_ONLY = 1u << 1, /* SMEM without an immediate: the offset is the register alone */
    SG_INST_UNRM = 1u << 2,         /* MIMG */
    SG_INST_DA = 1u << 3,
    SG_INST_A16 = 1u << 4,
    SG_INST_LWE = 1u << 5,
    SG_INST_D16 = 1u << 6,
};

struct sg_arch;
/* Decodes at most `dwords` words at `words` (the code at GPU address `pc`). Returns bytes consumed, or 0 when
 * the encoding is invalid on that target or cut off. Pure function. */
unsigned sg_decode(const struct sg_arch *arch, const uint32_t *words, unsigned dwords, uint64_t pc,
                   struct sg_inst *out);
/* "v_add_f32" for an enum sg_op. Static text, never NULL. */
const char *sg_op_name(unsigned op);

#endif
