/*
 * advice_layouts.c - the layouts of an LDS array that are tried.
 *
 * What is tried is what can be written in the source. Of an array with several dimensions each but the
 * outermost may grow by some elements. An array with one dimension has the rows that the source computes:
 * their pitch is taken from the data, from distances of neighbouring lanes in accesses that conflict and one
 * row of banks, and grows by whole elements. Rows may instead keep their pitch and have the columns XORed by
 * the row's number. Of structures, which small distances may be, each can grow, or be taken apart into an
 * array per field.
 */
#include <stdlib.h>
#include <string.h>

#include "advice_lds.h"
#include "common/numbers.h"

enum { PITCHES = 4, PADS = 4, STRUCTURE_LIMIT = 64, PITCH_LIMIT = 1 << 16, COPY_LIMIT = 4096 };

/* Cycles of one access in the new layout. One that takes structures apart makes an access of several fields
 * one of each. */
static bool replay_access(struct search *s, const struct ls_layout *l, uint32_t site,
                          const struct sample_pattern *p, struct cycles *c)
{
    const uint64_t length = l->rows && p->access.length > l->unit ? l->unit : p->access.length;
    uint64_t from[64], to[64];
    advice_lds_addresses(p, from);
    *c = (struct cycles){0};
    if (p->access.length % length ||
        p->access.length > COPY_LIMIT) /* a lane that copies so much has no layout */
        return false;
    s->cut |= p->access.length / length > s->parts;
    if (s->cut)
        return false;
    s->parts -= p->access.length / length;
    for (uint64_t done = 0; done < p->access.length; done += length) {
        if (!ls_layout_map(l, (unsigned)length, p->access.exec, from, to))
            return false;
        add_cycles(c, advice_access_cycles(s, site, p->access.exec, (uint32_t)length, to), 1);
        for (uint64_t m = p->access.exec; m; m &= m - 1)
            from[__builtin_ctzll(m)] += length;
    }
    return true;
}

/* Replays all sites of the array; false when it has no such rows. */
static bool replay(struct search *s, struct candidate *c)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const struct sample *sample = advice_lds(s->a)[s->site[k]];
        for (uint32_t i = 0; i < sample->n; i++) {
            struct cycles cycles;
            if (!replay_access(s, &c->layout, s->site[k], &sample->pattern[i], &cycles))
                return false;
            add_cycles(&c->site[k], cycles, sample->pattern[i].count);
        }
        add_cycles(&c->total, c->site[k], 1);
    }
    return true;
}

/* What is written in the source is the same. */
static bool same_change(const struct candidate *a, const struct candidate *b)
{
    return a->kind == b->kind && a->dimension == b->dimension &&
           a->layout.to - a->layout.pitch == b->layout.to - b->layout.pitch &&
           a->layout.unit == b->layout.unit;
}

/* Of those that are the same change of other rows, the best one stays: these are the rows. */
static void keep(struct candidates *all, struct candidate *c)
{
    for (unsigned i = 0; i < all->n; i++) {
        struct candidate *other = &all->of[i];
        if (!same_change(other, c))
            continue;
        if (c->total.all < other->total.all) {
            struct cycles *site = other->site;
            *other = *c;
            c->site = site;
        }
        free(c->site);
        return;
    }
    if (all->n < CANDIDATES)
        all->of[all->n++] = *c;
    else
        free(c->site);
}

static void try_layout(struct search *s, struct candidates *all, enum kind kind, unsigned dimension,
                       struct ls_layout layout)
{
    struct candidate c = {kind, dimension, layout, {0}, calloc(s->n, sizeof *c.site)};
    c.layout.origin = s->origin;
    if (c.site && replay(s, &c))
        keep(all, &c);
    else
        free(c.site);
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
    uint32_t x = a, y = b;
    while (y) {
        uint32_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Rows of `pitch` bytes, which the source counts in elements. */
static void try_swizzle(struct search *s, struct candidates *all, uint32_t pitch, uint32_t rows)
{
    const uint32_t unit = s->element > s->align ? s->element : s->align;
    if (!ls_is_power_of_two(unit) || unit % s->element || pitch % unit || pitch == unit ||
        !ls_is_power_of_two(pitch / unit))
        return;
    if (s->merged &&
        unit > s->element) /* of columns XORed in the source the compiler does not make one access */
        return;
    if (rows && rows % (pitch / unit)) /* of planes that begin with another row number there is no such row */
        return;
    try_layout(s, all, XOR, 0, (struct ls_layout){.pitch = pitch, .to = pitch, .unit = unit});
}

/* ---- what the source declares ---- */

static bool is_declared(const struct lanescope_variable *v)
{
    bool known = v && v->n_dimensions > 1 && v->element;
    for (uint32_t i = 1; known && i < v->n_dimensions; i++)
        known = v->dimension[i] != 0;
    return known;
}

static void search_dimensions(struct search *s, struct candidates *all)
{
    const struct lanescope_variable *v = s->variable;
    uint64_t step = v->element; /* bytes by which one more in this dimension moves the next row */
    for (uint32_t d = v->n_dimensions - 1; d > 0; d--) {
        uint64_t pitch = step * v->dimension[d];
        if (pitch > PITCH_LIMIT)
            return;
        for (uint32_t add = 1, tried = 0; tried < PADS && add <= 16; add++)
            if (add * step % s->align == 0) {
                try_layout(
                    s, all, PAD, d,
                    (struct ls_layout){.pitch = (uint32_t)pitch, .to = (uint32_t)(pitch + add * step)});
                tried++;
            }
        if (d == v->n_dimensions - 1)
            try_swizzle(s, all, (uint32_t)pitch, d > 1 ? v->dimension[d - 1] : 0);
        step = pitch;
    }
}

/* ---- rows that the source computes ---- */

static struct ls_steps steps_of_array(struct search *s)
{
    struct ls_steps steps = {0};
    for (uint32_t k = 0; k < s->n; k++)
        advice_lds_steps(s, s->site[k], &steps);
    return steps;
}

static unsigned find_pitches(struct search *s, uint32_t pitch[PITCHES])
{
    struct ls_steps steps = steps_of_array(s);
    unsigned n = 0;
    for (int most; n < PITCHES - 1 && (most = ls_steps_most(&steps)) >= 0;) {
        const uint64_t size = ls_magnitude(steps.of[most].step);
        steps.of[most] = steps.of[--steps.n];
        if (size >= 2 * s->align && size % s->align == 0 && size <= PITCH_LIMIT)
            pitch[n++] = (uint32_t)size;
    }
    pitch[n++] = s->a->lds_gpu->lds->read[LS_LDS_B32].banks * 4u;
    return n;
}

static void search_rows(struct search *s, struct candidates *all)
{
    const uint32_t step = common_multiple(s->element, s->align);
    const bool structure = s->variable && s->variable->structure;
    /* the size of a structure is a multiple of its alignment, whatever is accessed */
    const uint32_t more = structure && s->variable->alignment > s->align ? s->variable->alignment : s->align;
    uint32_t pitch[PITCHES];
    unsigned n = find_pitches(s, pitch);
    for (unsigned i = 0; i < n; i++) {
        if (pitch[i] % s->element)
            continue;
        for (uint32_t times = 1; times <= PADS; times++)
            if (pitch[i] > s->element)
                try_layout(s, all, PAD, 0,
                           (struct ls_layout){.pitch = pitch[i], .to = pitch[i] + times * step});
            else if (structure)
                try_layout(s, all, GROW, 0,
                           (struct ls_layout){.pitch = pitch[i], .to = pitch[i] + times * more});
        try_swizzle(s, all, pitch[i], 0);
    }
}

/* ---- structures ---- */

/* Neighbouring lanes that are a few dwords apart walk structures. */
static void search_structures(struct search *s, struct candidates *all)
{
    struct ls_steps steps = steps_of_array(s);
    if (s->variable && !s->variable->structure && *s->variable->type && s->element <= s->narrow)
        return; /* there are no fields; a vector has some, when its elements are accessed */
    for (unsigned i = 0; i < steps.n; i++) {
        const uint64_t size = ls_magnitude(steps.of[i].step);
        if (size <= s->narrow || size > STRUCTURE_LIMIT || size % s->narrow)
            continue;
        if (s->variable && s->element % s->narrow == 0 && s->element > s->narrow && size != s->element)
            continue; /* the structures are of another size */
        uint32_t rows = (uint32_t)((s->end - s->origin + size - 1) / size);
        if (s->variable && s->variable->bytes)
            rows = (uint32_t)(s->variable->bytes / size);
        if (rows) /* else the variable is smaller than what would be in it */
            try_layout(s, all, SPLIT, 0,
                       (struct ls_layout){
                           .pitch = (uint32_t)size, .to = (uint32_t)size, .unit = s->narrow, .rows = rows});
    }
}

void advice_find_layouts(struct search *s, struct candidates *found)
{
    found->n = 0;
    if (is_declared(s->variable))
        search_dimensions(s, found);
    else
        search_rows(s, found);
    search_structures(s, found);
}

void advice_free_candidates(struct candidates *found)
{
    for (unsigned i = 0; i < found->n; i++)
        free(found->of[i].site);
}
