/* lanescope report [OPTION...] DB... */
#include "cli/output/changed.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/output/databases.h"
#include "cli/output/pager.h"
#include "cli/output/times.h"
#include "page_file.h"
#include "report_as.h"
#include "report.h"

#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_TEXT, FORM_JSON, FORM_CSV, FORM_HTML };
#define TOP_DEFAULT 10
#define KERNELS_DEFAULT 10

struct options {
    struct view_options view;
    const char *sort, *rows, *html, *as;
    long top, kernels; /* -1: not given */
    enum form form;
    bool force, stats;
    char **databases;
    size_t n_databases;
};

enum { KEY_JSON = 0x100, KEY_CSV, KEY_ROWS, KEY_HTML, KEY_FORCE, KEY_KERNELS, KEY_AS, KEY_STATS };

static const struct argp_option report_options[] = {
    KERNEL_OPTION,
    {"kernels", KEY_KERNELS, "N", 0,
     "details of the worst N kernels in the text (0: all; default: 10, and all with --kernel)", 0},
    {"top", 'n', "N", 0, "at most N lines per table (0: all; default: 10, and all for --json and --csv)", 0},
    {"as", KEY_AS, "GPU", 0,
     "price the recorded accesses as GPU would serve them, where wavefronts have as many lanes; needs a "
     "recording of "
     "`lanescope run --as GPU`",
     0},
    {"sort", 's', "METRIC", 0,
     "worst of this metric first (as \"Bank Conflict\" or \"memory_coalescing.Bytes\"; `lanescope list "
     "metrics DB` "
     "names them)",
     0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-report/1)", 0},
    {"csv", KEY_CSV, NULL, 0, "write CSV (RFC 4180), one record per kernel and source line", 0},
    {"rows", KEY_ROWS, "TABLE", 0, "write the rows that handlers stored in this table, as CSV", 0},
    {"stats", KEY_STATS, NULL, 0,
     "only times: kernels, copies, ROCTx ranges (rocprofv3 --stats); with --csv as one table", 0},
    {"html", KEY_HTML, "FILE", 0,
     "write a page for browsers that needs nothing but itself; replaces pages of its kind only", 0},
    {"force", KEY_FORCE, NULL, 0, "let --html replace any ordinary file but a recording", 0},
    OUTPUT_OPTION,
    NO_PAGER_OPTION,
    FULL_PATHS_OPTION,
    LIBRARY_OPTION,
    {0},
};

static void choose_form(struct argp_state *state, struct options *o, enum form form)
{
    if (o->form != FORM_TEXT && o->form != form)
        argp_error(state, "--json, --csv, --rows and --html exclude each other; run the report twice");
    o->form = form;
}

/* Options that choose what is written. */
static error_t parse_form(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_JSON:
    case KEY_CSV:
        choose_form(state, o, key == KEY_JSON ? FORM_JSON : FORM_CSV);
        return 0;
    case KEY_HTML:
        choose_form(state, o, FORM_HTML);
        o->html = arg;
        return 0;
    case KEY_ROWS:
        if (o->form == FORM_JSON)
            argp_error(state, "--rows writes CSV; JSON reports hold all tables of handlers already");
        choose_form(state, o, FORM_CSV);
        o->rows = arg;
        return 0;
    default:
        return take_view_option(key, arg, &o->view) == 0
                   ? 0
                   : take_databases(key, state, &o->databases, &o->n_databases);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'n':
        o->top = (long)option_number(state, "--top", arg, LONG_MAX, "a number of lines, 0 for all");
        return 0;
    case KEY_KERNELS:
        o->kernels = (long)option_number(state, "--kernels", arg, LONG_MAX, "a number of kernels, 0 for all");
        return 0;
    case KEY_AS:
        o->as = arg;
        return 0;
    case 's':
        o->sort = arg;
        return 0;
    case KEY_FORCE:
        o->force = true;
        return 0;
    case KEY_STATS:
        o->stats = true;
        return 0;
    case ARGP_KEY_END:
        if (o->html && o->view.output)
            argp_error(state, "--html names its file, so that --output has nothing to write");
        if (o->stats && (o->rows || o->form == FORM_JSON || o->form == FORM_HTML))
            argp_error(state,
                       "--stats writes text, or CSV with --csv; JSON reports hold its numbers as 'times'");
        return 0;
    default:
        return parse_form(key, arg, state);
    }
}

const struct argp report_argp = {
    report_options,
    parse,
    "DATABASE...",
    "Shows what each source line of each kernel cost, worst first. Several databases (processes, ranks) are "
    "added "
    "up.\v"
    "Example:\n  lanescope report --kernel transpose --top 5 */*_srclines.db",
    NULL,
    NULL,
    NULL};

static int write_page(const struct report *r, const struct options *o)
{
    FILE *out = open_page(o->html, o->force, r->profile);
    if (!out)
        return EXIT_FAILED;
    int bad = report_html(r, out);
    if (bad)
        message("out of memory");
    return output_file_close(out, o->html, bad ? EXIT_FAILED : EXIT_OK);
}

static int write_report(const struct report *r, const struct options *o)
{
    if (o->form == FORM_HTML)
        return write_page(r, o);
    FILE *out = open_output(o->view.output, o->databases, o->n_databases);
    int rc = EXIT_OK;
    if (!out)
        return EXIT_FAILED;
    if (o->rows && report_rows_csv(r, o->rows, out)) {
        char *names = report_row_tables(r->profile);
        message("--rows: no handler stored a table '%s'; tables here: %s", o->rows,
                names && *names ? names : "none");
        free(names);
        rc = EXIT_USAGE;
    } else if (o->form == FORM_CSV && o->stats) {
        times_csv(r->profile, out);
    } else if (o->form == FORM_CSV && !o->rows) {
        report_csv(r, out);
    } else if (o->form == FORM_JSON) {
        if (report_json(r, out)) {
            message("out of memory");
            rc = EXIT_FAILED;
        }
    } else if (o->form == FORM_TEXT) {
        if (out == stdout && !o->view.no_pager)
            pager_start();
        (o->stats ? report_stats : report_text)(r, out);
    }
    int closed = output_file_close(out, o->view.output, rc);
    return pager_end() ? rc : closed;
}

/* As on the GPU that ran all of it: what was recorded anyway. */
static bool is_own(const struct ls_profile *p, const char *as)
{
    char *ran = ran_on(p);
    bool own = ran && !strcmp(ran, as);
    free(ran);
    return own;
}

static int load(struct ls_profile **p, const struct options *o)
{
    const unsigned how = o->form == FORM_JSON || o->form == FORM_HTML ? LOAD_RAW | LOAD_CODE : 0;
    int rc = load_profile_as(p, o->databases, o->n_databases, o->view.kernel, how, o->as);
    if (rc || !o->as)
        return rc;
    if (!is_own(*p, o->as))
        return check_priced(*p);
    message("--as %s: all of it ran on %s; these are its own numbers", o->as, o->as);
    ls_profile_free(*p);
    return load_profile(p, o->databases, o->n_databases, o->view.kernel, how);
}

int verb_report(int argc, char **argv)
{
    struct options o = {.top = -1, .kernels = -1};
    struct ls_profile *p;
    if (argp_parse(&report_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    if (o.as && check_as(o.as))
        return EXIT_USAGE;
    int rc = load(&p, &o);
    struct report r = {.profile = p, .full_paths = o.view.full_paths, .all_kernels = o.view.kernel != NULL};
    r.tables.top = o.top >= 0 ? (size_t)o.top : o.form == FORM_TEXT ? TOP_DEFAULT : 0;
    r.kernels = o.kernels >= 0 ? (size_t)o.kernels : o.view.kernel ? 0 : KERNELS_DEFAULT;
    if (!rc)
        rc = find_metric_option(p, "--sort", o.sort, &r.tables.sort);
    if (!rc) {
        ls_sort_kernels(p, &r.tables);
        tell_changed_sources(p);
        rc = write_report(&r, &o);
        if (o.form == FORM_CSV)
            tell_doubts(p); /* no room for notes */
    }
    ls_profile_free(p);
    return rc;
}
