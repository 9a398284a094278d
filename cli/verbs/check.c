/* lanescope check DB... */
#include "cli/common/cli.h"
#include "results/reader.h"
#include "cli/common/safe_output.h"
#include "results/schema.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    const char *path;
    sqlite3 *sql;
    int problems;
};

static void problem(struct checker *c, const char *what, const char *detail)
{
    /* A damaged file can have thousands. */
    if (c->problems++ >= 10)
        return;
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
    {"dangling reference", "SELECT \"table\" || ' row ' || rowid || ' refers to a missing ' || parent"
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

static int check_one(const char *path, bool quiet)
{
    char *error = NULL;
    struct ls_results *r = ls_results_open(path, &error);
    if (!r) {
        message_free(error);
        return EXIT_DATABASE;
    }
    struct checker c = {ls_results_text(r, path), r->sql, 0};
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        expect_nothing(&c, rules[i].what, rules[i].query);
    if (c.problems > 10)
        printf("%s: %d more problems\n", c.path, c.problems - 10);
    if (!c.problems && !quiet)
        printf("%s: good, schema %d, %s\n", ls_results_text(r, r->path), r->schema_version,
               !r->partial ? "complete"
               : r->live ? "partial (still being recorded)"
                         : "partial (the recorded process was killed, or its results could not be written)");
    ls_results_close(r);
    return c.problems ? EXIT_FAILED : EXIT_OK;
}

struct options {
    bool quiet;
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
    case ARGP_KEY_ARGS:
        o->databases = state->argv + state->next;
        o->n = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp_option check_options[] = {{"quiet", 'q', NULL, 0, "print problems only", 0}, {0}};

int verb_check(int argc, char **argv)
{
    static const struct argp check_argp = {
        check_options,
        parse,
        "DATABASE...",
        "Verifies databases: file structure, schema version, references between tables, states.\v"
        "The exit status is 0 when all are good, 1 when one has problems, 3 when one cannot be read.",
        NULL,
        NULL,
        NULL};
    struct options o = {0};
    int worst = EXIT_OK;
    if (argp_parse(&check_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    for (size_t i = 0; i < o.n; i++) {
        int rc = check_one(o.databases[i], o.quiet);
        worst = rc > worst ? rc : worst;
    }
    int closed = close_output(stdout, NULL);
    return worst ? worst : closed;
}
