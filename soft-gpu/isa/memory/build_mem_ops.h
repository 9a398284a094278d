/*
 * build_mem_ops.h - the load, store and atomic mnemonics that FLAT, GLOBAL, SCRATCH and MUBUF have in common.
 * X(suffix of the mnemonic, element or operation).
 */
#ifndef SOFT_GPU_ISA_BUILD_MEM_OPS_H
#define SOFT_GPU_ISA_BUILD_MEM_OPS_H

#include "mem_atomic_ops.h"

#define SG_LOAD_OPS(X)                                                                                       \
    X(LOAD_UBYTE, SG_ELEM_U8)                                                                                \
    X(LOAD_SBYTE, SG_ELEM_S8)                                                                                \
    X(LOAD_USHORT, SG_ELEM_U16)                                                                              \
    X(LOAD_SSHORT, SG_ELEM_S16)                                                                              \
    X(LOAD_DWORD, SG_ELEM_B32)                                                                               \
    X(LOAD_DWORDX2, SG_ELEM_B64)                                                                             \
    X(LOAD_DWORDX3, SG_ELEM_B96)                                                                             \
    X(LOAD_DWORDX4, SG_ELEM_B128)                                                                            \
    X(LOAD_UBYTE_D16, SG_ELEM_U8_LO)                                                                         \
    X(LOAD_UBYTE_D16_HI, SG_ELEM_U8_HI)                                                                      \
    X(LOAD_SBYTE_D16, SG_ELEM_S8_LO)                                                                         \
    X(LOAD_SBYTE_D16_HI, SG_ELEM_S8_HI)                                                                      \
    X(LOAD_SHORT_D16, SG_ELEM_B16_LO)                                                                        \
    X(LOAD_SHORT_D16_HI, SG_ELEM_B16_HI)
#define SG_STORE_OPS(X)                                                                                      \
    X(STORE_BYTE, SG_ELEM_U8)                                                                                \
    X(STORE_BYTE_D16_HI, SG_ELEM_U8_HI)                                                                      \
    X(STORE_SHORT, SG_ELEM_U16)                                                                              \
    X(STORE_SHORT_D16_HI, SG_ELEM_B16_HI)                                                                    \
    X(STORE_DWORD, SG_ELEM_B32)                                                                              \
    X(STORE_DWORDX2, SG_ELEM_B64)                                                                            \
    X(STORE_DWORDX3, SG_ELEM_B96)                                                                            \
    X(STORE_DWORDX4, SG_ELEM_B128)
#define SG_ATOMIC_OPS_32(X)                                                                                  \
    X(ATOMIC_SWAP, SG_ATOMIC_SWAP)                                                                           \
    X(ATOMIC_CMPSWAP, SG_ATOMIC_CMPSWAP)                                                                     \
    X(ATOMIC_ADD, SG_ATOMIC_ADD)                                                                             \
    X(ATOMIC_SUB, SG_ATOMIC_SUB)                                                                             \
    X(ATOMIC_SMIN, SG_ATOMIC_SMIN)                                                                           \
    X(ATOMIC_UMIN, SG_ATOMIC_UMIN)                                                                           \
    X(ATOMIC_SMAX, SG_ATOMIC_SMAX)                                                                           \
    X(ATOMIC_UMAX, SG_ATOMIC_UMAX)                                                                           \
    X(ATOMIC_AND, SG_ATOMIC_AND)                                                                             \
    X(ATOMIC_OR, SG_ATOMIC_OR)                                                                               \
    X(ATOMIC_XOR, SG_ATOMIC_XOR)                                                                             \
    X(ATOMIC_INC, SG_ATOMIC_INC)                                                                             \
    X(ATOMIC_DEC, SG_ATOMIC_DEC)                                                                             \
    X(ATOMIC_ADD_F32, SG_ATOMIC_FADD)                                                                        \
    X(ATOMIC_PK_ADD_F16, SG_ATOMIC_PK_ADD_F16)                                                               \
    X(ATOMIC_PK_ADD_BF16, SG_ATOMIC_PK_ADD_BF16)                                                             \
    X(ATOMIC_FMIN, SG_ATOMIC_FMIN)                                                                           \
    X(ATOMIC_FMAX, SG_ATOMIC_FMAX)                                                                           \
    X(ATOMIC_FCMPSWAP, SG_ATOMIC_CMPSWAP_F)                                                                  \
    X(ATOMIC_CSUB, SG_ATOMIC_CSUB)                                                                           \
    X(ATOMIC_COND_SUB_U32, SG_ATOMIC_COND_SUB)                                                               \
    X(ATOMIC_MIN_NUM_F32, SG_ATOMIC_MIN_NUM)                                                                 \
    X(ATOMIC_MAX_NUM_F32, SG_ATOMIC_MAX_NUM)
#define SG_ATOMIC_OPS_64(X)                                                                                  \
    X(ATOMIC_SWAP_X2, SG_ATOMIC_SWAP)                                                                        \
    X(ATOMIC_CMPSWAP_X2, SG_ATOMIC_CMPSWAP)                                                                  \
    X(ATOMIC_ADD_X2, SG_ATOMIC_ADD)                                                                          \
    X(ATOMIC_SUB_X2, SG_ATOMIC_SUB)                                                                          \
    X(ATOMIC_SMIN_X2, SG_ATOMIC_SMIN)                                                                        \
    X(ATOMIC_UMIN_X2, SG_ATOMIC_UMIN)                                                                        \
    X(ATOMIC_SMAX_X2, SG_ATOMIC_SMAX)                                                                        \
    X(ATOMIC_UMAX_X2, SG_ATOMIC_UMAX)                                                                        \
    X(ATOMIC_AND_X2, SG_ATOMIC_AND)                                                                          \
    X(ATOMIC_OR_X2, SG_ATOMIC_OR)                                                                            \
    X(ATOMIC_XOR_X2, SG_ATOMIC_XOR)                                                                          \
    X(ATOMIC_INC_X2, SG_ATOMIC_INC)                                                                          \
    X(ATOMIC_DEC_X2, SG_ATOMIC_DEC)                                                                          \
    X(ATOMIC_ADD_F64, SG_ATOMIC_FADD)                                                                        \
    X(ATOMIC_MIN_F64, SG_ATOMIC_FMIN)                                                                        \
    X(ATOMIC_MAX_F64, SG_ATOMIC_FMAX)                                                                        \
    X(ATOMIC_FMIN_X2, SG_ATOMIC_FMIN)                                                                        \
    X(ATOMIC_FMAX_X2, SG_ATOMIC_FMAX)                                                                        \
    X(ATOMIC_FCMPSWAP_X2, SG_ATOMIC_CMPSWAP_F)

enum sg_mem_action { SG_DO_LOAD, SG_DO_STORE, SG_DO_ATOMIC, SG_DO_TO_LDS };

struct sg_mem_op {
    enum sg_mem_action action;
    unsigned what; /* enum sg_mem_elem, or enum sg_atomic_op for SG_DO_ATOMIC */
    bool wide;     /* 64-bit atomic */
};

/* Appends an access whose address fields in *m are complete, with what goes with it: the log, and for "lds"
 * loads the copy into LDS. False when there is no handler; then nothing was appended. */
bool sg_emit_vector_access(struct sg_builder *b, const struct gcn_inst *in, const struct sg_mem_op *op,
                           struct sg_mem_uop *m);

#endif
