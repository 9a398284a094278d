/* Judges a comparison for `lanescope gate` (gate.h). */
#include "gate.h"
#include "diff_match.h"
#include "common/names.h"
#include "gcn/text.h"
#include "results/advice/advice.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "results/profile/tables.h"
#include "cli/output/exactness.h"
#include "cli/output/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char inexact_why[] = "not judged: it is an estimate, or not all was reported",
                  timed_why[] = "not judged: a time, which does not repeat",
                  swap_why[] = "not judged: the kernel has a compare-and-swap, whose retries depend on the "
                               "order of wavefronts",
                  slot_why[] =
                      "not judged: the kernel uses what an atomic returns, which depends on the order "
                      "of wavefronts",
                  gpu_why[] = "not judged: the baseline is of another GPU, whose costs are others",
                  size_why[] = "not judged: the baseline's wavefronts have another number of lanes",
                  race_why[] = "not judged: the check found a race in the kernel";

/* ---- what cannot repeat ---- */

static bool has_race(const struct ls_profile *p, const struct ls_p_kernel *k)
{
    for (size_t i = 0; i < p->n_findings; i++)
        if (!strcmp(p->findings[i].severity, "error") && strcmp(p->findings[i].kind, "uninit") &&
            diff_called(k, p->findings[i].kernel))
            return true;
    return false;
}

/* Instructions that recordings without the kernel's code still name. */
static bool line_swaps(const struct ls_p_kernel *k, bool (*test)(const char *))
{
    for (size_t i = 0; i < k->n_lines; i++)
        for (size_t j = 0; j < k->lines[i]->isa.n; j++)
            if (test(k->lines[i]->isa.items[j]))
                return true;
    return false;
}

static bool has_instruction(const struct ls_p_kernel *k, bool (*test)(const char *))
{
    for (size_t i = 0; i < k->n_code; i++)
        if (test(k->code[i].text))
            return true;
    return line_swaps(k, test);
}

/* Why counts of the kernel need not be those of the baseline; NULL: they have to. */
static const char *unsteady(const struct gate *g, const struct diff_kernel *k)
{
    const struct ls_p_kernel *const *both = (const struct ls_p_kernel *const *)k->kernel;
    const bool pair = both[SIDE_A] && both[SIDE_B];
    const char *why = !pair                                                            ? NULL
                      : strcmp(both[SIDE_A]->arch, both[SIDE_B]->arch)                 ? gpu_why
                      : ls_kernel_lanes(both[SIDE_A]) != ls_kernel_lanes(both[SIDE_B]) ? size_why
                                                                                       : NULL;
    for (int side = 0; side < SIDES && !why; side++) {
        const struct ls_p_kernel *kernel = k->kernel[side];
        why = !kernel                                      ? NULL
              : has_race(g->d.profile[side], kernel)       ? race_why
              : has_instruction(kernel, gcn_text_compares) ? swap_why
              : has_instruction(kernel, gcn_text_returns)  ? slot_why
                                                           : NULL;
    }
    return why;
}

/* ---- one number ---- */

static bool differs(const struct diff_value *v)
{
    double a = v->value[SIDE_A], b = v->value[SIDE_B], most = fmax(fabs(a), fabs(b));
    return v->has[SIDE_A] != v->has[SIDE_B] || fabs(b - a) > fabs(a) * v->allowed / 100 + most * 1e-12;
}

/* A line or kernel of only one side costs something. */
static bool costs(const struct diff_metric *m, const struct diff_value *v, int side)
{
    return v->has[side] && (m->direction < 0 || v->value[side] > 0);
}

/* What is wrong with the number; NULL: nothing. */
static const char *fault(const struct gate *g, const struct gate_check *c, size_t metric)
{
    const struct diff_value *v = &c->entry->values[metric];
    const struct diff_metric *m = &g->d.metrics[metric];
    if (v->verdict == VERDICT_WORSE && diff_observed_in_both(c->kernel))
        return "worse than the baseline";
    if (g->fails >= GATE_ON_NEW && v->verdict == VERDICT_NEW && costs(m, v, SIDE_B))
        return "new: the baseline does not have it";
    if (g->fails == GATE_ON_ANY && v->verdict != VERDICT_NEW && differs(v))
        return v->verdict == VERDICT_BETTER ? "better than the baseline"
               : v->verdict == VERDICT_GONE ? "gone: only the baseline has it"
                                            : "not as in the baseline";
    return NULL;
}

static const char *not_repeatable(const struct gate *g, const struct gate_check *c, size_t metric,
                                  const char *kernel_why)
{
    const struct diff_value *v = &c->entry->values[metric];
    if (v->placed)
        return NULL;
    return ls_measures_time(g->d.profile[SIDE_B], g->d.metrics[metric].handler) ? timed_why
           : v->inexact[SIDE_A] || v->inexact[SIDE_B]                           ? inexact_why
                                                                                : kernel_why;
}

static void judge_number(struct gate *g, struct gate_check *c, size_t metric, const char *kernel_why)
{
    const struct diff_value *v = &c->entry->values[metric];
    const bool both = v->has[SIDE_A] && v->has[SIDE_B];
    if (!v->has[SIDE_A] && !v->has[SIDE_B])
        return;
    const char *wrong = fault(g, c, metric), *excuse = not_repeatable(g, c, metric, kernel_why);
    g->judged += both && !excuse && diff_observed_in_both(c->kernel);
    g->not_judged += excuse != NULL;
    g->failed += wrong && !excuse;
    if (wrong || (excuse && v->verdict != VERDICT_SAME))
        *LS_PUSH(c->numbers, c->n_numbers) =
            (struct gate_number){metric, excuse ? excuse : wrong, wrong && !excuse};
    if (excuse && c->state == GATE_PASSED) {
        c->state = GATE_NOT_JUDGED;
        c->why = excuse;
    }
    if (wrong && !excuse) {
        c->state = GATE_FAILED;
        c->why = NULL;
    }
}

/* ---- kernels ---- */

static struct gate_place place_of_line(const struct ls_p_line *l)
{
    uint32_t column = l->title.column ? l->title.column : l->n_columns && !l->title_depth ? l->columns[0] : 0;
    if (*l->title.file)
        return (struct gate_place){l->title.file, l->title.line, column};
    return (struct gate_place){l->file, l->line, column};
}

const struct ls_p_kernel *gate_kernel(const struct gate_check *c)
{
    return diff_kernel_of(c->kernel);
}

/* The new line that has most of what the whole kernel has too much of: there a reader has to look. */
static const struct diff_entry *new_line(const struct gate *g, const struct gate_check *c)
{
    const struct diff_entry *found = NULL;
    double most = 0;
    for (size_t i = 0; i < c->n_numbers && !found; i++)
        for (size_t j = 0; c->numbers[i].failed && j < c->kernel->n_lines; j++) {
            const struct diff_entry *e = &c->kernel->lines[j];
            const struct diff_value *v = &e->values[c->numbers[i].metric];
            if (e->line[SIDE_A] || !costs(&g->d.metrics[c->numbers[i].metric], v, SIDE_B) ||
                v->value[SIDE_B] <= most)
                continue;
            most = v->value[SIDE_B];
            found = e;
        }
    return found;
}

static void find_place(const struct gate *g, struct gate_check *c)
{
    const struct diff_entry *e = c->entry;
    if (e == &c->kernel->total)
        e = new_line(g, c);
    if (e) {
        c->place = place_of_line(diff_line_of(e));
        return;
    }
    const struct ls_p_kernel *k = gate_kernel(c);
    c->place = (struct gate_place){k->file, k->line, 0};
}

static bool line_failed(const struct gate *g, const struct diff_kernel *k, size_t metric)
{
    for (size_t i = g->n_checks; i-- && g->checks[i].kernel == k;)
        for (size_t j = 0; j < g->checks[i].n_numbers; j++)
            if (g->checks[i].numbers[j].failed && g->checks[i].numbers[j].metric == metric)
                return true;
    return false;
}

/* How much of a sum's growth is that of lines which were allowed to grow. */
static double forgiven(const struct diff_kernel *k, size_t metric)
{
    double sum = 0;
    for (size_t i = 0; i < k->n_lines; i++) {
        const struct diff_value *v = k->lines[i].values ? &k->lines[i].values[metric] : NULL;
        if (v && v->placed && v->verdict == VERDICT_CHANGED)
            sum += v->value[SIDE_B] - v->value[SIDE_A];
    }
    return sum;
}

static bool is_forgiven(const struct gate *g, const struct gate_check *total, size_t metric)
{
    const struct diff_value *v = &total->entry->values[metric];
    double less =
        g->d.metrics[metric].is_ratio || v->verdict != VERDICT_WORSE ? 0 : forgiven(total->kernel, metric);
    double a = v->value[SIDE_A], b = v->value[SIDE_B] - less;
    return less > 0 && b - a <= fabs(a) * v->allowed / 100 + fabs(a) * 1e-12;
}

/* What a line of it is told for is not told of the whole kernel once more. */
static void drop_told(struct gate *g, struct gate_check *total)
{
    size_t kept = 0;
    bool failed = false;
    for (size_t i = 0; i < total->n_numbers; i++) {
        struct gate_number n = total->numbers[i];
        if (n.failed && (line_failed(g, total->kernel, n.metric) || is_forgiven(g, total, n.metric))) {
            g->failed--;
            continue;
        }
        failed |= n.failed;
        total->numbers[kept++] = n;
    }
    total->n_numbers = kept;
    if (total->state == GATE_FAILED && !failed)
        total->state = GATE_PASSED;
}

static struct gate_check judge_entry(struct gate *g, const struct diff_kernel *k, const struct diff_entry *e,
                                     const char *kernel_why)
{
    struct gate_check c = {.kernel = k, .entry = e};
    for (size_t i = 0; i < g->d.n_metrics && e->values; i++)
        judge_number(g, &c, i, kernel_why);
    return c;
}

static void judge_kernel(struct gate *g, const struct diff_kernel *k)
{
    const char *why = unsteady(g, k);
    const size_t judged = g->judged;
    for (size_t i = 0; i < k->n_lines; i++) {
        struct gate_check c = judge_entry(g, k, &k->lines[i], why);
        *LS_PUSH(g->checks, g->n_checks) = c;
    }
    struct gate_check total = judge_entry(g, k, &k->total, why);
    drop_told(g, &total);
    if (!diff_observed_in_both(k) && total.state == GATE_PASSED) {
        total.state = GATE_NOT_COMPARED;
        g->not_compared += diff_left_of(k) != LEFT_NONE;
        const bool old = k->kernel[SIDE_A] && k->kernel[SIDE_A]->observed,
                   new = k->kernel[SIDE_B] && k->kernel[SIDE_B]->observed;
        total.why = new   ? "not compared: the baseline has no observation of it"
                    : old ? "not compared: it was not observed in the new run"
                          : "not compared: it was observed in neither run";
    }
    *LS_PUSH(g->checks, g->n_checks) = total;
    g->kernels += g->judged > judged;
}

void gate_judge(struct gate *g)
{
    for (size_t i = 0; i < g->d.n_kernels; i++)
        judge_kernel(g, &g->d.kernels[i]);
    for (size_t i = 0; i < g->n_checks; i++)
        find_place(g, &g->checks[i]);
}

size_t gate_one_sided(const struct gate *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_checks; i++)
        for (size_t j = 0; j < g->checks[i].n_numbers; j++) {
            const struct gate_number *number = &g->checks[i].numbers[j];
            const struct diff_value *v = &g->checks[i].entry->values[number->metric];
            n += number->failed && !(v->has[SIDE_A] && v->has[SIDE_B]);
        }
    return n;
}

bool gate_is_open(const struct gate *g)
{
    return g->judged && !g->failed;
}

void gate_free(struct gate *g)
{
    for (size_t i = 0; i < g->n_checks; i++)
        free(g->checks[i].numbers);
    free(g->checks);
    diff_free(&g->d);
}

/* ---- words ---- */

char *gate_nothing_text(const struct gate *g)
{
    return ls_text("nothing was compared with the baseline%s%s", g->why_nothing ? ": " : "",
                   g->why_nothing ? g->why_nothing : "");
}

static void put_value(FILE *out, const struct diff_metric *m, const struct diff_value *v, int side)
{
    if (!v->has[side]) {
        fputc('-', out);
        return;
    }
    if (v->inexact[side])
        fputs(INEXACT_MARK, out);
    if (m->is_ratio || v->value[side] != floor(v->value[side]))
        fprintf(out, "%s%s", show_ratio(v->value[side]), strcmp(m->unit, "%") ? "" : "%");
    else
        fputs(show_count(v->value[side]), out);
}

char *gate_number_text(const struct gate *g, const struct gate_check *c, const struct gate_number *n)
{
    const struct diff_metric *m = &g->d.metrics[n->metric];
    const struct diff_value *v = &c->entry->values[n->metric];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s ", m->name);
    put_value(out, m, v, SIDE_A);
    fputs(" -> ", out);
    put_value(out, m, v, SIDE_B);
    if (v->has[SIDE_A] && v->has[SIDE_B] && isfinite(v->change))
        fprintf(out, " (%+.1f%%)", v->change);
    fprintf(out, ": %s", n->why);
    if (n->failed && v->verdict == VERDICT_WORSE && v->allowed > 0)
        fprintf(out, " by more than the allowed %g %%", v->allowed);
    fclose(out);
    return text;
}

char **gate_advice(const struct gate *g, const struct gate_check *c, size_t *n)
{
    *n = 0;
    if (c->state != GATE_FAILED || !c->kernel->kernel[SIDE_B] || !c->entry->line[SIDE_B])
        return NULL;
    return ls_advice(g->d.profile[SIDE_B], c->kernel->kernel[SIDE_B], c->entry->line[SIDE_B], NULL, n);
}

/* "a.hip" for "sub/../a.hip", where it is that file: those who show results know files by the names that a repository has for them. */
static char *without_detours(const struct gate *g, const char *below)
{
    struct stat as_named, as_plain;
    char *plain = strdup(below);
    if (!plain)
        return NULL;
    ls_plain_path(below, true, plain);
    char *one = ls_text("%s/%s", g->root, below), *other = ls_text("%s/%s", g->root, plain);
    const bool same = one && other && !stat(one, &as_named) && !stat(other, &as_plain) &&
                      as_named.st_dev == as_plain.st_dev && as_named.st_ino == as_plain.st_ino;
    if (!same)
        strcpy(plain, below);
    free(one);
    free(other);
    return plain;
}

char *gate_relative(const struct gate *g, const char *file)
{
    const size_t n = strlen(g->root);
    if (*file == '/' && !strncmp(file, g->root, n) && file[n] == '/')
        return without_detours(g, file + n + 1);
    for (const char *end = *file == '/' ? file + 1 : file; end && *end;) {
        char *there = ls_text("%s/%s", g->root, end);
        bool found = there && !access(there, F_OK);
        free(there);
        if (found)
            return strdup(end);
        end = strchr(end, '/');
        end = end ? end + 1 : NULL;
    }
    return NULL;
}
