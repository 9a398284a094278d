/*
 * sdk/metrics.h - a handler's metrics as one table.
 *
 *     enum { EXECUTIONS, LANES, METRICS };
 *     static const struct lanescope_metric metrics[METRICS] = {
 *         [EXECUTIONS] = {"Executions", "accesses", "memory accesses by wavefronts"},
 *         [LANES] = {"Active Lanes", "lanes", "active lanes of these accesses"},
 *     };
 *     int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
 *
 * and their numbers, by site: `int64_t sum[][METRICS]` of a state, counted in `accesses`;
 *
 *     lanescope_merge_sums(to->dispatch, METRICS, to->sum[0], from->sum[0]);                                       in merge
 *     lanescope_tell_sums(host, results, state->dispatch, METRICS, self->metric, state->sum[0], EXECUTIONS);       in dispatch_end
 */
#ifndef LANESCOPE_SDK_METRICS_H
#define LANESCOPE_SDK_METRICS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/handler.h"

/* The arguments of host->metric. */
struct lanescope_metric {
    const char *name, *unit, *description;
};

/* In open: registers n metrics in the order of `list` and writes their numbers to `metric`. 0 or -ENOMEM. */
static inline int lanescope_set_metrics(const struct lanescope_host *h, const struct lanescope_metric *list,
                                        size_t n, uint32_t *metric)
{
    for (size_t i = 0; i < n; i++)
        if (!(metric[i] = h->metric(h, list[i].name, list[i].unit, list[i].description)))
            return -ENOMEM;
    return 0;
}

/* Likewise n ratios of metrics. 0, or what the host answers to the first one that it refuses. */
static inline int lanescope_set_ratios(const struct lanescope_host *h, const struct lanescope_ratio *list,
                                       size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++)
        rc = h->ratio(h, &list[i]);
    return rc;
}

/* Adds one state's numbers to another's: n of each site, site after site. */
static inline void lanescope_merge_sums(const struct lanescope_dispatch *d, size_t n, int64_t *to,
                                        const int64_t *from)
{
    for (size_t i = 0; i < d->n_sites * n; i++)
        to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
}

/* Tells the host all numbers of the sites whose number `when` is not 0. */
static inline void lanescope_tell_sums(const struct lanescope_host *h, struct lanescope_results *r,
                                       const struct lanescope_dispatch *d, size_t n, const uint32_t *metric,
                                       const int64_t *sums, size_t when)
{
    for (uint32_t i = 0; i < d->n_sites; i++)
        for (size_t m = 0; m < n && sums[i * n + when]; m++)
            h->add(r, i, metric[m], sums[i * n + m]);
}

#endif
