/*
 * match_beside.c - see match_parts.h. All of a clause (gfx10 and later) are in the row of its first instruction, and
 * have no tag of their own. But their registers tell: where an access is joined, an access at a known distance from it
 * that is executed with it lies at a known place behind the same registers, and the instructions that load just its
 * bytes from there are its own. So are those that go on where an instruction with the access's tag ends, if there is one
 * way only to make up the access of them.
 */
#include "match_parts.h"

enum { MOST = 32 }; /* instructions of one access */

/* Where an access lies, and what its instructions have in common with one that is known. */
struct spot {
    const struct ls_isa_instruction *known; /* an instruction with these registers, in this block */
    int64_t at;                             /* behind the registers */
    uint32_t site;
};

static int64_t offset_of(const struct ls_isa_instruction *i)
{
    return (int64_t)i->form.at + i->shift;
}

/* Pairs may serve two accesses, and of buffers lanes may be out of range. */
static bool is_plain(const struct ls_isa_instruction *i)
{
    return i->root && !i->form.pair && !i->form.buffer && !i->form.flat && !i->one_lane &&
           (i->form.class == LS_ISA_LDS || i->form.class == LS_ISA_VECTOR);
}

static bool is_beside(const struct ls_isa_instruction *i, const struct ls_isa_instruction *known)
{
    return is_plain(i) && i->root == known->root && i->block == known->block &&
           i->form.class == known->form.class && i->barriers == known->barriers && i->mask == known->mask &&
           ls_join_direction_of(&i->form) == ls_join_direction_of(&known->form);
}

static bool in_function(const struct ls_match *x, const struct function *f, uint32_t site)
{
    return x->function_of[site] != LS_NONE && &x->functions[x->function_of[site]] == f;
}

static uint64_t bits(int64_t from, int64_t n)
{
    return (n >= 64 ? ~0ull : (1ull << n) - 1) << from;
}

/* Collects the open instructions of an access at that spot. False: they do not make it up, each byte that is used once,
 * or others overlap them. */
static bool collect(const struct ls_match *x, const struct function *f, const struct spot *s,
                    uint32_t found[MOST], uint32_t *n)
{
    const int64_t end = s->at + (int64_t)x->m->sites[s->site].bytes;
    const uint32_t tag = ls_join_tag(x, s->site);
    const uint64_t used = bits(0, end - s->at) & ~ls_join_unused(x, s->site);
    uint64_t covered = 0;
    *n = 0;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        const int64_t from = offset_of(k), to = from + (int64_t)k->form.bytes;
        if (!is_beside(k, s->known) || to <= s->at || from >= end)
            continue;
        if (f->taken[i] || from < s->at || to > end || *n == MOST || (!k->follows && k->tag && k->tag != tag))
            return false;
        const uint64_t here = bits(from - s->at, to - from);
        if (here & covered || !(here & used))
            return false;
        found[(*n)++] = i;
        covered |= here;
    }
    return !(used & ~covered);
}

static void join(struct ls_match *x, struct function *f, const struct spot *s, const uint32_t *found,
                 uint32_t n, bool settled)
{
    struct join *j = &x->join[s->site];
    bool ok = true;
    ls_join_forget(j);
    for (uint32_t k = 0; k < n; k++) {
        const struct ls_isa_instruction *i = &f->listing.items[found[k]];
        const uint16_t offset = (uint16_t)(offset_of(i) - s->at);
        ok &= ls_join_add_pass(x, s->site, found[k],
                               (struct lanescope_pass){s->site, offset, (uint8_t)i->form.bytes, 1});
    }
    if (!ok) {
        ls_join_forget(j);
        return;
    }
    j->state = LS_MATCH_EXACT;
    j->settled = settled;
    j->first = found[0];
    for (uint32_t k = 0; k < n; k++) {
        f->taken[found[k]] = true;
        f->site[found[k]] = s->site;
    }
}

/* Whether the access may be done so, and not by scalar memory. */
static bool may_be(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    return s->bytes <= LS_COVER_BYTES && ls_join_class(s) && !(s->flags & LS_SITE_UNIFORM) &&
           ls_join_direction_of_site(s->kind) != ATOMICS;
}

/* Both are always executed together, a known distance apart. */
static bool is_related(const struct ls_match *x, uint32_t a, uint32_t b)
{
    const struct ls_site_place *p = &x->m->places[a], *q = &x->m->places[b];
    return p->together && p->group && p->group == q->group && p->variable == q->variable &&
           p->together == q->together && p->barriers == q->barriers &&
           ls_join_direction_of_site(x->m->sites[a].kind) == ls_join_direction_of_site(x->m->sites[b].kind);
}

/* By an access of its group that is joined. */
static bool by_neighbour(struct ls_match *x, struct function *f, uint32_t site)
{
    uint32_t found[MOST], n;
    for (uint32_t i = f->from; i < f->to; i++) {
        const struct join *j = &x->join[i];
        if (i == site || !in_function(x, f, i) || j->state != LS_MATCH_EXACT || j->alike || j->copied ||
            !is_related(x, i, site))
            continue;
        for (unsigned k = 0; k < j->n; k++) {
            struct spot s = {&f->listing.items[j->instructions[k]], 0, site};
            if (!is_plain(s.known) || !j->passes[k].first)
                continue;
            s.at = offset_of(s.known) - j->passes[k].offset + x->m->places[site].distance -
                   x->m->places[i].distance;
            if (!collect(x, f, &s, found, &n))
                continue;
            join(x, f, &s, found, n, j->settled);
            return true;
        }
    }
    return false;
}

/* The only instruction in a row of its own that has the access's tag; LS_NONE: none, or several. */
static uint32_t only_tagged(const struct ls_match *x, const struct function *f, uint32_t site)
{
    const uint32_t tag = ls_join_tag(x, site);
    uint32_t found = LS_NONE;
    for (uint32_t i = 0; tag && i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        if (k->follows || k->tag != tag ||
            ls_join_direction_of(&k->form) != ls_join_direction_of_site(x->m->sites[site].kind))
            continue;
        if (found != LS_NONE || f->taken[i] || !is_plain(k) ||
            k->form.class != ls_join_class(&x->m->sites[site]))
            return LS_NONE;
        found = i;
    }
    return found;
}

/* By those that follow the instruction with its tag. */
static bool by_followers(struct ls_match *x, struct function *f, uint32_t site)
{
    const uint32_t tagged = only_tagged(x, f, site);
    uint32_t found[MOST], n, ways = 0;
    struct spot way = {0};
    if (tagged == LS_NONE || ls_join_unused(x, site))
        return false;
    const struct ls_isa_instruction *first = &f->listing.items[tagged];
    const int64_t bytes = x->m->sites[site].bytes;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        const struct spot s = {first, offset_of(k), site};
        if (!is_beside(k, first) || s.at > offset_of(first) || offset_of(first) >= s.at + bytes ||
            !collect(x, f, &s, found, &n))
            continue;
        ways++;
        way = s;
    }
    if (ways != 1 || !collect(x, f, &way, found, &n))
        return false;
    join(x, f, &way, found, n, true);
    return true;
}

void ls_join_beside(struct ls_match *x, struct function *f, bool *open)
{
    bool any = x->m->places != NULL;
    while (any && ls_join_spend(x, f, (uint64_t)(f->to - f->from) * f->listing.n)) {
        any = false;
        for (uint32_t i = f->from; i < f->to; i++) {
            if (!open[i] || !in_function(x, f, i) || !may_be(x, i))
                continue;
            if (!by_neighbour(x, f, i) && !by_followers(x, f, i))
                continue;
            open[i] = false;
            any = true;
        }
    }
}
