/*
 * lanescope VERB ...: finds the verb's function. A word that names a compiler instead goes to the compiler
 * wrapper.
 */
#include "results/reader/arena.h"
#include "cli/common/cli.h"
#include "cli/common/programs.h"
#include "cli/compile/cmake.h"
#include "cli/compile/compile.h"
#include "cli/compile/compile_command.h"
#include "cli/run/preflight.h"
#include "results/reader/reader.h"
#include "cli/common/safe_output.h"

#include <locale.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs the compiler that the words are a command of; -1: they are none. */
static int compile(int argc, char **argv)
{
    struct arguments words = {0};
    if (compiler_word(argc, argv) >= 0 || is_compilation(argc, argv))
        return lanescope_compile(argc, argv, emulated_gpu);
    if (!cmake_compiler(&words) || compiler_word((int)words.n, words.v) < 0)
        return -1;
    for (int i = 0; i < argc; i++)
        add_argument(&words, "%s", argv[i]);
    return lanescope_compile((int)words.n, words.v, emulated_gpu);
}

static int unknown(const char *word)
{
    const char *names[32];
    for (size_t i = 0; i < n_verbs; i++)
        names[i] = verbs[i].name;
    const char *near = nearest(word, names, n_verbs);
    if (word[0] == '-')
        message("unknown option '%s'; `lanescope --help` lists the verbs, options follow a verb or a "
                "compiler's name",
                word);
    else if (near)
        message("unknown verb '%s'; did you mean '%s'? `lanescope --help` lists all", word, near);
    else if (strchr(word, '/') || is_program(word))
        message("'%s' is neither a verb nor, with these arguments, a compiler that can be executed; "
                "`lanescope run "
                "-- %s` records a program, `lanescope --help` lists the verbs",
                word, word);
    else
        message("unknown verb '%s'; `lanescope --help` lists all", word);
    return EXIT_USAGE;
}

/* Several parts of a verb read the same file; what it is like is said once. */
static void notice(const char *text)
{
    static char **said;
    static size_t n;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(said[i], text))
            return;
    *LS_PUSH(said, n) = strdup(text);
    message("%s", text);
}

int main(int argc, char **argv)
{
    static char title[64];
    setlocale(LC_CTYPE, "");
    stderr = printable_stream(stderr); /* for argp and getopt, too */
    setup_argp();
    ls_results_notice = notice;
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS,
                   0); /* else each allocation of SQLite takes a lock, to be counted */
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
