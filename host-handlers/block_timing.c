/*
 * block_timing.c - handler: time of wavefronts between one block entry and the next, by pair of blocks. Needs
 * kernels compiled with --lanescope-blocks.
 *
 * What is left out: an interval in which the wavefront took or handed over a chunk (it may have waited for
 * the host). Those are recognised by the chunk's own times; they are the difference of Executions and Timed.
 * What a probe costs is measured: the entry of each kernel has two probes back to back in front of that of
 * the first block.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "lanescope/handler.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "quantiles.h"

enum metric { EXECUTIONS, TIMED, NOT_TIMED, CYCLES, METRICS };

struct self {
    const struct lanescope_host *host;
    uint32_t metric[METRICS];
    bool told;
};

/* Wavefronts that left block `from` for block `to`. */
struct region {
    struct {
        uint32_t from, to;
    } key;
    struct quantiles time;
    UT_hash_handle hh;
};

struct state {
    struct self *self;
    const struct lanescope_dispatch *dispatch;
    struct region *regions;
    struct quantiles probe; /* back-to-back probes */
    uint64_t counter_mask;
    bool memory_probes, lost;
    /* The event before, and whose it was. */
    bool have;
    uint32_t site, workgroup[3], wave, sequence;
    uint64_t start;
    int64_t executions[]; /* by site */
};

static bool named(const struct lanescope_site *s, const char *name)
{
    return s->kind == LS_SITE_BLOCK && !strcmp(s->instruction, name);
}

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    if (*options) {
        host->log(host, 0, "block_timing takes no options, got '%s'", options);
        return -EINVAL;
    }
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    self->metric[CYCLES] = host->metric(host, "Cycles", "cycles",
                                        "from entries of the block to the next block, less the probes' cost");
    self->metric[TIMED] = host->metric(host, "Timed", "entries", "entries whose time could be taken");
    self->metric[EXECUTIONS] = host->metric(host, "Executions", "entries", "entries of wavefronts");
    self->metric[NOT_TIMED] = host->metric(host, "Not Timed", "entries",
                                           "entries whose time could not be taken, so that Cycles lacks it");
    struct lanescope_ratio mean = {"Cycles/Entry",       "cycles", "mean time",         1.0,
                                   self->metric[CYCLES], 0,        self->metric[TIMED], 0};
    if (self->metric[CYCLES] && self->metric[TIMED] && self->metric[EXECUTIONS] && self->metric[NOT_TIMED] &&
        !host->ratio(host, &mean)) {
        *out = self;
        return 0;
    }
    free(self);
    return -ENOMEM;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    bool any = false, memory = false;
    for (uint32_t i = 0; i < d->n_sites; i++) {
        any |= d->sites[i].kind == LS_SITE_BLOCK;
        memory |= !LS_SITE_NO_ACCESS(d->sites[i].kind) && d->sites[i].flags & LS_SITE_OBSERVED;
    }
    if (!any) {
        if (!self->told)
            self->host->log(self->host, 1, "block_timing: no block probes: compile with --lanescope-blocks");
        self->told = true;
        return -ENOTSUP;
    }
    struct state *st = calloc(1, sizeof *st + d->n_sites * sizeof st->executions[0]);
    if (!st)
        return -ENOMEM;
    st->self = self;
    st->dispatch = d;
    st->memory_probes = memory;
    /* SHADER_CYCLES of gfx11 has 20 bits (RDNA3 ISA document, hardware registers). */
    st->counter_mask = !strncmp(d->arch, "gfx11", 5) ? 0xfffff : ~0ull;
    *out = st;
    return 0;
}

static struct region *region_of(struct state *st, uint32_t from, uint32_t to)
{
    struct region *r, probe = {.key = {from, to}};
    HASH_FIND(hh, st->regions, &probe.key, sizeof probe.key, r);
    if (r)
        return r;
    r = calloc(1, sizeof *r);
    if (!r) {
        st->lost = true;
        return NULL;
    }
    r->key = probe.key;
    HASH_ADD(hh, st->regions, key, sizeof r->key, r);
    return r;
}

/* Whether both events lie in one chunk that had been taken before the first one. The header's time is read
 * after the chunk was taken, the event's before its message finds out that it needs one. */
static bool undisturbed(const struct state *st, const struct lanescope_event *e)
{
    return st->sequence == e->wave->sequence &&
           ((st->start - e->wave->cycles) & st->counter_mask) <= st->counter_mask >> 1;
}

static bool same_wavefront(const struct state *st, const struct lanescope_wavefront *w)
{
    return st->have && st->wave == w->wave && !memcmp(st->workgroup, w->workgroup, sizeof st->workgroup);
}

static void interval(struct state *st, const struct lanescope_event *e)
{
    const struct lanescope_site *sites = st->dispatch->sites;
    uint64_t time = (e->start - st->start) & st->counter_mask;
    bool clean = undisturbed(st, e), calibration = named(&sites[st->site], "calibration");
    if (calibration) {
        if (clean && !named(&sites[e->site], "calibration") && quantiles_add(&st->probe, time, 1))
            st->lost = true;
        return;
    }
    struct region *r = clean ? region_of(st, st->site, e->site) : NULL;
    if (r && quantiles_add(&r->time, time, 1))
        st->lost = true;
}

static void events(void *state, const struct lanescope_event *e, size_t n)
{
    struct state *st = state;
    for (size_t i = 0; i < n; i++) {
        if (e[i].kind != LS_KIND_BLOCK)
            continue;
        st->executions[e[i].site]++;
        /* Chunks of wavefronts come interleaved; an interval that spans two chunks would not count anyway. */
        if (same_wavefront(st, e[i].wave))
            interval(st, &e[i]);
        st->have = true;
        st->site = e[i].site;
        st->start = e[i].start;
        st->wave = e[i].wave->wave;
        st->sequence = e[i].wave->sequence;
        memcpy(st->workgroup, e[i].wave->workgroup, sizeof st->workgroup);
    }
}

static void merge(void *state, void *other)
{
    struct state *to = state, *from = other;
    struct region *r, *next;
    for (uint32_t i = 0; i < to->dispatch->n_sites; i++)
        to->executions[i] += from->executions[i];
    HASH_ITER(hh, from->regions, r, next)
    {
        struct region *into = region_of(to, r->key.from, r->key.to);
        to->lost |= !into || quantiles_merge(&into->time, &r->time);
        HASH_DEL(from->regions, r);
        quantiles_free(&r->time);
        free(r);
    }
    to->lost |= from->lost || quantiles_merge(&to->probe, &from->probe);
    quantiles_free(&from->probe);
    free(from);
}

static uint64_t less(uint64_t time, uint64_t cost)
{
    return time > cost ? time - cost : 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A block is named by its line in the kernel itself, not by that of what is inlined there. */
static void place(char *out, size_t size, const struct lanescope_site *s)
{
    if (named(s, "end"))
        snprintf(out, size, "end");
    else if (s->n_frames)
        snprintf(out, size, "%s:%u:%u", base_name(s->frames[s->n_frames - 1].file),
                 s->frames[s->n_frames - 1].line, s->frames[s->n_frames - 1].column);
    else
        snprintf(out, size, "no line");
}

/* As a JSON string; `out` has room for twice `in` and some. */
static void quote(char *out, const char *in)
{
    *out++ = '"';
    for (; *in; in++) {
        if (*in == '"' || *in == '\\')
            *out++ = '\\';
        *out++ = (unsigned char)*in < ' ' ? ' ' : *in;
    }
    *out++ = '"';
    *out = 0;
}

static void report_region(const struct state *st, const struct region *r, uint64_t cost,
                          struct lanescope_results *out)
{
    const struct quantiles *q = &r->time;
    const struct lanescope_host *host = st->self->host;
    char json[1024], file[256], to[600];
    place(file, sizeof file, &st->dispatch->sites[r->key.to]);
    quote(to, file);
    snprintf(
        json, sizeof json,
        "{\"until\": %s, \"count\": %llu, \"min\": %llu, \"median\": %llu, \"p90\": %llu, \"p99\": %llu, "
        "\"max\": %llu, \"probe_cost\": %llu, \"memory_probes\": %s}",
        to, (unsigned long long)q->count, (unsigned long long)less(q->min, cost),
        (unsigned long long)less(quantiles_at(q, 500), cost),
        (unsigned long long)less(quantiles_at(q, 900), cost),
        (unsigned long long)less(quantiles_at(q, 990), cost), (unsigned long long)less(q->max, cost),
        (unsigned long long)cost, st->memory_probes ? "true" : "false");
    host->row(out, "blocks", r->key.from, json);
    host->add(out, r->key.from, st->self->metric[TIMED], (int64_t)q->count);
    host->add(out, r->key.from, st->self->metric[CYCLES], (int64_t)less(q->sum, q->count * cost));
}

static int by_key(const struct region *a, const struct region *b)
{
    if (a->key.from != b->key.from)
        return a->key.from < b->key.from ? -1 : 1;
    return a->key.to < b->key.to ? -1 : a->key.to > b->key.to;
}

/* Entries of each block, and those of them whose time is not among the regions'. */
static void report_entries(const struct state *st, struct lanescope_results *out)
{
    const struct lanescope_host *host = st->self->host;
    uint32_t n = st->dispatch->n_sites;
    int64_t *timed = calloc(n + 1u, sizeof *timed);
    for (struct region *r = st->regions; timed && r; r = r->hh.next)
        timed[r->key.from] += (int64_t)r->time.count;
    for (uint32_t i = 0; i < n; i++) {
        if (!st->executions[i] || !named(&st->dispatch->sites[i], "block"))
            continue;
        host->add(out, i, st->self->metric[EXECUTIONS], st->executions[i]);
        if (timed && timed[i] < st->executions[i])
            host->add(out, i, st->self->metric[NOT_TIMED], st->executions[i] - timed[i]);
    }
    free(timed);
}

static void dispatch_end(void *state, struct lanescope_results *out)
{
    struct state *st = state;
    const struct lanescope_host *host = st->self->host;
    uint64_t cost = quantiles_at(&st->probe, 500);
    struct region *r, *next;
    report_entries(st, out);
    HASH_SORT(st->regions, by_key);
    HASH_ITER(hh, st->regions, r, next)
    {
        if (r->time.count)
            report_region(st, r, cost, out);
        HASH_DEL(st->regions, r);
        quantiles_free(&r->time);
        free(r);
    }
    if (st->lost)
        host->log(host, 0, "block_timing: some times of %s are missing: out of memory", st->dispatch->kernel);
    quantiles_free(&st->probe);
    free(st);
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "block_timing",
    .version = LANESCOPE_VERSION,
    .description = "time of wavefronts from one basic block to the next by source line",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .events = events,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
};
