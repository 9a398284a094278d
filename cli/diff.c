/* lanescope diff [OPTION...] A B */
#include "diff.h"
#include "changed.h"
#include "cli.h"
#include "databases.h"
#include "tables.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
    const char *kernel, *output;
    const char **metrics;
    size_t n_metrics;
    double threshold;
    bool per_dispatch, all, full_paths;
    enum form form;
    char *databases[SIDES];
    int n_databases;
};

enum { KEY_JSON = 0x100, KEY_CSV, KEY_FULL, KEY_ALL, KEY_PER_DISPATCH };

static const struct argp_option option_list[] = {
    {"threshold", 't', "PERCENT", 0, "what grows by no more than this is not worse (default: 0)", 0},
    {"metric", 'm', "METRIC", 0,
     "compare this metric; can be repeated (default: bank and address conflicts, LDS cycles, cache lines, "
     "lanes "
     "per address of atomics, and the first metric of other handlers)",
     0},
    {"kernel", 'k', "REGEX", 0, "only kernels whose name matches this extended regular expression", 0},
    {"per-dispatch", KEY_PER_DISPATCH, NULL, 0, "compare averages of the observed dispatches instead of sums",
     0},
    {"all", KEY_ALL, NULL, 0, "show lines that did not change, too", 0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-diff/1)", 0},
    {"csv", KEY_CSV, NULL, 0, "write CSV (RFC 4180), one record per line and metric", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of the terminal", 0},
    {"full-paths", KEY_FULL, NULL, 0, "show whole paths of source files", 0},
    LIBRARY_OPTION,
    {0},
};

static double parse_percent(struct argp_state *state, const char *arg)
{
    char *end;
    double x = strtod(arg, &end);
    if (end != arg && *end == '%')
        end++;
    if (end == arg || *end || !(x >= 0 && x < 1e9))
        argp_error(state, "--threshold: '%s' is not accepted; give a percentage, as 5", arg);
    return x;
}

static error_t parse_word(struct options *o, struct argp_state *state, char *arg)
{
    if (o->n_databases == SIDES)
        argp_error(state, "'%s' is one database too many; give two", arg);
    o->databases[o->n_databases++] = arg;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 't':
        o->threshold = parse_percent(state, arg);
        return 0;
    case 'm':
        *LS_PUSH(o->metrics, o->n_metrics) = arg;
        return 0;
    case 'k':
        o->kernel = arg;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case KEY_PER_DISPATCH:
        o->per_dispatch = true;
        return 0;
    case KEY_ALL:
        o->all = true;
        return 0;
    case KEY_LIBRARY:
        add_library_option(arg);
        return 0;
    case KEY_FULL:
        o->full_paths = true;
        return 0;
    case KEY_JSON:
    case KEY_CSV:
        if (o->form != FORM_TEXT && o->form != (key == KEY_JSON ? FORM_JSON : FORM_CSV))
            argp_error(state, "--json and --csv exclude each other; compare twice");
        o->form = key == KEY_JSON ? FORM_JSON : FORM_CSV;
        return 0;
    case ARGP_KEY_ARG:
        return parse_word(o, state, arg);
    case ARGP_KEY_END:
        if (o->n_databases < SIDES)
            argp_error(state, "two databases are needed: the one to compare with, and the new one");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp diff_argp = {
    option_list,
    parse,
    "BEFORE AFTER",
    "Compares two databases per kernel and source line. Lines are matched by the stored source texts, so "
    "that edits "
    "above them do not matter. The exit code is 1 when a number of a kernel, or of a line that is in both, "
    "got worse "
    "by more than the threshold.\v"
    "Example:\n  lanescope diff --threshold 5 before_srclines.db after_srclines.db",
    NULL,
    NULL,
    NULL};

/* The metric of one profile in the other's terms. */
static void add_metric(struct diff *d, const struct ls_p_metric *m, bool chosen)
{
    for (size_t i = 0; i < d->n_metrics; i++)
        if (!strcmp(d->metrics[i].handler, m->handler) && !strcmp(d->metrics[i].name, m->name))
            return;
    struct diff_metric *out = LS_PUSH(d->metrics, d->n_metrics);
    *out = (struct diff_metric){
        .handler = m->handler, .name = m->name, .unit = m->unit, .is_ratio = m->is_ratio};
    for (int side = 0; side < SIDES; side++) {
        out->index[side] = ls_profile_metric(d->profile[side], m->handler, m->name);
        if (out->index[side] >= 0 && !out->direction)
            out->direction = ls_metric_direction(d->profile[side], out->index[side]);
    }
    if (chosen && !out->direction)
        out->direction = 1;
}

/* 0, or an exit code after a message. */
static int choose_metrics(struct diff *d, const struct options *o)
{
    for (size_t i = 0; i < o->n_metrics; i++) {
        const struct ls_p_metric *metric;
        int rc = find_metric_of(d->profile, SIDES, "--metric", o->metrics[i], &metric);
        if (rc)
            return rc;
        add_metric(d, metric, true);
    }
    for (int side = 0; side < SIDES && !o->n_metrics; side++)
        for (size_t i = 0; i < d->profile[side]->n_metrics; i++) {
            const struct ls_p_metric *m = &d->profile[side]->metrics[i];
            if (ls_is_cost(d->profile[side], (int)i))
                add_metric(d, m, false);
        }
    return 0;
}

static int write_diff(const struct diff *d, const struct options *o)
{
    FILE *out = open_output(o->output);
    int rc = EXIT_OK;
    if (!out)
        return EXIT_FAILED;
    if (o->form == FORM_CSV) {
        diff_csv(d, out);
    } else if (o->form == FORM_JSON) {
        if (diff_json(d, out)) {
            message("out of memory");
            rc = EXIT_FAILED;
        }
    } else {
        diff_text(d, o->all, o->full_paths, out);
    }
    int closed = close_output(out, o->output);
    return rc ? rc : closed;
}

static void warn_of_filters(const struct diff *d)
{
    const char *filters[SIDES];
    for (int side = 0; side < SIDES; side++)
        filters[side] = d->profile[side]->n_databases ? d->profile[side]->databases[0].filters : "";
    if (strcmp(filters[SIDE_A], filters[SIDE_B]))
        message("the recordings are of different wavefronts, so their numbers cannot be compared; before: "
                "%s; after: %s",
                *filters[SIDE_A] ? filters[SIDE_A] : "all reported",
                *filters[SIDE_B] ? filters[SIDE_B] : "all reported");
}

int verb_diff(int argc, char **argv)
{
    struct options o = {0};
    if (argp_parse(&diff_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    struct diff d = {.threshold = o.threshold, .per_dispatch = o.per_dispatch};
    int rc = 0;
    for (int side = 0; side < SIDES && !rc; side++)
        rc = load_profile(&d.profile[side], &o.databases[side], 1, o.kernel, o.form == FORM_JSON);
    if (!rc)
        rc = choose_metrics(&d, &o);
    if (!rc) {
        warn_of_filters(&d);
        diff_compute(&d);
        for (int side = 0; side < SIDES; side++) {
            tell_changed_sources(d.profile[side]);
            tell_doubts(d.profile[side]);
        }
        rc = write_diff(&d, &o);
    }
    if (!rc && !d.compared) {
        message("no kernel was observed in both databases: nothing could be compared");
        rc = EXIT_FAILED;
    }
    if (!rc && d.worse)
        rc = EXIT_FAILED;
    diff_free(&d);
    free(o.metrics);
    return rc;
}
