/*
 * template.c - the least handler that does something: counts accesses by site. Copy it and change what
 * `accesses` and `dispatch_end` do. It compiles as C11 and as C++17. docs/handlers.md
 * explains the calls, lanescope/handler.h is the manual.
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
    int64_t *count; /* by site */
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    if (*options) {
        host->log(host, LANESCOPE_LOG_ERROR, "template takes no options, got '%s'", options);
        return -EINVAL;
    }
    struct self *self = (struct self *)calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    self->executions = host->metric(host, "Executions", "accesses", "memory accesses by wavefronts");
    *out = self;
    /* More of it is neither better nor worse, and the column is always shown. */
    struct lanescope_view view = {sizeof view, NULL, LANESCOPE_MORE_IS_NEITHER, LANESCOPE_SHOW_ALWAYS,
                                  0,           0,    LANESCOPE_ROLE_EXECUTIONS};
    return lanescope_set_view(host, "Executions", &view);
}

static int dispatch_begin(void *self, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = (struct state *)calloc(1, sizeof *st);
    if (!st || !(st->count = (int64_t *)calloc(d->n_sites + 1, sizeof *st->count))) {
        free(st);
        return -ENOMEM;
    }
    st->self = (struct self *)self;
    st->dispatch = d;
    *out = st;
    return 0;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = (struct state *)state;
    for (size_t i = 0; i < n; i++)
        st->count[a[i].site]++;
}

static void merge(void *state, void *other)
{
    struct state *to = (struct state *)state, *from = (struct state *)other;
    for (uint32_t i = 0; i < to->dispatch->n_sites; i++)
        to->count[i] += from->count[i];
    free(from->count);
    free(from);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = (struct state *)state;
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        if (st->count[i])
            st->self->host->add(r, i, st->self->executions, st->count[i]);
    free(st->count);
    free(st);
}

/* Members that are NULL are not called. C++17 has no names here, so they stand in the header's order. */
LANESCOPE_HANDLER = {
    LANESCOPE_HANDLER_ABI,
    sizeof(struct lanescope_handler),
    "template",
    "1.0",
    "accesses by site",
    open_handler,
    dispatch_begin,
    accesses,
    NULL, /* events */
    merge,
    dispatch_end,
    free, /* close */
    NULL, /* repeated: not in summary mode */
    0,    /* needs */
    NULL, /* reduced */
};
