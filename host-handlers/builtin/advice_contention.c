/*
 * advice_contention.c - atomics on LDS of which several lanes update one address, and wait for each other:
 * what the recorded accesses cost when each address is updated by one lane only, and when lanes have copies
 * of the array. Both are replays of the recorded lanes; that wavefronts wait for each other is no part of the
 * model.
 */
#include "advice_lds.h"

enum { COPIES_MAX = 32 };

/* The lowest of the lanes on each address. */
static uint64_t one_lane_each(uint64_t exec, const uint64_t addr[64])
{
    uint64_t leaders = 0;
    while (exec) {
        const unsigned first = (unsigned)__builtin_ctzll(exec);
        leaders |= 1ull << first;
        for (uint64_t m = exec; m; m &= m - 1)
            if (addr[__builtin_ctzll(m)] == addr[first])
                exec &= ~(m & -m);
    }
    return leaders;
}

static struct cycles with_copies(struct search *s, uint32_t site, uint32_t copies, uint32_t pitch)
{
    const struct sample *sample = advice_lds(s->a)[site];
    struct cycles sum = {0};
    for (uint32_t i = 0; i < sample->n; i++) {
        const struct sample_pattern *p = &sample->pattern[i];
        uint64_t addr[64];
        advice_lds_addresses(p, addr);
        for (uint64_t m = p->access.exec; m; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(m);
            addr[lane] += lane % copies * pitch;
        }
        add_cycles(&sum, advice_access_cycles(s, site, p->access.exec, (uint32_t)p->access.length, addr),
                   p->count);
    }
    return sum;
}

/* Copies one element further apart than they are long, so that one element's copies are in several banks. */
static void try_copies(struct search *s, uint32_t site, struct contention *c)
{
    const uint64_t declared = s->variable ? s->variable->bytes : 0;
    const uint64_t length = declared ? declared : s->end - s->origin;
    const uint64_t element = s->element % 4 ? 4 : s->element;
    const uint64_t pitch = (length + element - 1) / element * element + element;
    c->copied = s->before[site];
    for (uint32_t copies = 2; copies <= COPIES_MAX; copies *= 2) {
        if (s->a->dispatch->lds_bytes + copies * pitch - length > s->a->lds_gpu->family->lds_bytes)
            break;
        struct cycles now = with_copies(s, site, copies, (uint32_t)pitch);
        if (now.all >= c->copied.all)
            continue;
        c->copied = now;
        c->copies = copies;
        c->copy_pitch = (uint32_t)pitch;
    }
}

struct contention advice_contention(struct search *s, uint32_t site)
{
    const struct sample *sample = advice_lds(s->a)[site];
    struct contention c = {0};
    for (uint32_t i = 0; i < sample->n; i++) {
        const struct sample_pattern *p = &sample->pattern[i];
        uint64_t addr[64];
        advice_lds_addresses(p, addr);
        uint64_t leaders = one_lane_each(p->access.exec, addr);
        add_cycles(&c.aggregated, advice_access_cycles(s, site, leaders, (uint32_t)p->access.length, addr),
                   p->count);
    }
    try_copies(s, site, &c);
    return c;
}
