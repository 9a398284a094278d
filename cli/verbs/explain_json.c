/* Explanations for programs: schema lanescope-explain/1. */
#include "cli/output/names.h"
#include "explain.h"
#include "profile_json.h"
#include "cli/common/safe_output.h"
#include "results/file/error_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A text, cut where the budget asks for it; NULL: null. */
static json_t *text(const struct explain *e, const char *s)
{
    char *cut = s ? explain_cut(e, s) : NULL;
    json_t *j = cut ? json_text(cut) : json_null();
    free(cut);
    return j;
}

/* A path keeps its end. */
static json_t *path(const struct explain *e, const char *s)
{
    const size_t n = strlen(s);
    const char *tail = e->cut && n > e->cut ? s + n - e->cut : s;
    while (tail > s && ((unsigned char)*tail & 0xc0) == 0x80)
        tail++;
    char *cut = tail > s ? ls_text("...%s", tail) : strdup(s);
    json_t *j = cut ? json_text(cut) : json_null();
    free(cut);
    return j;
}

static json_t *text_of(const struct explain *e, char *owned)
{
    json_t *j = text(e, owned);
    free(owned);
    return j;
}

static json_t *costs(const struct explain *e, const struct explain_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_costs; i++) {
        if (!explain_shows_cost(e, f, i))
            continue;
        const struct ls_p_metric *m = &e->profile->metrics[f->costs[i].metric];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:b}", "metric", text(e, m->name), "value",
                                              json_number(f->costs[i].value), "unit", text(e, m->unit),
                                              "exact", f->costs[i].exact));
    }
    return list;
}

static json_t *changes(const struct explain *e, const struct explain_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_advice; i++) {
        const struct ls_advice_item *a = &f->advice[i];
        json_t *numbers = json_array();
        for (size_t j = 0; j < a->n_numbers; j++)
            json_array_append_new(numbers, json_pack("{s:s, s:I, s:I}", "metric", a->number[j].metric,
                                                     "before", (json_int_t)a->number[j].before,
                                                     "expected_after", (json_int_t)a->number[j].after));
        const bool more = e->dropped & EXPLAIN_CHANGES && json_array_size(list);
        if (a->kind == LS_ADVICE_CHANGE && !more)
            json_array_append_new(list, json_pack("{s:o, s:o, s:f}", "change", text(e, a->change), "metrics",
                                                  numbers, "replayed", a->replayed));
        else
            json_decref(numbers);
    }
    return list;
}

/* What was tried in vain, or is not known. */
static json_t *remarks(const struct explain *e, const struct explain_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_advice; i++)
        if (f->advice[i].kind == LS_ADVICE_NO_CHANGE)
            json_array_append_new(list, text(e, f->advice[i].text));
    return list;
}

static json_t *reasons(const struct explain *e, const struct explain_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_why; i++)
        json_array_append_new(list, text(e, f->why[i]));
    return list;
}

static void put_launch(const struct explain *e, const struct ls_p_kernel *k, json_t *j)
{
    json_object_set_new(j, "arguments", text_of(e, explain_arguments(k->name)));
    json_object_set_new(j, "arch", text(e, k->arch));
    json_object_set_new(j, "grid", profile_json_sizes(k->grid));
    json_object_set_new(j, "workgroup", profile_json_sizes(k->workgroup));
    json_object_set_new(j, "dispatches", json_integer((json_int_t)k->dispatches));
}

static json_t *dropped(const struct explain *e, const struct explain_finding *f)
{
    json_t *list = json_array();
    for (int i = 0; i < EXPLAIN_PARTS; i++)
        if (explain_dropped(e, f) >> i & 1)
            json_array_append_new(list, json_string(explain_part_field[i]));
    return list;
}

static json_t *finding(const struct explain *e, const struct explain_finding *f)
{
    const struct ls_p_line *l = f->line;
    const bool titled = *l->title.file;
    const uint32_t column = titled && l->title.column         ? l->title.column
                            : !l->title_depth && l->n_columns ? l->columns[0]
                                                              : 0;
    json_t *j = json_object();
    json_object_set_new(j, "kernel", text_of(e, explain_kernel(f->kernel->name)));
    if (f->kernel->twin)
        profile_json_put_origin(j, f->kernel, path(e, f->kernel->file));
    if (!(e->dropped & EXPLAIN_LAUNCH))
        put_launch(e, f->kernel, j);
    json_object_set_new(j, "file", path(e, titled ? l->title.file : l->file));
    json_object_set_new(j, "line", json_integer(titled ? l->title.line : l->line));
    json_object_set_new(j, "column", json_integer(column));
    json_object_set_new(j, "access", json_string(l->kind));
    json_object_set_new(j, "address_space", json_string(l->space));
    if (!(e->dropped & EXPLAIN_SOURCE))
        json_object_set_new(j, "source", text(e, l->title_source ? l->title_source : l->source));
    if (l->alone) {
        char *instruction = line_instruction(l);
        json_object_set_new(j, "instruction", text(e, instruction));
        free(instruction);
    }
    json_object_set_new(j, "excess", json_number(f->excess));
    json_object_set_new(j, "costs", costs(e, f));
    if (!(e->dropped & EXPLAIN_WHY))
        json_object_set_new(j, "why", reasons(e, f));
    json_object_set_new(j, "changes", changes(e, f));
    if (!(e->dropped & EXPLAIN_REMARKS))
        json_object_set_new(j, "remarks", remarks(e, f));
    json_object_set_new(j, "confidence", json_string(explain_confidence_name(f->confidence)));
    if (!(e->dropped & EXPLAIN_REMARKS))
        json_object_set_new(j, "confidence_reason", text(e, f->doubt));
    if (e->dropped)
        json_object_set_new(j, "dropped", dropped(e, f));
    return j;
}

int explain_json(const struct explain *e, size_t n, FILE *out)
{
    json_t *list = json_array(), *gpus = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, finding(e, &e->findings[i]));
    for (size_t i = 0; i < e->profile->n_databases && i < 1; i++)
        json_array_append_new(gpus, text(e, e->profile->databases[i].gpu));
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:I, s:o}", "schema", "lanescope-explain/1", "version", LANESCOPE_VERSION,
                  "gpu", json_array_size(gpus) ? json_incref(json_array_get(gpus, 0)) : json_null(),
                  "omitted", (json_int_t)(e->n_all - n), "findings", list);
    json_decref(gpus);
    int rc = !root ? -1 : e->cut ? write_json_line(root, out) : write_json(root, out);
    json_decref(root);
    return rc;
}
