/*
 * quantiles.h - a distribution of durations in bounded memory: exact count, sum, minimum and maximum;
 * quantiles exact below 128, above at most 1/128 too low.
 */
#ifndef LANESCOPE_SDK_QUANTILES_H
#define LANESCOPE_SDK_QUANTILES_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Values below 128 have a bin each; each power of two above is cut into 128 bins. */
enum { LANESCOPE_QUANTILE_FINE = 128, LANESCOPE_QUANTILE_BINS = LANESCOPE_QUANTILE_FINE * (64 - 7 + 1) };

struct lanescope_quantiles {
    uint64_t count, min, max, sum;
    uint32_t *bins; /* LANESCOPE_QUANTILE_BINS, made with the first value */
};

static inline unsigned lanescope_quantiles_bin_of(uint64_t value)
{
    if (value < LANESCOPE_QUANTILE_FINE)
        return (unsigned)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - 7u; /* value >> shift has 8 bits */
    return LANESCOPE_QUANTILE_FINE * (shift + 1) +
           ((unsigned)(value >> shift) & (LANESCOPE_QUANTILE_FINE - 1));
}

static inline uint64_t lanescope_quantiles_lower_edge(unsigned bin)
{
    if (bin < LANESCOPE_QUANTILE_FINE)
        return bin;
    unsigned shift = bin / LANESCOPE_QUANTILE_FINE - 1;
    return (uint64_t)(LANESCOPE_QUANTILE_FINE + bin % LANESCOPE_QUANTILE_FINE) << shift;
}

static inline void lanescope_quantiles_note_extremes(struct lanescope_quantiles *q, uint64_t min,
                                                     uint64_t max)
{
    if (!q->count || min < q->min)
        q->min = min;
    if (!q->count || max > q->max)
        q->max = max;
}

/* 0, or -ENOMEM: the value is not in the distribution. */
static inline int lanescope_quantiles_add(struct lanescope_quantiles *q, uint64_t value, uint32_t times)
{
    if (!q->bins && !(q->bins = (uint32_t *)calloc(LANESCOPE_QUANTILE_BINS, sizeof *q->bins)))
        return -ENOMEM;
    lanescope_quantiles_note_extremes(q, value, value);
    q->bins[lanescope_quantiles_bin_of(value)] += times;
    q->count += times;
    q->sum += value * times;
    return 0;
}

static inline int lanescope_quantiles_merge(struct lanescope_quantiles *to,
                                            const struct lanescope_quantiles *from)
{
    if (!from->count)
        return 0;
    if (!to->bins && !(to->bins = (uint32_t *)calloc(LANESCOPE_QUANTILE_BINS, sizeof *to->bins)))
        return -ENOMEM;
    lanescope_quantiles_note_extremes(to, from->min, from->max);
    for (unsigned i = 0; i < LANESCOPE_QUANTILE_BINS; i++)
        to->bins[i] += from->bins[i];
    to->count += from->count;
    to->sum += from->sum;
    return 0;
}

/* The value below or at which at least `per_mille` of 1000 values lie (nearest rank), as the lower edge of
 * its bin but never below the minimum. 0 when there are none. */
static inline uint64_t lanescope_quantiles_at(const struct lanescope_quantiles *q, unsigned per_mille)
{
    uint64_t rank = (q->count * per_mille + 999) / 1000, seen = 0;
    for (unsigned i = 0; i < LANESCOPE_QUANTILE_BINS && q->count; i++) {
        seen += q->bins[i];
        if (seen && seen >= rank)
            return lanescope_quantiles_lower_edge(i) > q->min ? lanescope_quantiles_lower_edge(i) : q->min;
    }
    return 0;
}

static inline void lanescope_quantiles_free(struct lanescope_quantiles *q)
{
    free(q->bins);
    memset(q, 0, sizeof *q);
}

#endif
