/* lanescope help [VERB] */
#include "cli/common/cli.h"
#include "manual.h"

#include <string.h>

static int overview(void)
{
    printf(
        "Usage: lanescope VERB [OPTION...]\n"
        "       lanescope COMPILER [ARGUMENT...]     compile with probes: hipcc, clang++, cc, "
        "/path/to/clang\n\n"
        "A source-line profiler for AMD GPU kernels: which line has LDS bank conflicts, which access is not\n"
        "coalesced. Runs on a software GPU where there is none.\n\n");
    for (size_t i = 0; i < n_verbs; i++)
        printf("  %-12s %s\n", verbs[i].name, verbs[i].summary);
    printf("\n  lanescope VERB --help, lanescope help VERB, man lanescope-VERB     tell more\n"
           "  lanescope --version\n\n"
           "Start:\n"
           "  lanescope hipcc -g -O3 app.hip -o app\n"
           "  lanescope run -- ./app\n"
           "  lanescope report */*_srclines.db\n");
    return close_output(stdout, NULL);
}

struct options {
    const char *verb;
    const char *manual; /* the text of a manual page that the build asks for */
};

enum { KEY_MANUAL = 0x100 };

static const struct argp_option help_options[] = {
    {"manual", KEY_MANUAL, "FILE", OPTION_HIDDEN, NULL, 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_MANUAL:
        o->manual = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->verb)
            argp_error(state, "'%s' is one verb too many", arg);
        o->verb = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp help_argp = {
    help_options, parse, "[VERB]", "Shows the help of a verb, or the list of verbs.", NULL, NULL, NULL};

int verb_help(int argc, char **argv)
{
    static char title[64], option[] = "--help";
    struct options o = {0};
    if (argp_parse(&help_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    if (o.manual)
        return print_manual(o.verb ? o.verb : "", o.manual);
    if (!o.verb)
        return overview();
    const struct verb *verb = find_verb(o.verb);
    if (!verb) {
        const char *names[32];
        for (size_t i = 0; i < n_verbs; i++)
            names[i] = verbs[i].name;
        const char *near = nearest(o.verb, names, n_verbs);
        message("help: unknown verb '%s'%s%s%s; `lanescope help` lists all", o.verb,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return EXIT_USAGE;
    }
    if (verb->run == verb_help)
        return overview();
    snprintf(title, sizeof(title), "lanescope %s", verb->name);
    return verb->run(2, (char *[]){title, option, NULL});
}
