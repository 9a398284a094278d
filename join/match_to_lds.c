/*
 * match_to_lds.c - see match_parts.h. A copy to LDS is one instruction and two sites, a read of global memory and behind it a
 * write of LDS. Code generation neither merges nor splits such copies, so its number decides.
 */
#include "match_parts.h"

static bool does(const struct function *f, uint32_t n, uint32_t tag, uint32_t bytes)
{
    const struct ls_isa_instruction *i = &f->listing.items[n];
    return i->form.to_lds && i->tag == tag && !i->follows && !f->taken[n] && i->form.bytes == bytes;
}

static void join_side(struct ls_match *x, const struct function *f, uint32_t site, uint32_t instruction,
                      uint32_t copies)
{
    struct join *j = &x->join[site];
    const uint8_t bytes = (uint8_t)f->listing.items[instruction].form.bytes;
    ls_join_forget(j);
    j->first = instruction;
    j->copied = copies > 1;
    j->settled = true;
    if (ls_join_add_pass(x, site, instruction, (struct lanescope_pass){site, 0, bytes, 1}))
        j->state = LS_MATCH_EXACT;
}

/* The site reads; the next one is the other side, or something else. */
static void join_copy(struct ls_match *x, struct function *f, uint32_t site)
{
    const uint32_t tag = ls_join_tag(x, site), bytes = x->m->sites[site].bytes, other = site + 1;
    uint32_t found = 0, first = 0;
    for (uint32_t n = 0; tag && n < f->listing.n; n++)
        if (does(f, n, tag, bytes)) {
            first = found++ ? first : n;
            f->site[n] = site;
        }
    for (uint32_t n = 0; n < f->listing.n; n++)
        f->taken[n] |= f->site[n] == site;
    if (!found)
        return;
    join_side(x, f, site, first, found);
    if (other < f->to && x->m->sites[other].kind == LS_SITE_LDS_DMA_WRITE && ls_join_tag(x, other) == tag)
        join_side(x, f, other, first, found);
}

void ls_join_to_lds(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        const struct lanescope_site *s = &x->m->sites[i];
        bool here = x->function_of[i] != LS_NONE && &x->functions[x->function_of[i]] == f;
        if (here && s->kind == LS_SITE_LDS_DMA_READ && s->flags & LS_SITE_OBSERVED)
            join_copy(x, f, i);
    }
}
