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

#if defined(__x86_64__)
#include <smmintrin.h>

/* 16 bytes at a time, from an aligned address. */
static __attribute__((target("sse4.1"))) void stream(unsigned char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        _mm_storeu_si128((__m128i *)(to + i), _mm_stream_load_si128((__m128i *)(uintptr_t)(from + i)));
}

/* As memcpy. Runtimes put arguments into memory of the device that the processor sees through the large BAR, combining
 * its writes: each plain load of that is a round trip over the link, a streaming load fetches a line (Intel SDM,
 * MOVNTDQA). Of other memory it is a load like any. */
static void copy_from_device(unsigned char *to, const unsigned char *from, size_t n)
{
    const size_t head = -(uintptr_t)from & 15, whole = n > head ? (n - head) & ~(size_t)15 : 0;
    if (!whole || !__builtin_cpu_supports("sse4.1")) {
        memcpy(to, from, n);
        return;
    }
    memcpy(to, from, head);
    stream(to + head, from + head, whole);
    memcpy(to + head + whole, from + head + whole, n - head - whole);
}
#else
static void copy_from_device(unsigned char *to, const unsigned char *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

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
        copy_from_device(to, from, head);
    memset(to + head, 0, h - head);
    memcpy(to + h, &ctx, 8);
    if (hidden)
        copy_from_device(to + h + 8, from + h, hidden);
    memset(to + h + 8 + hidden, 0, room - hidden);
}
