/* cover_index.c - see cover_index.h. */
#include "cover_index.h"

#include <stdlib.h>
#include <string.h>
#include "common/hash.h"

static const uint32_t NONE = LS_COVER_NONE;

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int order_hash(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* ---- sites ---- */

/* What orders sites, and by what two of them are told apart. */
struct order_of {
    const struct ls_cover_site *s;
    bool narrow; /* bytes that are not used may be left out: then it matters which these are */
};

static int same_access(const struct order_of *o, uint32_t p, uint32_t q)
{
    const struct ls_cover_site *a = &o->s[p], *b = &o->s[q];
    int c = order(a->family, b->family);
    c = c ? c : order(a->addr, b->addr);
    c = c ? c : order(a->group, b->group);
    c = c ? c : order(a->bytes, b->bytes);
    return c || !o->narrow ? c : order_hash(a->unused, b->unused);
}

static int by_place(const void *p, const void *q, void *order_of)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    int c = same_access(order_of, a, b);
    return c ? c : order(a, b);
}

static void sort_sites(struct ls_cover_index *x, const struct ls_cover_site *s, uint32_t n, bool narrow)
{
    struct order_of o = {s, narrow};
    for (uint32_t k = 0; k < n; k++) {
        x->by_place[k] = k;
        x->widest = s[k].bytes > x->widest ? s[k].bytes : x->widest;
    }
    qsort_r(x->by_place, n, sizeof *x->by_place, by_place, &o);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t here = x->by_place[k], before = k ? x->by_place[k - 1] : here;
        bool same = k && s[here].group && !same_access(&o, here, before);
        x->alike[here] = same ? x->alike[before] : here;
        x->n_families += !k || s[here].family != s[before].family;
    }
}

/* ---- tags ---- */

static int by_site_tag(const void *p, const void *q, void *sites)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    const struct ls_cover_site *s = sites;
    return s[a].tag != s[b].tag ? order(s[a].tag, s[b].tag) : order(a, b);
}

static int by_tag(const void *p, const void *q, void *instructions)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    const struct ls_cover_instruction *i = instructions;
    return i[a].tag != i[b].tag ? order(i[a].tag, i[b].tag) : order(a, b);
}

/* `scratch` has room for both. */
static void link_tags(struct ls_cover_index *x, const struct ls_cover_site *s, uint32_t ns,
                      const struct ls_cover_instruction *i, uint32_t ni, uint32_t *scratch)
{
    uint32_t *site = scratch, *instruction = scratch + ns, at = 0;
    for (uint32_t k = 0; k < ns; k++)
        site[k] = k;
    for (uint32_t k = 0; k < ni; k++)
        instruction[k] = k;
    qsort_r(site, ns, sizeof *site, by_site_tag, (void *)s);
    qsort_r(instruction, ni, sizeof *instruction, by_tag, (void *)i);
    for (uint32_t k = 0; k < ns; k++)
        x->next_site[site[k]] = k + 1 < ns && s[site[k + 1]].tag == s[site[k]].tag ? site[k + 1] : NONE;
    for (uint32_t k = 0; k < ni; k++) {
        uint32_t here = instruction[k], tag = i[here].tag, before = k ? instruction[k - 1] : here;
        while (at < ns && s[site[at]].tag < tag)
            at++;
        x->site_of_tag[here] = tag && at < ns && s[site[at]].tag == tag ? site[at] : NONE;
        x->first_of_tag[here] = k && i[before].tag == tag ? x->first_of_tag[before] : here;
        x->next_of_tag[here] = k + 1 < ni && i[instruction[k + 1]].tag == tag ? instruction[k + 1] : NONE;
    }
}

/* ---- instructions ---- */

/* What instructions are compared by. */
struct looks {
    const struct ls_cover_instruction *i;
    bool contexts; /* what is executed together with them matters: that of some site is known */
    bool shown;    /* so do the lines that they show */
};

static int same_form(const struct looks *l, uint32_t p, uint32_t q)
{
    const struct ls_cover_instruction *a = &l->i[p], *b = &l->i[q];
    int c = order(a->form.class, b->form.class);
    c = c ? c : order(a->form.flat, b->form.flat);
    c = c ? c : order(a->form.pair, b->form.pair);
    c = c ? c : order(a->form.bytes, b->form.bytes);
    c = c ? c : order(a->form.delta, b->form.delta);
    c = c ? c : order(a->line, b->line);
    c = c ? c : order(a->tag, b->tag);
    c = c ? c : order(a->barriers, b->barriers);
    c = c || !l->shown ? c : order(a->shown, b->shown);
    return c || !l->contexts ? c : order(a->context, b->context);
}

/* 0: it makes no difference to the search which of two instructions stands where. Where they stand in the
 * code matters to those with a base or a tag only, and their offsets to those with a base. */
static int same_look(const struct looks *l, uint32_t p, uint32_t q)
{
    const struct ls_cover_instruction *a = &l->i[p], *b = &l->i[q];
    int c = order_hash(a->base, b->base);
    c = c || !a->base ? c : order(a->block, b->block);
    c = c || !a->base ? c : order(ls_cover_at(a), ls_cover_at(b));
    c = c ? c : same_form(l, p, q);
    return c || !a->tag ? c : order(a->block, b->block);
}

static int by_look(const void *p, const void *q, void *looks)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    int c = same_look(looks, a, b);
    return c ? c : order(a, b);
}

static bool one_body(const struct ls_cover_instruction *a, const struct ls_cover_instruction *b)
{
    return a->base && a->base == b->base && a->block == b->block;
}

/* A base that no other instruction of the block has tells nothing. */
static void drop_single_bases(struct ls_cover_index *x, struct ls_cover_instruction *i, uint32_t n)
{
    for (uint32_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && one_body(&i[x->by_body[k]], &i[x->by_body[end]]);)
            end++;
        if (end == k + 1)
            i[x->by_body[k]].base = 0;
    }
}

static void sort_looks(struct ls_cover_index *x, struct looks *l, struct ls_cover_instruction *i, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        x->by_body[k] = k;
    qsort_r(x->by_body, n, sizeof *x->by_body, by_look, l);
    drop_single_bases(x, i, n);
    qsort_r(x->by_body, n, sizeof *x->by_body, by_look, l);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t here = x->by_body[k], before = k ? x->by_body[k - 1] : here;
        x->like[here] = k && !same_look(l, here, before) ? before : NONE;
    }
}

/* ---- bodies ---- */

/* Of members without tags: those with tags do not look the same. 0: it looks like no other. */
static uint64_t shape_of(const struct ls_cover_index *x, const struct ls_cover_body *b,
                         const struct ls_cover_instruction *i)
{
    uint64_t h = LS_HASH_BEGIN;
    for (uint32_t k = 0; k < b->n; k++) {
        const struct ls_cover_instruction *p = &i[x->by_body[b->first + k]];
        if (p->tag)
            return 0;
        h = ls_hash_word(h, (uint64_t)(ls_cover_at(p) - ls_cover_at(&i[x->by_body[b->first]])));
        h = ls_hash_word(ls_hash_word(ls_hash_word(h, p->line), p->form.bytes), p->form.pair);
    }
    return h | 1;
}

static bool same_shape(const struct ls_cover_index *x, const struct ls_cover_body *a,
                       const struct ls_cover_body *b, const struct looks *l)
{
    const struct ls_cover_instruction *i = l->i;
    if (a->n != b->n || a->shape != b->shape || !a->shape)
        return false;
    const uint32_t *p = &x->by_body[a->first], *q = &x->by_body[b->first];
    for (uint32_t k = 0; k < a->n; k++)
        if (ls_cover_at(&i[p[k]]) - ls_cover_at(&i[p[0]]) != ls_cover_at(&i[q[k]]) - ls_cover_at(&i[q[0]]) ||
            same_form(l, p[k], q[k]) || i[p[k]].shown != i[q[k]].shown)
            return false;
    return true;
}

static int by_shape(const void *p, const void *q, void *bodies)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    const struct ls_cover_body *all = bodies;
    int c = order_hash(all[a].shape, all[b].shape);
    return c ? c : order(a, b);
}

static void make_bodies(struct ls_cover_index *x, const struct looks *l, uint32_t n, uint32_t *scratch)
{
    const struct ls_cover_instruction *i = l->i;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t here = x->by_body[k];
        if (i[here].base && (!k || !one_body(&i[here], &i[x->by_body[k - 1]])))
            x->bodies[x->n_bodies++] = (struct ls_cover_body){k, 0, NONE, 0};
        x->body[here] = i[here].base ? x->n_bodies - 1 : NONE;
        if (i[here].base)
            x->bodies[x->n_bodies - 1].n++;
    }
    for (uint32_t b = 0; b < x->n_bodies; b++) {
        x->bodies[b].shape = shape_of(x, &x->bodies[b], i);
        scratch[b] = b;
    }
    qsort_r(scratch, x->n_bodies, sizeof *scratch, by_shape, x->bodies);
    for (uint32_t b = 1; b < x->n_bodies; b++)
        if (same_shape(x, &x->bodies[scratch[b - 1]], &x->bodies[scratch[b]], l))
            x->bodies[scratch[b]].twin = scratch[b - 1];
}

bool ls_cover_may_fit(struct ls_cover_site *sites, uint32_t n_sites,
                      struct ls_cover_instruction *instructions, uint32_t n_instructions, bool narrow)
{
    int64_t have = 0, want = 0, unused = 0;
    bool scalars = false;
    for (uint32_t k = 0; k < n_sites; k++) {
        sites[k].covered = 0;
        sites[k].scalar = false;
        scalars |= sites[k].may_scalar;
        want += sites[k].bytes;
        unused += narrow ? __builtin_popcountll(sites[k].unused) : 0;
        if (!sites[k].bytes || sites[k].bytes > LS_COVER_BYTES)
            return false;
    }
    for (uint32_t i = 0; i < n_instructions; i++) {
        instructions[i].used = false;
        have += instructions[i].form.bytes * (instructions[i].form.pair ? 2 : 1);
    }
    return have <= want && (scalars || have >= want - unused) && (!narrow || unused);
}

bool ls_cover_index_make(struct ls_cover_index *x, const struct ls_cover_site *sites, uint32_t n_sites,
                         struct ls_cover_instruction *instructions, uint32_t n_instructions, bool shown,
                         bool narrow)
{
    const size_t ns = n_sites, ni = n_instructions, words = 4 * ns + 7 * ni;
    *x = (struct ls_cover_index){.bodies = calloc(ni + 1, sizeof *x->bodies),
                                 .memory = calloc(words + 1, sizeof(uint32_t))};
    if (!x->bodies || !x->memory)
        return false;
    struct looks l = {.i = instructions, .shown = shown};
    uint32_t *at = x->memory, *scratch = at + 3 * ns + 6 * ni; /* for sites and instructions */
    uint32_t **const of_sites[] = {&x->by_place, &x->alike, &x->next_site};
    uint32_t **const of_instructions[] = {&x->site_of_tag, &x->first_of_tag, &x->next_of_tag,
                                          &x->like,        &x->body,         &x->by_body};
    for (unsigned k = 0; k < 3; k++, at += ns)
        *of_sites[k] = at;
    for (unsigned k = 0; k < 6; k++, at += ni)
        *of_instructions[k] = at;
    sort_sites(x, sites, n_sites, narrow);
    link_tags(x, sites, n_sites, instructions, n_instructions, scratch);
    for (uint32_t k = 0; k < n_sites; k++)
        l.contexts |= sites[k].context != 0;
    sort_looks(x, &l, instructions, n_instructions);
    make_bodies(x, &l, n_instructions, scratch);
    return true;
}

void ls_cover_index_free(struct ls_cover_index *x)
{
    free(x->bodies);
    free(x->memory);
}
