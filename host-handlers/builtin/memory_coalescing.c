/*
 * memory_coalescing.c - handler: cache lines touched against needed, and address-unit requests, of every
 * global, flat and buffer access, by site. "Coalescing" is ROCm Compute Profiler's vL1D metric of that name.
 *
 * What the original's machine code does for a site is counted where it is known; scalar loads are no vector
 * memory access. Where it is not, an access wider than 16 bytes counts in pieces of 16 bytes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/pattern.h"
#include "lanescope/sdk/views.h"
#include "lanescope/sdk/global.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "common/numbers.h"
#include "host-handlers/models/coalescing_model.h"
#include "host-handlers/shared/plan.h"
#include "host-handlers/shared/recent.h"

enum metric {
    EXECUTIONS,
    LANES,
    BYTES,
    LINES,
    NEEDED,
    L2_LINES,
    L2_NEEDED,
    REQUESTS,
    INSTRUCTIONS,
    ATOMIC_LANES,
    ATOMIC_ADDRESSES,
    METRICS
};

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
    struct lanescope_memo_pool memos;
};

struct sums {
    int64_t of[METRICS];
};

struct memo {
    struct lanescope_shape shape;
    struct sums sums;
};

enum { PERIOD = 128 }; /* the largest line: costs repeat with the base address modulo it */

struct again {
    struct ls_again last;
    uint32_t site; /* that the sums are of */
    struct sums sums;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    const struct ls_gpu *gpu;
    struct lanescope_shapes shapes;
    uint32_t places; /* of again: recent.h */
    struct again *again;
    struct sums site[];
};

static int register_numbers(void *handler, const struct lanescope_host *host)
{
    struct self *self = handler;
    static const struct lanescope_metric metrics[METRICS] = {
        [EXECUTIONS] = {"Executions", "accesses", "global memory accesses by wavefronts"},
        [LANES] = {"Active Lanes", "lanes", "active lanes of these accesses"},
        [BYTES] = {"Bytes", "bytes", "distinct bytes that the accesses touched"},
        [LINES] = {"Cache Lines", "lines", "vL1D cache lines touched"},
        [NEEDED] = {"Cache Lines Needed", "lines",
                    "vL1D cache lines that the same bytes would fill side by side"},
        [L2_LINES] = {"L2 Lines", "lines", "L2 cache lines touched"},
        [L2_NEEDED] = {"L2 Lines Needed", "lines",
                       "L2 cache lines that the same bytes would fill side by side"},
        [REQUESTS] = {"TA Requests", "requests",
                      "model: requests of the address unit to vL1D (TCP_TOTAL_ACCESSES)"},
        [INSTRUCTIONS] = {"Wavefronts", "wavefronts", "wavefront instructions (TA_TOTAL_WAVEFRONTS)"},
        [ATOMIC_LANES] = {"Atomic Lanes", "lanes", "active lanes of atomics"},
        [ATOMIC_ADDRESSES] = {"Atomic Addresses", "addresses",
                              "distinct addresses that the lanes of an atomic update, summed up"},
    };
    /* How reports show the numbers, in order of their columns. */
    static const struct lanescope_named_view views[] = {
        {"Executions", LANESCOPE_VIEW(NULL, NEITHER, ALWAYS, 0, 0, EXECUTIONS)},
        {"Active Lanes", LANESCOPE_VIEW(NULL, NEITHER, EXPORT, 0, 0, LANES)},
        {"Cache Lines", LANESCOPE_VIEW(NULL, WORSE, ALWAYS, 1, 1, NONE)},
        {"Cache Lines Needed", LANESCOPE_VIEW("Lines Needed", NEITHER, ALWAYS, -1, 0, NONE)},
        {"Lanes/Address", LANESCOPE_VIEW("Lanes/Addr", WORSE, COST, 0, 1, NONE)},
        {"Cache Lines/Needed", LANESCOPE_VIEW(NULL, WORSE, DETAIL, 0, 0, NONE)},
        {"Coalescing", LANESCOPE_VIEW(NULL, BETTER, ALWAYS, 0, 0, COALESCING)},
        {"L2 Lines", LANESCOPE_VIEW(NULL, WORSE, EXPORT, 0, 0, NONE)},
        {"TA Requests", LANESCOPE_VIEW(NULL, WORSE, EXPORT, 0, 0, NONE)},
        {"Atomic Lanes", LANESCOPE_VIEW(NULL, NEITHER, EXPORT, 1, 0, CONTENTION)},
        {"Atomic Addresses", LANESCOPE_VIEW(NULL, NEITHER, EXPORT, -1, 0, CONTENTION)},
    };
    self->host = host;
    int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    const struct lanescope_ratio ratios[] = {
        {"Coalescing", "%",
         "100 * 64 * TA_TOTAL_WAVEFRONTS / (4 * TCP_TOTAL_ACCESSES): 25 uncoalesced, 100 coalesced",
         100.0 * 64 / 4, self->metric[INSTRUCTIONS], 0, self->metric[REQUESTS], 0},
        {"Cache Lines/Needed", "lines/line", "vL1D cache lines touched per line needed", 1.0,
         self->metric[LINES], 0, self->metric[NEEDED], 0},
        {"Lanes/Address", "lanes/address", "lanes of an atomic that update one address, one after the other",
         1.0, self->metric[ATOMIC_LANES], 0, self->metric[ATOMIC_ADDRESSES], 0},
    };
    rc = rc ? rc : lanescope_set_ratios(host, ratios, sizeof ratios / sizeof *ratios);
    return rc ? rc
              : lanescope_set_views(host, "Memory coalescing", "no excess cache lines", views,
                                    sizeof views / sizeof *views);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    return lanescope_open_plain(host, "memory_coalescing", options, sizeof(struct self), register_numbers,
                                out);
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    const struct ls_gpu *gpu = ls_gpu_in_waves(ls_gpu_with_cache(d->arch), d->lanes);
    if (!gpu) {
        self->host->log(self->host, LANESCOPE_LOG_WARNING,
                        "no cache model for %s: coalescing is not reported", d->arch);
        return -ENOTSUP;
    }
    const uint32_t places = ls_recent_places(d->n_sites);
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->site[0] + places * sizeof *st->again);
    if (!st)
        return -ENOMEM;
    st->places = places;
    st->again = (struct again *)(void *)(st->site + d->n_sites);
    st->self = self;
    st->dispatch = d;
    st->gpu = gpu;
    st->shapes = lanescope_shapes_of(&self->memos);
    *out = st;
    return 0;
}

static bool is_atomic(const struct state *st, uint32_t site)
{
    return ls_plan_is_atomic(&st->dispatch->sites[site]);
}

/* Lanes that update one address do it one after the other. A lane's atomic is never wider than 8 bytes, nor
 * does it overlap another one's in part. */
static void count_atomic(struct sums *s, uint64_t exec, const uint64_t addr[64])
{
    s->of[ATOMIC_LANES] = __builtin_popcountll(exec);
    for (uint64_t left = exec; left; s->of[ATOMIC_ADDRESSES]++) {
        const uint64_t first = addr[__builtin_ctzll(left)];
        for (uint64_t m = left; m; m &= m - 1)
            if (addr[__builtin_ctzll(m)] == first)
                left &= ~(m & -m);
    }
}

/* Addresses `offset` bytes behind those of the active lanes. */
static const uint64_t *shifted(uint64_t exec, const uint64_t addr[64], uint64_t offset, uint64_t room[64])
{
    for (uint64_t m = offset ? exec : 0; m; m &= m - 1)
        room[__builtin_ctzll(m)] = addr[__builtin_ctzll(m)] + offset;
    return offset ? room : addr;
}

/* `times` pieces of n bytes that cost the same, the first one at byte `done` of an access. */
static void add_piece(const struct state *st, struct sums *sum, uint64_t exec, const uint64_t addr[64],
                      uint64_t done, unsigned n, int64_t times)
{
    uint64_t room[64];
    struct ls_cache_cost c = ls_cache_access(st->gpu, n, exec, shifted(exec, addr, done, room));
    sum->of[BYTES] += times * c.bytes;
    sum->of[LINES] += times * c.l1_lines;
    sum->of[NEEDED] += times * c.l1_needed;
    sum->of[L2_LINES] += times * c.l2_lines;
    sum->of[L2_NEEDED] += times * c.l2_needed;
    sum->of[REQUESTS] += times * c.requests;
    sum->of[INSTRUCTIONS] += times;
}

/* A copy may have any length, but what its pieces cost comes again when all addresses have grown by a
 * multiple of the longest line. */
static struct sums whole_access(const struct state *st, uint64_t exec, uint64_t bytes,
                                const uint64_t addr[64])
{
    struct sums sum = {.of = {[EXECUTIONS] = 1, [LANES] = __builtin_popcountll(exec)}};
    const uint64_t rounds = bytes / PERIOD;
    for (uint64_t done = 0; rounds > 1 && done < PERIOD; done += 16)
        add_piece(st, &sum, exec, addr, done, 16, (int64_t)rounds);
    for (uint64_t done = rounds > 1 ? rounds * PERIOD : 0, n; done < bytes; done += n) {
        n = ls_cache_piece(bytes, done);
        add_piece(st, &sum, exec, addr, done, (unsigned)n, 1);
    }
    return sum;
}

static void add(struct sums *to, const struct sums *from, int64_t times)
{
    for (unsigned m = 0; m < METRICS && times == 1; m++)
        to->of[m] = ls_sum(to->of[m], (uint64_t)from->of[m]);
    for (unsigned m = 0; m < METRICS && times != 1; m++)
        to->of[m] = ls_sum(to->of[m], (uint64_t)times * (uint64_t)from->of[m]);
}

/* One pass of an instruction. */
static struct sums one_pass(const struct state *st, uint64_t exec, const struct lanescope_pass *p,
                            const uint64_t addr[64])
{
    uint64_t room[64];
    struct sums sum = whole_access(st, exec, p->bytes, shifted(exec, addr, p->offset, room));
    if (!p->first)
        sum.of[EXECUTIONS] = sum.of[LANES] = sum.of[INSTRUCTIONS] = 0;
    return sum;
}

/* What an access costs whose shape tells it, or one pass of its instruction. */
static const struct sums *regular_cost(struct state *st, const struct lanescope_access *a, uint32_t bytes,
                                       const struct lanescope_pass *p, uint8_t number, struct memo *fresh)
{
    bool known;
    struct memo *m = ls_recent_cost(&st->shapes, a, PERIOD, number, sizeof *fresh, fresh, &known);
    if (!known) {
        uint64_t addr[64];
        lanescope_addresses(a, addr);
        m->sums = p ? one_pass(st, a->exec, p, addr) : whole_access(st, a->exec, bytes, addr);
        if (is_atomic(st, a->site) && (!p || p->first))
            count_atomic(&m->sums, a->exec, addr);
    }
    return &m->sums;
}

/* An access of constant width whose shape tells all. */
static void regular(struct state *st, const struct lanescope_access *a, uint32_t bytes,
                    const struct lanescope_isa *isa, int64_t times)
{
    struct memo fresh;
    for (uint8_t i = 0; isa && i < isa->n_passes; i++)
        add(&st->site[isa->passes[i].site], regular_cost(st, a, bytes, &isa->passes[i], i, &fresh), times);
    if (!isa)
        add(&st->site[a->site], regular_cost(st, a, bytes, NULL, 0, &fresh), times);
}

static struct again *again_of(struct state *st, uint32_t site)
{
    return &st->again[ls_recent_place(site, st->places)];
}

static void add_again(struct state *st, struct again *g)
{
    const int64_t times = ls_again_end(&g->last);
    if (times)
        add(&st->site[g->site], &g->sums, times);
}

/* The same of one in a line, of which all is one pass, for the first time. */
static void begin_again(struct state *st, const struct lanescope_access *a, uint32_t bytes,
                        const struct lanescope_pass *p)
{
    struct memo fresh;
    struct again *g = again_of(st, a->site);
    ls_again_begin(&g->last, a);
    g->site = p ? p->site : a->site;
    g->sums = *regular_cost(st, a, bytes, p, 0, &fresh);
}

static void add_all_again(struct state *st)
{
    for (uint32_t i = 0; i < st->places; i++)
        add_again(st, &st->again[i]);
}

static void irregular(struct state *st, const struct lanescope_access *a, const struct lanescope_isa *isa,
                      int64_t times)
{
    uint64_t addr[64], exec = lanescope_global_lanes(&st->dispatch->sites[a->site], a, addr);
    uint64_t longest = lanescope_longest_lane(a);
    if (!exec || !longest)
        return;
    for (unsigned i = 0; isa && i < isa->n_passes; i++) {
        struct sums s = one_pass(st, exec, &isa->passes[i], addr);
        if (is_atomic(st, a->site) && isa->passes[i].first)
            count_atomic(&s, exec, addr);
        add(&st->site[isa->passes[i].site], &s, times);
    }
    if (isa)
        return;
    struct sums s = whole_access(st, exec, longest, addr);
    if (is_atomic(st, a->site))
        count_atomic(&s, exec, addr);
    add(&st->site[a->site], &s, times);
}

static void take(struct state *st, const struct lanescope_access *a)
{
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, a->site);
    struct again *g = again_of(st, a->site);
    add_again(st, g);
    ls_again_own(&g->last, a->site, !lanescope_is_global(s));
    if (g->last.ignored)
        return;
    if (!lanescope_has_shape(a) || !s->bytes || !s->space)
        irregular(st, a, isa, 1);
    else if (a->pattern == LANESCOPE_STRIDED && (!isa || isa->n_passes == 1))
        begin_again(st, a, s->bytes, isa ? isa->passes : NULL);
    else
        regular(st, a, s->bytes, isa, 1);
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++)
        if (!ls_again_takes(&again_of(st, a[i].site)->last, &a[i], PERIOD))
            take(st, &a[i]);
    lanescope_shapes_give_back(&st->shapes);
}

static void repeated(void *state, const struct lanescope_access *a, uint64_t times)
{
    struct state *st = state;
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    if (!(lanescope_is_global(s) && s->space))
        return;
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, a->site);
    if (lanescope_has_shape(a))
        regular(st, a, s->bytes, isa, (int64_t)times);
    else
        irregular(st, a, isa, (int64_t)times);
    lanescope_shapes_give_back(&st->shapes);
}

/* One pass of all these accesses together. `whole`: counts the access, `instruction`: the instruction. */
static void count_reduced(struct state *st, uint32_t site, bool whole, bool instruction,
                          const struct lanescope_reduced *r)
{
    const bool l1_64 = st->gpu->l1_line == 64, l2_64 = st->gpu->l2_line == 64;
    const struct sums sum = {.of = {
                                 [EXECUTIONS] = whole ? (int64_t)r->executions : 0,
                                 [LANES] = whole ? (int64_t)r->lanes : 0,
                                 [BYTES] = (int64_t)r->distinct_bytes,
                                 [LINES] = (int64_t)(l1_64 ? r->lines_64 : r->lines_128),
                                 [NEEDED] = (int64_t)(l1_64 ? r->needed_64 : r->needed_128),
                                 [L2_LINES] = (int64_t)(l2_64 ? r->lines_64 : r->lines_128),
                                 [L2_NEEDED] = (int64_t)(l2_64 ? r->needed_64 : r->needed_128),
                                 [REQUESTS] = (int64_t)r->requests,
                                 [INSTRUCTIONS] = instruction ? (int64_t)r->executions : 0,
                             }};
    add(&st->site[site], &sum, 1);
}

static void reduced(void *state, const struct lanescope_reduced *r)
{
    struct state *st = state;
    const struct lanescope_site *s = &st->dispatch->sites[r->site];
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, r->site);
    if (r->lds || !lanescope_is_global(s))
        return;
    for (unsigned i = 0; isa && i < isa->n_passes; i++) {
        const struct lanescope_pass *p = &isa->passes[i];
        if (p->offset == r->offset && p->bytes == r->bytes)
            count_reduced(st, p->site, p->first, p->first, r);
    }
    if (!isa && (ls_plan_is_long(s) || ls_cache_has_piece(s->bytes, r->offset, r->bytes)))
        count_reduced(st, r->site, r->offset == 0, true, r);
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    add_all_again(from);
    lanescope_merge_sums(to->dispatch, METRICS, to->site[0].of, from->site[0].of);
    free(from);
}

/* Where the GPU has no counters of requests, a percentage of them would be like nothing that its users know. */
static bool is_told(const struct state *st, uint32_t site, unsigned metric)
{
    if (metric == REQUESTS || metric == INSTRUCTIONS)
        return st->gpu->family->counts_requests;
    return metric < ATOMIC_LANES || st->site[site].of[ATOMIC_LANES];
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    const struct lanescope_host *host = st->self->host;
    add_all_again(st);
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        for (unsigned m = 0; m < METRICS && st->site[i].of[EXECUTIONS]; m++)
            if (is_told(st, i, m))
                host->add(r, i, st->self->metric[m], st->site[i].of[m]);
    free(st);
}

static void close_handler(void *handler)
{
    struct self *self = handler;
    lanescope_memo_free(&self->memos);
    free(self);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "memory_coalescing",
    .version = LANESCOPE_VERSION,
    .description = "cache lines touched against needed, and coalescing, of global memory by source line",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = close_handler,
    .repeated = repeated,
    .reduced = reduced,
    .needs = LANESCOPE_PRICES_ACCESSES,
};
