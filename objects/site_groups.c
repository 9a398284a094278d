/* site_groups.c - see site_groups.h. */
#include "site_groups.h"

#include <stdlib.h>
#include <string.h>

static uint32_t group_of(const struct ls_site_groups *g, uint32_t kernel)
{
    return kernel < g->n_kernels ? kernel : g->n_kernels;
}

bool ls_site_groups_make(struct ls_site_groups *g, const struct ls_module *m)
{
    *g = (struct ls_site_groups){.n_kernels = m->n_kernels,
                                 .first = calloc(m->n_kernels + 3u, sizeof *g->first),
                                 .sites = calloc(m->n_sites + 1u, sizeof *g->sites)};
    if (!g->first || !g->sites) {
        ls_site_groups_free(g);
        return false;
    }
    /* Counted one group further on, then summed: where each group's next site goes, which ends as its end. */
    for (uint32_t i = 0; i < m->n_sites; i++)
        g->first[group_of(g, m->raw[i].kernel) + 2]++;
    for (uint32_t k = 2; k < m->n_kernels + 3u; k++)
        g->first[k] += g->first[k - 1];
    for (uint32_t i = 0; i < m->n_sites; i++)
        g->sites[g->first[group_of(g, m->raw[i].kernel) + 1]++] = i;
    return true;
}

void ls_site_groups_free(struct ls_site_groups *g)
{
    free(g->first);
    free(g->sites);
    memset(g, 0, sizeof *g);
}

struct ls_site_list ls_site_group(const struct ls_site_groups *g, uint32_t kernel)
{
    const uint32_t k = group_of(g, kernel);
    if (!g->first)
        return (struct ls_site_list){NULL, 0};
    return (struct ls_site_list){g->sites + g->first[k], g->first[k + 1] - g->first[k]};
}
