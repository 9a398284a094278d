/*
 * alignment.c - handler: accesses whose addresses are not aligned, by site: to the access's own size, to 16
 * bytes (what the widest instructions need), and, for global memory, the first lane's to its cache line.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "host-handlers/models/coalescing_model.h"
#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/views.h"
#include "lanescope/sdk/parts.h"

enum metric { UNALIGNED, UNALIGNED_LANES, NOT_16, NOT_LINE, EXECUTIONS, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    uint32_t line; /* bytes; 0: unknown architecture */
    int64_t sum[][METRICS];
};

static int register_numbers(void *handler, const struct lanescope_host *host)
{
    struct self *self = handler;
    static const struct lanescope_metric metrics[METRICS] = {
        [UNALIGNED] = {"Unaligned", "accesses",
                       "accesses with a lane that is not aligned to the access's size"},
        [UNALIGNED_LANES] = {"Unaligned Lanes", "lanes", "lanes that are not aligned to the access's size"},
        [NOT_16] = {"Not 16-Aligned", "accesses", "accesses with a lane that is not aligned to 16 bytes"},
        [NOT_LINE] = {"Not Line-Aligned", "accesses",
                      "accesses to global memory whose first active lane does not start a vL1D cache line"},
        [EXECUTIONS] = {"Executions", "accesses", "accesses by wavefronts; of a ds_read2 both"},
    };
    /* How reports show the numbers, in order of their columns. */
    static const struct lanescope_named_view views[] = {
        {"Unaligned", LANESCOPE_VIEW(NULL, WORSE, DETAIL, 0, 1, NONE)},
        {"Unaligned Lanes", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Not 16-Aligned", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Not Line-Aligned", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Executions", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, EXECUTIONS)},
    };
    self->host = host;
    int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    return rc ? rc : lanescope_set_views(host, "alignment", NULL, views, sizeof views / sizeof *views);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    return lanescope_open_plain(host, "alignment", options, sizeof(struct self), register_numbers, out);
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    const struct ls_gpu *gpu = ls_gpu_in_waves(ls_gpu_with_cache(d->arch), d->lanes);
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->sum[0]);
    if (!st)
        return -ENOMEM;
    st->self = handler;
    st->dispatch = d;
    st->line = gpu ? gpu->l1_line : 0;
    *out = st;
    return 0;
}

/* Lanes whose address plus offset is not a multiple of `to`, a power of two. */
static unsigned off(uint64_t exec, const uint64_t addr[64], uint32_t offset, uint64_t to)
{
    unsigned n = 0;
    for (uint64_t m = exec; m; m &= m - 1)
        n += ((addr[__builtin_ctzll(m)] + offset) & (to - 1)) != 0;
    return n;
}

static void count(struct state *st, const struct lanescope_part *p, uint64_t exec, const uint64_t addr[64])
{
    int64_t *sum = st->sum[p->site];
    uint64_t size = p->bytes & -p->bytes; /* 12 bytes are aligned when their dwords are */
    unsigned lanes = off(exec, addr, p->offset, size);
    bool lds = st->dispatch->sites[p->site].space == LANESCOPE_SPACE_LDS;
    sum[EXECUTIONS]++;
    sum[UNALIGNED] += lanes != 0;
    sum[UNALIGNED_LANES] += lanes;
    sum[NOT_16] += off(exec, addr, p->offset, 16) != 0;
    sum[NOT_LINE] += st->line && !lds && (addr[__builtin_ctzll(exec)] + p->offset) % st->line != 0;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        uint64_t addr[64];
        unsigned parts = lanescope_n_parts(st->dispatch, a[i].site);
        if (!st->dispatch->sites[a[i].site].bytes) /* memcpy of any length: has no size to be aligned to */
            continue;
        lanescope_addresses(&a[i], addr);
        for (unsigned k = 0; k < parts; k++) {
            struct lanescope_part p = lanescope_part_at(st->dispatch, a[i].site, k);
            if (p.bytes)
                count(st, &p, a[i].exec, addr);
        }
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
    .name = "alignment",
    .version = LANESCOPE_VERSION,
    .description = "accesses that are not aligned to their size, to 16 bytes, to the cache line",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
};
