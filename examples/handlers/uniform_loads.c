/*
 * uniform_loads.c - loads in which all lanes read one address: the value is the same for the whole wavefront
 * and could come through the scalar cache, or be loaded once and broadcast.
 */
#include <errno.h>
#include <stdlib.h>

#include <lanescope/handler.h>
#include <lanescope/sites.h>

enum { UNIFORM, LOADS, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    int64_t count[][METRICS];
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    (void)options;
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    self->metric[UNIFORM] =
        host->metric(host, "Uniform Loads", "accesses", "loads of one address by all lanes");
    self->metric[LOADS] =
        host->metric(host, "Loads", "accesses", "loads by wavefronts with several active lanes");
    *out = self;
    return host->ratio(host, &(struct lanescope_ratio){"Uniform", "%", "share of uniform loads", 100,
                                                       self->metric[UNIFORM], 0, self->metric[LOADS], 0});
}

static int dispatch_begin(void *self, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->count[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    *out = st;
    return 0;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (st->dispatch->sites[a[i].site].kind != LS_SITE_LOAD || a[i].active < 2)
            continue;
        st->count[a[i].site][LOADS]++;
        /* The GPU sends such an access as a strided one; no need to look at 64 addresses. */
        st->count[a[i].site][UNIFORM] += a[i].pattern == LANESCOPE_STRIDED && a[i].stride == 0;
    }
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        for (int m = 0; m < METRICS && st->count[i][LOADS]; m++)
            st->self->host->add(r, i, st->self->metric[m], st->count[i][m]);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "uniform_loads",
    .version = "1.0",
    .description = "loads of one address by a whole wavefront",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .dispatch_end = dispatch_end,
    .close = free,
};
