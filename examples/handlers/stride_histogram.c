/*
 * stride_histogram.c - how far neighbouring lanes are apart, as rows of a table of its own: one row per site
 * and distance. Shows lanescope/sdk/rows.h and lanescope/sdk/options.h. Option: rows=N distances per site
 * (default 8).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <lanescope/sdk/options.h>
#include <lanescope/sdk/rows.h>

enum { MOST = 64 };

struct self {
    const struct lanescope_host *host;
    uint64_t rows;
};

struct strides {
    unsigned n;
    struct {
        int64_t stride;
        uint64_t count;
    } of[MOST];
    uint64_t irregular, others; /* no single distance; no room in the list */
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    struct strides site[];
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    uint64_t rows = 8;
    const struct lanescope_option list[] = {{"rows", &rows, 1, MOST, false}};
    int rc = lanescope_parse_options(host, "stride_histogram", options, list, 1);
    if (rc)
        return rc;
    struct self *self = malloc(sizeof *self);
    if (!self)
        return -ENOMEM;
    *self = (struct self){host, rows};
    *out = self;
    return 0;
}

static int dispatch_begin(void *self, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->site[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    *out = st;
    return 0;
}

static void count(struct strides *s, const struct lanescope_access *a)
{
    unsigned i = 0;
    if (a->active < 2)
        return;
    if (a->pattern != LANESCOPE_STRIDED) {
        s->irregular++;
        return;
    }
    while (i < s->n && s->of[i].stride != a->stride)
        i++;
    if (i == s->n && s->n < MOST)
        s->of[s->n++].stride = a->stride;
    if (i < s->n)
        s->of[i].count++;
    else
        s->others++;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++)
        count(&st->site[a[i].site], &a[i]);
}

/* A row that stands for accesses without a single distance has no stride. */
static const struct lanescope_column columns[] = {
    {"stride", LANESCOPE_INTEGER}, {"kind", LANESCOPE_TEXT}, {"accesses", LANESCOPE_UNSIGNED}};
static const struct lanescope_table table = {"strides", columns, sizeof columns / sizeof *columns};

static void row(struct state *st, struct lanescope_results *r, uint32_t site, struct lanescope_value stride,
                const char *kind, uint64_t n)
{
    const struct lanescope_value values[] = {stride, lanescope_text(kind), lanescope_unsigned(n)};
    if (n)
        lanescope_add_row(st->self->host, r, &table, site, values);
}

static void report(struct state *st, struct lanescope_results *r, uint32_t site)
{
    struct strides *s = &st->site[site];
    for (unsigned k = 0; k < st->self->rows && s->n; k++) {
        unsigned most = 0;
        for (unsigned i = 1; i < s->n; i++)
            if (s->of[i].count > s->of[most].count)
                most = i;
        row(st, r, site, lanescope_integer(s->of[most].stride), "regular", s->of[most].count);
        s->of[most] = s->of[--s->n];
    }
    for (unsigned i = 0; i < s->n; i++)
        s->others += s->of[i].count;
    row(st, r, site, lanescope_none(), "others", s->others);
    row(st, r, site, lanescope_none(), "irregular", s->irregular);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        report(st, r, i);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "stride_histogram",
    .version = "1.0",
    .description = "distances of neighbouring lanes, as a table",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .dispatch_end = dispatch_end,
    .close = free,
};
