/*
 * lanes.h - where machine code switches off all lanes but the lowest active one. Code generation does an
 * atomic whose address is the same in all lanes like this (LLVM's AMDGPUAtomicOptimizer): it counts the
 * active lanes below each lane, goes on only where there are none, and does one atomic for all. Pure: no I/O,
 * no global state.
 */
#ifndef JOIN_LANES_H
#define JOIN_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "join/machine/op/op.h"

/* Offsets are from the function's first instruction, bytes. */
struct ls_lanes_region {
    uint64_t start;   /* of the instruction that switches the lanes off, + 1; 0: no region */
    uint64_t counted; /* from here to there nothing may enter or leave, or `start` proves nothing */
    uint64_t behind;  /* the branch that ends the block of `start`, if there was one, goes on here */
    uint32_t mask;    /* as struct ls_isa_instruction.mask, of the instruction at start */
};

/* Starts as zeros. Of registers n is 0 where there are none. */
enum { LS_LANES_COPIES = 4 }; /* one to count in, one to switch on again, and what an outer condition keeps */
struct ls_lanes {
    struct ls_lanes_copy {
        struct ls_registers exec; /* scalar: a copy of the mask of active lanes */
        uint64_t at;
    } copies[LS_LANES_COPIES]; /* the last ones that were made */
    unsigned made;
    struct ls_registers low, rank; /* vector: active lanes below, of the lower 32 lanes, and of all */
    struct ls_registers lowest;    /* scalar: mask of the lanes whose rank is 0 */
    struct ls_registers fewer;     /* scalar: a part of the active lanes */
    bool fewer_is_lowest;          /* the lowest of them only */
    uint64_t counted;
    struct ls_lanes_region region;
    uint32_t counts; /* instructions that count active lanes */
    uint32_t epoch;  /* how often lanes were switched on or off so far */
};

/* Takes the next instruction of a function, in order, at `at`, of `size` bytes; `mask` as in struct
 * ls_lanes_region. Returns the region that it stands in. Whether there are other ways to it only the
 * function's blocks tell. */
struct ls_lanes_region ls_lanes_next(struct ls_lanes *x, const struct ls_op *op, uint64_t at, uint64_t size,
                                     uint32_t mask);

#endif
