/*
 * block_executions.c - handler: how often wavefronts enter each basic block, and with how many lanes, by
 * line. Needs kernels compiled with --lanescope-blocks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/handler.h"
#include "lanescope/sdk/blocks.h"
#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/views.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "common/numbers.h"

enum metric { EXECUTIONS, LANES, PARTIAL, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
    struct lanescope_blocks_told told;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    uint64_t all_lanes;
    int64_t sum[][METRICS];
};

/* Block sites of the kernel's code; others (calibration, end) mark places of the probes' own. */
static int register_numbers(void *handler, const struct lanescope_host *host)
{
    struct self *self = handler;
    static const struct lanescope_metric metrics[METRICS] = {
        [EXECUTIONS] = {"Executions", "entries", "entries of wavefronts into basic blocks"},
        [LANES] = {"Active Lanes", "lanes", "lanes that were active at these entries"},
        [PARTIAL] = {"Partial", "entries", "entries with some lanes inactive"},
    };
    /* How reports show the numbers, in order of their columns. */
    static const struct lanescope_named_view views[] = {
        {"Executions", LANESCOPE_VIEW(NULL, WORSE, DETAIL, 0, 1, EXECUTIONS)},
        {"Active Lanes", LANESCOPE_VIEW(NULL, NEITHER, EXPORT, 0, 0, LANES)},
        {"Partial", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
    };
    self->host = host;
    int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    return rc ? rc : lanescope_set_views(host, "block_executions", NULL, views, sizeof views / sizeof *views);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    return lanescope_open_plain(host, "block_executions", options, sizeof(struct self), register_numbers,
                                out);
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    int any = 0;
    for (uint32_t i = 0; i < d->n_sites && !any; i++)
        any = lanescope_is_block(&d->sites[i], "block");
    if (!any) {
        return lanescope_no_blocks(self->host, &self->told, "block_executions", d);
    }
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->sum[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    st->all_lanes = ls_low_bits(d->lanes);
    *out = st;
    return 0;
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (e[i].kind != LANESCOPE_EVENT_BLOCK ||
            !lanescope_is_block(&st->dispatch->sites[e[i].site], "block"))
            continue;
        int64_t *sum = st->sum[e[i].site];
        sum[EXECUTIONS]++;
        sum[LANES] += __builtin_popcountll(e[i].exec);
        sum[PARTIAL] += e[i].exec != st->all_lanes;
    }
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    lanescope_merge_sums(to->dispatch, METRICS, to->sum[0], from->sum[0]);
    free(from);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    lanescope_tell_sums(st->self->host, r, st->dispatch, METRICS, st->self->metric, st->sum[0], EXECUTIONS);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "block_executions",
    .version = LANESCOPE_VERSION,
    .description = "executions and active lanes of basic blocks by source line",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .events = events,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
};
