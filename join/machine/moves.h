/*
 * moves.h - which loads filled the registers that a store writes out: what a copy loads it stores, and nothing happens to it
 * between. Pure: no I/O, no global state.
 */
#ifndef JOIN_MOVES_H
#define JOIN_MOVES_H

#include <stdint.h>
#include "join/machine/op/op.h"

enum { LS_MOVED_DWORDS = 4 }; /* of one instruction, at most */

/* Where each dword that a store writes comes from: number of the load, plus 1 (0: not known), and the how manieth of those that
 * it fills. */
struct ls_moved {
    uint32_t load[LS_MOVED_DWORDS];
    uint8_t dword[LS_MOVED_DWORDS];
};

struct ls_moves {
    struct ls_moves_in {
        uint32_t load;
        uint8_t dword;
    } in[2][LS_REGISTERS]; /* vector and accumulation registers */
};

/* Takes the next instruction of a function, in order; of a memory instruction `number` is its own. The struct starts as zeros. */
struct ls_moved ls_moves_next(struct ls_moves *m, const struct ls_op *op, uint32_t number);

/* A basic block begins: whoever came here another way may have loaded other things. */
void ls_moves_block(struct ls_moves *m);

#endif
