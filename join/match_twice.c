/*
 * match_twice.c - see match_parts.h. Of two stores to one place, with nothing between that reads it, code generation does one
 * (DAGCombiner::visitSTORE in LLVM's lib/CodeGen/SelectionDAG/DAGCombiner.cpp). The clone does both, for probes stand between.
 */
#include "match_parts.h"

#include <stdlib.h>

static bool is_tag_there(const struct function *f, uint32_t tag)
{
    for (uint32_t i = 0; tag && i < f->listing.n; i++)
        if (f->listing.items[i].tag == tag && !f->listing.items[i].follows)
            return true;
    return false;
}

/* Two stores of as many bytes to one place, always executed together, and counted on one line. */
static bool is_same_store(const struct ls_match *x, const struct pool *p, uint32_t a, uint32_t b)
{
    const struct ls_site_place *q = &x->m->places[p->site[a]], *r = &x->m->places[p->site[b]];
    return q->group && q->group == r->group && q->variable == r->variable && q->distance == r->distance &&
           q->together && q->together == r->together && q->barriers == r->barriers && q->loops == r->loops &&
           p->sites[a].bytes == p->sites[b].bytes && p->sites[a].space == p->sites[b].space &&
           p->sites[a].line == p->sites[b].line;
}

/* The pool without stores that another one of it does, too. */
static bool leave_out(const struct ls_match *x, const struct function *f, const struct pool *p,
                      struct pool *rest, bool *left_out)
{
    bool any = false;
    for (uint32_t k = 0; k < p->n_sites; k++) {
        for (uint32_t h = 0; h < p->n_sites && !left_out[k]; h++)
            left_out[k] = h != k && !left_out[h] && is_same_store(x, p, h, k) &&
                          !is_tag_there(f, p->sites[k].tag) && (h < k || is_tag_there(f, p->sites[h].tag));
        any |= left_out[k];
        if (left_out[k])
            continue;
        rest->site[rest->n_sites] = p->site[k];
        rest->sites[rest->n_sites++] = p->sites[k];
    }
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        rest->instruction[rest->n_instructions] = p->instruction[i];
        rest->instructions[rest->n_instructions++] = p->instructions[i];
    }
    return any;
}

bool ls_join_twice(struct ls_match *x, struct function *f, const struct pool *p)
{
    struct pool rest = {0};
    bool *left_out = calloc(p->n_sites + 1u, sizeof *left_out), joined = false;
    if (p->level == FUNCTION && x->m->places && p->n_sites > 1 && p->n_instructions && left_out &&
        ls_join_direction_of_site(x->m->sites[p->site[0]].kind) == STORES &&
        ls_join_spend(x, f, (uint64_t)p->n_sites * (p->n_sites + f->listing.n)) &&
        ls_pool_make(&rest, p->level, p->n_sites, p->n_instructions))
        joined = leave_out(x, f, p, &rest, left_out) && ls_join_pool(x, f, &rest);
    for (uint32_t k = 0; joined && k < p->n_sites; k++)
        if (left_out[k])
            ls_join_no_vector(x, f, p, k, false);
    ls_pool_free(&rest);
    free(left_out);
    return joined;
}
