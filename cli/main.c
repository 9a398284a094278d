/*
 * lanescope VERB ...: finds the verb's function. A word that names a compiler instead goes to the compiler
 * wrapper.
 */
#include "cli.h"
#include "safe_output.h"
#ifdef LANESCOPE_HAS_COMPILE
#include "compile.h"
#endif
#include "reader.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct verb verbs[] = {
    {"run", "run a program, record its kernels, print a summary", verb_run, false},
    {"report", "show what each source line cost, worst first", verb_report, false},
    {"annotate", "show source files with numbers beside the lines", verb_annotate, false},
    {"diff", "compare two databases line by line", verb_diff, false},
    {"summary", "show a database in a few lines", verb_summary, false},
    {"query", "ask a database with SQL", verb_query, false},
    {"check", "verify databases", verb_check, false},
    {"info", "show what is installed and which GPU would be used", verb_info, true},
    {"list", "list handlers, metrics and GPUs", verb_list, true},
    {"config", "show the effective settings and where they come from", verb_config, true},
    {"completion", "print the completion script for bash or zsh", verb_completion, false},
    {"help", "show the help of a verb", verb_help, false},
};
const size_t n_verbs = sizeof(verbs) / sizeof(*verbs);

const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < n_verbs; i++)
        if (!strcmp(verbs[i].name, name))
            return &verbs[i];
    return NULL;
}

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* "clang", "clang++", "clang-19", "clang++-19": the prefix, then nothing but a version. */
static bool named(const char *base, const char *name)
{
    if (!starts(base, name))
        return false;
    const char *rest = base + strlen(name);
    if (starts(rest, "++"))
        rest += 2;
    return !*rest || (*rest == '-' && rest[1 + strspn(rest + 1, "0123456789.")] == 0 && rest[1]);
}

static bool is_compiler(const char *word)
{
    static const char *const names[] = {"hipcc", "clang", "amdclang", "cc", "c++"};
    const char *slash = strrchr(word, '/'), *base = slash ? slash + 1 : word;
    if (slash && access(word, X_OK))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (named(base, names[i]))
            return true;
    return false;
}

static int compile(int argc, char **argv)
{
#ifdef LANESCOPE_HAS_COMPILE
    return lanescope_compile(argc, argv);
#else
    (void)argc;
    message(
        "%s: this installation was built without the compiler wrapper; build Lanescope with all components",
        argv[0]);
    return EXIT_MISSING;
#endif
}

static int unknown(const char *word)
{
    const char *names[32];
    for (size_t i = 0; i < n_verbs; i++)
        names[i] = verbs[i].name;
    const char *near = nearest(word, names, n_verbs);
    if (word[0] == '-')
        message("unknown option '%s'; `lanescope --help` lists the verbs, options follow a verb", word);
    else if (strchr(word, '/'))
        message("'%s' is neither a verb nor a compiler that can be executed; `lanescope run -- %s` records a "
                "program, `lanescope --help` lists the verbs",
                word, word);
    else if (near)
        message("unknown verb '%s'; did you mean '%s'? `lanescope --help` lists all", word, near);
    else
        message("unknown verb '%s'; `lanescope --help` lists all", word);
    return EXIT_USAGE;
}

static void notice(const char *text)
{
    message("%s", text);
}

int main(int argc, char **argv)
{
    static char title[64];
    setlocale(LC_CTYPE, "");
    stderr = printable_stream(stderr); /* for argp and getopt, too */
    setup_argp();
    ls_results_notice = notice;
    if (argc < 2) {
        verb_help(1, (char *[]){"lanescope help", NULL});
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return verb_help(1, (char *[]){"lanescope help", NULL});
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("lanescope %s\n", LANESCOPE_VERSION);
        return close_output(stdout, NULL);
    }
    const struct verb *verb = find_verb(argv[1]);
    if (!verb)
        return is_compiler(argv[1]) ? compile(argc - 1, argv + 1) : unknown(argv[1]);
    snprintf(title, sizeof(title), "lanescope %s", verb->name);
    argv[1] = title; /* argp and getopt name it in their messages */
    if (verb->plain)
        stdout = printable_stream(stdout);
    return verb->run(argc - 1, argv + 1);
}
