/*
 * match_scalar.c - see match_parts.h. That a uniform load is done by scalar memory is a claim on a scalar
 * load of the machine code: each of its bytes can be claimed once. Scalar loads are not counted, so it does
 * not matter which of several does which access.
 */
#include "match_parts.h"

/* What the runtime made for the kernel, its arguments for example, is no access of the source. */
static bool reads_for_source(const struct ls_match *x, const struct function *f,
                             const struct ls_isa_instruction *i)
{
    if (i->form.class != LS_ISA_SCALAR || i->input || ls_join_direction_of(&i->form) != LOADS)
        return false;
    for (uint32_t s = f->from; i->tag && s < f->to; s++)
        if (ls_join_tag(x, s) == i->tag && x->function_of[s] != LS_NONE &&
            &x->functions[x->function_of[s]] == f && !ls_join_possible(x, s))
            return false;
    return true;
}

void ls_scalar_begin(const struct ls_match *x, struct function *f)
{
    for (size_t i = 0; i < f->listing.n; i++)
        f->scalar[i] = reads_for_source(x, f, &f->listing.items[i]) ? f->listing.items[i].form.bytes : 0;
}

uint32_t ls_scalar_left(const struct function *f, const struct pool *p)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->n_scalars; i++)
        left += f->scalar[p->scalars[i]];
    return left;
}

bool ls_scalar_claim(struct function *f, const struct pool *p, uint32_t bytes)
{
    if (ls_scalar_left(f, p) < bytes || !bytes)
        return false;
    for (uint32_t i = 0; i < p->n_scalars; i++) {
        uint32_t *left = &f->scalar[p->scalars[i]], take = *left < bytes ? *left : bytes;
        *left -= take;
        bytes -= take;
    }
    return true;
}

/* Whether that vector load may be the site's: nothing says whose it is, and it stands on no other line. */
static bool may_be_of(const struct ls_match *x, const struct function *f, uint32_t n, uint32_t site)
{
    const struct ls_isa_instruction *i = &f->listing.items[n];
    const struct lanescope_site *s = &x->m->sites[site];
    if (f->taken[n] || i->form.class != LS_ISA_VECTOR || ls_join_direction_of(&i->form) != LOADS)
        return false;
    return i->follows || ((!i->tag || i->tag == ls_join_tag(x, site)) &&
                          (!i->line || !s->n_frames || !s->frames[0].line || i->line == s->frames[0].line));
}

void ls_scalar_check(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        struct join *j = &x->join[i];
        bool here = x->function_of[i] != LS_NONE && &x->functions[x->function_of[i]] == f;
        if (!here || (j->state != LS_MATCH_SCALAR && j->state != LS_MATCH_ABSENT) || j->by_tag ||
            ls_join_direction_of_site(x->m->sites[i].kind) != LOADS)
            continue;
        for (uint32_t n = 0; n < f->listing.n && j->state != LS_MATCH_NONE; n++)
            if (may_be_of(x, f, n, i))
                ls_join_refuse(j, LS_MATCH_UNCLEAR);
    }
}
