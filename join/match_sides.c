/*
 * match_sides.c - see match_parts.h. A copy stores what it loads, and nothing happens to that between. So where one side of it
 * is joined, registers lead to the other: each load of the copy filled what a store of it writes out, at the same place of
 * both. That needs neither tags nor addresses, which loads in a clause (gfx10 and later) and parts far from the address that
 * they are computed from do not have.
 */
#include "match_parts.h"

#include <string.h>

enum { MOST = 255 }; /* instructions */

/* Instructions of the side that is sought, and at which byte of the copy each part of them begins. */
struct side {
    uint32_t number[MOST];
    int64_t at[MOST][2];
    bool known[MOST][2];
    uint32_t n, bytes; /* bytes: of the copy */
    /* Bytes that are accounted for: those that are in registers already, as another access has loaded them, are not loaded once more. */
    bool done[LONGEST];
};

/* false: there are too many, or it stands elsewhere already. */
static bool put(struct side *s, uint32_t number, unsigned part, int64_t at)
{
    uint32_t k = 0;
    while (k < s->n && s->number[k] != number)
        k++;
    if (k == MOST || (k < s->n && s->known[k][part] && s->at[k][part] != at))
        return false;
    if (k == s->n)
        s->known[k][0] = s->known[k][1] = false, s->number[s->n++] = number;
    s->known[k][part] = true;
    s->at[k][part] = at;
    return true;
}

static bool is_of(const struct ls_match *x, uint32_t site, enum direction d,
                  const struct ls_isa_instruction *i)
{
    const enum ls_isa_class class = ls_join_class(&x->m->sites[site]);
    return (!class || (i->form.class == class && !i->form.flat)) && ls_join_direction_of(&i->form) == d &&
           (i->follows || !i->tag || i->tag == ls_join_tag(x, site));
}

/* Whether the instructions make up the copy, each byte at least once, and are free. Parts may overlap, see match_copy.c. */
static bool is_whole(const struct ls_match *x, const struct function *f, struct side *s, uint32_t site,
                     enum direction d)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct ls_isa_instruction *i = &f->listing.items[s->number[k]];
        if (f->taken[s->number[k]] || !is_of(x, site, d, i))
            return false;
        for (unsigned part = 0; part < ls_form_parts(&i->form); part++) {
            if (!s->known[k][part] || s->at[k][part] < 0 || s->at[k][part] + i->form.bytes > s->bytes)
                return false;
            memset(&s->done[s->at[k][part]], true, i->form.bytes);
        }
    }
    for (uint32_t b = 0; b < s->bytes; b++)
        n += s->done[b];
    return n == s->bytes;
}

/* Whether another free instruction has the copy's tag: then the block was repeated, or it does a part of the copy, too. */
static bool is_more(const struct ls_match *x, const struct function *f, const struct side *s, uint32_t site,
                    enum direction d)
{
    const uint32_t tag = ls_join_tag(x, site);
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[i];
        bool known = f->taken[i] || !ls_isa_is_vector(&n->form) || n->follows || n->tag != tag || !tag ||
                     ls_join_direction_of(&n->form) != d;
        for (uint32_t k = 0; k < s->n && !known; k++)
            known = s->number[k] == i;
        if (!known)
            return true;
    }
    return false;
}

/* Whether what one of them stores may be dwords of what the other loads: of less than a dword, nothing but all of it. */
static bool same_dwords(const struct ls_isa_form *load, const struct ls_isa_form *store)
{
    return load->bytes == store->bytes || (load->bytes % 4 == 0 && store->bytes % 4 == 0);
}

/* The loads that a joined store's part gets its bytes from; it begins at byte `at` of the copy. */
static bool put_loads(const struct function *f, const struct ls_isa_instruction *store, unsigned part,
                      uint32_t at, struct side *s)
{
    const uint32_t dwords = ls_form_dwords(&store->form);
    for (uint32_t k = 0; k < dwords; k++) {
        const uint32_t from = part * dwords + k, load = from < LS_MOVED_DWORDS ? store->moved.load[from] : 0;
        const struct ls_isa_form *l = load ? &f->listing.items[load - 1].form : NULL;
        const uint32_t wide = l ? ls_form_dwords(l) : 1, dword = store->moved.dword[from % LS_MOVED_DWORDS];
        const int64_t begin = at + 4 * (int64_t)k - 4 * (int64_t)(dword % wide);
        if (!l || !same_dwords(l, &store->form))
            return false;
        if (f->taken[load - 1])
            memset(&s->done[at + 4 * k], true, store->form.bytes < 4 ? store->form.bytes : 4);
        else if (!put(s, load - 1, dword / wide, begin))
            return false;
    }
    return true;
}

static bool find_loads(const struct function *f, const struct join *stores, struct side *s)
{
    for (unsigned k = 0; k < stores->n; k++)
        if (stores->passes[k].offset + stores->passes[k].bytes > s->bytes ||
            !put_loads(f, &f->listing.items[stores->instructions[k]], !stores->passes[k].first,
                       stores->passes[k].offset, s))
            return false;
    return true;
}

/* At which byte of the copy begins what instruction `load` does in that part; negative: it does nothing of it. */
static int64_t begin_of(const struct join *loads, uint32_t load, unsigned part)
{
    for (unsigned k = 0; k < loads->n; k++)
        if (loads->instructions[k] == load && loads->passes[k].first == (part == 0))
            return loads->passes[k].offset;
    return -1;
}

/* Where a store's part goes to, of which all comes from the joined loads; NOWHERE: nothing does, MIXED: some. */
enum { NOWHERE = -1, MIXED = -2 };
static int64_t goes_to(const struct function *f, const struct join *loads,
                       const struct ls_isa_instruction *store, unsigned part)
{
    const uint32_t dwords = ls_form_dwords(&store->form);
    int64_t at = NOWHERE;
    for (uint32_t k = 0; k < dwords; k++) {
        const uint32_t from = part * dwords + k, load = from < LS_MOVED_DWORDS ? store->moved.load[from] : 0;
        const struct ls_isa_form *l = load ? &f->listing.items[load - 1].form : NULL;
        const uint32_t wide = l ? ls_form_dwords(l) : 1, dword = store->moved.dword[from % LS_MOVED_DWORDS];
        const int64_t begin = l ? begin_of(loads, load - 1, dword / wide) : NOWHERE;
        const int64_t here = begin < 0 ? NOWHERE : begin + 4 * (int64_t)(dword % wide) - 4 * (int64_t)k;
        if ((k && here != at) || (begin >= 0 && (!same_dwords(l, &store->form) || here < 0)))
            return MIXED;
        at = here;
    }
    return at;
}

/* Whether one of the stores does what another one does: the loaded value goes to two copies. */
static bool is_twice(const struct function *f, const struct side *s)
{
    for (uint32_t k = 0; k < s->n; k++)
        for (uint32_t h = 0; h < k; h++)
            if (s->at[k][0] == s->at[h][0] &&
                f->listing.items[s->number[k]].form.bytes == f->listing.items[s->number[h]].form.bytes)
                return true;
    return false;
}

static bool find_stores(const struct ls_match *x, const struct function *f, uint32_t site,
                        const struct join *loads, struct side *s)
{
    for (uint32_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[i];
        for (unsigned part = 0; !f->taken[i] && n->form.store && part < ls_form_parts(&n->form); part++) {
            const int64_t at = goes_to(f, loads, n, part);
            if (at == MIXED || (at != NOWHERE && (!is_of(x, site, STORES, n) || !put(s, i, part, at))))
                return false;
        }
    }
    return !is_twice(f, s);
}

static bool join(struct ls_match *x, struct function *f, uint32_t site, const struct side *s, bool settled)
{
    bool ok = true;
    ls_join_forget(&x->join[site]);
    for (uint32_t k = 0; k < s->n; k++) {
        const struct ls_isa_form *form = &f->listing.items[s->number[k]].form;
        for (unsigned part = 0; part < ls_form_parts(form); part++)
            ok &= ls_join_add_pass(
                x, site, s->number[k],
                (struct lanescope_pass){site, (uint16_t)s->at[k][part], (uint8_t)form->bytes, part == 0});
    }
    return ls_join_finish(x, f, site, ok, settled);
}

bool ls_join_other_side(struct ls_match *x, struct function *f, uint32_t site)
{
    const bool reads = x->m->sites[site].kind == LS_SITE_COPY_READ;
    const uint32_t other = ls_join_other_of_copy(x, site);
    const struct join *j = other == LS_NONE ? NULL : &x->join[other];
    struct side s = {.n = 0, .bytes = x->m->sites[site].bytes};
    if (!j || j->state != LS_MATCH_EXACT || j->copied || j->alike || !s.bytes || s.bytes > LONGEST ||
        !ls_join_spend(x, f, f->listing.n * (uint64_t)MOST))
        return false;
    if (!(reads ? find_loads(f, j, &s) : find_stores(x, f, site, j, &s)) ||
        !is_whole(x, f, &s, site, reads ? LOADS : STORES) || is_more(x, f, &s, site, reads ? LOADS : STORES))
        return false;
    return join(x, f, site, &s, j->settled);
}
