/*
 * match_contexts.c - see match_parts.h. Where it is known which instructions are executed together with an access, and behind as
 * many barriers, its own is one of these. Of a pool that cannot be joined, as code generation has moved some instructions into
 * a condition, what stands at one place is joined by itself.
 */
#include "match_parts.h"

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
            bytes -= (int64_t)p->instructions[i].form.bytes * (p->instructions[i].form.pair ? 2 : 1);
    return bytes;
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
