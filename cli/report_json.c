/* The report as JSON, schema lanescope-report/1 (docs/cli.md lists the fields). Numbers are exact. */
#include "advice.h"
#include "coverage.h"
#include "exactness.h"
#include "report.h"
#include "report_findings.h"
#include "row_tables.h"
#include "safe_output.h"

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

/* {"Executions": 12, ...} for one handler; handler NULL: {"handler": {...}, ...}. */
static json_t *values(const struct ls_profile *p, const struct ls_p_values *v, const char *handler)
{
    json_t *object = json_object();
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        double x;
        if ((handler && strcmp(m->handler, handler)) || !ls_profile_value(p, v, i, &x))
            continue;
        json_t *number = m->is_ratio ? json_number(x) : json_integer(v->sum[i]);
        if (handler) {
            json_set(object, m->name, number);
            continue;
        }
        json_t *inner = json_object_get(object, m->handler);
        if (!inner) {
            inner = json_object();
            json_object_set_new(object, m->handler, inner);
        }
        json_set(inner, m->name, number);
    }
    return object;
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
        "metrics", values(p, &line->values, handler), "advice", advice(p, k, line, handler));
    json_object_set_new(row, "merged_with", merged_with(k, line));
    add_title(row, line);
    add_exactness(row, p, line);
    return row;
}

/* Of tables with times. */
static json_t *time_source(const struct ls_p_kernel *k, const char *handler)
{
    return ls_measures_time(handler) ? json_string(ls_time_source(k)) : json_null();
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
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:i, s:o, s:o}", "handler", text(t[i].handler),
                                              "time_source", time_source(k, t[i].handler), "title",
                                              text(t[i].title), "lines", (int)t[i].n_all, "note",
                                              text_or_null(t[i].note), "rows", rows));
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
                                              "time_source", time_source(k, t[i].handler), "table",
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

static json_t *kernel(const struct report *r, const struct ls_p_kernel *k)
{
    char *coverage = ls_coverage_text(k);
    json_t *dispatches =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:s}", "count", (json_int_t)k->dispatches, "observed",
                  (json_int_t)k->observed, "not_observed", counts(k->not_observed, k->n_not_observed), "grid",
                  triple(k->grid), "workgroup", triple(k->workgroup), "shapes", (json_int_t)k->shapes,
                  "duration_ns", (json_int_t)k->duration_ns, "time_source", ls_time_source(k));
    json_t *transport = json_pack("{s:I, s:I, s:I, s:I, s:I}", "chunks", (json_int_t)k->chunks, "bytes",
                                  (json_int_t)k->bytes, "messages", (json_int_t)k->messages, "bad",
                                  (json_int_t)k->bad, "dropped", (json_int_t)k->dropped);
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
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     text(k->name), "mangled", text(k->mangled), "arch", text(k->arch), "file", text(k->file),
                     "line", (json_int_t)k->line, "not_instrumented", text_or_null(k->not_instrumented),
                     "dispatches", dispatches, "coverage", covered, "transport", transport, "resources",
                     resources, "metrics", values(r->profile, &k->values, NULL), "tables", tables(r, k),
                     "handler_tables", handler_tables(r->profile, k));
}

/* How many numbers are exact, of all kernels. */
static json_t *exactness(const struct ls_profile *p)
{
    struct ls_exactness e = ls_exactness(p);
    char *sentence = exactness_text(p, true, 0);
    json_t *j = json_pack("{s:I, s:I, s:I, s:o}", "executed", (json_int_t)e.executed, "exact",
                          (json_int_t)(e.executed - e.estimated), "estimated", (json_int_t)e.estimated,
                          "text", text_or_null(sentence));
    free(sentence);
    return j;
}

static json_t *metrics(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        json_t *j =
            json_pack("{s:o, s:o, s:o, s:o, s:b}", "handler", text(m->handler), "name", text(m->name), "unit",
                      text(m->unit), "description", text(m->description), "ratio", m->is_ratio);
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
            list, json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "path", text(d->path),
                            "partial", d->partial, "created", text(d->created), "version", text(d->version),
                            "command", text(d->command), "gpu", text(d->gpu), "runtime", text(d->runtime),
                            "pid", (json_int_t)d->pid, "hostname", text(d->hostname), "filters",
                            *d->filters ? text(d->filters) : json_null()));
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

int report_json(const struct report *r, FILE *out)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < r->profile->n_kernels; i++)
        json_array_append_new(kernels, kernel(r, r->profile->kernels[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "lanescope-report/1", "version",
                  LANESCOPE_VERSION, "databases", databases(r->profile), "metrics", metrics(r->profile),
                  "kernels", kernels, "findings", report_findings_json(r->profile), "exactness",
                  exactness(r->profile), "notes", notes(r->profile));
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return root ? 0 : rc;
}
