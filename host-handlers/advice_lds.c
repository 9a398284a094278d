/*
 * advice_lds.c - searches for a layout of an LDS array that needs fewer cycles.
 *
 * Sites of one variable, and sites whose address ranges overlap, use one array, and a new layout changes all
 * of them. Every layout that was replayed is written down, good or bad: a report adds up those of several
 * dispatches, which may have rows of different length.
 */
#include "advice_lds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/sites.h"
#include "lds_site.h"

enum { MEMO = 256 };

struct cycles advice_access_cycles(struct search *s, uint32_t site, uint64_t exec, uint32_t bytes,
                                   const uint64_t addr[64])
{
    const struct lanescope_site *what = &s->a->dispatch->sites[site];
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
        m->cycles = (struct cycles){cost.conflict_cycles, cost.address_conflict,
                                    cost.index_cycles + cost.address_conflict};
    }
    return m->cycles;
}

void advice_lds_addresses(const struct sample_pattern *p, uint64_t addr[64])
{
    lanescope_addresses(&p->access, addr);
    for (uint64_t m = p->access.exec; m; m &= m - 1)
        addr[__builtin_ctzll(m)] &= 0xffffffffu;
}

static struct cycles sample_cycles(struct search *s, uint32_t site)
{
    const struct sample *sample = advice_lds(s->a)[site];
    struct cycles sum = {0};
    uint64_t addr[64];
    for (uint32_t i = 0; i < sample->n; i++) {
        const struct sample_pattern *p = &sample->pattern[i];
        advice_lds_addresses(p, addr);
        add_cycles(&sum, advice_access_cycles(s, site, p->access.exec, (uint32_t)p->access.length, addr),
                   p->count);
    }
    return sum;
}

void advice_lds_steps(struct search *s, uint32_t site, struct ls_steps *steps)
{
    const struct sample *sample = advice_lds(s->a)[site];
    for (uint32_t i = 0; i < sample->n; i++) {
        const struct sample_pattern *p = &sample->pattern[i];
        uint64_t addr[64];
        advice_lds_addresses(p, addr);
        uint64_t weight =
            p->count *
            advice_access_cycles(s, site, p->access.exec, (uint32_t)p->access.length, addr).conflicts;
        if (weight)
            ls_steps_add(steps, p->access.exec, addr, weight);
    }
}

/* ---- rows ---- */

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ",\"%s\":\"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
    fputc('"', out);
}

/* What the source says of the array. */
static void put_variable(FILE *out, const struct search *s)
{
    const struct lanescope_variable *v = s->variable;
    fprintf(out, ",\"element\":%u", s->element);
    if (!v)
        return;
    put_text(out, "variable", v->name);
    put_text(out, "type", v->type);
    fprintf(out, ",\"dimensions\":[");
    for (uint32_t i = 0; i < v->n_dimensions; i++)
        fprintf(out, "%s%u", i ? "," : "", v->dimension[i]);
    fputc(']', out);
}

static void put_change(FILE *out, const struct candidate *c, uint32_t k, const char *before)
{
    static const char *const names[KINDS] = {"pad", "grow", "xor", "split"};
    fprintf(out,
            "%s{\"kind\":\"%s\",\"dimension\":%u,\"pitch\":%u,\"to\":%u,\"unit\":%u,\"conflicts\":%" PRIu64
            ",\"array_conflicts\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"array_cycles\":%" PRIu64 "}",
            before, names[c->kind], c->dimension, c->layout.pitch, c->layout.to, c->layout.unit,
            c->site[k].conflicts, c->total.conflicts, c->site[k].all, c->total.all);
}

/* Lanes that compare and swap cannot have one do it for all. */
static void put_contention(FILE *out, struct search *s, uint32_t site)
{
    if (!s->before[site].address)
        return;
    fprintf(out, ",\"address\":%" PRIu64, s->before[site].address);
    if (s->a->dispatch->sites[site].kind == LS_SITE_CMPXCHG)
        return;
    struct contention c = advice_contention(s, site);
    fprintf(out,
            ",\"aggregated\":%" PRIu64 ",\"aggregated_address\":%" PRIu64
            ",\"copies\":%u,\"copy_pitch\":%u,\"copied\":%" PRIu64 ",\"copied_address\":%" PRIu64,
            c.aggregated.all, c.aggregated.address, c.copies, c.copy_pitch, c.copied.all, c.copied.address);
}

static void write_row(struct search *s, uint32_t k, const struct candidates *found,
                      struct lanescope_results *r)
{
    const uint32_t site = s->site[k];
    const struct sample *sample = advice_lds(s->a)[site];
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    if (!out)
        return;
    struct ls_steps steps = {0};
    advice_lds_steps(s, site, &steps);
    fprintf(out,
            "{\"executions\":%" PRIu64 ",\"replayed\":%" PRIu64 ",\"bytes\":%u,\"conflicts\":%" PRIu64
            ",\"array_conflicts\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"array_cycles\":%" PRIu64
            ",\"step\":%" PRId64 ",\"banks\":%u",
            sample->total, sample->recorded, s->a->dispatch->sites[site].bytes, s->before[site].conflicts,
            s->total.conflicts, s->before[site].all, s->total.all, advice_step(&steps),
            s->a->lds_arch->read[LS_LDS_B32].banks);
    put_variable(out, s);
    put_contention(out, s, site);
    fprintf(out, ",\"changes\":[");
    for (unsigned i = 0; i < found->n; i++)
        put_change(out, &found->of[i], k, i ? "," : "");
    fprintf(out, "]}");
    if (!fclose(out))
        s->a->host->row(r, "lds", site, json);
    free(json);
}

static void advise(struct search *s, struct lanescope_results *r)
{
    struct candidates found = {0};
    if (s->total.conflicts)
        advice_find_layouts(s, &found);
    for (uint32_t k = 0; k < s->n; k++)
        if (s->before[s->site[k]].conflicts || s->before[s->site[k]].address)
            write_row(s, k, &found, r);
    advice_free_candidates(&found);
}

/* ---- arrays ---- */

static const struct lanescope_variable *variable_of(const struct search *s, uint32_t site)
{
    const struct lanescope_detail *d = lanescope_detail_of(s->a->dispatch, site);
    return d ? d->variable : NULL;
}

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
    s->align = s->narrow = s->element = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct sample *sample = advice_lds(s->a)[s->site[k]];
        uint32_t align = alignment_of(sample), bytes = s->a->dispatch->sites[s->site[k]].bytes;
        s->align = align > s->align ? align : s->align;
        s->element = s->element && s->element < bytes ? s->element : bytes;
        for (uint32_t i = 0; i < sample->n; i++) {
            uint32_t length =
                sample->pattern[i].access.length > 4 ? (uint32_t)sample->pattern[i].access.length : 4;
            s->narrow = s->narrow && s->narrow < length ? s->narrow : length;
        }
    }
    if (s->variable)
        s->element = s->variable->element;
}

/* The variable that all sites of the array are in, if it is an array; those that could not be told aside. */
static void find_variable(struct search *s)
{
    const struct lanescope_variable *found = NULL;
    bool several = false;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct lanescope_variable *v = variable_of(s, s->site[k]);
        several |= found && v && v != found;
        found = v ? v : found;
    }
    s->variable = several || !found || !found->n_dimensions ? NULL : found;
}

/* Rows are counted from the variable's address: 0 when LDS holds nothing else; else the lowest one that was
 * accessed must do, as far as variables are aligned. */
static uint64_t origin_of(const struct search *s, uint64_t lowest)
{
    const uint32_t all = s->a->dispatch->lds_bytes;
    const struct lanescope_variable *v = s->variable;
    return v && v->bytes && all < v->bytes + 16 ? 0 : lowest & 0xfffffff0u;
}

/* Sites in order of their lowest address; an array ends where no earlier site reaches the next one. */
static void each_array(struct search *s, uint32_t *site, uint32_t n, struct lanescope_results *r)
{
    struct sample **sample = advice_lds(s->a);
    qsort_r(site, n, sizeof *site, by_address, sample);
    for (uint32_t i = 0, next; i < n; i = next) {
        const struct lanescope_variable *variable = variable_of(s, site[i]);
        uint64_t end = sample[site[i]]->end;
        s->site = site + i;
        s->total = s->before[site[i]];
        for (next = i + 1; next < n; next++) {
            const struct lanescope_variable *v = variable_of(s, site[next]);
            if (sample[site[next]]->lowest >= end && !(v && v == variable))
                break;
            end = sample[site[next]]->end > end ? sample[site[next]]->end : end;
            add_cycles(&s->total, s->before[site[next]], 1);
        }
        s->n = next - i;
        s->end = end;
        find_variable(s);
        measure_widths(s);
        s->origin = origin_of(s, sample[site[i]]->lowest);
        if (s->total.conflicts || s->total.address)
            advise(s, r);
    }
}

void advice_write_lds(struct advice *a, struct lanescope_results *r)
{
    uint32_t n_sites = a->dispatch->n_sites, n = 0;
    uint32_t *site = calloc(n_sites + 1, sizeof *site);
    struct cycles *before = calloc(n_sites + 1u, sizeof *before);
    struct search s = {.a = a, .memo = calloc(MEMO, sizeof(struct memo)), .before = before};
    if (site && before && s.memo) {
        for (uint32_t i = 0; i < n_sites; i++)
            if (advice_lds(a)[i] && advice_lds(a)[i]->n) {
                site[n++] = i;
                before[i] = sample_cycles(&s, i);
            }
        each_array(&s, site, n, r);
    }
    free(s.memo);
    free(before);
    free(site);
}
