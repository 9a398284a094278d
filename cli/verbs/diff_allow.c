/* Which allowance holds for a number (diff.h). */
#include "diff.h"
#include "diff_match.h"
#include "file_named.h"

#include <string.h>

static bool is_place(const struct diff_allowance *a, const char *file, uint32_t line)
{
    return is_file_named(file, a->place) && (!a->line || a->line == line);
}

static bool is_line(const struct diff_allowance *a, const struct ls_p_line *l)
{
    return is_place(a, l->title.file, l->title.line) || is_place(a, l->file, l->line);
}

/* Lines are told by their numbers in the new recording, where they are in it. */
static bool is_entry(const struct diff_allowance *a, const struct diff_kernel *k, const struct diff_entry *e)
{
    for (int side = 0; side < SIDES && !a->line; side++)
        if (k->kernel[side] && diff_called(k->kernel[side], a->place))
            return true;
    const struct ls_p_line *l = diff_line_of(e);
    const struct ls_p_kernel *whole = diff_kernel_of(k);
    return l ? is_line(a, l) : !a->line && is_place(a, whole->file, 0);
}

double diff_allowed(const struct diff *d, const struct diff_kernel *k, const struct diff_entry *e,
                    const struct diff_metric *m, bool *placed)
{
    double percent = d->threshold;
    *placed = false;
    for (size_t i = 0; i < d->n_allowances; i++) {
        const struct diff_allowance *a = &d->allowances[i];
        if (a->metric && (strcmp(a->handler, m->handler) || strcmp(a->metric, m->name)))
            continue;
        if (a->place && !is_entry(a, k, e))
            continue;
        percent = a->percent;
        *placed = a->place != NULL;
    }
    return percent;
}

bool diff_allowance_fits(const struct diff *d, const struct diff_allowance *a)
{
    for (size_t i = 0; i < d->n_kernels; i++) {
        const struct diff_kernel *k = &d->kernels[i];
        if (!a->place || is_entry(a, k, &k->total))
            return true;
        for (size_t j = 0; j < k->n_lines; j++)
            if (is_entry(a, k, &k->lines[j]))
                return true;
    }
    return false;
}
