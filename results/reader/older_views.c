/*
 * older_views.c - how reports read metrics of recordings that do not say it. Frozen: what later handlers say
 * stands in the recording. See metric_view.h.
 */
#include "results/file/metric_view.h"

#include <stdbool.h>
#include <string.h>

enum { BETTER = LANESCOPE_MORE_IS_BETTER, WORSE = LANESCOPE_MORE_IS_WORSE };
enum {
    ALWAYS = LANESCOPE_SHOW_ALWAYS,
    COST = LANESCOPE_SHOW_COST,
    DETAIL = LANESCOPE_SHOW_DETAIL,
    RARE = LANESCOPE_SHOW_RARE,
    EXPORT = LANESCOPE_SHOW_EXPORT
};
#define LDS "lds_bank_conflicts"
#define MEMORY "memory_coalescing"

static const struct {
    const char *handler, *metric;
    struct ls_metric_view view;
} views[] = {
    {LDS, "Executions", {NULL, 0, 0, ALWAYS, 0, LANESCOPE_ROLE_EXECUTIONS, 1}},
    {LDS, "Active Lanes", {NULL, 0, 0, EXPORT, 0, LANESCOPE_ROLE_LANES, 2}},
    {LDS, "Index Accesses", {NULL, 0, 0, DETAIL, 0, LANESCOPE_ROLE_NONE, 3}},
    {LDS, "Bank Conflict", {NULL, WORSE, 1, ALWAYS, 1, LANESCOPE_ROLE_NONE, 4}},
    {LDS, "Addr Conflict", {NULL, WORSE, 1, COST, 1, LANESCOPE_ROLE_CONTENTION, 5}},
    {LDS, "LDS Cycles", {NULL, WORSE, 0, ALWAYS, 1, LANESCOPE_ROLE_WHOLE, 6}},
    {LDS, "Bank Conflicts/Access", {NULL, WORSE, 0, DETAIL, 0, LANESCOPE_ROLE_NONE, 7}},
    {LDS, "Unaligned Stall", {NULL, WORSE, 0, RARE, 0, LANESCOPE_ROLE_NONE, 8}},
    {LDS, "Bank Conflict Rate", {NULL, WORSE, 0, EXPORT, 0, LANESCOPE_ROLE_NONE, 9}},
    {MEMORY, "Executions", {NULL, 0, 0, ALWAYS, 0, LANESCOPE_ROLE_EXECUTIONS, 1}},
    {MEMORY, "Active Lanes", {NULL, 0, 0, EXPORT, 0, LANESCOPE_ROLE_LANES, 2}},
    {MEMORY, "Cache Lines", {NULL, WORSE, 1, ALWAYS, 1, LANESCOPE_ROLE_NONE, 3}},
    {MEMORY, "Cache Lines Needed", {"Lines Needed", 0, -1, ALWAYS, 0, LANESCOPE_ROLE_NONE, 4}},
    {MEMORY, "Lanes/Address", {"Lanes/Addr", WORSE, 0, COST, 1, LANESCOPE_ROLE_NONE, 5}},
    {MEMORY, "Cache Lines/Needed", {NULL, WORSE, 0, DETAIL, 0, LANESCOPE_ROLE_NONE, 6}},
    {MEMORY, "Coalescing", {NULL, BETTER, 0, ALWAYS, 0, LANESCOPE_ROLE_COALESCING, 7}},
    {MEMORY, "L2 Lines", {NULL, WORSE, 0, EXPORT, 0, LANESCOPE_ROLE_NONE, 8}},
    {MEMORY, "TA Requests", {NULL, WORSE, 0, EXPORT, 0, LANESCOPE_ROLE_NONE, 9}},
    {MEMORY, "Atomic Lanes", {NULL, 0, 1, EXPORT, 0, LANESCOPE_ROLE_CONTENTION, 10}},
    {MEMORY, "Atomic Addresses", {NULL, 0, -1, EXPORT, 0, LANESCOPE_ROLE_CONTENTION, 11}},
    {"block_timing", "Cycles", {.role = LANESCOPE_ROLE_TIME}},
    {"block_timing", "Cycles/Entry", {.role = LANESCOPE_ROLE_TIME}},
    {"block_timing", "Timed", {.role = LANESCOPE_ROLE_TIMED}},
    {"wave_timeline", "Wavefront Time", {.role = LANESCOPE_ROLE_TIME}},
    {"wave_timeline", "Span", {.role = LANESCOPE_ROLE_TIME}},
    {NULL, "Executions", {.role = LANESCOPE_ROLE_EXECUTIONS}}, /* of any handler, as are those behind it */
    {NULL, "Active Lanes", {.role = LANESCOPE_ROLE_LANES}},
};

struct ls_metric_view ls_older_view(const char *handler, const char *metric)
{
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
        if ((!views[i].handler || !strcmp(views[i].handler, handler)) && !strcmp(views[i].metric, metric))
            return views[i].view;
    return (struct ls_metric_view){0};
}

const char *ls_older_title(const char *handler, const char **clean)
{
    bool lds = !strcmp(handler, LDS), memory = !strcmp(handler, MEMORY);
    *clean = lds ? "none" : memory ? "no excess cache lines" : NULL;
    return lds ? "LDS bank conflicts" : memory ? "Memory coalescing" : NULL;
}
