/*
 * metric_view.h - how reports read a metric, as its handler said it (struct lanescope_view of
 * lanescope/handler.h); written and read by the database.
 */
#ifndef RESULTS_METRIC_VIEW_H
#define RESULTS_METRIC_VIEW_H

#include <stdint.h>

#include "lanescope/handler.h"

struct ls_metric_view {
    const char *title; /* of the column; NULL: the metric's name */
    int direction;     /* enum lanescope_direction */
    int excess;        /* -1, 0, 1: how it counts in the order of lines */
    uint32_t show;     /* enum lanescope_show */
    uint32_t cost;     /* 1: diff compares it */
    uint32_t role;     /* enum lanescope_role; of a later version: any number */
    uint32_t position; /* order of the columns, from 1; 0: the handler said nothing of the metric */
};

/* What Lanescope 0.1 knew of a metric by its name, for recordings that lack these columns, and handlers that
 * were built for it: all zero when it knew nothing. */
struct ls_metric_view ls_older_view(const char *handler, const char *metric);
/* Likewise the title and the text of a handler's table. NULL. */
const char *ls_older_title(const char *handler, const char **clean);

#endif
