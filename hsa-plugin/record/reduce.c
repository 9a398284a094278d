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
    const struct ls_reduction *found;
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
    size_t bytes = 0;
    struct ls_reduction *r = calloc(1, sizeof *r);
    struct ls_plan *plan =
        r ? ls_plan_make(s->agent->arch, ls_registers_lanes(&s->kernel->registers, s->agent->lanes), &of,
                         &bytes)
          : NULL;
    void *memory = plan ? ls_arena_get(s->api, &s->agent->host, bytes) : NULL;
    if (memory) {
        memcpy(memory, plan, bytes);
        *r = (struct ls_reduction){memory, plan->n_passes, isa, open, NULL};
    } else {
        free(r);
        r = NULL;
    }
    free(plan);
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

const struct ls_reduction *ls_reduction_of(const struct ls_api *api, struct ls_agent *a, struct ls_kernel *k)
{
    struct search s = {api, a, k, NULL};
    if (ls_record_reduces())
        ls_record_joins(k, find, &s);
    return s.found;
}

uint32_t ls_reduction_missing(const struct ls_reduction *r, const struct ls_kernel *k,
                              const struct lanescope_isa *isa)
{
    const struct ls_plan_sites of = sites_of(k, isa, NULL);
    return ls_plan_missing(r->plan, &of);
}
