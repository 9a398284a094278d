/*
 * advice.c - handler: keeps a sample of each site's access patterns and replays it at the end of the dispatch
 * with other layouts of the data. What it stores are numbers; `lanescope report` makes sentences of them.
 */
#include "advice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/sdk/aperture.h"
#include "lanescope/sites.h"
#include "lanescope/wire.h"
#include "lanescope/sdk/options.h"
#include "lanescope/sdk/parts.h"
#include "common/numbers.h"
#include "host-handlers/models/wide.h"
#include "host-handlers/shared/recent.h"

struct self {
    const struct lanescope_host *host;
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    int rc = lanescope_parse_options(host, "advice", options, NULL, 0);
    struct self *self = rc ? NULL : calloc(1, sizeof *self);
    if (!self)
        return rc ? rc : -ENOMEM;
    self->host = host;
    *out = self;
    return 0;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    const struct ls_gpu *lds = ls_gpu_in_waves(ls_gpu_with_lds(d->arch), d->lanes);
    const struct ls_gpu *cache = ls_gpu_in_waves(ls_gpu_with_cache(d->arch), d->lanes);
    if (!lds && !cache)
        return -ENOTSUP;
    struct advice *a = calloc(1, sizeof *a + 2 * d->n_sites * sizeof a->lds[0]);
    struct advice_field *field = calloc(d->n_sites + 1, sizeof *field);
    struct advice_lanes *lanes = calloc(d->n_sites + 1, sizeof *lanes);
    struct advice_way *way = calloc(ls_recent_places(d->n_sites), sizeof *way);
    if (!a || !field || !lanes || !way) {
        free(a);
        free(field);
        free(lanes);
        free(way);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < d->n_sites; i++)
        field[i].lowest = ~0ull;
    a->field = field;
    a->lanes = lanes;
    a->way = way;
    a->places = ls_recent_places(d->n_sites);
    a->host = self->host;
    a->dispatch = d;
    a->lds_gpu = lds;
    a->cache_gpu = cache;
    *out = a;
    return 0;
}

/* The memory that all active lanes of a flat access go to. */
static enum advice_memory memory_of_flat(const struct lanescope_access *a)
{
    uint64_t addr[64];
    bool lds = true, global = true;
    lanescope_addresses(a, addr);
    for (uint64_t m = a->exec; m; m &= m - 1) {
        enum lanescope_aperture where = lanescope_aperture_of(addr[__builtin_ctzll(m)]);
        lds &= where == LANESCOPE_APERTURE_LDS;
        global &= where == LANESCOPE_APERTURE_GLOBAL;
    }
    return lds ? ADVICE_LDS : global ? ADVICE_GLOBAL : ADVICE_NO_MEMORY;
}

static enum advice_memory memory_of(const struct lanescope_site *s)
{
    if (LS_SITE_NO_ACCESS(s->kind) || !s->bytes)
        return ADVICE_NO_MEMORY;
    if (s->kind == LS_SITE_LDS_DMA_READ)
        return ADVICE_GLOBAL;
    if (s->space == LANESCOPE_SPACE_LDS || s->kind == LS_SITE_LDS_DMA_WRITE)
        return s->bytes <= LS_LDS_MOST ? ADVICE_LDS : ADVICE_NO_MEMORY;
    return s->space == LANESCOPE_SPACE_FLAT      ? ADVICE_BY_ADDRESS
           : s->space == LANESCOPE_SPACE_PRIVATE ? ADVICE_NO_MEMORY
                                                 : ADVICE_GLOBAL;
}

static bool has_model(const struct advice *st, enum advice_memory memory)
{
    return memory == ADVICE_LDS ? st->lds_gpu : memory == ADVICE_NO_MEMORY ? false : st->cache_gpu;
}

/* Lanes of an atomic that one lane does for all are not idle. */
static bool counts_lanes(const struct advice *st, uint32_t site, unsigned part)
{
    const struct lanescope_isa *isa = lanescope_isa_of(st->dispatch, site);
    return !isa || (isa->form != LANESCOPE_ISA_ONE_LANE && isa->passes[part].first);
}

struct range {
    uint64_t lowest, end;
};

/* Of an access in a line the lowest address, and the highest one. */
static inline struct range ends_of_line(const struct lanescope_access *a, uint64_t mask)
{
    const uint64_t first = (a->base + (uint64_t)a->stride * (unsigned)__builtin_ctzll(a->exec)) & mask,
                   last = (a->base + (uint64_t)a->stride * (63 - (unsigned)__builtin_clzll(a->exec))) & mask;
    return first < last ? (struct range){first, last} : (struct range){last, first};
}

static struct range range_of(const struct lanescope_access *a, uint64_t bytes, uint64_t mask)
{
    if (a->pattern == LANESCOPE_STRIDED) {
        const struct range ends = ends_of_line(a, mask);
        return (struct range){ends.lowest, ends.end + bytes};
    }
    if (a->pattern == LANESCOPE_RAW) {
        struct range r = {~0ull, 0};
        uint64_t addr[64];
        lanescope_addresses(a, addr);
        for (uint64_t m = a->exec; m; m &= m - 1) {
            uint64_t at = addr[__builtin_ctzll(m)] & mask;
            r.lowest = at < r.lowest ? at : r.lowest;
            r.end = at + bytes > r.end ? at + bytes : r.end;
        }
        return r;
    }
    /* Signed and unsigned 32-bit distances from the base become the same order with the top bit flipped. */
    uint32_t flip = a->pattern == LANESCOPE_DELTA ? 0x80000000u : 0, low = ~0u, high = 0;
    const bool found = ls_wide() && ls_wide_ends(a->words, a->active, flip, &low, &high);
    for (unsigned k = 0; !found && k < a->active; k++) {
        uint32_t w = a->words[k] ^ flip;
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    return (struct range){(a->base - flip + low) & mask, ((a->base - flip + high) & mask) + bytes};
}

/* Whether it is another part of a structure that begins there than in the field's first access. */
static bool lies_elsewhere(const struct advice_field *f, uint64_t lowest)
{
    const uint64_t size = ls_magnitude(f->step), away = lowest - f->first;
    if (!(size & (size - 1))) /* most are: no division */
        return size && away & (size - 1);
    return (int64_t)away % f->step;
}

/* The lowest addresses of accesses tell the fields of a structure apart. */
static inline void note_lowest(struct advice_field *f, uint64_t lowest)
{
    f->lowest = lowest < f->lowest ? lowest : f->lowest;
    f->moves = f->moves || (f->seen && lies_elsewhere(f, lowest));
}

static void note_field(struct advice_field *f, const struct lanescope_access *a, uint64_t bytes)
{
    const uint64_t lowest = range_of(a, bytes, ~0ull).lowest;
    note_lowest(f, lowest);
    if (f->seen || a->active < 2)
        return;
    uint64_t addr[64];
    struct ls_steps steps = {0};
    lanescope_addresses(a, addr);
    advice_add_steps(&steps, a->exec, addr, 1);
    f->step = advice_step(&steps);
    f->first = lowest;
    f->seen = true;
}

/* Addresses of an access with pattern LANESCOPE_RAW, shifted. */
static const uint32_t *shifted_words(const struct lanescope_access *a, uint32_t offset, uint32_t room[128])
{
    for (unsigned k = 0; k < a->active; k++) {
        uint64_t at = ((uint64_t)a->words[a->active + k] << 32 | a->words[k]) + offset;
        room[k] = (uint32_t)at;
        room[a->active + k] = (uint32_t)(at >> 32);
    }
    return room;
}

static struct sample *sample_at(struct sample **slot, uint32_t widest)
{
    struct sample *s = *slot;
    if (!s) {
        if (!(s = *slot = calloc(1, sizeof *s)))
            return NULL;
        s->lowest = ~0ull;
    }
    s->widest = widest > s->widest ? widest : s->widest;
    return s;
}

/* The access, or one pass of an instruction that does it. */
static void take_part(struct sample *s, const struct lanescope_access *a, enum advice_memory memory,
                      const struct lanescope_part *p)
{
    uint32_t room[128];
    struct lanescope_access part;
    if (memory == ADVICE_GLOBAL || p->offset || a->length != p->bytes) { /* a copy is not for free */
        part = *a;
        part.base += p->offset;
        part.length = p->bytes;
        if (a->pattern == LANESCOPE_RAW && p->offset)
            part.words = shifted_words(a, p->offset, room);
        a = &part;
    }
    if (memory == ADVICE_LDS) { /* the range decides which sites share an array */
        /* of a flat address in the LDS aperture the low half is the offset in LDS */
        struct range r = range_of(a, a->length, 0xffffffffull);
        s->lowest = r.lowest < s->lowest ? r.lowest : s->lowest;
        s->end = r.end > s->end ? r.end : s->end;
    } else if (a->pattern != LANESCOPE_RAW) {
        part.base = ADVICE_BASE + part.base % ADVICE_PERIOD;
    }
    sample_add(s, a, 1);
}

/* Lanes of the access's wavefront that are no work-items: those of a work-group's last wavefront, of a small work-group, or of one
 * that the grid's end cuts. Lanes are work-items in the order of their numbers, x first (LLVM's AMDGPUUsage, "Kernel Dispatch"). */
static unsigned lanes_without_items(const struct lanescope_dispatch *d, const struct lanescope_wavefront *w)
{
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        const uint64_t before = (uint64_t)w->workgroup[i] * d->workgroup[i],
                       left = d->grid[i] > before ? d->grid[i] - before : d->workgroup[i];
        items *= left < d->workgroup[i] ? left : d->workgroup[i];
    }
    const uint64_t before = (uint64_t)w->wave * d->lanes, left = items > before ? items - before : 0;
    return left < d->lanes ? d->lanes - (unsigned)left : 0;
}

static void count_lanes(struct advice_lanes *to, const struct lanescope_access *a, unsigned empty)
{
    to->executions++;
    to->active += a->active;
    to->empty += empty;
}

/* Kept is what the hardware's instructions do: their costs are what the other handlers report. `empty`: lanes_without_items. */
__attribute__((noinline)) static void take(struct advice *st, const struct lanescope_access *a,
                                           unsigned empty)
{
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    enum advice_memory memory = memory_of(s);
    if (memory == ADVICE_BY_ADDRESS)
        memory = memory_of_flat(a);
    if (!has_model(st, memory))
        return;
    struct sample **samples = memory == ADVICE_LDS ? advice_lds(st) : advice_global(st);
    for (unsigned i = 0; i < lanescope_n_parts(st->dispatch, a->site); i++) {
        struct lanescope_part p = lanescope_part_at(st->dispatch, a->site, i);
        if (!p.bytes) /* no access */
            continue;
        struct sample *to = sample_at(&samples[p.site], p.bytes > s->bytes ? (uint32_t)p.bytes : s->bytes);
        if (counts_lanes(st, a->site, i))
            count_lanes(&st->lanes[p.site], a, empty);
        if (to)
            take_part(to, a, memory, &p);
    }
    if (memory == ADVICE_GLOBAL)
        note_field(&st->field[a->site], a, s->bytes);
}

static struct advice_way *way_of(const struct advice *st, uint32_t site)
{
    return &st->way[ls_recent_place(site, st->places)];
}

/* What `take` needs to know of the site, for take_again. */
static void find_way(struct advice *st, uint32_t site)
{
    struct advice_way *w = way_of(st, site);
    const enum advice_memory memory = memory_of(&st->dispatch->sites[site]);
    *w = (struct advice_way){.of = site + 1};
    w->none = memory != ADVICE_BY_ADDRESS && !has_model(st, memory);
    if (w->none || memory == ADVICE_BY_ADDRESS || lanescope_n_parts(st->dispatch, site) != 1)
        return;
    const struct lanescope_part p = lanescope_part_at(st->dispatch, site, 0);
    const bool global = memory == ADVICE_GLOBAL;
    w->sample = (global ? advice_global(st) : advice_lds(st))[p.site];
    w->lanes = counts_lanes(st, site, 0) ? &st->lanes[p.site] : NULL;
    w->field = global ? &st->field[site] : NULL;
    w->above = global ? ADVICE_BASE : 0;
    w->kept = global ? ADVICE_PERIOD - 1 : ~0ull;
    w->offset = p.offset;
    w->bytes = p.bytes;
}

/* The same as `take` for most accesses: in a line, by one pass, of a pattern that came before. False: it is another one. */
static inline bool take_again(const struct advice_way *w, const struct lanescope_access *a, unsigned empty)
{
    if (!w->sample || a->pattern != LANESCOPE_STRIDED || (w->field && !w->field->seen))
        return false;
    const uint64_t base = w->above + ((a->base + w->offset) & w->kept);
    if (!sample_again(w->sample, a->exec, base, a->stride, w->bytes))
        return false;
    if (w->lanes)
        count_lanes(w->lanes, a, empty);
    if (w->field)
        note_lowest(w->field, ends_of_line(a, ~0ull).lowest);
    return true;
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    struct advice *st = state;
    const struct lanescope_wavefront *wave = NULL;
    unsigned empty = 0;
    for (size_t i = 0; i < n; i++) {
        const struct advice_way *w = way_of(st, a[i].site);
        const bool own = w->of == a[i].site + 1;
        if (a[i].wave != wave)
            empty = lanes_without_items(st->dispatch, a[i].wave);
        wave = a[i].wave;
        if (own && (w->none || take_again(w, &a[i], empty)))
            continue;
        take(st, &a[i], empty);
        if (!own)
            find_way(st, a[i].site);
    }
}

static void free_state(struct advice *a)
{
    for (uint32_t i = 0; i < 2 * a->dispatch->n_sites; i++)
        sample_free(a->lds[i]);
    free(a->field);
    free(a->lanes);
    free(a->way);
    free(a);
}

static void merge(void *state, void *other)
{
    struct advice *to = state, *from = other;
    for (uint32_t i = 0; i < to->dispatch->n_sites; i++) {
        struct advice_field *f = &to->field[i], *g = &from->field[i];
        f->lowest = g->lowest < f->lowest ? g->lowest : f->lowest;
        f->moves |= g->moves || (f->seen && g->seen && lies_elsewhere(f, g->first));
        f->step = f->seen ? f->step : g->step;
        f->first = f->seen ? f->first : g->first;
        f->seen |= g->seen;
        to->lanes[i].executions += from->lanes[i].executions;
        to->lanes[i].active += from->lanes[i].active;
        to->lanes[i].empty += from->lanes[i].empty;
    }
    for (uint32_t i = 0; i < 2 * to->dispatch->n_sites; i++) {
        if (!from->lds[i])
            continue;
        if (to->lds[i]) {
            sample_merge(to->lds[i], from->lds[i]);
            continue;
        }
        to->lds[i] = from->lds[i];
        from->lds[i] = NULL;
    }
    free_state(from);
}

static void dispatch_end(void *state, struct lanescope_results *r)
{
    struct advice *a = state;
    for (uint32_t i = 0; i < 2 * a->dispatch->n_sites; i++)
        if (a->lds[i])
            sample_sort(a->lds[i]);
    if (a->lds_gpu)
        advice_write_lds(a, r);
    if (a->cache_gpu)
        advice_write_global(a, r);
    advice_write_lanes(a, r);
    free_state(a);
}

LANESCOPE_HANDLER = {
    .abi = LANESCOPE_HANDLER_ABI,
    .size = sizeof(struct lanescope_handler),
    .name = "advice",
    .version = LANESCOPE_VERSION,
    .description = "what other layouts of the data would make of bank conflicts and excess cache lines",
    .open = open_handler,
    .dispatch_begin = dispatch_begin,
    .accesses = accesses,
    .merge = merge,
    .dispatch_end = dispatch_end,
    .close = free,
    .needs = LANESCOPE_PRICES_ACCESSES,
};
