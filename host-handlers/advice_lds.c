/*
 * advice_lds.c - searches for a layout of an LDS array that has fewer bank conflicts.
 *
 * Sites whose address ranges overlap use one array, and a new layout changes all of them. Its row pitch is
 * taken from the data: distances of neighbouring lanes in accesses that conflict; one row of banks is tried,
 * too. For each pitch the recorded accesses are replayed with rows that are 1 to 4 dwords longer and with the
 * column XORed by the row. Small distances may be structures: these are taken apart into an array per field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "lds_site.h"
#include "models/layout_model.h"

enum { PITCHES = 4, MEMO = 256, PADS = 4, STRUCTURE_LIMIT = 64 };

/* Costs of access shapes, by site and addresses relative to the dword of the first lane: a shift of all
 * addresses by whole dwords only renames the banks. */
struct memo {
    uint64_t exec;
    uint32_t site, bytes, conflicts;
    uint32_t addr[64]; /* of active lanes, the others 0 */
};

struct search {
    struct advice *a;
    struct memo *memo;
    uint32_t *site; /* the array's */
    uint32_t n;
    uint64_t origin;
    uint64_t end;
    uint32_t align;   /* the widest access of the array in bytes: padding must keep it aligned */
    uint32_t narrow;  /* the narrowest one, at least a dword */
    uint64_t *before; /* conflict cycles per site of the dispatch, of recorded accesses */
    uint64_t total;   /* of the array */
};

struct found {
    struct ls_layout layout; /* pitch 0: nothing */
    uint64_t total;
    uint64_t *site; /* per site of the dispatch */
};

static uint32_t conflicts(struct search *s, uint32_t site, const struct lanescope_access *a,
                          const uint64_t addr[64])
{
    const struct lanescope_site *what = &s->a->dispatch->sites[site];
    const uint64_t exec = a->exec;
    const uint32_t bytes = (uint32_t)a->length;
    uint64_t base = addr[__builtin_ctzll(exec)] & ~3ull, hash = exec ^ site ^ bytes << 16;
    uint32_t relative[64] = {0};
    for (uint64_t m = exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        relative[lane] = (uint32_t)(addr[lane] - base);
        hash = (hash ^ relative[lane]) * 0x9e3779b97f4a7c15ull;
    }
    struct memo *m = &s->memo[(hash ^ hash >> 32) * 0xff51afd7ed558ccdull >> 56];
    if (m->exec != exec || m->site != site || m->bytes != bytes ||
        memcmp(m->addr, relative, sizeof relative)) {
        m->exec = exec;
        m->site = site;
        m->bytes = bytes;
        memcpy(m->addr, relative, sizeof relative);
        struct ls_lds_cost cost = lanescope_isa_of(s->a->dispatch, site)
                                      ? ls_lds_pass_cost(s->a->lds_arch, what, exec, bytes, 0, addr)
                                      : ls_lds_site_cost(s->a->lds_arch, what, exec, bytes, addr);
        m->conflicts = cost.conflict_cycles;
    }
    return m->conflicts;
}

/* LDS offsets; those of flat accesses are the low half of the aperture's addresses. */
static void lds_addresses(const struct sample_pattern *p, uint64_t addr[64])
{
    lanescope_addresses(&p->access, addr);
    for (uint64_t m = p->access.exec; m; m &= m - 1)
        addr[__builtin_ctzll(m)] &= 0xffffffffu;
}

static uint64_t sample_conflicts(struct search *s, uint32_t site)
{
    const struct sample *sample = advice_lds(s->a)[site];
    uint64_t sum = 0, addr[64];
    for (uint32_t i = 0; i < sample->n; i++) {
        lds_addresses(&sample->pattern[i], addr);
        sum += sample->pattern[i].count * conflicts(s, site, &sample->pattern[i].access, addr);
    }
    return sum;
}

/* Conflicts of one access in the new layout, which takes structures apart: an access of several fields
 * becomes one of each. */
static bool replay_access(struct search *s, const struct ls_layout *l, uint32_t site,
                          const struct sample_pattern *p, uint64_t *cycles)
{
    struct lanescope_access piece = p->access;
    uint64_t from[64], to[64], length = l->rows && piece.length > l->unit ? l->unit : piece.length;
    lds_addresses(p, from);
    *cycles = 0;
    if (piece.length % length)
        return false;
    for (uint64_t done = 0; done < p->access.length; done += length) {
        if (!ls_layout_map(l, (unsigned)length, p->access.exec, from, to))
            return false;
        piece.length = length;
        *cycles += conflicts(s, site, &piece, to);
        for (uint64_t m = p->access.exec; m; m &= m - 1)
            from[__builtin_ctzll(m)] += length;
    }
    return true;
}

/* Replays all sites of the array; false when it has no such rows, or when the layout is no better than
 * `limit`. */
static bool replay(struct search *s, const struct ls_layout *l, uint64_t limit, uint64_t *total,
                   uint64_t *per_site)
{
    *total = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct sample *sample = advice_lds(s->a)[s->site[k]];
        per_site[s->site[k]] = 0;
        for (uint32_t i = 0; i < sample->n; i++) {
            uint64_t cycles;
            if (!replay_access(s, l, s->site[k], &sample->pattern[i], &cycles))
                return false;
            per_site[s->site[k]] += sample->pattern[i].count * cycles;
        }
        *total += per_site[s->site[k]];
        if (*total >= limit)
            return false;
    }
    return true;
}

/* ---- candidates ---- */

/* Distances of neighbouring lanes in the site's conflicting accesses, weighted by conflict cycles. */
static void add_steps(struct search *s, uint32_t site, struct ls_steps *steps)
{
    const struct sample *sample = advice_lds(s->a)[site];
    for (uint32_t i = 0; i < sample->n; i++) {
        const struct sample_pattern *p = &sample->pattern[i];
        uint64_t addr[64];
        lds_addresses(p, addr);
        uint64_t weight = p->count * conflicts(s, site, &p->access, addr);
        if (weight)
            ls_steps_add(steps, p->access.exec, addr, weight);
    }
}

static struct ls_steps steps_of_array(struct search *s)
{
    struct ls_steps steps = {0};
    for (uint32_t k = 0; k < s->n; k++)
        add_steps(s, s->site[k], &steps);
    return steps;
}

static unsigned find_pitches(struct search *s, uint32_t pitch[PITCHES])
{
    struct ls_steps steps = steps_of_array(s);
    unsigned n = 0;
    for (int most; n < PITCHES - 1 && (most = ls_steps_most(&steps)) >= 0;) {
        int64_t step = steps.of[most].step;
        uint64_t size = (uint64_t)(step < 0 ? -step : step);
        steps.of[most] = steps.of[--steps.n];
        if (size >= 2 * s->align && size % s->align == 0 && size <= 1u << 16)
            pitch[n++] = (uint32_t)size;
    }
    pitch[n++] = s->a->lds_arch->read[LS_LDS_B32].banks * 4u;
    return n;
}

static void keep_better(struct search *s, struct found *best, const struct ls_layout *l, uint64_t *scratch)
{
    uint64_t total;
    if (!replay(s, l, best->total, &total, scratch))
        return;
    best->layout = *l;
    best->total = total;
    for (uint32_t k = 0; k < s->n; k++)
        best->site[s->site[k]] = scratch[s->site[k]];
}

static bool power_of_two(uint32_t x)
{
    return x && !(x & (x - 1));
}

static void search_layouts(struct search *s, struct found *pad, struct found *swizzle, uint64_t *scratch)
{
    uint32_t pitch[PITCHES];
    unsigned n = find_pitches(s, pitch);
    /* Less than half of the conflicts must remain: a chance effect on a few recorded accesses is no advice.
     */
    pad->total = swizzle->total = s->total / 2 + 1;
    for (unsigned i = 0; i < n; i++) {
        for (uint32_t dwords = 1; dwords <= PADS; dwords++)
            if (dwords * 4 % s->align == 0)
                keep_better(s, pad, &(struct ls_layout){s->origin, pitch[i], pitch[i] + dwords * 4, 0, 0},
                            scratch);
        if (pitch[i] % s->align == 0 && power_of_two(pitch[i] / s->align) && pitch[i] > s->align)
            keep_better(s, swizzle, &(struct ls_layout){s->origin, pitch[i], pitch[i], s->align, 0}, scratch);
    }
}

/* Neighbouring lanes that are a few dwords apart walk structures. */
static void search_structures(struct search *s, struct found *split, uint64_t *scratch)
{
    struct ls_steps steps = steps_of_array(s);
    split->total = s->total / 2 + 1;
    for (unsigned i = 0; i < steps.n; i++) {
        uint64_t size = (uint64_t)(steps.of[i].step < 0 ? -steps.of[i].step : steps.of[i].step);
        if (size <= s->narrow || size > STRUCTURE_LIMIT || size % s->narrow)
            continue;
        uint32_t rows = (uint32_t)((s->end - s->origin + size - 1) / size);
        keep_better(s, split, &(struct ls_layout){s->origin, (uint32_t)size, (uint32_t)size, s->narrow, rows},
                    scratch);
    }
}

/* ---- rows ---- */

static void put_change(FILE *out, const struct found *f, uint32_t site, const char *kind, const char *before)
{
    fprintf(out,
            "%s{\"kind\":\"%s\",\"pitch\":%u,\"to\":%u,\"unit\":%u,\"conflicts\":%" PRIu64
            ",\"array_conflicts\":%" PRIu64 "}",
            before, kind, f->layout.pitch, f->layout.to, f->layout.unit, f->site[site], f->total);
}

enum { PAD, XOR, SPLIT, CHANGES };

static void write_row(struct search *s, uint32_t site, const struct found found[CHANGES],
                      struct lanescope_results *r)
{
    const struct sample *sample = advice_lds(s->a)[site];
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    if (!out)
        return;
    struct ls_steps steps = {0};
    add_steps(s, site, &steps);
    fprintf(out,
            "{\"executions\":%" PRIu64 ",\"replayed\":%" PRIu64 ",\"bytes\":%u,\"conflicts\":%" PRIu64
            ",\"array_conflicts\":%" PRIu64 ",\"step\":%" PRId64 ",\"banks\":%u,\"changes\":[",
            sample->total, sample->recorded, s->a->dispatch->sites[site].bytes, s->before[site], s->total,
            advice_step(&steps), s->a->lds_arch->read[LS_LDS_B32].banks);
    static const char *const names[CHANGES] = {"pad", "xor", "split"};
    for (unsigned i = 0, n = 0; i < CHANGES; i++)
        if (found[i].layout.pitch)
            put_change(out, &found[i], site, names[i], n++ ? "," : "");
    fprintf(out, "]}");
    if (!fclose(out))
        s->a->host->row(r, "lds", site, json);
    free(json);
}

/* `scratch`: CHANGES + 1 numbers for each site of the dispatch. */
static void advise(struct search *s, uint64_t *scratch, struct lanescope_results *r)
{
    struct found found[CHANGES] = {{.total = 0}};
    for (unsigned i = 0; i < CHANGES; i++, scratch += s->a->dispatch->n_sites)
        found[i].site = scratch;
    search_layouts(s, &found[PAD], &found[XOR], scratch);
    search_structures(s, &found[SPLIT], scratch);
    for (uint32_t k = 0; k < s->n; k++)
        if (s->before[s->site[k]])
            write_row(s, s->site[k], found, r);
}

/* ---- arrays ---- */

static int by_address(const void *x, const void *y, void *samples)
{
    struct sample **s = samples;
    uint64_t a = s[*(const uint32_t *)x]->lowest, b = s[*(const uint32_t *)y]->lowest;
    return (a > b) - (a < b);
}

static uint32_t alignment_of(const struct sample *s)
{
    const uint32_t bytes = s->widest;
    return bytes > 8 ? 16 : bytes > 4 ? 8 : 4;
}

static void measure_widths(struct search *s)
{
    s->align = s->narrow = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct sample *sample = advice_lds(s->a)[s->site[k]];
        uint32_t align = alignment_of(sample);
        s->align = align > s->align ? align : s->align;
        for (uint32_t i = 0; i < sample->n; i++) {
            uint32_t bytes =
                sample->pattern[i].access.length > 4 ? (uint32_t)sample->pattern[i].access.length : 4;
            s->narrow = s->narrow && s->narrow < bytes ? s->narrow : bytes;
        }
    }
}

/* Sites in order of their lowest address; an array ends where no earlier site reaches the next one. */
static void each_array(struct search *s, uint32_t *site, uint32_t n, uint64_t *scratch,
                       struct lanescope_results *r)
{
    struct sample **sample = advice_lds(s->a);
    qsort_r(site, n, sizeof *site, by_address, sample);
    for (uint32_t i = 0, next; i < n; i = next) {
        uint64_t end = sample[site[i]]->end;
        s->site = site + i;
        s->origin = sample[site[i]]->lowest & 0xfffffff0u;
        s->total = s->before[site[i]];
        for (next = i + 1; next < n && sample[site[next]]->lowest < end; next++) {
            end = sample[site[next]]->end > end ? sample[site[next]]->end : end;
            s->total += s->before[site[next]];
        }
        s->n = next - i;
        s->end = end;
        measure_widths(s);
        if (s->total)
            advise(s, scratch, r);
    }
}

void advice_write_lds(struct advice *a, struct lanescope_results *r)
{
    uint32_t n_sites = a->dispatch->n_sites, n = 0;
    uint32_t *site = calloc(n_sites + 1, sizeof *site);
    uint64_t *before = calloc((CHANGES + 2) * n_sites + 1, sizeof *before);
    struct search s = {.a = a, .memo = calloc(MEMO, sizeof(struct memo)), .before = before};
    if (site && before && s.memo) {
        for (uint32_t i = 0; i < n_sites; i++)
            if (advice_lds(a)[i] && advice_lds(a)[i]->n) {
                site[n++] = i;
                before[i] = sample_conflicts(&s, i);
            }
        each_array(&s, site, n, before + n_sites, r);
    }
    free(s.memo);
    free(before);
    free(site);
}
