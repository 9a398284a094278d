/* quantiles.c - see quantiles.h. */
#include "quantiles.h"

#include <errno.h>
#include <stdlib.h>

static unsigned bin_of(uint64_t value)
{
    if (value < QUANTILE_FINE)
        return (unsigned)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - 7u; /* value >> shift has 8 bits */
    return QUANTILE_FINE * (shift + 1) + ((unsigned)(value >> shift) & (QUANTILE_FINE - 1));
}

static uint64_t lower_edge(unsigned bin)
{
    if (bin < QUANTILE_FINE)
        return bin;
    unsigned shift = bin / QUANTILE_FINE - 1;
    return (uint64_t)(QUANTILE_FINE + bin % QUANTILE_FINE) << shift;
}

static void note_extremes(struct quantiles *q, uint64_t min, uint64_t max)
{
    if (!q->count || min < q->min)
        q->min = min;
    if (!q->count || max > q->max)
        q->max = max;
}

int quantiles_add(struct quantiles *q, uint64_t value, uint32_t times)
{
    if (!q->bins && !(q->bins = calloc(QUANTILE_BINS, sizeof *q->bins)))
        return -ENOMEM;
    note_extremes(q, value, value);
    q->bins[bin_of(value)] += times;
    q->count += times;
    q->sum += value * times;
    return 0;
}

int quantiles_merge(struct quantiles *to, const struct quantiles *from)
{
    if (!from->count)
        return 0;
    if (!to->bins && !(to->bins = calloc(QUANTILE_BINS, sizeof *to->bins)))
        return -ENOMEM;
    note_extremes(to, from->min, from->max);
    for (unsigned i = 0; i < QUANTILE_BINS; i++)
        to->bins[i] += from->bins[i];
    to->count += from->count;
    to->sum += from->sum;
    return 0;
}

uint64_t quantiles_at(const struct quantiles *q, unsigned per_mille)
{
    uint64_t rank = (q->count * per_mille + 999) / 1000, seen = 0;
    for (unsigned i = 0; i < QUANTILE_BINS && q->count; i++) {
        seen += q->bins[i];
        if (seen && seen >= rank)
            return lower_edge(i) > q->min ? lower_edge(i) : q->min;
    }
    return 0;
}

void quantiles_free(struct quantiles *q)
{
    free(q->bins);
    *q = (struct quantiles){0};
}
