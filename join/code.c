/* code.c - see code.h. */
#include "code.h"
#include "common/vector.h"

#include <stdlib.h>
#include <string.h>

/* Block numbers in the line table that are no block's would mislead a handler; code from elsewhere (a
 * library's own discriminators) may have them. */
static void check_sites(const struct ls_module *m, const struct lanescope_function *f,
                        struct lanescope_instruction *list)
{
    for (uint32_t i = 0; i < f->n_instructions; i++) {
        uint32_t site = list[i].site;
        if (site >= m->n_sites || m->sites[site].kind != LS_SITE_BLOCK || strcmp(m->functions[site], f->name))
            list[i].site = LANESCOPE_NO_SITE;
    }
}

static bool add_function(struct ls_code *c, const struct ls_module *m, const char *name, struct ls_isa *isa)
{
    struct lanescope_instruction *list;
    const char *why;
    uint32_t n;
    if (!LS_ROOM(c->functions, c->n) || ls_isa_code(isa, name, &list, &n, &why) != 0)
        return false;
    c->functions[c->n] = (struct lanescope_function){name, n, list};
    check_sites(m, &c->functions[c->n++], list);
    return true;
}

static bool known(const struct ls_code *c, const char *name)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!strcmp(c->functions[i].name, name))
            return true;
    return false;
}

static void free_code(struct ls_code *c)
{
    for (uint32_t i = 0; c && i < c->n; i++)
        ls_isa_code_free((struct lanescope_instruction *)c->functions[i].instructions,
                         c->functions[i].n_instructions);
    if (c)
        free(c->functions);
    free(c);
}

static void add_functions(struct ls_code *c, const struct ls_module *m, struct ls_site_list of,
                          struct ls_isa *isa)
{
    for (uint32_t i = 0; i < of.n; i++)
        if (!known(c, m->functions[of.sites[i]]))
            add_function(c, m, m->functions[of.sites[i]], isa);
}

struct ls_code *ls_code_read(const struct ls_module *m, const struct ls_site_groups *sites, uint32_t kernel,
                             struct ls_isa *isa)
{
    struct ls_code *c = calloc(1, sizeof *c);
    if (!c || !add_function(c, m, m->kernels[kernel].name, isa)) {
        free_code(c);
        return NULL;
    }
    add_functions(c, m, ls_site_group(sites, kernel), isa);
    add_functions(c, m, ls_site_group(sites, LS_NONE), isa);
    return c;
}
