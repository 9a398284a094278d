/*
 * advice_sample.h - a bounded sample of the access patterns of one site: the first SAMPLE_PATTERNS distinct ones,
 * each with the exact number of its occurrences. Occurrences of others are counted together. Accesses of
 * different length are different patterns.
 */
#ifndef HOST_HANDLERS_ADVICE_SAMPLE_H
#define HOST_HANDLERS_ADVICE_SAMPLE_H

#include <stddef.h>

#include "lanescope/handler.h"

enum { SAMPLE_PATTERNS = 256, SAMPLE_TABLE = 512, SAMPLE_FEW = 4 };

struct sample_pattern {
    struct lanescope_access access; /* words are the sample's own; wave and lengths are NULL */
    uint64_t hash, count;
};

struct sample {
    uint64_t total, recorded;       /* occurrences of all patterns; of those that are in the sample */
    uint64_t lowest, end;           /* addresses that were touched by any of them */
    uint32_t widest;                /* bytes per lane of the widest of them */
    uint32_t n, last;               /* patterns; the one of the last access, if that is in the sample */
    struct sample_pattern *pattern; /* in order of arrival, until sample_sort */
    /* SAMPLE_TABLE: bits 15:0 index + 1, bits 31:16 of the hash. NULL: there are few, so each is looked at. */
    uint32_t *table;
};

/* Counts an access in a line whose pattern is that of the last one, or the one behind it, as kernels repeat theirs in order. False:
 * it is neither of the two. */
static inline bool sample_again(struct sample *s, uint64_t exec, uint64_t base, int64_t stride,
                                uint64_t length)
{
    for (uint32_t i = 0, at = s->last; i < 2 && at < s->n; i++, at = at + 1 < s->n ? at + 1 : 0) {
        struct sample_pattern *p = &s->pattern[at];
        const struct lanescope_access *x = &p->access;
        if (x->base != base || x->exec != exec || x->stride != stride || x->length != length ||
            x->pattern != LANESCOPE_STRIDED)
            continue;
        s->last = at;
        s->total++;
        s->recorded++;
        p->count++;
        return true;
    }
    return false;
}

/* Counts one access, which occurred `count` times. `a->base` and words tell patterns apart as they are. */
void sample_add(struct sample *s, const struct lanescope_access *a, uint64_t count);
void sample_merge(struct sample *to, const struct sample *from);
/* Behind the last access: the most frequent patterns come first, and none where it does because of when it arrived, as threads that share a
 * dispatch out have orders of their own. */
void sample_sort(struct sample *s);
void sample_free(struct sample *s); /* NULL allowed */

#endif
