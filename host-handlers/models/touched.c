/* touched.c - see touched.h. 64 lanes with at most 16 bytes touch at most two blocks each, so that the hash
 * table is never more than half full. */
#include "touched.h"

#include <string.h>

static uint64_t *block_of(struct ls_touched *t, uint64_t number)
{
    unsigned slot = (unsigned)(number * 0x9e3779b97f4a7c15ull >> 56);
    for (; t->table[slot]; slot = (slot + 1) % (2 * LS_TOUCHED_MAX))
        if (t->block[t->table[slot] - 1].number == number)
            return &t->block[t->table[slot] - 1].bytes;
    t->block[t->n].number = number;
    t->block[t->n].bytes = 0;
    t->table[slot] = (uint8_t)(t->n + 1);
    return &t->block[t->n++].bytes;
}

void ls_touch_begin(struct ls_touched *t)
{
    t->n = 0;
    memset(t->table, 0, sizeof t->table);
}

void ls_touch(struct ls_touched *t, unsigned bytes, uint64_t exec, const uint64_t addr[64])
{
    const uint64_t mask = (1ull << bytes) - 1;
    for (uint64_t m = exec; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctzll(m)];
        unsigned offset = at % LS_BLOCK;
        *block_of(t, at / LS_BLOCK) |= mask << offset;
        if (offset + bytes > LS_BLOCK)
            *block_of(t, (at + LS_BLOCK) / LS_BLOCK) |= mask >> (LS_BLOCK - offset);
    }
}
