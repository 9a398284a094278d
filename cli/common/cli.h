/*
 * cli.h - what the verbs share: exit codes, the table of verbs, messages.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Documented in lanescope(1), "EXIT STATUS". `run` returns the program's own. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* asked for something that failed: a query's SQL, a failed check, a file not written */
    EXIT_USAGE = 2,  /* unknown verb, option or value */
    EXIT_DATABASE = 3, /* a database that cannot be read */
    EXIT_MISSING = 4,  /* a piece of the installation or a GPU is missing */
    EXIT_NOT_EXECUTABLE = 126,
    EXIT_NOT_FOUND = 127,
};

struct verb {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is "lanescope NAME"; returns the exit code */
    bool plain;                        /* what it prints goes through printable_stream */
    const struct argp *argp;           /* its options, arguments and text */
};

/* All verbs in the order of the help text; n of them. */
extern const struct verb verbs[];
extern const size_t n_verbs;
const struct verb *find_verb(const char *name);

extern const struct argp run_argp, report_argp, annotate_argp, diff_argp, explain_argp, gate_argp,
    summary_argp, query_argp, merge_argp, convert_argp, check_argp, info_argp, list_argp, config_argp,
    completion_argp, help_argp, selftest_argp;
int verb_run(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_annotate(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_gate(int argc, char **argv);
int verb_summary(int argc, char **argv);
int verb_query(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_merge(int argc, char **argv);
int verb_convert(int argc, char **argv);
int verb_selftest(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_config(int argc, char **argv);
int verb_completion(int argc, char **argv);
int verb_help(int argc, char **argv);

/* Whether TERM names a terminal that understands colours and moves of the cursor. */
bool terminal_is_capable(void);

/* One line on stderr: "lanescope: ...". */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a library's error line and frees it. */
void message_free(char *text);

/* The element of `words` (n of them) that `word` is most likely a typing error of; NULL when none is near. */
const char *nearest(const char *word, const char *const *words, size_t n);

/* The arguments of a verb that reads any number of databases: the `default` of its parser. What it takes belongs to argv. */
error_t take_databases(int key, struct argp_state *state, char ***databases, size_t *n);
/* The argument of a verb's option that is a number in decimal digits, at most `most`. Anything else ends the verb: "--top: 'x'
 * is not accepted; give WHAT". */
uint64_t option_number(struct argp_state *state, const char *option, const char *arg, uint64_t most,
                       const char *what);
/* Prepares argp for a verb: version, bug address, exit status of usage errors. */
void setup_argp(void);
/* Opens the output file of a verb that shows these `n` databases: stdout for NULL and "-". NULL after a message. To be closed with
 * output_file_close (output_file.h). */
FILE *open_output(const char *path, char *const *databases, size_t n);
/* Closes a stream; exit code: a full disk must not look like success. */
int close_output(FILE *out, const char *path);

#endif
