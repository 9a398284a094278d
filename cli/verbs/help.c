/* lanescope help [VERB] */
#include "cli/common/cli.h"

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
    printf("\n  lanescope VERB --help, lanescope help VERB, man lanescope     tell more\n"
           "  lanescope --version\n\n"
           "Start:\n"
           "  lanescope hipcc -g -O3 app.hip -o app\n"
           "  lanescope run -- ./app\n"
           "  lanescope report */*_srclines.db\n");
    return close_output(stdout, NULL);
}

static int option_of_help(const char *option)
{
    if (!strcmp(option, "--help") || !strcmp(option, "-?")) {
        printf("Usage: lanescope help [VERB]\n\nShows the help of a verb, or the list of verbs.\n");
    } else if (!strcmp(option, "--version") || !strcmp(option, "-V")) {
        printf("lanescope %s\n", LANESCOPE_VERSION);
    } else {
        message("help: unknown option '%s'; usage: lanescope help [VERB]", option);
        return EXIT_USAGE;
    }
    return close_output(stdout, NULL);
}

int verb_help(int argc, char **argv)
{
    static char title[64], option[] = "--help";
    if (argc < 2)
        return overview();
    if (argv[1][0] == '-')
        return option_of_help(argv[1]);
    const struct verb *verb = find_verb(argv[1]);
    if (!verb) {
        const char *names[32];
        for (size_t i = 0; i < n_verbs; i++)
            names[i] = verbs[i].name;
        const char *near = nearest(argv[1], names, n_verbs);
        message("help: unknown verb '%s'%s%s%s; `lanescope help` lists all", argv[1],
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return EXIT_USAGE;
    }
    if (verb->run == verb_help)
        return overview();
    snprintf(title, sizeof(title), "lanescope %s", verb->name);
    return verb->run(2, (char *[]){title, option, NULL});
}
