/* lanescope summary DB... */
#include "summary.h"
#include "common/plural.h"
#include "summary_parts.h"
#include "cli/output/blind.h"
#include "cli/common/cli.h"
#include "cli/common/progress.h"
#include "cli/output/databases.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "cli/output/times.h"
#include "cli/common/safe_output.h"
#include "results/profile/tables.h"
#include "cli/output/terminal.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

/* Estimated lines that are named; the report names all. */
#define MOST_PLACES 8

static void print_database(const struct terminal *t, const struct ls_p_database *d, const char *prefix)
{
    fprintf(t->out, "%s%s%s%s%s%s", prefix, style_on(t, STYLE_TITLE), d->path, style_off(t),
            *d->part ? ": " : "", d->part);
    if (d->partial)
        fprintf(t->out, "  %s(partial: the process %s)%s", style_on(t, STYLE_WARN),
                d->live ? "is still running" : "was killed, or its results could not be written",
                style_off(t));
    fputc('\n', t->out);
}

static void print_counts(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    const struct summary_counts c = summary_count(p);
    fprintf(t->out, "%s  %s kernel%s (%s instrumented", prefix, show_count((double)p->n_kernels),
            p->n_kernels == 1 ? "" : "s", show_count((double)c.instrumented));
    if (c.alone)
        fprintf(t->out, ", %s by machine instructions alone", show_count((double)c.alone));
    fprintf(t->out, "), %s dispatch%s (%s observed)", show_count((double)c.dispatches),
            c.dispatches == 1 ? "" : "es", show_count((double)c.observed));
    if (c.instructions)
        fprintf(t->out, ", %zu of %zu memory %s observed", c.covered, c.instructions,
                ls_word((double)c.instructions, "instruction", "instructions"));
    fputc('\n', t->out);
    for (size_t i = 0; i < p->n_databases; i++)
        if (*p->databases[i].filters &&
            (i == 0 || strcmp(p->databases[i].filters, p->databases[i - 1].filters)))
            fprintf(t->out, "%s  %s%s%s\n", prefix, style_on(t, STYLE_WARN), p->databases[i].filters,
                    style_off(t));
    char *exact = exactness_text(p, false, MOST_PLACES);
    if (exact) {
        fprintf(t->out, "%s  %s", prefix, style_on(t, strstr(exact, "; ") ? STYLE_WARN : STYLE_DIM));
        print_cut(t, exact, text_width(exact));
        fprintf(t->out, "%s\n", style_off(t));
    }
    free(exact);
    if (c.dropped)
        fprintf(t->out, "%s  %s%s %s dropped: the numbers are too small%s\n", prefix, style_on(t, STYLE_WARN),
                show_count((double)c.dropped), ls_word((double)c.dropped, "message", "messages"),
                style_off(t));
    if (c.unlisted)
        fprintf(t->out, "%s  %s%s access%s by code without a symbol: the numbers are too small%s\n", prefix,
                style_on(t, STYLE_WARN), show_count((double)c.unlisted), c.unlisted == 1 ? "" : "es",
                style_off(t));
}

/* Instructions that the numbers leave out, and numbers that cannot all be right. */
static void print_unexplained(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    const struct summary_counts c = summary_count(p);
    if (c.unexplained)
        fprintf(t->out,
                "%s  %s%s vector memory instruction%s that no observed access explains: see the report%s\n",
                prefix, style_on(t, STYLE_WARN), show_count((double)c.unexplained),
                c.unexplained == 1 ? "" : "s", style_off(t));
    if (c.contradictions)
        fprintf(t->out, "%s  %s%s %s numbers of executions that contradict each other: see the report%s\n",
                prefix, style_on(t, STYLE_WARN), show_count((double)c.contradictions),
                ls_word((double)c.contradictions, "instruction has", "instructions have"), style_off(t));
}

/* Whether a number of the handler is not exact: then nothing found is not nothing there. */
static bool has_estimates(const struct ls_profile *p, const char *handler)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++) {
            const struct ls_p_line *line = p->kernels[i]->lines[j];
            double v;
            for (size_t m = 0; m < p->n_metrics && !ls_line_exact(p, line); m++)
                if (!strcmp(p->metrics[m].handler, handler) && ls_profile_value(p, &line->values, m, &v))
                    return true;
        }
    return false;
}

static void print_worst(const struct terminal *t, const struct ls_profile *p, const struct summary_line *w,
                        const char *prefix)
{
    bool software = w->kernel->software_time && ls_measures_time(p, w->table->handler);
    fprintf(t->out, "%s  %s%s: ", prefix, w->table->title, software ? " (software GPU time)" : "");
    if (w->table->note && (w->weight <= 0 || w->table->by_count)) {
        print_cut(t, w->table->note, text_width(w->table->note));
        fputc('\n', t->out);
        return;
    }
    if (w->weight <= 0) {
        const char *clean = w->table->clean;
        for (size_t i = 0; !clean && i < p->n_metrics; i++)
            if (!strcmp(p->metrics[i].handler, w->table->handler))
                clean = p->metrics[i].name;
        bool inexact = has_estimates(p, w->table->handler);
        fprintf(t->out, "%s%s%s%s%s\n", style_on(t, inexact ? STYLE_WARN : STYLE_GOOD),
                clean ? clean : "nothing counted", w->table->clean || !clean ? "" : ": 0 at every line",
                inexact ? ", but some numbers are not exact" : "", style_off(t));
        return;
    }
    char *place = line_place(p, w->line, false), *access = line_access(w->line, true);
    fprintf(t->out, "worst %s%s%s %s", style_on(t, STYLE_PLACE), place, style_off(t), access);
    free(place);
    free(access);
    for (size_t i = 0, shown = 0; i < w->table->n_columns && shown < 4; i++) {
        double v;
        const struct ls_p_metric *m = &p->metrics[w->table->columns[i].metric];
        if (w->table->columns[i].show >= LANESCOPE_SHOW_RARE || m->view.role == LANESCOPE_ROLE_EXECUTIONS ||
            m->view.role == LANESCOPE_ROLE_LANES ||
            !ls_profile_value(p, &w->line->values, (size_t)w->table->columns[i].metric, &v) ||
            (w->table->columns[i].show == LANESCOPE_SHOW_COST && !v))
            continue;
        fprintf(t->out, ", %s %s%s%s", m->name, value_mark(p, w->line, (size_t)w->table->columns[i].metric),
                m->is_ratio ? show_ratio(v) : show_count(v), m->is_ratio && !strcmp(m->unit, "%") ? "%" : "");
        if (m->view.role == LANESCOPE_ROLE_COALESCING && ls_shows_all_coalesced(p, w->line))
            fputs(" (of requests, not of lines)", t->out);
        shown++;
    }
    char *heading = kernel_heading(p, w->kernel);
    fputs(" in ", t->out);
    print_kernel_name(t, heading, 40);
    free(heading);
    if (w->table->note && ls_measures_time(p, w->table->handler)) {
        fputs("; ", t->out);
        print_cut(t, w->table->note, text_width(w->table->note));
    }
    fputc('\n', t->out);
}

static void print_tables(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    struct summary_worst w;
    summary_find_worst(&w, p);
    for (size_t i = 0; i < w.n; i++)
        print_worst(t, p, &w.list[i], prefix);
    summary_worst_free(&w);
}

static int load(struct ls_profile **profile, const char *const *names, size_t n, bool raw)
{
    struct ls_profile *p = *profile = ls_profile_new();
    int rc = 0;
    p->raw = raw;
    apply_libraries(p);
    for (size_t i = 0; i < n; i++) {
        char *error = NULL;
        progress("reading databases", i, n);
        if (ls_profile_add_file(p, names[i], NULL, &error)) {
            message_free(error);
            rc = EXIT_DATABASE;
        }
    }
    progress_end();
    ls_profile_added(p);
    return rc;
}

static void print_all(const struct terminal *t, const struct ls_profile *p, const char *prefix)
{
    struct named_databases named = {.profile = p};
    for (const struct ls_p_database *d; (d = next_named(&named));)
        print_database(t, d, prefix);
    char *more = more_databases(&named);
    if (more)
        fprintf(t->out, "%s%s\n", prefix, more);
    free(more);
    if (p->n_databases) {
        print_counts(t, p, prefix);
        print_unexplained(t, p, prefix);
        blind_summary(t, p, prefix);
        print_tables(t, p, prefix);
        print_times_summary(t, p, prefix);
    }
    for (size_t i = 0; i < p->n_notes; i++)
        if (p->notes[i].level <= 1)
            fprintf(t->out, "%s  %s%s: %s%s\n", prefix,
                    style_on(t, p->notes[i].level ? STYLE_WARN : STYLE_BAD),
                    p->notes[i].level ? "warning" : "error", p->notes[i].text, style_off(t));
}

int summary_print(FILE *out, const char *const *names, size_t n, const char *prefix)
{
    char *text = NULL;
    size_t size = 0;
    const struct terminal t = terminal_of(out);
    struct terminal kept = t;
    struct ls_profile *p;
    int rc = load(&p, names, n, false);
    kept.out = open_memstream(&text, &size);
    if (kept.out) {
        print_all(&kept, p, prefix);
        fclose(kept.out);
        print_broken(&t, text, prefix, 4);
    }
    free(text);
    ls_profile_free(p);
    return rc;
}

static int print_json(const char *const *names, size_t n)
{
    struct ls_profile *p;
    int rc = load(&p, names, n, true);
    json_t *root = summary_json(p);
    if (!root || write_json(root, stdout))
        rc = EXIT_FAILED;
    json_decref(root);
    ls_profile_free(p);
    return rc;
}

struct options {
    bool json;
    char **databases;
    size_t n;
};

enum { KEY_JSON = 0x100 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_LIBRARY:
        add_library_option(arg);
        return 0;
    default:
        return take_databases(key, state, &o->databases, &o->n);
    }
}

static const struct argp_option summary_options[] = {
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-summary/1)", 0}, LIBRARY_OPTION, {0}};

const struct argp summary_argp = {
    summary_options,
    parse,
    "DATABASE...",
    "Shows in a few lines what databases hold: kernels, coverage, and the worst line of each handler.",
    NULL,
    NULL,
    NULL};

int verb_summary(int argc, char **argv)
{
    struct options o = {0};
    if (argp_parse(&summary_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    const char *const *names = (const char *const *)o.databases;
    int rc = o.json ? print_json(names, o.n) : summary_print(stdout, names, o.n, "");
    int closed = close_output(stdout, NULL);
    return rc ? rc : closed;
}
