/*
 * advice.c - handler: keeps a sample of each site's access patterns and replays it at the end of the dispatch
 * with other layouts of the data. What it stores are numbers; `lanescope report` makes sentences of them.
 */
#include "advice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "aperture.h"
#include "lanescope/sites.h"

struct self {
    const struct lanescope_host *host;
};

static int open_handler(const struct lanescope_host *host, const char *options, void **out)
{
    if (*options) {
        host->log(host, 0, "advice takes no options, got '%s'", options);
        return -EINVAL;
    }
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return -ENOMEM;
    self->host = host;
    *out = self;
    return 0;
}

static int dispatch_begin(void *handler, const struct lanescope_dispatch *d, void **out)
{
    struct self *self = handler;
    const struct ls_lds_arch *lds = ls_lds_arch_find(d->arch);
    const struct ls_cache_arch *cache = ls_cache_arch_find(d->arch);
    if (!lds && !cache)
        return -ENOTSUP;
    struct advice *a = calloc(1, sizeof *a + 2 * d->n_sites * sizeof a->lds[0]);
    if (!a)
        return -ENOMEM;
    a->host = self->host;
    a->dispatch = d;
    a->lds_arch = lds;
    a->cache_arch = cache;
    *out = a;
    return 0;
}

/* The memory that all active lanes of an access go to: the site's, or what flat addresses mean. */
enum memory { NO_MEMORY, LDS, GLOBAL };

static enum memory memory_of_flat(const struct lanescope_access *a)
{
    uint64_t addr[64];
    bool lds = true, global = true;
    lanescope_addresses(a, addr);
    for (uint64_t m = a->exec; m; m &= m - 1) {
        enum aperture where = aperture_of(addr[__builtin_ctzll(m)]);
        lds &= where == APERTURE_LDS;
        global &= where == APERTURE_GLOBAL;
    }
    return lds ? LDS : global ? GLOBAL : NO_MEMORY;
}

static enum memory memory_of(const struct lanescope_site *s, const struct lanescope_access *a)
{
    if (s->kind == LS_SITE_BLOCK || s->kind == LS_SITE_TIME || !s->bytes)
        return NO_MEMORY;
    if (s->kind == LS_SITE_LDS_DMA_READ)
        return GLOBAL;
    if (s->space == 3 || s->kind == LS_SITE_LDS_DMA_WRITE)
        return LDS;
    return s->space == 0 ? memory_of_flat(a) : s->space == 5 ? NO_MEMORY : GLOBAL;
}

static void extend(struct sample *s, uint64_t low, uint64_t end)
{
    s->lowest = low < s->lowest ? low : s->lowest;
    s->end = end > s->end ? end : s->end;
}

/* The lowest and highest address decide which sites share an array. */
static void note_range(struct sample *s, const struct lanescope_access *a, uint32_t bytes, uint64_t mask)
{
    if (a->pattern == LANESCOPE_STRIDED) {
        uint64_t first = (a->base + (uint64_t)(a->stride * __builtin_ctzll(a->exec))) & mask;
        uint64_t last = (a->base + (uint64_t)(a->stride * (63 - __builtin_clzll(a->exec)))) & mask;
        extend(s, first < last ? first : last, (first > last ? first : last) + bytes);
        return;
    }
    if (a->pattern == LANESCOPE_RAW) {
        uint64_t addr[64];
        lanescope_addresses(a, addr);
        for (uint64_t m = a->exec; m; m &= m - 1)
            extend(s, addr[__builtin_ctzll(m)] & mask, (addr[__builtin_ctzll(m)] & mask) + bytes);
        return;
    }
    /* Signed and unsigned 32-bit distances from the base become the same order with the top bit flipped. */
    uint32_t flip = a->pattern == LANESCOPE_DELTA ? 0x80000000u : 0, low = ~0u, high = 0;
    for (unsigned k = 0; k < a->active; k++) {
        uint32_t w = a->words[k] ^ flip;
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    extend(s, (a->base - flip + low) & mask, ((a->base - flip + high) & mask) + bytes);
}

static void take(struct advice *st, const struct lanescope_access *a)
{
    const struct lanescope_site *s = &st->dispatch->sites[a->site];
    enum memory memory = memory_of(s, a);
    if (memory == NO_MEMORY || (memory == LDS ? !st->lds_arch : !st->cache_arch))
        return;
    struct sample **slot = &(memory == LDS ? advice_lds(st) : advice_global(st))[a->site];
    if (!*slot) {
        if (!(*slot = calloc(1, sizeof **slot)))
            return;
        (*slot)->lowest = ~0ull;
    }
    /* of a flat address in the LDS aperture the low half is the offset in LDS */
    note_range(*slot, a, s->bytes, memory == LDS ? 0xffffffffull : ~0ull);
    if (memory == LDS || a->pattern == LANESCOPE_RAW) {
        sample_add(*slot, a, 1);
        return;
    }
    struct lanescope_access relative = *a;
    relative.base = ADVICE_BASE + a->base % ADVICE_PERIOD;
    sample_add(*slot, &relative, 1);
}

static void accesses(void *state, const struct lanescope_access *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        take(state, &a[i]);
}

static void free_state(struct advice *a)
{
    for (uint32_t i = 0; i < 2 * a->dispatch->n_sites; i++)
        sample_free(a->lds[i]);
    free(a);
}

static void merge(void *state, void *other)
{
    struct advice *to = state, *from = other;
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
    if (a->lds_arch)
        advice_write_lds(a, r);
    if (a->cache_arch)
        advice_write_global(a, r);
    free_state(a);
}

__attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler = {
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
};
