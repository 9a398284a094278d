#include "arena.h"
#include "common/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)

struct ls_arena_block {
    struct ls_arena_block *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

static void *there(void *p)
{
    if (!p) {
        fputs("lanescope: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

void *ls_realloc(void *p, size_t bytes)
{
    void *q = realloc(p, bytes);
    return bytes ? there(q) : q;
}

void *ls_one_more(void *array, size_t n, size_t size)
{
    char *grown = there(ls_grown(array, n, size));
    memset(grown + n * size, 0, size);
    return grown;
}

void *ls_arena_alloc(struct ls_arena *a, size_t bytes)
{
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct ls_arena_block *b = a->blocks;
    if (!b || b->size - b->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b = ls_realloc(NULL, sizeof(*b) + size);
        b->next = a->blocks;
        b->used = 0;
        b->size = size;
        a->blocks = b;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    return memset(p, 0, bytes);
}

char *ls_arena_string(struct ls_arena *a, const char *s)
{
    if (!s)
        return NULL;
    size_t n = strlen(s) + 1;
    return memcpy(ls_arena_alloc(a, n), s, n);
}

void ls_arena_free(struct ls_arena *a)
{
    for (struct ls_arena_block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    a->blocks = NULL;
}
