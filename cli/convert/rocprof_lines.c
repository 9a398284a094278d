/* rocprof_lines.c - see rocprof.h: the sums of each access by its place in the source. */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "results/profile/coverage.h"
#include "results/profile/exact.h"
#include "results/profile/title.h"
#include "rocprof.h"

#include <stdlib.h>

static json_t *place(const struct ls_results *r, const struct ls_r_frame *f)
{
    const struct ls_r_file *file = ls_frame_file(r, f);
    json_t *j = json_object();
    json_set(j, "function", json_text(f->function));
    json_set(j, "file", file ? json_text(file->path) : json_null());
    json_set(j, "line", json_integer(f->line));
    json_set(j, "column", json_integer(f->column));
    return j;
}

/* The place, and the calls that it was inlined into, nearest first. */
static json_t *places(const struct ls_results *r, int64_t frame)
{
    json_t *list = json_array();
    const struct ls_r_frame *f = ls_results_frame(r, frame);
    for (size_t n = 0; f && n < LS_CHAIN_MAX; n++, f = ls_frame_parent(r, f))
        json_array_append_new(list, place(r, f));
    return list;
}

static json_t *access_of(const struct rocprof *x, const struct ls_r_total *t, bool of_a_part)
{
    const struct ls_results *r = x->part->t->r;
    const struct ls_r_site *s = ls_results_site(r, t->site);
    json_t *j = json_object();
    json_set(j, "kernel_id", json_integer((json_int_t)rocprof_kernel(x, t->kernel)));
    json_set(j, "kind", s ? json_text(ls_kind_name(s->kind)) : json_null());
    json_set(j, "address_space", s ? json_text(ls_site_space_name(s)) : json_null());
    json_set(j, "bytes", json_integer(s ? s->bytes : 0));
    json_set(j, "isa", s && s->isa ? json_text(s->isa) : json_null());
    json_set(j, "estimated", json_boolean(of_a_part || (s && ls_site_estimated(s))));
    json_set(j, "frames", places(r, s ? s->frame : 0));
    json_set(j, "records", json_array());
    return j;
}

/* Totals stand in the order of kernels and sites; those of whole dispatches (site 0) have no line. */
json_t *rocprof_source_lines(const struct rocprof *x)
{
    struct ls_r_total *totals = NULL;
    size_t n = 0;
    char *error = NULL;
    struct ls_results *r = x->part->t->r;
    if (ls_results_totals_of(r, x->part->process->id, &totals, &n, &error)) {
        message_free(error);
        free(totals);
        return NULL;
    }
    const bool of_a_part = x->part->t->of_a_part;
    json_t *list = json_array(), *records = NULL;
    const struct ls_r_total *last = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct ls_r_total *t = &totals[i];
        const struct ls_r_metric *m = ls_results_metric(r, t->metric);
        if (!t->site || !m)
            continue;
        if (!last || last->kernel != t->kernel || last->site != t->site) {
            json_t *j = access_of(x, t, of_a_part);
            records = json_object_get(j, "records");
            json_array_append_new(list, j);
        }
        last = t;
        json_t *value = json_object();
        json_set(value, "counter_id", rocprof_handle(rocprof_counter(x, m)));
        json_set(value, "value", json_integer(t->value));
        json_array_append_new(records, value);
    }
    free(totals);
    return list;
}
