/* The report as JSON, schema lanescope-report/1 (docs/cli.md lists the fields). Numbers are exact. */
#include "results/advice/compiler_words.h"
#include "results/advice/advice.h"
#include "results/profile/coverage.h"
#include "cli/output/exactness.h"
#include "report.h"
#include "report_as.h"
#include "report_findings.h"
#include "report_source.h"
#include "profile_json.h"
#include "cli/output/times.h"
#include "cli/output/row_tables.h"
#include "cli/common/safe_output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *numbers(const uint32_t *n, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(n[i]));
    return list;
}

static json_t *counts(const struct ls_p_count *c, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:I}", "reason", json_text(c[i].name), "count", (json_int_t)c[i].n));
    return list;
}

static json_t *place(const struct ls_p_place *c)
{
    return json_pack("{s:o, s:I, s:I, s:o}", "file", json_text(c->file), "line", (json_int_t)c->line,
                     "column", (json_int_t)c->column, "function", json_text(c->function));
}

static json_t *advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                      const char *handler)
{
    size_t n;
    char **items = ls_advice(p, k, line, handler, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_text(items[i]));
    ls_advice_free(items, n);
    return list;
}

/* The row's title: the nearest place in the user's own sources. */
static void add_title(json_t *row, const struct ls_p_line *line)
{
    const struct ls_p_place *t = &line->title;
    json_t *columns = !line->title_depth ? numbers(line->columns, line->n_columns)
                      : t->column        ? numbers(&t->column, 1)
                                         : json_array();
    json_object_set_new(row, "title_file", json_text(t->file));
    json_object_set_new(row, "title_line", json_integer(t->line));
    json_object_set_new(row, "title_columns", columns);
    json_object_set_new(row, "title_function", json_text(t->function));
    json_object_set_new(row, "title_depth", json_integer((json_int_t)line->title_depth));
    json_object_set_new(row, "title_source", json_text_or_null(line->title_source));
}

static void add_exactness(json_t *row, const struct ls_profile *p, const struct ls_p_line *line)
{
    char *reason = ls_line_reason(p, line);
    json_object_set_new(row, "exact", json_boolean(ls_line_exact(p, line)));
    json_object_set_new(row, "reason", json_text_or_null(reason));
    json_object_set_new(row, "sites_estimated", json_integer((json_int_t)line->n_estimated));
    free(reason);
}

/* Names of the metrics of the table whose numbers of this line are not exact. */
static json_t *inexact(const struct ls_profile *p, const struct ls_p_line *line, const char *handler)
{
    json_t *list = json_array();
    double x;
    for (size_t i = 0; i < p->n_metrics; i++)
        if (!strcmp(p->metrics[i].handler, handler) && ls_profile_value(p, &line->values, i, &x) &&
            *value_mark(p, line, i))
            json_array_append_new(list, json_text(p->metrics[i].name));
    return list;
}

/* Other lines whose accesses are done by an instruction that also does one of this line. */
static json_t *merged_with(const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->n_merges; i++) {
        const struct ls_p_place *other = &k->merges[i].other, *counted = &k->merges[i].counted;
        bool a = other->line == line->title.line && !strcmp(other->file, line->title.file),
             b = counted->line == line->title.line && !strcmp(counted->file, line->title.file);
        if ((a || b) && line->isa_merged)
            json_array_append_new(list,
                                  json_pack("{s:o, s:I}", "file", json_text((a ? counted : other)->file),
                                            "line", (json_int_t)(a ? counted : other)->line));
    }
    return list;
}

static json_t *row(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                   const char *handler)
{
    json_t *chain = json_array();
    for (size_t i = 0; i < line->n_chain; i++)
        json_array_append_new(chain, place(&line->chain[i]));
    json_t *row = json_pack(
        "{s:o, s:I, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:I, s:o, s:o}", "file",
        json_text(line->file), "line", (json_int_t)line->line, "columns",
        numbers(line->columns, line->n_columns), "function", json_text(line->function), "inlined_at", chain,
        "access", line->kind, "address_space", line->space, "bytes", numbers(line->bytes, line->n_bytes),
        "source", json_text_or_null(line->source), "source_problem", json_text_or_null(line->source_problem),
        "instructions", profile_json_texts(&line->instruction), "isa", profile_json_texts(&line->isa),
        "isa_merged", line->isa_merged, "sites", (json_int_t)line->n_sites, "metrics",
        report_values(p, &line->values, handler), "advice", advice(p, k, line, handler));
    json_object_set_new(row, "merged_with", merged_with(k, line));
    json_object_set_new(row, "code_offset",
                        line->alone ? json_integer((json_int_t)line->offset) : json_null());
    char *compiler = ls_compiler_words(k, line);
    json_object_set_new(row, "compiler", json_text_or_null(compiler));
    free(compiler);
    add_title(row, line);
    add_exactness(row, p, line);
    json_object_set_new(row, "inexact", inexact(p, line, handler));
    json_object_set_new(row, "phases_assumed", json_boolean(ls_line_assumed(p, line, handler)));
    return row;
}

static json_t *columns(const struct ls_profile *p, const struct ls_table *t)
{
    static const char *const shows[] = {"always", "cost", "detail", "rare", "export"};
    json_t *list = json_array();
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct ls_column *c = &t->columns[i];
        const char *head = c->head ? c->head : p->metrics[c->metric].name;
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:s}", "metric", json_text(p->metrics[c->metric].name),
                                        "head", json_text(head), "show", shows[c->show % 5]));
    }
    return list;
}

/* Of tables with times. */
static json_t *time_source(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler)
{
    return ls_measures_time(p, handler) ? json_string(ls_time_source(k)) : json_null();
}

static json_t *tables(const struct report *r, const struct ls_p_kernel *k)
{
    size_t n;
    json_t *list = json_array();
    struct ls_table *t = ls_tables(r->profile, k, &r->tables, &n);
    for (size_t i = 0; i < n; i++) {
        json_t *rows = json_array();
        for (size_t j = 0; j < t[i].n_rows; j++)
            json_array_append_new(rows, row(r->profile, k, t[i].rows[j], t[i].handler));
        int worst = ls_worst_metric(r->profile, t[i].handler);
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "handler", json_text(t[i].handler),
                      "time_source", time_source(r->profile, k, t[i].handler), "title", json_text(t[i].title),
                      "lines", (int)t[i].n_all, "note", json_text_or_null(t[i].note), "columns",
                      columns(r->profile, &t[i]), "worst_metric",
                      worst < 0 ? json_null() : json_text(r->profile->metrics[worst].name), "rows", rows));
    }
    ls_tables_free(t, n);
    return list;
}

/* The rows that handlers stored, as they are. */
static json_t *handler_tables(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    size_t n;
    json_t *list = json_array();
    struct row_table *t = row_tables(k, &n);
    for (size_t i = 0; i < n; i++) {
        json_t *rows = json_array();
        for (size_t j = 0; j < t[i].n_rows; j++) {
            const struct ls_p_row *row = t[i].rows[j].row;
            json_t *content = t[i].rows[j].json ? json_incref(t[i].rows[j].json) : json_text(row->json);
            json_array_append_new(
                rows,
                json_pack("{s:i, s:I, s:o, s:o, s:o, s:o, s:b, s:o}", "database", (int)row->database,
                          "dispatch", (json_int_t)row->dispatch, "file",
                          row->line ? json_text(row->line->file) : json_null(), "line",
                          row->line ? json_integer(row->line->line) : json_null(), "title_file",
                          row->line ? json_text(row->line->title.file) : json_null(), "title_line",
                          row->line ? json_integer(row->line->title.line) : json_null(), "exact",
                          row->line ? ls_line_exact(p, row->line) : !ls_kernel_partial(k), "row", content));
        }
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "handler", json_text(t[i].handler),
                                              "time_source", time_source(p, k, t[i].handler), "table",
                                              json_text(t[i].table), "rows", rows));
    }
    row_tables_free(t, n);
    return list;
}

static json_t *unexplained(const struct ls_p_kernel *k, bool arguments)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->n_unexplained; i++) {
        const struct ls_p_unexplained *u = &k->unexplained[i];
        if (u->arguments != arguments)
            continue;
        json_array_append_new(
            list,
            json_pack("{s:o, s:I, s:o, s:I, s:o}", "file", json_text(u->file), "line", (json_int_t)u->line,
                      "instruction", json_text(u->instruction), "count", (json_int_t)u->n, "executions",
                      u->executions < 0 ? json_null() : json_integer((json_int_t)u->executions)));
    }
    return list;
}

static json_t *kernel(const struct report *r, const struct ls_p_kernel *k)
{
    char *coverage = ls_coverage_text(k);
    json_t *dispatches = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:s}", "count", (json_int_t)k->dispatches, "observed",
        (json_int_t)k->observed, "not_observed", counts(k->not_observed, k->n_not_observed), "grid",
        profile_json_sizes(k->grid), "workgroup", profile_json_sizes(k->workgroup), "shapes",
        (json_int_t)k->shapes, "duration_ns", (json_int_t)k->duration_ns, "time_source", ls_time_source(k));
    json_t *transport =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "chunks", (json_int_t)k->chunks, "bytes",
                  (json_int_t)k->bytes, "messages", (json_int_t)k->messages, "bad", (json_int_t)k->bad,
                  "dropped", (json_int_t)k->dropped, "unlisted", (json_int_t)k->unlisted);
    json_t *covered = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:I}", "instructions", (json_int_t)k->instructions, "observed",
        (json_int_t)k->instructions_observed, "not_observed", counts(k->not_covered, k->n_not_covered),
        "text", json_text(coverage ? coverage : ""), "unexplained", unexplained(k, false), "arguments",
        unexplained(k, true), "contradictions", (json_int_t)k->contradictions);
    json_t *resources =
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "lds_bytes", (json_int_t)k->lds_bytes, "scratch_bytes",
                  (json_int_t)k->scratch_bytes, "sgprs", (json_int_t)k->sgprs, "vgprs", (json_int_t)k->vgprs,
                  "agprs", (json_int_t)k->agprs);
    free(coverage);
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                  json_text(k->name), "mangled", json_text(k->mangled), "arch", json_text(k->arch), "library",
                  json_text_or_null(k->library), "file", json_text(k->file), "line", (json_int_t)k->line,
                  "not_instrumented", json_text_or_null(k->not_instrumented), "by_instructions", k->alone,
                  "dispatches", dispatches, "coverage", covered, "transport", transport, "resources",
                  resources, "metrics", report_values(r->profile, &k->values, NULL), "tables", tables(r, k),
                  "handler_tables", handler_tables(r->profile, k));
    if (k->twin && k->code_name)
        json_object_set_new(j, "kernel_code", json_text(k->code_name));
    char *reason = ls_kernel_reason(k);
    json_object_set_new(j, "reason", json_text_or_null(reason));
    json_object_set_new(j, "exactness", profile_json_exactness(ls_kernel_exactness(k), NULL));
    free(reason);
    report_add_source(j, r->profile, k);
    return j;
}

/* What is priced as on another GPU must not be taken for what ran. */
static json_t *priced_as(const struct ls_profile *p)
{
    size_t n = 0;
    if (!p->as)
        return json_null();
    char **list = as_assumptions(p, &n), *ran = ran_on(p);
    json_t *assumes = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(assumes, json_text_or_null(list[i]));
        free(list[i]);
    }
    json_t *j = json_pack("{s:o, s:o, s:b, s:o}", "gpu", json_text(p->as), "recorded_on",
                          json_text_or_null(ran), "measured", 0, "assumes", assumes);
    free(list);
    free(ran);
    return j;
}

json_t *report_json_root(const struct report *r)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < r->profile->n_kernels; i++)
        json_array_append_new(kernels, kernel(r, r->profile->kernels[i]));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "lanescope-report/1", "version",
        LANESCOPE_VERSION, "as", priced_as(r->profile), "databases", profile_json_databases(r->profile),
        "metrics", profile_json_metrics(r->profile), "kernels", kernels, "files", report_files(r->profile),
        "findings", report_findings_json(r->profile), "exactness", profile_json_all_exactness(r->profile),
        "times", times_json(r->profile), "notes", profile_json_notes(r->profile));
}

int report_json(const struct report *r, FILE *out)
{
    json_t *root = report_json_root(r);
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return root ? 0 : rc;
}
