/*
 * lds_bank_conflicts.c - handler: index cycles and bank conflict cycles of every LDS access, by site.
 *
 * Metric names are those of ROCm Compute Profiler's "LDS Statistics" panel.
 */
#include <errno.h>
#include <stdlib.h>

#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/pattern.h"
#include "lanescope/sdk/views.h"
#include "lanescope/sdk/global.h"
#include "lanescope/wire.h"
#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "common/numbers.h"
#include "host-handlers/shared/lds_site.h"
#include "host-handlers/shared/plan.h"
#include "host-handlers/shared/recent.h"

enum metric { EXECUTIONS, LANES, INDEX, CONFLICT, ADDRESS, CYCLES, ASSUMED, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
    struct lanescope_memo_pool memos;
};

struct memo {
    struct lanescope_shape shape;
    struct ls_lds_cost cost;
};

enum { PERIOD = 4 }; /* a shift of all addresses by whole dwords only renames the banks */

struct again {
    struct ls_again last;
    const struct lanescope_pass *pass; /* NULL: the whole access */
    struct ls_lds_cost cost;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    const struct ls_gpu *gpu;
    struct lanescope_shapes shapes;
    uint32_t places; /* of again: recent.h */
    struct again *again;
    int64_t sum[][METRICS];
};

/* What of a site's accesses goes to LDS. */
enum interest { IGNORE, LDS, FLAT };

static enum interest interest(const struct lanescope_site *s)
{
    if (LS_SITE_NO_ACCESS(s->kind) || s->kind == LS_SITE_LDS_DMA_READ || s->bytes > LS_LDS_MOST)
        return IGNORE;
    if (s->space == LANESCOPE_SPACE_LDS)
        return LDS;
    return s->space == LANESCOPE_SPACE_FLAT ? FLAT : IGNORE;
}

static int register_numbers(void *handler, const struct lanescope_host *host)
{
    struct self *self = handler;
    static const struct lanescope_metric metrics[METRICS] = {
        [EXECUTIONS] = {"Executions", "accesses", "LDS accesses by wavefronts"},
        [LANES] = {"Active Lanes", "lanes", "active lanes of these accesses"},
        [INDEX] = {"Index Accesses", "cycles", "cycles in which LDS served indexed accesses (IDX_ACTIVE)"},
        [CONFLICT] = {"Bank Conflict", "cycles", "of these, cycles lost to bank conflicts (BANK_CONFLICT)"},
        [ADDRESS] = {"Addr Conflict", "cycles",
                     "model: cycles in which atomics on one dword waited for each other"},
        [CYCLES] =
            {"LDS Cycles", "cycles",
             "all cycles of these accesses: Index Accesses, which Bank Conflict is a part of, and Addr "
             "Conflict"},
        [ASSUMED] = {"Assumed Cycles", "cycles",
                     "of LDS Cycles, those of accesses that this GPU serves in phases which nobody has "
                     "measured on it: they are assumed"},
    };
    /* How reports show the numbers, in order of their columns. */
    static const struct lanescope_named_view views[] = {
        {"Executions", LANESCOPE_VIEW(NULL, NEITHER, ALWAYS, 0, 0, EXECUTIONS)},
        {"Active Lanes", LANESCOPE_VIEW(NULL, NEITHER, EXPORT, 0, 0, LANES)},
        {"Index Accesses", LANESCOPE_VIEW(NULL, NEITHER, DETAIL, 0, 0, NONE)},
        {"Bank Conflict", LANESCOPE_VIEW(NULL, WORSE, ALWAYS, 1, 1, NONE)},
        {"Addr Conflict", LANESCOPE_VIEW(NULL, WORSE, COST, 1, 1, CONTENTION)},
        {"LDS Cycles", LANESCOPE_VIEW(NULL, WORSE, ALWAYS, 0, 1, WHOLE)},
        {"Bank Conflicts/Access", LANESCOPE_VIEW(NULL, WORSE, DETAIL, 0, 0, NONE)},
        {"Bank Conflict Rate", LANESCOPE_VIEW(NULL, WORSE, EXPORT, 0, 0, NONE)},
        {"Assumed Cycles", LANESCOPE_VIEW(NULL, NEITHER, EXPORT, 0, 0, ASSUMED)},
    };
    self->host = host;
    int rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    const uint32_t index = self->metric[INDEX], conflict = self->metric[CONFLICT];
    const struct lanescope_ratio ratios[] = {
        {"Bank Conflicts/Access", "conflicts/access", "BANK_CONFLICT / (IDX_ACTIVE - BANK_CONFLICT)", 1.0,
         conflict, 0, index, conflict},
        {"Bank Conflict Rate", "%", "100/32 of Bank Conflicts/Access; at most 96.875", 3.125, conflict, 0,
         index, conflict},
    };
    rc = rc ? rc : lanescope_set_ratios(host, ratios, sizeof ratios / sizeof *ratios);
    return rc ? rc
              : lanescope_set_views(host, "LDS bank conflicts", "none", views, sizeof views / sizeof *views);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    return lanescope_open_plain(host, "lds_bank_conflicts", options, sizeof(struct self), register_numbers,
                                out);
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    const struct ls_gpu *gpu = ls_gpu_in_waves(ls_gpu_with_lds(d->arch), d->lanes);
    if (!gpu) {
        self->host->log(self->host, LANESCOPE_LOG_WARNING,
                        "no LDS bank model for %s: bank conflicts are not reported", d->arch);
        return -ENOTSUP;
    }
    const uint32_t places = ls_recent_places(d->n_sites);
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->sum[0] + places * sizeof *st->again);
    if (!st)
        return -ENOMEM;
    st->places = places;
    st->again = (struct again *)(void *)(st->sum + d->n_sites);
    st->self = self;
    st->dispatch = d;
    st->gpu = gpu;
    st->shapes = lanescope_shapes_of(&self->memos);
    *out = st;
    return 0;
}

static void count_cycles(struct state *st, uint32_t site, const struct ls_lds_cost *c, int64_t times)
{
    int64_t *sum = st->sum[site];
    const uint64_t n = (uint64_t)times;
    sum[INDEX] = ls_sum(sum[INDEX], n * c->index_cycles);
    sum[CONFLICT] = ls_sum(sum[CONFLICT], n * c->conflict_cycles);
    sum[ADDRESS] = ls_sum(sum[ADDRESS], n * c->address_conflict);
    sum[ASSUMED] = ls_sum(sum[ASSUMED], n * c->assumed_cycles);
}

static void count(struct state *st, uint32_t site, uint64_t exec, const struct ls_lds_cost *c, int64_t times)
{
    int64_t *sum = st->sum[site];
    sum[EXECUTIONS] = ls_sum(sum[EXECUTIONS], (uint64_t)times);
    sum[LANES] = ls_sum(sum[LANES], (uint64_t)times * (unsigned)__builtin_popcountll(exec));
    count_cycles(st, site, c, times);
}

/* Only whole instructions count as executions; the second pass of one adds its cycles. */
static void count_pass(struct state *st, const struct lanescope_pass *p, uint64_t exec,
                       const struct ls_lds_cost *c, int64_t times)
{
    if (p->first) {
        count(st, p->site, exec, c, times);
        return;
    }
    count_cycles(st, p->site, c, times);
}

/* Of all of an access; `p`: of an instruction's pass. */
static void count_part(struct state *st, const struct lanescope_access *a, const struct lanescope_pass *p,
                       const struct ls_lds_cost *c, int64_t times)
{
    if (p)
        count_pass(st, p, a->exec, c, times);
    else
        count(st, a->site, a->exec, c, times);
}

/* `p`: the instruction's pass; NULL when it is not known. */
static const struct ls_lds_cost *regular_cost(struct state *st, const struct lanescope_access *a,
                                              const struct lanescope_pass *p, uint8_t number,
                                              struct memo *fresh)
{
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    bool known;
    struct memo *m = ls_recent_cost(&st->shapes, a, PERIOD, number, sizeof *fresh, fresh, &known);
    if (!known) {
        uint64_t addr[64];
        lanescope_addresses(a, addr);
        m->cost = p ? ls_lds_pass_cost(st->gpu, s, a->exec, p->bytes, p->offset, addr)
                    : ls_lds_site_cost(st->gpu, s, a->exec, s->bytes, addr);
    }
    return &m->cost;
}

static void irregular(struct state *st, const struct lanescope_access *a, const struct lanescope_site *s,
                      const struct lanescope_isa *isa, bool flat, int64_t times)
{
    uint64_t addr[64], longest = lanescope_longest_lane(a);
    lanescope_addresses(a, addr);
    uint64_t exec = flat ? lanescope_lanes_in(LANESCOPE_APERTURE_LDS, a->exec, addr) : a->exec;
    if (!exec || !longest || longest > LS_LDS_MOST) /* the last: of a flat copy, which faults */
        return;
    for (unsigned i = 0; isa && i < isa->n_passes; i++) {
        const struct lanescope_pass *p = &isa->passes[i];
        struct ls_lds_cost c = ls_lds_pass_cost(st->gpu, s, exec, p->bytes, p->offset, addr);
        count_pass(st, p, exec, &c, times);
    }
    if (isa)
        return;
    struct ls_lds_cost c = ls_lds_site_cost(st->gpu, s, exec, longest, addr);
    count(st, a->site, exec, &c, times);
}

/* The same distances behind the first lane instead of the base: addresses in LDS have 32 bits. */
static struct lanescope_access from_first_lane(const struct lanescope_access *a, uint32_t words[64])
{
    struct lanescope_access moved = *a;
    const uint32_t first = a->words[0];
    for (unsigned k = 0; k < a->active; k++)
        words[k] = a->words[k] - first;
    moved.base = a->base + first;
    moved.words = words;
    return moved;
}

/* An LDS access of constant width whose shape tells all. */
static void regular(struct state *st, const struct lanescope_access *a, const struct lanescope_isa *isa,
                    int64_t times)
{
    struct memo fresh;
    struct lanescope_access moved;
    uint32_t words[64];
    if (a->pattern == LANESCOPE_DELTA && a->words[0]) {
        moved = from_first_lane(a, words);
        a = &moved;
    }
    for (uint8_t i = 0; isa && i < isa->n_passes; i++)
        count_part(st, a, &isa->passes[i], regular_cost(st, a, &isa->passes[i], i, &fresh), times);
    if (!isa)
        count_part(st, a, NULL, regular_cost(st, a, NULL, 0, &fresh), times);
}

static struct again *again_of(struct state *st, uint32_t site)
{
    return &st->again[ls_recent_place(site, st->places)];
}

static void add_again(struct state *st, struct again *g)
{
    const struct lanescope_access a = {.site = g->last.of - 1, .exec = g->last.exec};
    const int64_t times = ls_again_end(&g->last);
    if (times)
        count_part(st, &a, g->pass, &g->cost, times);
}

/* The same of one in a line, of which all is one pass, for the first time. */
static void begin_again(struct state *st, const struct lanescope_access *a, const struct lanescope_pass *p)
{
    struct memo fresh;
    struct again *g = again_of(st, a->site);
    ls_again_begin(&g->last, a);
    g->pass = p;
    g->cost = *regular_cost(st, a, p, 0, &fresh);
}

static void add_all_again(struct state *st)
{
    for (uint32_t i = 0; i < st->places; i++)
        add_again(st, &st->again[i]);
}

static void take(struct state *st, const struct lanescope_access *a)
{
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, a->site);
    const enum interest what = interest(s);
    struct again *g = again_of(st, a->site);
    add_again(st, g);
    ls_again_own(&g->last, a->site, what == IGNORE);
    if (what == IGNORE)
        return;
    if (what != LDS || !lanescope_has_shape(a) || !s->bytes)
        irregular(st, a, s, isa, what == FLAT, 1);
    else if (a->pattern == LANESCOPE_STRIDED && (!isa || isa->n_passes == 1))
        begin_again(st, a, isa ? isa->passes : NULL);
    else
        regular(st, a, isa, 1);
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
    if (interest(s) != LDS)
        return;
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, a->site);
    if (lanescope_has_shape(a))
        regular(st, a, isa, (int64_t)times);
    else
        irregular(st, a, s, isa, false, (int64_t)times);
    lanescope_shapes_give_back(&st->shapes);
}

/* One pass of all these accesses together; `first` as in struct lanescope_pass. */
static void count_reduced(struct state *st, uint32_t site, bool first, const struct lanescope_reduced *r)
{
    int64_t *sum = st->sum[site];
    if (first) {
        sum[EXECUTIONS] = ls_sum(sum[EXECUTIONS], r->executions);
        sum[LANES] = ls_sum(sum[LANES], r->lanes);
    }
    sum[INDEX] = ls_sum(sum[INDEX], r->index_cycles);
    sum[CONFLICT] = ls_sum(sum[CONFLICT], r->conflict_cycles);
    sum[ADDRESS] = ls_sum(sum[ADDRESS], r->address_conflict);
    if (!ls_lds_phases_of(st->gpu, &st->dispatch->sites[r->site], r->bytes)->measured)
        sum[ASSUMED] = ls_sum(sum[ASSUMED], r->index_cycles + r->address_conflict);
}

static void reduced(void *state, const struct lanescope_reduced *r)
{
    struct state *st = state;
    const struct lanescope_site *s = &st->dispatch->sites[r->site];
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, r->site);
    if (!r->lds || interest(s) == IGNORE)
        return;
    for (unsigned i = 0; isa && i < isa->n_passes; i++)
        if (isa->passes[i].offset == r->offset && isa->passes[i].bytes == r->bytes)
            count_reduced(st, isa->passes[i].site, isa->passes[i].first, r);
    if (!isa && (ls_plan_is_long(s) || ls_lds_has_piece(s, r->offset, r->bytes)))
        count_reduced(st, r->site, r->offset == 0, r);
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    add_all_again(from);
    lanescope_merge_sums(to->dispatch, METRICS, to->sum[0], from->sum[0]);
    free(from);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    add_all_again(st);
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        st->sum[i][CYCLES] = ls_sum(st->sum[i][INDEX], (uint64_t)st->sum[i][ADDRESS]);
    lanescope_tell_sums(st->self->host, r, st->dispatch, METRICS, st->self->metric, st->sum[0], EXECUTIONS);
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
    .name = "lds_bank_conflicts",
    .version = LANESCOPE_VERSION,
    .description = "LDS index cycles, bank conflicts and address conflicts by source line",
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
