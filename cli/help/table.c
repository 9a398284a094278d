/* table.c - all verbs. */
#include "cli/common/cli.h"

#include <string.h>

const struct verb verbs[] = {
    {"run", "run a program, record its kernels, print a summary", verb_run, false, &run_argp},
    {"report", "show what each source line cost, worst first", verb_report, false, &report_argp},
    {"annotate", "show source files with numbers beside the lines", verb_annotate, false, &annotate_argp},
    {"diff", "compare two databases line by line", verb_diff, false, &diff_argp},
    {"explain", "tell what the worst lines cost, why, and what would help", verb_explain, false,
     &explain_argp},
    {"gate", "compare a run with a baseline, for CI", verb_gate, false, &gate_argp},
    {"summary", "show a database in a few lines", verb_summary, false, &summary_argp},
    {"query", "ask a database with SQL", verb_query, false, &query_argp},
    {"merge", "write one database that holds several", verb_merge, false, &merge_argp},
    {"convert", "write databases in the form of another tool", verb_convert, false, &convert_argp},
    {"check", "verify databases", verb_check, false, &check_argp},
    {"selftest", "test Lanescope on this GPU, and measure its LDS", verb_selftest, true, &selftest_argp},
    {"info", "show what is installed and which GPU would be used", verb_info, true, &info_argp},
    {"list", "list handlers, metrics, GPUs and kernels", verb_list, true, &list_argp},
    {"config", "show the effective settings and where they come from", verb_config, true, &config_argp},
    {"completion", "print the completion script for bash, zsh or fish", verb_completion, false,
     &completion_argp},
    {"help", "show the help of a verb", verb_help, false, &help_argp},
};
const size_t n_verbs = sizeof(verbs) / sizeof(*verbs);

const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < n_verbs; i++)
        if (!strcmp(verbs[i].name, name))
            return &verbs[i];
    return NULL;
}
