/* lanescope convert DB... --to FORM -o OUT */
#include "cli/common/cli.h"
#include "forms.h"

#include <string.h>

struct options {
    struct conversion what;
    const struct form *to;
};

static const struct form {
    const char *name;
    int (*convert)(const struct conversion *c);
    enum { NO_METRIC, MAY_METRIC, NEEDS_METRIC } metric;
    bool stream; /* "-" is stdout */
} forms[] = {
    {"csv", convert_csv, NO_METRIC, false},
    {"rocpd", convert_rocpd, NO_METRIC, false},
    {"json", convert_json, NO_METRIC, true},
    {"pftrace", convert_pftrace, MAY_METRIC, true},
    {"speedscope", convert_speedscope, MAY_METRIC, true},
    {"folded", convert_folded, NEEDS_METRIC, true},
};
enum { N_FORMS = sizeof(forms) / sizeof(*forms), KEY_TO = 0x100, KEY_METRIC, KEY_FORCE };

#define FORM_NAMES "csv, rocpd, json, pftrace, speedscope or folded"

static const struct argp_option convert_options[] = {
    {"to", KEY_TO, "csv|rocpd|json|pftrace|speedscope|folded", 0,
     "csv: files with the names and columns of rocprofv3's; rocpd: databases in its schema 3; json: a file"
     " in its style; pftrace: a Perfetto trace; speedscope, folded: metrics as stacks of kernels, inlined"
     " calls and lines",
     0},
    {"output", 'o', "OUT", 0,
     "what to write: a new or empty folder for csv and rocpd, else a new file, or - for standard output", 0},
    {"metric", KEY_METRIC, "NAME", 0,
     "folded: whose sums the stacks have; speedscope: only this one; pftrace: this one as a counter, too", 0},
    {"force", KEY_FORCE, NULL, 0,
     "let --output replace any ordinary file but a recording; in a folder, those of the names to be written",
     0},
    {0},
};

static const struct form *find(const char *name)
{
    for (size_t i = 0; i < N_FORMS; i++)
        if (!strcmp(forms[i].name, name))
            return &forms[i];
    return NULL;
}

static void check(const struct options *o, struct argp_state *state)
{
    if (!o->to)
        argp_error(state, "--to is missing; give " FORM_NAMES);
    else if (!o->what.output)
        argp_error(state, "--output is missing; give -o OUT");
    else if (o->what.metric && o->to->metric == NO_METRIC)
        argp_error(state, "--metric is not for --to %s, which has all metrics", o->to->name);
    else if (!o->what.metric && o->to->metric == NEEDS_METRIC)
        argp_error(
            state,
            "--metric is missing: --to %s has the sums of one; `lanescope list metrics DATABASE` shows them",
            o->to->name);
    else if (!strcmp(o->what.output, "-") && !o->to->stream)
        argp_error(state, "--output: --to %s writes a folder; give its name", o->to->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_TO:
        o->to = find(arg);
        if (!o->to)
            argp_error(state, "--to: '%s' is not accepted; give " FORM_NAMES, arg);
        return 0;
    case KEY_METRIC:
        o->what.metric = arg;
        return 0;
    case KEY_FORCE:
        o->what.force = true;
        return 0;
    case 'o':
        o->what.output = arg;
        return 0;
    case ARGP_KEY_END:
        check(o, state);
        return 0;
    default:
        return take_databases(key, state, &o->what.databases, &o->what.n);
    }
}

const struct argp convert_argp = {convert_options,
                                  parse,
                                  "DATABASE... --to FORM -o OUT",
                                  "Writes recordings in the form of another tool. The recordings "
                                  "stay as they are, and nothing is replaced without --force.",
                                  NULL,
                                  NULL,
                                  NULL};

int verb_convert(int argc, char **argv)
{
    struct options o = {0};
    if (argp_parse(&convert_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    return o.to->convert(&o.what);
}
