/* mem_whole.c - see mem_whole.h. */
#include <stdbool.h>
#include "mem_whole.h"

typedef unsigned __int128 block;

/* Three dwords at dword `at` (0 or 1) of an aligned block. The dword beside them stays as it is, whoever
 * writes it meanwhile. */
static void exchange(block *to, unsigned at, sg_v4 x)
{
    const block mask = (((block)1 << 96) - 1) << 32 * at;
    block data = x[0] | (block)x[1] << 32 | (block)x[2] << 64, old, seen;
    sg_v4 now = sg_whole_load128(to);
    memcpy(&seen, &now, sizeof seen);
    do {
        old = seen;
        seen = __sync_val_compare_and_swap(to, old, (old & ~mask) | data << 32 * at);
    } while (seen != old);
}

void sg_whole_store96(void *p, sg_v4 x)
{
    uint8_t *to = p;
    const unsigned at = (unsigned)((uintptr_t)p & 15);
    if (at == 0 || at == 4) {
        exchange((block *)(void *)(to - at), at / 4, x);
        return;
    }
    sg_whole_store64(to, x);
    *(volatile sg_w32 *)(to + 8) = x[2];
}
