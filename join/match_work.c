/*
 * match_work.c - see match_parts.h: what the joins of a function and of a module may cost. An ordinary kernel
 * needs thousands of operations, one of hundreds of unrolled accesses some millions. Where the budget ends,
 * what is not joined by then stays so, with that reason.
 */
#include "match_parts.h"

#include <stdlib.h>
#include "common/hash.h"

enum { MEGA = 1000000, LONG_SEARCH = MEGA / 10, MAX_FAILED = 256 };
enum { OF_SEARCH = 100 * MEGA, OF_FUNCTION = 300 * MEGA, OF_MODULE = 1000 * MEGA };

struct ls_work ls_join_work_of_module(void)
{
    return (struct ls_work){.left = OF_MODULE};
}

struct ls_work ls_join_work_of_function(void)
{
    return (struct ls_work){.left = OF_FUNCTION};
}

bool ls_join_spend(struct ls_match *x, struct function *f, uint64_t operations)
{
    bool left = ls_work_spend(&x->work, operations);
    return ls_work_spend(&f->work, operations) && left;
}

bool ls_join_over(const struct ls_match *x, const struct function *f)
{
    return x->work.over || f->work.over;
}

static uint64_t with_words(uint64_t h, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = ls_hash_word(h, words[i]);
    return h;
}

/* A hash of all that ls_cover looks at. */
static uint64_t hash_of(const struct ls_cover_site *sites, uint32_t n_sites,
                        const struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow)
{
    uint64_t h = ls_hash_word(ls_hash_word(n_sites, n_instructions), narrow);
    for (const struct ls_cover_site *s = sites; s < sites + n_sites; s++) {
        unsigned flags = s->unplaced | s->alone << 1 | s->may_scalar << 2 | s->space << 3;
        const uint64_t words[] = {s->family, (uint64_t)s->addr, s->bytes, s->line,  s->tag,
                                  s->group,  s->context,        flags,    s->unused};
        h = with_words(h, words, sizeof words / sizeof *words);
    }
    for (const struct ls_cover_instruction *i = instructions; i < instructions + n_instructions; i++) {
        const struct ls_isa_form *f = &i->form;
        const uint64_t words[] = {i->line,
                                  i->block,
                                  i->shown,
                                  i->tag,
                                  i->context,
                                  i->base,
                                  (uint64_t)i->shift,
                                  (uint64_t)f->at,
                                  f->bytes,
                                  (uint64_t)f->delta,
                                  f->class << 2 | f->pair << 1 | f->flat};
        h = with_words(h, words, sizeof words / sizeof *words);
    }
    return h;
}

/* The last bit tells whether the search was given up. */
static uint64_t *failed_before(const struct ls_match *x, uint64_t hash)
{
    for (uint32_t i = 0; i < x->n_failed; i++)
        if ((x->failed[i] | 1) == (hash | 1))
            return &x->failed[i];
    return NULL;
}

static void keep_failed(struct ls_match *x, uint64_t hash, bool given_up)
{
    if (!x->failed)
        x->failed = calloc(MAX_FAILED, sizeof *x->failed);
    if (x->failed && x->n_failed < MAX_FAILED)
        x->failed[x->n_failed++] = given_up ? hash | 1 : hash & ~1ull;
}

bool ls_join_search(struct ls_match *x, struct function *f, struct ls_cover_site *sites, uint32_t n_sites,
                    struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow)
{
    const uint64_t left = f->work.left < x->work.left ? f->work.left : x->work.left;
    const uint64_t limit = left < OF_SEARCH ? left : OF_SEARCH;
    const uint64_t hash = hash_of(sites, n_sites, instructions, n_instructions, narrow);
    const uint64_t *failed = failed_before(x, hash);
    struct ls_work work = {.left = limit};
    if (failed || ls_join_over(x, f)) {
        f->given_up |= !failed || *failed & 1;
        return false;
    }
    bool found = ls_cover(sites, n_sites, instructions, n_instructions, narrow, &work);
    uint64_t done = limit - work.left + work.over; /* also what was wanted and not there */
    ls_join_spend(x, f, done);
    f->given_up |= work.over;
    if (!found && done > LONG_SEARCH)
        keep_failed(x, hash, work.over);
    return found;
}
