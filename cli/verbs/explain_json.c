/* Explanations for programs: schema lanescope-explain/1. */
#include "explain.h"
#include "profile_json.h"
#include "cli/common/safe_output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A text, cut where the budget asks for it, but not inside of a character; NULL: null. */
static json_t *text(const struct explain *e, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    if (!s)
        return json_null();
    if (!e->cut || n <= e->cut)
        return json_text_n(s, n);
    for (n = e->cut; n && ((unsigned char)s[n] & 0xc0) == 0x80;)
        n--;
    char *cut = NULL;
    json_t *j = asprintf(&cut, "%.*s...", (int)n, s) < 0 ? NULL : json_text(cut);
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
        if (a->kind == LS_ADVICE_CHANGE)
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

static json_t *finding(const struct explain *e, const struct explain_finding *f)
{
    const struct ls_p_line *l = f->line;
    const bool titled = *l->title.file;
    const uint32_t column = titled && l->title.column         ? l->title.column
                            : !l->title_depth && l->n_columns ? l->columns[0]
                                                              : 0;
    json_t *j = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:I, s:s, s:s, s:o}", "kernel",
        text_of(e, explain_kernel(f->kernel->name)), "arguments",
        text_of(e, explain_arguments(f->kernel->name)), "arch", text(e, f->kernel->arch), "grid",
        profile_json_sizes(f->kernel->grid), "workgroup", profile_json_sizes(f->kernel->workgroup),
        "dispatches", (json_int_t)f->kernel->dispatches, "file", text(e, titled ? l->title.file : l->file),
        "line", (json_int_t)(titled ? l->title.line : l->line), "column", (json_int_t)column, "access",
        l->kind, "address_space", l->space, "source", text(e, l->title_source ? l->title_source : l->source));
    if (!j)
        return NULL;
    json_object_set_new(j, "excess", json_number(f->excess));
    json_object_set_new(j, "costs", costs(e, f));
    json_object_set_new(j, "why", reasons(e, f));
    json_object_set_new(j, "changes", changes(e, f));
    json_object_set_new(j, "remarks", remarks(e, f));
    json_object_set_new(j, "confidence", json_string(explain_confidence_name(f->confidence)));
    json_object_set_new(j, "confidence_reason", text(e, f->doubt));
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
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return rc;
}
