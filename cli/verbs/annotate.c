/*
 * lanescope annotate [OPTION...] DB... [FILE...]: source text with a gutter of numbers, from the text that
 * the database holds. A line of the gutter adds up all accesses on that source line: of all kernels, inlined
 * copies and address spaces.
 */
#include "annotate_page.h"
#include "cli/common/safe_output.h"
#include "cli/output/changed.h"
#include "cli/common/arguments.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/output/databases.h"
#include "cli/output/pager.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_DEFAULT 10

enum { KEY_JSON = 0x100 };

static const struct argp_option annotate_options[] = {
    {"kernel", 'k', "REGEX", 0, "only numbers of kernels whose name matches this extended regular expression",
     0},
    {"context", 'C', "N", 0, "show N lines around those with numbers (default: 10), or `all`", 0},
    {"metric", 'm', "METRIC", 0, "a further column of this metric; can be repeated", 0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-annotate/1): all metrics of lines with numbers",
     0},
    OUTPUT_OPTION,
    NO_PAGER_OPTION,
    FULL_PATHS_OPTION,
    LIBRARY_OPTION,
    {0},
};

/* Databases first, then source files, which never end in .db. */
static void take_words(struct options *o, struct argp_state *state)
{
    int i = state->next;
    o->databases = state->argv + i;
    while (i < state->argc &&
           (i == state->next || ends(state->argv[i], ".db") || ends(state->argv[i], ".db.partial")))
        i++;
    o->n_databases = (size_t)(i - state->next);
    o->files = state->argv + i;
    o->n_files = (size_t)(state->argc - i);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'm':
        if (o->n_metrics == OPTION_COLUMNS)
            argp_error(state, "--metric: at most %d columns", OPTION_COLUMNS);
        *LS_PUSH(o->metrics, o->n_metrics) = arg;
        return 0;
    case 'C':
        o->context = strcmp(arg, "all")
                         ? (long)option_number(state, "--context", arg, LONG_MAX, "a number of lines, or all")
                         : -1;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        take_words(o, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given; give a file that `lanescope run` wrote (*_srclines.db)");
        return 0;
    default:
        return take_view_option(key, arg, &o->view);
    }
}

const struct argp annotate_argp = {
    annotate_options,
    parse,
    "DATABASE... [FILE...]",
    "Shows source files with a gutter of numbers: executions, active lanes, bank conflict cycles, cache "
    "lines "
    "touched and needed, coalescing; of atomics that wait for each other, how much. Needs neither the source "
    "tree nor ROCm. FILE is the whole name of a source file or "
    "the end "
    "of it; without one all files that have numbers are shown, worst first.\v"
    "Example:\n  lanescope annotate --kernel transpose node1/1234_srclines.db transpose.hip",
    NULL,
    NULL,
    NULL};

static int nothing_shown(const struct options *o, const struct source *list, size_t n)
{
    char *names = NULL;
    size_t size = 0;
    FILE *out = n ? open_memstream(&names, &size) : NULL;
    for (size_t i = 0; out && i < n; i++)
        fprintf(out, "%s%s", i ? ", " : "", list[i].file->path);
    if (out)
        fclose(out);
    if (n)
        message("no source file '%s' has numbers; those that have: %s", o->files[0], names ? names : "");
    else
        message("no source line has numbers here; `lanescope report` tells what was observed (compile with "
                "-g for "
                "source lines)");
    free(names);
    return EXIT_FAILED;
}

static int annotate_text(struct ls_profile *p, const struct options *o, const struct source *list, size_t n,
                         FILE *out)
{
    struct page pg = {.p = p, .o = o, .t = terminal_of(out), .cut = false};
    pg.cut = pg.t.cuts;
    int rc = annotate_choose_columns(&pg);
    if (!rc && !annotate_print_files(&pg, list, n))
        rc = nothing_shown(o, list, n);
    else if (!rc)
        annotate_print_legend(&pg);
    for (size_t c = 0; c < pg.n_columns; c++) {
        free(pg.columns[c].head);
        free(pg.columns[c].brief);
    }
    return rc;
}

/* Files that are not wanted are left out. *none: all of them; the answer is written for whoever reads it by a program. */
static int annotate_as_json(const struct ls_profile *p, const struct options *o, struct source *list,
                            size_t n, FILE *out, bool *none)
{
    json_t *root = annotate_json_root(p), *files = json_object_get(root, "files");
    for (size_t i = 0; i < n; i++)
        if (annotate_wants(o, list[i].file->path))
            json_array_append_new(files, annotate_json_file(p, &list[i]));
    *none = !json_array_size(files);
    int rc = write_json(root, out) ? EXIT_FAILED : EXIT_OK;
    json_decref(root);
    return rc;
}

static int annotate(struct ls_profile *p, const struct options *o)
{
    size_t n;
    FILE *out = open_output(o->view.output, o->databases, o->n_databases);
    if (!out)
        return EXIT_FAILED;
    if (out == stdout && !o->view.no_pager && !o->json)
        pager_start();
    struct source *list = annotate_collect(p, o, &n);
    bool none = false;
    int rc = o->json ? annotate_as_json(p, o, list, n, out, &none) : annotate_text(p, o, list, n, out);
    int closed = output_file_close(out, o->view.output, rc);
    if (none && !closed)
        closed = nothing_shown(o, list, n);
    annotate_free(list, n);
    return pager_end() ? rc : closed;
}

int verb_annotate(int argc, char **argv)
{
    struct options o = {.context = CONTEXT_DEFAULT};
    struct ls_profile *p;
    if (argp_parse(&annotate_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    int rc = load_profile(&p, o.databases, o.n_databases, o.view.kernel, o.json ? LOAD_RAW : 0);
    if (!rc) {
        tell_changed_sources(p);
        rc = annotate(p, &o);
        tell_doubts(p);
    }
    ls_profile_free(p);
    free(o.metrics);
    return rc;
}
