/* hash.h - names of 64 bits for contents, not a defence against anybody. */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LS_HASH_BEGIN 0xcbf29ce484222325u

/* `hash`, LS_HASH_BEGIN at first, with `size` bytes more: FNV-1a, so that it is the same in files of any
 * version. */
static inline uint64_t ls_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (const unsigned char *b = bytes; size--; b++)
        hash = (hash ^ *b) * 0x100000001b3u;
    return hash;
}

/* `hash` with a number more, faster than byte by byte. Within a process only. */
static inline uint64_t ls_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

#endif
