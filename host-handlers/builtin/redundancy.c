/*
 * redundancy.c - handler: bytes of global memory that a work-group loads more than once, by site and for the
 * dispatch.
 *
 * Bytes that several lanes of one wavefront access together count once. "Again" is a total that does not
 * depend on the order in which wavefronts report: bytes loaded less distinct bytes, over the work-group. At a
 * site both are of that site alone; for the dispatch over all sites together.
 *
 * Option: blocks=N, the number of 64-byte blocks (times work-groups and sites) that are remembered (1048576,
 * about 80 MiB); bytes beyond them are counted as not tracked.
 */
#include <stdio.h>

#include "lanescope/sdk/metrics.h"
#include "lanescope/sdk/global.h"
#include "common/numbers.h"
#include "host-handlers/models/touched.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/parts.h"

enum metric { AGAIN, LOADED, UNTRACKED, METRICS };

struct self {
    const struct lanescope_host *host;
    uint64_t blocks;
    uint32_t metric[METRICS];
};

/* Each access is followed through so many bytes. Behind these are so many pieces of 16 bytes of a lane that one dispatch's copies are followed
 * through: a copy may have any length, also a made-up one. */
enum { SHORT = 1024, FOLLOWED = 1 << 24 };

/* The bytes of one block that one work-group loaded at one site (or at any: LANESCOPE_NO_SITE). */
struct entry {
    uint64_t block, bytes;
    uint64_t group;
    uint32_t site, used;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    struct entry *table;
    uint64_t room, n;  /* room: a power of two, at least twice n */
    uint64_t followed; /* pieces behind the first SHORT bytes */
    int64_t all[METRICS];
    int64_t sum[][METRICS];
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    static const struct lanescope_metric metrics[METRICS] = {
        [AGAIN] = {"Bytes Loaded Again", "bytes", "bytes that a work-group had loaded before"},
        [LOADED] = {"Bytes Loaded", "bytes",
                    "bytes loaded from global memory, once per access of a wavefront"},
        [UNTRACKED] =
            {"Bytes Not Tracked", "bytes",
             "of these, bytes beyond the limit of blocks, or of copies that are longer than can be followed"},
    };
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    *self = (struct self){.host = host, .blocks = 1u << 20};
    const struct lanescope_option list[] = {{"blocks", &self->blocks, 1, 1u << 30, false}};
    int rc = lanescope_parse_options(host, "redundancy", options, list, 1);
    if (!rc)
        rc = lanescope_set_metrics(host, metrics, METRICS, self->metric);
    if (!rc &&
        host->ratio(host, &(struct lanescope_ratio){"Redundancy", "%", "Bytes Loaded Again / Bytes Loaded",
                                                    100, self->metric[AGAIN], 0, self->metric[LOADED], 0}))
        rc = -ENOMEM;
    if (!rc) /* 0 at each line is not 0 in the kernel: several may load the same bytes */
        rc = lanescope_set_title(host, "redundancy, each access by itself", "nothing is loaded again");
    if (rc)
        free(self);
    else
        *out = self;
    return rc;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->sum[0]);
    if (!st)
        return -ENOMEM;
    st->self = handler;
    st->dispatch = d;
    *out = st;
    return 0;
}

static struct entry *slot_of(struct entry *table, uint64_t room, const struct entry *key)
{
    uint64_t h = (key->block * 0x9e3779b97f4a7c15ull ^ key->group) * 0xff51afd7ed558ccdull + key->site;
    h *= 0x9e3779b97f4a7c15ull;
    for (uint64_t i = h >> 20 & (room - 1);; i = (i + 1) & (room - 1)) {
        struct entry *e = &table[i];
        if (!e->used || (e->block == key->block && e->group == key->group && e->site == key->site))
            return e;
    }
}

static bool grow(struct state *st)
{
    uint64_t room = st->room ? 2 * st->room : 4096;
    struct entry *table = st->n < st->self->blocks ? calloc(room, sizeof *table) : NULL;
    if (!table)
        return false;
    for (uint64_t i = 0; i < st->room; i++)
        if (st->table[i].used)
            *slot_of(table, room, &st->table[i]) = st->table[i];
    free(st->table);
    st->table = table;
    st->room = room;
    return true;
}

/* Adds loaded bytes of one block; returns those that were there before, or -1 when there is no room. */
static int remember(struct state *st, const struct entry *loaded)
{
    struct entry *e = st->room ? slot_of(st->table, st->room, loaded) : NULL;
    if (!e || !e->used) {
        if (st->n >= st->self->blocks || (2 * st->n >= st->room && !grow(st)))
            return -1;
        *slot_of(st->table, st->room, loaded) = *loaded;
        st->n++;
        return 0;
    }
    int again = __builtin_popcountll(e->bytes & loaded->bytes);
    e->bytes |= loaded->bytes;
    return again;
}

static void count(struct state *st, int64_t sum[METRICS], const struct entry *loaded)
{
    const unsigned bytes = (unsigned)__builtin_popcountll(loaded->bytes);
    const int again = remember(st, loaded);
    sum[LOADED] = ls_sum(sum[LOADED], bytes);
    sum[AGAIN] = ls_sum(sum[AGAIN], again > 0 ? (unsigned)again : 0);
    sum[UNTRACKED] = ls_sum(sum[UNTRACKED], again < 0 ? bytes : 0);
}

static uint64_t group_number(const struct lanescope_dispatch *d, const uint32_t group[3])
{
    uint64_t n[2];
    for (unsigned i = 0; i < 2; i++)
        n[i] = d->workgroup[i] ? (d->grid[i] + (uint64_t)d->workgroup[i] - 1) / d->workgroup[i] : d->grid[i];
    return group[0] + n[0] * (group[1] + n[1] * group[2]);
}

/* What lanes load, each `length` bytes unless `of` has lengths of its own. */
struct loaded {
    const struct lanescope_access *of;
    uint64_t exec, group, length; /* the longest */
    uint32_t site;
    bool own;          /* lengths are those of `of` */
    uint64_t addr[64]; /* of the first byte */
};

/* The lanes that load just so many bytes of a piece that begins at byte `done`. */
static uint64_t lanes_that_load(const struct loaded *l, uint64_t done, unsigned bytes)
{
    const uint64_t longer = lanescope_lanes_longer_than(l->of, l->exec, done + bytes - 1);
    return bytes == 16 ? longer : longer & ~lanescope_lanes_longer_than(l->of, l->exec, done + bytes);
}

/* Up to 16 bytes of each lane from byte `done` on. Returns how many lanes that are. */
static unsigned load_piece(struct state *st, const struct loaded *l, uint64_t done)
{
    const unsigned most = l->length - done < 16 ? (unsigned)(l->length - done) : 16;
    struct ls_touched t;
    uint64_t at[64], lanes = l->own ? lanescope_lanes_longer_than(l->of, l->exec, done) : l->exec,
                     left = lanes;
    for (uint64_t m = lanes; m; m &= m - 1)
        at[__builtin_ctzll(m)] = l->addr[__builtin_ctzll(m)] + done;
    ls_touch_begin(&t);
    for (unsigned bytes = most; left; bytes--) {
        const uint64_t these = l->own ? lanes_that_load(l, done, bytes) : lanes;
        ls_touch(&t, bytes, these, at);
        left &= ~these;
    }
    for (unsigned i = 0; i < t.n; i++) {
        struct entry e = {t.block[i].number, t.block[i].bytes, l->group, l->site, 1};
        count(st, st->sum[l->site], &e);
        e.site = LANESCOPE_NO_SITE;
        count(st, st->all, &e);
    }
    return (unsigned)__builtin_popcountll(lanes);
}

/* What is left behind the first `done` bytes, without a look at the addresses. */
static void load_rest(struct state *st, const struct loaded *l, uint64_t done)
{
    unsigned k = 0;
    for (uint64_t m = l->of->exec; m; m &= m - 1, k++) {
        const uint64_t length = l->own ? l->of->lengths[k] : l->length;
        if (!(l->exec & m & -m) || length <= done)
            continue;
        for (unsigned metric = LOADED; metric <= UNTRACKED; metric += UNTRACKED - LOADED) {
            st->sum[l->site][metric] = ls_sum(st->sum[l->site][metric], length - done);
            st->all[metric] = ls_sum(st->all[metric], length - done);
        }
    }
}

static void load(struct state *st, const struct lanescope_access *a, const struct lanescope_site *s)
{
    struct loaded l = {.of = a, .group = group_number(st->dispatch, a->wave->workgroup)};
    uint64_t addr[64];
    const unsigned parts = lanescope_n_parts(st->dispatch, a->site);
    l.exec = lanescope_global_lanes(s, a, addr);
    for (unsigned i = 0; i < parts && l.exec; i++) {
        const struct lanescope_part p = lanescope_part_at(st->dispatch, a->site, i);
        uint64_t done = 0;
        l.site = p.site;
        l.own = !p.bytes && a->lengths;
        l.length = p.bytes ? p.bytes : lanescope_longest_lane(a);
        for (uint64_t m = l.exec; m; m &= m - 1)
            l.addr[__builtin_ctzll(m)] = addr[__builtin_ctzll(m)] + p.offset;
        for (; done < l.length && (done < SHORT || st->followed < FOLLOWED); done += 16) {
            const unsigned lanes = load_piece(st, &l, done);
            st->followed += done < SHORT ? 0 : lanes;
        }
        if (done < l.length)
            load_rest(st, &l, done);
    }
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        const struct lanescope_site *s = &st->dispatch->sites[a[i].site];
        bool loads =
            s->kind == LS_SITE_LOAD || s->kind == LS_SITE_COPY_READ || s->kind == LS_SITE_LDS_DMA_READ;
        if (loads && lanescope_is_global(s))
            load(st, &a[i], s);
    }
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct state *st = state;
    const struct lanescope_host *host = st->self->host;
    lanescope_tell_sums(host, r, st->dispatch, METRICS, st->self->metric, st->sum[0], LOADED);
    for (unsigned m = 0; m < METRICS && st->all[LOADED]; m++)
        host->add(r, LANESCOPE_NO_SITE, st->self->metric[m], st->all[m]);
    free(st->table);
    free(st);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "redundancy",
    .version = LANESCOPE_VERSION,
    .description = "bytes of global memory that a work-group loads more than once",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .dispatch_end = dispatch_end,
    .close = free,
};
