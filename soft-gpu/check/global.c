/*
 * global.c - the cells of global memory: pages made when they are first touched, up to a limit.
 *
 * What orders accesses to global memory is decided with a clock of the whole dispatch and, per wavefront, the
 * time when it last heard of others (sg_check_acquire). If b has heard of nobody since a made its access,
 * nothing can order a before b; if it has, perhaps something does, and nothing is said. So no chain of
 * releases and acquires need be followed, whose ends the instruction set does not show (a plain store may
 * publish a flag), and no report is false because of one.
 */
#include <stdlib.h>
#include "internal.h"

/* 64 KiB each: 2 GiB for 128 MiB of global memory that a dispatch touches. */
enum { PAGE = 4096, PAGES_LIMIT = 32768, FIRST_SIZE = 1024 };

struct page {
    uint64_t number;
    struct cell cell[PAGE / 4];
};

static struct page **place_of(const struct global *m, uint64_t number)
{
    size_t i = (size_t)((number * 0x9E3779B97F4A7C15ull) >> 32) & (m->size - 1);
    while (m->slot[i] && m->slot[i]->number != number)
        i = (i + 1) & (m->size - 1);
    return &m->slot[i];
}

static bool grow(struct global *m)
{
    struct global larger = {.size = m->size ? 2 * m->size : FIRST_SIZE};
    larger.slot = calloc(larger.size, sizeof(struct page *));
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < m->size; i++)
        if (m->slot[i])
            *place_of(&larger, m->slot[i]->number) = m->slot[i];
    free(m->slot);
    m->slot = larger.slot;
    m->size = larger.size;
    return true;
}

static struct page *find_page(struct global *m, uint64_t number)
{
    if (2 * m->used >= m->size && !grow(m))
        return NULL;
    struct page **p = place_of(m, number);
    if (*p || m->used == PAGES_LIMIT || !(*p = calloc(1, sizeof **p)))
        return *p;
    (*p)->number = number;
    m->used++;
    return *p;
}

struct cell *global_cell(struct global *m, uint64_t address)
{
    const uint64_t number = address / PAGE;
    if (!m->last || m->last->number != number) {
        struct page *p = find_page(m, number);
        if (!p) {
            m->beyond++;
            return NULL;
        }
        m->last = p;
    }
    return &m->last->cell[address % PAGE / 4];
}

void global_free(struct global *m)
{
    for (size_t i = 0; i < m->size; i++)
        free(m->slot[i]);
    free(m->slot);
    *m = (struct global){.slot = NULL};
}
