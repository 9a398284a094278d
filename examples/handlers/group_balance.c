/*
 * group_balance.c - do all work-groups access memory equally often? Numbers of the whole dispatch, made of
 * the wavefront that each access names. Shows host->add with LANESCOPE_NO_SITE.
 */
#include <errno.h>
#include <stdlib.h>

#include <lanescope/handler.h>

enum { BUSIEST, IDLEST, GROUPS, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
};

struct state {
    struct self *self;
    uint32_t groups[3]; /* in each direction */
    uint64_t n;
    uint64_t count[];
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    (void)options;
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    self->metric[BUSIEST] =
        host->metric(host, "Busiest Work-Group", "accesses", "accesses of the busiest one");
    self->metric[IDLEST] = host->metric(host, "Idlest Work-Group", "accesses", "accesses of the idlest one");
    self->metric[GROUPS] = host->metric(host, "Work-Groups", "work-groups", "of the dispatches");
    *out = self;
    return 0;
}

static int dispatch_begin(void *self, const struct lanescope_dispatch *d, void **out)
{
    uint32_t groups[3];
    uint64_t n = 1;
    for (int i = 0; i < 3; i++)
        n *= groups[i] = d->workgroup[i] ? (d->grid[i] + d->workgroup[i] - 1) / d->workgroup[i] : 1;
    if (n > 1u << 24)
        return -E2BIG; /* declined: the report goes on without us */
    struct state *st = calloc(1, sizeof *st + n * sizeof st->count[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->n = n;
    for (int i = 0; i < 3; i++)
        st->groups[i] = groups[i];
    *out = st;
    return 0;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *g = a[i].wave->workgroup;
        uint64_t at = g[0] + st->groups[0] * (g[1] + (uint64_t)st->groups[1] * g[2]);
        if (at < st->n)
            st->count[at]++;
    }
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    const struct self *self = st->self;
    uint64_t most = 0, least = UINT64_MAX;
    for (uint64_t i = 0; i < st->n; i++) {
        most = st->count[i] > most ? st->count[i] : most;
        least = st->count[i] < least ? st->count[i] : least;
    }
    self->host->add(r, LANESCOPE_NO_SITE, self->metric[BUSIEST], (int64_t)most);
    self->host->add(r, LANESCOPE_NO_SITE, self->metric[IDLEST], (int64_t)(st->n ? least : 0));
    self->host->add(r, LANESCOPE_NO_SITE, self->metric[GROUPS], (int64_t)st->n);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "group_balance",
    .version = "1.0",
    .description = "accesses of the busiest and the idlest work-group",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .dispatch_end = dispatch_end,
    .close = free,
};
