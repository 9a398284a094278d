/* loaded.c - see loaded.h. */
#include "loaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct ls_profile *load(const char *path, const regex_t *only)
{
    char *error = NULL;
    struct ls_profile *p = ls_profile_new();
    if (ls_profile_add_file(p, path, only, &error))
        fail_msg("%s", error);
    return p;
}

const struct ls_p_line *line_at(const struct ls_p_kernel *k, uint32_t number, const char *kind,
                                const char *space)
{
    for (size_t i = 0; i < k->n_lines; i++)
        if (k->lines[i]->line == number && !strcmp(k->lines[i]->kind, kind) &&
            !strcmp(k->lines[i]->space, space))
            return k->lines[i];
    fail_msg("no line %u %s %s", number, kind, space);
    return NULL;
}

double value(const struct ls_profile *p, const struct ls_p_line *l, const char *handler, const char *name)
{
    double v;
    int m = ls_profile_metric(p, handler, name);
    assert_true(m >= 0);
    assert_true(ls_profile_value(p, &l->values, (size_t)m, &v));
    return v;
}
