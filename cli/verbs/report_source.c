/* report_source.c - see report_source.h. */
#include "report_source.h"
#include "cli/output/names.h"
#include "cli/common/safe_output.h"
#include "results/profile/places.h"
#include "results/profile/tables.h"

#include <string.h>

json_t *report_values(const struct ls_profile *p, const struct ls_p_values *v, const char *handler)
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

static json_t *file(const struct ls_profile *p, const struct ls_p_file *f)
{
    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:b}", "path", json_text(f->path), "short",
                     json_text(short_path(p, f->path, false)), "library", f->library, "text",
                     f->text ? json_text_n(f->text, f->size) : json_null(), "problem",
                     f->text ? json_null() : json_text(f->problem ? f->problem : "unknown"), "differs",
                     f->differs);
}

json_t *report_files(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_files; i++)
        json_array_append_new(list, file(p, &p->files[i]));
    return list;
}

static json_t *instructions(const struct ls_p_kernel *k)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->n_code; i++) {
        const struct ls_p_code *c = &k->code[i];
        const struct ls_p_place *at = c->counted ? &c->counted->title : NULL;
        json_array_append_new(
            list,
            json_pack("{s:o, s:I, s:o, s:o, s:I, s:I, s:o, s:o, s:b}", "function",
                      *c->function ? json_text(c->function) : json_null(), "offset", (json_int_t)c->offset,
                      "text", json_text(c->text), "file", json_text(c->file), "line", (json_int_t)c->line,
                      "column", (json_int_t)c->column, "counted_file", at ? json_text(at->file) : json_null(),
                      "counted_line", at ? json_integer(at->line) : json_null(), "joined", c->joined));
    }
    return list;
}

void report_add_accesses(json_t *line, const struct ls_profile *p, const struct ls_p_values *v)
{
    double executions, lanes;
    bool any = ls_accesses(p, v, NULL, &executions, &lanes);
    json_object_set_new(line, "executions", any ? json_number(executions) : json_null());
    json_object_set_new(line, "active_lanes", any ? json_number(lanes) : json_null());
}

/* By source line, most excess first. */
static json_t *lines(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    size_t n;
    struct ls_source_line *l = ls_source_lines(p, k, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *line = json_pack("{s:o, s:I, s:o, s:b, s:o}", "file", json_text(l[i].file), "line",
                                 (json_int_t)l[i].line, "excess", json_number(l[i].excess), "exact",
                                 l[i].exact, "metrics", report_values(p, &l[i].values, NULL));
        report_add_accesses(line, p, &l[i].values);
        json_array_append_new(list, line);
    }
    ls_source_lines_free(l, n);
    return list;
}

void report_add_source(json_t *kernel, const struct ls_profile *p, const struct ls_p_kernel *k)
{
    json_object_set_new(kernel, "excess",
                        ls_kernel_priced(p, k) ? json_number(ls_kernel_excess(p, k)) : json_null());
    json_object_set_new(kernel, "lanes", json_integer(ls_kernel_lanes(k)));
    json_object_set_new(kernel, "lines", lines(p, k));
    json_object_set_new(kernel, "instructions", instructions(k));
}
