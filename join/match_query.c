/* match_query.c - see match.h: what the join has come to. */
#include "match_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool settled(const struct ls_match *x, uint32_t site)
{
    return !ls_join_possible(x, site) || x->function_of[site] == LS_NONE || x->join[site].settled ||
           ls_join_over(x, &x->functions[x->function_of[site]]);
}

uint32_t ls_match_widths(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    uint32_t widths = 0;
    if (settled(x, site))
        return 0;
    const struct ls_isa_listing *l = &x->functions[x->function_of[site]].listing;
    for (size_t i = 0; i < l->n; i++) {
        const struct ls_isa_form *f = &l->items[i].form;
        if ((f->class == LS_ISA_LDS || f->class == LS_ISA_VECTOR) && f->bytes <= 16 &&
            ls_join_direction_of(f) == ls_join_direction_of_site(s->kind) &&
            (!ls_join_class(s) || ls_join_class(s) == f->class))
            widths |= 1u << f->bytes;
    }
    return widths | 1; /* not settled, even if there is none */
}

static bool wants(const struct ls_match *x, struct ls_site_list of)
{
    for (uint32_t i = 0; i < of.n; i++)
        if (!settled(x, of.sites[i]) && !x->seen[of.sites[i]].dispatch)
            return true;
    return false;
}

bool ls_match_wants(const struct ls_match *x, uint32_t kernel)
{
    return wants(x, ls_site_group(&x->kernels, kernel)) || wants(x, ls_site_group(&x->kernels, LS_NONE));
}

void ls_match_learn(struct ls_match *x, const struct ls_unsaid *unsaid, uint64_t dispatch, const void *chunk,
                    size_t size)
{
    ls_evidence_add(x->seen, x->m->sites, x->m->n_sites, unsaid, dispatch, chunk, size);
}

bool ls_match_changed(struct ls_match *x)
{
    bool changed = x->changed;
    x->changed = false;
    return changed;
}

const struct lanescope_isa *ls_match_isa(struct ls_match *x)
{
    struct lanescope_isa *isa = x->isa ? NULL : ls_join_memory(x, x->m->n_sites, sizeof *isa);
    for (uint32_t i = 0; isa && i < x->m->n_sites; i++) {
        const struct join *j = &x->join[i];
        if (j->state == LS_MATCH_SCALAR)
            isa[i] = (struct lanescope_isa){LANESCOPE_ISA_SCALAR, 0, NULL};
        else if (j->state != LS_MATCH_NONE)
            isa[i] = (struct lanescope_isa){j->one_lane ? LANESCOPE_ISA_ONE_LANE : LANESCOPE_ISA_VECTOR, j->n,
                                            j->passes};
    }
    if (isa)
        x->isa = isa;
    return x->isa;
}

enum ls_match_state ls_match_state(const struct ls_match *x, uint32_t site)
{
    return x->join[site].state;
}

uint32_t ls_match_site(const struct ls_match *x, uint32_t function, size_t instruction)
{
    return function < x->n_functions && instruction < x->functions[function].listing.n
               ? x->functions[function].site[instruction]
               : LS_NONE;
}

/* Lanes of flat accesses are counted where they go to, and those of buffers that are out of range nowhere: an
 * execution may count twice, or not at all. */
static bool counts_once(uint8_t space)
{
    return space == 1 || space == 3 || space == 4;
}

bool ls_match_tells(const struct ls_match *x, uint32_t site)
{
    const struct join *j = &x->join[site];
    const struct function *f = x->function_of[site] == LS_NONE ? NULL : &x->functions[x->function_of[site]];
    uint32_t first = LS_NONE;
    if (!f || (j->state != LS_MATCH_EXACT && j->state != LS_MATCH_SHARED) || j->copied || j->alike ||
        j->exchangeable || !counts_once(x->m->sites[site].space))
        return false;
    for (uint32_t i = 0; i < f->listing.n; i++) {
        if (f->site[i] == site && first == LS_NONE)
            first = i;
        if (f->site[i] == site && f->listing.items[i].together != f->listing.items[first].together)
            return false;
    }
    return first != LS_NONE;
}

const struct ls_isa_instruction *ls_match_instruction(const struct ls_match *x, uint32_t site)
{
    const struct join *j = &x->join[site];
    if (j->first == LS_NONE || x->function_of[site] == LS_NONE)
        return NULL;
    return &x->functions[x->function_of[site]].listing.items[j->first];
}

enum ls_match_why ls_match_why(const struct ls_match *x, uint32_t site)
{
    return x->join[site].why;
}

const char *ls_match_why_text(enum ls_match_why why)
{
    static const char *const texts[] = {
        [LS_MATCH_UNCLEAR] = "it is not clear which instructions do it",
        [LS_MATCH_MOVED] = "the compiler moved its instructions into or out of a loop, or repeats them",
        [LS_MATCH_LONG] =
            "there are too many ways in which instructions may do it, and the search was given up"};
    return texts[why];
}

bool ls_match_estimated(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    bool copy = ls_join_is_to_lds(s->kind) && s->flags & LS_SITE_OBSERVED;
    return (copy || ls_join_possible(x, site)) && x->seen[site].dispatch &&
           x->join[site].state == LS_MATCH_NONE;
}

uint32_t ls_match_counted_at(const struct ls_match *x, uint32_t site)
{
    return x->join[site].counted_at ? x->join[site].counted_at - 1 : LS_NONE;
}

bool ls_match_swaps(const struct ls_match *x, uint32_t site)
{
    const struct join *j = &x->join[site];
    const struct ls_isa_instruction *first = ls_match_instruction(x, site);
    if (j->state == LS_MATCH_SCALAR || j->state == LS_MATCH_ABSENT || !first)
        return false;
    const struct ls_isa_instruction *all = x->functions[x->function_of[site]].listing.items;
    bool swaps = !j->n && first->form.swaps;
    for (unsigned i = 0; i < j->n; i++)
        swaps |= all[j->instructions[i]].form.swaps;
    return swaps;
}

char *ls_match_text(const struct ls_match *x, uint32_t site)
{
    const struct join *j = &x->join[site];
    char *text = NULL;
    size_t size;
    if (j->state == LS_MATCH_SCALAR)
        return strdup("scalar load");
    if (j->state == LS_MATCH_ABSENT)
        return strdup("no instruction");
    const struct ls_isa_instruction *first = ls_match_instruction(x, site);
    if (!j->n && first)
        return strndup(first->text, strcspn(first->text, " "));
    FILE *f = j->n ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    const struct ls_isa_instruction *all = x->functions[x->function_of[site]].listing.items;
    for (unsigned i = 0; i < j->n; i++) {
        const char *name = all[j->instructions[i]].text;
        unsigned count = 0;
        bool again = false;
        for (unsigned k = 0; k < j->n; k++) {
            const char *other = all[j->instructions[k]].text;
            size_t n = strcspn(name, " ");
            bool same = strcspn(other, " ") == n && !strncmp(name, other, n);
            bool one = k > 0 && j->instructions[k] == j->instructions[k - 1];
            again |= same && k < i;
            count += same && !one;
        }
        if (again)
            continue;
        fprintf(f, i ? ", " : "");
        if (count > 1)
            fprintf(f, "%ux ", count);
        fwrite(name, 1, strcspn(name, " "), f);
    }
    fclose(f);
    return text;
}
