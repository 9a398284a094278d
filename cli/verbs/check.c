/* lanescope check DB... */
#include "check_waves.h"
#include "common/plural.h"
#include "cli/common/cli.h"
#include "results/reader/activity.h"
#include "results/reader/findings.h"
#include "results/reader/reader.h"
#include "cli/common/progress.h"
#include "cli/common/safe_output.h"
#include "results/file/schema.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROBLEMS = 10 }; /* that are told of a file: a damaged one can have thousands */

struct checker {
    const char *path;
    sqlite3 *sql;
    int problems;
    json_t *list; /* where problems go; NULL: to stdout */
};

static void problem(struct checker *c, const char *what, const char *detail)
{
    if (c->problems++ >= MOST_PROBLEMS)
        return;
    progress_end();
    if (c->list) {
        json_array_append_new(c->list, json_pack("{s:s, s:o}", "problem", what, "detail", json_text(detail)));
        return;
    }
    char *text = printable_text(detail);
    printf("%s: %s%s%s\n", c->path, what, *text ? ": " : "", text);
    free(text);
}

/* Every row of the query is a problem; its first column tells which. */
static void expect_nothing(struct checker *c, const char *what, const char *query)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(c->sql, query, -1, &st, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(st);
        if (rc != SQLITE_ROW)
            break;
        const char *text = (const char *)sqlite3_column_text(st, 0);
        problem(c, what, text ? text : "");
    }
    if (rc != SQLITE_DONE)
        problem(c, what, sqlite3_errmsg(c->sql));
    sqlite3_finalize(st);
}

/* What foreign keys cannot express. */
static const struct {
    const char *what, *query;
} rules[] = {
    {"damaged", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"},
    {"dangling reference",
     "SELECT \"table\" || coalesce(' row ' || rowid, ': a row') || ' refers to a missing ' || parent"
     " FROM pragma_foreign_key_check"},
    {"not observed, but has numbers",
     "SELECT 'dispatch ' || d.id FROM dispatch d WHERE NOT d.observed AND EXISTS"
     " (SELECT 1 FROM value v WHERE v.dispatch = d.id)"},
    {"not observed without a reason", "SELECT 'dispatch ' || id FROM dispatch WHERE NOT observed AND"
                                      " coalesce(not_observed, '') = ''"},
    {"ends before it starts", "SELECT 'dispatch ' || id FROM dispatch WHERE end_ns < start_ns"},
    {"numbers of a ratio", "SELECT 'metric ' || id FROM metric m WHERE is_ratio AND EXISTS"
                           " (SELECT 1 FROM value v WHERE v.metric = m.id)"},
    {"caller is no earlier frame", "SELECT 'frame ' || id FROM frame WHERE parent >= id"},
    {"values of another module's site",
     "SELECT 'dispatch ' || d.id || ' site ' || s.id FROM (SELECT DISTINCT dispatch, site FROM value) v"
     " JOIN dispatch d ON d.id = v.dispatch JOIN site s ON s.id = v.site JOIN kernel k ON k.id = d.kernel"
     " WHERE s.module IS NOT k.module"},
    {"complete without an end time", "SELECT 'process ' || id FROM process WHERE end_ns IS NULL AND"
                                     " (SELECT value FROM meta WHERE key = 'state') = 'complete'"},
    {"handler row is no JSON", "SELECT 'handler_row ' || id FROM handler_row WHERE NOT json_valid(json)"},
    {"unknown state", "SELECT value FROM meta WHERE key = 'state' AND value NOT IN ('complete', 'partial')"},
};

/* Of files in which dispatches share values. */
static const char no_owner[] =
    "SELECT 'dispatch ' || d.id FROM dispatch d JOIN dispatch o ON o.id = d.same_as"
    " WHERE o.id >= d.id OR o.same_as IS NOT NULL";

static const char two_owners[] = "SELECT 'dispatch ' || d.id FROM dispatch d WHERE d.same_as IS NOT NULL AND"
                                 " (EXISTS (SELECT 1 FROM own_value v WHERE v.dispatch = d.id) OR"
                                 " EXISTS (SELECT 1 FROM own_dispatch_value v WHERE v.dispatch = d.id))";

static void check_rules(struct checker *c, const struct ls_results *r)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        expect_nothing(c, rules[i].what, rules[i].query);
    if (!ls_results_shared(r))
        return;
    expect_nothing(c, "has the values of a dispatch that has none of its own", no_owner);
    expect_nothing(c, "has another one's values and its own", two_owners);
}

static void check_loads(struct checker *c, int rc, char *error)
{
    if (rc)
        problem(c, "cannot be read", sqlite3_errmsg(c->sql));
    free(error);
}

/* What reports ask for: a file may be sound and lack a table or a column. */
static void check_reading(struct checker *c, struct ls_results *r)
{
    struct ls_activity activity;
    struct ls_r_total *totals = NULL;
    struct ls_r_row *rows = NULL;
    struct ls_r_call *calls = NULL;
    struct ls_r_vector *vectors = NULL;
    struct ls_r_code *code = NULL;
    struct ls_finding *findings = NULL;
    size_t n;
    char *error = NULL;
    int rc = ls_results_load(r, &error);
    rc = rc ? rc : ls_results_totals(r, &totals, &n, &error);
    rc = rc ? rc : ls_results_rows(r, &rows, &n, &error);
    rc = rc ? rc : ls_results_calls(r, &calls, &n, &error);
    rc = rc ? rc : ls_results_vectors(r, &vectors, &n, &error);
    rc = rc ? rc : ls_results_code(r, &code, &n, &error);
    rc = rc ? rc : ls_findings_load(r, &findings, &n, &error);
    check_loads(c, rc, error);
    error = NULL;
    check_loads(c, rc ? 0 : ls_activity_load(r, &activity, &error), error);
    if (!rc)
        ls_activity_free(&activity);
    free(totals), free(rows), free(calls), free(vectors), free(code), free(findings);
}

static void check_all(struct checker *c, struct ls_results *r)
{
    check_rules(c, r);
    if (!c->problems)
        check_reading(c, r);
}

static int check_one(const char *path, bool quiet)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    if (!r) {
        message_free(error);
        return EXIT_DATABASE;
    }
    struct checker c = {ls_results_text(r, path), r->sql, 0, NULL};
    check_all(&c, r);
    if (c.problems > MOST_PROBLEMS)
        printf("%s: %d more %s\n", c.path, c.problems - MOST_PROBLEMS,
               ls_word(c.problems - MOST_PROBLEMS, "problem", "problems"));
    if (!c.problems && !quiet)
        printf("%s: good, schema %d, %s\n", ls_results_text(r, r->path), r->schema_version,
               !r->partial ? "complete"
               : r->live ? "partial (still being recorded)"
                         : "partial (the recorded process was killed, or its results could not be written)");
    ls_results_close(r);
    return c.problems ? EXIT_FAILED : EXIT_OK;
}

/* The same as an element of the list, also of a file that cannot be read. */
static int check_as_json(json_t *list, const char *path)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    struct checker c = {path, r ? r->sql : NULL, 0, json_array()};
    if (r)
        check_all(&c, r);
    json_array_append_new(
        list, json_pack("{s:o, s:b, s:o, s:o, s:b, s:i, s:o, s:o}", "path", json_text(path), "good",
                        r && !c.problems, "schema_version", r ? json_integer(r->schema_version) : json_null(),
                        "state", r ? json_string(r->partial ? "partial" : "complete") : json_null(), "live",
                        r && r->live, "problem_count", c.problems, "problems", c.list, "error",
                        json_text_or_null(r       ? NULL
                                          : error ? error
                                                  : "out of memory")));
    free(error);
    const int rc = !r ? EXIT_DATABASE : c.problems ? EXIT_FAILED : EXIT_OK;
    ls_results_close(r);
    return rc;
}

enum { KEY_JSON = 0x100, KEY_WAVES };

struct options {
    bool quiet, json, waves;
    char **databases;
    size_t n;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    (void)arg;
    switch (key) {
    case 'q':
        o->quiet = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_WAVES:
        o->waves = true;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (o->waves && o->n != 2)
            argp_error(state, "--waves compares two databases; %zu %s named", o->n, o->n == 1 ? "is" : "are");
        return 0;
    default:
        return take_databases(key, state, &o->databases, &o->n);
    }
}

static const struct argp_option check_options[] = {
    {"quiet", 'q', NULL, 0, "print problems only", 0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-check/1, with --waves lanescope-check-waves/1)",
     0},
    {"waves", KEY_WAVES, NULL, 0,
     "compare two recordings of one program, with wavefronts of 64 and of 32 lanes, and name the lines that "
     "depend on the "
     "size",
     0},
    {0},
};

const struct argp check_argp = {
    check_options,
    parse,
    "DATABASE...",
    "Verifies databases: file structure, schema version, references between tables, states.\v"
    "The exit status is 0 when all are good, 1 when one has problems, or a line depends on the size of "
    "wavefronts, 3 when one "
    "cannot be read.",
    NULL,
    NULL,
    NULL};

int verb_check(int argc, char **argv)
{
    struct options o = {0};
    int worst = EXIT_OK;
    json_t *list = json_array();
    if (argp_parse(&check_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    if (o.waves) {
        json_decref(list);
        const int rc = check_waves(o.databases, o.json), closed = close_output(stdout, NULL);
        return rc ? rc : closed;
    }
    for (size_t i = 0; i < o.n; i++) {
        if (o.json || o.quiet) /* else its lines say how far it is */
            progress("checking databases", i, o.n);
        int rc = o.json ? check_as_json(list, o.databases[i]) : check_one(o.databases[i], o.quiet);
        worst = rc > worst ? rc : worst;
    }
    progress_end();
    if (o.json) {
        json_t *root = json_root("check");
        json_object_set(root, "databases", list);
        write_json(root, stdout);
        json_decref(root);
    }
    json_decref(list);
    int closed = close_output(stdout, NULL);
    return worst ? worst : closed;
}
