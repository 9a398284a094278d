/*
 * cover.c - see cover_search.h. A depth-first search: the first uncovered byte must be the first byte of some unused
 * instruction. Likely forms are tried first, so that ordinary kernels need no backtracking. A branch is given
 * up as soon as an instruction is left whose place is known and taken; of groups of instructions that look
 * the same only the first is tried.
 */
#include "cover_search.h"

#include <stdlib.h>
#include <string.h>
#include "common/numbers.h"
#include "common/vector.h"
#include "cover_index.h"

enum { MAX_DEPTH = 4000, TIERS = 4 };
static const uint32_t NONE = LS_COVER_NONE;

struct undo {
    uint32_t site;
    uint64_t covered;
};

/* Where a body stands in a family: each of its members there begins at `at` + ls_cover_at(member). */
struct anchor {
    uint32_t family, n; /* members that stand there */
    int64_t at;
};

struct search {
    struct ls_cover_site *s;
    struct ls_cover_instruction *i;
    struct ls_cover_index index;
    struct ls_work *work;
    uint32_t ns, ni, unused;
    bool narrow;
    enum ls_cover_aim aim;
    struct undo *log;
    uint32_t n_log, depth;
    struct anchor *anchors;       /* of a body: from its first member's place in index.by_body on */
    uint32_t *n_anchors, *n_used; /* by body */
    uint32_t cursor;              /* all sites before it in index.by_place are whole */
    /* the first cover, and what it and a later one do */
    bool found, ambiguous, agrees; /* agrees: parts_agree() holds for the one that is kept */
    struct ls_cover_instruction *kept;
    bool *kept_scalar;
    uint64_t *first, *second;
};

static bool whole(const struct ls_cover_site *s)
{
    return s->covered == ls_low_bits(s->bytes);
}

static uint32_t first_free(const struct ls_cover_site *s)
{
    return (uint32_t)__builtin_ctzll(~s->covered);
}

static bool set_covered(struct search *x, uint32_t site, uint64_t covered)
{
    if (!LS_ROOM(x->log, x->n_log))
        return false;
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
    return (!s->context || s->context == i->context) &&
           (!s->barriers || !i->barriers || s->barriers == i->barriers);
}

/* The place in index.by_place of the first site of the family that may hold bytes at addr. */
static uint32_t place_of(const struct search *x, uint32_t family, int64_t addr)
{
    uint32_t from = 0, to = x->ns;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const struct ls_cover_site *s = &x->s[x->index.by_place[middle]];
        if (s->family < family || (s->family == family && s->addr + (int64_t)x->index.widest <= addr))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A site of the family with an uncovered byte at addr, from site number `from` on. */
static uint32_t site_at(const struct search *x, uint32_t family, int64_t addr, const struct ls_isa_form *f,
                        uint32_t from)
{
    uint32_t best = NONE, p = place_of(x, family, addr), begin = p;
    for (; p < x->ns; p++) {
        uint32_t k = x->index.by_place[p];
        const struct ls_cover_site *s = &x->s[k];
        int64_t at = addr - s->addr;
        if (s->family != family || at < 0)
            break;
        if (k >= from && k < best && at < (int64_t)s->bytes && !(s->covered >> at & 1) && class_fits(s, f))
            best = k;
    }
    ls_work_spend(x->work, 1 + p - begin);
    return best;
}

/* Whether n bytes from byte `at` on may be all that an instruction does of the site: what code generation makes
 * narrower lies at multiples of its width (DAGCombiner::reduceLoadWidth in LLVM's
 * lib/CodeGen/SelectionDAG/DAGCombiner.cpp). */
static bool is_aligned(const struct search *x, const struct ls_cover_site *s, uint32_t at, uint32_t n)
{
    return !x->narrow || !s->unused || at % (n & -n) == 0;
}

/* Covers n bytes from byte `at` of site k on, going on in neighbours of its family. */
static bool cover_bytes(struct search *x, uint32_t k, uint32_t at, uint32_t n, const struct ls_isa_form *f)
{
    while (n) {
        struct ls_cover_site *s = &x->s[k];
        uint32_t here = s->bytes - at < n ? s->bytes - at : n;
        uint64_t mask = ls_low_bits(here) << at;
        if (s->covered & mask || !is_aligned(x, s, at, here) || !set_covered(x, k, s->covered | mask))
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

/* One that looks the same was tried at this place already, alone or with the others of its body. */
static bool tried(const struct search *x, uint32_t i)
{
    uint32_t body = x->index.body[i], like = x->index.like[i];
    uint32_t twin = body == NONE ? NONE : x->index.bodies[body].twin;
    return (like != NONE && !x->i[like].used) || (twin != NONE && !x->n_used[body] && !x->n_used[twin]);
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

/* The instruction does a part of an access whose number it has. Code generation may have made one access of
 * that and its neighbours, and split it again:
 * then all of its parts have the number, and stand in one row. */
static bool serves_its_tag(const struct search *x, uint32_t i)
{
    const struct ls_cover_instruction *p = &x->i[i];
    uint32_t first = x->index.site_of_tag[i];
    if (first == NONE)
        return true;
    for (uint32_t k = first; k != NONE && ls_work_spend(x->work, 1); k = x->index.next_site[k])
        if (serves(x, p, k))
            return true;
    if (family(x, p, 0) != x->s[first].family)
        return false;
    for (uint32_t k = x->index.first_of_tag[i]; k != NONE; k = x->index.next_of_tag[k])
        if (ls_work_spend(x->work, 1) && k != i && x->i[k].block == p->block)
            return true; /* in_row() decides when all have their places */
    return false;
}

/* Widens from, to by those of instruction i's tag that stand beside them: singles, and pairs of neighbours. */
static bool grow_row(const struct search *x, uint32_t i, uint32_t in, int64_t *from, int64_t *to)
{
    bool grown = false;
    for (uint32_t k = x->index.first_of_tag[i]; k != NONE; k = x->index.next_of_tag[k]) {
        const struct ls_cover_instruction *q = &x->i[k];
        int64_t at = address(x, q, 0), end = at + (int64_t)q->form.bytes * (q->form.pair ? 2 : 1);
        ls_work_spend(x->work, 1);
        if ((q->form.pair && q->form.delta != (int64_t)q->form.bytes) || family(x, q, 0) != in || at > *to ||
            end < *from)
            continue;
        grown |= at < *from || end > *to;
        *from = at < *from ? at : *from;
        *to = end > *to ? end : *to;
    }
    return grown;
}

/* Whether the instruction stands in a row with others of its tag, in which the access of that tag is. */
static bool in_row(const struct search *x, uint32_t i)
{
    uint32_t first = x->index.site_of_tag[i];
    for (uint32_t k = first; k != NONE; k = x->index.next_site[k]) {
        const struct ls_cover_site *t = &x->s[k];
        int64_t from = t->addr, to = from + t->bytes;
        do
            if (is_near(x, &x->i[i], t->family, from, to))
                return true;
        while (ls_work_spend(x->work, 1) && grow_row(x, i, t->family, &from, &to));
    }
    return first == NONE;
}

/* ---- bodies ---- */

static struct anchor *anchors_of(const struct search *x, uint32_t body)
{
    return &x->anchors[x->index.bodies[body].first];
}

/* Puts instruction i to an address of a family. false: others that use the same registers stand where their
 * offsets say that it must be elsewhere. */
static bool hold(struct search *x, uint32_t i, uint32_t in, int64_t addr)
{
    uint32_t body = x->index.body[i], k = 0;
    if (body == NONE)
        return true;
    struct anchor *all = anchors_of(x, body);
    int64_t at = addr - ls_cover_at(&x->i[i]);
    while (k < x->n_anchors[body] && all[k].family != in)
        k++;
    ls_work_spend(x->work, 1 + k);
    if (k == x->n_anchors[body])
        all[x->n_anchors[body]++] = (struct anchor){in, 0, at};
    else if (all[k].at != at)
        return false;
    all[k].n++;
    x->n_used[body]++;
    return true;
}

/* Takes it away; calls come in the opposite order of those of hold(). */
static void let_go(struct search *x, uint32_t i, uint32_t in)
{
    uint32_t body = x->index.body[i], k = 0;
    if (body == NONE)
        return;
    struct anchor *all = anchors_of(x, body);
    while (all[k].family != in)
        k++;
    x->n_used[body]--;
    if (--all[k].n == 0)
        x->n_anchors[body]--;
}

/* Whether bytes of the family from addr on are free. */
static bool is_free(const struct search *x, uint32_t in, int64_t addr, const struct ls_isa_form *f)
{
    for (int64_t end = addr + f->bytes; addr < end;) {
        uint32_t k = site_at(x, in, addr, f, 0);
        if (k == NONE)
            return false;
        addr = x->s[k].addr + (int64_t)x->s[k].bytes;
    }
    return true;
}

/* Where all sites are of one family, all members of a body have their places as soon as one has: these must
 * be free. */
static bool bodies_fit(const struct search *x)
{
    for (uint32_t b = 0; x->index.n_families == 1 && b < x->index.n_bodies; b++) {
        const struct ls_cover_body *body = &x->index.bodies[b];
        const struct anchor *a = anchors_of(x, b);
        if (!ls_work_spend(x->work, 1))
            return true;
        for (uint32_t k = 0; x->n_anchors[b] && x->n_used[b] < body->n && k < body->n; k++) {
            const struct ls_cover_instruction *p = &x->i[x->index.by_body[body->first + k]];
            if (!p->used && !is_free(x, a->family, a->at + ls_cover_at(p), &p->form))
                return false;
        }
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
    bool loose = s->unplaced && f->bytes == s->bytes;
    for (uint32_t t = 0; t < x->ns && ls_work_spend(x->work, 1); t++) {
        uint32_t mark = x->n_log, offset = 0;
        if (loose) { /* unknown distances, but those in one variable: any other such site */
            if (!x->s[t].unplaced || x->s[t].group != s->group || x->s[t].bytes != s->bytes ||
                x->s[t].covered || (x->s[t].family == s->family && x->s[t].addr != addr) ||
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
    uint32_t mark = x->n_log, in = x->s[k].family;
    if (!hold(x, i, in, x->s[k].addr + at))
        return false;
    p->used = true;
    x->unused--;
    p->site[0] = p->site[1] = k;
    p->offset[0] = p->offset[1] = at;
    if (cover_bytes(x, k, at, p->form.bytes, &p->form) &&
        (p->form.pair ? second_part(x, i, k, at) : serves_its_tag(x, i) && solve(x)))
        return true;
    roll_back(x, mark);
    let_go(x, i, in);
    p->used = false;
    x->unused++;
    return false;
}

static bool try_forms(struct search *x, uint32_t k, uint32_t at)
{
    for (unsigned t = 0; t < TIERS; t++)
        for (int local = 1; local >= 0; local--)
            for (uint32_t i = 0; i < x->ni && ls_work_spend(x->work, 1); i++) {
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
    if (!s->may_scalar || s->covered || !set_covered(x, k, ls_low_bits(s->bytes)))
        return false;
    s->scalar = true;
    if (solve(x))
        return true;
    s->scalar = false;
    roll_back(x, mark);
    return false;
}

/* Nothing does the first uncovered byte, which is not used. (There are bytes that are.) */
static bool left_out(struct search *x, uint32_t k)
{
    uint32_t mark = x->n_log;
    const struct ls_cover_site *s = &x->s[k];
    uint64_t byte = 1ull << first_free(s);
    if (!x->narrow || !(s->unused & byte) || !(ls_low_bits(s->bytes) & ~s->unused) ||
        !set_covered(x, k, s->covered | byte))
        return false;
    if (solve(x))
        return true;
    roll_back(x, mark);
    return false;
}

/* The site with the lowest uncovered byte of the first family that has one. *cursor: see struct search. */
static uint32_t next_site(const struct search *x, uint32_t *cursor)
{
    uint32_t best = NONE, p = *cursor;
    while (p < x->ns && whole(&x->s[x->index.by_place[p]]))
        p++;
    ls_work_spend(x->work, 1 + p - *cursor);
    for (*cursor = p; p < x->ns && ls_work_spend(x->work, 1); p++) {
        uint32_t k = x->index.by_place[p];
        const struct ls_cover_site *s = &x->s[k], *b = best == NONE ? NULL : &x->s[best];
        if (b && (s->family != b->family || s->addr > b->addr + (int64_t)first_free(b)))
            break;
        int64_t from = s->addr + (whole(s) ? (int64_t)s->bytes : (int64_t)first_free(s));
        int64_t lowest = b ? b->addr + (int64_t)first_free(b) : INT64_MAX;
        if (!whole(s) && (from < lowest || (from == lowest && k < best)))
            best = k;
    }
    return best;
}

/* ---- whether there is but one cover ---- */

/* Whether an instruction without line is counted as if the line that it shows were its own: on the first site
 * that it serves, which is on that line. `lined`: all sites have lines. */
static bool as_if_its_own(const struct search *x, const struct ls_cover_instruction *n, bool lined)
{
    return lined && !n->line && !n->tag && x->s[n->site[0]].line == n->shown;
}

/* Numbers for what the cover does to each site: widths, offsets, lines, and which part counts the
 * instruction. */
static void sign(const struct search *x, uint64_t *to)
{
    bool lined = true;
    ls_work_spend(x->work, x->ns + x->ni);
    memset(to, 0, x->ns * sizeof *to);
    for (uint32_t k = 0; k < x->ns; k++) {
        lined &= x->s[k].line != 0;
        /* which of those with the same addresses is served does not matter */
        to[x->index.alike[k]] += x->s[k].scalar;
    }
    for (uint32_t i = 0; i < x->ni; i++) {
        const struct ls_cover_instruction *n = &x->i[i];
        uint64_t line = as_if_its_own(x, n, lined) ? n->shown : n->line;
        uint64_t what = 1 + line * 31 + (uint64_t)n->shown * 0x1003b + (uint64_t)n->tag * 0x10001;
        for (unsigned part = 0; part <= n->form.pair; part++)
            to[x->index.alike[n->site[part]]] +=
                (what * 4096 + n->offset[part] + 64ull * n->form.bytes + (part ? 2048 : 0)) *
                0x9e3779b97f4a7c15ull;
    }
}

/* Whether parts of one load that stand in one block take their addresses from the same registers. */
static bool parts_agree(const struct search *x)
{
    for (uint32_t i = 0; i < x->ni; i++)
        for (uint32_t k = 0; k < i && ls_work_spend(x->work, 1); k++) {
            const struct ls_cover_instruction *a = &x->i[i], *b = &x->i[k];
            bool one_access = a->site[0] == b->site[0] || a->site[1] == b->site[1];
            if (one_access && !a->form.store && a->block == b->block && a->base && b->base &&
                a->base != b->base)
                return false;
        }
    return true;
}

/* Keeps the first cover and lets the search go on; ends it at one that does something else. Of those that do
 * the same, one whose parts agree is kept: which registers an address comes from does not rule a cover out,
 * so it cannot make the wrong one the only one. */
static bool another_cover(struct search *x)
{
    for (uint32_t i = 0; i < x->ni; i++)
        if (!in_row(x, i))
            return false;
    sign(x, x->found ? x->second : x->first);
    x->ambiguous = x->found && memcmp(x->first, x->second, x->ns * sizeof *x->first) != 0;
    if (x->ambiguous || x->agrees)
        return x->ambiguous;
    x->agrees = parts_agree(x);
    if (x->found && !x->agrees)
        return false;
    x->found = true;
    memcpy(x->kept, x->i, x->ni * sizeof *x->kept);
    for (uint32_t k = 0; k < x->ns; k++)
        x->kept_scalar[k] = x->s[k].scalar;
    return x->agrees && x->aim == LS_COVER_ANY;
}

static bool solve(struct search *x)
{
    uint32_t before = x->cursor, k = next_site(x, &x->cursor);
    bool found = false;
    if (x->work->over || x->depth >= MAX_DEPTH) {
        x->ambiguous = true;
        return true;
    }
    if (k == NONE) {
        found = x->unused == 0 && another_cover(x);
    } else if (bodies_fit(x)) {
        x->depth++;
        found = try_forms(x, k, first_free(&x->s[k])) || as_scalar(x, k) || left_out(x, k);
        x->depth--;
    }
    x->cursor = before;
    return found;
}

static bool begin(struct search *x)
{
    if (!ls_cover_index_make(&x->index, x->s, x->ns, x->i, x->ni, x->aim == LS_COVER_LOOSE, x->narrow))
        return false;
    x->anchors = calloc(x->ni + 1u, sizeof *x->anchors);
    x->n_anchors = calloc(x->index.n_bodies + 1u, 2 * sizeof *x->n_anchors);
    x->kept = calloc(x->ni + 1u, sizeof *x->kept);
    x->kept_scalar = calloc(x->ns + 1u, sizeof *x->kept_scalar);
    x->first = calloc(x->ns + 1u, 2 * sizeof *x->first);
    if (!x->anchors || !x->n_anchors || !x->kept || !x->kept_scalar || !x->first)
        return false;
    x->n_used = x->n_anchors + x->index.n_bodies;
    x->second = x->first + x->ns;
    return true;
}

static void end(struct search *x)
{
    ls_cover_index_free(&x->index);
    free(x->anchors);
    free(x->n_anchors);
    free(x->kept);
    free(x->kept_scalar);
    free(x->first);
    free(x->log);
}

bool ls_cover_search(struct ls_cover_site *sites, uint32_t n_sites, struct ls_cover_instruction *instructions,
                     uint32_t n_instructions, bool narrow, enum ls_cover_aim aim, struct ls_work *work)
{
    struct search x = {.s = sites,
                       .i = instructions,
                       .ns = n_sites,
                       .ni = n_instructions,
                       .unused = n_instructions,
                       .narrow = narrow,
                       .aim = aim,
                       .work = work};
    if (!ls_cover_may_fit(sites, n_sites, instructions, n_instructions, narrow))
        return false;
    bool found = begin(&x) && (!solve(&x) || aim == LS_COVER_ANY) && x.found && !x.ambiguous && !work->over;
    if (found)
        memcpy(instructions, x.kept, n_instructions * sizeof *x.kept);
    for (uint32_t k = 0; found && k < n_sites; k++)
        sites[k].scalar = x.kept_scalar[k];
    end(&x);
    return found;
}
