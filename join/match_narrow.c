/*
 * match_narrow.c - see match_parts.h. Of a load, code generation leaves out what the program does not use:
 * the load becomes narrower, or loses some of the parts it was split into. What is left lies at multiples of
 * its width, and each instruction loads something that is used (DAGCombiner::reduceLoadWidth in LLVM's
 * lib/CodeGen/SelectionDAG/DAGCombiner.cpp). All ways to place the instructions so are tried; they must do
 * the same. It may also become wider.
 */
#include "common/numbers.h"
#include "match_parts.h"

enum { MAX_INSTRUCTIONS = 8, MAX_STEPS = 20000 };

struct search {
    struct pool *p;
    uint32_t bytes, steps;
    uint64_t used;
    uint32_t offset[MAX_INSTRUCTIONS][2], found[MAX_INSTRUCTIONS][2];
    uint64_t sign;
    bool any, several;
};

uint64_t ls_join_unused(const struct ls_match *x, uint32_t site)
{
    const struct lanescope_site *s = &x->m->sites[site];
    uint32_t flags = x->m->raw[site].flags >> LS_SITE_UNUSED_SHIFT, unit = LS_SITE_UNUSED_UNIT(s->bytes);
    uint64_t unused = 0;
    if (s->kind != LS_SITE_LOAD || s->bytes > LS_COVER_BYTES)
        return 0;
    for (uint32_t k = 0; k < 16; k++)
        if (flags >> k & 1)
            unused |= ls_low_bits(unit) << k * unit;
    return unused & ls_low_bits(s->bytes);
}

/* Instructions that take their addresses from the same registers lie apart what their offsets say. */
static bool fits_bases(const struct search *x, uint32_t i)
{
    const struct ls_cover_instruction *a = &x->p->instructions[i];
    for (uint32_t k = 0; k < i; k++) {
        const struct ls_cover_instruction *b = &x->p->instructions[k];
        if (a->base && a->base == b->base && a->block == b->block &&
            ls_cover_at(a) - ls_cover_at(b) != (int64_t)x->offset[i][0] - x->offset[k][0])
            return false;
    }
    return true;
}

static void keep(struct search *x)
{
    uint64_t sign = 0;
    for (uint32_t i = 0; i < x->p->n_instructions; i++) {
        const struct ls_isa_form *f = &x->p->instructions[i].form;
        uint64_t what = (uint64_t)x->offset[i][0] << 16 | x->offset[i][1] << 8 | f->bytes;
        sign += (what << 1 | f->pair) * 0x9e3779b97f4a7c15ull;
    }
    x->several |= x->any && sign != x->sign;
    for (uint32_t i = 0; !x->any && i < x->p->n_instructions; i++)
        for (unsigned part = 0; part < 2; part++)
            x->found[i][part] = x->offset[i][part];
    x->any = true;
    x->sign = sign;
}

static void place(struct search *x, uint32_t i, uint64_t covered)
{
    if (i == x->p->n_instructions) {
        if (!(x->used & ~covered))
            keep(x);
        return;
    }
    const struct ls_isa_form *f = &x->p->instructions[i].form;
    uint32_t step = f->bytes == 12 ? 4 : f->bytes;
    for (uint32_t at = 0; step && at + f->bytes <= x->bytes; at += step) {
        uint64_t first = ls_low_bits(f->bytes) << at, second = 0;
        int64_t other = at;
        x->several |= ++x->steps > MAX_STEPS;
        if (f->pair) {
            other += f->delta;
            if (other < 0 || other % step || other + f->bytes > x->bytes)
                continue;
            second = ls_low_bits(f->bytes) << other;
        }
        x->offset[i][0] = at;
        x->offset[i][1] = (uint32_t)other;
        if (x->several || !(first & x->used) || (f->pair && !(second & x->used)) || first & second ||
            (first | second) & covered || !fits_bases(x, i))
            continue;
        place(x, i + 1, covered | first | second);
    }
}

/* Three bytes that are aligned to four: one load of four, and so on (DAGTypeLegalizer::GenWidenVectorLoads in LLVM's
 * lib/CodeGen/SelectionDAG/LegalizeVectorTypes.cpp, which goes beyond a vector as far as its alignment says that memory
 * is there). */
uint32_t ls_join_wide(const struct lanescope_site *s)
{
    enum { WIDEST = 16 };
    uint32_t wide = 1;
    if (s->kind != LS_SITE_LOAD || s->bytes > WIDEST) /* a copy may have more than half of 32 bits */
        return s->bytes;
    while (wide < s->bytes)
        wide *= 2;
    return wide <= s->align ? wide : s->bytes;
}

static bool is_wider(const struct lanescope_site *s, const struct pool *p)
{
    const struct ls_isa_form *f = &p->instructions[0].form;
    return p->n_instructions == 1 && !f->pair && f->bytes > s->bytes && f->bytes == ls_join_wide(s);
}

bool ls_join_narrow(struct ls_match *x, struct function *f, struct pool *p)
{
    const struct lanescope_site *s = &x->m->sites[p->site[0]];
    struct search search = {.p = p, .bytes = s->bytes};
    if (p->n_sites != 1 || s->kind != LS_SITE_LOAD || !s->bytes || s->bytes > LS_COVER_BYTES ||
        !p->n_instructions || p->n_instructions > MAX_INSTRUCTIONS)
        return false;
    if (is_wider(s, p)) {
        p->instructions[0].site[0] = p->instructions[0].offset[0] = 0;
        return true;
    }
    search.used = ls_low_bits(s->bytes) & ~ls_join_unused(x, p->site[0]);
    if (search.used == ls_low_bits(s->bytes))
        return false;
    place(&search, 0, 0);
    ls_join_spend(x, f, search.steps);
    if (!search.any || search.several)
        return false;
    for (uint32_t i = 0; i < p->n_instructions; i++)
        for (unsigned part = 0; part < 2; part++) {
            p->instructions[i].site[part] = 0;
            p->instructions[i].offset[part] = search.found[i][part];
        }
    return true;
}
