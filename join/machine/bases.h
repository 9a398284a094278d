/*
 * bases.h - which memory instructions take their address from the same registers while these hold the same
 * values: they lie apart what their immediate offsets say. Pure: no I/O, no global state.
 */
#ifndef JOIN_BASES_H
#define JOIN_BASES_H

#include <stdbool.h>
#include <stdint.h>
#include "join/machine/op/op.h"
#include "wide.h"

struct ls_bases {
    uint32_t contents[LS_FILES][LS_REGISTERS]; /* number of the write; 0: none */
    int32_t shift[LS_FILES][LS_REGISTERS]; /* the register holds this more than what its number stands for */
    bool derived[LS_FILES][LS_REGISTERS];  /* computed from others, vector registers in the active lanes of a
                                             moment */
    uint32_t zero[LS_FILES][LS_REGISTERS]; /* bits that are 0 in the active lanes of a moment, see bits.h */
    bool changed[LS_REGISTERS];            /* scalar registers that were written */
    /* Of vector registers: the block that writes them, from ls_bases_expect (0: none; LS_BASES_SEVERAL), the moment
     * of the last write, and whether what it derived from others holds in all later blocks, too. */
    uint32_t block[LS_REGISTERS];
    uint32_t when[LS_REGISTERS], moment; /* a moment ends where a block begins or exec changes */
    bool lasts[LS_REGISTERS];
    bool expected; /* the blocks are known */
    struct ls_wide wide;
    uint32_t writes;
    uint32_t clobbers; /* instructions after which no register is known */
};

/* What an instruction takes its address from. */
struct ls_base {
    uint64_t number; /* two loads or stores in one basic block have it in common only if their address
                        registers, and what is in them, are the same; 0: no load or store, or not known */
    /* the same, but for constants that were added to the registers of an LDS address, or of one of 64 bits */
    uint64_t root;
    int32_t shift; /* the sum of these, in bytes */
    /* the same of the address's lower 32 bits alone, however it is made up: of registers of 64 bits, or of some of 32 bits
     * that are added to these. Where one is known to lie near another, it tells how far. 0: not known */
    uint64_t low;
    int32_t low_shift;
};

/* Takes the next instruction of a function, in order. The struct starts as zeros. */
struct ls_base ls_bases_next(struct ls_bases *b, const struct ls_op *op);

/* Before all others: each instruction of a kernel, with the number of its basic block, from 1. So it is known which
 * registers one block alone writes. After the last one `expected` has to be set. */
enum { LS_BASES_SEVERAL = 0xffffffff };
void ls_bases_expect(struct ls_bases *b, const struct ls_op *op, uint32_t block);

/* A basic block begins: whoever came here another way may have computed other things. */
void ls_bases_block(struct ls_bases *b);

/* Whether a scalar load, the next instruction, takes its address from scalar registers below number `end`
 * that still hold what the kernel started with. */
bool ls_bases_input(const struct ls_bases *b, const struct ls_op *op, unsigned end);

#endif
