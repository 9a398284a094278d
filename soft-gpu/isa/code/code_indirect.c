/*
 * code_indirect.c - the table of places where indirect jumps arrive; read without the lock.
 */
#include <stdlib.h>
#include <string.h>
#include "code_state.h"

const struct sg_code_entry *sg_find_indirect(const struct sg_indirect *t, uint64_t pc)
{
    if (!t)
        return NULL;
    for (size_t i = (pc >> 2) * 0x9E3779B1u & t->mask;; i = (i + 1) & t->mask) {
        const struct sg_code_entry *e = atomic_load_explicit(&t->slot[i], memory_order_acquire);
        if (!e || e->key == pc)
            return e;
    }
}

static void put_indirect(struct sg_indirect *t, const struct sg_code_entry *e)
{
    size_t i = (e->key >> 2) * 0x9E3779B1u & t->mask;
    while (atomic_load_explicit(&t->slot[i], memory_order_relaxed))
        i = (i + 1) & t->mask;
    atomic_store_explicit(&t->slot[i], e, memory_order_release);
    t->used++;
}

/* Publishes e. Outgrown tables stay until the end, because readers may still be in them. */
bool sg_add_indirect(struct sg_code *c, const struct sg_code_entry *e)
{
    struct sg_indirect *t = atomic_load(&c->indirect);
    if (t && 2 * t->used < t->mask) {
        put_indirect(t, e);
        return true;
    }
    size_t slots = t ? 2 * (t->mask + 1) : 64;
    struct sg_indirect *n = calloc(1, sizeof *n + slots * sizeof n->slot[0]);
    if (!n)
        return false;
    n->mask = slots - 1;
    n->older = t;
    for (size_t i = 0; t && i <= t->mask; i++) {
        const struct sg_code_entry *old = atomic_load(&t->slot[i]);
        if (old)
            put_indirect(n, old);
    }
    put_indirect(n, e);
    atomic_store_explicit(&c->indirect, n, memory_order_release);
    return true;
}
