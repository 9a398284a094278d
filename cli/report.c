/* lanescope report [OPTION...] DB... */
#include "changed.h"
#include "cli.h"
#include "databases.h"
#include "report.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };
#define TOP_DEFAULT 10

struct options {
    const char *kernel, *sort, *output, *rows;
    long top; /* -1: not given */
    enum form form;
    bool full_paths;
    char **databases;
    size_t n_databases;
};

enum { KEY_JSON = 0x100, KEY_CSV, KEY_FULL, KEY_ROWS };

static const struct argp_option option_list[] = {
    {"kernel", 'k', "REGEX", 0, "only kernels whose name matches this extended regular expression", 0},
    {"top", 'n', "N", 0, "at most N lines per table (0: all; default: 10, and all for --json and --csv)", 0},
    {"sort", 's', "METRIC", 0,
     "most of this metric first (as \"Bank Conflict\" or \"memory_coalescing.Bytes\"; `lanescope list "
     "metrics DB` "
     "names them)",
     0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-report/1)", 0},
    {"csv", KEY_CSV, NULL, 0, "write CSV (RFC 4180), one record per kernel and source line", 0},
    {"rows", KEY_ROWS, "TABLE", 0, "write the rows that handlers stored in this table, as CSV", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of the terminal", 0},
    {"full-paths", KEY_FULL, NULL, 0, "show whole paths of source files", 0},
    LIBRARY_OPTION,
    {0},
};

static long parse_top(struct argp_state *state, const char *arg)
{
    char *end;
    long n = strtol(arg, &end, 10);
    if (!*arg || *end || n < 0)
        argp_error(state, "--top: '%s' is not accepted; give a number of lines, 0 for all", arg);
    return n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'k':
        o->kernel = arg;
        return 0;
    case 'n':
        o->top = parse_top(state, arg);
        return 0;
    case 's':
        o->sort = arg;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case KEY_JSON:
    case KEY_CSV:
        if (o->form != FORM_TEXT && o->form != (key == KEY_JSON ? FORM_JSON : FORM_CSV))
            argp_error(state, "--json and --csv exclude each other; run the report twice");
        o->form = key == KEY_JSON ? FORM_JSON : FORM_CSV;
        return 0;
    case KEY_ROWS:
        if (o->form == FORM_JSON)
            argp_error(state, "--rows writes CSV; JSON reports hold all tables of handlers already");
        o->form = FORM_CSV;
        o->rows = arg;
        return 0;
    case KEY_LIBRARY:
        add_library_option(arg);
        return 0;
    case KEY_FULL:
        o->full_paths = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->databases = state->argv + state->next;
        o->n_databases = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given; give the files that `lanescope run` wrote (*_srclines.db)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp report_argp = {
    option_list,
    parse,
    "DATABASE...",
    "Shows what each source line of each kernel cost, worst first. Several databases (processes, ranks) are "
    "added "
    "up.\v"
    "Example:\n  lanescope report --kernel transpose --top 5 */*_srclines.db",
    NULL,
    NULL,
    NULL};

static int write_report(const struct report *r, const struct options *o)
{
    FILE *out = open_output(o->output);
    int rc = EXIT_OK;
    if (!out)
        return EXIT_FAILED;
    if (o->rows && report_rows_csv(r, o->rows, out)) {
        char *names = report_row_tables(r->profile);
        message("--rows: no handler stored a table '%s'; tables here: %s", o->rows,
                names && *names ? names : "none");
        free(names);
        rc = EXIT_USAGE;
    } else if (o->form == FORM_CSV && !o->rows) {
        report_csv(r, out);
    } else if (o->form == FORM_JSON) {
        if (report_json(r, out)) {
            message("out of memory");
            rc = EXIT_FAILED;
        }
    } else if (o->form == FORM_TEXT) {
        report_text(r, out);
    }
    int closed = close_output(out, o->output);
    return rc ? rc : closed;
}

int verb_report(int argc, char **argv)
{
    struct options o = {.top = -1};
    struct ls_profile *p;
    if (argp_parse(&report_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    int rc = load_profile(&p, o.databases, o.n_databases, o.kernel, o.form == FORM_JSON);
    struct report r = {.profile = p, .full_paths = o.full_paths, .all_kernels = o.kernel != NULL};
    r.tables.top = o.top >= 0 ? (size_t)o.top : o.form == FORM_TEXT ? TOP_DEFAULT : 0;
    if (!rc)
        rc = find_metric_option(p, "--sort", o.sort, &r.tables.sort);
    if (!rc) {
        ls_sort_kernels(p, &r.tables);
        tell_changed_sources(p);
        rc = write_report(&r, &o);
    }
    ls_profile_free(p);
    return rc;
}
