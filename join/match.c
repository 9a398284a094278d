/* match.c - see match.h: the life of a join, and the order of its attempts. */
#include "match_parts.h"
#include "common/vector.h"

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

/* The same, and then by number, so that those of one function rise. */
static int compare_functions(const void *p, const void *q, void *module)
{
    const struct ls_module *m = module;
    const uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    const int c = m->functions[a] == m->functions[b] ? 0 : strcmp(m->functions[a], m->functions[b]);
    return c ? c : (a > b) - (a < b);
}

struct ls_match *ls_match_create(const struct ls_module *m)
{
    struct ls_match *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->m = m;
    x->work = ls_join_work_of_module();
    x->join = calloc(m->n_sites + 1u, sizeof *x->join);
    x->seen = calloc(m->n_sites + 1u, sizeof *x->seen);
    x->function_of = calloc(m->n_sites + 1u, sizeof *x->function_of);
    x->by_function = calloc(m->n_sites + 1u, sizeof *x->by_function);
    if (!x->join || !x->seen || !x->function_of || !x->by_function || !ls_site_groups_make(&x->kernels, m)) {
        ls_match_destroy(x);
        return NULL;
    }
    for (uint32_t i = 0; i < m->n_sites; i++) {
        x->function_of[i] = x->join[i].first = LS_NONE;
        x->by_function[i] = i;
    }
    qsort_r(x->by_function, m->n_sites, sizeof *x->by_function, compare_functions, (void *)(uintptr_t)m);
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
    free(x->by_function);
    ls_site_groups_free(&x->kernels);
    free(x->failed);
    free(x);
}

/* Both sides of a copy have one place: its stores stand in the row of its loads, or these in that of one of
 * the stores before them. Of a clause that is known of the first instruction only. */
static void keep_copies(const struct ls_match *x, uint32_t function, struct ls_isa_listing *l)
{
    const uint32_t from = x->functions[function].from, to = x->functions[function].to;
    for (uint32_t n = 0; n < l->n; n++) {
        struct ls_isa_instruction *i = &l->items[n];
        uint8_t kind = i->form.store ? LS_SITE_COPY_WRITE : LS_SITE_COPY_READ;
        for (uint32_t s = from; i->other_way && !i->in_clause && i->tag && s < to; s++)
            if (x->function_of[s] == function && ls_join_tag(x, s) == i->tag &&
                (x->m->sites[s].kind == kind ||
                 (i->form.store && ls_join_direction_of_site(x->m->sites[s].kind) == STORES)))
                i->follows = false;
    }
}

/* A part of a copy far from the others takes its address from other registers, so that it seems to have no place in their row. If
 * what it loads goes to a store that stands in a row of the same copy, both are of it. */
static void keep_moves(const struct ls_match *x, uint32_t function, struct ls_isa_listing *l)
{
    const uint32_t from = x->functions[function].from, to = x->functions[function].to;
    for (uint32_t n = 0; n < l->n; n++) {
        struct ls_isa_instruction *store = &l->items[n];
        bool copy = false, whole = true;
        const uint32_t dwords = ls_form_dwords(&store->form) * ls_form_parts(&store->form);
        for (uint32_t s = from; store->moved.load[0] && store->tag && !store->in_clause && s < to; s++)
            copy |= x->function_of[s] == function && ls_join_tag(x, s) == store->tag &&
                    x->m->sites[s].kind == LS_SITE_COPY_WRITE && ls_join_other_of_copy(x, s) != LS_NONE;
        for (uint32_t k = 0; copy && k < dwords && k < LS_MOVED_DWORDS; k++) {
            const struct ls_isa_instruction *load =
                store->moved.load[k] ? &l->items[store->moved.load[k] - 1] : NULL;
            whole &= load && load->tag == store->tag && !load->in_clause;
        }
        if (!copy || !whole)
            continue;
        store->follows = false;
        for (uint32_t k = 0; k < dwords && k < LS_MOVED_DWORDS; k++)
            l->items[store->moved.load[k] - 1].follows = false;
    }
}

/* Whether the atomic of that tag became a load and a loop around a compare-and-swap. */
static bool is_loop_of_atomic(const struct ls_match *x, uint32_t function, uint32_t tag)
{
    bool load = false, swap = false;
    for (uint32_t s = x->functions[function].from; s < x->functions[function].to; s++) {
        if (x->function_of[s] != function || ls_join_tag(x, s) != tag)
            continue;
        load |= x->m->sites[s].kind == LS_SITE_LOAD;
        swap |= x->m->sites[s].kind == LS_SITE_CMPXCHG;
    }
    return load && swap;
}

/* All of such a loop has the place of the atomic, so that its compare-and-swap stands in the row of the load before it. Of two in
 * one row, one has no place: nobody knows which. */
static void keep_swaps(const struct ls_match *x, uint32_t function, struct ls_isa_listing *l)
{
    for (uint32_t n = 0; n < l->n; n++) {
        struct ls_isa_instruction *i = &l->items[n];
        if (!i->follows || i->in_clause || !i->tag || !i->form.swaps ||
            !is_loop_of_atomic(x, function, i->tag))
            continue;
        uint32_t in_row = 0;
        for (uint32_t k = 0; k < l->n; k++)
            in_row += l->items[k].form.swaps && l->items[k].row == i->row;
        i->follows = in_row != 1;
    }
}

/* Tells whether the instruction's row is that of a private access, which one before it does. The other side of a copy is in
 * the same row, and has the same tag. */
static void check_rows(const struct ls_match *x, uint32_t function, struct ls_isa_listing *l)
{
    const uint32_t from = x->functions[function].from, to = x->functions[function].to;
    for (uint32_t n = 0; n < l->n; n++) {
        struct ls_isa_instruction *i = &l->items[n];
        bool private = false, own = false;
        for (uint32_t s = from; i->behind_scratch && i->tag && s < to; s++) {
            if (x->function_of[s] != function || ls_join_tag(x, s) != i->tag)
                continue;
            private |= x->m->sites[s].space == 5;
            own |= x->m->sites[s].space != 5 &&
                   ls_join_direction_of_site(x->m->sites[s].kind) == ls_join_direction_of(&i->form);
        }
        i->follows |= private && !own;
    }
}

/* Gives the function those sites that the table says are in it. */
static void claim_sites(struct ls_match *x, uint32_t function)
{
    struct function *f = &x->functions[function];
    uint32_t low = 0, high = x->m->n_sites;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(x->m->functions[x->by_function[middle]], f->name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i < x->m->n_sites; i++) {
        const uint32_t site = x->by_function[i];
        if (strcmp(x->m->functions[site], f->name) != 0)
            return;
        f->from = f->to ? f->from : site;
        f->to = site + 1;
        x->function_of[site] = function;
    }
}

uint32_t ls_match_listing(struct ls_match *x, const char *name, struct ls_isa_listing *l)
{
    if (!LS_ROOM(x->functions, x->n_functions))
        return LS_NONE;
    struct function *f = &x->functions[x->n_functions];
    *f = (struct function){.name = name,
                           .work = ls_join_work_of_function(),
                           .taken = calloc(l->n + 1, sizeof(bool)),
                           .scalar = calloc(l->n + 1, sizeof(uint32_t)),
                           .site = calloc(l->n + 1, sizeof(uint32_t))};
    if (!f->taken || !f->scalar || !f->site) {
        free(f->taken);
        free(f->scalar);
        free(f->site);
        return LS_NONE;
    }
    claim_sites(x, x->n_functions);
    check_rows(x, x->n_functions, l);
    keep_copies(x, x->n_functions, l);
    keep_moves(x, x->n_functions, l);
    keep_swaps(x, x->n_functions, l);
    f->listing = *l;
    memset(l, 0, sizeof *l);
    return x->n_functions++;
}

/* Whether an observed access of the function has the tag, too: an atomic of which code generation made one
 * for each kind of memory. */
static bool is_shared_tag(const struct ls_match *x, uint32_t tag, uint32_t function)
{
    for (uint32_t i = x->functions[function].from; i < x->functions[function].to; i++)
        if (x->function_of[i] == function && ls_join_tag(x, i) == tag && ls_join_possible(x, i))
            return true;
    return false;
}

/* Private arrays that code generation put into LDS, and those that unoptimised code reaches by flat pointers:
 * nothing observes them, but their instructions are known. */
static void name_private(struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        uint32_t tag = ls_join_tag(x, i);
        if (!ls_site_is_private(x->m, i) || !tag || x->function_of[i] == LS_NONE ||
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

static bool is_scalar_done(const struct function *f, uint32_t tag)
{
    for (uint32_t n = 0; n < f->listing.n; n++)
        if (f->listing.items[n].tag == tag && f->listing.items[n].form.class == LS_ISA_SCALAR)
            return true;
    return false;
}

/* Loads of kernel arguments that each lane does for itself, as their addresses differ: nothing observes them, and what no access
 * is joined with is theirs if it has their tag. */
static void name_arguments(const struct ls_match *x, struct function *f)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        const uint32_t tag = ls_join_tag(x, i);
        if (x->m->raw[i].reason != LS_REASON_KERNARG || !tag || x->function_of[i] == LS_NONE ||
            &x->functions[x->function_of[i]] != f || is_shared_tag(x, tag, x->function_of[i]) ||
            is_scalar_done(f, tag))
            continue;
        for (uint32_t n = 0; n < f->listing.n; n++) {
            const struct ls_isa_instruction *at = &f->listing.items[n];
            if (f->site[n] == LS_NONE && at->tag == tag && !at->follows && at->form.class == LS_ISA_VECTOR &&
                ls_join_direction_of(&at->form) == LOADS && at->form.bytes == x->m->sites[i].bytes)
                f->site[n] = i;
        }
    }
}

/* What is open is not joined: the work does not suffice. */
static void give_up(struct ls_match *x, const struct function *f, bool *open)
{
    for (uint32_t i = f->from; i < f->to; i++) {
        if (open[i])
            ls_join_refuse(&x->join[i], LS_MATCH_LONG);
        open[i] = false;
    }
}

/* One attempt, with all open sites that have the key of site i. false: out of memory. */
static bool one_pool(struct ls_match *x, struct function *f, uint32_t i, const struct key *key, bool *open,
                     bool *done, enum level level, enum ls_isa_class class)
{
    struct pool p;
    bool made = ls_pool_make(&p, level, f->to - f->from, f->listing.n);
    if (made) {
        ls_pool_fill(&p, x, x->function_of[i], ls_join_direction_of_site(x->m->sites[i].kind), open, key,
                     level, class);
        f->given_up = false;
        bool may = (level == FUNCTION || p.n_instructions || p.n_scalars) &&
                   (level != ROW || ls_pool_follows(&p, f)) && !ls_join_contested(x, f, &p, open, key);
        bool supposed = may && ls_join_spend(x, f, (uint64_t)p.n_instructions * p.n_instructions) &&
                        ls_join_suppose_contexts(x, f, &p);
        bool solved = may && ls_join_contexts_fit(&p) && ls_join_pool(x, f, &p);
        if (supposed && !solved) {
            ls_join_drop_supposed(&p);
            solved = ls_join_contexts_fit(&p) && ls_join_pool(x, f, &p);
        }
        solved = solved || (may && ls_join_twice(x, f, &p));
        for (uint32_t k = 0; k < p.n_sites; k++) {
            done[p.site[k]] = true;
            open[p.site[k]] = !solved;
            if (!solved && f->given_up)
                ls_join_refuse(&x->join[p.site[k]], LS_MATCH_LONG);
        }
        if (may && !solved)
            ls_join_by_context(x, f, &p, open);
    }
    ls_pool_free(&p);
    return made;
}

/* One class at a time, or (`mixed`) all together, for flat accesses that became global or LDS ones. */
static void one_level(struct ls_match *x, uint32_t function, bool *open, bool *done, enum level level,
                      bool mixed)
{
    struct function *f = &x->functions[function];
    memset(&done[f->from], 0, f->to - f->from);
    for (uint32_t i = f->from; i < f->to; i++) {
        char calls[1024];
        enum ls_isa_class class = ls_join_class(&x->m->sites[i]);
        if (!open[i] || done[i] || x->function_of[i] != function || (!mixed && !class))
            continue;
        struct key key = ls_join_key(x, i, calls, sizeof calls);
        if ((level == TAG && !key.tag) || (level == MERGED && !key.merged))
            continue;
        if (!ls_join_spend(x, f, f->to - f->from + f->listing.n))
            give_up(x, f, open);
        else if (!one_pool(x, f, i, &key, open, done, level, mixed ? LS_ISA_NONE : class))
            return;
    }
}

/* Whether an access cannot be what the instruction does: a store, and it loads, or the other way round; or one of another
 * memory. Private arrays may have got into LDS. */
static bool is_other_access(const struct lanescope_site *s, const struct ls_isa_form *f)
{
    const enum direction of = ls_join_direction_of_site(s->kind), d = ls_join_direction_of(f);
    if (of != LOADS && of != STORES)
        return false;
    return of != d || (s->space != 5 && ls_join_class(s) && !f->flat &&
                       (f->class == LS_ISA_LDS) != (ls_join_class(s) == LS_ISA_LDS));
}

/* Whether the tag is that of other accesses alone. Then code generation gave a load the place of the store that its value
 * goes to, or the instruction has no place, and stands in the row of something before it that computes an address. */
static bool has_foreign_place(const struct ls_match *x, const struct function *f,
                              const struct ls_isa_instruction *n)
{
    const enum direction d = ls_join_direction_of(&n->form);
    bool known = false;
    for (uint32_t i = f->from; n->tag && (d == LOADS || d == STORES) && i < f->to; i++) {
        if (x->function_of[i] == LS_NONE || &x->functions[x->function_of[i]] != f ||
            ls_join_tag(x, i) != n->tag)
            continue;
        if (!is_other_access(&x->m->sites[i], &n->form))
            return false;
        known = true;
    }
    return known;
}

/* What is done once compares all sites with all instructions. */
static void solve_function(struct ls_match *x, uint32_t function, bool *open, bool *done)
{
    struct function *f = &x->functions[function];
    bool any = false;
    memset(f->taken, 0, f->listing.n);
    for (uint32_t i = 0; i < f->listing.n; i++) {
        f->site[i] = LS_NONE;
        f->listing.items[i].follows |= has_foreign_place(x, f, &f->listing.items[i]);
    }
    for (uint32_t i = f->from; i < f->to; i++) {
        open[i] = x->function_of[i] == function && ls_join_possible(x, i);
        any |= open[i];
        if (open[i] || (x->function_of[i] == function && ls_join_is_to_lds(x->m->sites[i].kind)))
            ls_join_forget(&x->join[i]);
    }
    if (!ls_join_spend(x, f, (uint64_t)(f->to - f->from) * f->listing.n)) {
        give_up(x, f, open);
        return;
    }
    name_private(x, f);
    ls_join_to_lds(x, f);
    ls_scalar_begin(x, f);
    for (enum level level = 0; any && level < LEVELS; level++) {
        if (level == ROW)
            ls_join_beside(x, f, open);
        one_level(x, function, open, done, level, false);
        one_level(x, function, open, done, level, true);
    }
    ls_join_apart(x, f);
    ls_join_again(x, f);
    ls_join_check(x, f);
    ls_scalar_check(x, f);
    name_arguments(x, f);
}

/* A hash of the evidence of a function's sites: without a change nothing else comes of a new attempt. */
static uint64_t evidence_of(const struct ls_match *x, const struct function *f)
{
    uint64_t h = 1;
    for (uint32_t i = f->from; i < f->to; i++) {
        const struct ls_seen *s = &x->seen[i];
        const uint64_t all[] = {s->dispatch, s->group, s->wave, s->sequence, s->exec, s->count, s->masks};
        for (unsigned k = 0; s->dispatch && k < sizeof all / sizeof *all; k++)
            h = (h ^ all[k]) * 0x9e3779b97f4a7c15ull + (h >> 29) + i;
    }
    return h;
}

/* The results of a function, to take it back to them. */
struct before {
    struct join *join;
    uint32_t *site;
    bool *taken;
};

static bool keep_results(struct before *b, const struct ls_match *x, const struct function *f)
{
    const size_t sites = f->to - f->from, n = f->listing.n;
    *b = (struct before){calloc(sites + 1, sizeof *b->join), calloc(n + 1, sizeof *b->site),
                         calloc(n + 1, sizeof *b->taken)};
    if (!b->join || !b->site || !b->taken)
        return false;
    memcpy(b->join, &x->join[f->from], sites * sizeof *b->join);
    memcpy(b->site, f->site, n * sizeof *b->site);
    memcpy(b->taken, f->taken, n * sizeof *b->taken);
    return true;
}

static void put_back(const struct before *b, struct ls_match *x, struct function *f)
{
    const size_t sites = f->to - f->from, n = f->listing.n;
    memcpy(&x->join[f->from], b->join, sites * sizeof *b->join);
    memcpy(f->site, b->site, n * sizeof *b->site);
    memcpy(f->taken, b->taken, n * sizeof *b->taken);
}

/* What the work no longer suffices for changes nothing: the results of the last time stay. */
static void solve_again(struct ls_match *x, uint32_t function, bool *open, bool *done)
{
    struct function *f = &x->functions[function];
    struct before b;
    if (keep_results(&b, x, f)) {
        solve_function(x, function, open, done);
        if (ls_join_over(x, f))
            put_back(&b, x, f);
    }
    free(b.join);
    free(b.site);
    free(b.taken);
}

void ls_match_solve(struct ls_match *x)
{
    bool *open = calloc(x->m->n_sites + 1u, sizeof *open), *done = calloc(x->m->n_sites + 1u, sizeof *done);
    for (uint32_t i = 0; open && done && i < x->n_functions; i++) {
        struct function *f = &x->functions[i];
        uint64_t evidence = evidence_of(x, f);
        if (f->joined && (evidence == f->evidence || ls_join_over(x, f)))
            continue;
        (f->joined ? solve_again : solve_function)(x, i, open, done);
        f->joined = true;
        f->evidence = evidence;
    }
    x->isa = NULL;
    x->changed = true;
    free(open);
    free(done);
}
