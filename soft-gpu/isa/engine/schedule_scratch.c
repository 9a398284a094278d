/*
 * schedule_scratch.c - scratch slots of resident wavefronts.
 */
#include <stdlib.h>
#include "schedule_group.h"

struct sg_scratch *sg_find_scratch(struct sg_engine *e, uint64_t base)
{
    for (struct sg_scratch *s = e->scratch; s; s = s->next)
        if (s->base == base)
            return s;
    struct sg_scratch *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base = base;
    s->next = e->scratch;
    e->scratch = s;
    return s;
}

/* Makes the slots fit the job. False while slots of a smaller size, or of another extent, are taken. */
bool sg_size_scratch(struct sg_scratch *s, const struct sg_job *j)
{
    if (s->slot_bytes >= j->shape.scratch_bytes && s->bytes == j->dispatch.scratch_bytes &&
        s->slots >= j->shape.max_waves)
        return true;
    if (s->taken)
        return false;
    uint64_t slots = j->dispatch.scratch_bytes / j->shape.scratch_bytes;
    uint8_t *used = calloc(slots, 1);
    if (!used)
        return false;
    free(s->used);
    s->used = used;
    s->slots = slots;
    s->slot_bytes = j->shape.scratch_bytes;
    s->bytes = j->dispatch.scratch_bytes;
    s->hint = 0;
    return true;
}

/* GPU address of a free slot; the caller has made sure that there is one. */
uint64_t sg_take_slot(struct sg_scratch *s)
{
    uint64_t i = s->hint;
    while (s->used[i])
        i = (i + 1) % s->slots;
    s->used[i] = 1;
    s->taken++;
    s->hint = (i + 1) % s->slots;
    return s->base + i * s->slot_bytes;
}

void sg_give_slot(struct sg_scratch *s, uint64_t address)
{
    uint64_t i = (address - s->base) / s->slot_bytes;
    s->used[i] = 0;
    s->taken--;
    s->hint = i; /* the most recently used one is in the cache */
}
