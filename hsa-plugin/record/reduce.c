/* reduce.c - see reduce.h. */
#include "reduce.h"

#include <stdlib.h>
#include <string.h>
#include "join/match.h"
#include "host-handlers/shared/plan.h"
#include "record.h"

struct search {
    const struct ls_api *api;
    struct ls_agent *agent;
    struct ls_kernel *kernel;
    struct ls_reduction *found;
};

static uint32_t widths(void *user, uint32_t site)
{
    return ls_match_widths(user, site);
}

static struct ls_plan_sites sites_of(const struct ls_kernel *k, const struct lanescope_isa *isa,
                                     const struct ls_plan_open *open)
{
    const struct ls_module *m = k->module;
    return (struct ls_plan_sites){m->sites, isa, open, {m->leads, m->first_lead}, k->entry->numbers};
}

static struct ls_reduction *make(const struct search *s, struct ls_match *match,
                                 const struct lanescope_isa *isa, bool open)
{
    const struct ls_plan_open unsettled = {match, widths};
    const struct ls_plan_sites of = sites_of(s->kernel, isa, open ? &unsettled : NULL);
    struct ls_reduction *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->plan = ls_plan_make(s->agent->arch, ls_registers_lanes(&s->kernel->registers, s->agent->lanes), &of,
                           &r->plan_bytes);
    if (!r->plan) {
        free(r);
        return NULL;
    }
    r->isa = isa;
    r->open = open;
    return r;
}

/* Under the lock of the joins. */
static void find(void *user, struct ls_match *match)
{
    struct search *s = user;
    const struct lanescope_isa *isa = match ? ls_match_isa(match) : NULL;
    bool open = match && ls_match_wants(match, (uint32_t)(s->kernel->entry - s->kernel->module->kernels));
    struct ls_reduction *r = s->kernel->reductions;
    while (r && (r->isa != isa || r->open != open))
        r = r->next;
    if (!r && (r = make(s, match, isa, open))) {
        r->next = s->kernel->reductions;
        s->kernel->reductions = r;
    }
    s->found = r;
}

static void *in_host_memory(const struct search *s, const struct ls_reduction *r)
{
    void *p = ls_arena_get(s->api, &s->agent->host, r->plan_bytes);
    return p ? memcpy(p, r->plan, r->plan_bytes) : NULL;
}

/* Two threads may place it at once; one of them gives its piece back. False: no memory. */
static bool place(const struct search *s, struct ls_reduction *r)
{
    void *none = NULL;
    if (atomic_load(&r->placed))
        return true;
    struct ls_arena *from = &s->agent->device;
    void *p = ls_copier_place(s->api, &s->agent->copier, r->plan, r->plan_bytes);
    if (!p) {
        from = &s->agent->host;
        p = in_host_memory(s, r);
    }
    if (p && !atomic_compare_exchange_strong(&r->placed, &none, p))
        ls_arena_put(s->api, from, p);
    return p || atomic_load(&r->placed);
}

struct ls_reduction *ls_reduction_of(const struct ls_api *api, struct ls_agent *a, struct ls_kernel *k)
{
    struct search s = {api, a, k, NULL};
    if (ls_record_reduces())
        ls_record_joins(k, find, &s);
    return s.found && place(&s, s.found) ? s.found : NULL;
}

void ls_reduction_seen(struct ls_reduction *r)
{
    atomic_store(&r->seen, true);
}

uint32_t ls_reduction_missing(const struct ls_reduction *r, const struct ls_kernel *k,
                              const struct lanescope_isa *isa)
{
    const struct ls_plan_sites of = sites_of(k, isa, NULL);
    return ls_plan_missing(r->plan, &of);
}
