/*
 * heatmap.c - handler: which allocations, pages, cache lines and (on request) cache sets of global memory a
 * dispatch touches, as rows by address.
 *
 * Options: page=BYTES (4096), rows=N pages in the table (64), pages=N that are kept at most (65536), sets=N
 * (0: no table of sets).
 */
#include <inttypes.h>
#include <stdio.h>
#include <uthash.h>

#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/rows.h"
#include "lanescope/sdk/global.h"
#include "host-handlers/models/coalescing_model.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/parts.h"

enum metric { PAGES, LINES, ACCESSES, LOST, METRICS };
/* Lines that one dispatch's accesses are followed through, as far as they have more than LONG: a copy may
 * have any length, also a made-up one. */
enum { LONG = 64, FOLLOWED = 1 << 26 };
enum way { READ, WRITE, ATOMIC, WAYS };

struct self {
    const struct lanescope_host *host;
    uint64_t page, rows, pages, sets;
    uint32_t metric[METRICS];
};

struct page {
    UT_hash_handle hh;
    uint64_t number;
    uint64_t lanes[WAYS];
    uint64_t line[]; /* bit per cache line */
};

struct region {
    uint64_t lanes[WAYS], lines, pages;
    uint64_t page; /* counted last, plus 1 */
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    uint32_t line_bytes;
    struct page *pages, *last;
    struct region *regions; /* as the dispatch's allocations; one more for other memory */
    uint32_t region;        /* found last */
    uint64_t lost;          /* lane accesses to pages beyond the limit, or too long */
    uint64_t followed;      /* lines of long accesses */
    uint64_t set[];         /* lane accesses per set */
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    static const struct lanescope_metric metrics[METRICS] = {
        [PAGES] = {"Pages", "pages", "pages of global memory touched"},
        [LINES] = {"Distinct Lines", "lines", "vL1D cache lines touched by the dispatch"},
        [ACCESSES] = {"Lane Accesses", "lanes", "accesses to global memory by lanes"},
        [LOST] =
            {"Lane Accesses Not Mapped", "lanes",
             "of these, to pages beyond the limit of pages, or copies that are longer than can be followed"},
    };
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    *self = (struct self){.host = host, .page = 4096, .rows = 64, .pages = 65536};
    const struct lanescope_option list[] = {{"page", &self->page, 256, 1u << 30, true},
                                            {"rows", &self->rows, 1, 1u << 20, false},
                                            {"pages", &self->pages, 1, 1u << 24, false},
                                            {"sets", &self->sets, 1, 1u << 16, true}};
    int rc = lanescope_parse_options(host, "heatmap", options, list, sizeof list / sizeof list[0]);
    if (!rc)
        rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    if (rc)
        free(self);
    else
        *out = self;
    return rc;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    const struct ls_gpu *gpu = ls_gpu_in_waves(ls_gpu_with_cache(d->arch), d->lanes);
    if (!gpu) {
        self->host->log(self->host, LANESCOPE_LOG_WARNING, "heatmap: the cache line of %s is not known",
                        d->arch);
        return -ENOTSUP;
    }
    struct state *st = calloc(1, sizeof *st + self->sets * sizeof st->set[0]);
    if (!st)
        return -ENOMEM;
    if (!(st->regions = calloc(d->n_allocations + 1u, sizeof *st->regions))) {
        free(st);
        return -ENOMEM;
    }
    st->self = self;
    st->dispatch = d;
    st->line_bytes = gpu->l1_line;
    *out = st;
    return 0;
}

static struct region *region_of(struct state *st, uint64_t address)
{
    const struct lanescope_dispatch *d = st->dispatch;
    const struct lanescope_allocation *a = d->allocations;
    if (st->region < d->n_allocations && address - a[st->region].address < a[st->region].bytes)
        return &st->regions[st->region];
    a = lanescope_allocation_of(d, address);
    st->region = a ? (uint32_t)(a - d->allocations) : d->n_allocations;
    return &st->regions[st->region];
}

static struct page *page_of(struct state *st, uint64_t address)
{
    uint64_t number = address / st->self->page;
    struct page *p = st->last;
    if (p && p->number == number)
        return p;
    HASH_FIND(hh, st->pages, &number, sizeof number, p);
    if (!p && HASH_COUNT(st->pages) < st->self->pages) {
        size_t words = (st->self->page / st->line_bytes + 63) / 64;
        if (!(p = calloc(1, sizeof *p + words * sizeof p->line[0])))
            return NULL;
        p->number = number;
        HASH_ADD(hh, st->pages, number, sizeof p->number, p);
    }
    return st->last = p ? p : st->last, p;
}

static enum way way_of(const struct lanescope_site *s)
{
    switch (s->kind) {
    case LS_SITE_STORE:
    case LS_SITE_COPY_WRITE:
        return WRITE;
    case LS_SITE_RMW:
    case LS_SITE_CMPXCHG:
        return ATOMIC;
    default:
        return READ;
    }
}

/* Whether an access is followed through the lines behind its first one. */
static bool follow(struct state *st, uint64_t more)
{
    if (more < LONG)
        return true;
    if (more >= FOLLOWED - st->followed)
        return false;
    st->followed += more;
    return true;
}

/* One lane: counts at the page of its first byte, marks all lines that it touches. */
static void lane(struct state *st, enum way way, uint64_t address, uint64_t bytes)
{
    const uint64_t size = st->line_bytes, more = (address % size + bytes - 1) / size;
    const bool whole = follow(st, more);
    struct page *p = page_of(st, address);
    region_of(st, address)->lanes[way]++;
    if (p && whole)
        p->lanes[way]++;
    else
        st->lost++;
    for (uint64_t i = 0; i <= (whole ? more : 0); i++) {
        const uint64_t line = (address + i * size) / size; /* behind the last address comes 0 */
        uint64_t bit = line % (st->self->page / st->line_bytes);
        if ((p = page_of(st, line * st->line_bytes)))
            p->line[bit / 64] |= 1ull << bit % 64;
        if (st->self->sets)
            st->set[line & (st->self->sets - 1)]++;
    }
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        const struct lanescope_site *s = &st->dispatch->sites[a[i].site];
        uint64_t addr[64];
        if (!lanescope_is_global(s))
            continue;
        uint64_t exec = lanescope_global_lanes(s, &a[i], addr);
        unsigned parts = lanescope_n_parts(st->dispatch, a[i].site);
        for (unsigned j = 0; j < parts; j++) {
            struct lanescope_part p = lanescope_part_at(st->dispatch, a[i].site, j);
            unsigned k = 0;
            for (uint64_t m = a[i].exec; m; m &= m - 1, k++) {
                uint64_t bytes = p.bytes ? p.bytes : a[i].lengths ? a[i].lengths[k] : a[i].length;
                if ((exec & m & -m) && bytes)
                    lane(st, way_of(s), addr[__builtin_ctzll(m)] + p.offset, bytes);
            }
        }
    }
}

static uint64_t lines_in(const struct state *st, const struct page *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < (st->self->page / st->line_bytes + 63) / 64; i++)
        n += (unsigned)__builtin_popcountll(p->line[i]);
    return n;
}

static uint64_t total(const struct page *p)
{
    return p->lanes[READ] + p->lanes[WRITE] + p->lanes[ATOMIC];
}

static int by_total(struct page *a, struct page *b)
{
    return total(a) != total(b) ? (total(a) < total(b)) - (total(a) > total(b))
                                : (a->number > b->number) - (a->number < b->number);
}

static int by_number(struct page *a, struct page *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static const struct lanescope_column allocation_columns[] = {
    {"address", LANESCOPE_HEX},    {"bytes", LANESCOPE_UNSIGNED},  {"number", LANESCOPE_UNSIGNED},
    {"loads", LANESCOPE_UNSIGNED}, {"stores", LANESCOPE_UNSIGNED}, {"atomics", LANESCOPE_UNSIGNED},
    {"lines", LANESCOPE_UNSIGNED}, {"pages", LANESCOPE_UNSIGNED},
};
static const struct lanescope_column page_columns[] = {
    {"address", LANESCOPE_HEX},     {"bytes", LANESCOPE_UNSIGNED},   {"loads", LANESCOPE_UNSIGNED},
    {"stores", LANESCOPE_UNSIGNED}, {"atomics", LANESCOPE_UNSIGNED}, {"lines", LANESCOPE_UNSIGNED},
};
static const struct lanescope_column set_columns[] = {{"set", LANESCOPE_UNSIGNED},
                                                      {"accesses", LANESCOPE_UNSIGNED}};
#define TABLE(name_, columns_) {name_, columns_, sizeof(columns_) / sizeof *(columns_)}
static const struct lanescope_table allocations = TABLE("allocations", allocation_columns),
                                    pages_table = TABLE("pages", page_columns),
                                    sets = TABLE("sets", set_columns);

static void page_row(struct state *st, const struct page *p, struct lanescope_results *r)
{
    const struct lanescope_value row[] = {
        lanescope_unsigned(p->number * st->self->page),
        lanescope_unsigned(st->self->page),
        lanescope_unsigned(p->lanes[READ]),
        lanescope_unsigned(p->lanes[WRITE]),
        lanescope_unsigned(p->lanes[ATOMIC]),
        lanescope_unsigned(lines_in(st, p)),
    };
    lanescope_add_row(st->self->host, r, &pages_table, LANESCOPE_NO_SITE, row);
}

/* The lines of a page, at the allocations that they belong to. */
static void share_out(struct state *st, const struct page *p)
{
    for (uint64_t i = 0; i < st->self->page / st->line_bytes; i++) {
        if (!(p->line[i / 64] >> i % 64 & 1))
            continue;
        struct region *r = region_of(st, p->number * st->self->page + i * st->line_bytes);
        r->lines++;
        r->pages += r->page != p->number + 1;
        r->page = p->number + 1;
    }
}

static void region_rows(struct state *st, struct lanescope_results *r)
{
    const struct lanescope_dispatch *d = st->dispatch;
    for (uint32_t i = 0; i <= d->n_allocations; i++) {
        const struct region *g = &st->regions[i];
        if (!g->lines)
            continue;
        const struct lanescope_allocation *a = i < d->n_allocations ? &d->allocations[i] : NULL;
        const struct lanescope_value row[] = {
            a ? lanescope_unsigned(a->address) : lanescope_none(),
            a ? lanescope_unsigned(a->bytes) : lanescope_none(),
            a ? lanescope_unsigned(a->number) : lanescope_none(),
            lanescope_unsigned(g->lanes[READ]),
            lanescope_unsigned(g->lanes[WRITE]),
            lanescope_unsigned(g->lanes[ATOMIC]),
            lanescope_unsigned(g->lines),
            lanescope_unsigned(g->pages),
        };
        lanescope_add_row(st->self->host, r, &allocations, LANESCOPE_NO_SITE, row);
    }
}

static void set_rows(struct state *st, struct lanescope_results *r)
{
    for (uint64_t i = 0; i < st->self->sets; i++) {
        const struct lanescope_value row[] = {lanescope_unsigned(i), lanescope_unsigned(st->set[i])};
        lanescope_add_row(st->self->host, r, &sets, LANESCOPE_NO_SITE, row);
    }
}

/* The hottest pages make rows, in order of address. */
static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    const struct lanescope_host *host = st->self->host;
    struct page *p, *next;
    uint64_t pages = HASH_COUNT(st->pages), lines = 0, lanes = st->lost, rank = 0;
    HASH_SORT(st->pages, by_total);
    HASH_ITER(hh, st->pages, p, next)
    {
        share_out(st, p);
        lines += lines_in(st, p);
        lanes += total(p);
        if (rank++ < st->self->rows)
            continue;
        HASH_DEL(st->pages, p);
        free(p);
    }
    region_rows(st, r);
    HASH_SORT(st->pages, by_number);
    HASH_ITER(hh, st->pages, p, next)
    {
        page_row(st, p, r);
        HASH_DEL(st->pages, p);
        free(p);
    }
    set_rows(st, r);
    const uint64_t value[METRICS] = {[PAGES] = pages, [LINES] = lines, [ACCESSES] = lanes, [LOST] = st->lost};
    for (unsigned i = 0; i < METRICS && lanes; i++)
        host->add(r, LANESCOPE_NO_SITE, st->self->metric[i], (int64_t)value[i]);
    free(st->regions);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "heatmap",
    .version = LANESCOPE_VERSION,
    .description = "pages, cache lines and cache sets of global memory that a dispatch touches",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .dispatch_end = dispatch_end,
    .close = free,
    .needs = LANESCOPE_NEEDS_ALLOCATIONS,
};
