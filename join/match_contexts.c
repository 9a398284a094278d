/*
 * match_contexts.c - see match_parts.h. Where it is known which instructions are executed together with an access, and behind as
 * many barriers, its own is one of these. Of a pool that cannot be joined, as code generation has moved some instructions into
 * a condition, what stands at one place is joined by itself.
 */
#include "match_parts.h"

#include <stdlib.h>

static bool is_plain(const struct ls_cover_site *s)
{
    return s->line && !s->may_scalar && !s->unused;
}

/* Whether barriers tell apart what is executed equally often. */
static bool have_barriers(const struct pool *p)
{
    bool all = true;
    for (uint32_t k = 0; k < p->n_sites && all; k++)
        all = p->sites[k].barriers != 0;
    for (uint32_t i = 0; i < p->n_instructions && all; i++)
        all = p->instructions[i].barriers != 0;
    return all;
}

/* Where instructions of a pool stand, and those of sites must. */
struct here {
    uint32_t context;  /* 0, of a site: nobody knows */
    uint32_t barriers; /* 0: they tell nothing */
};

static bool site_is(const struct ls_cover_site *s, const struct here *h)
{
    return s->context == h->context && (!h->barriers || s->barriers == h->barriers);
}

static bool instruction_is(const struct ls_cover_instruction *i, const struct here *h)
{
    return i->context == h->context && (!h->barriers || i->barriers == h->barriers);
}

/* Bytes of the sites there less those of the instructions there. */
static int64_t left_over(const struct pool *p, const struct here *h)
{
    int64_t bytes = 0;
    for (uint32_t k = 0; k < p->n_sites; k++)
        bytes += site_is(&p->sites[k], h) ? p->sites[k].bytes : 0;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        if (instruction_is(&p->instructions[i], h))
            bytes -= (int64_t)p->instructions[i].form.bytes * ls_form_parts(&p->instructions[i].form);
    return bytes;
}

/*
 * Where it is not known which instructions are executed together with some sites: sites that are executed together are
 * supposed to stand in one place, and these places to follow each other as in the program. It makes no difference in what is
 * done to a site as long as the instructions of all these places do the same.
 */
enum { MAX_PLACES = 16 };

struct places {
    uint32_t *sites;        /* numbers of what is executed together, in the order of the sites */
    uint32_t *instructions; /* contexts, in the order of the code */
    uint32_t n_sites, n_instructions;
    int64_t *from; /* of each instruction: its offset, from the lowest one of its registers there */
};

static bool has(const uint32_t *all, uint32_t n, uint32_t number)
{
    for (uint32_t i = 0; i < n; i++)
        if (all[i] == number)
            return true;
    return false;
}

static bool is_site_of(const struct ls_match *x, const struct pool *p, uint32_t k, uint32_t together)
{
    return !p->sites[k].context && x->m->places[p->site[k]].together == together;
}

static void find_places(const struct ls_match *x, const struct pool *p, struct places *l)
{
    for (uint32_t k = 0; k < p->n_sites; k++) {
        const uint32_t together = x->m->places[p->site[k]].together;
        if (is_site_of(x, p, k, together) && !has(l->sites, l->n_sites, together))
            l->sites[l->n_sites++] = together;
    }
    for (uint32_t last = LS_NONE;;) {
        uint32_t next = LS_NONE;
        for (uint32_t i = 0; i < p->n_instructions; i++)
            if ((last == LS_NONE || p->instruction[i] > last) &&
                (next == LS_NONE || p->instruction[i] < p->instruction[next]))
                next = i;
        if (next == LS_NONE)
            return;
        last = p->instruction[next];
        bool known = has(l->instructions, l->n_instructions, p->instructions[next].context);
        for (uint32_t k = 0; k < p->n_sites && !known; k++)
            known = p->sites[k].context == p->instructions[next].context;
        if (!known)
            l->instructions[l->n_instructions++] = p->instructions[next].context;
    }
}

static void measure(const struct pool *p, struct places *l)
{
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_cover_instruction *one = &p->instructions[i];
        int64_t lowest = ls_cover_at(one);
        for (uint32_t k = 0; one->base && k < p->n_instructions; k++)
            if (p->instructions[k].context == one->context && p->instructions[k].base == one->base &&
                ls_cover_at(&p->instructions[k]) < lowest)
                lowest = ls_cover_at(&p->instructions[k]);
        l->from[i] = one->base ? ls_cover_at(one) - lowest : 0;
    }
}

/* How many instructions of a place do what number i does. */
static uint32_t count_like(const struct pool *p, const struct places *l, uint32_t i, uint32_t context)
{
    uint32_t n = 0;
    const struct ls_isa_form *a = &p->instructions[i].form;
    for (uint32_t k = 0; k < p->n_instructions; k++) {
        n += p->instructions[k].context == context && ls_form_like(a, &p->instructions[k].form) &&
             l->from[i] == l->from[k];
    }
    return n;
}

static bool do_the_same(const struct pool *p, const struct places *l)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const uint32_t own = p->instructions[i].context;
        for (uint32_t n = 0; n < l->n_instructions && has(l->instructions, l->n_instructions, own); n++)
            if (count_like(p, l, i, l->instructions[n]) != count_like(p, l, i, own))
                return false;
        here += own == l->instructions[0];
    }
    return here > 0;
}

/* Whether each place has as many bytes of instructions as its sites have, all in equally many loops. */
static bool are_filled(const struct ls_match *x, const struct function *f, const struct pool *p,
                       const struct places *l)
{
    for (uint32_t n = 0; n < l->n_sites; n++) {
        int64_t bytes = 0;
        uint32_t loops = LS_NONE;
        bool alike = l->sites[n] > 1;
        for (uint32_t k = 0; k < p->n_sites; k++)
            if (is_site_of(x, p, k, l->sites[n])) {
                bytes += p->sites[k].bytes;
                loops = x->m->places[p->site[k]].loops;
            }
        for (uint32_t i = 0; i < p->n_instructions; i++)
            if (p->instructions[i].context == l->instructions[n]) {
                bytes -= (int64_t)p->instructions[i].form.bytes * ls_form_parts(&p->instructions[i].form);
                alike &= f->listing.items[p->instruction[i]].loops == loops;
            }
        if (bytes || !alike || l->instructions[n] <= 1)
            return false;
    }
    return true;
}

bool ls_join_suppose_contexts(const struct ls_match *x, const struct function *f, struct pool *p)
{
    if (!x->m->places || p->level <= MERGED || ls_pool_alike(p))
        return false;
    struct places l = {calloc(p->n_sites + 1u, sizeof *l.sites),
                       calloc(p->n_instructions + 1u, sizeof *l.instructions), 0, 0,
                       calloc(p->n_instructions + 1u, sizeof *l.from)};
    bool done = false;
    if (l.sites && l.instructions && l.from) {
        find_places(x, p, &l);
        if (l.n_sites > 1 && l.n_sites <= MAX_PLACES && l.n_sites == l.n_instructions) {
            measure(p, &l);
            done = are_filled(x, f, p, &l) && do_the_same(p, &l);
        }
    }
    for (uint32_t k = 0; done && k < p->n_sites; k++)
        for (uint32_t n = 0; n < l.n_sites; n++)
            if (is_site_of(x, p, k, l.sites[n])) {
                p->sites[k].context = l.instructions[n];
                p->sites[k].supposed = true;
                break;
            }
    free(l.sites);
    free(l.instructions);
    free(l.from);
    return done;
}

void ls_join_drop_supposed(struct pool *p)
{
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (p->sites[k].supposed)
            p->sites[k].context = 0;
}

bool ls_join_contexts_fit(const struct pool *p)
{
    const bool barriers = have_barriers(p);
    for (uint32_t k = 0; p->level == FUNCTION && p->n_instructions && k < p->n_sites; k++)
        if (!is_plain(&p->sites[k]))
            return true;
    for (uint32_t k = 0; p->level == FUNCTION && p->n_instructions && k < p->n_sites; k++) {
        const struct here h = {p->sites[k].context, barriers ? p->sites[k].barriers : 0};
        if (h.context && (!k || !site_is(&p->sites[k - 1], &h)) && left_over(p, &h) > 0)
            return false;
    }
    return true;
}

/* Whether the instruction shows a line of one of the sites: what code generation has moved shows none, or another one. */
static bool shows_a_line_of(const struct pool *part, const struct ls_cover_instruction *i)
{
    for (uint32_t k = 0; k < part->n_sites; k++)
        if (part->sites[k].line == i->shown)
            return true;
    return false;
}

static void take_part(struct pool *part, const struct pool *p, const struct here *h)
{
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (site_is(&p->sites[k], h)) {
            part->site[part->n_sites] = p->site[k];
            part->sites[part->n_sites++] = p->sites[k];
        }
    for (uint32_t i = 0; i < p->n_instructions; i++)
        if (instruction_is(&p->instructions[i], h)) {
            part->instruction[part->n_instructions] = p->instruction[i];
            part->instructions[part->n_instructions++] = p->instructions[i];
        }
}

static bool join_part(struct ls_match *x, struct function *f, struct pool *part)
{
    for (uint32_t k = 0; k < part->n_sites; k++)
        if (!is_plain(&part->sites[k]))
            return false;
    for (uint32_t i = 0; i < part->n_instructions; i++)
        if (!shows_a_line_of(part, &part->instructions[i]))
            return false;
    return part->n_instructions && ls_join_pool(x, f, part);
}

static bool is_first(const struct pool *p, uint32_t k, const struct here *h)
{
    for (uint32_t i = 0; i < k; i++)
        if (site_is(&p->sites[i], h))
            return false;
    return true;
}

void ls_join_by_context(struct ls_match *x, struct function *f, const struct pool *p, bool *open)
{
    const bool barriers = have_barriers(p);
    for (uint32_t k = 0; p->level == FUNCTION && !p->n_scalars && k < p->n_sites; k++) {
        const struct here h = {p->sites[k].context, barriers ? p->sites[k].barriers : 0};
        struct pool part = {0};
        if (!h.context || !ls_join_spend(x, f, k + p->n_sites + p->n_instructions) || !is_first(p, k, &h) ||
            left_over(p, &h))
            continue;
        if (ls_pool_make(&part, p->level, p->n_sites, p->n_instructions)) {
            take_part(&part, p, &h);
            if (join_part(x, f, &part))
                for (uint32_t n = 0; n < part.n_sites; n++)
                    open[part.site[n]] = false;
        }
        ls_pool_free(&part);
    }
}
