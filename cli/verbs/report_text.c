/* The report for people. */
#include "results/profile/coverage.h"
#include "results/profile/unexplained.h"
#include "cli/output/databases.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "cli/output/overview.h"
#include "gpus/gpus.h"
#include "results/file/error_text.h"
#include "report_page.h"
#include "common/plural.h"
#include "report_as.h"
#include "cli/output/blind.h"
#include "report_findings.h"
#include "cli/output/times.h"

#include <stdlib.h>
#include <string.h>

#define TIMES_MOST 10 /* rows of a table of times, unless --stats is given */

static void print_launches(const struct page *pg, const struct ls_p_kernel *k)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s dispatch%s", show_count((double)k->dispatches), k->dispatches == 1 ? "" : "es");
    if (k->dispatches && k->observed == k->dispatches)
        fprintf(out, k->dispatches == 1 ? ", observed" : ", all observed");
    else if (k->dispatches)
        fprintf(out, ", %s observed", show_count((double)k->observed));
    for (size_t i = 0; i < k->n_not_observed; i++)
        fprintf(out, "%s%s %s%s", i ? ", " : "; not: ", show_count((double)k->not_observed[i].n),
                k->not_observed[i].name, blind_hint(k));
    if (k->dispatches) {
        fprintf(out, "; grid %ux%ux%u, work-group %ux%ux%u", k->grid[0], k->grid[1], k->grid[2],
                k->workgroup[0], k->workgroup[1], k->workgroup[2]);
        if (k->shapes > 1)
            fprintf(out, " and %s other shape%s", show_count((double)k->shapes - 1),
                    k->shapes == 2 ? "" : "s");
        fprintf(out, "; %s%s%s", show_time((double)k->duration_ns), k->software_time ? " of " : "",
                k->software_time ? ls_time_source(k) : "");
        if (k->software_time)
            fputs(" time", out);
    }
    fclose(out);
    report_print_sentence(pg, STYLE_DIM, text);
    free(text);
}

static void print_losses(const struct page *pg, const struct ls_p_kernel *k)
{
    char *reason = ls_kernel_reason(k), *text = NULL;
    const char *fix = k->dropped ? " (--on-full wait, or a larger --ring-size)" : "";
    if (reason && asprintf(&text, INEXACT_MARK " the numbers are too small: %s%s", reason, fix) >= 0)
        report_print_sentence(pg, STYLE_WARN, text);
    free(text);
    free(reason);
}

static void show_with_unit(const struct ls_p_metric *m, double v, char out[96])
{
    char unit[64];
    ls_unit(v, m->unit, unit, sizeof unit);
    if (!strcmp(m->unit, "ns"))
        snprintf(out, 96, "%s", show_time(v));
    else
        snprintf(out, 96, "%s%s%s", m->is_ratio ? show_ratio(v) : show_count(v), strcmp(unit, "%") ? " " : "",
                 unit);
}

/* What a dispatch has, pages that it touches for example, adds up over dispatches: it is said, or it would be taken for the kernel's. */
static void print_kernel_values(const struct page *pg, const struct ls_p_kernel *k)
{
    char sum[64];
    snprintf(sum, sizeof sum, ", sum of %s dispatches", show_count((double)k->observed));
    for (size_t i = 0; i < pg->r->profile->n_metrics; i++) {
        const struct ls_p_metric *m = &pg->r->profile->metrics[i];
        double v;
        char text[512], number[96];
        if (!ls_profile_value(pg->r->profile, &k->values, i, &v))
            continue;
        bool software = k->software_time && m->view.role == LANESCOPE_ROLE_TIME;
        show_with_unit(m, v, number);
        snprintf(text, sizeof(text), "%s, whole kernel%s: %s%s%s", m->name,
                 m->is_ratio || k->observed < 2 ? "" : sum, ls_kernel_partial(k) ? INEXACT_MARK : "", number,
                 software ? " of software GPU time" : "");
        report_print_sentence(pg, STYLE_CODE, text);
    }
}

/* That nothing was joined here, and that no GPU has said it. */
static void print_alone(const struct page *pg, const struct ls_p_kernel *k)
{
    char text[512];
    snprintf(text, sizeof(text),
             "%s: each machine instruction is a row, with what it accessed on the software GPU",
             k->not_instrumented);
    report_print_sentence(pg, STYLE_DIM, text);
}

/* RDNA has kernels of both sizes, and one program may have one kernel in both. */
static void print_unusual_lanes(const struct page *pg, const struct ls_p_kernel *k)
{
    char text[128];
    if (ls_kernel_lanes(k) == ls_gpu_lanes(k->arch))
        return;
    snprintf(text, sizeof(text), "wavefronts of %u lanes; others on %.32s have %u", ls_kernel_lanes(k),
             k->arch, ls_gpu_lanes(k->arch));
    report_print_sentence(pg, STYLE_DIM, text);
}

static void print_kernel(struct page *pg, const struct ls_p_kernel *k)
{
    const struct terminal *t = &pg->t;
    size_t n;
    fprintf(t->out, "\n%s", style_on(t, STYLE_TITLE));
    int arch = text_width(k->arch);
    char *heading = kernel_heading(pg->r->profile, k);
    int used = print_kernel_name(t, heading, t->width - arch - GAP);
    free(heading);
    fputs(style_off(t), t->out);
    print_padding(t, t->width - arch - used > GAP ? t->width - arch - used : GAP);
    fprintf(t->out, "%s%s%s\n", style_on(t, STYLE_DIM), k->arch, style_off(t));
    print_launches(pg, k);
    print_unusual_lanes(pg, k);
    if (k->not_instrumented && k->n_not_observed == 1 && strstr(k->not_observed[0].name, k->not_instrumented))
        return; /* said already */
    if (k->not_instrumented && k->alone) {
        print_alone(pg, k);
    } else if (k->not_instrumented) {
        char text[512];
        snprintf(text, sizeof(text), "not instrumented: %s", k->not_instrumented);
        report_print_sentence(pg, STYLE_WARN, text);
        return;
    }
    char *coverage = k->observed ? ls_coverage_text(k) : NULL;
    if (coverage)
        report_print_sentence(pg, k->n_not_covered ? STYLE_WARN : STYLE_DIM, coverage);
    free(coverage);
    char *unexplained = ls_unexplained_text(k);
    if (unexplained)
        report_print_sentence(pg, STYLE_WARN, unexplained);
    free(unexplained);
    char *arguments = ls_arguments_text(k);
    if (arguments)
        report_print_sentence(pg, STYLE_DIM, arguments);
    free(arguments);
    print_losses(pg, k);
    print_kernel_values(pg, k);
    struct ls_table *tables = ls_tables(pg->r->profile, k, &pg->r->tables, &n);
    for (size_t i = 0; i < n; i++)
        report_print_table(pg, k, &tables[i]);
    ls_tables_free(tables, n);
    report_print_rows(pg, k);
}

static void print_database(const struct page *pg, const struct ls_p_database *d)
{
    const struct terminal *t = &pg->t;
    fprintf(t->out, "%s%s%s", style_on(t, STYLE_TITLE), d->path, style_off(t));
    if (d->partial)
        fprintf(t->out, "  %s%s%s", style_on(t, STYLE_WARN),
                d->live ? "PARTIAL: the program is still running"
                        : "PARTIAL: the program was killed, or its results could not be written; what was "
                          "committed is shown",
                style_off(t));
    fputc('\n', t->out);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s%s%s (process %lld%s%s on %s, %s, %s)", d->part, *d->part ? ": " : "",
            *d->command ? d->command : "unknown command", (long long)d->pid, *d->rank ? ", rank " : "",
            d->rank, *d->hostname ? d->hostname : "unknown host", *d->gpu ? d->gpu : "unknown GPU",
            d->created);
    fclose(out);
    report_print_sentence(pg, STYLE_DIM, text);
    free(text);
    if (*d->filters)
        report_print_sentence(pg, STYLE_WARN, d->filters);
}

static void print_databases(const struct page *pg)
{
    struct named_databases named = {.profile = pg->r->profile};
    for (const struct ls_p_database *d; (d = next_named(&named));)
        print_database(pg, d);
    char *more = more_databases(&named);
    if (more)
        fprintf(pg->t.out, "%s\n", more);
    free(more);
}

static void print_notes(const struct page *pg)
{
    static const char *const levels[] = {"error: ", "warning: ", "note: "};
    const struct ls_profile *p = pg->r->profile;
    for (size_t i = 0; i < p->n_notes; i++) {
        int level = p->notes[i].level < 0 ? 0 : p->notes[i].level > 2 ? 2 : p->notes[i].level;
        const struct terminal *t = &pg->t;
        if (i == 0)
            fputc('\n', t->out);
        fprintf(t->out, "%s%s%s",
                style_on(t, level == 0   ? STYLE_BAD
                            : level == 1 ? STYLE_WARN
                                         : STYLE_DIM),
                levels[level], style_off(t));
        print_wrapped(t, p->notes[i].text, text_width(levels[level]), INDENT);
        if (p->notes[i].count > 1)
            fprintf(t->out, " (%d times)", p->notes[i].count);
        fputc('\n', t->out);
    }
}

static void print_group(struct page *pg, const struct blind *b)
{
    char *group = blind_text(b, true);
    const bool hinted = group && !b->runtime && *blind_hint(b->first); /* then it ends with a parenthesis */
    char *text = group ? ls_text("not observed: %.*s%s--kernel . shows %s)", (int)strlen(group) - hinted,
                                 group, hinted ? "; " : " (", b->kernels == 1 ? "it" : "them")
                       : NULL;
    fputc('\n', pg->t.out);
    report_print_sentence(pg, STYLE_WARN, text ? text : "");
    free(text);
    free(group);
}

static bool is_shown(const struct page *pg, const struct blind *groups, size_t n, const struct ls_p_kernel *k)
{
    const struct blind *group = blind_of(groups, n, k);
    return pg->r->all_kernels || (k->dispatches && (!group || !blind_is_folded(group)));
}

/* What --sort sorts by is no column of the table. */
static void print_order(const struct page *pg)
{
    const int sort = pg->r->tables.sort;
    if (sort < 0)
        return;
    const struct ls_p_metric *m = &pg->r->profile->metrics[sort];
    char *text = ls_text("sorted by %s.%s, %s first", m->handler, m->name,
                         ls_metric_direction(pg->r->profile, sort) < 0 ? "least" : "most");
    report_print_sentence(pg, STYLE_DIM, text);
    free(text);
}

/* A table of all, and details of the worst. Libraries bring thousands of kernels; those that nothing is known
 * of take one line a library, those that were not dispatched are only counted. */
static size_t print_shown(struct page *pg, const struct blind *groups, size_t n_groups)
{
    const struct ls_profile *p = pg->r->profile;
    const struct ls_p_kernel **shown = NULL;
    size_t n = 0, most;
    for (size_t i = 0; i < p->n_kernels; i++)
        if (is_shown(pg, groups, n_groups, p->kernels[i]))
            *LS_PUSH(shown, n) = p->kernels[i];
    most = pg->r->kernels && pg->r->kernels < n ? pg->r->kernels : n;
    if (n > 1) {
        fputc('\n', pg->t.out);
        print_overview(&pg->t, p, shown, n, pg->r->full_paths);
        report_print_sentence(pg, STYLE_DIM, "Excess: work beyond need, in about cycles of the memory path");
        print_order(pg);
    }
    for (size_t i = 0; i < most; i++)
        print_kernel(pg, shown[i]);
    if (most < n)
        fprintf(pg->t.out, "\n%sdetails of %s other kernel%s with --kernels 0%s\n",
                style_on(&pg->t, STYLE_DIM), show_count((double)(n - most)), n - most == 1 ? "" : "s",
                style_off(&pg->t));
    free(shown);
    return n;
}

static void print_kernels(struct page *pg)
{
    const struct ls_profile *p = pg->r->profile;
    size_t idle = 0, n;
    struct blind *groups = blind_groups(p, &n);
    size_t shown = print_shown(pg, groups, n);
    for (size_t i = 0; i < p->n_kernels && !pg->r->all_kernels; i++)
        idle += !p->kernels[i]->dispatches;
    for (size_t i = 0; i < n && !pg->r->all_kernels; i++)
        if (blind_is_folded(&groups[i]))
            print_group(pg, &groups[i]);
    free(groups);
    if (!shown && idle == p->n_kernels)
        fprintf(pg->t.out, "\nno kernels were dispatched%s\n",
                idle ? " (--kernel . shows those that were loaded)" : "");
    else if (idle)
        fprintf(pg->t.out, "\n%s%s other kernel%s not dispatched (--kernel . shows them)%s\n",
                style_on(&pg->t, STYLE_DIM), show_count((double)idle), idle == 1 ? " was" : "s were",
                style_off(&pg->t));
}

static void print_exactness(const struct page *pg)
{
    char *text = exactness_text(pg->r->profile, pg->r->full_paths, 0);
    if (text)
        report_print_sentence(pg, strstr(text, "; ") ? STYLE_WARN : STYLE_DIM, text);
    free(text);
}

/* What a mark means, under all tables. */
static void print_legend(const struct terminal *t, const char *text)
{
    fputc('\n', t->out);
    print_wrapped(t, text, 0, 2);
    fputc('\n', t->out);
}

static void print_as(const struct page *pg)
{
    size_t n = 0;
    char **list = pg->r->profile->as ? as_assumptions(pg->r->profile, &n) : NULL;
    if (n)
        fprintf(pg->t.out, "%sAS ON %s%s\n", style_on(&pg->t, STYLE_WARN), pg->r->profile->as,
                style_off(&pg->t));
    for (size_t i = 0; i < n; i++) {
        report_print_sentence(pg, STYLE_WARN, list[i] ? list[i] : "");
        free(list[i]);
    }
    free(list);
}

void report_stats(const struct report *r, FILE *out)
{
    struct page pg = {.r = r, .t = terminal_of(out)};
    print_databases(&pg);
    print_times(&pg.t, r->profile, 0, TIMES_KERNELS | (r->all_kernels ? 0 : TIMES_OTHERS));
    print_notes(&pg);
}

void report_text(const struct report *r, FILE *out)
{
    struct page pg = {.r = r, .t = terminal_of(out)};
    print_databases(&pg);
    print_as(&pg);
    print_exactness(&pg);
    report_findings_text(&pg.t, r->profile, r->full_paths);
    print_kernels(&pg);
    print_times(&pg.t, r->profile, TIMES_MOST, r->all_kernels ? 0 : TIMES_OTHERS); /* --stats: kernels, too */
    if (pg.merged)
        print_legend(&pg.t,
                     "* one instruction of the compiled kernel does this access together with neighbouring "
                     "ones of the source: its numbers stand once, at the line that the compiler gave the "
                     "instruction");
    if (pg.inexact)
        print_legend(&pg.t, INEXACT_LEGEND);
    if (pg.assumed)
        print_legend(&pg.t, ASSUMED_LEGEND);
    print_notes(&pg);
}
