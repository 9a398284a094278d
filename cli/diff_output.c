/* The three forms of a comparison. */
#include "csv.h"
#include "diff.h"
#include "exactness.h"
#include "names.h"
#include "safe_output.h"
#include "terminal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct ls_p_kernel *kernel_of(const struct diff_kernel *k)
{
    return k->kernel[SIDE_B] ? k->kernel[SIDE_B] : k->kernel[SIDE_A];
}

/* The side whose line is shown: the newer one, where there is one. */
static int side_of(const struct diff_entry *e)
{
    return e->line[SIDE_B] ? SIDE_B : SIDE_A;
}

/* ---- for people ---- */

struct page {
    const struct diff *d;
    struct terminal t;
    bool full_paths;
};

static void print_database(const struct page *pg, const char *label, const struct ls_profile *p)
{
    for (size_t i = 0; i < p->n_databases; i++)
        fprintf(pg->t.out, "%s %s%s%s  %s%s (%s, %s)%s%s\n", label, style_on(&pg->t, STYLE_TITLE),
                p->databases[i].path, style_off(&pg->t), style_on(&pg->t, STYLE_DIM), p->databases[i].command,
                p->databases[i].gpu, p->databases[i].created, style_off(&pg->t),
                p->databases[i].partial ? "  PARTIAL" : "");
    for (size_t i = 0; i < p->n_databases; i++)
        if (*p->databases[i].filters)
            fprintf(pg->t.out, "%s %s%s%s\n", label, style_on(&pg->t, STYLE_WARN), p->databases[i].filters,
                    style_off(&pg->t));
    char *text = exactness_text(p, pg->full_paths, 0);
    if (text) {
        fprintf(pg->t.out, "%s %s", label, style_on(&pg->t, strstr(text, "; ") ? STYLE_WARN : STYLE_DIM));
        print_wrapped(&pg->t, text, 8, 8);
        fprintf(pg->t.out, "%s\n", style_off(&pg->t));
    }
    free(text);
}

static void number_text(const struct diff *d, const struct diff_metric *m, const struct diff_value *v,
                        int side, char out[48])
{
    bool fraction = m->is_ratio || (d->per_dispatch && v->value[side] != floor(v->value[side]));
    if (!v->has[side])
        strcpy(out, "-");
    else
        snprintf(out, 48, "%s%s%s", v->inexact[side] ? INEXACT_MARK : "",
                 fraction ? show_ratio(v->value[side]) : show_count(v->value[side]),
                 m->is_ratio && !strcmp(m->unit, "%") ? "%" : "");
}

static void print_value(const struct page *pg, const struct diff_metric *m, const struct diff_value *v)
{
    char a[48], b[48], change[32] = "";
    const enum style styles[] = {STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_WARN, STYLE_WARN, STYLE_WARN};
    number_text(pg->d, m, v, SIDE_A, a);
    number_text(pg->d, m, v, SIDE_B, b);
    if (v->has[SIDE_A] && v->has[SIDE_B] && v->verdict != VERDICT_SAME && isfinite(v->change))
        snprintf(change, sizeof(change), "%+.1f%%", v->change);
    fprintf(pg->t.out, "    %-24s %14s %14s %10s  %s%s%s\n", m->name, a, b, change,
            style_on(&pg->t, styles[v->verdict]), verdict_name(v->verdict), style_off(&pg->t));
}

static void print_values(const struct page *pg, const struct diff_entry *e, bool all)
{
    for (size_t i = 0; i < pg->d->n_metrics && e->values; i++) {
        const struct diff_value *v = &e->values[i];
        if ((v->has[SIDE_A] || v->has[SIDE_B]) && (all || v->verdict != VERDICT_SAME))
            print_value(pg, &pg->d->metrics[i], v);
    }
}

/* Whether the entry has a number for one of the metrics. */
static bool has_values(const struct diff *d, const struct diff_entry *e)
{
    for (size_t i = 0; i < d->n_metrics && e->values; i++)
        if (e->values[i].has[SIDE_A] || e->values[i].has[SIDE_B])
            return true;
    return false;
}

static void print_reasons(const struct page *pg, const struct diff_entry *e)
{
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; i < e->reasons[side].n; i++) {
            fprintf(pg->t.out, "    %s" INEXACT_MARK " %s: ", style_on(&pg->t, STYLE_WARN),
                    side == SIDE_A ? "before" : "after");
            print_wrapped(&pg->t, e->reasons[side].items[i], side == SIDE_A ? 14 : 13, 6);
            fprintf(pg->t.out, "%s\n", style_off(&pg->t));
        }
}

static void print_line(const struct page *pg, const struct diff_entry *e, bool all)
{
    int side = side_of(e);
    const struct ls_p_line *line = e->line[side], *before = e->line[SIDE_A];
    char *place = line_place(pg->d->profile[side], line, pg->full_paths), *access = line_access(line, true);
    fprintf(pg->t.out, "  %s%s%s %s", style_on(&pg->t, STYLE_PLACE), place ? place : "", style_off(&pg->t),
            access ? access : "");
    if (!e->line[SIDE_B])
        fputs(", only before", pg->t.out);
    else if (!before)
        fputs(", only after", pg->t.out);
    else if (before->title.line != line->title.line)
        fprintf(pg->t.out, ", line %u before", before->title.line);
    fputc('\n', pg->t.out);
    if (line->title_source) {
        print_padding(&pg->t, 4);
        print_cut(&pg->t, line->title_source, pg->t.width - 4);
        fputc('\n', pg->t.out);
    }
    print_values(pg, e, all);
    print_reasons(pg, e);
    free(place);
    free(access);
}

static void print_kernel(const struct page *pg, const struct diff_kernel *k, bool all)
{
    const struct terminal *t = &pg->t;
    const struct ls_p_kernel *a = k->kernel[SIDE_A], *b = k->kernel[SIDE_B];
    bool changed = k->total.changed || !a || !b;
    for (size_t i = 0; i < k->n_lines; i++)
        changed |= k->lines[i].changed;
    fprintf(t->out, "\n%s", style_on(t, STYLE_TITLE));
    print_cut(t, kernel_of(k)->name, t->width - 10);
    fprintf(t->out, "%s  %s%s%s%s%s\n", style_off(t), style_on(t, STYLE_DIM), a ? a->arch : "",
            a && b && strcmp(a->arch, b->arch) ? " -> " : "",
            !a || (b && strcmp(a->arch, b->arch)) ? b->arch : "", style_off(t));
    if (!a || !b)
        fprintf(t->out, "  only in the database %s\n", a ? "before" : "after");
    else if (!a->observed || !b->observed)
        fprintf(t->out, "  not observed %s\n", a->observed ? "after" : b->observed ? "before" : "in either");
    else if (a->observed != b->observed && !pg->d->per_dispatch)
        fprintf(t->out, "  %s%s observed dispatches before, %s after: --per-dispatch compares averages%s\n",
                style_on(t, STYLE_WARN), show_count((double)a->observed), show_count((double)b->observed),
                style_off(t));
    if (!changed && !all) {
        fprintf(t->out, "  no change\n");
        return;
    }
    fprintf(t->out, "  %s%-26s %14s %14s %10s%s\n", style_on(t, STYLE_HEAD), "whole kernel", "before",
            "after", "change", style_off(t));
    print_values(pg, &k->total, true);
    for (size_t i = 0; i < k->n_lines; i++)
        if ((all && has_values(pg->d, &k->lines[i])) || k->lines[i].changed)
            print_line(pg, &k->lines[i], all);
}

void diff_text(const struct diff *d, bool all, bool full_paths, FILE *out)
{
    struct page pg = {d, terminal_of(out), full_paths};
    print_database(&pg, "before:", d->profile[SIDE_A]);
    print_database(&pg, "after: ", d->profile[SIDE_B]);
    for (size_t i = 0; i < d->n_kernels; i++)
        print_kernel(&pg, &d->kernels[i], all);
    fprintf(out, "\n%s%s%s\n", style_on(&pg.t, d->worse ? STYLE_BAD : STYLE_GOOD),
            d->worse ? "worse than before" : "nothing is worse than before", style_off(&pg.t));
}

/* ---- JSON ---- */

static json_t *text(const char *s)
{
    return json_text(s);
}

static json_t *text_or_null(const char *s)
{
    return s ? text(s) : json_null();
}

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
                                              text(m->handler), "metric", text(m->name), "before",
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
    json_t *j = all ? text(all) : json_null();
    free(all);
    return j;
}

static json_t *line(const struct diff *d, const struct diff_entry *e)
{
    const struct ls_p_line *l = e->line[side_of(e)];
    return json_pack("{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file",
                     text(l->file), "line_before", line_number(e, SIDE_A), "line_after",
                     line_number(e, SIDE_B), "access", l->kind, "address_space", l->space, "function",
                     text(l->function), "source", text_or_null(l->source), "title_file", text(l->title.file),
                     "title_line_before", title_number(e, SIDE_A), "title_line_after",
                     title_number(e, SIDE_B), "title_source", text_or_null(l->title_source), "reason_before",
                     reason(e, SIDE_A), "reason_after", reason(e, SIDE_B), "values", values(d, e));
}

static json_t *kernel(const struct diff *d, const struct diff_kernel *k)
{
    const struct ls_p_kernel *any = kernel_of(k);
    json_t *lines = json_array(), *observed[SIDES], *arch[SIDES];
    for (int side = 0; side < SIDES; side++) {
        observed[side] = json_integer(k->kernel[side] ? k->kernel[side]->observed : 0);
        arch[side] = k->kernel[side] ? text(k->kernel[side]->arch) : json_null();
    }
    for (size_t i = 0; i < k->n_lines; i++)
        json_array_append_new(lines, line(d, &k->lines[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", text(any->name), "mangled",
                     text(any->mangled), "arch_before", arch[SIDE_A], "arch_after", arch[SIDE_B],
                     "observed_before", observed[SIDE_A], "observed_after", observed[SIDE_B], "values",
                     values(d, &k->total), "lines", lines);
}

int diff_json(const struct diff *d, FILE *out)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < d->n_kernels; i++)
        json_array_append_new(kernels, kernel(d, &d->kernels[i]));
    const struct ls_profile *a = d->profile[SIDE_A], *b = d->profile[SIDE_B];
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:f, s:b, s:I, s:o}", "schema", "lanescope-diff/1",
                             "version", LANESCOPE_VERSION, "before", text(a->databases[0].path), "after",
                             text(b->databases[0].path), "threshold_percent", d->threshold, "per_dispatch",
                             d->per_dispatch, "worse", (json_int_t)d->worse, "kernels", kernels);
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return root ? 0 : rc;
}

/* ---- CSV ---- */

static void csv_line_number(FILE *out, const struct diff_entry *e, int side)
{
    if (e->line[side])
        fprintf(out, ",%u", e->line[side]->line);
    else
        fputc(',', out);
}

static void csv_title_line(FILE *out, const struct diff_entry *e, int side)
{
    if (e->line[side])
        fprintf(out, ",%u", e->line[side]->title.line);
    else
        fputc(',', out);
}

static void csv_exact(FILE *out, const struct diff_value *v, int side)
{
    if (v->has[side])
        fprintf(out, ",%d", !v->inexact[side]);
    else
        fputc(',', out);
}

static void csv_side(FILE *out, const struct diff_value *v, int side)
{
    csv_double(out, v->has[side] ? v->value[side] : NAN, 0);
}

static void csv_entry(const struct diff *d, const struct diff_kernel *k, const struct diff_entry *e,
                      FILE *out)
{
    const struct ls_p_line *l = e->line[side_of(e)];
    for (size_t i = 0; i < d->n_metrics && e->values; i++) {
        const struct diff_value *v = &e->values[i];
        if (!v->has[SIDE_A] && !v->has[SIDE_B])
            continue;
        csv_field(out, kernel_of(k)->name, 1);
        csv_field(out, kernel_of(k)->mangled, 0);
        csv_field(out, l ? l->file : "", 0);
        csv_line_number(out, e, SIDE_A);
        csv_line_number(out, e, SIDE_B);
        csv_field(out, l ? l->kind : "", 0);
        csv_field(out, l ? l->space : "", 0);
        csv_field(out, d->metrics[i].handler, 0);
        csv_field(out, d->metrics[i].name, 0);
        csv_side(out, v, SIDE_A);
        csv_side(out, v, SIDE_B);
        csv_double(out, v->change, 0);
        csv_field(out, verdict_name(v->verdict), 0);
        csv_field(out, l ? l->title.file : "", 0);
        csv_title_line(out, e, SIDE_A);
        csv_title_line(out, e, SIDE_B);
        csv_exact(out, v, SIDE_A);
        csv_exact(out, v, SIDE_B);
        csv_end(out);
    }
}

void diff_csv(const struct diff *d, FILE *out)
{
    static const char *const heads[] = {"Kernel_Name",      "Mangled_Name", "Source_File",
                                        "Line_Before",      "Line_After",   "Access",
                                        "Address_Space",    "Handler",      "Metric",
                                        "Before",           "After",        "Change_Percent",
                                        "Verdict",          "Title_File",   "Title_Line_Before",
                                        "Title_Line_After", "Exact_Before", "Exact_After"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        csv_field(out, heads[i], i == 0);
    csv_end(out);
    for (size_t i = 0; i < d->n_kernels; i++) {
        csv_entry(d, &d->kernels[i], &d->kernels[i].total, out);
        for (size_t j = 0; j < d->kernels[i].n_lines; j++)
            csv_entry(d, &d->kernels[i], &d->kernels[i].lines[j], out);
    }
}
