/*
 * match_beside.c - see match_parts.h. All of a clause (gfx10 and later) are in the row of its first instruction, and
 * have no tag of their own. But their registers tell: where an access is joined, an access at a known distance from it
 * that is executed with it lies at a known place behind the same registers, and the instructions that load just its
 * bytes from there are its own. So are those that go on where an instruction with the access's tag ends, if there is one
 * way only to make up the access of them.
 */
#include "common/numbers.h"
#include "match_parts.h"

enum { MOST = 32 }; /* instructions of one access */

/* Where an access lies, and what its instructions have in common with one that is known. */
struct spot {
    const struct ls_isa_instruction *known; /* an instruction with these registers, in this block */
    int64_t at;                             /* behind the registers */
    uint32_t site;
};

/* Instructions in the listing. */
struct parts {
    uint32_t number[MOST], n;
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

/* Of a copy the last part may overlap the one before it, see match_copy.c. */
static bool is_copy(const struct ls_match *x, uint32_t site)
{
    const uint8_t kind = x->m->sites[site].kind;
    return kind == LS_SITE_COPY_READ || kind == LS_SITE_COPY_WRITE;
}

/* Whether the instruction does something at that spot, as one of the row of the known one or of its block. */
static bool touches(const struct ls_match *x, const struct spot *s, bool of_row,
                    const struct ls_isa_instruction *i)
{
    const int64_t from = offset_of(i), end = s->at + ls_join_wide(&x->m->sites[s->site]);
    return is_beside(i, s->known) && from + (int64_t)i->form.bytes > s->at && from < end &&
           (!of_row || i->row == s->known->row);
}

/* Of those collected, one that does the same. */
static bool has_twin(const struct function *f, const struct parts *found, const struct ls_isa_instruction *i)
{
    for (uint32_t k = 0; k < found->n; k++) {
        const struct ls_isa_instruction *other = &f->listing.items[found->number[k]];
        if (offset_of(other) == offset_of(i) && other->form.bytes == i->form.bytes)
            return true;
    }
    return false;
}

/* Copies of the access, of a loop that is unrolled: sites of one place, executed together. */
static uint32_t count_copies(const struct ls_match *x, const struct function *f, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    uint32_t n = 0;
    for (uint32_t i = f->from; i < f->to; i++) {
        const struct lanescope_site *t = &x->m->sites[i];
        n += in_function(x, f, i) && t->kind == s->kind && t->bytes == s->bytes && t->space == s->space &&
             x->m->places[i].together == x->m->places[site].together && t->n_frames && s->n_frames &&
             t->frames[0].line == s->frames[0].line && t->frames[0].column == s->frames[0].column;
    }
    return n;
}

/* Whether those at that spot that are left out do the same as those collected, each, for a copy of the access. */
static bool are_copies(const struct ls_match *x, const struct function *f, const struct spot *s, bool of_row,
                       const struct parts *found)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        if (!touches(x, s, of_row, k))
            continue;
        if (!has_twin(f, found, k))
            return false;
        all++;
    }
    return all == found->n || (all % found->n == 0 && all / found->n <= count_copies(x, f, s->site));
}

/* Collects the open instructions of an access at that spot. False: they do not make it up, each byte that is used
 * once, or others overlap them. */
static bool collect(const struct ls_match *x, const struct function *f, const struct spot *s, bool of_row,
                    struct parts *found)
{
    const struct lanescope_site *site = &x->m->sites[s->site];
    const int64_t end = s->at + ls_join_wide(site);
    const uint32_t tag = ls_join_tag(x, s->site);
    const uint64_t used = ls_low_bits(site->bytes) & ~ls_join_unused(x, s->site);
    uint64_t covered = 0, last = 0;
    found->n = 0;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        const int64_t from = offset_of(k), to = from + (int64_t)k->form.bytes;
        if (!touches(x, s, of_row, k) || f->taken[i] || has_twin(f, found, k))
            continue;
        if (from < s->at || to > end || found->n == MOST || (!k->follows && k->tag && k->tag != tag))
            return false;
        const uint64_t here = ls_low_bits((unsigned)(to - from)) << (from - s->at);
        uint64_t *const to_add = is_copy(x, s->site) && to == end ? &last : &covered;
        if (here & *to_add || !(here & used))
            return false;
        found->number[found->n++] = i;
        *to_add |= here;
    }
    return found->n && !(used & ~(covered | last)) && (!last || last & ~covered) &&
           are_copies(x, f, s, of_row, found);
}

/* A loop that is unrolled may load the same from the same registers again, in a clause of its own. */
static bool collect_any(const struct ls_match *x, const struct function *f, const struct spot *s,
                        struct parts *found)
{
    return (s->known->row && collect(x, f, s, true, found)) || collect(x, f, s, false, found);
}

static void join(struct ls_match *x, struct function *f, const struct spot *s, const struct parts *found,
                 bool settled)
{
    struct join *j = &x->join[s->site];
    bool ok = true;
    ls_join_forget(j);
    for (uint32_t k = 0; k < found->n; k++) {
        const struct ls_isa_instruction *i = &f->listing.items[found->number[k]];
        const uint16_t offset = (uint16_t)(offset_of(i) - s->at);
        ok &= ls_join_add_pass(x, s->site, found->number[k],
                               (struct lanescope_pass){s->site, offset, (uint8_t)i->form.bytes, 1});
    }
    if (!ok) {
        ls_join_forget(j);
        return;
    }
    j->state = LS_MATCH_EXACT;
    j->settled = settled;
    j->first = found->number[0];
    for (uint32_t k = 0; k < found->n; k++) {
        f->taken[found->number[k]] = true;
        f->site[found->number[k]] = s->site;
    }
}

static bool may_be(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    return s->bytes <= LS_COVER_BYTES && ls_join_direction_of_site(s->kind) != ATOMICS;
}

/* A flat access may be of either class. */
static bool is_class(const struct ls_match *x, uint32_t site, enum ls_isa_class class)
{
    const enum ls_isa_class own = ls_join_class(&x->m->sites[site]);
    return !own || own == class;
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
    struct parts found;
    for (uint32_t i = f->from; i < f->to; i++) {
        const struct join *j = &x->join[i];
        if (i == site || !in_function(x, f, i) || j->state != LS_MATCH_EXACT || j->alike || j->copied ||
            !is_related(x, i, site))
            continue;
        for (unsigned k = 0; k < j->n; k++) {
            struct spot s = {&f->listing.items[j->instructions[k]], 0, site};
            if (!is_plain(s.known) || !is_class(x, site, s.known->form.class) || !j->passes[k].first ||
                !ls_join_spend(x, f, 2 * f->listing.n))
                continue;
            s.at = offset_of(s.known) - j->passes[k].offset + x->m->places[site].distance -
                   x->m->places[i].distance;
            if (!collect_any(x, f, &s, &found))
                continue;
            join(x, f, &s, &found, j->settled);
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
        if (found != LS_NONE || f->taken[i] || !is_plain(k) || !is_class(x, site, k->form.class))
            return LS_NONE;
        found = i;
    }
    return found;
}

/* The spots of an access that an instruction with its tag and others make up: how many, and one of them. */
static uint32_t count_spots(const struct ls_match *x, const struct function *f,
                            const struct ls_isa_instruction *first, uint32_t site, bool of_row,
                            struct spot *spot)
{
    const int64_t bytes = x->m->sites[site].bytes;
    struct parts found;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        const struct spot s = {first, offset_of(k), site};
        if (!is_beside(k, first) || (of_row && k->row != first->row) || s.at > offset_of(first) ||
            offset_of(first) >= s.at + bytes || !collect(x, f, &s, of_row, &found))
            continue;
        n++;
        *spot = s;
    }
    return n;
}

/* By those that follow the instruction with its tag. */
static bool by_followers(struct ls_match *x, struct function *f, uint32_t site)
{
    const uint64_t n = f->listing.n;
    const uint32_t tagged = ls_join_spend(x, f, n) ? only_tagged(x, f, site) : LS_NONE;
    struct spot spot;
    struct parts found;
    if (tagged == LS_NONE || ls_join_unused(x, site) || !ls_join_spend(x, f, 2 * n * n))
        return false;
    const struct ls_isa_instruction *first = &f->listing.items[tagged];
    for (unsigned of_row = first->row != 0;; of_row = 0) {
        if (count_spots(x, f, first, site, of_row, &spot) == 1 && collect(x, f, &spot, of_row, &found)) {
            join(x, f, &spot, &found, true);
            return true;
        }
        if (!of_row)
            return false;
    }
}

void ls_join_beside(struct ls_match *x, struct function *f, bool *open)
{
    bool any = x->m->places != NULL;
    while (any && ls_join_spend(x, f, (uint64_t)(f->to - f->from) * (f->to - f->from))) {
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
