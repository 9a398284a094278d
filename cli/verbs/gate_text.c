/* The gate's result for people: as compilers write their errors, so that editors and CI find the places. */
#include "gate.h"
#include "common/plural.h"
#include "results/advice/advice.h"
#include "cli/output/names.h"
#include "cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

static void print_place(const struct gate *g, const struct gate_check *c, const struct terminal *t)
{
    char *path = gate_relative(g, c->place.file);
    fputs(style_on(t, STYLE_PLACE), t->out);
    if (!*c->place.file)
        fputs("(no line)", t->out);
    else if (c->place.column)
        fprintf(t->out, "%s:%u:%u", path ? path : c->place.file, c->place.line, c->place.column);
    else
        fprintf(t->out, "%s:%u", path ? path : c->place.file, c->place.line);
    fprintf(t->out, "%s: ", style_off(t));
    free(path);
}

static void print_kernel(const struct gate *g, const struct gate_check *c, const struct terminal *t)
{
    char *heading = diff_heading(&g->d, c->kernel);
    print_kernel_name(t, heading, 60);
    free(heading);
}

/* "LDS load 4 B in transpose(float*)" */
static void print_what(const struct gate *g, const struct gate_check *c, const struct terminal *t)
{
    const struct ls_p_line *l = diff_line_of(c->entry);
    char *access = l ? line_access(l, true) : NULL;
    fprintf(t->out, "%s in ", access ? access : "whole kernel");
    print_kernel(g, c, t);
    fputc('\n', t->out);
    if (l && l->title_source)
        fprintf(t->out, "    %s%s%s\n", style_on(t, STYLE_CODE), l->title_source, style_off(t));
    free(access);
}

static void print_check(const struct gate *g, const struct gate_check *c, const struct terminal *t)
{
    size_t n;
    print_place(g, c, t);
    print_what(g, c, t);
    for (size_t i = 0; i < c->n_numbers; i++) {
        char *text = gate_number_text(g, c, &c->numbers[i]);
        fprintf(t->out, "    %s%s%s\n", style_on(t, c->numbers[i].failed ? STYLE_BAD : STYLE_DIM),
                text ? text : "", style_off(t));
        free(text);
    }
    char **advice = gate_advice(g, c, &n);
    for (size_t i = 0; i < n; i++)
        fprintf(t->out, "    > %s\n", advice[i]);
    ls_advice_free(advice, n);
}

/* A kernel that is not judged, or not compared, is told once, not with each of its lines. */
static void print_silent(const struct gate *g, const struct gate_check *c, const struct terminal *t)
{
    if (c->state == GATE_NOT_COMPARED && diff_left_of(c->kernel) == LEFT_NONE)
        return; /* the runtime's own fills and copies */
    print_kernel(g, c, t);
    fprintf(t->out, ": %s%s%s\n", style_on(t, STYLE_WARN), c->why ? c->why : "", style_off(t));
}

static void print_failed(const struct gate *g, const struct terminal *t, const char *base)
{
    const size_t one_sided = gate_one_sided(g), both = g->failed - one_sided;
    if (!both) {
        fprintf(t->out, "%sfailed: %zu number%s that only one recording has%s; none of %zu compared with %s",
                style_on(t, STYLE_BAD), one_sided, one_sided == 1 ? "" : "s", style_off(t), g->judged, base);
        return;
    }
    fprintf(t->out, "%sfailed: %zu number%s of %zu%s, compared with %s", style_on(t, STYLE_BAD), both,
            both == 1 ? "" : "s", g->judged, style_off(t), base);
    if (one_sided)
        fprintf(t->out, ", and %zu that only one recording has", one_sided);
}

/* Whether kernels of either side alone may be one that was renamed. */
static bool may_be_renamed(const struct gate *g)
{
    bool before = false, after = false;
    for (size_t i = 0; i < g->n_checks; i++) {
        before |= diff_left_of(g->checks[i].kernel) == LEFT_ONLY_BEFORE;
        after |= diff_left_of(g->checks[i].kernel) == LEFT_ONLY_AFTER;
    }
    return before && after;
}

static void print_end(const struct gate *g, const struct terminal *t)
{
    const char *base = g->d.profile[SIDE_A]->databases[0].path,
               *hint = may_be_renamed(g) ? " (--map OLD=NEW pairs what was renamed)" : "";
    if (!g->judged)
        fprintf(t->out, "%sfailed: nothing was compared with %s%s%s\n", style_on(t, STYLE_BAD), base,
                style_off(t), hint);
    else if (g->failed)
        print_failed(g, t, base);
    else
        fprintf(t->out, "%sok: none of %zu %s of %zu kernel%s fails, compared with %s%s",
                style_on(t, STYLE_GOOD), g->judged, ls_word((double)g->judged, "number", "numbers"),
                g->kernels, g->kernels == 1 ? "" : "s", base, style_off(t));
    if (g->judged && g->not_judged)
        fprintf(t->out, "; %zu not judged, as above (--allow 0@KERNEL judges them all the same)",
                g->not_judged);
    if (g->judged && g->not_compared)
        fprintf(t->out, "; %zu kernel%s not compared, as above%s", g->not_compared,
                g->not_compared == 1 ? "" : "s", hint);
    if (g->judged)
        fputc('\n', t->out);
}

void gate_text(const struct gate *g, FILE *out)
{
    struct terminal t = terminal_of(out);
    for (size_t i = 0; i < g->n_checks; i++)
        if (g->checks[i].state == GATE_FAILED)
            print_check(g, &g->checks[i], &t);
    for (size_t i = 0; i < g->n_checks; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->state == GATE_NOT_COMPARED || (c->state == GATE_NOT_JUDGED && c->entry == &c->kernel->total))
            print_silent(g, c, &t);
        else if (c->state == GATE_NOT_JUDGED && c->n_numbers)
            print_check(g, c, &t);
    }
    print_end(g, &t);
}
