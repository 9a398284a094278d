/*
 * lanes.h - where machine code switches off all lanes but the lowest active one. Code generation does an
 * atomic whose address is the same in all lanes like this (LLVM's AMDGPUAtomicOptimizer): it counts the
 * active lanes below each lane, goes on only where there are none, and does one atomic for all. Pure: no I/O,
 * no global state.
 */
#ifndef HSA_PLUGIN_LANES_H
#define HSA_PLUGIN_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets are from the function's first instruction, bytes. */
struct ls_lanes_region {
    uint64_t start;   /* of the instruction that switches the lanes off, + 1; 0: no region */
    uint64_t counted; /* from here to there nothing may enter or leave, or `start` proves nothing */
    uint64_t behind;  /* the branch that ends the block of `start`, if there was one, goes on here */
    uint32_t mask;    /* as struct ls_isa_instruction.mask, of the instruction at start */
};

/* Starts as zeros. A register's number is kept plus 1, for 0 means that there is none. */
struct ls_lanes {
    uint32_t exec;        /* scalar pair: a copy of the mask of active lanes */
    uint32_t low, rank;   /* vector registers: active lanes below, of the lower 32 lanes, and of all */
    uint32_t lowest;      /* scalar pair: mask of the lanes whose rank is 0; ~0: vcc */
    uint32_t fewer;       /* scalar pair: a part of the active lanes; ~0: vcc */
    bool fewer_is_lowest; /* the lowest of them only */
    uint64_t copied, counted;
    struct ls_lanes_region region;
    uint32_t counts; /* instructions that count active lanes */
    uint32_t epoch;  /* how often lanes were switched on or off so far */
};

/* Whether the next instruction switches some of the active lanes off, and none on. Call before ls_lanes_next.
 */
bool ls_lanes_narrows(const struct ls_lanes *x, const char *text);
/* Takes the next instruction of a function (text of the disassembler), in order, at `at`, of `size` bytes;
 * `mask` as in struct ls_lanes_region. Returns the region that it stands in. Whether there are other ways to
 * it only the function's blocks tell. */
struct ls_lanes_region ls_lanes_next(struct ls_lanes *x, const char *text, uint64_t at, uint64_t size,
                                     uint32_t mask);

#endif
