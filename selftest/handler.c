/*
 * handler.c - the handler that `lanescope selftest` records with: counts what arrives of each dispatch, and where its
 * wavefronts ran, as one row of the table "observed".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanescope/handler.h>
#include <lanescope/sdk/rows.h>

enum { MAX_XCCS = 16 };

struct self {
    const struct lanescope_host *host;
};

struct state {
    struct self *self;
    uint64_t accesses, lanes, sum, ends;
    uint64_t first, last; /* of the device's clock */
    uint32_t xccs;        /* a bit each */
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    if (*options)
        return -EINVAL;
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    *out = self;
    return 0;
}

static int dispatch_begin(void *self, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = calloc(1, sizeof *st);
    (void)d;
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->first = ~0ull;
    *out = st;
    return 0;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        uint64_t address[64];
        lanescope_addresses(&a[i], address);
        for (uint64_t m = a[i].exec; m; m &= m - 1)
            st->sum += address[__builtin_ctzll(m)];
        st->accesses++;
        st->lanes += a[i].active;
    }
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (e[i].kind != LANESCOPE_EVENT_END)
            continue;
        st->ends++;
        st->xccs |= 1u << e[i].wave->xcc_id % MAX_XCCS;
        if (e[i].start < st->first)
            st->first = e[i].start;
        if (e[i].start + e[i].duration > st->last)
            st->last = e[i].start + e[i].duration;
    }
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    to->accesses += from->accesses;
    to->lanes += from->lanes;
    to->sum += from->sum;
    to->ends += from->ends;
    to->xccs |= from->xccs;
    to->first = from->first < to->first ? from->first : to->first;
    to->last = from->last > to->last ? from->last : to->last;
    free(from);
}

static const struct lanescope_column columns[] = {
    {"accesses", LANESCOPE_UNSIGNED}, {"lanes", LANESCOPE_UNSIGNED}, {"sum", LANESCOPE_TEXT},
    {"waves", LANESCOPE_UNSIGNED},    {"xccs", LANESCOPE_UNSIGNED},  {"ticks", LANESCOPE_UNSIGNED},
};
static const struct lanescope_table observed = {"observed", columns, sizeof columns / sizeof columns[0]};

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    char sum[32];
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)st->sum);
    const struct lanescope_value row[] = {
        lanescope_unsigned(st->accesses),
        lanescope_unsigned(st->lanes),
        lanescope_text(sum),
        lanescope_unsigned(st->ends),
        lanescope_unsigned((unsigned)__builtin_popcount(st->xccs)),
        lanescope_unsigned(st->ends ? st->last - st->first : 0),
    };
    lanescope_add_row(st->self->host, r, &observed, LANESCOPE_NO_SITE, row);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "selftest",
    .version = LANESCOPE_VERSION,
    .description = "what arrives of the self-test's kernels",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .events = events,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
    .needs = LANESCOPE_NEEDS_LIVES,
};
