/* kernarg.c - see kernarg.h. */
#include "kernarg.h"

#include <string.h>

const char *ls_kernarg_check(uint32_t orig, uint32_t clone, uint32_t h)
{
    if (h % 8 || h > UINT32_MAX - 8 || orig > UINT32_MAX - 8)
        return "the site table's context offset is not a multiple of 8";
    uint32_t orig8 = (orig + 7) & ~7u;
    if (h > orig8)
        return "the site table's context offset lies behind the original's arguments";
    if (clone < h + 8)
        return "the clone's argument block is too small for its context pointer";
    /* A longer clone has hidden arguments that the original's launch does not provide. */
    if (clone - 8 > orig8)
        return "the clone needs hidden arguments that the original does not have";
    return NULL;
}

void ls_kernarg_build(void *dst, uint32_t clone, const void *src, uint32_t orig, uint32_t h, uint64_t ctx)
{
    unsigned char *to = dst;
    const unsigned char *from = src;
    uint32_t head = orig < h ? orig : h;
    uint32_t hidden = orig > h ? orig - h : 0;
    uint32_t room = clone - h - 8;
    if (hidden > room)
        hidden = room;
    if (head) /* a kernel without arguments may have no block at all */
        memcpy(to, from, head);
    memset(to + head, 0, h - head);
    memcpy(to + h, &ctx, 8);
    if (hidden)
        memcpy(to + h + 8, from + h, hidden);
    memset(to + h + 8 + hidden, 0, room - hidden);
}
