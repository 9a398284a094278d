/* lanescope query [OPTION...] DB SQL */
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/output/csv.h"
#include "results/file/error_text.h"
#include "lanescope/printable.h"
#include "results/reader/reader.h"
#include "cli/common/safe_output.h"
#include "cli/output/terminal.h"

#include <argp.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 0x100 };
enum form { FORM_TABLE, FORM_CSV, FORM_JSON };

struct options {
    enum form form;
    const char *output;
    char **words;
    size_t n_words;
};

static const struct argp_option query_options[] = {
    {"format", 'f', "table|csv|json", 0, "form of the result; default: table", 0},
    {"json", KEY_JSON, NULL, 0, "the same as --format=json: an array of the rows", 0},
    {"output", 'o', "FILE", 0, "write to FILE", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const forms[] = {"table", "csv", "json"};
    struct options *o = state->input;
    switch (key) {
    case 'f':
        for (int i = 0; i < 3; i++)
            if (!strcmp(arg, forms[i])) {
                o->form = (enum form)i;
                return 0;
            }
        argp_error(state, "--format: '%s' is not accepted; give table, csv or json", arg);
        return 0;
    case KEY_JSON:
        o->form = FORM_JSON;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->words = state->argv + state->next;
        o->n_words = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (o->n_words < 2)
            argp_error(state, "give a database and, in quotes, an SQL query: \"SELECT * FROM line_view\"");
        if (o->n_words > 2)
            argp_error(state, "'%s' is one word too many: put the whole SQL query in quotes", o->words[2]);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A text or a BLOB may have zero bytes in it: *n counts all. Never NULL. */
static const char *column_text(sqlite3_stmt *st, int i, size_t *n)
{
    const char *s = (const char *)sqlite3_column_text(st, i);
    *n = s ? (size_t)sqlite3_column_bytes(st, i) : 0;
    return s ? s : "";
}

/* As a text that ends at its first zero byte: with one inside, what is not printable is escaped. malloc'd. */
static char *plain_text(sqlite3_stmt *st, int i)
{
    size_t n;
    const char *s = column_text(st, i, &n);
    char *text = ls_realloc(NULL, LS_PRINTABLE_GROWTH * n + 1);
    if (memchr(s, 0, n))
        ls_printable(text, s, n, "");
    else
        memcpy(text, s, n + 1);
    return text;
}

/* ---- forms ---- */

static int as_csv(sqlite3_stmt *st, FILE *out)
{
    int rc, n = sqlite3_column_count(st);
    for (int i = 0; i < n; i++)
        csv_field(out, sqlite3_column_name(st, i), i == 0);
    csv_end(out);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++) {
            int type = sqlite3_column_type(st, i);
            char *text = plain_text(st, i);
            (type == SQLITE_INTEGER || type == SQLITE_FLOAT ? csv_number : csv_field)(out, text, i == 0);
            free(text);
        }
        csv_end(out);
    }
    return rc;
}

static json_t *cell(sqlite3_stmt *st, int i)
{
    size_t n;
    const char *text;
    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(st, i));
    case SQLITE_FLOAT:
        return json_number(sqlite3_column_double(st, i));
    case SQLITE_NULL:
        return json_null();
    default:
        text = column_text(st, i, &n);
        return json_text_n(text, n);
    }
}

/* Columns may have one name, the keys of an object may not: "id", "id:1", "id:2". malloc'd. */
static char **column_keys(sqlite3_stmt *st, int n)
{
    char **keys = calloc((size_t)n + 1, sizeof(*keys));
    json_t *used = json_object();
    for (int i = 0; i < n; i++) {
        const char *name = sqlite3_column_name(st, i);
        keys[i] = ls_text("%s", name);
        for (int again = 1; json_has(used, keys[i]); again++) {
            free(keys[i]);
            keys[i] = ls_text("%s:%d", name, again);
        }
        json_set(used, keys[i], json_true());
    }
    json_decref(used);
    return keys;
}

static int as_json(sqlite3_stmt *st, FILE *out)
{
    int rc, n = sqlite3_column_count(st);
    json_t *rows = json_array();
    char **keys = column_keys(st, n);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        json_t *row = json_object();
        for (int i = 0; i < n; i++)
            json_set(row, keys[i], cell(st, i));
        json_array_append_new(rows, row);
    }
    if (rc == SQLITE_DONE)
        write_json(rows, out);
    json_decref(rows);
    for (int i = 0; i < n; i++)
        free(keys[i]);
    free(keys);
    return rc;
}

/* All cells of a table: columns are as wide as their widest text. */
struct cells {
    char **text;
    bool *number;
    size_t n;
    int *width;
};

/* Takes over the text. */
static void keep(struct cells *c, char *text, bool number, int column)
{
    size_t n = c->n;
    *LS_PUSH(c->text, c->n) = text;
    *LS_PUSH(c->number, n) = number;
    if (text_width(text) > c->width[column])
        c->width[column] = text_width(text);
}

static void print_cells(const struct terminal *t, const struct cells *c, int columns)
{
    for (size_t i = 0; i < c->n; i++) {
        int column = (int)(i % (size_t)columns);
        bool head = i < (size_t)columns;
        int pad = c->width[column] - text_width(c->text[i]);
        /* A heading stands over its column's first cell. */
        bool right = head && i + (size_t)columns < c->n ? c->number[i + (size_t)columns] : c->number[i];
        fputs(head ? style_on(t, STYLE_HEAD) : "", t->out);
        print_padding(t, right ? pad : 0);
        print_cut(t, c->text[i], text_width(c->text[i]));
        if (column + 1 < columns)
            print_padding(t, (right ? 0 : pad) + 2);
        fputs(head ? style_off(t) : "", t->out);
        if (column + 1 == columns)
            fputc('\n', t->out);
    }
}

static int as_table(sqlite3_stmt *st, FILE *out)
{
    int rc, n = sqlite3_column_count(st);
    struct terminal t = terminal_of(out);
    struct cells c = {.width = calloc((size_t)n + 1, sizeof(int))};
    for (int i = 0; i < n; i++)
        keep(&c, strdup(sqlite3_column_name(st, i)), false, i);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW)
        for (int i = 0; i < n; i++) {
            int type = sqlite3_column_type(st, i);
            keep(&c, plain_text(st, i), type == SQLITE_INTEGER || type == SQLITE_FLOAT, i);
        }
    if (rc == SQLITE_DONE && n)
        print_cells(&t, &c, n);
    for (size_t i = 0; i < c.n; i++)
        free(c.text[i]);
    free(c.text);
    free(c.number);
    free(c.width);
    return rc;
}

/* ---- the verb ---- */

/* "agent, code_object, ..." malloc'd. */
static char *all_tables(sqlite3 *sql)
{
    char *names = NULL;
    sqlite3_stmt *st = NULL;
    sqlite3_set_authorizer(sql, NULL, NULL);
    if (sqlite3_prepare_v2(
            sql,
            "SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_master WHERE type IN "
            "('table', 'view') AND name NOT LIKE 'sqlite%' ORDER BY name)",
            -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        names = plain_text(st, 0);
    sqlite3_finalize(st);
    return names;
}

static void no_such_table(struct ls_results *r, const char *what)
{
    char *error = ls_text("%s", what), *names = all_tables(r->sql);
    message("query: %s; there are %s; docs/database.md tells of them", error ? error : what,
            names && *names ? names : "none");
    free(names);
    free(error);
}

static int sql_failed(struct ls_results *r)
{
    int code = sqlite3_errcode(r->sql) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR) {
        message_free(ls_results_sql_error(r->path, r->sql));
        return EXIT_DATABASE;
    }
    if (code == SQLITE_READONLY || code == SQLITE_AUTH)
        message("query: databases are not changed; give a SELECT");
    else if (!strncmp(sqlite3_errmsg(r->sql), "no such table", 13))
        no_such_table(r, sqlite3_errmsg(r->sql));
    else
        message("query: %s; docs/database.md lists tables and views", sqlite3_errmsg(r->sql));
    return EXIT_FAILED;
}

static int run_query(struct ls_results *r, const struct options *o, FILE *out)
{
    static int (*const forms[])(sqlite3_stmt *, FILE *) = {as_table, as_csv, as_json};
    sqlite3_stmt *st = NULL;
    const char *rest;
    if (sqlite3_prepare_v2(r->sql, o->words[1], -1, &st, &rest) != SQLITE_OK)
        return sql_failed(r);
    if (!st || rest[strspn(rest, " \t\r\n;")]) {
        message("query: one SQL statement is expected");
        sqlite3_finalize(st);
        return EXIT_FAILED;
    }
    int rc = forms[o->form](st, out) == SQLITE_DONE ? EXIT_OK : sql_failed(r);
    sqlite3_finalize(st);
    return rc;
}

/* Reading only: no ATTACH (which can create files), no PRAGMA that writes. */
static int authorize(void *user, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)user, (void)a, (void)c, (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        return b ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

const struct argp query_argp = {
    query_options,
    parse,
    "DATABASE SQL",
    "Runs one SQL query, read-only. `lanescope query DATABASE \"SELECT * FROM line_view\"` has all numbers "
    "by "
    "source line.\v"
    "Example:\n  lanescope query r.db \"SELECT file, line, value FROM line_view\"",
    NULL,
    NULL,
    NULL};

int verb_query(int argc, char **argv)
{
    struct options o = {0};
    char *error = NULL;
    if (argp_parse(&query_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    struct ls_results *r = ls_results_open(o.words[0], &error);
    if (!r) {
        message_free(error);
        return EXIT_DATABASE;
    }
    sqlite3_set_authorizer(r->sql, authorize, NULL);
    ls_results_unbounded(r);
    FILE *out = open_output(o.output, &o.words[0], 1);
    int rc = out ? run_query(r, &o, out) : EXIT_FAILED;
    if (out)
        rc = output_file_close(out, o.output, rc);
    ls_results_close(r);
    return rc;
}
