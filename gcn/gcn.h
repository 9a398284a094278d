/*
 * gcn.h - machine code of AMD's compute GPUs: instruction words to one decoded instruction that does not
 * depend on a GPU's opcode numbers, its text, what it reads and writes, and what kind of instruction it is.
 * Everything that asks of instructions asks here: the software GPU, the join, the analyses. Pure: no I/O, no
 * state; any thread.
 */
#ifndef GCN_GCN_H
#define GCN_GCN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gpus/gpus.h"

/* ---- GPUs ---- */

/* What code is for. The wavefront size says how wide masks of lanes are: one scalar register or a pair. */
struct gcn_target {
    const struct ls_gpu *gpu; /* one whose instructions are decoded here: gpu->isa is not LS_GPU_ISA_NONE */
    uint32_t lanes;           /* of a wavefront */
};

/* Target of a GPU's name ("gfx90a"; what follows a ':' does not count) with the wavefront size that its code
 * has when nothing else says so. False: there is no decoder for it. */
bool gcn_target_find(const char *name, struct gcn_target *out);
/* The same of a GPU in the table. */
static inline struct gcn_target gcn_target_of(const struct ls_gpu *gpu)
{
    return (struct gcn_target){gpu, gpu->family->lanes};
}
/* Scalar registers that hold one bit per lane. */
static inline unsigned gcn_mask_dwords(struct gcn_target t)
{
    return t.lanes / 32;
}

/* ---- Operations ---- */

/* One per mnemonic without the suffix of its encoding: GCN_OP_V_ADD_F32. */
enum gcn_op {
    GCN_OP_INVALID,
#define OP(ID, NAME, UNIT, ACCESS, BYTES, FLAGS) ID,
#include "tables/ops.inc"
#undef OP
    GCN_OP_COUNT
};

/* What executes an instruction. */
enum gcn_unit {
    GCN_UNIT_SALU,
    GCN_UNIT_SMEM, /* scalar memory, caches and counters behind it */
    GCN_UNIT_BRANCH,
    GCN_UNIT_WAIT,  /* waits, barriers, hints of when to go on */
    GCN_UNIT_SLEEP, /* waits for a time, in which others run */
    GCN_UNIT_OTHER, /* messages, traps */
    GCN_UNIT_VALU,
    GCN_UNIT_MATRIX,
    GCN_UNIT_LDS, /* DS instructions: memory of the work-group, exchange of lanes, global wave sync */
    GCN_UNIT_FLAT,
    GCN_UNIT_GLOBAL,
    GCN_UNIT_SCRATCH,
    GCN_UNIT_BUFFER, /* and typed buffers */
    GCN_UNIT_IMAGE,
};

enum gcn_access { GCN_ACCESS_NONE, GCN_ACCESS_LOAD, GCN_ACCESS_STORE, GCN_ACCESS_ATOMIC };

/* Flags of traits. What stands in operands is not repeated here: an s_mov to exec has no WRITES_EXEC. */
enum {
    GCN_READS_SCC = 1u << 0,
    GCN_WRITES_SCC = 1u << 1,
    GCN_READS_EXEC =
        1u << 2, /* as a value; all but IGNORES_EXEC vector and memory instructions have it as mask */
    GCN_WRITES_EXEC = 1u << 3,
    GCN_READS_VCC = 1u << 4, /* without naming it */
    GCN_READS_M0 = 1u << 5,
    GCN_WRITES_M0 = 1u << 6,
    GCN_WRITES_MODE = 1u << 7, /* state that changes how later instructions work */
    GCN_INDEXES =
        1u << 8, /* which registers it, or what follows it, reads or writes is not in the operands */

    GCN_ENDS = 1u << 9,         /* ends the wavefront */
    GCN_LEAVES = 1u << 10,      /* another program goes on: trap handler, debugger */
    GCN_JUMPS = 1u << 11,       /* to gcn_branch_target() */
    GCN_CONDITIONAL = 1u << 12, /* or not, and then to the next instruction */
    GCN_INDIRECT = 1u << 13,    /* to where a register says */
    GCN_CALLS = 1u << 14,       /* the destination is where to return to */
    GCN_FORKS = 1u << 15,       /* the hardware's own stack of masks */

    GCN_COMPUTES = 1u << 16, /* all that it does is to compute its destinations (and SCC) from its operands */
    GCN_CROSSES = 1u << 17,  /* a lane's result depends on operands of other lanes */
    GCN_IGNORES_EXEC = 1u << 18, /* done by all lanes */
    GCN_KEEPS = 1u << 19,        /* a part of the destination may stay as it was, in active lanes, too */
    GCN_COMPARES = 1u << 20,     /* the result is a mask of lanes; of atomics: they swap what is equal */
    GCN_SWAPS = 1u << 21,        /* writes its source as well */

    GCN_PAIR = 1u << 22,       /* two accesses, of `bytes` each */
    GCN_STRIDE64 = 1u << 23,   /* their offsets count 64 elements */
    GCN_IDEMPOTENT = 1u << 24, /* done again with the same operands it changes nothing */
    GCN_WHOLE_WAVE = 1u << 25, /* one access for all lanes, not one for each */
    GCN_TO_LDS = 1u << 26,     /* loads into LDS, not into a register */
    GCN_GWS = 1u << 27,        /* global wave sync */
    GCN_CACHES = 1u << 28,     /* writes back or invalidates caches */
    GCN_READS_TIME = 1u << 29,
    GCN_ACCUMULATES = 1u << 30, /* reads its destination, which is not among src[] */
    GCN_CONVERTS = 1u << 31,    /* the register does not begin with the bytes in memory, followed by zeros */
};

struct gcn_traits {
    uint8_t unit;   /* enum gcn_unit */
    uint8_t access; /* enum gcn_access */
    uint8_t bytes;  /* of one access of a lane, in scalar instructions of the wavefront; 0: none, or the
                       resource says. Of the vector ALU: 2, the result has 16 bits */
    uint32_t flags; /* GCN_* */
};

/* "v_add_f32" for an enum gcn_op. Static text, never NULL. */
const char *gcn_op_name(unsigned op);
/* Traits of an enum gcn_op. Never NULL. */
const struct gcn_traits *gcn_traits(unsigned op);
/* What an image instruction's address has, in the order in which its registers follow each other, and what it does with
 * it ("RDNA2 Instruction Set Architecture", "Image Addressing"). All 0 for other instructions. */
enum {
    GCN_IMAGE_OFFSET = 1u << 0,
    GCN_IMAGE_BIAS = 1u << 1, /* of the mip level */
    GCN_IMAGE_COMPARE = 1u << 2,
    GCN_IMAGE_GRADIENTS = 1u << 3,
    GCN_IMAGE_HALF_GRADIENTS = 1u << 4, /* GRADIENTS are of 16 bits each */
    GCN_IMAGE_COORDINATES = 1u << 5,
    GCN_IMAGE_LEVEL = 1u << 6, /* a mip level, of "_cl" the smallest one */
    GCN_IMAGE_SAMPLER = 1u << 7,
    GCN_IMAGE_GATHERS = 1u << 8, /* four texels, of the one component that the mask names */
    GCN_IMAGE_RAY = 1u << 9,     /* against a tree of boxes: no image at all */
};
/* GCN_IMAGE_* of an enum gcn_op. */
uint32_t gcn_image_form(unsigned op);
/* All of `flags` are set. */
static inline bool gcn_has(unsigned op, uint32_t flags)
{
    return (gcn_traits(op)->flags & flags) == flags;
}

/* ---- Instructions ---- */

enum gcn_format {
    GCN_FMT_SOP2,
    GCN_FMT_SOPK,
    GCN_FMT_SOP1,
    GCN_FMT_SOPC,
    GCN_FMT_SOPP,
    GCN_FMT_SMEM,
    GCN_FMT_VOP2,
    GCN_FMT_VOP1,
    GCN_FMT_VOPC,
    GCN_FMT_VOP3,
    GCN_FMT_VOP3P,
    GCN_FMT_MAI,
    GCN_FMT_DS,
    GCN_FMT_FLAT,
    GCN_FMT_GLOBAL,
    GCN_FMT_SCRATCH,
    GCN_FMT_MUBUF,
    GCN_FMT_MTBUF,
    GCN_FMT_MIMG,
    GCN_FMT_VOP3PX, /* gfx950: MFMA with scale operands, 16 bytes; `op` is V_MFMA_SCALE_... */
    GCN_FMT_VOPD,   /* gfx11: two operations at once; this is the first, gcn_second() gives the other */
};

enum gcn_operand_kind {
    GCN_OPND_NONE,
    GCN_OPND_VGPR,   /* index 0..255 */
    GCN_OPND_AGPR,   /* index 0..255 */
    GCN_OPND_SCALAR, /* index = 8-bit scalar source encoding: 0..127 registers (106/107 VCC, 124 M0, 125 NULL,
                        126/127 EXEC),  128..208 and 240..248 inline constants, 235..238 apertures, 251 vccz, 252
                        execz,  253 scc */
    GCN_OPND_LITERAL, /* `literal` holds the 32-bit literal */
};

struct gcn_operand {
    uint8_t kind;   /* enum gcn_operand_kind */
    uint8_t dwords; /* width of the operand in registers, from the generated table (1 for 16-bit) */
    uint16_t index;
    uint32_t literal;
};

enum {
    GCN_SDWA_BYTE0,
    GCN_SDWA_BYTE1,
    GCN_SDWA_BYTE2,
    GCN_SDWA_BYTE3,
    GCN_SDWA_WORD0,
    GCN_SDWA_WORD1,
    GCN_SDWA_DWORD
};

/* Which dimensions the coordinates of an image instruction of gfx10 on have. */
enum gcn_dim {
    GCN_DIM_1D,
    GCN_DIM_2D,
    GCN_DIM_3D,
    GCN_DIM_CUBE,
    GCN_DIM_1D_ARRAY,
    GCN_DIM_2D_ARRAY,
    GCN_DIM_2D_MSAA,
    GCN_DIM_2D_MSAA_ARRAY,
};
enum { GCN_WORDS = 5 };       /* of the longest instruction: an image's of gfx10 */
enum { GCN_IMAGE_RUNS = 13 }; /* registers that the words of an instruction can name one by one */

struct gcn_inst {
    uint16_t op; /* enum gcn_op */
    /* enum gcn_format: the encoding it came in. A VOP2 op in VOP3 encoding has GCN_FMT_VOP3 */
    uint8_t format;
    uint8_t bytes;   /* 4, 8, 12, 16 or 20 */
    uint16_t opcode; /* as encoded */
    uint64_t pc;     /* GPU address */
    uint32_t words[GCN_WORDS];

    /* dst: vdst, sdst of scalar formats, vdata of loads. sdst: second (scalar) destination: VOPC result (VCC
     * or the VOP3 sdst), carry out of VOP2/VOP3B. src[2] of VOP2 with carry in (addc, cndmask) is VCC, made
     * explicit. For v_fmac/v_mac the accumulator is src[2] = dst, made explicit.
     * v_fmamk/v_madmk/v_fmaak/v_madak: literal explicit at its place in src[]. */
    struct gcn_operand dst, sdst, src[5]; /* src[3], src[4]: scales of VOP3PX */
    uint8_t n_src;

    /* VOP3 and VOP3P modifiers. */
    uint8_t abs, neg; /* bit i: src[i]; for VOP3P neg = neg_lo */
    uint8_t neg_hi;   /* VOP3P */
    /* bit i: src[i]; op_sel bit 3: destination half. On gfx11 VOP1, VOP2 and VOPC have op_sel, too: bit 7 of a
     * 16-bit operand's number says which half */
    uint8_t op_sel, op_sel_hi;
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
        bool fetch_inactive; /* gfx10: sources of lanes that are not active count, too */
        bool eight;          /* DPP8: `lanes` instead of ctrl and masks */
        uint32_t lanes;      /* DPP8: 3 bits for each of 8 lanes: whose value it takes */
    } dpp;

    /* Memory and scalar formats. */
    int32_t offset; /* sign-extended immediate offset; DS: offset0 | offset1 << 8 for the "2" forms */
    uint8_t offset0, offset1; /* DS */
    struct gcn_operand addr;  /* vaddr (FLAT, GLOBAL, SCRATCH, MUBUF, DS; MIMG: its first register) */
    /* MIMG of gfx10 on: the address by the runs of registers that hold it, `addr` being the first of them. Its length
     * follows from operation, `dim` and A16; a run less than that says that the words have too few. */
    uint8_t n_runs;
    struct {
        uint8_t first, count;
    } run[GCN_IMAGE_RUNS];
    uint8_t dim; /* enum gcn_dim */
    /* vdata of stores and atomics; DS data0, data1, of compare-and-swap the value to compare with first, as up
     * to gfx10 */
    struct gcn_operand data[2];
    struct gcn_operand saddr;        /* scalar base (GLOBAL, SCRATCH, SMEM sbase, srsrc); NONE when "off" */
    struct gcn_operand soffset;      /* MUBUF, SMEM; MIMG: the sampler S# */
    bool glc, slc, dlc, scc_bit, nt; /* cache bits; glc (sc0 on gfx942) on an atomic: returns the old value */
    uint8_t th,
        scope; /* gfx12 in place of them: temporal hint, scope; glc is set as above, scc_bit from scope DEV on */
    bool offen, idxen, lds; /* MUBUF */
    int32_t simm16; /* SOPP, SOPK: sign-extended; s_sendmsg_rtn: message; MIMG: dmask; s_prefetch: length */
    uint32_t flags; /* GCN_INST_* */
};

enum {
    GCN_INST_GDS = 1u << 0,          /* DS with the gds bit */
    GCN_INST_SOFFSET_ONLY = 1u << 1, /* SMEM without an immediate: the offset is the register alone */
    GCN_INST_UNRM = 1u << 2,         /* MIMG */
    GCN_INST_DA = 1u << 3,
    GCN_INST_A16 = 1u << 4,
    GCN_INST_LWE = 1u << 5,
    GCN_INST_D16 = 1u << 6,
    GCN_INST_TFE = 1u << 7,  /* MUBUF, MTBUF, MIMG: one register more, for the status of the access */
    GCN_INST_R128 = 1u << 8, /* MIMG: the resource has 128 bits */
};

/* Registers that the address of an image instruction of gfx10 on has, and how many of them come before the coordinates. */
unsigned gcn_image_address(const struct gcn_inst *in);
unsigned gcn_image_leading(const struct gcn_inst *in);
/* Decodes at most `dwords` words at `words`, the code at address `pc`. Returns bytes consumed, or 0 when the
 * encoding is invalid on that target or cut off. */
unsigned gcn_decode(struct gcn_target target, const uint32_t *words, unsigned dwords, uint64_t pc,
                    struct gcn_inst *out);
/* The other operation of an instruction with GCN_FMT_VOPD, as an instruction of the same words; both read their sources
 * before either writes. False for all others. `in` was decoded for `target`. */
bool gcn_second(struct gcn_target target, const struct gcn_inst *in, struct gcn_inst *out);
/* Writes one instruction into `text`, of `size` bytes, as LLVM's assembler writes it; a word that is none
 * becomes
 * ".long 0x...". Returns its size in bytes (4 for .long), 0 when there are no words. */
unsigned gcn_disassemble(struct gcn_target target, const uint32_t *words, unsigned dwords, uint64_t pc,
                         char *text, unsigned size);
/* The word of s_endpgm. */
uint32_t gcn_end_word(struct gcn_target target);
/* Address that an instruction with GCN_JUMPS goes to: the dwords behind it are counted ("AMD Instinct MI200
 * ISA", section SOPP). */
static inline uint64_t gcn_branch_target(const struct gcn_inst *in)
{
    return in->pc + 4 + (uint64_t)((int64_t)in->simm16 * 4);
}

/* ---- What an instruction reads and writes ---- */

enum gcn_file {
    GCN_FILE_SCALAR, /* by number: 0..101 SGPRs, 102..105 flat_scratch and xnack_mask (gfx10: SGPRs), 106
                        VCC, 124 M0, 126 EXEC; never NULL */
    GCN_FILE_VGPR,
    GCN_FILE_AGPR,
    GCN_FILE_SCC, /* one, number 0 */
};
/* NULL, on gfx10 and later, reads as 0 and takes no write. */
enum { GCN_VCC = 106, GCN_M0 = 124, GCN_NULL = 125, GCN_EXEC = 126 };

struct gcn_span {
    uint8_t file; /* enum gcn_file */
    uint8_t count;
    uint16_t first;
};

enum { GCN_SPANS = GCN_IMAGE_RUNS + 3 }; /* an image's address, data, resource and sampler */
struct gcn_effects {
    struct gcn_span read[GCN_SPANS], written[GCN_SPANS];
    uint8_t n_read, n_written;
    bool masked; /* only active lanes of the vector registers are written */
    bool keeps;  /* a part of a written register may stay as it was in these, too */
};

/* Registers that the instruction reads and writes, named or not. Not among them: EXEC as the mask under which
 * vector instructions work, MODE, FLAT_SCRATCH, and what GCN_INDEXES and GCN_CALLS leave open. Of an image's
 * address on gfx9, whose length the resource says, all registers that it may have. */
void gcn_effects(struct gcn_target target, const struct gcn_inst *in, struct gcn_effects *out);
/* Whether the instruction writes EXEC, named or not; *narrows: all lanes that are active then were so before. */
bool gcn_writes_exec(struct gcn_target target, const struct gcn_inst *in, bool *narrows);

#endif
