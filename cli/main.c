/*
 * lanescope VERB ...: finds the verb's function. A word that names a compiler instead goes to the compiler
 * wrapper.
 */
#include "cli.h"
#include "cmake.h"
#include "compile.h"
#include "compile_command.h"
#include "reader.h"
#include "safe_output.h"

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

/* Runs the compiler that the words are a command of; -1: they are none. */
static int compile(int argc, char **argv)
{
    struct arguments words = {0};
    if (compiler_word(argc, argv) >= 0)
        return lanescope_compile(argc, argv);
    if (!cmake_compiler(&words) || compiler_word((int)words.n, words.v) < 0)
        return -1;
    for (int i = 0; i < argc; i++)
        add_argument(&words, "%s", argv[i]);
    return lanescope_compile((int)words.n, words.v);
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
    const struct verb *verb = find_verb(argv[1]);
    int code = verb ? -1 : compile(argc - 1, argv + 1);
    if (code >= 0)
        return code;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return verb_help(1, (char *[]){"lanescope help", NULL});
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("lanescope %s\n", LANESCOPE_VERSION);
        return close_output(stdout, NULL);
    }
    if (!verb)
        return unknown(argv[1]);
    snprintf(title, sizeof(title), "lanescope %s", verb->name);
    argv[1] = title; /* argp and getopt name it in their messages */
    if (verb->plain)
        stdout = printable_stream(stdout);
    return verb->run(argc - 1, argv + 1);
}
