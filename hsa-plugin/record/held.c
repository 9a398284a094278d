/* held.c - see held.h. */
#include "held.h"

#include <stdlib.h>
#include <string.h>

struct ls_held {
    struct ls_held *next;
    size_t size;
    _Alignas(8) unsigned char chunk[];
};

bool ls_held_add(struct ls_slot_use *u, const void *chunk, size_t size)
{
    const struct ls_chunk *h = chunk;
    if (h->bytes < size)
        size = h->bytes;
    struct ls_held *n = malloc(sizeof *n + size);
    if (!n)
        return false;
    n->next = NULL;
    n->size = size;
    memcpy(n->chunk, chunk, size);
    if (!u->held)
        u->held_tail = &u->held;
    *u->held_tail = n;
    u->held_tail = &n->next;
    u->held_bytes += size;
    return true;
}

void ls_held_each(const struct ls_slot_use *u, void (*f)(void *user, const void *chunk, size_t size),
                  void *user)
{
    for (const struct ls_held *n = u->held; n; n = n->next)
        f(user, n->chunk, n->size);
}

void ls_held_free(struct ls_slot_use *u)
{
    while (u->held) {
        struct ls_held *next = u->held->next;
        free(u->held);
        u->held = next;
    }
    u->held_bytes = 0;
}
