/* barriers.c - see barriers.h. */
#include "barriers.h"

#include <stdbool.h>

static bool shorten(const struct ls_together_block *b, const uint32_t *inside, uint32_t *before, uint32_t k)
{
    bool any = false;
    for (uint32_t e = 0; e < b[k].n_to; e++) {
        uint32_t *to = &before[b[k].to[e]], way = before[k] + inside[k];
        if (way < *to) {
            *to = way;
            any = true;
        }
    }
    return any;
}

/* Blocks come mostly in the order of their ways, so that few rounds are needed. */
void ls_barriers(const struct ls_together_block *b, uint32_t n, const uint32_t *inside, uint32_t *before)
{
    bool changed = n > 0;
    for (uint32_t k = 0; k < n; k++)
        before[k] = k ? 0xffffffffu : 0;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < n; k++)
            if (before[k] != 0xffffffffu)
                changed |= shorten(b, inside, before, k);
    }
}
