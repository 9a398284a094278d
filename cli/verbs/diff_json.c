/* A comparison as JSON. */
#include "diff.h"
#include "profile_json.h"
#include "cli/common/safe_output.h"
#include "cli/output/names.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *number(const struct diff *d, const struct diff_entry *e, size_t metric, int side)
{
    const struct diff_metric *m = &d->metrics[metric];
    const struct ls_p_values *sum = &e->sum[side];
    if (!e->values[metric].has[side])
        return json_null();
    if (m->is_ratio || d->per_dispatch)
        return json_number(e->values[metric].value[side]);
    return json_integer(m->index[side] >= 0 && (size_t)m->index[side] < sum->n ? sum->sum[m->index[side]]
                                                                               : 0);
}

static json_t *values(const struct diff *d, const struct diff_entry *e)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n_metrics && e->values; i++) {
        const struct diff_metric *m = &d->metrics[i];
        const struct diff_value *v = &e->values[i];
        if (!v->has[SIDE_A] && !v->has[SIDE_B])
            continue;
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:b}", "handler",
                                              json_text(m->handler), "metric", json_text(m->name), "before",
                                              number(d, e, i, SIDE_A), "after", number(d, e, i, SIDE_B),
                                              "change_percent", json_number(v->change), "verdict",
                                              verdict_name(v->verdict), "exact_before", !v->inexact[SIDE_A],
                                              "exact_after", !v->inexact[SIDE_B]));
    }
    return list;
}

static json_t *line_number(const struct diff_entry *e, int side)
{
    return e->line[side] ? json_integer(e->line[side]->line) : json_null();
}

/* The line's title. */
static json_t *title_number(const struct diff_entry *e, int side)
{
    return e->line[side] ? json_integer(e->line[side]->title.line) : json_null();
}

static json_t *reason(const struct diff_entry *e, int side)
{
    char *all = e->reasons[side].n ? joined(&e->reasons[side], "; ") : NULL;
    json_t *j = all ? json_text(all) : json_null();
    free(all);
    return j;
}

static json_t *line(const struct diff *d, const struct diff_entry *e)
{
    const struct ls_p_line *l = diff_line_of(e);
    return json_pack("{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "file",
                     json_text(l->file), "line_before", line_number(e, SIDE_A), "line_after",
                     line_number(e, SIDE_B), "access", l->kind, "address_space", l->space, "function",
                     json_text(l->function), "source", json_text_or_null(l->source), "title_file",
                     json_text(l->title.file), "title_line_before", title_number(e, SIDE_A),
                     "title_line_after", title_number(e, SIDE_B), "title_source",
                     json_text_or_null(l->title_source), "reason_before", reason(e, SIDE_A), "reason_after",
                     reason(e, SIDE_B), "values", values(d, e), "phases_assumed", diff_assumed(d, e));
}

static json_t *kernel(const struct diff *d, const struct diff_kernel *k)
{
    const struct ls_p_kernel *any = diff_kernel_of(k);
    json_t *lines = json_array(), *observed[SIDES], *arch[SIDES], *names[SIDES];
    for (int side = 0; side < SIDES; side++) {
        observed[side] = json_integer(k->kernel[side] ? k->kernel[side]->observed : 0);
        arch[side] = k->kernel[side] ? json_text(k->kernel[side]->arch) : json_null();
        names[side] = k->kernel[side] ? json_text(k->kernel[side]->name) : json_null();
    }
    for (size_t i = 0; i < k->n_lines; i++)
        json_array_append_new(lines, line(d, &k->lines[i]));
    json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text(any->name),
                          "mangled", json_text(any->mangled), "name_before", names[SIDE_A], "name_after",
                          names[SIDE_B], "arch_before", arch[SIDE_A], "arch_after", arch[SIDE_B],
                          "observed_before", observed[SIDE_A], "observed_after", observed[SIDE_B], "values",
                          values(d, &k->total), "lines", lines);
    if (any->twin)
        profile_json_put_origin(j, any, json_text(any->file));
    return j;
}

int diff_json(const struct diff *d, FILE *out)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < d->n_kernels; i++)
        json_array_append_new(kernels, kernel(d, &d->kernels[i]));
    const struct ls_profile *a = d->profile[SIDE_A], *b = d->profile[SIDE_B];
    char *conclusion = diff_conclusion(d);
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:o, s:f, s:b, s:b, s:I, s:I, s:I, s:o, s:o}", "schema",
                  "lanescope-diff/1", "version", LANESCOPE_VERSION, "before", json_text(a->databases[0].path),
                  "after", json_text(b->databases[0].path), "threshold_percent", d->threshold, "per_dispatch",
                  d->per_dispatch, "different_wavefronts", d->other_waves, "compared",
                  (json_int_t)d->compared, "not_compared", (json_int_t)diff_count_left(d), "worse",
                  (json_int_t)d->worse, "conclusion", json_text_or_null(conclusion), "kernels", kernels);
    free(conclusion);
    if (root)
        write_json(root, out);
    json_decref(root);
    return root ? 0 : -1;
}
