/*
 * match_again.c - see match_parts.h. Code generation makes some loads twice: a wide one for several accesses,
 * and one more of a part that it needs in another form. The second one is no access of the source; but from
 * the same registers, in the same block and with the same lanes it reads what its offset says, as often.
 */
#include "match_parts.h"

#include <string.h>

/* All loads of the function are joined, so that one which is left cannot be any of theirs. */
static bool all_joined(const struct ls_match *x, const struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++)
        if (x->function_of[i] != LS_NONE && &x->functions[x->function_of[i]] == f && ls_join_possible(x, i) &&
            ls_join_direction_of_site(x->m->sites[i].kind) == LOADS && x->join[i].state == LS_MATCH_NONE)
            return false;
    return true;
}

/* No pair, and no buffer instruction: of these, lanes may be out of range for one of two widths only. */
static bool is_plain_load(const struct ls_isa_instruction *i)
{
    return i->file && !i->form.buffer && (i->form.class == LS_ISA_LDS || i->form.class == LS_ISA_VECTOR) &&
           !i->form.pair && ls_join_direction_of(&i->form) == LOADS && i->base;
}

/* Offset in the site's access of what instruction `again` reads; negative: it is not known, or not inside. */
static int64_t offset_in(const struct ls_match *x, const struct function *f, uint32_t site, uint32_t again)
{
    const struct ls_isa_instruction *a = &f->listing.items[again];
    const struct lanescope_site *s = &x->m->sites[site];
    const struct join *j = &x->join[site];
    if (j->state != LS_MATCH_EXACT || !j->settled || j->alike || j->copied || !s->n_frames ||
        s->frames[0].line != a->line)
        return -1;
    for (unsigned k = 0; k < j->n; k++) {
        const struct ls_isa_instruction *b = &f->listing.items[j->instructions[k]];
        int64_t at = (int64_t)j->passes[k].offset + a->form.at - b->form.at;
        if (is_plain_load(b) && b->form.class == a->form.class && b->base == a->base &&
            b->block == a->block && b->epoch == a->epoch && !strcmp(a->file, b->file) && at >= 0 &&
            at + a->form.bytes <= s->bytes)
            return at;
    }
    return -1;
}

void ls_join_again(struct ls_match *x, struct function *f)
{
    bool all = all_joined(x, f);
    for (uint32_t n = 0; all && n < f->listing.n; n++) {
        const struct ls_isa_instruction *a = &f->listing.items[n];
        if (f->taken[n] || !is_plain_load(a))
            continue;
        for (uint32_t i = f->from; i < f->to && !f->taken[n]; i++) {
            bool here = x->function_of[i] != LS_NONE && &x->functions[x->function_of[i]] == f;
            int64_t at = here && ls_join_possible(x, i) ? offset_in(x, f, i, n) : -1;
            if (at < 0 || !ls_join_add_pass(
                              x, i, n, (struct lanescope_pass){i, (uint16_t)at, (uint8_t)a->form.bytes, 1}))
                continue;
            f->taken[n] = true;
            f->site[n] = i;
        }
    }
}
