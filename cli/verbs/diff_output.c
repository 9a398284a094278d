/* A comparison for people, and as CSV. */
#include "cli/output/databases.h"
#include "common/plural.h"
#include "cli/output/csv.h"
#include "common/names.h"
#include "diff.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "cli/common/safe_output.h"
#include "cli/output/terminal.h"
#include "results/file/error_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- for people ---- */

struct page {
    const struct diff *d;
    struct terminal t;
    bool full_paths;
    bool assumed; /* a mark was shown and is to be explained */
};

static void print_labelled(const struct page *pg, const char *label, enum style style, const char *text)
{
    fprintf(pg->t.out, "%s %s", label, style_on(&pg->t, style));
    print_wrapped(&pg->t, text, 8, 8);
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
}

/* The database, then what was run, below it where there is no room. */
static void print_origin(const struct page *pg, const char *label, const struct ls_p_database *d)
{
    const struct terminal *t = &pg->t;
    char *what = NULL;
    if (asprintf(&what, "%s%s%s (%s, %s)", d->part, *d->part ? ": " : "", d->command, d->gpu, d->created) < 0)
        return;
    fprintf(t->out, "%s %s", label, style_on(t, STYLE_TITLE));
    int at = 8 + print_name(t, d->path, t->width - 8);
    fprintf(t->out, "%s%s", style_off(t), style_on(t, STYLE_DIM));
    if (at + 2 + text_width(what) + (d->partial ? 9 : 0) > t->width) {
        fputc('\n', t->out);
        print_padding(t, at = 8);
    } else {
        fputs("  ", t->out);
        at += 2;
    }
    print_wrapped(t, what, at, 8);
    fprintf(t->out, "%s%s\n", style_off(t), d->partial ? "  PARTIAL" : "");
    free(what);
}

static void print_database(const struct page *pg, const char *label, const struct ls_profile *p)
{
    struct named_databases named = {.profile = p};
    for (const struct ls_p_database *d; (d = next_named(&named));)
        print_origin(pg, label, d);
    char *more = more_databases(&named);
    if (more)
        print_labelled(pg, label, STYLE_DIM, more);
    free(more);
    for (size_t i = 0; i < p->n_databases; i++)
        if (*p->databases[i].filters)
            print_labelled(pg, label, STYLE_WARN, p->databases[i].filters);
    char *text = exactness_text(p, pg->full_paths, 0);
    if (text)
        print_labelled(pg, label, strstr(text, "; ") ? STYLE_WARN : STYLE_DIM, text);
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

/* Columns that a value takes: 4, name, before, after, change, 2, verdict of up to 7; three blanks between them. */
enum { WIDE = 78, NARROW = 60 };

static bool is_narrow(const struct page *pg)
{
    return pg->t.width < WIDE;
}

static bool stacked(const struct page *pg)
{
    return pg->t.width < NARROW;
}

static int name_width(const struct page *pg)
{
    return is_narrow(pg) ? 16 + (pg->t.width - NARROW) : 24;
}

static int number_width(const struct page *pg)
{
    return is_narrow(pg) ? 10 : 14;
}

/* "Bank Conflict: 6 -> 8, +33.3%, worse" */
static void print_stacked(const struct page *pg, const char *name, const char *a, const char *b,
                          const char *change, const char *verdict, enum style style)
{
    char text[256];
    snprintf(text, sizeof text, "%.100s: %s -> %s%s%s,", name, a, b, *change ? ", " : "", change);
    print_padding(&pg->t, 4);
    print_wrapped(&pg->t, text, 4, 6);
    if (4 + text_width(text) + 1 + (int)strlen(verdict) > pg->t.width) {
        fputc('\n', pg->t.out);
        print_padding(&pg->t, 5);
    }
    fprintf(pg->t.out, " %s%s%s\n", style_on(&pg->t, style), verdict, style_off(&pg->t));
}

static void print_value(const struct page *pg, const struct diff_metric *m, const struct diff_value *v)
{
    char a[48], b[48], change[32] = "";
    const enum style styles[] = {STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_WARN, STYLE_WARN, STYLE_WARN};
    number_text(pg->d, m, v, SIDE_A, a);
    number_text(pg->d, m, v, SIDE_B, b);
    if (v->has[SIDE_A] && v->has[SIDE_B] && v->verdict != VERDICT_SAME && isfinite(v->change))
        snprintf(change, sizeof(change), "%+.1f%%", v->change);
    if (stacked(pg)) {
        print_stacked(pg, m->name, a, b, change, verdict_name(v->verdict), styles[v->verdict]);
        return;
    }
    print_padding(&pg->t, 4);
    int name = name_width(pg), number = number_width(pg), used = print_cut(&pg->t, m->name, name);
    print_padding(&pg->t, name - used);
    fprintf(pg->t.out, " %*s %*s %*s  %s%s%s\n", number, a, number, b, number - 4 + 2 * is_narrow(pg), change,
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

/* What is done there, and how it was found before. malloc'd. */
static char *line_change(const struct page *pg, const struct diff_entry *e, const char *access)
{
    const struct ls_p_line *line = diff_line_of(e), *before = e->line[SIDE_A];
    const char *mark = diff_assumed(pg->d, e) ? ASSUMED_MARK : "", *what = access ? access : "";
    if (!e->line[SIDE_B])
        return ls_text("%s%s, only before", what, mark);
    if (!before)
        return ls_text("%s%s, only after", what, mark);
    if (strcmp(ls_base_name(before->title.file), ls_base_name(line->title.file)))
        return ls_text("%s%s, %s:%u before", what, mark,
                       short_path(pg->d->profile[SIDE_A], before->title.file, pg->full_paths),
                       before->title.line);
    if (before->title.line != line->title.line)
        return ls_text("%s%s, line %u before", what, mark, before->title.line);
    return ls_text("%s%s", what, mark);
}

static void print_line(struct page *pg, const struct diff_entry *e, bool all)
{
    int side = diff_side_of(e);
    const struct ls_p_line *line = e->line[side];
    char *place = line_place(pg->d->profile[side], line, pg->full_paths), *access = line_access(line, true);
    char *what = line_change(pg, e, access);
    pg->assumed |= diff_assumed(pg->d, e);
    print_padding(&pg->t, 2);
    fputs(style_on(&pg->t, STYLE_PLACE), pg->t.out);
    int at = 2 + print_name(&pg->t, place ? place : "", pg->t.width - 2);
    fputs(style_off(&pg->t), pg->t.out);
    if (at + 1 + text_width(what ? what : "") > pg->t.width) {
        fputc('\n', pg->t.out);
        print_padding(&pg->t, at = 2);
    }
    fputc(' ', pg->t.out);
    print_wrapped(&pg->t, what ? what : "", at + 1, 4);
    free(what);
    fputc('\n', pg->t.out);
    if (line->title_source) {
        print_padding(&pg->t, 4);
        print_name(&pg->t, line->title_source, pg->t.width - 4);
        fputc('\n', pg->t.out);
    }
    print_values(pg, e, all);
    print_reasons(pg, e);
    free(place);
    free(access);
}

static void print_dispatches(const struct terminal *t, const struct ls_p_kernel *a,
                             const struct ls_p_kernel *b)
{
    char text[160];
    snprintf(text, sizeof text, "%s observed %s before, %s after: --per-dispatch compares averages",
             show_count((double)a->observed), ls_word((double)a->observed, "dispatch", "dispatches"),
             show_count((double)b->observed));
    fprintf(t->out, "  %s", style_on(t, STYLE_WARN));
    print_wrapped(t, text, 2, 4);
    fprintf(t->out, "%s\n", style_off(t));
}

static bool is_changed(const struct diff_kernel *k)
{
    bool changed = k->total.changed || !k->kernel[SIDE_A] || !k->kernel[SIDE_B];
    for (size_t i = 0; i < k->n_lines; i++)
        changed |= k->lines[i].changed;
    return changed;
}

char *diff_heading(const struct diff *d, const struct diff_kernel *k)
{
    return kernel_heading(d->profile[k->kernel[SIDE_B] ? SIDE_B : SIDE_A], diff_kernel_of(k));
}

static void print_heading(const struct page *pg, const struct diff_kernel *k)
{
    const struct terminal *t = &pg->t;
    const struct ls_p_kernel *a = k->kernel[SIDE_A], *b = k->kernel[SIDE_B];
    fprintf(t->out, "\n%s", style_on(t, STYLE_TITLE));
    char *heading = diff_heading(pg->d, k);
    print_kernel_name(t, heading, t->width - 20);
    free(heading);
    fprintf(t->out, "%s  %s%s%s%s%s\n", style_off(t), style_on(t, STYLE_DIM), a ? a->arch : "",
            a && b && strcmp(a->arch, b->arch) ? " -> " : "",
            !a || (b && strcmp(a->arch, b->arch)) ? b->arch : "", style_off(t));
    if (a && b && strcmp(a->name, b->name)) {
        fputs("  before: ", t->out);
        print_kernel_name(t, a->name, t->width - 10);
        fputc('\n', t->out);
    }
}

static void print_lines(struct page *pg, const struct diff_kernel *k, bool all)
{
    for (size_t i = 0; i < k->n_lines; i++)
        if ((all && has_values(pg->d, &k->lines[i])) || k->lines[i].changed)
            print_line(pg, &k->lines[i], all);
}

static void print_kernel(struct page *pg, const struct diff_kernel *k, bool all)
{
    const struct terminal *t = &pg->t;
    const struct ls_p_kernel *a = k->kernel[SIDE_A], *b = k->kernel[SIDE_B];
    print_heading(pg, k);
    if (!a || !b)
        fprintf(t->out, "  only in the database %s\n", a ? "before" : "after");
    else if (!a->observed || !b->observed)
        fprintf(t->out, "  not observed %s\n", a->observed ? "after" : b->observed ? "before" : "in either");
    else if (a->observed != b->observed && !pg->d->per_dispatch)
        print_dispatches(t, a, b);
    if (!is_changed(k) && !all) {
        fprintf(t->out, "  no change\n");
        return;
    }
    int number = number_width(pg);
    if (stacked(pg))
        fprintf(t->out, "  %swhole kernel%s\n", style_on(t, STYLE_HEAD), style_off(t));
    else
        fprintf(t->out, "  %s%-*s %*s %*s %*s%s\n", style_on(t, STYLE_HEAD), name_width(pg) + 2,
                "whole kernel", number, "before", number, "after", number - 4 + 2 * is_narrow(pg), "change",
                style_off(t));
    print_values(pg, &k->total, true);
    if (all || diff_observed_in_both(k))
        print_lines(pg, k, all);
    else if (k->n_lines)
        fprintf(t->out, "  %s line%s without a counterpart (--all shows them)\n",
                show_count((double)k->n_lines), k->n_lines == 1 ? "" : "s");
}

/* What there is nothing to say of: no number differs, the names neither, and both sides ran as often. */
static bool is_dull(const struct page *pg, const struct diff_kernel *k)
{
    const struct ls_p_kernel *a = k->kernel[SIDE_A], *b = k->kernel[SIDE_B];
    return !is_changed(k) && !strcmp(a->name, b->name) &&
           (a->observed == b->observed || (a->observed && b->observed && pg->d->per_dispatch));
}

/* One line for all dull kernels that were observed, or that were not. */
static void print_dull(const struct page *pg, bool observed, const char *label)
{
    size_t n = 0;
    const struct ls_p_kernel *only = NULL;
    for (size_t i = 0; i < pg->d->n_kernels; i++)
        if (is_dull(pg, &pg->d->kernels[i]) && diff_observed_in_both(&pg->d->kernels[i]) == observed) {
            only = diff_kernel_of(&pg->d->kernels[i]);
            n++;
        }
    if (!n)
        return;
    fprintf(pg->t.out, "\n%s: ", label);
    if (n == 1)
        print_cut(&pg->t, only->name, pg->t.width - text_width(label) - 2);
    else
        fprintf(pg->t.out, "%s kernels (--all shows them)", show_count((double)n));
    fputc('\n', pg->t.out);
}

static void print_conclusion(const struct page *pg)
{
    const struct diff *d = pg->d;
    enum style style = !d->numbers || d->other_waves || (!d->worse && diff_count_left(d)) ? STYLE_WARN
                       : d->worse                                                         ? STYLE_BAD
                                                                                          : STYLE_GOOD;
    char *text = diff_conclusion(d);
    fprintf(pg->t.out, "\n%s", style_on(&pg->t, style));
    print_wrapped(&pg->t, text ? text : "", 0, 2);
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
    free(text);
}

void diff_text(const struct diff *d, bool all, bool full_paths, FILE *out)
{
    struct page pg = {d, terminal_of(out), full_paths, false};
    print_database(&pg, "before:", d->profile[SIDE_A]);
    print_database(&pg, "after: ", d->profile[SIDE_B]);
    for (size_t i = 0; i < d->n_kernels; i++)
        if (all || !is_dull(&pg, &d->kernels[i]))
            print_kernel(&pg, &d->kernels[i], all);
    if (!all) {
        print_dull(&pg, true, "no change");
        print_dull(&pg, false, "not observed in either");
    }
    if (pg.assumed) {
        fputc('\n', out);
        print_wrapped(&pg.t, ASSUMED_LEGEND, 0, 2);
        fputc('\n', out);
    }
    print_conclusion(&pg);
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
    const struct ls_p_line *l = diff_line_of(e);
    char *heading = diff_heading(d, k);
    for (size_t i = 0; i < d->n_metrics && e->values; i++) {
        const struct diff_value *v = &e->values[i];
        if (!v->has[SIDE_A] && !v->has[SIDE_B])
            continue;
        csv_field(out, heading, 1);
        csv_field(out, diff_kernel_of(k)->mangled, 0);
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
        fprintf(out, ",%d", diff_assumed(d, e));
        csv_end(out);
    }
    free(heading);
}

void diff_csv(const struct diff *d, FILE *out)
{
    static const char *const heads[] = {"Kernel_Name",      "Mangled_Name", "Source_File",
                                        "Line_Before",      "Line_After",   "Access",
                                        "Address_Space",    "Handler",      "Metric",
                                        "Before",           "After",        "Change_Percent",
                                        "Verdict",          "Title_File",   "Title_Line_Before",
                                        "Title_Line_After", "Exact_Before", "Exact_After",
                                        "Phases_Assumed"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        csv_field(out, heads[i], i == 0);
    csv_end(out);
    for (size_t i = 0; i < d->n_kernels; i++) {
        csv_entry(d, &d->kernels[i], &d->kernels[i].total, out);
        for (size_t j = 0; j < d->kernels[i].n_lines; j++)
            csv_entry(d, &d->kernels[i], &d->kernels[i].lines[j], out);
    }
}
