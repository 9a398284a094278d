/*
 * slots.h - shape of the generated opcode tables (tables/slots*.inc) for the decoder and disasm.c.
 */
#ifndef GCN_SLOTS_H
#define GCN_SLOTS_H

#include <stdint.h>
#include "gcn.h"

enum {
    SLOT_SDST = 1u << 0,       /* VOP3B: a scalar destination in bits 14:8 */
    SLOT_COMPARE = 1u << 1,    /* the result is a lane mask: VCC, or the VOP3 destination field */
    SLOT_VCC_OUT = 1u << 2,    /* VOP2 with carry out */
    SLOT_VCC_IN = 1u << 3,     /* VOP2 with carry in or lane select */
    SLOT_DST_SCALAR = 1u << 4, /* v_readlane, v_readfirstlane */
    SLOT_ACCUMULATE = 1u << 5, /* the destination is also the addend */
    SLOT_LITERAL_MIDDLE = 1u << 6,
    SLOT_LITERAL_LAST = 1u << 7,
    SLOT_OFFSET2 = 1u << 8, /* DS with two 8-bit offsets */
    SLOT_ATOMIC = 1u << 9,
    SLOT_STORE = 1u << 10,
    SLOT_LOAD = 1u << 11,
    SLOT_TO_LDS = 1u << 12, /* global_load_lds, scratch_load_lds */
    SLOT_MAI = 1u << 13,
    SLOT_SDWA = 1u << 14,
    SLOT_DPP = 1u << 15,
    SLOT_DPP64 = 1u << 16, /* only row_newbcast */
    SLOT_FORMATS =
        1u << 17, /* matrix operands of several formats: cbsz and blgp say which, and so how wide */
    SLOT_NEGATES = 1u << 18, /* blgp means signs */
    SLOT_MASK_IN =
        1u << 19, /* VOP3: the last source is a mask of lanes; the table has its width with 32 lanes */
    /* gfx11: the operand is half a register, which the encoding chooses */
    SLOT_HALF_DST = 1u << 20,
    SLOT_HALF_SRC0 = 1u << 21,
    SLOT_HALF_SRC1 = 1u << 22,
    SLOT_HALF_SRC2 = 1u << 23,
    SLOT_BY_LANES =
        1u << 24, /* the result and the addend are a matrix of all lanes; widths are for 32 lanes */
    SLOT_BY_LANES_SRC0 = 1u << 25, /* and that source */
    SLOT_BY_LANES_SRC1 = 1u << 26,
    SLOT_PREFETCH = 1u << 27, /* SMEM: a length stands where the destination does */
};

/* One opcode of one format, on the GPUs of the mask. Widths in registers by field; 0: the field is unused.
 * The fields are, in order: src0, src1, src2 of the ALU formats; sbase of SMEM; addr, data0, data1 of DS;
 * data of FLAT is src[1]. */
struct gcn_slot {
    uint16_t op;
    uint16_t further; /* what it is on other GPUs: number of a further row; 0: nothing */
    uint32_t gpus;    /* enum ls_gpu_isa, several */
    uint8_t dst;
    uint8_t src[3];
    uint32_t flags;
};

/* The slot that an instruction was decoded from. NULL for an unknown one. */
const struct gcn_slot *gcn_slot_of(struct gcn_target target, const struct gcn_inst *in);

#endif
