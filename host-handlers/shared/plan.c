/* plan.c - see plan.h. */
#include "plan.h"
#include "common/vector.h"

#include <stdlib.h>
#include <string.h>

#include "lanescope/sites.h"
#include "lds_site.h"
#include "host-handlers/models/coalescing_model.h"

enum { GROUPS_MAX = 256 };

struct builder {
    const struct ls_gpu *lds; /* NULL: no model, nobody asks */
    const struct ls_gpu *cache;
    uint32_t lanes;
    uint32_t *site;  /* word of each site, by its number */
    uint32_t number; /* of the current site */
    struct ls_plan_pass *passes;
    size_t n_passes;
    struct ls_plan_shared *shared;
    size_t n_shared;
    uint32_t group_first; /* pass of the current site's leader */
    uint32_t first;       /* of the current site */
    int32_t distance;     /* of the current site from the one that leads it */
    uint64_t groups[GROUPS_MAX];
    size_t n_groups;
    bool failed; /* out of memory */
};

/* Where a width's lane groups stand in the plan; each table is put there once. */
static uint16_t place_groups(struct builder *b, const struct ls_lds_phases *p)
{
    for (size_t i = 0; i + p->n <= b->n_groups; i++)
        if (!memcmp(&b->groups[i], p->groups, p->n * sizeof p->groups[0]))
            return (uint16_t)i;
    if (b->n_groups + p->n > GROUPS_MAX) {
        b->failed = true;
        return 0;
    }
    memcpy(&b->groups[b->n_groups], p->groups, p->n * sizeof p->groups[0]);
    b->n_groups += p->n;
    return (uint16_t)(b->n_groups - p->n);
}

static bool have_pass(const struct builder *b, const struct ls_plan_pass *p)
{
    for (size_t i = b->first; i < b->n_passes; i++)
        if (b->passes[i].offset == p->offset && b->passes[i].bytes == p->bytes &&
            b->passes[i].memory == p->memory)
            return true;
    for (size_t i = 0; i < b->n_shared; i++) {
        const struct ls_plan_shared *s = &b->shared[i];
        const struct ls_plan_pass *q = &b->passes[s->pass];
        if (s->site == b->number && s->offset == p->offset && q->bytes == p->bytes && q->memory == p->memory)
            return true;
    }
    return false;
}

/* Whether addresses so far apart cost the same: whole lines in global memory; in LDS a shift by whole dwords only renames
 * banks, and whole units stay as aligned as they are. */
static bool costs_alike(const struct ls_plan_pass *p, int64_t apart)
{
    int64_t unit = LS_SUMMARY_PERIOD;
    if (p->memory == LS_PLAN_LDS)
        unit = p->bytes > 8 ? 16 : p->bytes > 4 ? 8 : LS_SUMMARY_PERIOD_LDS;
    return apart % unit == 0;
}

static bool same_instruction(const struct ls_plan_pass *p, const struct ls_plan_pass *q)
{
    return p->bytes == q->bytes && p->memory == q->memory && p->group == q->group && p->groups == q->groups &&
           p->banks == q->banks && p->atomic == q->atomic && !p->walk && !q->walk;
}

/* Of the leader's passes, and those behind it, one that costs what this one does; n_passes: none. What of a flat access
 * goes where is another matter for each. */
static size_t find_alike(const struct builder *b, const struct ls_plan_pass *p)
{
    const int64_t at = (int64_t)b->distance + p->offset;
    size_t i = p->memory & LS_PLAN_FLAT ? b->n_passes : b->group_first;
    while (i < b->n_passes && !(same_instruction(p, &b->passes[i]) &&
                                costs_alike(p, at - b->passes[i].distance - b->passes[i].offset)))
        i++;
    return i;
}

static void put_pass(struct builder *b, const struct ls_plan_pass *p)
{
    if (have_pass(b, p))
        return;
    const size_t alike = find_alike(b, p);
    if (alike < b->n_passes) {
        if (LS_ROOM(b->shared, b->n_shared))
            b->shared[b->n_shared++] = (struct ls_plan_shared){(uint32_t)alike, b->number, p->offset};
        else
            b->failed = true;
    } else if (LS_ROOM(b->passes, b->n_passes)) {
        struct ls_plan_pass *added = &b->passes[b->n_passes++];
        *added = *p;
        added->site = b->number;
        if (!p->walk)
            added->distance = b->distance;
    } else {
        b->failed = true;
    }
}

/* What of a site's lanes goes where: as the handlers see it. */
static bool may_be_global(const struct lanescope_site *s)
{
    return s->space != LANESCOPE_SPACE_LDS && s->kind != LS_SITE_LDS_DMA_WRITE;
}

static bool may_be_lds(const struct lanescope_site *s)
{
    return (s->space == LANESCOPE_SPACE_LDS || s->space == LANESCOPE_SPACE_FLAT) &&
           s->kind != LS_SITE_LDS_DMA_READ;
}

static void put_global(struct builder *b, const struct lanescope_site *s, unsigned offset, unsigned bytes)
{
    if (b->cache && may_be_global(s))
        put_pass(b, &(struct ls_plan_pass){.offset = (uint16_t)offset,
                                           .bytes = (uint8_t)bytes,
                                           .memory = LS_PLAN_GLOBAL | (s->space ? 0 : LS_PLAN_FLAT)});
}

/* `p`: what it has of its own. */
static void put_lds_pass(struct builder *b, const struct lanescope_site *s, struct ls_plan_pass p,
                         unsigned bytes)
{
    const struct ls_lds_phases *phases = ls_lds_phases_of(b->lds, s, bytes);
    p.bytes = (uint8_t)bytes;
    p.memory = LS_PLAN_LDS | (s->space ? 0 : LS_PLAN_FLAT);
    p.group = place_groups(b, phases);
    p.groups = phases->n;
    p.banks = phases->banks;
    p.atomic = ls_plan_is_atomic(s);
    put_pass(b, &p);
}

static void put_lds(struct builder *b, const struct lanescope_site *s, unsigned offset, unsigned bytes)
{
    if (b->lds && may_be_lds(s))
        put_lds_pass(b, s, (struct ls_plan_pass){.offset = (uint16_t)offset}, bytes);
}

/* The pieces that the models take an access for whose instructions are not known. */
static void put_pieces(struct builder *b, const struct lanescope_site *s)
{
    for (uint32_t done = 0, n; done < s->bytes; done += n) {
        n = ls_cache_piece(s->bytes, done);
        put_global(b, s, done, n);
    }
    for (uint32_t done = 0, n; done < s->bytes; done += n) {
        n = ls_lds_piece(s, s->bytes, done);
        put_lds(b, s, done, n);
    }
}

/* A long access: its first piece, and all others (struct ls_plan in wire.h). */
static void put_long(struct builder *b, const struct lanescope_site *s)
{
    const uint8_t step = b->lds ? (uint8_t)ls_lds_piece(s, 16, 0) : 16;
    for (unsigned offset = 0; offset <= 16; offset += 16) {
        struct ls_plan_pass p = {.offset = (uint16_t)offset, .bytes = 16, .walk = 16, .length = s->bytes};
        p.memory = LS_PLAN_GLOBAL | (s->space ? 0 : LS_PLAN_FLAT);
        if (b->cache && may_be_global(s))
            put_pass(b, &p);
        p.walk = step;
        for (unsigned bytes = 4; b->lds && may_be_lds(s) && bytes <= 16; bytes += 4)
            put_lds_pass(b, s, p, bytes);
    }
}

static bool can_plan(const struct lanescope_site *s)
{
    return s->flags & LS_SITE_OBSERVED && s->space != LANESCOPE_SPACE_PRIVATE && !LS_SITE_NO_ACCESS(s->kind);
}

/* Whatever instructions of these widths can do: they begin where the site does, or inside of it. */
static void put_candidates(struct builder *b, const struct lanescope_site *s, uint32_t widths)
{
    for (unsigned bytes = 1; bytes <= 16; bytes++)
        for (uint32_t at = 0; widths >> bytes & 1 && at < s->bytes; at += bytes < 4 ? bytes : 4) {
            put_global(b, s, at, bytes);
            put_lds(b, s, at, bytes);
        }
    put_pieces(b, s);
}

static void plan_site(struct builder *b, const struct lanescope_site *s, const struct lanescope_isa *isa,
                      uint32_t widths)
{
    const size_t first_shared = b->n_shared;
    b->first = (uint32_t)b->n_passes;
    /* The GPU would take all lanes; messages tell which they are. */
    if (isa && isa->form == LANESCOPE_ISA_ONE_LANE)
        return;
    /* The lanes on each address are not among the counters of a pass,
     * and sending costs less than reducing. */
    if (ls_plan_is_atomic(s) && may_be_global(s))
        return;
    const bool is_long = ls_plan_is_long(s);
    bool known = isa && isa->form != LANESCOPE_ISA_UNKNOWN && (is_long || !widths);
    if (is_long && !known)
        put_long(b, s);
    else if (widths && !is_long)
        put_candidates(b, s, widths);
    for (unsigned i = 0; known && i < isa->n_passes; i++) {
        put_global(b, s, isa->passes[i].offset, isa->passes[i].bytes);
        put_lds(b, s, isa->passes[i].offset, isa->passes[i].bytes);
    }
    if (!known && !widths && !is_long)
        put_pieces(b, s);
    if (b->n_passes - b->first <= LS_PLAN_SITE_MAX)
        b->site[b->number] =
            LS_PLAN_OF_SITE(b->first, b->n_passes - b->first) | (is_long && !known ? LS_PLAN_LONG_SITE : 0);
    else
        b->n_passes = b->first, b->n_shared = first_shared;
}

/* Whether the GPU finds out quickly what such a pass in LDS costs: 32 banks, and lane groups of 32 lanes, of 16 for 8 bytes, that
 * follow one another. */
static bool has_plain_groups(const struct builder *b, const struct ls_plan_pass *p)
{
    const unsigned lanes = p->bytes > 4 ? 16 : 32;
    bool plain = p->bytes <= 8 && p->banks == 32 && p->groups == b->lanes / lanes;
    for (unsigned i = 0; plain && i < p->groups; i++)
        plain = b->groups[p->group + i] == ((1ull << lanes) - 1) << i * lanes;
    return plain;
}

/* What of a site's only pass the GPU wants to read at once; false: it has not one, or one that wants more. */
static bool simple_pass(const struct builder *b, uint32_t word, uint32_t n_sites, struct ls_plan_simple *out)
{
    if (!word || word & LS_PLAN_LONG_SITE || LS_PLAN_NUMBER(word) != 1)
        return false;
    const struct ls_plan_pass *p = &b->passes[LS_PLAN_FIRST(word)];
    const uint64_t counters =
        LS_SUMMARY_COSTS(n_sites) + (uint64_t)LS_PLAN_FIRST(word) * LS_COSTS * sizeof(uint64_t);
    const int64_t distance = (int64_t)p->distance + p->offset;
    const bool in_lds = p->memory == LS_PLAN_LDS;
    if (p->walk || p->bytes & (p->bytes - 1) || counters > UINT32_MAX || distance > INT32_MAX ||
        (!in_lds && p->memory != LS_PLAN_GLOBAL))
        return false;
    if (in_lds && !has_plain_groups(b, p))
        return false;
    *out = (struct ls_plan_simple){.last = (p->bytes - 1u) | (in_lds ? LS_PLAN_SIMPLE_LDS : 0),
                                   .distance = (int32_t)distance,
                                   .counters = (uint32_t)counters,
                                   .more = in_lds ? p->atomic : b->lanes};
    return true;
}

static void write_simple(const struct builder *b, uint32_t n_sites, struct ls_plan_simple *out)
{
    for (uint32_t i = 0; i <= n_sites; i++)
        if (!i || !simple_pass(b, b->site[i - 1], n_sites, &out[i]))
            out[i] = (struct ls_plan_simple){.last = LS_PLAN_NOT_SIMPLE, .more = i && !b->site[i - 1]};
}

static int by_pass(const void *a, const void *b)
{
    const struct ls_plan_shared *x = a, *y = b;
    return (x->pass > y->pass) - (x->pass < y->pass);
}

static struct ls_plan *write_plan(const struct builder *b, uint32_t n_sites, size_t *bytes)
{
    const size_t sites = ((size_t)n_sites * sizeof *b->site + 7) & ~(size_t)7;
    const size_t passes = sizeof(struct ls_plan) + sites;
    const size_t groups = (passes + b->n_passes * sizeof *b->passes + 7) & ~(size_t)7;
    const size_t simple = groups + b->n_groups * sizeof *b->groups;
    const size_t shared = simple + (n_sites + 1ul) * sizeof(struct ls_plan_simple);
    *bytes = shared + b->n_shared * sizeof *b->shared;
    struct ls_plan *plan = calloc(1, *bytes);
    if (!plan)
        return NULL;
    *plan = (struct ls_plan){
        .n_sites = n_sites,
        .n_passes = (uint32_t)b->n_passes,
        .passes = (uint32_t)passes,
        .groups = (uint32_t)groups,
        .lanes = b->lanes,
        .simple = (uint32_t)simple,
        .shared = (uint32_t)shared,
        .n_shared = (uint32_t)b->n_shared,
    };
    memcpy(plan + 1, b->site, n_sites * sizeof *b->site);
    if (b->n_passes)
        memcpy((char *)plan + passes, b->passes, b->n_passes * sizeof *b->passes);
    memcpy((char *)plan + groups, b->groups, b->n_groups * sizeof *b->groups);
    write_simple(b, n_sites, (void *)((char *)plan + simple));
    if (b->n_shared) {
        memcpy((char *)plan + shared, b->shared, b->n_shared * sizeof *b->shared);
        qsort((char *)plan + shared, b->n_shared, sizeof *b->shared, by_pass);
    }
    return plan;
}

static void plan_one(struct builder *b, const struct ls_plan_sites *of, uint32_t site)
{
    if (can_plan(&of->sites[site]))
        plan_site(b, &of->sites[site], of->isa ? &of->isa[site] : NULL,
                  of->open ? of->open->widths(of->open->user, site) : 0);
}

/* The wavefront has one word for the access of a leader and those of its followers, whose passes stand behind its
 * own: either all of them are reduced, or all come as messages. follows: by numbers, whose leader was planned. */
static void plan_group(struct builder *b, const struct ls_plan_sites *of, uint32_t number, bool *follows)
{
    const struct ls_site_lead *lead;
    const uint32_t site = ls_site_of_number(&of->numbers, number), n = ls_followers(&of->leads, site, &lead);
    const size_t first = b->n_passes, first_shared = b->n_shared;
    b->group_first = (uint32_t)first;
    b->number = number;
    plan_one(b, of, site);
    bool all = b->site[number] != 0;
    for (uint32_t i = 0; i < n; i++) {
        b->distance = lead[i].distance;
        b->number = ls_number_of_site(&of->numbers, lead[i].follower);
        if (b->number != LS_NONE) {
            plan_one(b, of, lead[i].follower);
            follows[b->number] = true;
        }
        all &= b->number != LS_NONE && b->site[b->number];
    }
    b->distance = 0;
    if (n && all && b->n_passes - first <= LS_PLAN_SITE_MAX) {
        b->site[number] = LS_PLAN_OF_SITE(first, b->n_passes - first);
    } else if (n) {
        b->n_passes = first;
        b->n_shared = first_shared;
        b->site[number] = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t follower = ls_number_of_site(&of->numbers, lead[i].follower);
            if (follower != LS_NONE)
                b->site[follower] = 0;
        }
    }
}

struct ls_plan *ls_plan_make(const char *arch, unsigned lanes, const struct ls_plan_sites *of, size_t *bytes)
{
    const uint32_t n = of->numbers.n;
    struct builder b = {.lds = ls_gpu_in_waves(ls_gpu_with_lds(arch), lanes),
                        .cache = ls_gpu_in_waves(ls_gpu_with_cache(arch), lanes),
                        .lanes = lanes,
                        .site = calloc(n + 1u, sizeof *b.site)};
    bool *follows = calloc(n + 1u, sizeof *follows);
    struct ls_plan *plan = NULL;
    for (uint32_t i = 0; b.site && follows && !b.failed && i < n; i++)
        if (!follows[i])
            plan_group(&b, of, i, follows);
    if (b.site && follows && !b.failed && b.n_passes < LS_PLAN_PASSES_MAX)
        plan = write_plan(&b, n, bytes);
    free(follows);
    free(b.site);
    free(b.passes);
    free(b.shared);
    return plan;
}

static bool has_pass(const struct ls_plan *plan, uint32_t number, uint32_t word,
                     const struct lanescope_pass *wanted)
{
    const struct ls_plan_pass *p = (const void *)((const char *)plan + plan->passes);
    for (uint32_t i = LS_PLAN_FIRST(word); i < LS_PLAN_FIRST(word) + LS_PLAN_NUMBER(word); i++)
        if (p[i].site == number && p[i].offset == wanted->offset && p[i].bytes == wanted->bytes)
            return true;
    const struct ls_plan_shared *s = (const void *)((const char *)plan + plan->shared);
    for (uint32_t i = 0; i < plan->n_shared; i++)
        if (s[i].site == number && s[i].offset == wanted->offset && p[s[i].pass].bytes == wanted->bytes)
            return true;
    return false;
}

uint32_t ls_plan_missing(const struct ls_plan *plan, const struct ls_plan_sites *of)
{
    const uint32_t *word = (const void *)(plan + 1);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < plan->n_sites; i++) {
        const uint32_t site = ls_site_of_number(&of->numbers, i);
        const struct lanescope_isa *isa = &of->isa[site];
        bool all = !word[i] || isa->form != LANESCOPE_ISA_ONE_LANE ||
                   !LS_PLAN_NUMBER(word[i]); /* reduced: all lanes */
        for (unsigned k = 0; word[i] && isa->form == LANESCOPE_ISA_VECTOR && k < isa->n_passes; k++)
            all &= has_pass(plan, i, word[i], &isa->passes[k]);
        missing += !all && (may_be_global(&of->sites[site]) || may_be_lds(&of->sites[site]));
    }
    return missing;
}
