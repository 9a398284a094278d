/*
 * barriers.h - how many barriers a wavefront has at least passed where a block begins. Memory accesses do not
 * cross barriers, and code generation neither adds nor removes any on a way through a function: so the number
 * tells accesses apart that look alike. Pure: no I/O, no global state.
 */
#ifndef FLOW_BARRIERS_H
#define FLOW_BARRIERS_H

#include <stdint.h>
#include "together.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The function begins at block 0; inside[n]: barriers of each block. before[n]: the fewest on any way from
 * the start to the block's beginning; 0xffffffff where there is no way. */
void ls_barriers(const struct ls_together_block *b, uint32_t n, const uint32_t *inside, uint32_t *before);

#ifdef __cplusplus
}
#endif
#endif
