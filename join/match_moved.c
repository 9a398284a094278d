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

void ls_join_take_back(struct ls_match *x, struct function *f, uint32_t site, enum ls_match_why why)
{
    struct join old = x->join[site];
    ls_join_refuse(&x->join[site], why);
    for (uint32_t n = 0; old.copied && n < f->listing.n; n++)
        if (f->site[n] == site)
            f->site[n] = LS_NONE;
    for (unsigned k = 0; k < old.n; k++) {
        f->site[old.instructions[k]] = LS_NONE;
        for (uint32_t i = f->from; i < f->to; i++)
            for (unsigned n = 0;
                 x->join[i].n && x->function_of[i] == x->function_of[site] && n < x->join[i].n; n++)
                if (x->join[i].instructions[n] == old.instructions[k])
                    ls_join_take_back(x, f, i, why);
    }
    for (uint32_t i = f->from; old.alike && i < f->to; i++)
        if (x->join[i].alike == old.alike)
            ls_join_take_back(x, f, i, why);
}

static bool joined_here(const struct ls_match *x, const struct function *f, uint32_t site)
{
    return x->function_of[site] != LS_NONE && &x->functions[x->function_of[site]] == f && x->join[site].n &&
           x->join[site].state != LS_MATCH_NONE;
}

static void check_loops(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++)
        if (joined_here(x, f, i) && !in_its_loops(x, f, i))
            ls_join_take_back(x, f, i, LS_MATCH_MOVED);
}

/* How many of the instructions that do the site's access, or are a copy of one that does, are done by one
 * lane for all, and how many by all lanes. */
static void count_lanes(const struct ls_match *x, const struct function *f, uint32_t site, uint32_t n[2])
{
    const struct join *j = &x->join[site];
    n[0] = n[1] = 0;
    for (size_t i = 0; i < f->listing.n; i++)
        if (f->site[i] == site)
            n[f->listing.items[i].one_lane]++;
    for (uint32_t i = f->from; j->alike && i < f->to; i++)
        for (unsigned k = 0; x->join[i].alike == j->alike && k < x->join[i].n; k++)
            n[f->listing.items[x->join[i].instructions[k]].one_lane]++;
}

static bool has_one_lane(const struct function *f, const struct join *j)
{
    for (unsigned k = 0; k < j->n; k++)
        if (f->listing.items[j->instructions[k]].one_lane)
            return true;
    return false;
}

/* Loads and stores that one lane does: the program may say so. Where the first access had more lanes, code
 * generation has moved them to an atomic that one lane does for all. */
static void check_single(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        const struct ls_seen *seen = &x->seen[i];
        if (x->m->sites[i].kind == LS_SITE_RMW || !joined_here(x, f, i) || !has_one_lane(f, &x->join[i]))
            continue;
        x->join[i].settled = false;
        if (seen->dispatch && __builtin_popcountll(seen->exec) > 1)
            ls_join_take_back(x, f, i, LS_MATCH_MOVED);
    }
}

/* Atomics: whether code generation lets one lane do them for all. Where that is not clear, or some code
 * counts lanes of which it is not known what for, nothing is known of them; unless one lane does them in the
 * clone, too: these are accesses like any other. */
static void check_lanes(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        uint32_t n[2];
        if (!joined_here(x, f, i))
            continue;
        if (x->m->raw[i].flags & LS_SITE_ONE_LANE)
            x->join[i].one_lane = true;
        if (x->m->sites[i].kind != LS_SITE_RMW || x->m->raw[i].flags & LS_SITE_ONE_LANE)
            continue;
        count_lanes(x, f, i, n);
        if ((n[0] && n[1]) || (n[0] && f->listing.counts_lanes) || (n[1] && !x->join[i].settled))
            ls_join_take_back(x, f, i, LS_MATCH_MOVED);
        else
            x->join[i].one_lane = n[1] > 0;
    }
}

/* A place in the code before and after code generation: numbers of what is executed together with it. */
struct placed {
    uint32_t site, before, after;
    uint32_t around; /* `after` of what is around an atomic that one lane does for all; else the same */
    bool moved;
};

/* Whether an access that is not such an atomic stands where `after` says. */
static bool stands_at(const struct placed *all, uint32_t n, uint32_t before, uint32_t after)
{
    for (uint32_t k = 0; k < n; k++)
        if (all[k].before == before && all[k].after == after && all[k].around == after)
            return true;
    return false;
}

/* Lanes are switched off for an atomic by code generation, or by the program, whose access is in the
 * condition then: what is executed together with it tells which. The lowest lane of one that is left is
 * itself. */
static void look_around(struct placed *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct placed *p = &all[i];
        if (p->around == p->after || stands_at(all, n, p->before, p->after))
            continue;
        p->after = p->around;
        p->moved = (p->before == 1) != (p->after == 0);
    }
}

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
    struct placed *all = x->m->places ? calloc(f->to - f->from + 1u, sizeof *all) : NULL;
    uint32_t n = 0;
    for (uint32_t i = f->from; all && i < f->to; i++) {
        const struct join *j = &x->join[i];
        if (!joined_here(x, f, i) || j->copied || !x->m->places[i].together)
            continue;
        const struct ls_isa_instruction *first = &f->listing.items[j->instructions[0]];
        struct placed p = {i, x->m->places[i].together, first->together, first->together, false};
        if (j->one_lane && !(x->m->raw[i].flags & LS_SITE_ONE_LANE))
            p.around = first->around;
        p.moved = (p.before == 1) != (p.after == 0); /* executed as often as the function */
        for (unsigned k = 1; k < j->n; k++)
            p.moved |= f->listing.items[j->instructions[k]].together != p.after;
        all[n++] = p;
    }
    look_around(all, n);
    for (uint32_t i = 0; i < n; i++)
        if (is_moved(all, n, i))
            ls_join_take_back(x, f, all[i].site, LS_MATCH_MOVED);
    free(all);
}

/* Whether one copy alone is executed as often as the access, or always, which the access, in no loop, is not. */
static bool is_whole(const struct ls_match *x, const struct ls_isa_instruction *i, uint32_t site,
                     uint32_t context)
{
    const struct ls_site_place *at = &x->m->places[site];
    return (context && i->around + 1 == context) || (!at->loops && !i->loops && !i->around);
}

/* Copies of an instruction share the executions of the access. Where one of them has all, or more, the others are not its own,
 * or it is not. */
static void check_copies(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; x->m->places && i < f->to; i++) {
        if (!joined_here(x, f, i) || !x->join[i].copied || x->join[i].alike || !x->m->places[i].together)
            continue;
        const uint32_t context = ls_join_context(x, i);
        bool whole = false;
        for (uint32_t n = 0; n < f->listing.n && !whole; n++)
            whole = f->site[n] == i && is_whole(x, &f->listing.items[n], i, context);
        if (whole)
            ls_join_take_back(x, f, i, LS_MATCH_MOVED);
    }
}

void ls_join_check(struct ls_match *x, struct function *f)
{
    check_loops(x, f);
    check_copies(x, f);
    check_single(x, f);
    check_lanes(x, f);
    check_conditions(x, f);
}
