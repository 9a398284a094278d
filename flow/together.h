/*
 * together.h - which blocks of a flow graph are executed equally often: whoever executes one executes the
 * other. Pure: no I/O, no global state.
 */
#ifndef FLOW_TOGETHER_H
#define FLOW_TOGETHER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ls_together_block {
    const uint32_t *to; /* n_to blocks that may follow; one without any ends the function */
    uint32_t n_to;
    uint32_t loop;     /* number of the innermost loop around it; 0: none */
    uint32_t entry_of; /* the loop that is entered here; 0: none */
};

/* The function begins at block 0. outer[loop]: the loop around a loop, 0: none. together[n]: of each block
 * the first one that is executed as often as it, the earliest on all paths. 0, or -1 when out of memory. */
int ls_together(const struct ls_together_block *b, uint32_t n, const uint32_t *outer, uint32_t *together);

#ifdef __cplusplus
}
#endif
#endif
