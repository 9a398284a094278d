/* evidence.c - see evidence.h. */
#include "evidence.h"

#include <string.h>

#include "messages/decode.h"

struct collector {
    struct ls_seen *seen;
    uint64_t dispatch;
    size_t n_new;
};

static uint64_t group_of(const struct lanescope_wavefront *w)
{
    return (uint64_t)w->workgroup[2] << 42 ^ (uint64_t)w->workgroup[1] << 21 ^ w->workgroup[0];
}

static void keep(struct ls_seen *s, uint64_t dispatch, const struct lanescope_access *a)
{
    const struct lanescope_wavefront *w = a->wave;
    uint64_t group = group_of(w);
    bool same = s->dispatch == dispatch && s->group == group && s->wave == w->wave;
    bool earlier = s->dispatch == dispatch && (s->group < group || (s->group == group && s->wave < w->wave));
    if (earlier || (s->dispatch == dispatch && s->by_gpu))
        return;
    if (!same)
        s->count = s->masks = 0;
    if (!same || w->sequence < s->sequence) {
        s->dispatch = dispatch;
        s->group = group;
        s->wave = w->wave;
        s->sequence = w->sequence;
        s->by_gpu = false;
        s->exec = a->exec;
        lanescope_addresses(a, s->addr);
    }
    s->count++;
    s->masks += (a->exec + 1) * 0x9e3779b97f4a7c15ull ^ a->exec >> 7;
}

static void accesses(void *user, const struct lanescope_access *a, size_t n)
{
    struct collector *c = user;
    for (size_t i = 0; i < n; i++) {
        struct ls_seen *s = &c->seen[a[i].site];
        c->n_new += !s->dispatch;
        keep(s, c->dispatch, &a[i]);
    }
}

/* The numbers of wavefronts in a dispatch are in the order of their work-groups. */
static void evidence(void *user, const struct decode_evidence *e)
{
    struct collector *c = user;
    struct ls_seen *s = &c->seen[e->site];
    c->n_new += !s->dispatch;
    *s = (struct ls_seen){
        .dispatch = c->dispatch, .group = e->wave, .exec = e->exec, .masks = e->sum, .by_gpu = true};
    memcpy(s->addr, e->addr, sizeof s->addr);
}

static void events(void *user, const struct lanescope_event *e, size_t n)
{
    (void)user, (void)e, (void)n;
}

/* Sums of the GPU tell no addresses. */
static void repeated(void *user, const struct lanescope_access *a, uint64_t times)
{
    (void)user, (void)a, (void)times;
}

static void reduced(void *user, const struct lanescope_reduced *r)
{
    (void)user, (void)r;
}

size_t ls_evidence_add(struct ls_seen *seen, const struct lanescope_site *sites, uint32_t n_sites,
                       const struct ls_unsaid *unsaid, uint64_t dispatch, const void *chunk, size_t size)
{
    struct collector c = {seen, dispatch, 0};
    struct decode_sink sink = {.user = &c,
                               .accesses = accesses,
                               .repeated = repeated,
                               .reduced = reduced,
                               .evidence = evidence,
                               .events = events};
    struct ls_chunk_stats stats = {0};
    ls_decode_chunk(chunk, size, sites, n_sites, unsaid, &sink, &stats);
    return c.n_new;
}

bool ls_evidence_related(const struct ls_seen *a, const struct ls_seen *b, int64_t *distance)
{
    if (!a->dispatch || a->dispatch != b->dispatch || a->group != b->group || a->wave != b->wave ||
        a->exec != b->exec || a->count != b->count || a->masks != b->masks)
        return false;
    unsigned first = (unsigned)__builtin_ctzll(a->exec);
    *distance = (int64_t)(b->addr[first] - a->addr[first]);
    for (uint64_t m = a->exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if ((int64_t)(b->addr[lane] - a->addr[lane]) != *distance)
            return false;
    }
    return true;
}

bool ls_evidence_uniform(const struct ls_seen *s)
{
    unsigned first = s->exec ? (unsigned)__builtin_ctzll(s->exec) : 0;
    for (uint64_t m = s->exec; m; m &= m - 1)
        if (s->addr[__builtin_ctzll(m)] != s->addr[first])
            return false;
    return true;
}
