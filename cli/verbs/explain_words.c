/* What `lanescope explain` says of a line (explain.h). */
#include "explain.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "results/profile/exact.h"
#include "cli/output/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *explain_confidence_name(enum explain_confidence c)
{
    static const char *const names[] = {"high", "medium", "low"};
    return names[c];
}

const char *explain_number(const struct ls_p_metric *m, double value)
{
    return m->is_ratio ? show_ratio(value) : show_count(value);
}

/* Where the pair begins whose end the name is; its length: nowhere. */
static size_t pair_at(const char *name, char open, char close)
{
    size_t n = strlen(name), depth = 0;
    for (size_t i = n; n && name[n - 1] == close && i--;) {
        depth += name[i] == close;
        depth -= name[i] == open;
        if (!depth)
            return i ? i : n;
    }
    return n;
}

/* "f<g(int)>(float*)" ends in its parameters; Triton's "f<x=*fp32, BLOCK=256>" in what it was specialised for. */
static size_t parameters_at(const char *name)
{
    const size_t n = strlen(name), round = pair_at(name, '(', ')'), pointed = pair_at(name, '<', '>');
    return round < n ? round : strchr(name + pointed, '=') ? pointed : n;
}

char *explain_kernel(const char *name)
{
    return strndup(name, parameters_at(name));
}

char *explain_arguments(const char *name)
{
    size_t at = parameters_at(name), n = strlen(name);
    return at < n ? strndup(name + at + 1, n - at - 2) : strdup("");
}

/* ---- costs ---- */

static void add_costs(const struct ls_profile *p, struct explain_finding *f)
{
    for (size_t i = 0; i < p->n_metrics; i++) {
        double value;
        const bool times = p->metrics[i].view.role == LANESCOPE_ROLE_EXECUTIONS, cost = ls_is_cost(p, (int)i);
        if ((!times && !cost) || !ls_profile_value(p, &f->line->values, i, &value) || (cost && value == 0))
            continue;
        bool twice = false; /* two handlers count executions */
        for (size_t j = 0; j < f->n_costs; j++)
            twice |= times && !strcmp(p->metrics[f->costs[j].metric].name, p->metrics[i].name);
        if (!twice)
            *LS_PUSH(f->costs, f->n_costs) = (struct explain_cost){
                i, value, ls_value_exact(p, &f->line->values, i) && !ls_kernel_partial(f->kernel)};
    }
}

/* ---- why ---- */

static void because(struct explain_finding *f, char *text)
{
    if (text)
        *LS_PUSH(f->why, f->n_why) = text;
}

/* ": lanes 0, 8, 16, 24, ... all reach the same bank", of so many: all of them where these are few; "" where no two do. An access of
 * several dwords reaches several banks. */
static char *lanes_of_bank(const struct ls_advice_item *a, int64_t lanes)
{
    enum { SHOWN = 4 };
    if (a->every >= lanes)
        return strdup("");
    char *text = ls_text(": lanes 0");
    for (int64_t i = 1; text && i <= SHOWN && i * a->every < lanes; i++) {
        char *longer = i < SHOWN ? ls_text("%s, %" PRId64, text, i * a->every) : ls_text("%s, ...", text);
        free(text);
        text = longer;
    }
    char *all = text ? ls_text("%s %s reach the same bank%s", text, 2 * a->every < lanes ? "all" : "both",
                               a->reached > a->every ? "s" : "")
                     : NULL;
    free(text);
    return all;
}

/* Of a wavefront, or of each row of the work-group in it; of which lanes, it cannot be told where some are another distance apart. */
static void say_banks(struct explain_finding *f, const struct ls_advice_item *a)
{
    const int64_t all = ls_kernel_lanes(f->kernel), row = a->row && a->row < all ? a->row : all;
    char *who = a->most     ? ls_text("; lanes so far apart use")
                : row < all ? ls_text(", so each row of %" PRId64 " lanes uses", row)
                            : ls_text(", so the wavefront uses");
    char *lanes = a->most ? NULL : lanes_of_bank(a, row);
    because(f, ls_text("%s%sneighbouring lanes are %" PRId64 " B apart%s %" PRId64 " of %" PRId64
                       " LDS banks%s, and a bank serves one address in a cycle",
                       a->where ? a->where : "", a->most ? "most " : "", a->step, who ? who : "", a->reached,
                       a->banks, lanes ? lanes : ""));
    free(who);
    free(lanes);
}

/* The line's value of a metric; false: it has none, or 0. */
static bool has(const struct ls_profile *p, const struct explain_finding *f, int metric, double *value)
{
    return metric >= 0 && ls_profile_value(p, &f->line->values, (size_t)metric, value) && *value > 0;
}

/* The handler's metric, counted as the worst one is, of what would do; -1: none. */
static int needed(const struct ls_profile *p, int worst)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (p->metrics[i].view.excess < 0 && !strcmp(p->metrics[i].handler, p->metrics[worst].handler) &&
            !strcmp(p->metrics[i].unit, p->metrics[worst].unit))
            return (int)i;
    return -1;
}

/* Of an execution's average whole, the parts that were lost: "16.88 are Bank Conflict and 2.00 are Addr Conflict". malloc'd; NULL:
 * none, or out of memory. */
static char *lost_parts(const struct ls_profile *p, const struct explain_finding *f, int whole, double times)
{
    char *text = NULL;
    double lost;
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct ls_p_metric *m = &p->metrics[i];
        if (m->view.excess <= 0 || strcmp(m->handler, p->metrics[whole].handler) != 0 ||
            strcmp(m->unit, p->metrics[whole].unit) != 0 || !has(p, f, (int)i, &lost))
            continue;
        char *more = ls_text("%s%s%s are %s", text ? text : "", text ? " and " : "", show_ratio(lost / times),
                             m->name);
        free(text);
        text = more;
    }
    return text;
}

/* Averages of one execution by a wavefront, in the words of the handler: of a whole, what was lost; or what would have done. */
static void say_average(const struct ls_profile *p, struct explain_finding *f, const char *handler)
{
    const int worst = ls_worst_metric(p, handler), whole = ls_profile_role(p, handler, LANESCOPE_ROLE_WHOLE);
    const int least = worst < 0 ? -1 : needed(p, worst);
    double times, all, other;
    if (!has(p, f, ls_profile_role(p, handler, LANESCOPE_ROLE_EXECUTIONS), &times) ||
        !has(p, f, whole < 0 ? worst : whole, &all))
        return;
    char *lost = whole < 0 || whole == worst ? NULL : lost_parts(p, f, whole, times);
    if (lost)
        because(f, ls_text("an execution takes %s %s on average (%s), of which %s", show_ratio(all / times),
                           p->metrics[whole].unit, p->metrics[whole].name, lost));
    else if (whole < 0 && has(p, f, least, &other) && all > other)
        because(f, ls_text("an execution takes %s %s on average (%s), where %s would do (%s)",
                           show_ratio(all / times), p->metrics[worst].unit, p->metrics[worst].name,
                           show_ratio(other / times), p->metrics[least].name));
    free(lost);
}

static void say_averages(const struct ls_profile *p, struct explain_finding *f)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (p->metrics[i].view.role == LANESCOPE_ROLE_EXECUTIONS && !p->metrics[i].is_ratio)
            say_average(p, f, p->metrics[i].handler);
}

/* How many of lanes so far apart begin in one line: "4", or "1 or 2" where the distance is no part of the line. malloc'd. */
static char *lanes_in_line(int64_t step, int64_t line)
{
    const int64_t least = line / step;
    return line % step ? ls_text("%" PRId64 " or %" PRId64, least, least + 1)
                       : ls_text("about %" PRId64, least);
}

/* In global memory. */
static void say_stride(struct explain_finding *f, const struct ls_advice_item *a)
{
    if (a->line_bytes <= 0)
        return;
    const char *where = a->where ? a->where : "", *idle = a->idle ? ", idle ones among them" : "";
    if (a->misaligned) {
        because(f, ls_text("%sthe lanes' lowest address does not start a cache line of %" PRId64
                           " B: their data lie in more lines than they fill",
                           where, a->line_bytes));
        return;
    }
    if (!a->step)
        return;
    const char *most = a->most ? "most " : "";
    if (a->step >= a->line_bytes) {
        because(f, ls_text(a->most ? "%s%sneighbouring lanes are %" PRId64
                                     " B apart%s: no two of these share a cache line of %" PRId64 " B"
                                   : "%s%sneighbouring lanes are %" PRId64
                                     " B apart%s: lane 0 reaches one cache line of %" PRId64
                                     " B, lane 1 another, and no two neighbours share one",
                           where, most, a->step, idle, a->line_bytes));
        return;
    }
    char *lanes = lanes_in_line(a->step, a->line_bytes);
    because(f, ls_text("%s%sneighbouring lanes are %" PRId64
                       " B apart%s: %s neighbours share a cache line of %" PRId64 " B",
                       where, most, a->step, idle, lanes ? lanes : "some", a->line_bytes));
    free(lanes);
}

static void say_why(const struct ls_profile *p, struct explain_finding *f)
{
    say_averages(p, f);
    for (size_t i = 0; i < f->n_advice; i++) {
        const struct ls_advice_item *a = &f->advice[i];
        if (a->banks)
            say_banks(f, a);
        else if (a->kind == LS_ADVICE_WHY)
            because(f, strdup(a->text));
        else
            say_stride(f, a);
    }
}

/* ---- how sure that is ---- */

static double replayed(const struct explain_finding *f)
{
    double least = 1;
    for (size_t i = 0; i < f->n_advice; i++)
        least = f->advice[i].replayed < least ? f->advice[i].replayed : least;
    return least;
}

static void judge_confidence(const struct ls_profile *p, struct explain_finding *f)
{
    if (!ls_line_exact(p, f->line)) {
        char *reason = ls_line_reason(p, f->line);
        f->confidence = EXPLAIN_LOW;
        f->doubt = ls_text("the numbers are %s: %s",
                           f->line->n_estimated || !ls_kernel_partial(f->line->kernel) ? "estimates"
                                                                                       : "those of a part",
                           reason ? reason : "not all was reported");
        free(reason);
    } else if (ls_line_assumed(p, f->line, NULL)) {
        f->confidence = EXPLAIN_MEDIUM;
        f->doubt =
            strdup("which lanes this GPU's LDS serves together has not been measured on it, and is assumed");
    } else if (replayed(f) < 1) {
        f->confidence = EXPLAIN_MEDIUM;
        f->doubt = ls_text("the prediction rests on %.0f %% of the accesses", 100 * replayed(f));
    }
}

void explain_fill(const struct ls_profile *p, struct explain_finding *f)
{
    f->advice = ls_advice_items(p, f->kernel, f->line, NULL, &f->n_advice);
    add_costs(p, f);
    say_why(p, f);
    judge_confidence(p, f);
}

void explain_free(struct explain *e)
{
    for (size_t i = 0; i < e->n_findings; i++) {
        struct explain_finding *f = &e->findings[i];
        ls_advice_items_free(f->advice, f->n_advice);
        for (size_t j = 0; j < f->n_why; j++)
            free(f->why[j]);
        free(f->why);
        free(f->costs);
        free(f->doubt);
    }
    free(e->findings);
}
