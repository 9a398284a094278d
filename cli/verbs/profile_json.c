/* profile_json.c - see profile_json.h. */
#include "profile_json.h"
#include "cli/common/safe_output.h"
#include "cli/output/exactness.h"
#include "results/profile/tables.h"

#include <stdlib.h>
#include <string.h>

void profile_json_put_origin(json_t *j, const struct ls_p_kernel *k, json_t *file)
{
    json_object_set_new(j, "kernel_file", file);
    json_object_set_new(j, "kernel_line", json_integer(k->line));
    if (k->code_name)
        json_object_set_new(j, "kernel_code", json_text(k->code_name));
}

json_t *profile_json_exactness(struct ls_exactness e, const char *sentence)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "executed", (json_int_t)e.executed, "exact",
                     (json_int_t)(e.executed - e.estimated - e.not_counted), "estimated",
                     (json_int_t)e.estimated, "not_counted", (json_int_t)e.not_counted, "text",
                     json_text_or_null(sentence));
}

json_t *profile_json_all_exactness(const struct ls_profile *p)
{
    char *sentence = exactness_text(p, true, 0);
    json_t *j = profile_json_exactness(ls_exactness(p), sentence);
    free(sentence);
    return j;
}

json_t *profile_json_metrics(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:b, s:i}", "handler", json_text(m->handler), "name",
                              json_text(m->name), "unit", json_text(m->unit), "description",
                              json_text(m->description), "ratio", m->is_ratio, "direction",
                              ls_metric_direction(p, (int)i));
        json_array_append_new(list, j);
    }
    return list;
}

json_t *profile_json_databases(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_databases; i++) {
        const struct ls_p_database *d = &p->databases[i];
        json_array_append_new(
            list,
            json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "path",
                      json_text(d->path), "partial", d->partial, "created", json_text(d->created), "version",
                      json_text(d->version), "command", json_text(d->command), "gpu", json_text(d->gpu),
                      "runtime", json_text(d->runtime), "pid", (json_int_t)d->pid, "hostname",
                      json_text(d->hostname), "filters", *d->filters ? json_text(d->filters) : json_null(),
                      "rank", *d->rank ? json_text(d->rank) : json_null(), "run", json_text(d->run_id),
                      "part", *d->part ? json_text(d->part) : json_null()));
    }
    return list;
}

json_t *profile_json_notes(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_notes; i++)
        json_array_append_new(list, json_pack("{s:i, s:o, s:i}", "level", p->notes[i].level, "text",
                                              json_text(p->notes[i].text), "count", p->notes[i].count));
    return list;
}

json_t *profile_json_sizes(const uint32_t v[3])
{
    return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

json_t *profile_json_texts(const struct ls_p_texts *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->n; i++)
        json_array_append_new(list, json_text(t->items[i]));
    return list;
}
