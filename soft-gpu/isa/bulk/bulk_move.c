/*
 * bulk_move.c - copying and filling by 32 bytes. Volatile, lest the compiler make a memcpy of it.
 */
#include <string.h>
#include "bulk_move.h"

typedef uint64_t block __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t u64 __attribute__((aligned(1), may_alias));
typedef uint32_t u32 __attribute__((aligned(1), may_alias));

/* The last n < 32 bytes. */
static void copy_rest(uint8_t *to, const uint8_t *from, uint64_t n)
{
    for (; n >= 8; n -= 8, to += 8, from += 8)
        *(volatile u64 *)to = *(const u64 *)from;
    if (n >= 4) {
        *(volatile u32 *)to = *(const u32 *)from;
        n -= 4, to += 4, from += 4;
    }
    for (; n; n--)
        *(volatile uint8_t *)to++ = *from++;
}

void sg_bulk_copy(uint8_t *to, const uint8_t *from, uint64_t n)
{
    for (; n >= 128; n -= 128, to += 128, from += 128) {
        block a = ((const block *)from)[0], b = ((const block *)from)[1];
        block c = ((const block *)from)[2], d = ((const block *)from)[3];
        ((volatile block *)to)[0] = a;
        ((volatile block *)to)[1] = b;
        ((volatile block *)to)[2] = c;
        ((volatile block *)to)[3] = d;
    }
    for (; n >= sizeof(block); n -= sizeof(block), to += sizeof(block), from += sizeof(block))
        *(volatile block *)to = *(const block *)from;
    copy_rest(to, from, n);
}

void sg_bulk_fill(uint8_t *to, uint64_t n, const uint8_t *pattern, unsigned bytes, unsigned phase)
{
    /* One period of the pattern and of the block: at most 31 * 32 bytes. Short fills use no more than n. */
    uint8_t unit[32 * 32];
    uint64_t period = bytes & (bytes - 1) ? bytes * sizeof(block) : sizeof(block);
    for (uint64_t i = 0; i < period && i < n; i++)
        unit[i] = pattern[(i + phase) % bytes];
    while (n >= period) {
        for (uint64_t i = 0; i < period; i += sizeof(block))
            *(volatile block *)(to + i) = *(const block *)(unit + i);
        to += period;
        n -= period;
    }
    sg_bulk_copy(to, unit, n);
}
