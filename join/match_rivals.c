/*
 * match_rivals.c - see match_parts.h. A pool knows accesses of one class, or those that are still open. An instruction
 * without a number may as well be that of an access that is not in the pool: of one by a flat pointer, of which the
 * compiler found out where it points to, and whose turn comes after those of each class; or it may be a copy of an
 * instruction of an access that has one already. A pool that takes it for its own would be counted too often, and the
 * other access not at all.
 */
#include "match_parts.h"

static bool in_pool(const struct pool *p, uint32_t site)
{
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (p->site[k] == site)
            return true;
    return false;
}

static bool has_its_tag(const struct pool *p, const struct ls_cover_instruction *i)
{
    for (uint32_t k = 0; i->tag && k < p->n_sites; k++)
        if (p->sites[k].tag == i->tag)
            return true;
    return false;
}

/* Another access with the pool's key, and of its direction. */
static bool is_beside(const struct ls_match *x, const struct function *f, const struct pool *p,
                      const struct key *key, uint32_t site)
{
    char calls[1024];
    if (x->function_of[site] == LS_NONE || &x->functions[x->function_of[site]] != f ||
        !ls_join_possible(x, site) || in_pool(p, site) ||
        ls_join_direction_of_site(x->m->sites[site].kind) !=
            ls_join_direction_of_site(x->m->sites[p->site[0]].kind))
        return false;
    const struct key k = ls_join_key(x, site, calls, sizeof calls);
    return ls_join_same_key(&k, key, p->level);
}

/* Whether its line, of the line table, is the instruction's own, and another one than the access's. One without number
 * has the place of something that is no access, if the access has a number. */
static bool on_other_line(const struct ls_match *x, uint32_t site, const struct ls_isa_instruction *i)
{
    const struct lanescope_site *s = &x->m->sites[site];
    const bool own = !i->follows && i->line && (i->tag || !ls_join_tag(x, site));
    return own && s->n_frames && s->frames[0].line && s->frames[0].line != i->line;
}

/* Bytes of open flat accesses that lie at known distances from this one: one instruction may do several. */
static uint32_t group_bytes(const struct ls_match *x, const struct function *f, const bool *open,
                            uint32_t site)
{
    const struct ls_site_place *all = x->m->places;
    uint32_t bytes = ls_join_wide(&x->m->sites[site]);
    for (uint32_t i = f->from; all && all[site].group && i < f->to; i++)
        if (i != site && open[i] && all[i].group == all[site].group && all[i].variable == all[site].variable)
            bytes += x->m->sites[i].bytes;
    return bytes;
}

static bool is_open_flat(const struct ls_match *x, const bool *open, uint32_t site)
{
    return open[site] && !ls_join_class(&x->m->sites[site]);
}

/* An access outside of the pool. */
struct rival {
    uint32_t site;
    bool flat;        /* open, and of no class */
    uint32_t bytes;   /* that one instruction may do of it, if it is flat */
    uint32_t context; /* see ls_join_context */
};

static struct rival rival(const struct ls_match *x, const struct function *f, const bool *open, uint32_t site)
{
    struct rival r = {site, is_open_flat(x, open, site), 0, 0};
    if (r.flat) {
        r.bytes = group_bytes(x, f, open, site);
        r.context = ls_join_context(x, site);
    }
    return r;
}

/* Whether the instruction may be that of a flat access, and stands where that one is. */
static bool may_be_of(const struct ls_match *x, const struct rival *r, const struct ls_isa_instruction *i)
{
    if (!r->flat || i->form.bytes > r->bytes || on_other_line(x, r->site, i))
        return false;
    return !x->m->places ||
           (i->loops == x->m->places[r->site].loops && (!r->context || r->context == i->together + 1));
}

/* Whether the instruction may be a copy of one that does that access. */
static bool may_copy(const struct ls_match *x, const struct function *f, uint32_t site,
                     const struct ls_isa_instruction *i)
{
    const struct join *j = &x->join[site];
    const struct lanescope_site *s = &x->m->sites[site];
    if ((ls_join_class(s) && ls_join_class(s) != i->form.class) || on_other_line(x, site, i) || j->by_tag)
        return false;
    for (unsigned k = 0; k < j->n; k++) {
        const struct ls_isa_form *form = &f->listing.items[j->instructions[k]].form;
        if (form->class == i->form.class && form->bytes == i->form.bytes && form->pair == i->form.pair)
            return true;
    }
    return !j->n && i->form.bytes <= ls_join_wide(s);
}

bool ls_join_contested(struct ls_match *x, struct function *f, const struct pool *p, const bool *open,
                       const struct key *key)
{
    if (p->level <= MERGED || !p->n_sites || !p->n_instructions)
        return false;
    const bool copies = p->n_instructions > p->n_sites && ls_pool_alike(p);
    for (uint32_t site = f->from; site < f->to; site++) {
        if ((!copies && !is_open_flat(x, open, site)) || !is_beside(x, f, p, key, site))
            continue;
        if (!ls_join_spend(x, f, (uint64_t)p->n_instructions * p->n_sites + f->to - f->from))
            return true;
        const struct rival r = rival(x, f, open, site);
        for (uint32_t n = 0; n < p->n_instructions; n++) {
            const struct ls_isa_instruction *i = &f->listing.items[p->instruction[n]];
            if (has_its_tag(p, &p->instructions[n]))
                continue;
            if (may_be_of(x, &r, i) || (copies && !p->instructions[n].tag && may_copy(x, f, site, i)))
                return true;
        }
    }
    return false;
}
