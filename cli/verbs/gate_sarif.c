/* The gate's result as SARIF 2.1.0 (OASIS), as code scanning shows it at the lines of a pull request. */
#include "gate.h"
#include "gate_lines.h"
#include "results/advice/advice.h"
#include "results/file/error_text.h"
#include "cli/common/safe_output.h"
#include "cli/output/names.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* Results of a run that GitHub shows; it refuses a file with 25,000 ("SARIF support for code scanning"). */
enum { MOST = 5000 };

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
        const char *full = described && *described ? described : m->name;
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o, s:{s:s}}", "id", rule_id(m), "shortDescription",
                                        message_of(m->name), "fullDescription", message_of(full), "help",
                                        message_of(full), "defaultConfiguration", "level", "error"));
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

/* The file that a result was in, and its lines; many results in turn are in one file. */
struct source {
    char *path;
    struct gate_lines *lines; /* NULL: not known */
};

static void forget(struct source *s)
{
    gate_lines_free(s->lines);
    free(s->path);
}

static const struct gate_lines *lines_of(struct source *s, const struct gate *g, const char *file)
{
    if (s->path && !strcmp(s->path, file))
        return s->lines;
    forget(s);
    char *below = gate_relative(g, file), *whole = below ? ls_text("%s/%s", g->root, below) : NULL;
    *s = (struct source){strdup(file), whole ? gate_lines_read(whole) : NULL};
    free(whole);
    free(below);
    return s->lines;
}

/* Code scanning asks for all four numbers. Where an access ends is not known: at the end of its line at the latest. */
static json_t *region(const struct gate_lines *lines, uint32_t line, uint32_t column)
{
    const uint32_t from = lines ? gate_lines_column(lines, line, column) : 0, start = from     ? from
                                                                                      : column ? column
                                                                                               : 1;
    const uint32_t end = from ? gate_lines_column(lines, line, UINT32_MAX) : 0;
    return json_pack("{s:I, s:I, s:I, s:I}", "startLine", (json_int_t)line, "startColumn", (json_int_t)start,
                     "endLine", (json_int_t)line, "endColumn", (json_int_t)(end > start ? end : start + 1));
}

/* GitHub refuses a file with a result that has no place in a file: what has no source is an alert of the baseline. */
static json_t *physical(const struct gate *g, const struct gate_place *p, const struct gate_lines *lines)
{
    const bool known = *p->file && p->line; /* lines count from 1 */
    const char *baseline = g->d.profile[SIDE_A]->databases[0].path;
    char *whole = known ? NULL : realpath(baseline, NULL);
    json_t *j = json_pack("{s:o, s:o}", "artifactLocation",
                          artifact(g, known   ? p->file
                                      : whole ? whole
                                              : baseline),
                          "region", region(lines, known ? p->line : 1, known ? p->column : 1));
    free(whole);
    return j;
}

static json_t *locations(const struct gate *g, const struct gate_check *c, const struct gate_lines *lines)
{
    char *heading = diff_heading(&g->d, c->kernel);
    json_t *j =
        json_pack("[{s:[{s:o, s:s}], s:o}]", "logicalLocations", "fullyQualifiedName", json_text(heading),
                  "kind", "function", "physicalLocation", physical(g, &c->place, lines));
    free(heading);
    return j;
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
    char *access = l ? line_access(l, true) : NULL, *heading = diff_heading(&g->d, c->kernel),
         **advice = gate_advice(g, c, &advices);
    fprintf(out, "%s (%s in %s)", number ? number : "", access ? access : "whole kernel", heading);
    for (size_t i = 0; i < advices; i++)
        fprintf(out, "\n%s", advice[i]);
    fclose(out);
    json_t *j = message_of(text);
    ls_advice_free(advice, advices);
    free(heading);
    free(access);
    free(number);
    free(text);
    return j;
}

static json_t *result(const struct gate *g, const struct gate_check *c, const struct gate_number *n,
                      struct source *source)
{
    const struct gate_lines *lines =
        *c->place.file && c->place.line ? lines_of(source, g, c->place.file) : NULL;
    char *fingerprint = lines ? gate_lines_fingerprint(lines, c->place.line) : NULL;
    json_t *j = json_pack("{s:o, s:I, s:s, s:o, s:o}", "ruleId", rule_id(&g->d.metrics[n->metric]),
                          "ruleIndex", (json_int_t)n->metric, "level", "error", "message",
                          result_message(g, c, n), "locations", locations(g, c, lines));
    if (j && fingerprint)
        json_object_set_new(j, "partialFingerprints",
                            json_pack("{s:s}", "primaryLocationLineHash", fingerprint));
    free(fingerprint);
    return j;
}

/* *n_failed: how many numbers failed, of which the first MOST are results. */
static json_t *results(const struct gate *g, size_t *n_failed)
{
    json_t *list = json_array();
    struct source source = {NULL, NULL};
    *n_failed = 0;
    for (size_t i = 0; i < g->n_checks; i++)
        for (size_t j = 0; j < g->checks[i].n_numbers; j++) {
            const struct gate_number *n = &g->checks[i].numbers[j];
            if (n->failed && (*n_failed)++ < MOST)
                json_array_append_new(list, result(g, &g->checks[i], n, &source));
        }
    forget(&source);
    return list;
}

/* What was not judged or not compared: no alert, but told. */
static json_t *notifications(const struct gate *g, size_t n_failed)
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
        char *heading = diff_heading(&g->d, c->kernel);
        fprintf(out, "%s: %s", heading, c->why);
        fclose(out);
        free(heading);
        json_array_append_new(list, json_pack("{s:s, s:o}", "level", "note", "message", message_of(text)));
        free(text);
    }
    if (n_failed > MOST) {
        char *text = ls_text("%zu numbers failed; the first %d are here, as many as code scanning shows",
                             n_failed, MOST);
        json_array_append_new(
            list, json_pack("{s:s, s:o}", "level", "note", "message", message_of(text ? text : "")));
        free(text);
    }
    if (!g->judged) {
        char *text = gate_nothing_text(g);
        json_array_append_new(
            list, json_pack("{s:s, s:o}", "level", "error", "message", message_of(text ? text : "")));
        free(text);
    }
    return list;
}

int gate_sarif(const struct gate *g, FILE *out)
{
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "Lanescope", "semanticVersion", LANESCOPE_VERSION,
                               "rules", rules(g));
    size_t n_failed;
    json_t *alerts = results(g, &n_failed);
    json_t *run =
        json_pack("{s:{s:o}, s:[{s:b, s:o}], s:{s:{s:o}}, s:s, s:o}", "tool", "driver", driver, "invocations",
                  "executionSuccessful", g->judged != 0, "toolExecutionNotifications",
                  notifications(g, n_failed), "originalUriBaseIds", "%SRCROOT%", "uri",
                  uri("file://", g->root, "/"), "columnKind", "utf16CodeUnits", "results", alerts);
    json_t *root = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs", run);
    int rc = root ? write_json(root, out) : -1;
    json_decref(root);
    return rc;
}
