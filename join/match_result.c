/* match_result.c - see match_parts.h. */
#include "match_parts.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more pass: twice as much when it is full, as most accesses have one. */
static bool make_room(struct ls_match *x, struct join *j)
{
    const size_t room = j->room ? 2u * j->room : 4;
    if (j->n < j->room)
        return true;
    struct lanescope_pass *passes = ls_join_memory(x, room, sizeof *passes);
    uint32_t *instructions = ls_join_memory(x, room, sizeof *instructions);
    if (!passes || !instructions)
        return false;
    if (j->n) {
        memcpy(passes, j->passes, j->n * sizeof *passes);
        memcpy(instructions, j->instructions, j->n * sizeof *instructions);
    }
    j->passes = passes;
    j->instructions = instructions;
    j->room = (uint16_t)room;
    return true;
}

bool ls_join_add_pass(struct ls_match *x, uint32_t site, uint32_t instruction, struct lanescope_pass pass)
{
    struct join *j = &x->join[site];
    if (j->n == UINT8_MAX || !make_room(x, j))
        return false;
    j->instructions[j->n] = instruction;
    j->passes[j->n++] = pass;
    return true;
}

bool ls_join_finish(struct ls_match *x, struct function *f, uint32_t site, bool complete, bool settled)
{
    struct join *j = &x->join[site];
    if (!complete) {
        ls_join_forget(j);
        return false;
    }
    j->state = j->n ? LS_MATCH_EXACT : LS_MATCH_ABSENT;
    j->settled = settled;
    j->first = j->n ? j->instructions[0] : LS_NONE;
    for (unsigned k = 0; k < j->n; k++) {
        f->taken[j->instructions[k]] = true;
        f->site[j->instructions[k]] = site;
    }
    return true;
}

void ls_join_forget(struct join *j)
{
    *j = (struct join){.first = LS_NONE};
}

void ls_join_refuse(struct join *j, enum ls_match_why why)
{
    ls_join_forget(j);
    j->why = why;
}

/* Whether the instruction stands where the site does: in as many loops, and executed as often as the function where it is. */
static bool may_stand(const struct ls_match *x, const struct ls_isa_instruction *n, uint32_t site)
{
    const struct ls_site_place *at = &x->m->places[site];
    return n->loops == at->loops && (n->together == 0) == (at->together == 1);
}

/* Whether it stands with those of the accesses that are executed together with the site. */
static bool stands_near(const struct ls_cover_site *s, const struct ls_cover_instruction *i)
{
    return s->context && s->context == i->context &&
           (!s->barriers || !i->barriers || s->barriers == i->barriers);
}

/* Whether sites of the pool that are executed together with site k stand where instructions have the number `together`: one
 * does, or as many instructions are left there as such sites, and no other site stands there. */
static bool stands_beside(const struct ls_match *x, const struct pool *p, const struct function *f,
                          uint32_t k, uint32_t together)
{
    const struct ls_site_place *all = x->m->places;
    uint32_t sites = 0, instructions = 0;
    bool known = false;
    for (uint32_t h = 0; h < p->n_sites; h++) {
        const bool same = all[p->site[h]].together == all[p->site[k]].together;
        const bool here = f->listing.items[p->instruction[h]].together == together;
        if (p->instructions[h].used && same != here)
            return false;
        known |= p->instructions[h].used && same;
        sites += same;
    }
    for (uint32_t i = 0; !known && i < p->n_instructions; i++)
        instructions += !p->instructions[i].used && f->listing.items[p->instruction[i]].together == together;
    return all[p->site[k]].together && (known || sites == instructions);
}

/* How well an instruction must fit: it stands with accesses that are joined already; with the pool's own; in as many loops. */
enum fit { ANYWHERE, BESIDE, NEAR };

/* The first instruction in the code that fits a site of the pool; LS_NONE: none does. */
static uint32_t first_fit(const struct ls_match *x, const struct pool *p, const struct function *f,
                          uint32_t k, enum fit fit)
{
    uint32_t found = LS_NONE, no_place = LS_NONE;
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[p->instruction[i]];
        if (p->instructions[i].used || !may_stand(x, n, p->site[k]) ||
            (found != LS_NONE && (fit != BESIDE || p->instruction[i] > p->instruction[found])) ||
            (fit == NEAR && !stands_near(&p->sites[k], &p->instructions[i])) ||
            (fit == BESIDE && n->together == no_place))
            continue;
        if (fit == BESIDE && !stands_beside(x, p, f, k, n->together))
            no_place = n->together;
        else
            found = i;
    }
    return found;
}

/* Brings an instruction that stands in the site's surroundings to the site's place in the pool. Which of them
 * does which access does not matter, if all are joined. */
static void choose_alike(const struct ls_match *x, struct pool *p, const struct function *f, uint32_t k,
                         enum fit fit)
{
    const uint32_t i = x->m->places && !p->instructions[k].used ? first_fit(x, p, f, k, fit) : LS_NONE;
    if (i == LS_NONE)
        return;
    struct ls_cover_instruction instruction = p->instructions[i];
    const uint32_t number = p->instruction[i];
    p->instruction[i] = p->instruction[k];
    p->instructions[i] = p->instructions[k];
    instruction.used = true;
    p->instruction[k] = number;
    p->instructions[k] = instruction;
}

void ls_join_alike(struct ls_match *x, struct pool *p)
{
    const struct function *f = &x->functions[x->function_of[p->site[0]]];
    for (uint32_t i = 0; i < p->n_instructions; i++)
        p->instructions[i].used = false;
    for (unsigned fit = NEAR + 1; fit-- > ANYWHERE;)
        for (uint32_t k = 0; k < p->n_sites; k++)
            choose_alike(x, p, f, k, fit);
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct join *j = &x->join[p->site[k]];
        ls_join_forget(j);
        j->settled = p->level <= MERGED || p->n_sites == p->n_instructions;
        j->first = p->instruction[k];
        j->alike = p->n_sites > 1 ? p->site[0] + 1 : 0;
        if (ls_join_add_pass(x, p->site[k], p->instruction[k],
                             (struct lanescope_pass){p->site[k], 0, (uint8_t)p->sites[k].bytes, 1}))
            j->state = LS_MATCH_EXACT;
    }
}

/* Marks the sites whose bytes the instruction's part touches, beginning at one site, when there are several:
 * with the number in the pool, plus 1, of the one that counts the instruction. */
static void mark_shared(const struct pool *p, const struct ls_cover_instruction *i, unsigned part,
                        uint32_t lead, uint32_t *shared)
{
    const struct ls_cover_site *s = &p->sites[i->site[part]];
    int64_t from = s->addr + i->offset[part], to = from + i->form.bytes;
    if (p->n_sites == 1 || i->offset[part] + i->form.bytes <= s->bytes)
        return;
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (p->sites[k].family == s->family && p->sites[k].addr < to &&
            p->sites[k].addr + (int64_t)p->sites[k].bytes > from)
            shared[k] = lead + 1;
}

/* The site that an instruction's numbers go to: one on its own line, if it serves such a site. */
static uint32_t stands_for(const struct pool *p, const struct ls_cover_instruction *i)
{
    uint32_t first = i->site[0];
    if (p->sites[first].line == i->line)
        return first;
    if (p->sites[i->site[1]].line == i->line)
        return i->site[1];
    for (unsigned part = 0; part <= i->form.pair; part++) {
        const struct ls_cover_site *s = &p->sites[i->site[part]];
        int64_t from = s->addr + i->offset[part], to = from + i->form.bytes;
        for (uint32_t k = 0; k < p->n_sites; k++)
            if (p->sites[k].family == s->family && p->sites[k].addr >= from && p->sites[k].addr < to &&
                p->sites[k].line == i->line)
                return k;
    }
    /* a part of a wide access that code generation made of several: all parts have the place of one */
    for (uint32_t k = 0; i->tag && k < p->n_sites; k++)
        if (p->sites[k].tag == i->tag && p->sites[k].family == p->sites[first].family)
            return k;
    return first;
}

void ls_join_no_vector(struct ls_match *x, struct function *f, const struct pool *p, uint32_t k, bool by_tag)
{
    struct join *j = &x->join[p->site[k]];
    bool claimed = (p->sites[k].may_scalar || by_tag) && ls_scalar_claim(f, p, p->sites[k].bytes);
    ls_join_forget(j);
    j->by_tag = by_tag;
    j->state = claimed || by_tag ? LS_MATCH_SCALAR : LS_MATCH_ABSENT;
}

/* Whether all of an access is done by the instruction alone, which nothing but the cover ties to it: no tag, and no registers
 * that it shares with others. */
static bool is_free(const struct pool *p, uint32_t n)
{
    const struct ls_cover_instruction *i = &p->instructions[n];
    if (i->form.pair || i->tag || i->offset[0] || i->form.bytes != p->sites[i->site[0]].bytes)
        return false;
    for (uint32_t k = 0; k < p->n_instructions; k++) {
        const struct ls_cover_instruction *o = &p->instructions[k];
        if (k != n && (o->site[0] == i->site[0] || (o->form.pair && o->site[1] == i->site[0]) ||
                       (i->base && o->base == i->base && o->block == i->block)))
            return false;
    }
    return true;
}

static bool may_stand_for(const struct ls_cover_site *s, const struct ls_cover_instruction *i)
{
    return (!s->context || s->context == i->context) &&
           (!s->barriers || !i->barriers || s->barriers == i->barriers);
}

/* A cover that does the same to each site may have given two instructions to each other's accesses. That does not matter for these,
 * but for what is executed together with the instructions. */
static void mark_exchangeable(struct ls_match *x, const struct pool *p)
{
    bool *unbound = calloc(p->n_instructions + 1u, sizeof *unbound);
    for (uint32_t n = 0; unbound && n < p->n_instructions; n++)
        unbound[n] = is_free(p, n);
    for (uint32_t n = 0; unbound && n < p->n_instructions; n++)
        for (uint32_t k = 0; unbound[n] && k < n; k++) {
            const struct ls_cover_instruction *a = &p->instructions[n], *b = &p->instructions[k];
            if (!unbound[k] || a->context == b->context || a->line != b->line || a->shown != b->shown ||
                !ls_form_like(&a->form, &b->form) || !may_stand_for(&p->sites[a->site[0]], b) ||
                !may_stand_for(&p->sites[b->site[0]], a))
                continue;
            x->join[p->site[a->site[0]]].exchangeable = x->join[p->site[b->site[0]]].exchangeable = true;
        }
    free(unbound);
}

void ls_join_cover(struct ls_match *x, struct function *f, const struct pool *p)
{
    uint32_t *shared = calloc(p->n_sites + 1u, sizeof *shared);
    bool ok = shared != NULL, alike = false;
    for (uint32_t k = 0; k < p->n_sites; k++) {
        ls_join_forget(&x->join[p->site[k]]);
        if (p->sites[k].scalar)
            ls_join_no_vector(x, f, p, k, false);
    }
    for (uint32_t n = 0; ok && n < p->n_instructions; n++) {
        const struct ls_cover_instruction *i = &p->instructions[n];
        uint32_t lead = stands_for(p, i);
        alike |= i->alike;
        for (unsigned part = 0; part <= i->form.pair; part++) {
            struct lanescope_pass pass = {p->site[lead], (uint16_t)i->offset[part], (uint8_t)i->form.bytes,
                                          part == 0};
            ok &= ls_join_add_pass(x, p->site[i->site[part]], p->instruction[n], pass);
            mark_shared(p, i, part, lead, shared);
        }
        if (i->form.pair && i->site[0] != i->site[1])
            shared[i->site[0]] = shared[i->site[1]] = lead + 1;
        if (x->join[p->site[lead]].first == LS_NONE)
            x->join[p->site[lead]].first = p->instruction[n];
    }
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct join *j = &x->join[p->site[k]];
        if (!ok)
            ls_join_forget(j);
        else if (!p->sites[k].scalar)
            j->state = shared[k] ? LS_MATCH_SHARED : LS_MATCH_EXACT;
        if (j->state == LS_MATCH_SHARED)
            j->counted_at = p->site[shared[k] - 1] + 1;
        if (j->n && alike)
            j->alike = p->site[0] + 1;
    }
    free(shared);
    if (ok)
        mark_exchangeable(x, p);
}
