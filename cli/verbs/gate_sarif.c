/* The gate's result as SARIF 2.1.0 (OASIS), as code scanning shows it at the lines of a pull request. */
#include "gate.h"
#include "results/advice/advice.h"
#include "cli/common/safe_output.h"
#include "cli/output/names.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* "lds_bank_conflicts/bank-conflict" */
static json_t *rule_id(const struct diff_metric *m)
{
    char *id = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&id, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s/", m->handler);
    for (const char *s = m->name; *s; s++)
        fputc(isalnum((unsigned char)*s) ? tolower((unsigned char)*s) : '-', out);
    fclose(out);
    json_t *j = json_text(id);
    free(id);
    return j;
}

static json_t *message_of(const char *text)
{
    return json_pack("{s:o}", "text", json_text(text));
}

static json_t *rules(const struct gate *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->d.n_metrics; i++) {
        const struct diff_metric *m = &g->d.metrics[i];
        const char *described = g->d.profile[SIDE_B]->metrics[m->index[SIDE_B]].description;
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:{s:s}}", "id", rule_id(m),
                                              "shortDescription", message_of(m->name), "fullDescription",
                                              message_of(described && *described ? described : m->name),
                                              "defaultConfiguration", "level", "error"));
    }
    return list;
}

/* RFC 3986: what may stand in a path, and its slashes. */
static json_t *uri(const char *before, const char *path, const char *behind)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(before, out);
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
            fputc(*path, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*path);
    fputs(behind, out);
    fclose(out);
    json_t *j = json_text(text);
    free(text);
    return j;
}

static json_t *artifact(const struct gate *g, const char *file)
{
    char *path = gate_relative(g, file);
    json_t *j = path ? json_pack("{s:o, s:s}", "uri", uri("", path, ""), "uriBaseId", "%SRCROOT%")
                     : json_pack("{s:o}", "uri", uri(*file == '/' ? "file://" : "", file, ""));
    free(path);
    return j;
}

/* GitHub refuses a file with a result that has no place in a file: what has no source is an alert of the baseline. */
static json_t *physical(const struct gate *g, const struct gate_place *p)
{
    const bool known = *p->file && p->line; /* lines count from 1 */
    const char *baseline = g->d.profile[SIDE_A]->databases[0].path;
    char *whole = known ? NULL : realpath(baseline, NULL);
    json_t *region = json_pack("{s:I}", "startLine", (json_int_t)(known ? p->line : 1));
    if (known && p->column)
        json_object_set_new(region, "startColumn", json_integer(p->column));
    json_t *j = json_pack("{s:o, s:o}", "artifactLocation",
                          artifact(g, known   ? p->file
                                      : whole ? whole
                                              : baseline),
                          "region", region);
    free(whole);
    return j;
}

static json_t *locations(const struct gate *g, const struct gate_check *c)
{
    return json_pack("[{s:[{s:o, s:s}], s:o}]", "logicalLocations", "fullyQualifiedName",
                     json_text(gate_kernel(c)->name), "kind", "function", "physicalLocation",
                     physical(g, &c->place));
}

/* The number, what it is of, and what would help. */
static json_t *result_message(const struct gate *g, const struct gate_check *c, const struct gate_number *n)
{
    char *text = NULL, *number = gate_number_text(g, c, n);
    size_t size = 0, advices;
    const struct ls_p_line *l = diff_line_of(c->entry);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    char *access = l ? line_access(l, true) : NULL, **advice = gate_advice(g, c, &advices);
    fprintf(out, "%s (%s in %s)", number ? number : "", access ? access : "whole kernel",
            gate_kernel(c)->name);
    for (size_t i = 0; i < advices; i++)
        fprintf(out, "\n%s", advice[i]);
    fclose(out);
    json_t *j = message_of(text);
    ls_advice_free(advice, advices);
    free(access);
    free(number);
    free(text);
    return j;
}

static json_t *results(const struct gate *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->n_checks; i++)
        for (size_t j = 0; j < g->checks[i].n_numbers; j++) {
            const struct gate_check *c = &g->checks[i];
            const struct gate_number *n = &c->numbers[j];
            if (n->failed)
                json_array_append_new(list, json_pack("{s:o, s:I, s:s, s:o, s:o}", "ruleId",
                                                      rule_id(&g->d.metrics[n->metric]), "ruleIndex",
                                                      (json_int_t)n->metric, "level", "error", "message",
                                                      result_message(g, c, n), "locations", locations(g, c)));
        }
    return list;
}

/* What was not judged or not compared: no alert, but told. */
static json_t *notifications(const struct gate *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->n_checks; i++) {
        const struct gate_check *c = &g->checks[i];
        if (!c->why || c->entry != &c->kernel->total)
            continue;
        size_t size = 0;
        char *text = NULL;
        FILE *out = open_memstream(&text, &size);
        if (!out)
            continue;
        fprintf(out, "%s: %s", gate_kernel(c)->name, c->why);
        fclose(out);
        json_array_append_new(list, json_pack("{s:s, s:o}", "level", "note", "message", message_of(text)));
        free(text);
    }
    if (!g->judged)
        json_array_append_new(list, json_pack("{s:s, s:o}", "level", "error", "message",
                                              message_of("nothing was compared with the baseline")));
    return list;
}

int gate_sarif(const struct gate *g, FILE *out)
{
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "Lanescope", "semanticVersion", LANESCOPE_VERSION,
                               "rules", rules(g));
    json_t *run =
        json_pack("{s:{s:o}, s:[{s:b, s:o}], s:{s:{s:o}}, s:s, s:o}", "tool", "driver", driver, "invocations",
                  "executionSuccessful", g->judged != 0, "toolExecutionNotifications", notifications(g),
                  "originalUriBaseIds", "%SRCROOT%", "uri", uri("file://", g->root, "/"), "columnKind",
                  "utf16CodeUnits", "results", results(g));
    json_t *root = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs", run);
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return rc;
}
