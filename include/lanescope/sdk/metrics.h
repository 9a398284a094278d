/*
 * sdk/metrics.h - a handler's metrics as one table.
 *
 *     enum { EXECUTIONS, LANES, METRICS };
 *     static const struct lanescope_metric metrics[METRICS] = {
 *         [EXECUTIONS] = {"Executions", "accesses", "memory accesses by wavefronts"},
 *         [LANES] = {"Active Lanes", "lanes", "active lanes of these accesses"},
 *     };
 *     int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
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

#endif
