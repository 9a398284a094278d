/* blind.c - see blind.h. */
#include "blind.h"
#include "names.h"
#include "saturate.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 8 }; /* of a summary */

static const char *reason(const struct ls_p_kernel *k)
{
    return k->not_instrumented ? k->not_instrumented
           : k->n_not_observed ? k->not_observed[0].name
                               : "unknown reason";
}

static const char *library(const struct ls_p_kernel *k)
{
    return k->library ? k->library : "code that was loaded from memory";
}

static struct blind *find(struct blind *groups, size_t n, const struct ls_p_kernel *k)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(groups[i].library, library(k)) && !strcmp(groups[i].why, reason(k)))
            return &groups[i];
    return NULL;
}

static bool is_blind(const struct ls_p_kernel *k)
{
    return k->dispatches && !k->observed;
}

const struct blind *blind_of(const struct blind *groups, size_t n, const struct ls_p_kernel *k)
{
    return is_blind(k) ? find((struct blind *)groups, n, k) : NULL;
}

struct blind *blind_groups(const struct ls_profile *p, size_t *n)
{
    struct blind *groups = NULL;
    *n = 0;
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct ls_p_kernel *k = p->kernels[i];
        if (!is_blind(k))
            continue;
        struct blind *b = find(groups, *n, k);
        if (!b) {
            b = LS_PUSH(groups, *n);
            *b = (struct blind){.library = library(k), .why = reason(k), .first = k};
        }
        b->kernels++;
        b->dispatches = ls_add(b->dispatches, k->dispatches, NULL);
    }
    return groups;
}

void blind_summary(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    size_t n, more = 0;
    struct blind *groups = blind_groups(p, &n);
    for (size_t i = 0; i < n; i++) {
        if (i >= LINES) {
            more += groups[i].kernels;
            continue;
        }
        fprintf(t->out, "%s  %snot observed: ", prefix, style_on(t, STYLE_WARN));
        if (groups[i].kernels == 1)
            print_cut(t, groups[i].first->name, 50);
        else
            fprintf(t->out, "%s kernels of %s", show_count((double)groups[i].kernels), groups[i].library);
        fprintf(t->out, ": %s%s\n", groups[i].why, style_off(t));
    }
    if (more)
        fprintf(t->out, "%s  %s more kernel%s not observed\n", prefix, show_count((double)more),
                more == 1 ? " was" : "s were");
    free(groups);
}
