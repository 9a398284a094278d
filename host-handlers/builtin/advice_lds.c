/*
 * advice_lds.c - searches for a layout of an LDS array that needs fewer cycles.
 *
 * Sites of one variable, and sites whose address ranges overlap, use one array, and a new layout changes all
 * of them. Every layout that was replayed is written down, good or bad: a report adds up those of several
 * dispatches, which may have rows of different length.
 */
#include "lanescope/sdk/rows.h"
#include "advice_lds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanescope/sites.h"
#include "host-handlers/shared/lds_site.h"

/* PARTS: a few seconds of replaying, a sample of 256 accesses in 64 layouts for each of 256 sites. */
enum { MEMO = 256, PARTS = 1 << 22 };

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
                                      ? ls_lds_pass_cost(s->a->lds_gpu, what, exec, bytes, 0, addr)
                                      : ls_lds_site_cost(s->a->lds_gpu, what, exec, bytes, addr);
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

/* The distance of neighbouring lanes that explains the conflicts, where it holds, and the banks that serve such accesses. */
static void put_step(struct lanescope_json *row, struct search *s, uint32_t site)
{
    const struct lanescope_dispatch *d = s->a->dispatch;
    const unsigned lanes = advice_row(d);
    struct ls_steps steps = {0};
    advice_lds_steps(s, site, &steps);
    const int64_t step = advice_step(&steps);
    const struct advice_reach reach = advice_reach(advice_lds(s->a)[site], step, ADVICE_ADJACENT, lanes);
    const unsigned bytes = ls_lds_piece(&d->sites[site], reach.bytes ? reach.bytes : 4, 0);
    lanescope_json_integer(row, "step", step);
    lanescope_json_unsigned(row, "step_executions", reach.executions);
    lanescope_json_unsigned(row, "banks", ls_lds_phases_of(s->a->lds_gpu, &d->sites[site], bytes)->banks);
    lanescope_json_unsigned(row, "piece", bytes);
    advice_put_pairs(row, &reach, lanes);
}

/* ---- rows ---- */

/* What the source says of the array. */
static void put_variable(struct lanescope_json *row, const struct search *s)
{
    const struct lanescope_variable *v = s->variable;
    lanescope_json_unsigned(row, "element", s->element);
    if (!v)
        return;
    lanescope_json_text(row, "variable", v->name);
    lanescope_json_text(row, "type", v->type);
    lanescope_json_open(row, "dimensions", '[');
    for (uint32_t i = 0; i < v->n_dimensions; i++)
        lanescope_json_unsigned(row, NULL, v->dimension[i]);
    lanescope_json_close(row, ']');
}

static void put_change(struct lanescope_json *row, const struct candidate *c, uint32_t k)
{
    static const char *const names[KINDS] = {"pad", "grow", "xor", "split"};
    lanescope_json_open(row, NULL, '{');
    lanescope_json_text(row, "kind", names[c->kind]);
    lanescope_json_unsigned(row, "dimension", c->dimension);
    lanescope_json_unsigned(row, "pitch", c->layout.pitch);
    lanescope_json_unsigned(row, "to", c->layout.to);
    lanescope_json_unsigned(row, "unit", c->layout.unit);
    lanescope_json_unsigned(row, "conflicts", c->site[k].conflicts);
    lanescope_json_unsigned(row, "array_conflicts", c->total.conflicts);
    lanescope_json_unsigned(row, "cycles", c->site[k].all);
    lanescope_json_unsigned(row, "array_cycles", c->total.all);
    lanescope_json_close(row, '}');
}

/* Lanes that compare and swap cannot have one do it for all. */
static void put_contention(struct lanescope_json *row, struct search *s, uint32_t site)
{
    if (!s->before[site].address)
        return;
    lanescope_json_unsigned(row, "address", s->before[site].address);
    if (s->a->dispatch->sites[site].kind == LS_SITE_CMPXCHG)
        return;
    struct contention c = advice_contention(s, site);
    lanescope_json_unsigned(row, "aggregated", c.aggregated.all);
    lanescope_json_unsigned(row, "aggregated_address", c.aggregated.address);
    lanescope_json_unsigned(row, "copies", c.copies);
    lanescope_json_unsigned(row, "copy_pitch", c.copy_pitch);
    lanescope_json_unsigned(row, "copied", c.copied.all);
    lanescope_json_unsigned(row, "copied_address", c.copied.address);
}

/* Bytes of the source's access; of a copy of any length those that an instruction moves. */
static uint32_t width_of(const struct search *s, uint32_t site)
{
    const uint32_t bytes = s->a->dispatch->sites[site].bytes;
    return bytes ? bytes : advice_lds(s->a)[site]->widest;
}

static void write_row(struct search *s, uint32_t k, const struct candidates *found,
                      struct lanescope_results *r)
{
    const uint32_t site = s->site[k];
    const struct sample *sample = advice_lds(s->a)[site];
    struct lanescope_json row;
    lanescope_json_begin(&row);
    lanescope_json_unsigned(&row, "executions", sample->total);
    lanescope_json_unsigned(&row, "replayed", sample->recorded);
    lanescope_json_unsigned(&row, "bytes", width_of(s, site));
    lanescope_json_unsigned(&row, "conflicts", s->before[site].conflicts);
    lanescope_json_unsigned(&row, "array_conflicts", s->total.conflicts);
    lanescope_json_unsigned(&row, "cycles", s->before[site].all);
    lanescope_json_unsigned(&row, "array_cycles", s->total.all);
    put_step(&row, s, site);
    lanescope_json_unsigned(&row, "narrowest", s->narrowest);
    put_variable(&row, s);
    put_contention(&row, s, site);
    lanescope_json_open(&row, "changes", '[');
    for (unsigned i = 0; i < found->n; i++)
        put_change(&row, &found->of[i], k);
    lanescope_json_close(&row, ']');
    lanescope_json_end(&row, s->a->host, r, "lds", site);
}

static void advise(struct search *s, struct lanescope_results *r)
{
    struct candidates found = {0};
    if (s->total.conflicts)
        advice_find_layouts(s, &found);
    for (uint32_t k = 0; k < s->n; k++) /* also those without: they may stand on the line of another one */
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
    s->merged = false;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct sample *sample = advice_lds(s->a)[s->site[k]];
        uint32_t align = alignment_of(sample), bytes = width_of(s, s->site[k]);
        s->align = align > s->align ? align : s->align;
        s->element = s->element && s->element < bytes ? s->element : bytes;
        s->merged |= (s->a->dispatch->sites[s->site[k]].flags & LS_SITE_MERGED) != 0;
        for (uint32_t i = 0; i < sample->n; i++) {
            uint32_t length =
                sample->pattern[i].access.length > 4 ? (uint32_t)sample->pattern[i].access.length : 4;
            s->narrow = s->narrow && s->narrow < length ? s->narrow : length;
        }
    }
    s->narrowest = s->element;
    if (s->variable && s->variable->element)
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

/* Sites of which there are accesses. */
static uint32_t sampled(struct advice *a, uint32_t *site)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->dispatch->n_sites; i++)
        if (advice_lds(a)[i] && advice_lds(a)[i]->n)
            site[n++] = i;
    return n;
}

void advice_write_lds(struct advice *a, struct lanescope_results *r)
{
    uint32_t *site = calloc(a->dispatch->n_sites + 1u, sizeof *site);
    const uint32_t n = site ? sampled(a, site) : 0;
    if (n) { /* what follows is much memory for a small kernel */
        struct cycles *before = calloc(a->dispatch->n_sites, sizeof *before);
        struct search s = {
            .a = a, .memo = calloc(MEMO, sizeof(struct memo)), .parts = PARTS, .before = before};
        for (uint32_t i = 0; before && s.memo && i < n; i++)
            before[site[i]] = sample_cycles(&s, site[i]);
        if (before && s.memo)
            each_array(&s, site, n, r);
        if (s.cut)
            a->host->log(a->host, LANESCOPE_LOG_WARNING,
                         "advice: not all layouts of LDS in %s were tried: its accesses have too many parts",
                         a->dispatch->kernel);
        free(s.memo);
        free(before);
    }
    free(site);
}
