/*
 * sdk_handler.c - a handler as users write it, of each header of lanescope/sdk something. It is built as C and as C++, and
 * includes nothing else of ours.
 */
#include <lanescope/sdk/aperture.h>
#include <lanescope/sdk/blocks.h>
#include <lanescope/sdk/global.h>
#include <lanescope/sdk/json.h>
#include <lanescope/sdk/memo.h>
#include <lanescope/sdk/metrics.h>
#include <lanescope/sdk/options.h>
#include <lanescope/sdk/parts.h>
#include <lanescope/sdk/pattern.h>
#include <lanescope/sdk/quantiles.h>
#include <lanescope/sdk/rows.h>
#include <lanescope/sdk/views.h>

#ifdef __cplusplus
#define HANDLER_NAME "sdk_handler_cpp"
#else
#define HANDLER_NAME "sdk_handler"
#endif

enum { EXECUTIONS, GLOBAL_BYTES, LDS_LANES, MODEL_CALLS, METRICS };

/* What a shape cost. */
struct remembered {
    struct lanescope_shape shape;
    uint64_t bytes;
};

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
    uint64_t blocks; /* option: it wants block probes */
    struct lanescope_blocks_told told;
    struct lanescope_memo_pool memos;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    struct lanescope_shapes shapes;
    struct lanescope_quantiles widths;
    int64_t n[METRICS];
};

static int describe(struct self *self)
{
    static const struct lanescope_metric metrics[METRICS] = {
        {"Executions", "accesses", "accesses by wavefronts"},
        {"Global Bytes", "bytes", "bytes that reach global memory, as the hardware's instructions have them"},
        {"LDS Lanes", "lanes", "lanes whose flat address is in LDS"},
        {"Model Calls", "calls", "times that a cost was not remembered"},
    };
    static const struct lanescope_named_view views[] = {
        {"Executions", LANESCOPE_VIEW(NULL, NEITHER, ALWAYS, 0, 0, EXECUTIONS)},
        {"Global Bytes", LANESCOPE_VIEW("Bytes", WORSE, ALWAYS, 1, 1, NONE)},
    };
    int rc = lanescope_set_metrics(self->host, metrics, METRICS, self->metric);
    return rc ? rc : lanescope_set_views(self->host, "parts of the SDK", "none", views, 2);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    struct self *self = (struct self *)calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    const struct lanescope_option list[] = {{"blocks", &self->blocks, 0, 1, false}};
    self->host = host;
    int rc = lanescope_parse_options(host, HANDLER_NAME, options, list, 1);
    rc = rc ? rc : describe(self);
    if (rc)
        free(self);
    else
        *out = self;
    return rc;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = (struct self *)handler;
    if (self->blocks)
        return lanescope_no_blocks(self->host, &self->told, HANDLER_NAME, d);
    struct state *st = (struct state *)calloc(1, sizeof *st);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    st->shapes = lanescope_shapes_of(&self->memos);
    *out = st;
    return 0;
}

/* Bytes of the access that reach global memory. */
static uint64_t global_bytes(struct state *st, const struct lanescope_access *a)
{
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    uint64_t addr[64], bytes = 0;
    const uint64_t lanes = lanescope_global_lanes(s, a, addr);
    st->n[MODEL_CALLS]++;
    st->n[LDS_LANES] += __builtin_popcountll(lanescope_lanes_in(LANESCOPE_APERTURE_LDS, a->exec, addr));
    for (unsigned i = 0; i < lanescope_n_parts(st->dispatch, a->site); i++)
        bytes += lanescope_part_at(st->dispatch, a->site, i).bytes *
                 (uint64_t)__builtin_popcountll(lanescope_lanes_longer_than(a, lanes, 0));
    return bytes;
}

static void one(struct state *st, const struct lanescope_access *a)
{
    struct remembered fresh, *r;
    bool known;
    st->n[EXECUTIONS]++;
    lanescope_quantiles_add(&st->widths, lanescope_longest_lane(a), 1);
    if (!lanescope_is_global(&st->dispatch->sites[a->site]))
        return;
    if (!lanescope_has_shape(a)) {
        st->n[GLOBAL_BYTES] += (int64_t)global_bytes(st, a);
        return;
    }
    r = (struct remembered *)lanescope_shapes_entry(&st->shapes, a, 0, a->site, sizeof fresh, &fresh, &known);
    if (!known)
        r->bytes = global_bytes(st, a);
    st->n[GLOBAL_BYTES] += (int64_t)r->bytes;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = (struct state *)state;
    for (size_t i = 0; i < n; i++)
        one(st, &a[i]);
    lanescope_shapes_give_back(&st->shapes);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = (struct state *)state;
    const struct lanescope_host *host = st->self->host;
    static const struct lanescope_column columns[] = {{"kernel", LANESCOPE_TEXT},
                                                      {"median", LANESCOPE_UNSIGNED}};
    static const struct lanescope_table widths = {"widths", columns, 2};
    const struct lanescope_value row[] = {lanescope_text(st->dispatch->kernel),
                                          lanescope_unsigned(lanescope_quantiles_at(&st->widths, 500))};
    struct lanescope_json j;
    struct lanescope_dispatch first = *st->dispatch; /* whose site has all numbers */
    first.n_sites = 1;
    lanescope_tell_sums(host, r, &first, METRICS, st->self->metric, st->n, EXECUTIONS);
    lanescope_add_row(host, r, &widths, LANESCOPE_NO_SITE, row);
    lanescope_json_begin(&j);
    lanescope_json_open(&j, "list", '[');
    lanescope_json_text(&j, NULL, "a\"b");
    lanescope_json_integer(&j, NULL, -1);
    lanescope_json_close(&j, ']');
    lanescope_json_end(&j, host, r, "lists", LANESCOPE_NO_SITE);
    lanescope_quantiles_free(&st->widths);
    free(st);
}

static void close_handler(void *handler)
{
    struct self *self = (struct self *)handler;
    lanescope_memo_free(&self->memos);
    free(self);
}

/* In the header's order, as C++17 has no names here. */
LANESCOPE_HANDLER = {
    LANESCOPE_HANDLER_ABI,
    sizeof(struct lanescope_handler),
    HANDLER_NAME,
    "1.0",
    "something of each part of the SDK",
    open_handler,
    dispatch_begin,
    accesses,
    NULL, /* events */
    NULL, /* merge */
    dispatch_end,
    close_handler,
    NULL, /* repeated */
    0,    /* needs */
    NULL, /* reduced */
};
