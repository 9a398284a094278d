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

/* A new pattern in `slot` of the table. Without memory it is one of those that are only counted. */
static void record(struct sample *s, const struct lanescope_access *a, uint64_t hash, uint64_t count,
                   unsigned slot)
{
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
    s->table[slot] = (uint32_t)hash << 16 | ++s->n;
    s->recorded += count;
}

void sample_add(struct sample *s, const struct lanescope_access *a, uint64_t count)
{
    uint64_t hash = hash_of(a);
    unsigned slot = hash >> 55; /* 9 bits: SAMPLE_TABLE */
    s->total += count;
    for (; s->table[slot]; slot = (slot + 1) % SAMPLE_TABLE) {
        if (s->table[slot] >> 16 != (hash & 0xffff))
            continue;
        struct sample_pattern *p = &s->pattern[(s->table[slot] & 0xffff) - 1];
        if (p->hash == hash && same(&p->access, a)) {
            p->count += count;
            s->recorded += count;
            return;
        }
    }
    record(s, a, hash, count, slot);
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

void sample_free(struct sample *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        free((void *)s->pattern[i].access.words);
    free(s->pattern);
    free(s);
}
