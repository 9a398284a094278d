/* match_moved.c - see match_parts.h. */
#include "match_parts.h"

#include <stdlib.h>

/* Whether the instructions that were found run as often as the access: both stand in equally many loops. */
static bool in_its_loops(const struct ls_match *x, const struct function *f, uint32_t site)
{
    const struct join *j = &x->join[site];
    for (unsigned k = 0; x->m->places && k < j->n; k++)
        if (f->listing.items[j->instructions[k]].loops != x->m->places[site].loops)
            return false;
    return true;
}

/* Takes the join of a site back, and of those that share an instruction with it, or may have its own. */
static void take_back(struct ls_match *x, struct function *f, uint32_t site, enum ls_match_why why)
{
    struct join old = x->join[site];
    ls_join_refuse(&x->join[site], why);
    for (unsigned k = 0; k < old.n; k++) {
        f->site[old.instructions[k]] = LS_NONE;
        for (uint32_t i = 0; i < x->m->n_sites; i++)
            for (unsigned n = 0;
                 x->join[i].n && x->function_of[i] == x->function_of[site] && n < x->join[i].n; n++)
                if (x->join[i].instructions[n] == old.instructions[k])
                    take_back(x, f, i, why);
    }
    for (uint32_t i = 0; old.alike && i < x->m->n_sites; i++)
        if (x->join[i].alike == old.alike)
            take_back(x, f, i, why);
}

static bool joined_here(const struct ls_match *x, const struct function *f, uint32_t site)
{
    return x->function_of[site] != LS_NONE && &x->functions[x->function_of[site]] == f && x->join[site].n &&
           x->join[site].state != LS_MATCH_NONE;
}

static void check_loops(struct ls_match *x, struct function *f)
{
    for (uint32_t i = 0; i < x->m->n_sites; i++)
        if (joined_here(x, f, i) && !in_its_loops(x, f, i))
            take_back(x, f, i, LS_MATCH_MOVED);
}

/* A place in the code before and after code generation: numbers of what is executed together with it. */
struct placed {
    uint32_t site, before, after;
    bool moved;
};

/* Whether more of the others than not are executed together with it on one side only. What is executed as
 * often as the function must be so on both sides. */
static bool is_moved(const struct placed *all, uint32_t n, uint32_t i)
{
    uint32_t with = 0, against = 0;
    for (uint32_t k = 0; k < n && !all[i].moved; k++) {
        if (all[k].moved)
            continue;
        bool before = all[k].before == all[i].before, after = all[k].after == all[i].after;
        with += k != i && before && after;
        against += before != after;
    }
    return all[i].moved || against > with;
}

/* Whether code generation moved an access into a condition, or out of one: then its instructions are executed
 * less or more often than the access. */
static void check_conditions(struct ls_match *x, struct function *f)
{
    struct placed *all = x->m->places ? calloc(x->m->n_sites + 1u, sizeof *all) : NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; all && i < x->m->n_sites; i++) {
        const struct join *j = &x->join[i];
        if (!joined_here(x, f, i) || j->copied || !x->m->places[i].together)
            continue;
        struct placed p = {i, x->m->places[i].together, f->listing.items[j->instructions[0]].together, false};
        p.moved = (p.before == 1) != (p.after == 0); /* executed as often as the function */
        for (unsigned k = 1; k < j->n; k++)
            p.moved |= f->listing.items[j->instructions[k]].together != p.after;
        all[n++] = p;
    }
    for (uint32_t i = 0; i < n; i++)
        if (is_moved(all, n, i))
            take_back(x, f, all[i].site, LS_MATCH_MOVED);
    free(all);
}

void ls_join_check(struct ls_match *x, struct function *f)
{
    check_loops(x, f);
    check_conditions(x, f);
}
