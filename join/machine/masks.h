/*
 * masks.h - which instructions of a basic block have the same active lanes, where conditions have no branch:
 * code generation switches lanes off and on again, and what stands between is executed only if a lane is left.
 * Pure: no I/O, no global state.
 */
#ifndef JOIN_MASKS_H
#define JOIN_MASKS_H

#include <stdbool.h>
#include <stdint.h>
#include "join/machine/op/op.h"

/* A set of lanes has the number of the instruction that made it: its offset + 1. 0: the lanes with which the
 * block began, or those that joined them since. */
enum { LS_MASKS = 16, LS_MASKS_SAVED = 8 };
struct ls_masks {
    uint32_t now; /* the active lanes */
    struct {
        uint32_t set;
        uint32_t parent;  /* one of which it is a part */
        uint32_t without; /* a set that it lacks, and it alone */
    } sets[LS_MASKS];     /* the last ones that were made */
    unsigned made;
    struct ls_masks_saved {
        struct ls_registers r; /* r.n 0: nothing */
        uint32_t set;
        bool part; /* not the set, but lanes of it: those that will be switched on, or were switched off */
        bool rest; /* with part: what the active lanes lack of the set, or will lack */
    } saved[LS_MASKS_SAVED];
    unsigned last; /* saved */
};

/* Takes the next instruction of a function, in order, at offset `at`. Starts as zeros. */
void ls_masks_next(struct ls_masks *m, const struct ls_op *op, uint64_t at);

#endif
