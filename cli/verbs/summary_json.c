/* The summary as JSON, schema lanescope-summary/1 (docs/cli.md lists the fields). */
#include "summary_parts.h"
#include "profile_json.h"
#include "report_source.h"
#include "cli/common/safe_output.h"
#include "cli/output/blind.h"
#include "cli/output/times.h"

#include <stdlib.h>

static json_t *counts(const struct ls_profile *p)
{
    const struct summary_counts c = summary_count(p);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "kernels",
                     (json_int_t)p->n_kernels, "instrumented", (json_int_t)c.instrumented, "by_instructions",
                     (json_int_t)c.alone, "dispatches", (json_int_t)c.dispatches, "observed",
                     (json_int_t)c.observed, "instructions", (json_int_t)c.instructions,
                     "instructions_observed", (json_int_t)c.covered, "dropped", (json_int_t)c.dropped,
                     "unlisted", (json_int_t)c.unlisted, "unexplained", (json_int_t)c.unexplained,
                     "contradictions", (json_int_t)c.contradictions);
}

static json_t *worst_line(const struct ls_profile *p, const struct summary_line *w)
{
    const bool time = ls_measures_time(p, w->table->handler);
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "handler", json_text(w->table->handler), "title",
                  json_text(w->table->title), "note", json_text_or_null(w->table->note), "time_source",
                  time ? json_string(ls_time_source(w->kernel)) : json_null(), "worst", json_null());
    if (!j || w->weight <= 0)
        return j;
    json_object_set_new(j, "worst",
                        json_pack("{s:o, s:o, s:o, s:I, s:s, s:s, s:b, s:o}", "kernel",
                                  json_text(w->kernel->name), "mangled", json_text(w->kernel->mangled),
                                  "file", json_text(w->line->title.file), "line",
                                  (json_int_t)w->line->title.line, "access", w->line->kind, "address_space",
                                  w->line->space, "exact", ls_line_exact(p, w->line), "metrics",
                                  report_values(p, &w->line->values, w->table->handler)));
    return j;
}

static json_t *handlers(const struct ls_profile *p)
{
    struct summary_worst w;
    json_t *list = json_array();
    summary_find_worst(&w, p);
    for (size_t i = 0; i < w.n; i++)
        json_array_append_new(list, worst_line(p, &w.list[i]));
    summary_worst_free(&w);
    return list;
}

static json_t *not_observed(const struct ls_profile *p)
{
    size_t n;
    json_t *list = json_array();
    struct blind *groups = blind_groups(p, &n);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:I, s:o}", "library", json_text(groups[i].library), "reason",
                            json_text(groups[i].why), "kernels", (json_int_t)groups[i].kernels, "dispatches",
                            (json_int_t)groups[i].dispatches, "first", json_text(groups[i].first->name)));
    free(groups);
    return list;
}

json_t *summary_json(const struct ls_profile *p)
{
    json_t *root = json_root("summary");
    json_object_set_new(root, "databases", profile_json_databases(p));
    json_object_set_new(root, "counts", counts(p));
    json_object_set_new(root, "exactness", profile_json_all_exactness(p));
    json_object_set_new(root, "not_observed", not_observed(p));
    json_object_set_new(root, "handlers", handlers(p));
    json_object_set_new(root, "times", times_json(p));
    json_object_set_new(root, "notes", profile_json_notes(p));
    return root;
}
