/* lanescope convert DB... --to csv|folded -o OUT */
#include "cli/common/cli.h"
#include "csv_folder.h"
#include "folded.h"
#include "results/exact.h"

#include <string.h>

struct options {
    char **databases;
    size_t n;
    const char *to, *output, *metric;
};

enum { KEY_TO = 0x100, KEY_METRIC };

const struct argp_option convert_options[] = {
    {"to", KEY_TO, "FORM", 0,
     "csv: files with the names and columns of rocprofv3's, into a folder; folded: stacks for flame graphs",
     0},
    {"output", 'o', "OUT", 0, "what to write: a new or empty folder for csv, a new file or - for folded", 0},
    {"metric", KEY_METRIC, "NAME", 0, "folded: the metric whose sums the stacks have", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_TO:
        if (strcmp(arg, "csv") && strcmp(arg, "folded"))
            argp_error(state, "--to: '%s' is not accepted; give csv or folded", arg);
        o->to = arg;
        return 0;
    case KEY_METRIC:
        o->metric = arg;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->databases = state->argv + state->next;
        o->n = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given; give the files that `lanescope run` wrote (*_srclines.db)");
        return 0;
    case ARGP_KEY_END:
        if (!o->to)
            argp_error(state, "--to names no form; give --to csv or --to folded");
        else if (!o->output)
            argp_error(state, "--output names nothing to write; give -o OUT");
        else if (!strcmp(o->to, "folded") != !!o->metric)
            argp_error(state, o->metric
                                  ? "--metric is for --to folded; csv has all metrics"
                                  : "--metric names no metric; `lanescope list metrics DATABASE` shows them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Columns of others have no place for these. */
static void say_estimates(const struct trace *t)
{
    static bool said;
    for (size_t i = 0; i < t->r->n_sites && !said; i++)
        if (ls_site_estimated(&t->r->sites[i])) {
            message("counters may hold estimates, which the columns cannot mark; `lanescope report` marks "
                    "them by ~");
            said = true;
        }
}

static void say_software(const struct trace *t)
{
    static bool said;
    for (size_t i = 0; i < t->r->n_processes && !said; i++)
        if (!strncmp(t->r->processes[i].gpu, "soft", 4)) {
            message("times of kernels and copies are the software GPU's, which tell nothing about a GPU");
            said = true;
        }
}

static int convert_csv(const struct options *o)
{
    struct csv_folder folder;
    int rc = csv_folder_open(&folder, o->output);
    if (rc)
        return rc;
    for (size_t i = 0; i < o->n && !rc; i++) {
        struct trace t;
        rc = trace_open(&t, o->databases[i]);
        if (!rc)
            rc = csv_folder_add(&folder, &t, o->databases[i]);
        if (!rc)
            say_software(&t);
        if (!rc)
            say_estimates(&t);
        trace_close(&t);
    }
    return csv_folder_close(&folder, rc);
}

int verb_convert(int argc, char **argv)
{
    static const struct argp convert_argp = {convert_options,
                                             parse,
                                             "DATABASE... --to csv|folded -o OUT",
                                             "Writes recordings in the form of another tool. The recordings "
                                             "stay as they are, and nothing is replaced.",
                                             NULL,
                                             NULL,
                                             NULL};
    struct options o = {0};
    if (argp_parse(&convert_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    return o.metric ? convert_folded(o.databases, o.n, o.metric, o.output) : convert_csv(&o);
}
