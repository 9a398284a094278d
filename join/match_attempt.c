/* match_attempt.c - see match_parts.h. */
#include "match_parts.h"

static uint32_t bytes_of(const struct pool *p)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        bytes += p->instructions[i].form.bytes * (p->instructions[i].form.pair ? 2 : 1);
    return bytes;
}

/* What the cover leaves to scalar memory. */
static uint32_t scalar_bytes(const struct pool *p)
{
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < p->n_sites; k++)
        bytes += p->sites[k].scalar ? p->sites[k].bytes : 0;
    return bytes;
}

/* Parts of one access take their addresses from the same registers, or from some that lie a constant apart.
 * An instruction that does not may stand in the line table's row of another one only because it has no place
 * of its own. */
static bool parts_agree(const struct function *f, const struct pool *p)
{
    for (uint32_t i = 0; i < p->n_instructions; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct ls_cover_instruction *c = &p->instructions[i], *d = &p->instructions[k];
            const struct ls_isa_instruction *a = &f->listing.items[p->instruction[i]];
            const struct ls_isa_instruction *b = &f->listing.items[p->instruction[k]];
            bool one_access = c->site[0] == d->site[0] || c->site[1] == d->site[1];
            int64_t apart;
            if (!one_access || a->form.store || a->block != b->block || !a->root || !b->root)
                continue;
            if (!ls_join_registers_apart(a, b, &apart) ||
                (c->site[0] == d->site[0] && apart != (int64_t)c->offset[0] - d->offset[0]))
                return false;
        }
    return true;
}

/* What an instruction may do beyond the bytes of accesses is a part of them that is not used. */
static void widen(const struct ls_match *x, struct pool *p)
{
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct ls_cover_site *s = &p->sites[k];
        uint32_t wide = ls_join_wide(&x->m->sites[p->site[k]]);
        for (; s->bytes < wide; s->bytes++)
            s->unused |= 1ull << s->bytes;
    }
}

/* With what the compiler knows (and the `evidence` of first accesses). `narrow`: see ls_cover. */
static bool find_cover(struct ls_match *x, struct function *f, struct pool *p, bool evidence, bool narrow)
{
    uint32_t bytes = 0;
    bool scalars = false, found;
    ls_pool_families(p, x, evidence);
    for (uint32_t k = 0; k < p->n_sites; k++) {
        bytes += p->sites[k].bytes;
        scalars |= p->sites[k].may_scalar;
    }
    if (!evidence && (!x->m->places || (scalars && p->n_instructions && bytes != bytes_of(p))))
        return false;
    if (narrow)
        widen(x, p);
    found = ls_join_search(x, f, p->sites, p->n_sites, p->instructions, p->n_instructions, narrow);
    for (uint32_t k = 0; k < p->n_sites; k++)
        p->sites[k].bytes = x->m->sites[p->site[k]].bytes;
    return found && parts_agree(f, p) && (p->level == FUNCTION || scalar_bytes(p) <= ls_scalar_left(f, p));
}

/* Instructions of the pool, among the first n, that look like instruction i. */
static uint32_t count_like(const struct pool *p, uint32_t i, uint32_t n)
{
    const struct ls_isa_form *f = &p->instructions[i].form;
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct ls_isa_form *g = &p->instructions[k].form;
        count += g->class == f->class && g->pair == f->pair && g->bytes == f->bytes && g->at == f->at &&
                 g->delta == f->delta;
    }
    return count;
}

/* Whether another instruction that looks like i stands in the same block: no copy, then. */
static bool shares_block(const struct pool *p, uint32_t i)
{
    for (uint32_t k = 0; k < p->n_instructions; k++)
        if (k != i && p->instructions[k].block == p->instructions[i].block &&
            p->instructions[k].form.at == p->instructions[i].form.at &&
            p->instructions[k].form.bytes == p->instructions[i].form.bytes)
            return true;
    return false;
}

/* Code generation repeats whole blocks, so each instruction of an access is there equally often. Moves all
 * but one copy of each behind the pool's end. */
static void put_copies_aside(struct pool *p)
{
    uint32_t bytes = bytes_of(p), n = p->n_instructions, kept = 0;
    uint32_t copies = p->n_sites == 1 && p->sites[0].bytes ? bytes / p->sites[0].bytes : 1;
    if (copies < 2 || bytes % p->sites[0].bytes)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t like = count_like(p, i, n);
        if (like != copies || shares_block(p, i))
            return;
        p->instructions[i].used = count_like(p, i, i) > 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ls_cover_instruction k = p->instructions[i];
        uint32_t number = p->instruction[i];
        if (k.used)
            continue;
        p->instructions[i] = p->instructions[kept];
        p->instruction[i] = p->instruction[kept];
        p->instructions[kept] = k;
        p->instruction[kept++] = number;
    }
    p->n_instructions = kept;
}

/* The numbers of the compiler plugin name the instructions of a site: one access each, no evidence needed. */
static bool try_tagged(struct ls_match *x, struct function *f, struct pool *p)
{
    if (p->n_scalars && !p->n_instructions) {
        for (uint32_t k = 0; k < p->n_sites; k++) {
            ls_join_no_vector(x, f, p, k, true);
            x->join[p->site[k]].settled = true;
        }
        return true;
    }
    if (p->n_scalars || p->n_sites != 1)
        return false;
    p->sites[0].family = 0;
    p->sites[0].addr = 0;
    p->sites[0].may_scalar = p->sites[0].unplaced = false;
    put_copies_aside(p);
    if (ls_pool_alike(p)) {
        ls_join_alike(x, p);
        return true;
    }
    bool covered = ls_join_extent(x, f, p) ||
                   ls_join_search(x, f, p->sites, p->n_sites, p->instructions, p->n_instructions, false) ||
                   ls_join_copy(x, f, p) || ls_join_narrow(x, f, p);
    if (!covered || !parts_agree(f, p) ||
        ls_join_is_shifted(x, f, p->site[0], &f->listing.items[p->instruction[0]],
                           p->instructions[0].offset[0]))
        return false;
    ls_join_cover(x, f, p);
    x->join[p->site[0]].settled = true;
    return true;
}

/* What is left has no instruction at all. */
static bool try_absent(struct ls_match *x, struct function *f, const struct pool *p)
{
    if (p->n_instructions)
        return false;
    for (uint32_t k = 0; k < p->n_sites; k++) {
        uint32_t tag = p->sites[k].tag;
        bool found = !tag;
        for (size_t i = 0; i < f->listing.n && !found; i++)
            found = f->listing.items[i].tag == tag && !f->listing.items[i].follows;
        if (found)
            continue;
        ls_join_no_vector(x, f, p, k, false);
        x->join[p->site[k]].settled = x->m->places != NULL;
    }
    return true;
}

/* The site that counts the pool's instruction: copies are counted with the one that stands for them. */
static uint32_t counted_on(const struct ls_match *x, const struct pool *p, uint32_t instruction)
{
    for (uint32_t k = 0; k < p->n_sites; k++) {
        const struct join *j = &x->join[p->site[k]];
        for (unsigned n = 0; n < j->n; n++)
            if (j->instructions[n] == instruction)
                return j->passes[n].site;
    }
    return p->n_sites ? p->site[0] : LS_NONE;
}

/* Whether all accesses of the pool have numbers, or were made of some that have. Then an instruction without one has the
 * place of something that is no access, and tells nothing: of the extension or conversion that its value is loaded for
 * (`uint32 u = bits << 16`), or of the sum that is stored. */
static bool has_tags(const struct ls_match *x, const struct pool *p)
{
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (!p->sites[k].tag && !(x->m->places && x->m->places[p->site[k]].merged))
            return false;
    return true;
}

/* In a pool of a whole function lines must tell that an instruction serves the right access. */
static bool lines_agree(const struct ls_match *x, const struct function *f, const struct pool *p)
{
    const bool tags = has_tags(x, p);
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[p->instruction[i]];
        bool agree = !n->line || n->follows || (tags && !n->tag);
        for (uint32_t k = 0; n->tag && k < p->n_sites; k++) /* the cover keeps to tags */
            agree |= p->sites[k].tag == n->tag;
        for (uint32_t k = 0; k < p->n_sites && !agree; k++) {
            const struct join *j = &x->join[p->site[k]];
            for (unsigned q = 0; q < j->n && !agree; q++)
                agree = j->instructions[q] == p->instruction[i] &&
                        (!p->sites[k].line || p->sites[k].line == n->line ||
                         j->passes[q].bytes > p->sites[k].bytes);
        }
        if (!agree)
            return false;
    }
    return true;
}

bool ls_join_pool(struct ls_match *x, struct function *f, struct pool *p)
{
    const uint64_t n = p->n_instructions, all = n + p->n_sites;
    if (!ls_join_spend(x, f, all * all))
        return false;
    if (p->level <= MERGED) {
        if (!try_tagged(x, f, p))
            return false;
    } else if (ls_pool_alike(p)) {
        ls_join_alike(x, p);
    } else {
        bool certain = false, found = false;
        for (unsigned k = 0; k < 4 && !found; k++) { /* what needs all bytes comes first */
            found = find_cover(x, f, p, k & 1, k >= 2);
            certain = found && !(k & 1);
        }
        if (found)
            ls_join_cover(x, f, p);
        else if (p->level != FUNCTION || !try_absent(x, f, p))
            return false;
        for (uint32_t k = 0; certain && k < p->n_sites; k++)
            x->join[p->site[k]].settled = true;
    }
    if (p->level == FUNCTION && !lines_agree(x, f, p)) {
        for (uint32_t k = 0; k < p->n_sites; k++)
            ls_join_forget(&x->join[p->site[k]]);
        return false;
    }
    for (uint32_t k = 0; k < p->n_sites; k++)
        x->join[p->site[k]].copied = p->n_instructions < n || (ls_pool_alike(p) && n > p->n_sites);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = p->instruction[i];
        f->taken[number] = true;
        f->site[number] = counted_on(x, p, number);
    }
    return true;
}
