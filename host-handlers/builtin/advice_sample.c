/* advice_sample.c - see advice_sample.h. */
#include "advice_sample.h"
#include "common/vector.h"
#include "lanescope/sdk/pattern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static unsigned words_of(const struct lanescope_access *a)
{
    return a->pattern == LANESCOPE_STRIDED ? 0 : a->pattern == LANESCOPE_RAW ? 2u * a->active : a->active;
}

#define MULTIPLIER 0x9e3779b97f4a7c15ull

static uint64_t hash_of(const struct lanescope_access *a)
{
    uint64_t h = (a->exec * MULTIPLIER ^ a->base) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 32) + (uint64_t)a->stride + (a->pattern ^ a->length << 8);
    if (words_of(a))
        h ^= lanescope_hash_words(a->words, words_of(a));
    h *= MULTIPLIER;
    return (h ^ h >> 29) * 0xff51afd7ed558ccdull;
}

static bool same(const struct lanescope_access *x, const struct lanescope_access *y)
{
    return x->exec == y->exec && x->base == y->base && x->stride == y->stride && x->pattern == y->pattern &&
           x->length == y->length &&
           !(words_of(x) && memcmp(x->words, y->words, words_of(x) * sizeof *x->words));
}

static struct sample_pattern *append(struct sample *s)
{
    return LS_ROOM(s->pattern, s->n) ? &s->pattern[s->n] : NULL;
}

static unsigned first_slot(uint64_t hash)
{
    return hash >> 55; /* 9 bits: SAMPLE_TABLE */
}

static void enter(uint32_t *table, uint64_t hash, uint32_t number)
{
    unsigned slot = first_slot(hash);
    while (table[slot])
        slot = (slot + 1) % SAMPLE_TABLE;
    table[slot] = (uint32_t)hash << 16 | number;
}

/* Most sites of most dispatches have few patterns, and a table is more work than these. */
static bool make_table(struct sample *s)
{
    s->table = calloc(SAMPLE_TABLE, sizeof *s->table);
    for (uint32_t i = 0; s->table && i < s->n; i++)
        enter(s->table, s->pattern[i].hash, i + 1);
    return s->table;
}

/* A new pattern. Without memory it is one of those that are only counted. */
static void record(struct sample *s, const struct lanescope_access *a, uint64_t hash, uint64_t count)
{
    if (s->n == SAMPLE_FEW && !s->table && !make_table(s))
        return;
    struct sample_pattern *p = s->n < SAMPLE_PATTERNS ? append(s) : NULL;
    unsigned words = words_of(a);
    uint32_t *copy = words && p ? malloc(words * sizeof *copy) : NULL;
    if (!p || (words && !copy))
        return;
    p->access = *a;
    p->access.words = words ? memcpy(copy, a->words, words * sizeof *copy) : NULL;
    p->access.wave = NULL;
    p->access.lengths = NULL;
    p->hash = hash;
    p->count = count;
    s->last = s->n++;
    if (s->table)
        enter(s->table, hash, s->n);
    s->recorded += count;
}

static bool is(const struct sample_pattern *p, const struct lanescope_access *a, uint64_t hash)
{
    return p->hash == hash && same(&p->access, a);
}

/* NULL: it is new. */
static struct sample_pattern *find(const struct sample *s, const struct lanescope_access *a, uint64_t hash)
{
    for (uint32_t i = 0; !s->table && i < s->n; i++)
        if (is(&s->pattern[i], a, hash))
            return &s->pattern[i];
    for (unsigned slot = first_slot(hash); s->table && s->table[slot]; slot = (slot + 1) % SAMPLE_TABLE) {
        struct sample_pattern *p = &s->pattern[(s->table[slot] & 0xffff) - 1];
        if (s->table[slot] >> 16 == (hash & 0xffff) && is(p, a, hash))
            return p;
    }
    return NULL;
}

void sample_add(struct sample *s, const struct lanescope_access *a, uint64_t count)
{
    const uint64_t hash = hash_of(a);
    struct sample_pattern *p = find(s, a, hash);
    s->total += count;
    if (!p) {
        record(s, a, hash, count);
        return;
    }
    p->count += count;
    s->recorded += count;
    s->last = (uint32_t)(p - s->pattern);
}

void sample_merge(struct sample *to, const struct sample *from)
{
    for (uint32_t i = 0; i < from->n; i++)
        sample_add(to, &from->pattern[i].access, from->pattern[i].count);
    to->total += from->total - from->recorded;
    to->lowest = from->lowest < to->lowest ? from->lowest : to->lowest;
    to->end = from->end > to->end ? from->end : to->end;
    to->widest = from->widest > to->widest ? from->widest : to->widest;
}

static int by_count(const void *a, const void *b)
{
    const struct sample_pattern *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

void sample_sort(struct sample *s)
{
    free(s->table);
    s->table = NULL;
    s->last = 0;
    if (s->n)
        qsort(s->pattern, s->n, sizeof *s->pattern, by_count);
}

void sample_free(struct sample *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        free((void *)s->pattern[i].access.words);
    free(s->pattern);
    free(s->table);
    free(s);
}
