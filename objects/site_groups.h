/*
 * site_groups.h - the sites of a module by their kernels. A module may have thousands of both: whoever goes through the
 * kernels must not go through all sites for each of them.
 */
#ifndef OBJECTS_SITE_GROUPS_H
#define OBJECTS_SITE_GROUPS_H

#include <stdbool.h>
#include "sites.h"

/* Numbers of sites, rising. */
struct ls_site_list {
    const uint32_t *sites;
    uint32_t n;
};

struct ls_site_groups {
    uint32_t n_kernels;
    uint32_t *
        first; /* group k begins at sites[first[k]]; the one behind the last kernel's: of functions that several
                        kernels reach */
    uint32_t *sites;
};

/* false: out of memory; then the groups are empty. */
bool ls_site_groups_make(struct ls_site_groups *g, const struct ls_module *m);
void ls_site_groups_free(struct ls_site_groups *g);
/* Sites of that kernel alone; LS_NONE: those that several reach. */
struct ls_site_list ls_site_group(const struct ls_site_groups *g, uint32_t kernel);

#endif
