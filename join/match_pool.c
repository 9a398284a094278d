/* match_pool.c - see match_parts.h. */
#include "match_parts.h"
#include "common/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum direction ls_join_direction_of_site(uint8_t kind)
{
    switch (kind) {
    case LS_SITE_LOAD:
    case LS_SITE_COPY_READ:
        return LOADS;
    case LS_SITE_STORE:
    case LS_SITE_COPY_WRITE:
        return STORES;
    case LS_SITE_RMW:
    case LS_SITE_CMPXCHG:
        return ATOMICS;
    default:
        return DIRECTIONS;
    }
}

enum direction ls_join_direction_of(const struct ls_isa_form *f)
{
    return f->to_lds ? DIRECTIONS : f->atomic ? ATOMICS : f->store ? STORES : LOADS;
}

bool ls_join_is_to_lds(uint8_t kind)
{
    return kind == LS_SITE_LDS_DMA_READ || kind == LS_SITE_LDS_DMA_WRITE;
}

bool ls_join_possible(const struct ls_match *x, uint32_t i)
{
    const struct lanescope_site *s = &x->m->sites[i];
    return (s->flags & LS_SITE_OBSERVED) && s->space != 5 && ls_join_direction_of_site(s->kind) != DIRECTIONS;
}

bool ls_join_same_key(const struct key *a, const struct key *b, enum level level)
{
    if (level == FUNCTION)
        return true;
    if (level == MERGED)
        return a->merged && a->merged == b->merged;
    if (a->line != b->line || strcmp(a->file, b->file))
        return false;
    if (level == LINE || level == ROW)
        return true;
    if (level == TAG)
        return a->tag && a->tag == b->tag;
    return a->column == b->column && (level == PLACE || !strcmp(a->calls, b->calls));
}

/* The first instruction of the row that number n stands in, if that one is open, too, and does the same in the same block: code
 * generation made both of accesses of one line, and their places became one. NULL: there is none. */
static const struct ls_isa_instruction *in_row_of(const struct function *f, size_t n)
{
    const struct ls_isa_instruction *i = &f->listing.items[n];
    for (size_t k = n; i->row && !i->in_clause && k-- > 0 && f->listing.items[k].row == i->row;) {
        const struct ls_isa_instruction *first = &f->listing.items[k];
        if (!first->follows)
            return !f->taken[k] && first->block == i->block && ls_form_like(&i->form, &first->form) ? first
                                                                                                    : NULL;
    }
    return NULL;
}

static struct key key_of_instruction(const struct function *f, size_t n, enum level level)
{
    const struct ls_isa_instruction *i = &f->listing.items[n];
    if (i->follows && level == ROW)
        i = in_row_of(f, n);
    if (!i || i->follows)
        return (struct key){"", 0, 0, "", 0, 0};
    return (struct key){
        i->file ? ls_base_name(i->file) : "", i->line, i->column, i->calls ? i->calls : "", i->tag, i->tag};
}

uint32_t ls_join_tag(const struct ls_match *x, uint32_t site)
{
    return x->m->places ? x->m->places[site].tag : 0;
}

/* `text` holds the calls. */
struct key ls_join_key(const struct ls_match *x, uint32_t site, char *text, size_t room)
{
    const struct lanescope_site *s = &x->m->sites[site];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t k = 1; k < s->n_frames && n < room; k++)
        n += (size_t)snprintf(text + n, room - n, "%u:%u|", s->frames[k].line, s->frames[k].column);
    if (!s->n_frames)
        return (struct key){"", 0, 0, text, 0, 0};
    return (struct key){ls_base_name(s->frames[0].file),
                        s->frames[0].line,
                        s->frames[0].column,
                        text,
                        ls_join_tag(x, site),
                        x->m->places ? x->m->places[site].merged : 0};
}

void ls_pool_free(struct pool *p)
{
    free(p->sites);
    free(p->site);
    free(p->instructions);
    free(p->instruction);
    free(p->scalars);
}

bool ls_pool_make(struct pool *p, enum level level, uint32_t n_sites, size_t n_instructions)
{
    *p = (struct pool){.level = level,
                       .sites = calloc(n_sites + 1u, sizeof *p->sites),
                       .site = calloc(n_sites + 1u, sizeof *p->site),
                       .instructions = calloc(n_instructions + 1, sizeof *p->instructions),
                       .instruction = calloc(n_instructions + 1, sizeof *p->instruction),
                       .scalars = calloc(n_instructions + 1, sizeof *p->scalars)};
    return p->sites && p->site && p->instructions && p->instruction && p->scalars;
}

static void add_instruction(struct pool *p, uint32_t number, const struct ls_isa_instruction *i)
{
    struct ls_isa_form f = i->form;
    if (f.pair && f.delta < 0) {
        f.at += f.delta;
        f.delta = -f.delta;
    }
    /* by immediate offset: parts of one access then come in its order */
    uint32_t k = p->n_instructions++;
    for (; k > 0 && p->instructions[k - 1].form.at > f.at; k--) {
        p->instructions[k] = p->instructions[k - 1];
        p->instruction[k] = p->instruction[k - 1];
    }
    p->instructions[k] =
        (struct ls_cover_instruction){.form = f,
                                      .line = i->follows ? 0 : i->line,
                                      .shown = i->line,
                                      .block = i->block,
                                      .tag = i->follows ? 0 : i->tag,
                                      .base = i->root,
                                      .shift = i->shift,
                                      .context = i->together + 1,
                                      .barriers = i->form.class == LS_ISA_LDS ? i->barriers : 0};
    p->instruction[k] = number;
}

uint32_t ls_join_context(const struct ls_match *x, uint32_t site)
{
    const struct ls_site_place *all = x->m->places;
    const uint32_t function = x->function_of[site], together = all ? all[site].together : 0;
    const struct function *f = &x->functions[function];
    uint32_t context = together == 1; /* as often as the function: see struct ls_isa_instruction */
    for (uint32_t i = f->from; together > 1 && i < f->to; i++) {
        const struct join *j = &x->join[i];
        if (x->function_of[i] != function || all[i].together != together || !j->n || j->copied || j->alike)
            continue;
        uint32_t here = f->listing.items[j->instructions[0]].around + 1;
        if (context && context != here)
            return 0;
        context = here;
    }
    return context;
}

/* Only for LDS: of what the program never writes, loads may cross a barrier. */
static uint32_t barriers_of(const struct ls_match *x, uint32_t site)
{
    return x->m->places && x->m->sites[site].space == 3 ? x->m->places[site].barriers : 0;
}

static void add_site(struct pool *p, const struct ls_match *x, uint32_t number)
{
    const struct lanescope_site *s = &x->m->sites[number];
    const struct ls_seen *seen = &x->seen[number];
    uint32_t bytes = s->bytes;
    bool uniform = s->kind == LS_SITE_LOAD && s->space != 3 && (s->flags & LS_SITE_UNIFORM);
    p->sites[p->n_sites] =
        (struct ls_cover_site){.bytes = bytes,
                               .space = s->space,
                               .line = s->n_frames ? s->frames[0].line : 0,
                               .tag = ls_join_tag(x, number),
                               .context = p->level > MERGED ? ls_join_context(x, number) : 0,
                               .barriers = p->level > MERGED ? barriers_of(x, number) : 0,
                               .unused = p->level > MERGED ? ls_join_unused(x, number) : 0,
                               .may_scalar = uniform && (!seen->dispatch || ls_evidence_uniform(seen))};
    p->site[p->n_sites++] = number;
}

/* An earlier site of the pool that k always lies *distance from: the compiler knows it, or (`evidence`) the
 * first accesses tell. LS_NONE: none. */
static uint32_t relative_of(const struct ls_match *x, const struct pool *p, uint32_t k, bool evidence,
                            int64_t *distance)
{
    const struct ls_site_place *all = x->m->places;
    const struct ls_seen *seen = &x->seen[p->site[k]];
    for (uint32_t h = 0; all && h < k; h++) {
        const struct ls_site_place *a = &all[p->site[h]], *b = &all[p->site[k]];
        if (p->sites[h].may_scalar != p->sites[k].may_scalar || !a->group || a->group != b->group ||
            a->variable != b->variable)
            continue;
        *distance = (int64_t)b->distance - a->distance;
        return h;
    }
    for (uint32_t h = 0; evidence && h < k && seen->dispatch; h++)
        if (p->sites[h].may_scalar == p->sites[k].may_scalar &&
            ls_evidence_related(&x->seen[p->site[h]], seen, distance))
            return h;
    return LS_NONE;
}

/* Whether uniform loads of the pool may have no vector instruction: scalar loads of their line are left to do
 * them. Of those of the whole function what is left of all instructions tells. */
static bool no_vector_needed(const struct pool *p)
{
    return p->n_scalars || p->level == FUNCTION;
}

/* Families: accesses at constant distances. Uniform loads come last, so that the instructions left for them
 * tell how many of them are scalar. */
void ls_pool_families(struct pool *p, const struct ls_match *x, bool evidence)
{
    for (uint32_t k = 0; k < p->n_sites; k++) {
        struct ls_cover_site *s = &p->sites[k];
        const struct ls_seen *seen = &x->seen[p->site[k]];
        const struct lanescope_site *site = &x->m->sites[p->site[k]];
        bool uniform = site->kind == LS_SITE_LOAD && site->space != 3 && (site->flags & LS_SITE_UNIFORM);
        int64_t distance;
        s->group = x->m->places ? x->m->places[p->site[k]].group : 0;
        s->unplaced = evidence && !seen->dispatch && s->group && x->m->places[p->site[k]].variable;
        s->may_scalar =
            uniform && no_vector_needed(p) && (!evidence || !seen->dispatch || ls_evidence_uniform(seen));
        uint32_t h = relative_of(x, p, k, evidence, &distance);
        s->family = h != LS_NONE ? p->sites[h].family : (s->may_scalar ? p->n_sites : 0) + k;
        s->addr = h != LS_NONE                 ? p->sites[h].addr + distance
                  : evidence && seen->dispatch ? (int64_t)seen->addr[__builtin_ctzll(seen->exec)]
                                               : 0;
    }
}

static uint32_t count_tags(const struct pool *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        bool known = !p->instructions[i].tag;
        for (uint32_t k = 0; k < i && !known; k++)
            known = p->instructions[k].tag == p->instructions[i].tag;
        n += !known;
    }
    return n;
}

/* More instructions than accesses: copies, which stand in different blocks, and have one tag. */
static bool only_copies(const struct pool *p)
{
    if (count_tags(p) > p->n_sites)
        return false;
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        uint32_t here = 0;
        for (uint32_t k = 0; k < p->n_instructions; k++)
            here += p->instructions[i].block == p->instructions[k].block;
        if (here > p->n_sites)
            return false;
    }
    return p->n_instructions % p->n_sites == 0;
}

/* Accesses without line get that of their instruction: then it matters which instruction does which. */
static bool lines_matter(const struct pool *p)
{
    bool without = false, different = false;
    for (uint32_t k = 0; k < p->n_sites; k++)
        without |= !p->sites[k].line;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        different |= p->instructions[i].shown != p->instructions[0].shown;
    return p->n_sites > 1 && without && different;
}

/* All accesses and all instructions have one form: whatever block an instruction is in, and however often the
 * back end repeated it, each access is one instruction. */
bool ls_pool_alike(const struct pool *p)
{
    if (!p->n_sites || p->n_instructions < p->n_sites || lines_matter(p))
        return false;
    for (uint32_t k = 0; k < p->n_sites; k++)
        if (p->sites[k].bytes != p->sites[0].bytes || p->sites[k].space != p->sites[0].space ||
            p->sites[k].may_scalar)
            return false;
    for (uint32_t i = 0; i < p->n_instructions; i++) {
        const struct ls_isa_form *f = &p->instructions[i].form;
        if (f->pair || f->bytes != p->sites[0].bytes || f->class != p->instructions[0].form.class ||
            f->flat != p->instructions[0].form.flat || (f->flat && p->sites[0].space != 0) ||
            (p->sites[0].space != 0 && (f->class == LS_ISA_LDS) != (p->sites[0].space == 3)))
            return false;
    }
    return p->n_instructions == p->n_sites || only_copies(p);
}

bool ls_pool_follows(const struct pool *p, const struct function *f)
{
    for (uint32_t i = 0; i < p->n_instructions; i++)
        if (f->listing.items[p->instruction[i]].follows)
            return true;
    return false;
}

/* Of a site whose address space decides it; LS_ISA_NONE for flat ones. */
enum ls_isa_class ls_join_class(const struct lanescope_site *s)
{
    return s->space == 3 ? LS_ISA_LDS : s->space ? LS_ISA_VECTOR : LS_ISA_NONE;
}

/* Takes all open sites and instructions with that key; of one class, or LS_ISA_NONE: of all. */
void ls_pool_fill(struct pool *p, const struct ls_match *x, uint32_t function, enum direction d,
                  const bool *open, const struct key *key, enum level level, enum ls_isa_class class)
{
    const struct function *f = &x->functions[function];
    for (uint32_t i = f->from; i < f->to; i++) {
        char calls[1024];
        struct key k;
        if (!open[i] || x->function_of[i] != function || ls_join_direction_of_site(x->m->sites[i].kind) != d)
            continue;
        k = ls_join_key(x, i, calls, sizeof calls);
        if ((!class || ls_join_class(&x->m->sites[i]) == class) && ls_join_same_key(&k, key, level))
            add_site(p, x, i);
    }
    for (size_t i = 0; i < f->listing.n; i++) {
        const struct ls_isa_instruction *n = &f->listing.items[i];
        struct key k = key_of_instruction(f, i, level);
        if (f->scalar[i] && d == LOADS && class != LS_ISA_LDS && ls_join_same_key(&k, key, level))
            p->scalars[p->n_scalars++] = (uint32_t)i;
        if (!f->taken[i] && (n->form.class == LS_ISA_LDS || n->form.class == LS_ISA_VECTOR) &&
            (!class || (n->form.class == class && !n->form.flat)) && ls_join_direction_of(&n->form) == d &&
            ls_join_same_key(&k, key, level))
            add_instruction(p, (uint32_t)i, n);
    }
    for (uint32_t k = 0; k < p->n_sites; k++)
        p->sites[k].may_scalar &= no_vector_needed(p);
}
