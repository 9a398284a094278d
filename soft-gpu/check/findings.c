/*
 * findings.c - a table of findings by kind and instructions. Two findings of the same instructions become
 * one, which keeps the example from the lowest work-group, so that what is reported does not depend on the
 * order in which work-groups ran.
 */
#include <stdlib.h>
#include <string.h>
#include "internal.h"

/* A kernel has few racing pairs of instructions; the limit keeps one gone wrong from eating the memory. */
enum { FIRST_SIZE = 16, LIMIT = 4096 };

static size_t place_of(const struct findings *f, const struct sg_finding *one)
{
    uint64_t hash = (one->a.pc * 31 + one->b.pc * 7 + (uint64_t)one->kind) * 0x9E3779B97F4A7C15ull;
    size_t i = (size_t)(hash >> 32) & (f->size - 1);
    for (;; i = (i + 1) & (f->size - 1)) {
        const struct sg_finding *e = &f->entry[i];
        if (!e->a.pc ||
            (e->a.pc == one->a.pc && e->b.pc == one->b.pc && e->kind == one->kind && e->space == one->space))
            return i;
    }
}

static bool grow(struct findings *f)
{
    struct findings larger = {.size = f->size ? 2 * f->size : FIRST_SIZE};
    larger.entry = calloc(larger.size, sizeof *larger.entry);
    if (!larger.entry)
        return false;
    for (size_t i = 0; i < f->size; i++)
        if (f->entry[i].a.pc)
            larger.entry[place_of(&larger, &f->entry[i])] = f->entry[i];
    free(f->entry);
    f->entry = larger.entry;
    f->size = larger.size;
    return true;
}

/* The example of a finding that did harm is worth more than one that did not. */
static bool better(const struct sg_finding *one, const struct sg_finding *than)
{
    if (one->harmless != than->harmless)
        return than->harmless;
    return one->group < than->group;
}

void findings_add(struct findings *f, const struct sg_finding *one)
{
    if (2 * f->used >= f->size && !grow(f)) {
        f->lost += one->count;
        return;
    }
    struct sg_finding *e = &f->entry[place_of(f, one)];
    if (!e->a.pc) {
        if (f->used >= LIMIT) {
            f->lost += one->count;
            return;
        }
        f->used++;
        *e = *one;
        return;
    }
    uint64_t count = e->count + one->count;
    if (better(one, e))
        *e = *one;
    e->count = count;
}

void findings_merge(struct findings *into, const struct findings *from)
{
    for (size_t i = 0; i < from->size; i++)
        if (from->entry[i].a.pc)
            findings_add(into, &from->entry[i]);
    into->lost += from->lost;
}

void findings_clear(struct findings *f)
{
    if (f->used)
        memset(f->entry, 0, f->size * sizeof *f->entry);
    f->used = 0;
    f->lost = 0;
}

void findings_free(struct findings *f)
{
    free(f->entry);
    *f = (struct findings){.entry = NULL};
}
