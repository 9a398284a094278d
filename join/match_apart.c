/*
 * match_apart.c - see match_parts.h. What two pools have decided may contradict: instructions that take their
 * addresses from the same registers lie apart what their offsets say, and so must the accesses that they do.
 * Then an instruction of another access stood in a pool, as it shares a row of the line table with one there.
 */
#include "match_parts.h"

/* Where an instruction's first part begins, from the registers that it takes its address from. */
static int64_t offset_of(const struct ls_isa_instruction *i)
{
    return (int64_t)i->form.at + (i->form.pair && i->form.delta < 0 ? i->form.delta : 0) + i->shift;
}

/* Of 64 bits `low` tells the lower 32 only: enough where both are known to be near each other. */
bool ls_join_registers_apart(const struct ls_isa_instruction *a, const struct ls_isa_instruction *b,
                             int64_t *apart)
{
    const int64_t of_a = offset_of(a) - a->shift, of_b = offset_of(b) - b->shift;
    if (a->root && a->root == b->root) {
        *apart = of_a + a->shift - of_b - b->shift;
        return true;
    }
    *apart = of_a - of_b + (int32_t)((uint32_t)a->low_shift - (uint32_t)b->low_shift);
    return a->low && a->low == b->low && a->form.class == b->form.class;
}

/* Whether all instructions with that access's tag lie in it, as far as the anchor's registers tell. It begins `at` bytes behind
 * the anchor. */
static bool lies_in(const struct ls_match *x, const struct function *f, uint32_t site, int64_t at,
                    const struct ls_isa_instruction *anchor)
{
    const struct lanescope_site *s = &x->m->sites[site];
    const uint32_t tag = ls_join_tag(x, site);
    for (uint32_t i = 0; tag && i < f->listing.n; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[i];
        int64_t apart;
        if (n->follows || n->tag != tag || n->block != anchor->block ||
            ls_join_direction_of(&n->form) != ls_join_direction_of(&anchor->form) ||
            !ls_join_registers_apart(n, anchor, &apart))
            continue;
        const int64_t delta = n->form.pair ? (n->form.delta < 0 ? -n->form.delta : n->form.delta) : 0;
        if (apart < at || apart + delta + n->form.bytes > at + ls_join_wide(s))
            return false;
    }
    return true;
}

bool ls_join_is_shifted(struct ls_match *x, struct function *f, uint32_t site,
                        const struct ls_isa_instruction *anchor, int64_t byte)
{
    const struct ls_site_place *here = x->m->places ? &x->m->places[site] : NULL;
    const struct lanescope_site *s = &x->m->sites[site];
    for (uint32_t i = f->from; here && here->group && i < f->to; i++) {
        const struct ls_site_place *there = &x->m->places[i];
        const int64_t apart = (int64_t)there->distance - here->distance;
        if (i == site || x->function_of[i] != x->function_of[site] || there->group != here->group ||
            there->variable != here->variable || !ls_join_possible(x, i) ||
            ls_join_direction_of_site(x->m->sites[i].kind) != ls_join_direction_of_site(s->kind) ||
            (apart != s->bytes && apart != -(int64_t)x->m->sites[i].bytes))
            continue;
        if (!ls_join_spend(x, f, f->listing.n) || !lies_in(x, f, i, apart - byte, anchor))
            return true;
    }
    return false;
}

/* A joined access whose distance from others is known, and an instruction that does it. */
struct end {
    const struct ls_site_place *place;
    const struct ls_isa_instruction *instruction;
    int64_t address; /* of what the instruction does first, from that of the place's group */
};

/* false: nothing is known of that pass. */
static bool end_of(const struct ls_match *x, const struct function *f, uint32_t site, unsigned k,
                   struct end *to)
{
    const struct join *j = &x->join[site];
    const struct ls_site_place *at = &x->m->places[site];
    const struct ls_isa_instruction *i = &f->listing.items[j->instructions[k]];
    *to = (struct end){at, i, (int64_t)at->distance + j->passes[k].offset};
    return at->group && i->root &&
           x->m->sites[site].kind != LS_SITE_LDS_DMA_WRITE /* the registers hold the other side */ &&
           j->passes[k].first && !j->alike && !j->copied;
}

static bool contradict(const struct end *a, const struct end *b)
{
    return a->place->group == b->place->group && a->place->variable == b->place->variable &&
           a->instruction->root == b->instruction->root && a->instruction->block == b->instruction->block &&
           a->instruction->form.class == b->instruction->form.class &&
           a->address - b->address != offset_of(a->instruction) - offset_of(b->instruction);
}

/* Of the sites of the function up to this one, one whose instructions contradict its own; else LS_NONE. */
static uint32_t other_of(const struct ls_match *x, uint32_t site)
{
    const struct function *f = &x->functions[x->function_of[site]];
    struct end a, b;
    for (unsigned k = 0; k < x->join[site].n; k++)
        for (uint32_t i = site + 1; end_of(x, f, site, k, &a) && i > 0; i--) {
            if (x->function_of[i - 1] != x->function_of[site])
                break; /* sites of a function are neighbours */
            for (unsigned n = 0; n < x->join[i - 1].n; n++)
                if (end_of(x, f, i - 1, n, &b) && contradict(&a, &b))
                    return i - 1;
        }
    return LS_NONE;
}

void ls_join_apart(struct ls_match *x, struct function *f)
{
    for (uint32_t i = 0; x->m->places && i < x->m->n_sites; i++) {
        bool here = x->function_of[i] != LS_NONE && &x->functions[x->function_of[i]] == f;
        uint32_t other = here ? other_of(x, i) : LS_NONE;
        if (other == LS_NONE)
            continue;
        ls_join_take_back(x, f, other, LS_MATCH_UNCLEAR);
        ls_join_take_back(x, f, i, LS_MATCH_UNCLEAR);
    }
}
