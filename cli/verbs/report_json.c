/* The report as JSON, schema lanescope-report/1 (docs/cli.md lists the fields). Numbers are exact. */
#include "results/compiler_words.h"
#include "results/advice.h"
#include "results/coverage.h"
#include "cli/output/exactness.h"
#include "report.h"
#include "report_as.h"
#include "report_findings.h"
#include "report_source.h"
#include "cli/output/times.h"
#include "cli/output/row_tables.h"
#include "cli/common/safe_output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *text(const char *s)
{
    return json_text(s);
}

static json_t *text_or_null(const char *s)
{
    return s ? text(s) : json_null();
}

static json_t *texts(const struct ls_p_texts *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->n; i++)
        json_array_append_new(list, text(t->items[i]));
    return list;
}

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
            list, json_pack("{s:o, s:I}", "reason", text(c[i].name), "count", (json_int_t)c[i].n));
    return list;
}

static json_t *place(const struct ls_p_place *c)
{
    return json_pack("{s:o, s:I, s:I, s:o}", "file", text(c->file), "line", (json_int_t)c->line, "column",
                     (json_int_t)c->column, "function", text(c->function));
}

static json_t *advice(const struct ls_profile *p, const struct ls_p_kernel *k, const struct ls_p_line *line,
                      const char *handler)
{
    size_t n;
    char **items = ls_advice(p, k, line, handler, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, text(items[i]));
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
    json_object_set_new(row, "title_file", text(t->file));
    json_object_set_new(row, "title_line", json_integer(t->line));
    json_object_set_new(row, "title_columns", columns);
    json_object_set_new(row, "title_function", text(t->function));
    json_object_set_new(row, "title_depth", json_integer((json_int_t)line->title_depth));
    json_object_set_new(row, "title_source", text_or_null(line->title_source));
}

static void add_exactness(json_t *row, const struct ls_profile *p, const struct ls_p_line *line)
{
    char *reason = ls_line_reason(p, line);
    json_object_set_new(row, "exact", json_boolean(ls_line_exact(p, line)));
    json_object_set_new(row, "reason", text_or_null(reason));
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
            json_array_append_new(list, text(p->metrics[i].name));
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
            json_array_append_new(list, json_pack("{s:o, s:I}", "file", text((a ? counted : other)->file),
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
        text(line->file), "line", (json_int_t)line->line, "columns", numbers(line->columns, line->n_columns),
        "function", text(line->function), "inlined_at", chain, "access", line->kind, "address_space",
        line->space, "bytes", numbers(line->bytes, line->n_bytes), "source", text_or_null(line->source),
        "source_problem", text_or_null(line->source_problem), "instructions", texts(&line->instruction),
        "isa", texts(&line->isa), "isa_merged", line->isa_merged, "sites", (json_int_t)line->n_sites,
        "metrics", report_values(p, &line->values, handler), "advice", advice(p, k, line, handler));
    json_object_set_new(row, "merged_with", merged_with(k, line));
    json_object_set_new(row, "code_offset",
                        line->alone ? json_integer((json_int_t)line->offset) : json_null());
    char *compiler = ls_compiler_words(k, line);
    json_object_set_new(row, "compiler", text_or_null(compiler));
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
        json_array_append_new(list, json_pack("{s:o, s:o, s:s}", "metric", text(p->metrics[c->metric].name),
                                              "head", text(head), "show", shows[c->show % 5]));
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
            list, json_pack("{s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "handler", text(t[i].handler),
                            "time_source", time_source(r->profile, k, t[i].handler), "title",
                            text(t[i].title), "lines", (int)t[i].n_all, "note", text_or_null(t[i].note),
                            "columns", columns(r->profile, &t[i]), "worst_metric",
                            worst < 0 ? json_null() : text(r->profile->metrics[worst].name), "rows", rows));
    }
    ls_tables_free(t, n);
    return list;
}

static json_t *triple(const uint32_t v[3])
{
    return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
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
            json_t *content = t[i].rows[j].json ? json_incref(t[i].rows[j].json) : text(row->json);
            json_array_append_new(
                rows,
                json_pack("{s:i, s:I, s:o, s:o, s:o, s:o, s:b, s:o}", "database", (int)row->database,
                          "dispatch", (json_int_t)row->dispatch, "file",
                          row->line ? text(row->line->file) : json_null(), "line",
                          row->line ? json_integer(row->line->line) : json_null(), "title_file",
                          row->line ? text(row->line->title.file) : json_null(), "title_line",
                          row->line ? json_integer(row->line->title.line) : json_null(), "exact",
                          row->line ? ls_line_exact(p, row->line) : !ls_kernel_partial(k), "row", content));
        }
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "handler", text(t[i].handler),
                                              "time_source", time_source(p, k, t[i].handler), "table",
                                              text(t[i].table), "rows", rows));
    }
    row_tables_free(t, n);
    return list;
}

static json_t *unexplained(const struct ls_p_kernel *k)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->n_unexplained; i++) {
        const struct ls_p_unexplained *u = &k->unexplained[i];
        json_array_append_new(
            list, json_pack("{s:o, s:I, s:o, s:I, s:o}", "file", text(u->file), "line", (json_int_t)u->line,
                            "instruction", text(u->instruction), "count", (json_int_t)u->n, "executions",
                            u->executions < 0 ? json_null() : json_integer((json_int_t)u->executions)));
    }
    return list;
}

static json_t *exactness_of(struct ls_exactness e, const char *sentence)
{
    return json_pack("{s:I, s:I, s:I, s:o}", "executed", (json_int_t)e.executed, "exact",
                     (json_int_t)(e.executed - e.estimated), "estimated", (json_int_t)e.estimated, "text",
                     text_or_null(sentence));
}

static json_t *kernel(const struct report *r, const struct ls_p_kernel *k)
{
    char *coverage = ls_coverage_text(k);
    json_t *dispatches =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:s}", "count", (json_int_t)k->dispatches, "observed",
                  (json_int_t)k->observed, "not_observed", counts(k->not_observed, k->n_not_observed), "grid",
                  triple(k->grid), "workgroup", triple(k->workgroup), "shapes", (json_int_t)k->shapes,
                  "duration_ns", (json_int_t)k->duration_ns, "time_source", ls_time_source(k));
    json_t *transport =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "chunks", (json_int_t)k->chunks, "bytes",
                  (json_int_t)k->bytes, "messages", (json_int_t)k->messages, "bad", (json_int_t)k->bad,
                  "dropped", (json_int_t)k->dropped, "unlisted", (json_int_t)k->unlisted);
    json_t *covered =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:I}", "instructions", (json_int_t)k->instructions, "observed",
                  (json_int_t)k->instructions_observed, "not_observed",
                  counts(k->not_covered, k->n_not_covered), "text", text(coverage ? coverage : ""),
                  "unexplained", unexplained(k), "contradictions", (json_int_t)k->contradictions);
    json_t *resources =
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "lds_bytes", (json_int_t)k->lds_bytes, "scratch_bytes",
                  (json_int_t)k->scratch_bytes, "sgprs", (json_int_t)k->sgprs, "vgprs", (json_int_t)k->vgprs,
                  "agprs", (json_int_t)k->agprs);
    free(coverage);
    json_t *j = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", text(k->name),
        "mangled", text(k->mangled), "arch", text(k->arch), "library", text_or_null(k->library), "file",
        text(k->file), "line", (json_int_t)k->line, "not_instrumented", text_or_null(k->not_instrumented),
        "by_instructions", k->alone, "dispatches", dispatches, "coverage", covered, "transport", transport,
        "resources", resources, "metrics", report_values(r->profile, &k->values, NULL), "tables",
        tables(r, k), "handler_tables", handler_tables(r->profile, k));
    char *reason = ls_kernel_reason(k);
    json_object_set_new(j, "reason", text_or_null(reason));
    json_object_set_new(j, "exactness", exactness_of((struct ls_exactness){k->executed, k->estimated}, NULL));
    free(reason);
    report_add_source(j, r->profile, k);
    return j;
}

/* How many numbers are exact, of all kernels. */
static json_t *exactness(const struct ls_profile *p)
{
    char *sentence = exactness_text(p, true, 0);
    json_t *j = exactness_of(ls_exactness(p), sentence);
    free(sentence);
    return j;
}

static json_t *metrics(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:b, s:i}", "handler", text(m->handler), "name",
                              text(m->name), "unit", text(m->unit), "description", text(m->description),
                              "ratio", m->is_ratio, "direction", ls_metric_direction(p, (int)i));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *databases(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_databases; i++) {
        const struct ls_p_database *d = &p->databases[i];
        json_array_append_new(
            list, json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "path",
                            text(d->path), "partial", d->partial, "created", text(d->created), "version",
                            text(d->version), "command", text(d->command), "gpu", text(d->gpu), "runtime",
                            text(d->runtime), "pid", (json_int_t)d->pid, "hostname", text(d->hostname),
                            "filters", *d->filters ? text(d->filters) : json_null(), "rank",
                            *d->rank ? text(d->rank) : json_null(), "run", text(d->run_id), "part",
                            *d->part ? text(d->part) : json_null()));
    }
    return list;
}

static json_t *notes(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_notes; i++)
        json_array_append_new(list, json_pack("{s:i, s:o, s:i}", "level", p->notes[i].level, "text",
                                              text(p->notes[i].text), "count", p->notes[i].count));
    return list;
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
        json_array_append_new(assumes, text_or_null(list[i]));
        free(list[i]);
    }
    json_t *j = json_pack("{s:o, s:o, s:b, s:o}", "gpu", text(p->as), "recorded_on", text_or_null(ran),
                          "measured", 0, "assumes", assumes);
    free(list);
    free(ran);
    return j;
}

json_t *report_json_root(const struct report *r)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < r->profile->n_kernels; i++)
        json_array_append_new(kernels, kernel(r, r->profile->kernels[i]));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "lanescope-report/1", "version", LANESCOPE_VERSION, "as", priced_as(r->profile),
                     "databases", databases(r->profile), "metrics", metrics(r->profile), "kernels", kernels,
                     "files", report_files(r->profile), "findings", report_findings_json(r->profile),
                     "exactness", exactness(r->profile), "times", times_json(r->profile), "notes",
                     notes(r->profile));
}

int report_json(const struct report *r, FILE *out)
{
    json_t *root = report_json_root(r);
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return root ? 0 : rc;
}
