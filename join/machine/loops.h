/*
 * loops.h - how many loops surround each instruction of a function's machine code. Pure: no I/O, no global
 * state.
 */
#ifndef JOIN_LOOPS_H
#define JOIN_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction that may go on elsewhere than behind itself. Offsets from the function's start, bytes. */
struct ls_branch {
    uint64_t at, next; /* of the instruction, and of the one behind it */
    uint64_t target;   /* when `jumps` */
    bool jumps;
    bool falls; /* may go on with the next instruction */
};

struct ls_loops; /* basic blocks with their depths */

/* branches by rising offset; a function of `size` bytes. NULL when out of memory. */
struct ls_loops *ls_loops_find(const struct ls_branch *branches, size_t n, uint64_t size);
/* To be called once before ls_loops_barriers: at[n] are the offsets of the barriers, rising. -1: out of
 * memory. */
int ls_loops_find_barriers(struct ls_loops *l, const uint64_t *at, size_t n);
uint32_t ls_loops_at(const struct ls_loops *l, uint64_t offset);
/* Number of the first block that is executed as often as the one of that offset;
 * 0: as often as the function. */
uint32_t ls_loops_together(const struct ls_loops *l, uint64_t offset);
/* Number of the basic block. */
uint32_t ls_loops_block(const struct ls_loops *l, uint64_t offset);
/* The fewest barriers on any way from the function's start to the instruction at that offset; 0xffffffff
 * where there is no way. at[n]: offsets of barriers, rising. */
uint32_t ls_loops_barriers(const struct ls_loops *l, const uint64_t *at, size_t n, uint64_t offset);
void ls_loops_free(struct ls_loops *l);

#endif
