/*
 * calls.h - where calls go whose address the code computes itself, from the program counter and constants. Pure:
 * no I/O, no state of its own.
 */
#ifndef JOIN_CALLS_H
#define JOIN_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include "gcn/gcn.h"

enum { LS_CALLS_REGISTERS = 102 }; /* scalar ones that can be allocated: s0 to s101 */

/* What is known of scalar registers. Starts as zeros, for each function anew. */
struct ls_calls {
    uint32_t value[LS_CALLS_REGISTERS];
    bool known[LS_CALLS_REGISTERS];
    bool carry, carry_known; /* SCC, of a sum */
};

enum ls_call {
    LS_CALL_NONE, /* it is no call, or returns */
    LS_CALL_TO,   /* to an address that is known: a call, or a jump that may leave the function */
    LS_CALL_ANYWHERE,
};

/* Where several ways meet nothing is known. */
void ls_calls_label(struct ls_calls *c);
/* The next instruction. *to: the address, with LS_CALL_TO. kernel: a kernel, which has nowhere to return to. */
enum ls_call ls_calls_next(struct ls_calls *c, struct gcn_target target, const struct gcn_inst *in,
                           bool kernel, uint64_t *to);

#endif
