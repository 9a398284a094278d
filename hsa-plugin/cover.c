/*
 * cover.c - see cover.h. A depth-first search: the first uncovered byte must be the first byte of some unused
 * instruction. Likely forms are tried first, so that ordinary kernels need no backtracking.
 */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200000, MAX_DEPTH = 4000, TIERS = 4 };
static const uint32_t NONE = 0xffffffffu;

struct undo {
    uint32_t site;
    uint64_t covered;
};

struct search {
    struct ls_cover_site *s;
    struct ls_cover_instruction *i;
    uint32_t ns, ni, unused;
    struct undo *log;
    uint32_t n_log, room, steps, depth;
    bool contexts; /* sites have some */
    /* the first cover, and what it and a later one do */
    bool found, ambiguous;
    struct ls_cover_instruction *kept;
    bool *kept_scalar;
    uint64_t *first, *second;
};

static uint64_t bits(uint32_t from, uint32_t n)
{
    return (n >= 64 ? ~0ull : (1ull << n) - 1) << from;
}

static bool whole(const struct ls_cover_site *s)
{
    return s->covered == bits(0, s->bytes);
}

static uint32_t first_free(const struct ls_cover_site *s)
{
    return (uint32_t)__builtin_ctzll(~s->covered);
}

static bool set_covered(struct search *x, uint32_t site, uint64_t covered)
{
    if (x->n_log == x->room) {
        uint32_t room = x->room ? 2 * x->room : 64;
        struct undo *grown = realloc(x->log, room * sizeof *grown);
        if (!grown)
            return false;
        x->log = grown;
        x->room = room;
    }
    x->log[x->n_log++] = (struct undo){site, x->s[site].covered};
    x->s[site].covered = covered;
    return true;
}

static void roll_back(struct search *x, uint32_t to)
{
    while (x->n_log > to) {
        x->n_log--;
        x->s[x->log[x->n_log].site].covered = x->log[x->n_log].covered;
    }
}

static bool class_fits(const struct ls_cover_site *s, const struct ls_isa_form *f)
{
    if (s->space == 3)
        return f->class == LS_ISA_LDS;
    return (f->class == LS_ISA_VECTOR && !f->flat) || (s->space == 0 && (f->flat || f->class == LS_ISA_LDS));
}

static bool context_fits(const struct ls_cover_site *s, const struct ls_cover_instruction *i)
{
    return !s->context || s->context == i->context;
}

/* A site of the family with an uncovered byte at addr, from site number `from` on. */
static uint32_t site_at(const struct search *x, uint32_t family, int64_t addr, const struct ls_isa_form *f,
                        uint32_t from)
{
    for (uint32_t k = from; k < x->ns; k++) {
        const struct ls_cover_site *s = &x->s[k];
        int64_t at = addr - s->addr;
        if (s->family == family && at >= 0 && at < (int64_t)s->bytes && !(s->covered >> at & 1) &&
            class_fits(s, f))
            return k;
    }
    return NONE;
}

/* Covers n bytes from byte `at` of site k on, going on in neighbours of its family. */
static bool cover_bytes(struct search *x, uint32_t k, uint32_t at, uint32_t n, const struct ls_isa_form *f)
{
    while (n) {
        struct ls_cover_site *s = &x->s[k];
        uint32_t here = s->bytes - at < n ? s->bytes - at : n;
        uint64_t mask = bits(at, here);
        if (s->covered & mask || !set_covered(x, k, s->covered | mask))
            return false;
        n -= here;
        if (n && s->alone)
            return false;
        if (n) {
            int64_t next = s->addr + at + here;
            uint32_t family = s->family;
            k = site_at(x, family, next, f, 0);
            if (k == NONE)
                return false;
            at = (uint32_t)(next - x->s[k].addr);
        }
    }
    return true;
}

static unsigned tier_of(const struct ls_cover_site *s, uint32_t at, const struct ls_isa_form *f)
{
    if (at == 0 && !f->pair && f->bytes == s->bytes)
        return 0;
    if (at == 0 && f->pair && 2 * f->bytes == s->bytes && f->delta == (int32_t)f->bytes)
        return 1;
    if (at == 0 && f->pair && f->bytes == s->bytes)
        return 2;
    return 3;
}

/* Whether it makes no difference to the search which of two instructions stands where. Where they stand in
 * the code matters to those with a base or a tag only, and their offsets to those with a base. */
static bool look_the_same(const struct search *x, const struct ls_cover_instruction *a,
                          const struct ls_cover_instruction *b)
{
    const struct ls_isa_form *f = &a->form, *g = &b->form;
    return g->class == f->class && g->pair == f->pair && g->bytes == f->bytes && g->delta == f->delta &&
           a->line == b->line && a->tag == b->tag && a->base == b->base &&
           (!a->base || (ls_cover_at(a) == ls_cover_at(b) && a->block == b->block)) &&
           (!a->tag || a->block == b->block) && (!x->contexts || a->context == b->context);
}

/* An instruction that looks the same was tried at this place already. */
static bool tried(const struct search *x, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (!x->i[k].used && look_the_same(x, &x->i[k], &x->i[i]))
            return true;
    return false;
}

static int64_t address(const struct search *x, const struct ls_cover_instruction *p, unsigned part)
{
    return x->s[p->site[part]].addr + p->offset[part];
}

static uint32_t family(const struct search *x, const struct ls_cover_instruction *p, unsigned part)
{
    return x->s[p->site[part]].family;
}

/* Whether a part of it stands inside or beside bytes from, to of a family. */
static bool is_near(const struct search *x, const struct ls_cover_instruction *p, uint32_t in, int64_t from,
                    int64_t to)
{
    for (unsigned part = 0; part <= p->form.pair; part++) {
        int64_t at = address(x, p, part), end = at + p->form.bytes;
        if (family(x, p, part) == in && at <= to && end >= from)
            return true;
    }
    return false;
}

/* Whether it does a byte of site k. */
static bool serves(const struct search *x, const struct ls_cover_instruction *p, uint32_t k)
{
    const struct ls_cover_site *t = &x->s[k];
    for (unsigned part = 0; part <= p->form.pair; part++) {
        int64_t at = address(x, p, part), end = at + p->form.bytes;
        bool inside = p->offset[part] + p->form.bytes <= x->s[p->site[part]].bytes;
        if (p->site[part] == k ||
            (!inside && family(x, p, part) == t->family && at < t->addr + (int64_t)t->bytes && end > t->addr))
            return true;
    }
    return false;
}

/* The first site of the instruction's tag; NONE: there is none. */
static uint32_t site_of_tag(const struct search *x, const struct ls_cover_instruction *p)
{
    for (uint32_t k = 0; p->tag && k < x->ns; k++)
        if (x->s[k].tag == p->tag)
            return k;
    return NONE;
}

/* The instruction does a part of an access whose number it has. Code generation may have made one access of
 * that and its neighbours, and split it again: then all of its parts have the number, and stand in one row.
 */
static bool serves_its_tag(const struct search *x, uint32_t i)
{
    const struct ls_cover_instruction *p = &x->i[i];
    uint32_t first = site_of_tag(x, p);
    for (uint32_t k = first; k < x->ns; k++)
        if (x->s[k].tag == p->tag && serves(x, p, k))
            return true;
    if (first == NONE)
        return true;
    for (uint32_t k = 0; k < x->ni; k++)
        if (k != i && x->i[k].tag == p->tag && x->i[k].block == p->block &&
            family(x, p, 0) == x->s[first].family)
            return true; /* in_row() decides when all have their places */
    return false;
}

/* Widens from, to by the singles of the tag that stand beside them. */
static bool grow_row(const struct search *x, uint32_t tag, uint32_t in, int64_t *from, int64_t *to)
{
    bool grown = false;
    for (uint32_t k = 0; k < x->ni; k++) {
        const struct ls_cover_instruction *q = &x->i[k];
        int64_t at = address(x, q, 0), end = at + q->form.bytes;
        if (q->tag != tag || q->form.pair || family(x, q, 0) != in || at > *to || end < *from)
            continue;
        grown |= at < *from || end > *to;
        *from = at < *from ? at : *from;
        *to = end > *to ? end : *to;
    }
    return grown;
}

/* Whether the instruction stands in a row with others of its tag, in which the access of that tag is. */
static bool in_row(const struct search *x, const struct ls_cover_instruction *p)
{
    uint32_t first = site_of_tag(x, p);
    for (uint32_t k = first; k < x->ns; k++) {
        const struct ls_cover_site *t = &x->s[k];
        int64_t from = t->addr, to = from + t->bytes;
        if (t->tag != p->tag)
            continue;
        do
            if (is_near(x, p, t->family, from, to))
                return true;
        while (grow_row(x, p->tag, t->family, &from, &to));
    }
    return first == NONE;
}

/* Others that use the same registers stand where their offsets say. */
static bool fits_its_base(const struct search *x, uint32_t i)
{
    const struct ls_cover_instruction *p = &x->i[i];
    for (uint32_t k = 0; p->base && k < x->ni; k++) {
        const struct ls_cover_instruction *q = &x->i[k];
        if (q->used && k != i && q->base == p->base && q->block == p->block &&
            family(x, q, 0) == family(x, p, 0) &&
            address(x, p, 0) - address(x, q, 0) != ls_cover_at(p) - ls_cover_at(q))
            return false;
    }
    return true;
}

static bool solve(struct search *x);

/* The second part of pair i, whose first part stands at byte `at` of site k. */
static bool second_part(struct search *x, uint32_t i, uint32_t k, uint32_t at)
{
    const struct ls_isa_form *f = &x->i[i].form;
    const struct ls_cover_site *s = &x->s[k];
    int64_t addr = s->addr + at + f->delta;
    bool loose = s->wild && f->bytes == s->bytes;
    for (uint32_t t = 0; t < x->ns; t++) {
        uint32_t mark = x->n_log, offset = 0;
        if (loose) { /* unknown distances: any other such site */
            if (!x->s[t].wild || x->s[t].group != s->group || x->s[t].bytes != s->bytes || x->s[t].covered ||
                !class_fits(&x->s[t], f))
                continue;
        } else {
            t = site_at(x, s->family, addr, f, t);
            if (t == NONE)
                return false;
            offset = (uint32_t)(addr - x->s[t].addr);
        }
        if (!context_fits(&x->s[t], &x->i[i]) || (s->alone && t != k))
            continue;
        x->i[i].site[1] = t;
        x->i[i].offset[1] = offset;
        if (cover_bytes(x, t, offset, f->bytes, f) && serves_its_tag(x, i) && solve(x))
            return true;
        roll_back(x, mark);
    }
    return false;
}

static bool place(struct search *x, uint32_t i, uint32_t k, uint32_t at)
{
    struct ls_cover_instruction *p = &x->i[i];
    uint32_t mark = x->n_log;
    p->used = true;
    x->unused--;
    p->site[0] = p->site[1] = k;
    p->offset[0] = p->offset[1] = at;
    if (fits_its_base(x, i) && cover_bytes(x, k, at, p->form.bytes, &p->form) &&
        (p->form.pair ? second_part(x, i, k, at) : serves_its_tag(x, i) && solve(x)))
        return true;
    roll_back(x, mark);
    p->used = false;
    x->unused++;
    return false;
}

static bool try_forms(struct search *x, uint32_t k, uint32_t at)
{
    for (unsigned t = 0; t < TIERS; t++)
        for (int local = 1; local >= 0; local--)
            for (uint32_t i = 0; i < x->ni; i++) {
                const struct ls_cover_instruction *p = &x->i[i];
                uint32_t line = x->s[k].line;
                if (!p->used && (p->line == line) == local && class_fits(&x->s[k], &p->form) &&
                    context_fits(&x->s[k], p) && tier_of(&x->s[k], at, &p->form) == t && !tried(x, i) &&
                    place(x, i, k, at))
                    return true;
            }
    return false;
}

static bool as_scalar(struct search *x, uint32_t k)
{
    uint32_t mark = x->n_log;
    struct ls_cover_site *s = &x->s[k];
    if (!s->may_scalar || s->covered || !set_covered(x, k, bits(0, s->bytes)))
        return false;
    s->scalar = true;
    if (solve(x))
        return true;
    s->scalar = false;
    roll_back(x, mark);
    return false;
}

/* The lowest uncovered byte of the first family that has one. */
static uint32_t next_site(const struct search *x)
{
    uint32_t best = NONE;
    for (uint32_t k = 0; k < x->ns; k++) {
        const struct ls_cover_site *s = &x->s[k], *b = best == NONE ? NULL : &x->s[best];
        if (whole(s))
            continue;
        if (!b || s->family < b->family ||
            (s->family == b->family && s->addr + first_free(s) < b->addr + first_free(b)))
            best = k;
    }
    return best;
}

/* ---- whether there is but one cover ---- */

/* Where accesses have the same addresses at the same times, it does not matter which of them is served. */
static uint32_t first_alike(const struct search *x, uint32_t k)
{
    for (uint32_t h = 0; h < k; h++)
        if (x->s[h].group && x->s[h].group == x->s[k].group && x->s[h].family == x->s[k].family &&
            x->s[h].addr == x->s[k].addr && x->s[h].bytes == x->s[k].bytes)
            return h;
    return k;
}

/* Numbers for what the cover does to each site: widths, offsets, lines, and which part counts the
 * instruction. */
static void sign(const struct search *x, uint64_t *to)
{
    memset(to, 0, x->ns * sizeof *to);
    for (uint32_t k = 0; k < x->ns; k++)
        to[first_alike(x, k)] += x->s[k].scalar;
    for (uint32_t i = 0; i < x->ni; i++) {
        const struct ls_cover_instruction *n = &x->i[i];
        uint64_t what =
            1 + (uint64_t)n->line * 31 + (uint64_t)n->shown * 0x1003b + (uint64_t)n->tag * 0x10001;
        for (unsigned part = 0; part <= n->form.pair; part++)
            to[first_alike(x, n->site[part])] +=
                (what * 4096 + n->offset[part] + 64ull * n->form.bytes + (part ? 2048 : 0)) *
                0x9e3779b97f4a7c15ull;
    }
}

/* Keeps the first cover and lets the search go on; ends it at one that does something else. */
static bool another_cover(struct search *x)
{
    for (uint32_t i = 0; i < x->ni; i++)
        if (!in_row(x, &x->i[i]))
            return false;
    sign(x, x->found ? x->second : x->first);
    if (x->found) {
        x->ambiguous = memcmp(x->first, x->second, x->ns * sizeof *x->first) != 0;
        return x->ambiguous;
    }
    x->found = true;
    memcpy(x->kept, x->i, x->ni * sizeof *x->kept);
    for (uint32_t k = 0; k < x->ns; k++)
        x->kept_scalar[k] = x->s[k].scalar;
    return false;
}

static bool solve(struct search *x)
{
    uint32_t k = next_site(x);
    if (k == NONE)
        return x->unused == 0 && another_cover(x);
    if (++x->steps > MAX_STEPS || x->depth >= MAX_DEPTH) {
        x->ambiguous = true;
        return true;
    }
    x->depth++;
    bool found = try_forms(x, k, first_free(&x->s[k])) || as_scalar(x, k);
    x->depth--;
    return found;
}

static bool bytes_fit(struct ls_cover_site *sites, uint32_t n_sites,
                      struct ls_cover_instruction *instructions, uint32_t n_instructions)
{
    int64_t have = 0, want = 0;
    bool scalars = false;
    for (uint32_t k = 0; k < n_sites; k++) {
        sites[k].covered = 0;
        sites[k].scalar = false;
        scalars |= sites[k].may_scalar;
        want += sites[k].bytes;
        if (!sites[k].bytes || sites[k].bytes > LS_COVER_BYTES)
            return false;
    }
    for (uint32_t i = 0; i < n_instructions; i++) {
        instructions[i].used = false;
        have += instructions[i].form.bytes * (instructions[i].form.pair ? 2 : 1);
    }
    return scalars ? have <= want : have == want;
}

/* A base that no other instruction of the block has tells nothing. */
static void drop_single_bases(struct ls_cover_instruction *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool shared = false;
        for (uint32_t k = 0; k < n && !shared; k++)
            shared = k != i && all[k].base == all[i].base && all[k].block == all[i].block;
        if (!shared)
            all[i].base = 0;
    }
}

bool ls_cover(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
              uint32_t n_instructions)
{
    struct search x = {
        .s = sites, .i = instructions, .ns = n_sites, .ni = n_instructions, .unused = n_instructions};
    if (!bytes_fit(sites, n_sites, instructions, n_instructions))
        return false;
    drop_single_bases(instructions, n_instructions);
    for (uint32_t k = 0; k < n_sites; k++)
        x.contexts |= sites[k].context != 0;
    x.kept = calloc(n_instructions + 1u, sizeof *x.kept);
    x.kept_scalar = calloc(n_sites + 1u, sizeof *x.kept_scalar);
    x.first = calloc(n_sites + 1u, 2 * sizeof *x.first);
    bool memory = x.kept && x.kept_scalar && x.first;
    x.second = memory ? x.first + n_sites : NULL;
    bool found = memory && !solve(&x) && x.found && !x.ambiguous;
    if (found)
        memcpy(instructions, x.kept, n_instructions * sizeof *x.kept);
    for (uint32_t k = 0; found && k < n_sites; k++)
        sites[k].scalar = x.kept_scalar[k];
    free(x.kept);
    free(x.kept_scalar);
    free(x.first);
    free(x.log);
    return found;
}
