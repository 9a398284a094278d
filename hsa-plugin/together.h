/*
 * together.h - which blocks of a flow graph are executed equally often: whoever executes one executes the
 * other. Pure: no I/O, no global state.
 */
#ifndef HSA_PLUGIN_TOGETHER_H
#define HSA_PLUGIN_TOGETHER_H

#include <stdint.h>

enum { LS_TOGETHER_EDGES = 2 };
#define LS_TOGETHER_END 0xffffffffu /* no edge */

struct ls_together_block {
    uint32_t to[LS_TOGETHER_EDGES]; /* blocks; one without edges ends the function */
    uint32_t loop;                  /* number of the innermost loop around it; 0: none */
    uint32_t entry_of;              /* the loop that is entered here; 0: none */
};

/* The function begins at block 0. outer[loop]: the loop around a loop, 0: none. together[n]: of each block the first one that is executed as often as it,
 * the earliest on all paths. 0, or -1 when out of memory. */
int ls_together(const struct ls_together_block *b, uint32_t n, const uint32_t *outer, uint32_t *together);

#endif
