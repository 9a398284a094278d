/*
 * quantiles.h - a distribution of durations in bounded memory: exact count, sum, minimum and maximum;
 * quantiles exact below 128, above at most 1/128 too low.
 */
#ifndef HOST_HANDLERS_QUANTILES_H
#define HOST_HANDLERS_QUANTILES_H

#include <stdint.h>

/* Values below 128 have a bin each; each power of two above is cut into 128 bins. */
enum { QUANTILE_FINE = 128, QUANTILE_BINS = QUANTILE_FINE * (64 - 7 + 1) };

struct quantiles {
    uint64_t count, min, max, sum;
    uint32_t *bins; /* QUANTILE_BINS, made with the first value */
};

/* 0, or -ENOMEM: the value is not in the distribution. */
int quantiles_add(struct quantiles *q, uint64_t value, uint32_t times);
int quantiles_merge(struct quantiles *to, const struct quantiles *from);
/* The value below or at which at least `per_mille` of 1000 values lie (nearest rank), as the lower edge of
 * its bin but never below the minimum. 0 when there are none. */
uint64_t quantiles_at(const struct quantiles *q, unsigned per_mille);
void quantiles_free(struct quantiles *q);

#endif
