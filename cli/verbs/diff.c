/* lanescope diff [OPTION...] A B */
#include "diff.h"
#include "diff_match.h"
#include "cli/output/changed.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/output/databases.h"
#include "cli/output/pager.h"
#include "results/profile/tables.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
    struct view_options view;
    const char **metrics;
    size_t n_metrics;
    double threshold;
    bool per_dispatch, all;
    struct diff_rename *renames;
    size_t n_renames;
    enum form form;
    char *databases[SIDES];
    int n_databases;
};

enum { KEY_JSON = 0x100, KEY_CSV, KEY_ALL, KEY_PER_DISPATCH, KEY_MAP };

static const struct argp_option diff_options[] = {
    {"threshold", 't', "PERCENT", 0, "what grows by no more than this is not worse (default: 0)", 0},
    {"metric", 'm', "METRIC", 0,
     "compare this metric; can be repeated (default: bank and address conflicts, LDS cycles, cache lines, "
     "lanes "
     "per address of atomics, and the first metric of other handlers)",
     0},
    KERNEL_OPTION,
    {"per-dispatch", KEY_PER_DISPATCH, NULL, 0, "compare averages of the observed dispatches instead of sums",
     0},
    {"map", KEY_MAP, "OLD=NEW", 0, "the kernel, or the source file, OLD is called NEW now; can be repeated",
     0},
    {"all", KEY_ALL, NULL, 0, "show kernels and lines that did not change, too", 0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-diff/1)", 0},
    {"csv", KEY_CSV, NULL, 0, "write CSV (RFC 4180), one record per line and metric", 0},
    OUTPUT_OPTION,
    NO_PAGER_OPTION,
    FULL_PATHS_OPTION,
    LIBRARY_OPTION,
    {0},
};

static double parse_percent(struct argp_state *state, const char *arg)
{
    double x = 0;
    if (!diff_percent(arg, &x))
        argp_error(state, "--threshold: '%s' is not accepted; give a percentage, as 5", arg);
    return x;
}

static error_t parse_word(struct options *o, struct argp_state *state, char *arg)
{
    if (o->n_databases == SIDES)
        argp_error(state, "'%s' is one database too many; give two (`lanescope merge` makes one of several)",
                   arg);
    o->databases[o->n_databases++] = arg;
    return 0;
}

static error_t parse_flag(int key, char *arg, struct options *o)
{
    switch (key) {
    case KEY_PER_DISPATCH:
        o->per_dispatch = true;
        return 0;
    case KEY_ALL:
        o->all = true;
        return 0;
    default:
        return take_view_option(key, arg, &o->view);
    }
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
    case KEY_MAP:
        if (!diff_rename_of(arg, LS_PUSH(o->renames, o->n_renames)))
            argp_error(state, "--map: '%s' is not accepted; give OLD=NEW, as old_kernel=new_kernel", arg);
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
        return parse_flag(key, arg, o);
    }
}

const struct argp diff_argp = {
    diff_options,
    parse,
    "BEFORE AFTER",
    "Compares two databases per kernel and source line. Lines are matched by the stored source texts, so "
    "that edits "
    "above them do not matter. The exit code is 1 when a number of a kernel, or of a line that is in both, "
    "got worse "
    "by more than the threshold. Without --metric, a part of a cost (conflicts of all LDS cycles) got worse "
    "only if the whole did.\v"
    "Example:\n  lanescope diff --threshold 5 before_srclines.db after_srclines.db",
    NULL,
    NULL,
    NULL};

static int write_diff(const struct diff *d, const struct options *o)
{
    FILE *out = open_output(o->view.output, o->databases, SIDES);
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
        if (out == stdout && !o->view.no_pager)
            pager_start();
        diff_text(d, o->all, o->view.full_paths, out);
    }
    int closed = output_file_close(out, o->view.output, rc);
    return pager_end() ? rc : closed;
}

static int compare(struct diff *d, const struct options *o)
{
    diff_check_filters(d);
    diff_compute(d);
    diff_tell_gpus(d);
    for (int side = 0; side < SIDES; side++) {
        tell_changed_sources(d->profile[side]);
        tell_doubts(d->profile[side]);
    }
    return write_diff(d, o);
}

int verb_diff(int argc, char **argv)
{
    struct options o = {0};
    if (argp_parse(&diff_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    struct diff d = {.threshold = o.threshold,
                     .per_dispatch = o.per_dispatch,
                     .renames = o.renames,
                     .n_renames = o.n_renames};
    int rc = 0;
    for (int side = 0; side < SIDES && !rc; side++)
        rc = load_profile(&d.profile[side], &o.databases[side], 1, o.view.kernel,
                          o.form == FORM_JSON ? LOAD_RAW : 0);
    if (!rc)
        rc = diff_check_renames(&d);
    if (!rc)
        rc = diff_choose_metrics(&d, o.metrics, o.n_metrics);
    if (rc == EXIT_FAILED && o.form != FORM_TEXT)
        compare(&d, &o); /* programs read that nothing could be compared */
    if (!rc)
        rc = compare(&d, &o);
    if (!rc && !d.numbers) {
        diff_tell_nothing(&d);
        rc = EXIT_FAILED;
    }
    if (!rc && (d.worse || d.other_waves))
        rc = EXIT_FAILED;
    diff_free(&d);
    free(o.metrics);
    return rc;
}
