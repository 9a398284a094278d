/*
 * stride_histogram.c - how far neighbouring lanes are apart, as rows of a table of its own: one row per site
 * and distance. Shows host->row. Option: rows=N distances per site (default 8).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanescope/handler.h>

enum { MOST = 64 };

struct self {
    const struct lanescope_host *host;
    unsigned rows;
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
    unsigned rows = 8;
    char rest;
    if (*options && (sscanf(options, "rows=%u%c", &rows, &rest) != 1 || !rows || rows > MOST)) {
        host->log(host, 0, "stride_histogram: '%s' is not accepted; give rows=1 to rows=%d", options, MOST);
        return -EINVAL;
    }
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

static void row(struct state *st, struct lanescope_results *r, uint32_t site, const char *stride, uint64_t n)
{
    char json[96];
    snprintf(json, sizeof json, "{\"stride\":%s,\"accesses\":%" PRIu64 "}", stride, n);
    if (n)
        st->self->host->row(r, "strides", site, json);
}

static void report(struct state *st, struct lanescope_results *r, uint32_t site)
{
    struct strides *s = &st->site[site];
    for (unsigned k = 0; k < st->self->rows && s->n; k++) {
        unsigned most = 0;
        char text[24];
        for (unsigned i = 1; i < s->n; i++)
            if (s->of[i].count > s->of[most].count)
                most = i;
        snprintf(text, sizeof text, "%" PRId64, s->of[most].stride);
        row(st, r, site, text, s->of[most].count);
        s->of[most] = s->of[--s->n];
    }
    for (unsigned i = 0; i < s->n; i++)
        s->others += s->of[i].count;
    row(st, r, site, "\"others\"", s->others);
    row(st, r, site, "\"irregular\"", s->irregular);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    for (uint32_t i = 0; i < st->dispatch->n_sites; i++)
        report(st, r, i);
    free(st);
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
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
