/* lanescope explain [OPTION...] DB... */
#include "explain.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/output/changed.h"
#include "cli/output/databases.h"
#include "cli/output/names.h"
#include "common/names.h"
#include "file_named.h"
#include "results/file/error_text.h"
#include "results/reader/arena.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_JSON };

struct options {
    struct view_options view;
    char *file;         /* NULL: all */
    uint32_t line;      /* of the file */
    size_t top, budget; /* 0: no limit */
    enum form form;
    char **databases;
    size_t n_databases;
};

enum { KEY_LINE = 0x100, KEY_BUDGET, KEY_FORMAT, KEY_JSON };

static const struct argp_option explain_options[] = {
    KERNEL_OPTION,
    {"line", KEY_LINE, "FILE:LINE", 0,
     "only this source line; FILE may be the end of a path, and columns behind LINE make no difference", 0},
    {"top", 'n', "N", 0, "the N worst lines (default: 5; 0: all; with --line: all)", 0},
    {"format", KEY_FORMAT, "text|markdown|json", 0, "form of the output (default: text)", 0},
    {"json", KEY_JSON, NULL, 0, "the same as --format=json (schema lanescope-explain/1)", 0},
    {"budget", KEY_BUDGET, "BYTES", 0,
     "no more than so many bytes, and so no more tokens either: the worst lines that fit, and how many do "
     "not",
     0},
    OUTPUT_OPTION,
    FULL_PATHS_OPTION,
    LIBRARY_OPTION,
    {0},
};

/* ---- options ---- */

#define PLACE "FILE:LINE, as transpose.hip:20"

static void take_line(struct options *o, struct argp_state *state, char *arg)
{
    cut_columns(arg);
    char *colon = strrchr(arg, ':');
    if (!colon || colon == arg || !colon[1])
        argp_error(state, "--line: '%s' is not accepted; give " PLACE, arg);
    o->line = (uint32_t)option_number(state, "--line", colon + 1, UINT32_MAX, PLACE);
    *colon = 0;
    o->file = arg;
}

static void take_format(struct options *o, struct argp_state *state, const char *arg)
{
    static const char *const names[] = {"text", "markdown", "json"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(arg, names[i])) {
            o->form = (enum form)i;
            return;
        }
    argp_error(state, "--format: '%s' is not accepted; give text, markdown or json", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'n':
        o->top = option_number(state, "--top", arg, SIZE_MAX, "a number of lines, 0 for all");
        return 0;
    case KEY_BUDGET:
        o->budget = option_number(state, "--budget", arg, SIZE_MAX, "a number of bytes");
        return 0;
    case KEY_LINE:
        take_line(o, state, arg);
        return 0;
    case KEY_JSON:
        take_format(o, state, "json");
        return 0;
    case KEY_FORMAT:
        take_format(o, state, arg);
        return 0;
    case ARGP_KEY_ARG:
        *LS_PUSH(o->databases, o->n_databases) = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given; usage: lanescope explain [OPTION...] DB...");
        return 0;
    default:
        return take_view_option(key, arg, &o->view);
    }
}

const struct argp explain_argp = {explain_options,
                                  parse,
                                  "DB...",
                                  "Tells of the worst source lines, or of one line, what it costs, "
                                  "why, what to do about it, and what is left then. "
                                  "The predicted numbers come from the recorded accesses, replayed "
                                  "with another layout; how sure they are stands "
                                  "with them.\v"
                                  "Example:\n  lanescope explain --line transpose.hip:20 before.db\n"
                                  "  lanescope explain --format json --budget 4000 before.db",
                                  NULL,
                                  NULL,
                                  NULL};

/* ---- findings ---- */

static bool is_asked(const struct options *o, const struct ls_p_line *l)
{
    return !o->file || (l->title.line == o->line && is_file_named(l->title.file, o->file)) ||
           (l->line == o->line && is_file_named(l->file, o->file));
}

static int by_excess(const void *a, const void *b)
{
    const struct explain_finding *x = a, *y = b;
    return (x->excess < y->excess) - (x->excess > y->excess);
}

static void collect(struct explain *e, const struct options *o)
{
    for (size_t i = 0; i < e->profile->n_kernels; i++) {
        const struct ls_p_kernel *k = e->profile->kernels[i];
        for (size_t j = 0; j < k->n_lines; j++) {
            const struct ls_p_line *l = k->lines[j];
            double excess = ls_line_excess(e->profile, l);
            if (l->values.n && is_asked(o, l) && (o->file || excess > 0))
                *LS_PUSH(e->findings, e->n_findings) =
                    (struct explain_finding){.kernel = k, .line = l, .excess = excess};
        }
    }
    if (e->n_findings)
        qsort(e->findings, e->n_findings, sizeof(*e->findings), by_excess);
    e->n_all = e->n_findings;
    if (!o->file && o->top && e->n_findings > o->top)
        e->n_findings = o->top;
    for (size_t i = 0; i < e->n_findings; i++)
        explain_fill(e->profile, &e->findings[i]);
}

/* ---- output ---- */

static int write_form(const struct explain *e, size_t n, const struct options *o, FILE *out)
{
    if (o->form == FORM_JSON)
        return explain_json(e, n, out);
    explain_text(e, n, o->form == FORM_MARKDOWN, out);
    return 0;
}

/* The output with the first n findings. malloc'd; NULL when out of memory. */
static char *render(const struct explain *e, size_t n, const struct options *o, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    int rc = write_form(e, n, o, out);
    if (fclose(out) || rc) {
        free(text);
        return NULL;
    }
    return text;
}

const char *const explain_part_field[EXPLAIN_PARTS] = {"remarks", "launch",  "why",
                                                       "source",  "changes", "costs"};
const char *const explain_part_words[EXPLAIN_PARTS] = {"remarks",    "the launch",    "why",
                                                       "the source", "other changes", "other costs"};

char *explain_cut(const struct explain *e, const char *text)
{
    size_t n = strlen(text);
    if (!e->cut || n <= e->cut)
        return strdup(text);
    for (n = e->cut; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    return ls_text("%.*s...", (int)n, text);
}

unsigned explain_dropped(const struct explain *e, const struct explain_finding *f)
{
    size_t changes = 0, remarks = 0;
    for (size_t i = 0; i < f->n_advice; i++) {
        changes += f->advice[i].kind == LS_ADVICE_CHANGE;
        remarks += f->advice[i].kind == LS_ADVICE_NO_CHANGE;
    }
    const char *source = f->line->title_source ? f->line->title_source : f->line->source;
    const unsigned has = (remarks || f->doubt ? EXPLAIN_REMARKS : 0u) | EXPLAIN_LAUNCH |
                         (f->n_why ? EXPLAIN_WHY : 0u) | (source && *source ? EXPLAIN_SOURCE : 0u) |
                         (changes > 1 ? EXPLAIN_CHANGES : 0u) | (f->n_costs > 1 ? EXPLAIN_COSTS : 0u);
    return e->dropped & has;
}

bool explain_shows_cost(const struct explain *e, const struct explain_finding *f, size_t cost)
{
    size_t first = 0;
    if (!(e->dropped & EXPLAIN_COSTS))
        return true;
    while (first < f->n_costs && e->profile->metrics[f->costs[first].metric].view.excess <= 0)
        first++;
    return cost == (first < f->n_costs ? first : 0);
}

/* The worst finding, with less and less of it until it fits; NULL: not even the least does. */
static char *fit_one(struct explain *e, const struct options *o, size_t *size)
{
    enum {
        LESS = EXPLAIN_REMARKS,
        LESSER = LESS | EXPLAIN_LAUNCH,
        STILL = LESSER | EXPLAIN_WHY | EXPLAIN_SOURCE
    };
    static const struct {
        size_t cut;
        unsigned dropped;
    } steps[] = {{100, 0},
                 {100, LESS},
                 {100, LESSER},
                 {100, STILL},
                 {100, STILL | EXPLAIN_CHANGES},
                 {100, STILL | EXPLAIN_CHANGES | EXPLAIN_COSTS},
                 {40, STILL | EXPLAIN_CHANGES | EXPLAIN_COSTS}};
    for (size_t i = 0; e->n_findings && i < sizeof(steps) / sizeof(*steps); i++) {
        e->cut = steps[i].cut;
        e->dropped = steps[i].dropped;
        char *text = render(e, 1, o, size);
        if (!text || *size <= o->budget)
            return text;
        free(text);
    }
    e->cut = e->dropped = 0;
    return NULL;
}

/* The largest output within the budget. Where not even one finding fits, there is less of that. */
static char *fit(struct explain *e, const struct options *o, size_t *size)
{
    size_t low = 0, high = e->n_findings;
    char *text = render(e, high, o, size);
    if (!text || !o->budget || *size <= o->budget)
        return text;
    while (low < high) { /* low findings fit, or are not known to; more than high do not */
        size_t middle = (low + high + 1) / 2;
        free(text);
        text = render(e, middle, o, size);
        if (!text)
            return NULL;
        if (*size <= o->budget)
            low = middle;
        else
            high = middle - 1;
    }
    free(text);
    text = low ? NULL : fit_one(e, o, size);
    return text ? text : render(e, low, o, size);
}

static int write_out(struct explain *e, const struct options *o)
{
    size_t size = 0;
    char *text = NULL;
    FILE *out = open_output(o->view.output, o->databases, o->n_databases);
    int rc = EXIT_OK;
    if (!out)
        return EXIT_FAILED;
    if (!o->budget) {
        rc = write_form(e, e->n_findings, o, out) ? EXIT_FAILED : EXIT_OK;
    } else {
        text = fit(e, o, &size);
        rc = text && size <= o->budget ? EXIT_OK : EXIT_FAILED;
        if (!rc)
            fwrite(text, 1, size, out);
    }
    if (rc && text) {
        message("--budget: %zu bytes hold not even the frame, which takes %zu", o->budget, size);
        rc = EXIT_USAGE;
    } else if (rc) {
        message("out of memory");
    }
    free(text);
    return output_file_close(out, o->view.output, rc);
}

static int tell_no_line(const struct options *o)
{
    message(
        "--line: no access at %s:%u was observed%s; `lanescope annotate` shows the lines that have numbers",
        o->file, o->line, o->view.kernel ? " in these kernels" : "");
    return EXIT_FAILED;
}

static int explain(const struct ls_profile *p, const struct options *o)
{
    struct explain e = {.profile = p, .full_paths = o->view.full_paths};
    collect(&e, o);
    int rc = o->file && !e.n_findings ? tell_no_line(o) : 0;
    if (!rc && !e.n_findings && o->form != FORM_JSON) {
        FILE *out = open_output(o->view.output, o->databases, o->n_databases);
        if (out)
            fputs(ls_profile_is_observed(p) ? "no line does more than its data need\n"
                                            : "nothing was observed, so there is nothing to explain\n",
                  out);
        rc = out ? output_file_close(out, o->view.output, EXIT_OK) : EXIT_FAILED;
    } else if (!rc) {
        rc = write_out(&e, o);
    }
    explain_free(&e);
    return rc;
}

int verb_explain(int argc, char **argv)
{
    struct options o = {.top = 5};
    struct ls_profile *p = NULL;
    if (argp_parse(&explain_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    int rc = load_profile(&p, o.databases, o.n_databases, o.view.kernel, o.form == FORM_JSON ? LOAD_RAW : 0);
    if (!rc) {
        tell_changed_sources(p);
        rc = explain(p, &o);
        tell_doubts(p);
    }
    ls_profile_free(p);
    free(o.databases);
    return rc;
}
