/* The gate's result as JSON, schema lanescope-gate/1 (docs/cli.md lists the fields). */
#include "gate.h"
#include "profile_json.h"
#include "results/advice/advice.h"
#include "cli/common/safe_output.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *side(const struct diff_value *v, int side)
{
    return v->has[side] ? json_number(v->value[side]) : json_null();
}

static json_t *number(const struct gate *g, const struct gate_check *c, const struct gate_number *n)
{
    const struct diff_metric *m = &g->d.metrics[n->metric];
    const struct diff_value *v = &c->entry->values[n->metric];
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:f, s:s, s:b, s:s}", "handler", json_text(m->handler), "metric",
        json_text(m->name), "before", side(v, SIDE_A), "after", side(v, SIDE_B), "change_percent",
        v->has[SIDE_A] && v->has[SIDE_B] ? json_number(v->change) : json_null(), "allowed_percent",
        v->allowed, "verdict", verdict_name(v->verdict), "failed", n->failed, "why", n->why);
}

static json_t *advice(const struct gate *g, const struct gate_check *c)
{
    size_t n;
    json_t *list = json_array();
    char **items = gate_advice(g, c, &n);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_text(items[i]));
    ls_advice_free(items, n);
    return list;
}

/* Where to look; with a path from the root of the sources, where it is below. */
static void add_place(json_t *j, const struct gate *g, const struct gate_check *c)
{
    char *path = gate_relative(g, c->place.file);
    json_object_set_new(j, "file", json_text(path ? path : c->place.file));
    json_object_set_new(j, "line", json_integer(c->place.line));
    json_object_set_new(j, "column", json_integer(c->place.column));
    free(path);
}

static json_t *check(const struct gate *g, const struct gate_check *c)
{
    static const char *const states[] = {"passed", "failed", "not judged", "not compared"};
    const struct ls_p_kernel *k = gate_kernel(c);
    const struct ls_p_line *l = diff_line_of(c->entry);
    json_t *numbers = json_array();
    for (size_t i = 0; i < c->n_numbers; i++)
        json_array_append_new(numbers, number(g, c, &c->numbers[i]));
    json_t *j = json_pack(
        "{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", json_text(k->name), "mangled",
        json_text(k->mangled), "state", states[c->state], "why", json_text_or_null(c->why), "access",
        json_text_or_null(l ? l->kind : NULL), "address_space", json_text_or_null(l ? l->space : NULL),
        "source", json_text_or_null(l ? l->title_source : NULL), "numbers", numbers, "advice", advice(g, c));
    if (k->twin) {
        char *path = gate_relative(g, k->file);
        profile_json_put_origin(j, k, json_text(path ? path : k->file));
        free(path);
    }
    add_place(j, g, c);
    return j;
}

static json_t *paths(const struct ls_profile *p)
{
    json_t *list = json_array();
    for (size_t i = 0; p && i < p->n_databases; i++)
        json_array_append_new(list, json_text(p->databases[i].path));
    return list;
}

int gate_json(const struct gate *g, FILE *out)
{
    static const char *const fails[] = {"worse", "new", "any"};
    json_t *root = json_root("gate"), *checks = json_array();
    for (size_t i = 0; i < g->n_checks; i++)
        json_array_append_new(checks, check(g, &g->checks[i]));
    json_object_set_new(root, "open", json_boolean(gate_is_open(g)));
    json_object_set_new(root, "fail_on", json_string(fails[g->fails]));
    json_object_set_new(root, "baseline", paths(g->d.profile[SIDE_A]));
    json_object_set_new(root, "recordings", paths(g->d.profile[SIDE_B]));
    json_object_set_new(root, "judged", json_integer((json_int_t)g->judged));
    json_object_set_new(root, "not_judged", json_integer((json_int_t)g->not_judged));
    json_object_set_new(root, "failed", json_integer((json_int_t)g->failed));
    json_object_set_new(root, "failed_one_sided", json_integer((json_int_t)gate_one_sided(g)));
    json_object_set_new(root, "kernels", json_integer((json_int_t)g->kernels));
    json_object_set_new(root, "not_compared", json_integer((json_int_t)g->not_compared));
    json_object_set_new(root, "why_nothing", g->why_nothing ? json_text(g->why_nothing) : json_null());
    json_object_set_new(root, "checks", checks);
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return rc;
}
