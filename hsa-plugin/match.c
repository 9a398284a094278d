/* match.c - see match.h: the life of a join, and the order of its attempts. */
#include "match_parts.h"

#include <stdlib.h>
#include <string.h>

void *ls_join_memory(struct ls_match *x, size_t n, size_t size)
{
    struct keep *k = malloc(sizeof *k);
    void *p = k ? calloc(n ? n : 1, size) : NULL;
    if (!p) {
        free(k);
        return NULL;
    }
    *k = (struct keep){p, x->kept};
    x->kept = k;
    return p;
}

struct ls_match *ls_match_create(const struct ls_module *m)
{
    struct ls_match *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->m = m;
    x->join = calloc(m->n_sites + 1u, sizeof *x->join);
    x->seen = calloc(m->n_sites + 1u, sizeof *x->seen);
    x->function_of = calloc(m->n_sites + 1u, sizeof *x->function_of);
    if (!x->join || !x->seen || !x->function_of) {
        ls_match_destroy(x);
        return NULL;
    }
    for (uint32_t i = 0; i < m->n_sites; i++)
        x->function_of[i] = x->join[i].first = LS_NONE;
    return x;
}

void ls_match_destroy(struct ls_match *x)
{
    for (uint32_t f = 0; f < x->n_functions; f++) {
        ls_isa_listing_free(&x->functions[f].listing);
        free(x->functions[f].taken);
        free(x->functions[f].scalar);
        free(x->functions[f].site);
    }
    while (x->kept) {
        struct keep *next = x->kept->next;
        free(x->kept->memory);
        free(x->kept);
        x->kept = next;
    }
    free(x->functions);
    free(x->join);
    free(x->seen);
    free(x->function_of);
    free(x);
}

/* Both sides of a copy have one place: its stores stand in the row of its loads, or these in that of one of
 * the stores before them. */
static void keep_copies(const struct ls_match *x, uint32_t function, struct ls_isa_listing *l)
{
    for (uint32_t n = 0; n < l->n; n++) {
        struct ls_isa_instruction *i = &l->items[n];
        uint8_t kind = i->form.store ? LS_SITE_COPY_WRITE : LS_SITE_COPY_READ;
        for (uint32_t s = 0; i->other_way && i->tag && s < x->m->n_sites; s++)
            if (x->function_of[s] == function && ls_join_tag(x, s) == i->tag &&
                (x->m->sites[s].kind == kind ||
                 (i->form.store && ls_join_direction_of_site(x->m->sites[s].kind) == STORES)))
                i->follows = false;
    }
}

void ls_match_listing(struct ls_match *x, const char *name, struct ls_isa_listing *l)
{
    struct function *grown = realloc(x->functions, (x->n_functions + 1) * sizeof *grown);
    if (!grown)
        return;
    x->functions = grown;
    struct function *f = &grown[x->n_functions];
    *f = (struct function){.name = name,
                           .taken = calloc(l->n + 1, sizeof(bool)),
                           .scalar = calloc(l->n + 1, sizeof(uint32_t)),
                           .site = calloc(l->n + 1, sizeof(uint32_t))};
    if (!f->taken || !f->scalar || !f->site) {
        free(f->taken);
        free(f->scalar);
        free(f->site);
        return;
    }
    for (uint32_t i = 0; i < x->m->n_sites; i++)
        if (!strcmp(x->m->functions[i], name))
            x->function_of[i] = x->n_functions;
    keep_copies(x, x->n_functions, l);
    f->listing = *l;
    memset(l, 0, sizeof *l);
    x->n_functions++;
}

/* Whether an observed access of the function has the tag, too: an atomic of which code generation made one
 * for each kind of memory. */
static bool is_shared_tag(const struct ls_match *x, uint32_t tag, uint32_t function)
{
    for (uint32_t i = 0; i < x->m->n_sites; i++)
        if (x->function_of[i] == function && ls_join_tag(x, i) == tag && ls_join_possible(x, i))
            return true;
    return false;
}

/* Private arrays that code generation put into LDS: nothing observes them, but their instructions are known.
 */
static void name_private(struct ls_match *x, struct function *f)
{
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        uint32_t tag = ls_join_tag(x, i);
        if (x->m->sites[i].space != 5 || !tag || x->function_of[i] == LS_NONE ||
            &x->functions[x->function_of[i]] != f || is_shared_tag(x, tag, x->function_of[i]))
            continue;
        for (uint32_t n = 0; n < f->listing.n; n++) {
            if (f->listing.items[n].tag != tag || f->listing.items[n].follows ||
                f->listing.items[n].form.class == LS_ISA_SCALAR)
                continue;
            f->taken[n] = true;
            f->site[n] = i;
            x->join[i].first = n;
        }
    }
}

/* One class at a time, or (`mixed`) all together, for flat accesses that became global or LDS ones. */
static void one_level(struct ls_match *x, uint32_t function, bool *open, bool *done, enum level level,
                      bool mixed)
{
    struct function *f = &x->functions[function];
    memset(done, 0, x->m->n_sites);
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        char calls[1024];
        struct pool p;
        enum ls_isa_class class = ls_join_class(&x->m->sites[i]);
        if (!open[i] || done[i] || x->function_of[i] != function || (!mixed && !class))
            continue;
        struct key key = ls_join_key(x, i, calls, sizeof calls);
        if ((level == TAG && !key.tag) || (level == MERGED && !key.merged))
            continue;
        if (!ls_pool_make(&p, level, x->m->n_sites, f->listing.n)) {
            ls_pool_free(&p);
            return;
        }
        ls_pool_fill(&p, x, function, ls_join_direction_of_site(x->m->sites[i].kind), open, &key, level,
                     mixed ? LS_ISA_NONE : class);
        bool solved = (level == FUNCTION || p.n_instructions || p.n_scalars) && ls_join_pool(x, f, &p);
        for (uint32_t k = 0; k < p.n_sites; k++) {
            done[p.site[k]] = true;
            open[p.site[k]] = !solved;
        }
        ls_pool_free(&p);
    }
}

static void solve_function(struct ls_match *x, uint32_t function, bool *open, bool *done)
{
    struct function *f = &x->functions[function];
    bool any = false;
    memset(f->taken, 0, f->listing.n);
    for (uint32_t i = 0; i < f->listing.n; i++)
        f->site[i] = LS_NONE;
    for (uint32_t i = 0; i < x->m->n_sites; i++) {
        open[i] = x->function_of[i] == function && ls_join_possible(x, i);
        any |= open[i];
        if (open[i])
            ls_join_forget(&x->join[i]);
    }
    name_private(x, f);
    ls_scalar_begin(x, f);
    for (enum level level = 0; any && level < LEVELS; level++) {
        one_level(x, function, open, done, level, false);
        one_level(x, function, open, done, level, true);
    }
    ls_join_again(x, f);
    ls_join_check(x, f);
    ls_scalar_check(x, f);
}

void ls_match_solve(struct ls_match *x)
{
    bool *open = calloc(x->m->n_sites + 1u, sizeof *open), *done = calloc(x->m->n_sites + 1u, sizeof *done);
    for (uint32_t f = 0; open && done && f < x->n_functions; f++)
        solve_function(x, f, open, done);
    x->isa = NULL;
    x->changed = true;
    free(open);
    free(done);
}
