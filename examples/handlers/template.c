/*
 * template.c - the least handler that does something: counts accesses by site. Copy it and change what
 * `accesses` and `dispatch_end` do. docs/handlers.md explains the calls, lanescope/handler.h is the
 * reference.
 */
#include <errno.h>
#include <stdlib.h>

#include <lanescope/handler.h>

struct self {
    const struct lanescope_host *host;
    uint32_t executions; /* our metric's number */
};

/* One dispatch, or a part of it: several may exist at a time, on different threads. */
struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    int64_t count[]; /* by site */
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    if (*options) {
        host->log(host, 0, "template takes no options, got '%s'", options);
        return -EINVAL;
    }
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    self->executions = host->metric(host, "Executions", "accesses", "memory accesses by wavefronts");
    *out = self;
    return 0;
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
    for (size_t i = 0; i < n; i++)
        st->count[a[i].site]++;
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    for (uint32_t i = 0; i < to->dispatch->n_sites; i++)
        to->count[i] += from->count[i];
    free(from);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        if (st->count[i])
            st->self->host->add(r, i, st->self->executions, st->count[i]);
    free(st);
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "template",
    .version = "1.0",
    .description = "accesses by site",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
};
