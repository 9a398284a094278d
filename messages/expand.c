/* expand.c - see expand.h. */
#include "expand.h"

uint64_t ls_expand_address(uint64_t address, int64_t distance, uint8_t space)
{
    uint64_t sum = address + (uint64_t)distance;
    return space == LANESCOPE_SPACE_LDS ? (uint32_t)sum : sum;
}

static bool wraps(uint64_t address, int64_t distance)
{
    return ls_expand_address(address, distance, LANESCOPE_SPACE_LDS) !=
           ls_expand_address(address, distance, LANESCOPE_SPACE_GLOBAL);
}

/* Whether another base says it all: no lane's address wraps. */
static bool moves_whole(const struct lanescope_access *a, int64_t distance, bool lds)
{
    uint64_t addr[64];
    if (a->pattern == LANESCOPE_RAW || !lds)
        return a->pattern != LANESCOPE_RAW;
    if (a->pattern == LANESCOPE_STRIDED) {
        int64_t first = __builtin_ctzll(a->exec), last = 63 - __builtin_clzll(a->exec);
        return !wraps(a->base + (uint64_t)(a->stride * first), distance) &&
               !wraps(a->base + (uint64_t)(a->stride * last), distance);
    }
    lanescope_addresses(a, addr);
    for (uint64_t m = a->exec; m; m &= m - 1)
        if (wraps(addr[__builtin_ctzll(m)], distance))
            return false;
    return true;
}

/* The pattern that has each lane's address. */
static void write_raw(struct lanescope_access *a, const uint64_t addr[64], int64_t distance, uint8_t space,
                      uint32_t words[128])
{
    unsigned k = 0;
    for (uint64_t m = a->exec; m; m &= m - 1, k++) {
        uint64_t address = ls_expand_address(addr[__builtin_ctzll(m)], distance, space);
        words[k] = (uint32_t)address;
        words[a->active + k] = (uint32_t)(address >> 32);
    }
    a->pattern = LANESCOPE_RAW;
    a->base = 0;
    a->stride = 0;
    a->words = words;
}

bool ls_expand_access(const struct lanescope_access *leader, const struct ls_site_lead *lead,
                      const struct lanescope_site *sites, struct lanescope_access *out, uint32_t words[128])
{
    const uint8_t space = sites[lead->follower].space;
    uint64_t addr[64];
    *out = *leader;
    out->site = lead->follower;
    out->length = sites[lead->follower].bytes;
    out->base += (uint64_t)(int64_t)lead->distance;
    if (moves_whole(leader, lead->distance, space == LANESCOPE_SPACE_LDS))
        return false;
    lanescope_addresses(leader, addr);
    write_raw(out, addr, lead->distance, space, words);
    return true;
}

/* Whether no lane's address wraps on any turn: none does on the last one, to which they go in one direction. */
static bool moves_on_all_turns(const struct lanescope_access *a, uint64_t step, uint64_t more, bool lds)
{
    int64_t distance;
    if (__builtin_mul_overflow((int64_t)step, (int64_t)more, &distance))
        return !lds && a->pattern != LANESCOPE_RAW;
    return moves_whole(a, distance, lds);
}

bool ls_turns_add(struct ls_turns_loop *t, uint32_t number, const struct lanescope_access *first,
                  uint64_t step, uint64_t more, const struct lanescope_site *sites)
{
    if (t->n == LS_TURNS_GATHERED)
        return false;
    if (t->n && (t->number != number || first->site <= t->one[t->n - 1].access.site))
        return false;
    struct ls_turns_one *one = &t->one[t->n++];
    one->access = *first;
    one->step = step;
    one->more = more;
    one->moves = moves_on_all_turns(first, step, more, sites[first->site].space == LANESCOPE_SPACE_LDS);
    t->number = number;
    return true;
}

bool ls_turns_access(struct ls_turns_one *one, uint64_t turn, const struct lanescope_site *sites,
                     struct lanescope_access *out)
{
    const uint64_t distance = one->step * turn;
    uint64_t addr[64];
    *out = one->access;
    out->base += distance;
    if (one->moves)
        return false;
    lanescope_addresses(&one->access, addr);
    write_raw(out, addr, (int64_t)distance, sites[out->site].space, one->words);
    return true;
}

void ls_expand_behind(struct ls_expand *x, const struct ls_leads *leads,
                      const struct lanescope_access *access)
{
    const struct ls_site_lead *lead;
    uint32_t n = ls_followers(leads, access->site, &lead);
    if (n)
        x->waiting[x->n++] = (struct ls_expand_one){*access, lead, lead + n};
}

/* The one whose next follower the program does first. */
static unsigned first_of(const struct ls_expand *x)
{
    unsigned first = 0;
    for (unsigned i = 1; i < x->n; i++)
        if (x->waiting[i].next->follower < x->waiting[first].next->follower)
            first = i;
    return first;
}

/* Sites that lie between a leader and its follower by their numbers do so in the program, too, within one basic
 * block. Any other site shows that the wavefront has left that block. */
bool ls_expand_before(struct ls_expand *x, uint32_t site, struct lanescope_access *leader,
                      const struct ls_site_lead **lead)
{
    if (!x->n)
        return false;
    struct ls_expand_one *one = &x->waiting[first_of(x)];
    bool same_block = x->n < EXPAND_WAITING;
    for (unsigned i = 0; i < x->n; i++)
        same_block &= site > x->waiting[i].access.site;
    if (same_block && site <= one->next->follower)
        return false;
    *leader = one->access;
    *lead = one->next++;
    if (one->next == one->end)
        *one = x->waiting[--x->n];
    return true;
}

/* Number of the pass in the plan; n_passes: it has none such. */
static uint32_t find_pass(const struct ls_plan *plan, const struct ls_plan_pass *wanted)
{
    const struct ls_plan_pass *p = (const void *)((const char *)plan + plan->passes);
    const uint32_t word = wanted->site < plan->n_sites ? ((const uint32_t *)(plan + 1))[wanted->site] : 0;
    const uint32_t n = word ? LS_PLAN_NUMBER(word) : 0;
    for (uint32_t i = LS_PLAN_FIRST(word); i < LS_PLAN_FIRST(word) + n; i++)
        if (p[i].site == wanted->site && p[i].offset == wanted->offset && p[i].bytes == wanted->bytes &&
            p[i].memory == wanted->memory)
            return i;
    return plan->n_passes;
}

uint32_t ls_expand_shared(const struct ls_plan *plan, const struct ls_plan_pass *pass,
                          const struct ls_plan_shared **first)
{
    const uint32_t number = plan && plan->n_shared ? find_pass(plan, pass) : 0;
    uint32_t low = 0, high = plan ? plan->n_shared : 0, n = 0;
    if (!high || number == plan->n_passes)
        return 0;
    const struct ls_plan_shared *all = (const void *)((const char *)plan + plan->shared);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (all[middle].pass < number)
            low = middle + 1;
        else
            high = middle;
    }
    *first = all + low;
    while (low + n < plan->n_shared && all[low + n].pass == number)
        n++;
    return n;
}
