/* The gate's result as JUnit XML, as CI systems read it. */
#include "gate.h"
#include "results/advice/advice.h"
#include "results/file/error_text.h"
#include "results/reader/arena.h"
#include "cli/common/text_numbers.h"
#include "cli/output/names.h"

#include <stdlib.h>
#include <string.h>

/* Texts of the profile are printable (reader.h): what XML cannot hold is not in them, but for U+FFFE and U+FFFF. */
static void put_xml(FILE *out, const char *s)
{
    for (; *s; s++) {
        if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3)) {
            fputs("\xef\xbf\xbd", out);
            s += 2;
            continue;
        }
        const char *entity = *s == '<'    ? "&lt;"
                             : *s == '>'  ? "&gt;"
                             : *s == '&'  ? "&amp;"
                             : *s == '"'  ? "&quot;"
                             : *s == '\n' ? "&#10;"
                             : *s == '\t' ? "&#9;"
                                          : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc((unsigned char)*s < 0x20 ? '?' : *s, out);
    }
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_xml(out, value);
    fputc('"', out);
}

/* "transpose.hip:20 LDS load 4 B", "whole kernel" */
static char *name_of(const struct gate *g, const struct gate_check *c)
{
    char *name = NULL;
    size_t size = 0;
    const struct ls_p_line *l = diff_line_of(c->entry);
    FILE *out = open_memstream(&name, &size);
    if (!out)
        return NULL;
    char *path = gate_relative(g, c->place.file), *access = l ? line_access(l, true) : NULL;
    if (l && c->place.column)
        fprintf(out, "%s:%u:%u %s", path ? path : c->place.file, c->place.line, c->place.column, access);
    else if (l)
        fprintf(out, "%s:%u %s", path ? path : c->place.file, c->place.line, access);
    else
        fputs("whole kernel", out);
    free(path);
    free(access);
    fclose(out);
    return name;
}

/* How many cases of the kernel before this one have its name. */
static size_t named_so_before(const struct gate *g, struct text_number **names, const struct gate_check *c,
                              const char *name)
{
    char *heading = diff_heading(&g->d, c->kernel), *text = ls_text("%s\n%s", heading, name);
    free(heading);
    return text ? (*text_number(names, text, 0))++ : 0;
}

/* Case names tell cases apart: GitLab takes the first of several that are called the same. */
static void put_name(const struct gate *g, struct text_number **names, const struct gate_check *c, FILE *out)
{
    char *name = name_of(g, c);
    const size_t before = name ? named_so_before(g, names, c, name) : 0;
    char *numbered = before ? ls_text("%s (%zu)", name, before + 1) : NULL;
    put_attribute(out, "name", numbered ? numbered : name ? name : "");
    free(numbered);
    free(name);
}

static void put_failure(const struct gate *g, const struct gate_check *c, FILE *out)
{
    size_t n, told = 0;
    fputs("      <failure", out);
    for (size_t i = 0; i < c->n_numbers; i++) {
        char *text = c->numbers[i].failed ? gate_number_text(g, c, &c->numbers[i]) : NULL;
        if (text && !told++) {
            put_attribute(out, "message", text);
            put_attribute(out, "type", g->d.metrics[c->numbers[i].metric].name);
            fputc('>', out);
        }
        if (text)
            put_xml(out, text);
        if (text)
            fputc('\n', out);
        free(text);
    }
    char **advice = gate_advice(g, c, &n);
    for (size_t i = 0; i < n; i++) {
        fputs("&gt; ", out);
        put_xml(out, advice[i]);
        fputc('\n', out);
    }
    ls_advice_free(advice, n);
    fputs("</failure>\n", out);
}

static void put_case(const struct gate *g, struct text_number **names, const struct gate_check *c, FILE *out)
{
    char *path = gate_relative(g, c->place.file), *heading = diff_heading(&g->d, c->kernel), line[16];
    snprintf(line, sizeof(line), "%u", c->place.line);
    fputs("    <testcase", out);
    put_name(g, names, c, out);
    put_attribute(out, "classname", heading);
    put_attribute(out, "time", "0");
    if (*c->place.file && !g->junit_without_lines) {
        put_attribute(out, "file", path ? path : c->place.file);
        put_attribute(out, "line", line);
    }
    if (c->state == GATE_PASSED) {
        fputs("/>\n", out);
    } else {
        fputs(">\n", out);
        if (c->state == GATE_FAILED) {
            put_failure(g, c, out);
        } else {
            fputs("      <skipped", out);
            put_attribute(out, "message", c->why ? c->why : "");
            fputs("/>\n", out);
        }
        fputs("    </testcase>\n", out);
    }
    free(heading);
    free(path);
}

static size_t count(const struct gate_check *c, size_t n, bool failed)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += failed ? c[i].state == GATE_FAILED
                        : c[i].state == GATE_NOT_JUDGED || c[i].state == GATE_NOT_COMPARED;
    return found;
}

static void put_head(FILE *out, const char *element, const char *name, const struct gate_check *c, size_t n,
                     size_t more)
{
    fprintf(out, "<%s", element);
    put_attribute(out, "name", name);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\"", n + more,
            count(c, n, true) + more);
}

/* Jenkins' schema (junit-10.xsd of its xUnit plugin) knows the number of skipped cases of suites only. */
static void put_suite_head(FILE *out, const char *name, const struct gate_check *c, size_t n)
{
    fputs("  ", out);
    put_head(out, "testsuite", name, c, n, 0);
    fprintf(out, " skipped=\"%zu\">\n", count(c, n, false));
}

/* Without it a file of no test cases would look like success. */
static void put_nothing_compared(const struct gate *g, FILE *out)
{
    char *text = gate_nothing_text(g);
    fputs("  <testsuite name=\"lanescope gate\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" "
          "time=\"0\">\n"
          "    <testcase name=\"anything compared\" classname=\"lanescope gate\" time=\"0\">\n"
          "      <failure",
          out);
    put_attribute(out, "message", text ? text : "");
    fputs(" type=\"nothing compared\"/>\n    </testcase>\n  </testsuite>\n", out);
    free(text);
}

void gate_junit(const struct gate *g, FILE *out)
{
    const size_t more = !g->judged;
    struct text_number *names = NULL;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    put_head(out, "testsuites", "lanescope gate", g->checks, g->n_checks, more);
    fputs(">\n", out);
    if (more)
        put_nothing_compared(g, out);
    for (size_t i = 0, n; i < g->n_checks; i += n) {
        for (n = 1; i + n < g->n_checks && g->checks[i + n].kernel == g->checks[i].kernel;)
            n++;
        char *heading = diff_heading(&g->d, g->checks[i].kernel);
        put_suite_head(out, heading, &g->checks[i], n);
        free(heading);
        for (size_t j = i; j < i + n; j++)
            put_case(g, &names, &g->checks[j], out);
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
    text_numbers_free(names);
}
