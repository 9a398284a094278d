/*
 * match_beside.c - see match_parts.h. All of a clause (gfx10 and later) are in the row of its first instruction, and
 * have no tag of their own. But their registers tell: where an access is joined, an access at a known distance from it
 * that is executed with it lies at a known place behind the same registers, and the instructions that load just its
 * bytes from there are its own. So are those that go on where an instruction with the access's tag ends, if there is one
 * way only to make up the access of them.
 */
#include "common/numbers.h"
#include "match_parts.h"

enum { MOST = 64 }; /* instructions of one access */

/* Where an access lies, and what its instructions have in common with one that is known. */
struct spot {
    const struct ls_isa_instruction *known; /* an instruction with these registers, in this block */
    int64_t at;                             /* behind the registers */
    uint32_t site;
};

/* Instructions in the listing, and where in the access they begin. */
struct parts {
    uint32_t number[MOST], n;
    int64_t at[MOST];
};

static int64_t offset_of(const struct ls_isa_instruction *i)
{
    return (int64_t)i->form.at + i->shift;
}

/* The same as it is counted from the registers of another one, which are its own or lie a constant apart. */
static int64_t offset_by(const struct ls_isa_instruction *i, const struct ls_isa_instruction *other)
{
    int64_t apart = 0;
    ls_join_registers_apart(i, other, &apart);
    return offset_of(other) + apart;
}

/* Pairs may serve two accesses, and of buffers lanes may be out of range. */
static bool is_plain(const struct ls_isa_instruction *i)
{
    return (i->root || i->low) && !i->form.pair && !i->form.buffer && !i->form.flat && !i->one_lane &&
           (i->form.class == LS_ISA_LDS || i->form.class == LS_ISA_VECTOR);
}

static bool is_beside(const struct ls_isa_instruction *i, const struct ls_isa_instruction *known)
{
    int64_t apart;
    return is_plain(i) && ls_join_registers_apart(i, known, &apart) && i->block == known->block &&
           i->form.class == known->form.class && i->barriers == known->barriers && i->mask == known->mask &&
           ls_join_direction_of(&i->form) == ls_join_direction_of(&known->form);
}

static bool in_function(const struct ls_match *x, const struct function *f, uint32_t site)
{
    return x->function_of[site] != LS_NONE && &x->functions[x->function_of[site]] == f;
}

/* Whether the instruction does something at that spot, as one of the row of the known one or of its block. */
static bool touches(const struct ls_match *x, const struct spot *s, bool of_row,
                    const struct ls_isa_instruction *i)
{
    const int64_t from = offset_by(i, s->known), end = s->at + ls_join_wide(&x->m->sites[s->site]);
    return is_beside(i, s->known) && from + (int64_t)i->form.bytes > s->at && from < end &&
           (!of_row || i->row == s->known->row);
}

/* Of those collected, one that does the same. */
static bool has_twin(const struct function *f, const struct spot *s, const struct parts *found,
                     const struct ls_isa_instruction *i)
{
    for (uint32_t k = 0; k < found->n; k++) {
        const struct ls_isa_instruction *other = &f->listing.items[found->number[k]];
        if (offset_by(other, s->known) == offset_by(i, s->known) && other->form.bytes == i->form.bytes)
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
        if (!has_twin(f, s, found, k))
            return false;
        all++;
    }
    return all == found->n || (all % found->n == 0 && all / found->n <= count_copies(x, f, s->site));
}

enum { COVERED = 1, LAST = 2 }; /* by the last part of a copy, which may overlap others, see match_copy.c */

/* Marks bytes of an access. False: some are marked so already, or the program looks at none of them. */
static bool mark(uint8_t *bytes, uint64_t unused, uint32_t from, uint32_t n, uint8_t as)
{
    bool used = false;
    for (uint32_t b = from; b < from + n; b++) {
        if (bytes[b] & as)
            return false;
        used |= b >= 64 || !(unused >> b & 1);
        bytes[b] |= as;
    }
    return used;
}

/* Whether all used bytes are marked, and the last part of a copy does what no other does. */
static bool is_whole(const uint8_t *bytes, uint64_t unused, uint32_t n)
{
    bool last = false, alone = false;
    for (uint32_t b = 0; b < n; b++) {
        if (!bytes[b] && (b >= 64 || !(unused >> b & 1)))
            return false;
        last |= bytes[b] & LAST;
        alone |= bytes[b] == LAST;
    }
    return !last || alone;
}

/* Collects the open instructions of an access at that spot. False: they do not make it up, each byte that is used
 * once, or others overlap them. */
static bool collect(const struct ls_match *x, const struct function *f, const struct spot *s, bool of_row,
                    struct parts *found)
{
    const struct lanescope_site *site = &x->m->sites[s->site];
    const uint32_t wide = ls_join_wide(site), tag = ls_join_tag(x, s->site);
    const uint64_t unused = ls_join_unused(x, s->site) | (wide < 64 ? ~ls_low_bits(site->bytes) : 0);
    uint8_t bytes[LONGEST] = {0};
    found->n = 0;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        if (!touches(x, s, of_row, k) || f->taken[i] || has_twin(f, s, found, k))
            continue;
        const int64_t from = offset_by(k, s->known) - s->at, to = from + (int64_t)k->form.bytes;
        if (from < 0 || to > wide || found->n == MOST || (!k->follows && k->tag && k->tag != tag) ||
            !mark(bytes, unused, (uint32_t)from, k->form.bytes,
                  ls_join_is_copy(x, s->site) && to == wide ? LAST : COVERED))
            return false;
        found->at[found->n] = from;
        found->number[found->n++] = i;
    }
    return found->n && is_whole(bytes, unused, site->bytes) && are_copies(x, f, s, of_row, found);
}

/* A loop that is unrolled may load the same from the same registers again, in a clause of its own. */
static bool collect_any(const struct ls_match *x, const struct function *f, const struct spot *s,
                        struct parts *found)
{
    return (s->known->row && collect(x, f, s, true, found)) || collect(x, f, s, false, found);
}

static bool join(struct ls_match *x, struct function *f, uint32_t site, const struct parts *found,
                 bool settled)
{
    bool ok = true;
    ls_join_forget(&x->join[site]);
    for (uint32_t k = 0; k < found->n; k++) {
        const struct ls_isa_instruction *i = &f->listing.items[found->number[k]];
        ok &= ls_join_add_pass(
            x, site, found->number[k],
            (struct lanescope_pass){site, (uint16_t)found->at[k], (uint8_t)i->form.bytes, 1});
    }
    return ls_join_finish(x, f, site, ok, settled);
}

static bool may_be(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    return s->bytes <= LONGEST && ls_join_direction_of_site(s->kind) != ATOMICS;
}

/* A flat access may be of either class. */
static bool is_class(const struct ls_match *x, uint32_t site, enum ls_isa_class class)
{
    const enum ls_isa_class own = ls_join_class(&x->m->sites[site]);
    return !own || own == class;
}

/* Both are always executed together, a known distance apart. */
static bool is_near(const struct ls_match *x, uint32_t a, uint32_t b)
{
    const struct ls_site_place *p = &x->m->places[a], *q = &x->m->places[b];
    return p->together && p->group && p->group == q->group && p->variable == q->variable &&
           p->together == q->together && p->barriers == q->barriers;
}

static bool is_related(const struct ls_match *x, uint32_t a, uint32_t b)
{
    return is_near(x, a, b) &&
           ls_join_direction_of_site(x->m->sites[a].kind) == ls_join_direction_of_site(x->m->sites[b].kind);
}

static bool has_tag(const struct ls_match *x, const struct ls_isa_instruction *i, uint32_t site)
{
    return !i->follows && i->tag == ls_join_tag(x, site) && ls_isa_is_vector(&i->form) &&
           ls_join_direction_of(&i->form) == ls_join_direction_of_site(x->m->sites[site].kind);
}

/* Whether the instruction lies in an open access that touches this one, as code generation made both anew, or copied what it had
 * split from it: with this one's tag. */
static bool is_of_touching(const struct ls_match *x, const struct function *f, const struct spot *s,
                           const struct ls_isa_instruction *i)
{
    const struct ls_site_place *here = &x->m->places[s->site];
    const int64_t at = offset_by(i, s->known) - s->at, bytes = x->m->sites[s->site].bytes;
    for (uint32_t k = f->from; here->group && k < f->to; k++) {
        const struct ls_site_place *there = &x->m->places[k];
        const int64_t apart = (int64_t)there->distance - here->distance, end = apart + x->m->sites[k].bytes;
        if (in_function(x, f, k) && is_related(x, k, s->site) && x->join[k].state == LS_MATCH_NONE &&
            (apart == bytes || end == 0) && at >= apart && at + i->form.bytes <= end)
            return true;
    }
    return false;
}

/* Whether all that have the tag are among those that were found, or belong to an access that touches this one; and some are. */
static bool has_tagged(const struct ls_match *x, const struct function *f, const struct spot *s,
                       const struct parts *found)
{
    bool any = false, other = false;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        bool here = false;
        if (!has_tag(x, &f->listing.items[i], s->site))
            continue;
        for (uint32_t k = 0; k < found->n && !here; k++)
            here = found->number[k] == i;
        any |= here;
        other |= !here;
        if (!here &&
            (!is_beside(&f->listing.items[i], s->known) || !is_of_touching(x, f, s, &f->listing.items[i])))
            return false;
    }
    return any || !other;
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
            if (!collect_any(x, f, &s, &found) || !has_tagged(x, f, &s, &found))
                continue;
            return join(x, f, site, &found, j->settled);
        }
    }
    return false;
}

/* Where in the access an instruction begins, as registers of instructions of accesses near it tell, that are joined: loads and
 * stores alike. False: nothing tells it, or they contradict each other. */
static bool place_by_all(const struct ls_match *x, const struct function *f, uint32_t site,
                         const struct ls_isa_instruction *i, int64_t *at)
{
    bool known = false;
    for (uint32_t n = f->from; n < f->to; n++) {
        const struct join *j = &x->join[n];
        if (n == site || !in_function(x, f, n) || j->state != LS_MATCH_EXACT || j->alike || j->copied ||
            !is_near(x, n, site))
            continue;
        for (unsigned k = 0; k < j->n; k++) {
            const struct ls_isa_instruction *q = &f->listing.items[j->instructions[k]];
            int64_t apart;
            if (!is_plain(q) || q->block != i->block || q->mask != i->mask || q->barriers != i->barriers ||
                q->form.class != i->form.class || !ls_join_registers_apart(i, q, &apart))
                continue;
            apart += j->passes[k].offset + (int64_t)x->m->places[n].distance - x->m->places[site].distance;
            if (known && apart != *at)
                return false;
            known = true;
            *at = apart;
        }
    }
    return known;
}

/* By all accesses of its group that are joined, of which each may tell where another part of it is. */
static bool by_all(struct ls_match *x, struct function *f, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    const uint64_t unused = ls_join_unused(x, site);
    uint8_t bytes[LONGEST] = {0};
    struct parts found = {.n = 0};
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        int64_t at = 0;
        if (f->taken[i] || !is_plain(k) || !is_class(x, site, k->form.class) ||
            ls_join_direction_of(&k->form) != ls_join_direction_of_site(s->kind))
            continue;
        const bool known = ls_join_spend(x, f, f->to - f->from) && place_by_all(x, f, site, k, &at);
        if (!known || at + k->form.bytes <= 0 || at >= s->bytes) {
            if (has_tag(x, k, site))
                return false;
            continue;
        }
        if (at < 0 || at + k->form.bytes > s->bytes || found.n == MOST ||
            (!k->follows && k->tag && k->tag != ls_join_tag(x, site)) ||
            !mark(bytes, unused, (uint32_t)at, k->form.bytes,
                  ls_join_is_copy(x, site) && at + k->form.bytes == s->bytes ? LAST : COVERED))
            return false;
        found.at[found.n] = at;
        found.number[found.n++] = i;
    }
    return found.n && is_whole(bytes, unused, s->bytes) && join(x, f, site, &found, false);
}

/* The first instruction in a row of its own that has the access's tag; LS_NONE: there is none, or others that have it cannot be
 * parts of the same access. */
static uint32_t first_tagged(const struct ls_match *x, const struct function *f, uint32_t site)
{
    uint32_t found = LS_NONE;
    for (uint32_t i = 0; ls_join_tag(x, site) && i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        if (!has_tag(x, k, site))
            continue;
        if (f->taken[i] || !is_plain(k) || !is_class(x, site, k->form.class) ||
            (found != LS_NONE && !is_beside(k, &f->listing.items[found])))
            return LS_NONE;
        found = found == LS_NONE ? i : found;
    }
    return found;
}

/* The spots of an access that an instruction with its tag and others make up: how many, and one of them. */
static uint32_t count_spots(const struct ls_match *x, const struct function *f,
                            const struct ls_isa_instruction *first, uint32_t site, bool of_row,
                            struct spot *spot)
{
    struct parts found;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *k = &f->listing.items[i];
        const struct spot s = {first, offset_by(k, first), site};
        if (!is_beside(k, first) || (of_row && k->row != first->row) || (n && s.at == spot->at) ||
            !collect(x, f, &s, of_row, &found) || !has_tagged(x, f, &s, &found))
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
    const uint32_t tagged = ls_join_spend(x, f, n) ? first_tagged(x, f, site) : LS_NONE;
    struct spot spot;
    struct parts found;
    if (tagged == LS_NONE || ls_join_unused(x, site) || !ls_join_spend(x, f, 2 * n * n))
        return false;
    const struct ls_isa_instruction *first = &f->listing.items[tagged];
    for (unsigned of_row = first->row != 0;; of_row = 0) {
        if (count_spots(x, f, first, site, of_row, &spot) == 1 && collect(x, f, &spot, of_row, &found) &&
            !ls_join_is_shifted(x, f, site, first, offset_of(first) - spot.at)) {
            return join(x, f, site, &found, true);
        }
        if (!of_row)
            return false;
    }
}

/* Open accesses that lie at known distances from one of them, and where their instructions are: `behind` the registers of one. */
struct together {
    const struct ls_isa_instruction *first;
    int64_t behind;
    uint32_t site, n_sites, n_instructions;
};

static bool is_with(const struct ls_match *x, const struct function *f, const bool *open, uint32_t site,
                    uint32_t k)
{
    return open[k] && in_function(x, f, k) && (k == site || is_related(x, k, site)) &&
           ls_join_class(&x->m->sites[k]) == ls_join_class(&x->m->sites[site]);
}

/* Where they must be, if the open instructions behind the registers of `first` are theirs, and all of them. */
static bool place_together(const struct ls_match *x, const struct function *f, const bool *open,
                           struct together *t)
{
    const int32_t here = x->m->places[t->site].distance;
    int64_t low = INT64_MAX, lowest = INT64_MAX;
    for (uint32_t k = f->from; k < f->to; k++) {
        if (!is_with(x, f, open, t->site, k))
            continue;
        const int64_t apart = (int64_t)x->m->places[k].distance - here;
        if (!may_be(x, k) || ls_join_unused(x, k))
            return false;
        low = apart < low ? apart : low;
        t->n_sites++;
    }
    for (uint32_t i = 0; i < f->listing.n; i++) {
        if (f->taken[i] || !is_beside(&f->listing.items[i], t->first))
            continue;
        if (!f->listing.items[i].follows && !f->listing.items[i].tag)
            return false; /* it has a place, which is none of theirs */
        const int64_t at = offset_by(&f->listing.items[i], t->first);
        lowest = at < lowest ? at : lowest;
        t->n_instructions++;
    }
    t->behind = lowest - low;
    return t->n_sites > 1 && t->n_instructions >= t->n_sites;
}

/* The instructions of access k of these; false: they do not make it up. */
static bool collect_of(const struct ls_match *x, const struct function *f, const struct together *t,
                       uint32_t k, struct parts *found)
{
    const struct ls_site_place *places = x->m->places;
    const struct spot s = {t->first, t->behind + places[k].distance - places[t->site].distance, k};
    return collect(x, f, &s, false, found) && has_tagged(x, f, &s, found);
}

/* With all open accesses of its group: where the open instructions with these registers are just their bytes, and each of them lies
 * in one access, there is no other way. A clause of copies that follow each other has one tag. */
static bool by_group(struct ls_match *x, struct function *f, uint32_t site, bool *open)
{
    const uint64_t n = f->listing.n, all = f->to - f->from;
    const uint32_t tagged = ls_join_spend(x, f, n) ? first_tagged(x, f, site) : LS_NONE;
    struct together t = {.site = site};
    struct parts found;
    uint32_t have = 0;
    if (tagged == LS_NONE || !x->m->places[site].together || !x->m->places[site].group ||
        !ls_join_spend(x, f, all * n))
        return false;
    t.first = &f->listing.items[tagged];
    if (!place_together(x, f, open, &t))
        return false;
    for (uint32_t k = f->from; k < f->to; k++) {
        if (!is_with(x, f, open, site, k))
            continue;
        if (!collect_of(x, f, &t, k, &found))
            return false;
        have += found.n;
    }
    if (have != t.n_instructions)
        return false;
    for (uint32_t k = f->from; k < f->to; k++)
        if (k != site && is_with(x, f, open, site, k) && collect_of(x, f, &t, k, &found) &&
            join(x, f, k, &found, false))
            open[k] = false;
    return collect_of(x, f, &t, site, &found) && join(x, f, site, &found, false);
}

void ls_join_beside(struct ls_match *x, struct function *f, bool *open)
{
    bool any = x->m->places != NULL;
    while (any && ls_join_spend(x, f, (uint64_t)(f->to - f->from) * (f->to - f->from))) {
        any = false;
        for (uint32_t i = f->from; i < f->to; i++) {
            if (!open[i] || !in_function(x, f, i))
                continue;
            if (!ls_join_other_side(x, f, i) &&
                (!may_be(x, i) || (!by_neighbour(x, f, i) && !by_followers(x, f, i) && !by_all(x, f, i) &&
                                   !by_group(x, f, i, open))))
                continue;
            open[i] = false;
            any = true;
        }
    }
}
