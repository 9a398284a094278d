/*
 * block_timing.c - handler: time of wavefronts between one block entry and the next, by pair of blocks. Needs
 * kernels compiled with --lanescope-blocks.
 *
 * What is left out: an interval in which the wavefront took or handed over a chunk (it may have waited for
 * the host). Those are recognised by the chunk's own times; they are the difference of Executions and Timed.
 * What a probe costs is measured: the entry of each kernel has two probes back to back in front of that of
 * the first block.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/names.h"
#include "lanescope/sdk/blocks.h"
#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/quantiles.h"
#include "lanescope/sdk/rows.h"
#include "lanescope/sdk/views.h"
#include "gpus/gpus.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "common/numbers.h"

enum metric { CYCLES, TIMED, EXECUTIONS, NOT_TIMED, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
    struct lanescope_blocks_told told;
};

/* Wavefronts that left block `from` for block `to`. */
struct region {
    struct {
        uint32_t from, to;
    } key;
    struct lanescope_quantiles time;
    UT_hash_handle hh;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    struct region *regions;
    struct lanescope_quantiles probe; /* back-to-back probes */
    uint64_t counter_mask;
    bool memory_probes, lost;
    /* The event before, and whose it was. */
    bool have;
    uint32_t site, workgroup[3], wave, sequence;
    uint64_t start;
    int64_t executions[]; /* by site */
};

static int register_numbers(void *handler, const struct lanescope_host *host)
{
    struct self *self = handler;
    static const struct lanescope_metric metrics[METRICS] = {
        [CYCLES] = {"Cycles", "cycles", "from entries of the block to the next block, less the probes' cost"},
        [TIMED] = {"Timed", "entries", "entries whose time could be taken"},
        [EXECUTIONS] = {"Executions", "entries", "entries of wavefronts"},
        [NOT_TIMED] = {"Not Timed", "entries",
                       "entries whose time could not be taken, so that Cycles lacks it"},
    };
    /* How reports show the numbers, in order of their columns. */
    static const struct lanescope_named_view views[] = {
        {"Cycles", LANESCOPE_VIEW(NULL, WORSE, DETAIL, 0, 1, TIME)},
        {"Timed", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, TIMED)},
        {"Executions", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, EXECUTIONS)},
        {"Not Timed", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Cycles/Entry", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, TIME)},
    };
    self->host = host;
    int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    const struct lanescope_ratio mean = {.name = "Cycles/Entry",
                                         .unit = "cycles",
                                         .description = "mean time",
                                         .scale = 1,
                                         .a = self->metric[CYCLES],
                                         .c = self->metric[TIMED]};
    rc = rc ? rc : host->ratio(host, &mean);
    return rc ? rc : lanescope_set_views(host, "block_timing", NULL, views, sizeof views / sizeof *views);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    return lanescope_open_plain(host, "block_timing", options, sizeof(struct self), register_numbers, out);
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    bool any = false, memory = false;
    for (uint32_t i = 0; i < d->n_sites; i++) {
        any |= d->sites[i].kind == LS_SITE_BLOCK;
        memory |= !LS_SITE_NO_ACCESS(d->sites[i].kind) && d->sites[i].flags & LS_SITE_OBSERVED;
    }
    if (!any) {
        return lanescope_no_blocks(self->host, &self->told, "block_timing", d);
    }
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->executions[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    st->memory_probes = memory;
    const struct ls_gpu_family *gpu = ls_gpu_family_of(d->arch);
    st->counter_mask = gpu ? ls_low_bits(gpu->cycle_bits) : ~0ull;
    *out = st;
    return 0;
}

static struct region *region_of(struct state *st, uint32_t from, uint32_t to)
{
    struct region *r, probe = {.key = {from, to}};
    HASH_FIND(hh, st->regions, &probe.key, sizeof probe.key, r);
    if (r)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        st->lost = true;
        return NULL;
    }
    r->key = probe.key;
    HASH_ADD(hh, st->regions, key, sizeof r->key, r);
    return r;
}

/* Whether both events lie in one chunk that had been taken before the first one. The header's time is read
 * after the chunk was taken, the event's before its message finds out that it needs one. */
static bool undisturbed(const struct state *st, const struct lanescope_event *e)
{
    return st->sequence == e->wave->sequence &&
           ((st->start - e->wave->cycles) & st->counter_mask) <= st->counter_mask >> 1;
}

static bool same_wavefront(const struct state *st, const struct lanescope_wavefront *w)
{
    return st->have && st->wave == w->wave && !memcmp(st->workgroup, w->workgroup, sizeof st->workgroup);
}

static void interval(struct state *st, const struct lanescope_event *e)
{
    const struct lanescope_site *sites = st->dispatch->sites;
    uint64_t time = (e->start - st->start) & st->counter_mask;
    bool clean = undisturbed(st, e), calibration = lanescope_is_block(&sites[st->site], "calibration");
    if (calibration) {
        if (clean && !lanescope_is_block(&sites[e->site], "calibration") &&
            lanescope_quantiles_add(&st->probe, time, 1))
            st->lost = true;
        return;
    }
    struct region *r = clean ? region_of(st, st->site, e->site) : NULL;
    if (r && lanescope_quantiles_add(&r->time, time, 1))
        st->lost = true;
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (e[i].kind != LANESCOPE_EVENT_BLOCK)
            continue;
        st->executions[e[i].site]++;
        /* Chunks of wavefronts come interleaved; an interval that spans two chunks would not count anyway. */
        if (same_wavefront(st, e[i].wave))
            interval(st, &e[i]);
        st->have = true;
        st->site = e[i].site;
        st->start = e[i].start;
        st->wave = e[i].wave->wave;
        st->sequence = e[i].wave->sequence;
        memcpy(st->workgroup, e[i].wave->workgroup, sizeof st->workgroup);
    }
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    struct region *r, *next;
    for (uint32_t i = 0; i < to->dispatch->n_sites; i++)
        to->executions[i] += from->executions[i];
    HASH_ITER(hh, from->regions, r, next)
    {
        struct region *into = region_of(to, r->key.from, r->key.to);
        to->lost |= !into || lanescope_quantiles_merge(&into->time, &r->time);
        HASH_DEL(from->regions, r);
        lanescope_quantiles_free(&r->time);
        free(r);
    }
    to->lost |= from->lost || lanescope_quantiles_merge(&to->probe, &from->probe);
    lanescope_quantiles_free(&from->probe);
    free(from);
}

static uint64_t less(uint64_t time, uint64_t cost)
{
    return time > cost ? time - cost : 0;
}

/* A block is named by its line in the kernel itself, not by that of what is inlined there. */
static void place(char *out, size_t size, const struct lanescope_site *s)
{
    if (lanescope_is_block(s, "end"))
        snprintf(out, size, "end");
    else if (s->n_frames)
        snprintf(out, size, "%s:%u:%u", ls_base_name(s->frames[s->n_frames - 1].file),
                 s->frames[s->n_frames - 1].line, s->frames[s->n_frames - 1].column);
    else
        snprintf(out, size, "no line");
}

static const struct lanescope_column block_columns[] = {
    {"until", LANESCOPE_TEXT},      {"count", LANESCOPE_UNSIGNED},      {"min", LANESCOPE_UNSIGNED},
    {"median", LANESCOPE_UNSIGNED}, {"p90", LANESCOPE_UNSIGNED},        {"p99", LANESCOPE_UNSIGNED},
    {"max", LANESCOPE_UNSIGNED},    {"probe_cost", LANESCOPE_UNSIGNED}, {"memory_probes", LANESCOPE_BOOL},
};
static const struct lanescope_table blocks = {"blocks", block_columns,
                                              sizeof block_columns / sizeof *block_columns};

static void report_region(const struct state *st, const struct region *r, uint64_t cost,
                          struct lanescope_results *out)
{
    const struct lanescope_quantiles *q = &r->time;
    const struct lanescope_host *host = st->self->host;
    char to[256];
    place(to, sizeof to, &st->dispatch->sites[r->key.to]);
    const struct lanescope_value row[] = {
        lanescope_text(to),
        lanescope_unsigned(q->count),
        lanescope_unsigned(less(q->min, cost)),
        lanescope_unsigned(less(lanescope_quantiles_at(q, 500), cost)),
        lanescope_unsigned(less(lanescope_quantiles_at(q, 900), cost)),
        lanescope_unsigned(less(lanescope_quantiles_at(q, 990), cost)),
        lanescope_unsigned(less(q->max, cost)),
        lanescope_unsigned(cost),
        lanescope_bool(st->memory_probes),
    };
    lanescope_add_row(host, out, &blocks, r->key.from, row);
    host->add(out, r->key.from, st->self->metric[TIMED], (int64_t)q->count);
    host->add(out, r->key.from, st->self->metric[CYCLES], (int64_t)less(q->sum, q->count * cost));
}

static int by_key(const struct region *a, const struct region *b)
{
    if (a->key.from != b->key.from)
        return a->key.from < b->key.from ? -1 : 1;
    return a->key.to < b->key.to ? -1 : a->key.to > b->key.to;
}

/* Entries of each block, and those of them whose time is not among the regions'. */
static void report_entries(const struct state *st, struct lanescope_results *out)
{
    const struct lanescope_host *host = st->self->host;
    uint32_t n = st->dispatch->n_sites;
    int64_t *timed = calloc(n + 1u, sizeof *timed);
    for (struct region *r = st->regions; timed && r; r = r->hh.next)
        timed[r->key.from] += (int64_t)r->time.count;
    for (uint32_t i = 0; i < n; i++) {
        if (!st->executions[i] || !lanescope_is_block(&st->dispatch->sites[i], "block"))
            continue;
        host->add(out, i, st->self->metric[EXECUTIONS], st->executions[i]);
        if (timed && timed[i] < st->executions[i])
            host->add(out, i, st->self->metric[NOT_TIMED], st->executions[i] - timed[i]);
    }
    free(timed);
}

static void dispatch_end(void *state, struct lanescope_results *out)
{
    struct state *st = state;
    const struct lanescope_host *host = st->self->host;
    uint64_t cost = lanescope_quantiles_at(&st->probe, 500);
    struct region *r, *next;
    report_entries(st, out);
    HASH_SORT(st->regions, by_key);
    HASH_ITER(hh, st->regions, r, next)
    {
        if (r->time.count)
            report_region(st, r, cost, out);
        HASH_DEL(st->regions, r);
        lanescope_quantiles_free(&r->time);
        free(r);
    }
    if (st->lost)
        host->log(host, LANESCOPE_LOG_ERROR, "block_timing: some times of %s are missing: out of memory",
                  st->dispatch->kernel);
    lanescope_quantiles_free(&st->probe);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "block_timing",
    .version = LANESCOPE_VERSION,
    .description = "time of wavefronts from one basic block to the next by source line",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .events = events,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
};
