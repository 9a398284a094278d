/*
 * sync.c - what orders wavefronts of a work-group: barriers, and atomics on the same address.
 *
 * Every atomic counts as acquire and release. The instruction set does not tell relaxed ones apart (LDS has
 * no scope bits), so this is the side on which a lock or a ticket never gives a false report.
 */
#include <stdlib.h>
#include <string.h>
#include "internal.h"

enum { FIRST_SIZE = 64 };

static struct published *place_of(const struct publications *p, uint64_t address)
{
    size_t i = (size_t)((address * 0x9E3779B97F4A7C15ull) >> 32) & (p->size - 1);
    while (p->entry[i].address && p->entry[i].address != address + 1)
        i = (i + 1) & (p->size - 1);
    return &p->entry[i];
}

static bool grow(struct publications *p)
{
    struct publications larger = {.size = p->size ? 2 * p->size : FIRST_SIZE};
    larger.entry = calloc(larger.size, sizeof *larger.entry);
    if (!larger.entry)
        return false;
    for (size_t i = 0; i < p->size; i++)
        if (p->entry[i].address)
            *place_of(&larger, p->entry[i].address - 1) = p->entry[i];
    free(p->entry);
    p->entry = larger.entry;
    p->size = larger.size;
    return true;
}

static void raise_to(uint32_t to[SG_CHECK_WAVES], const uint32_t from[SG_CHECK_WAVES])
{
    for (unsigned i = 0; i < SG_CHECK_WAVES; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* Everybody knows of everything before the barrier. */
void sync_barrier(struct sg_check_group *g)
{
    for (unsigned i = 0; i < g->waves; i++)
        memcpy(g->vc[i], g->clock, sizeof g->clock);
    if (g->published.used) { /* all of it is known now */
        memset(g->published.entry, 0, g->published.size * sizeof *g->published.entry);
        g->published.used = 0;
    }
}

void sync_atomic(struct sg_check_group *g, unsigned wave, uint64_t address)
{
    struct publications *p = &g->published;
    if (g->waves == 1)
        return;
    if (2 * p->used >= p->size && !grow(p)) {
        /* Without memory: as if a barrier stood here, which hides races but invents none. */
        sync_barrier(g);
        return;
    }
    struct published *e = place_of(p, address);
    if (!e->address) {
        e->address = address + 1;
        p->used++;
    }
    e->waves |= 1u << wave;
    raise_to(g->vc[wave], e->clock);
    g->vc[wave][wave] = g->clock[wave];
    memcpy(e->clock, g->vc[wave], sizeof e->clock);
}

bool sync_releases(const struct sg_check_group *g, unsigned wave, uint64_t address)
{
    if (!g->published.used)
        return false;
    const struct published *e = place_of(&g->published, address);
    return e->address && e->waves >> wave & 1;
}

void sync_start(struct sg_check_group *g)
{
    memset(g->clock, 0, sizeof g->clock);
    memset(g->vc, 0, sizeof g->vc);
    if (g->published.used)
        memset(g->published.entry, 0, g->published.size * sizeof *g->published.entry);
    g->published.used = 0;
}

void sync_free(struct sg_check_group *g)
{
    free(g->published.entry);
}
