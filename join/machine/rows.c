/* rows.c - see rows.h. */
#include "rows.h"

#include "isa.h"

/* Whether b may be part of the access that a is of. Parts have the same address registers. Of loads it must be
 * known that they do, as code generation may leave out a part: then the rest and a load of something else look like
 * both parts. The parts of a store are all there, so that only what is known to have others is none. */
static bool may_be_parts(const struct ls_isa_instruction *a, const struct ls_isa_instruction *b)
{
    return a->form.class == b->form.class && a->form.store == b->form.store &&
           a->form.atomic == b->form.atomic && a->block == b->block &&
           (a->root == b->root || (a->form.store && (!a->root || !b->root)));
}

/* Code generation gives no row of the line table to an instruction without place, unless a block begins with
 * it: it stands in the row of the one before it. So of several in one row the first is where the row says,
 * and with it those that may be parts of the same access. Registers are spilled at the place of the
 * instruction that needs them: what accesses scratch memory takes the row from no other. All of a clause have
 * one row, though each may have had a place of its own: there that they may be parts tells nothing. */
static void find_followers(struct ls_isa_listing *l, bool scratch)
{
    size_t first = l->n;
    for (size_t i = 0; i < l->n; i++) {
        struct ls_isa_instruction *a = &l->items[i];
        if ((a->form.class == LS_ISA_SCRATCH) != scratch)
            continue;
        if (first == l->n || !a->row || a->row != l->items[first].row) {
            a->behind_scratch = !scratch && a->row && i > 0 && l->items[i - 1].row == a->row;
            first = i;
            continue;
        }
        a->follows = true;
        for (size_t k = first; k < i && a->follows && !a->in_clause; k++)
            if ((l->items[k].form.class == LS_ISA_SCRATCH) == scratch)
                a->follows = !may_be_parts(a, &l->items[k]) || (k > first && l->items[k].follows);
        a->other_way = a->follows && a->form.store != l->items[first].form.store;
    }
}

void ls_rows_find_followers(struct ls_isa_listing *l)
{
    find_followers(l, false);
    find_followers(l, true);
}
