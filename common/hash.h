/* hash.h - FNV-1a, 64 bits: names for contents, not a defence against anybody. */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LS_HASH_BEGIN 0xcbf29ce484222325u

/* `hash`, LS_HASH_BEGIN at first, with `size` bytes more. */
static inline uint64_t ls_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (const unsigned char *b = bytes; size--; b++)
        hash = (hash ^ *b) * 0x100000001b3u;
    return hash;
}

#endif
