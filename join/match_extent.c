/*
 * match_extent.c - see match_parts.h. Registers tell how far the instructions with an access's tag lie apart. If what they do
 * begins and ends as far apart as the access, and leaves nothing out between, they are all of it, and it begins where the first
 * one does, however they overlap: code generation ends a copy, or a fill, with a part that reaches back into the one before
 * it, and changes the width on the way.
 */
#include "match_parts.h"

enum { MOST = 255 }; /* passes */

/* What the pool's instructions do, from the first of them on. */
struct extent {
    int64_t at[MOST], low, high;
};

/* Whether they may be parts of one access, and where they are. */
static bool measure(const struct function *f, const struct pool *p, struct extent *e)
{
    const struct ls_isa_instruction *first = &f->listing.items[p->instruction[0]];
    *e = (struct extent){.low = INT64_MAX, .high = INT64_MIN};
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[p->instruction[i]];
        const struct ls_isa_form *form = &p->instructions[i].form;
        if (!ls_join_registers_apart(n, first, &e->at[i]) || n->block != first->block ||
            n->mask != first->mask || n->form.class != first->form.class ||
            n->form.flat != first->form.flat || n->form.atomic)
            return false;
        const int64_t end = e->at[i] + form->bytes + (form->pair ? form->delta : 0);
        e->low = e->at[i] < e->low ? e->at[i] : e->low;
        e->high = end > e->high ? end : e->high;
    }
    return true;
}

/* Whether nothing is left out, and what is done twice may be. */
static bool is_whole(const struct pool *p, const struct extent *e, uint32_t bytes, bool overlaps)
{
    bool done[LONGEST] = {false};
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        for (unsigned part = 0; part <= p->instructions[i].form.pair; part++) {
            const struct ls_isa_form *form = &p->instructions[i].form;
            const int64_t at = e->at[i] - e->low + (part ? form->delta : 0);
            for (uint32_t b = 0; b < form->bytes; b++) {
                if (done[at + b] && !overlaps)
                    return false;
                n += !done[at + b];
                done[at + b] = true;
            }
        }
    return n == bytes;
}

bool ls_join_extent(struct ls_match *x, struct function *f, struct pool *p)
{
    const struct lanescope_site *s = &x->m->sites[p->site[0]];
    struct extent e;
    if (p->n_sites != 1 || !p->n_instructions || p->n_instructions > MOST || s->bytes > LONGEST ||
        !ls_join_spend(x, f, p->n_instructions) || !measure(f, p, &e) || e.high - e.low != s->bytes ||
        !is_whole(p, &e, s->bytes, ls_join_is_copy(x, p->site[0])))
        return false;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        for (unsigned part = 0; part < 2; part++) {
            p->instructions[i].site[part] = 0;
            p->instructions[i].offset[part] =
                (uint32_t)(e.at[i] - e.low) +
                (part && p->instructions[i].form.pair ? (uint32_t)p->instructions[i].form.delta : 0);
        }
    return true;
}
