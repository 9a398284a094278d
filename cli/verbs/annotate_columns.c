/* The columns of numbers beside the source: which there are, how wide they are, what stands in them. */
#include "annotate_page.h"
#include "cli/common/arguments.h"
#include "cli/output/databases.h"
#include "cli/output/exactness.h"
#include "results/profile/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2
#define SOURCE_LEAST 16
#define BRIEF_LETTERS 4
#define ELSEWHERE 80 /* columns of the terminal or pager that shows what goes into a pipe or a file */

static bool value_at(const struct page *pg, const struct place *at, int metric, double *v)
{
    const struct ls_p_values values = {at->sum, at->present, at->estimated, pg->p->n_metrics};
    *v = 0;
    return metric >= 0 && at->sum && at->present && at->estimated &&
           ls_profile_value(pg->p, &values, (size_t)metric, v);
}

/* The mark of a number that is not exact, or "". */
static const char *mark_at(const struct page *pg, const struct place *at, int metric)
{
    const struct ls_p_values values = {at->sum, at->present, at->estimated, pg->p->n_metrics};
    bool exact = metric < 0 || (!at->partial && ls_value_exact(pg->p, &values, (size_t)metric));
    return exact ? "" : INEXACT_MARK;
}

/* All accesses of the line, and the average of their active lanes. */
static bool accesses_at(const struct page *pg, const struct place *at, double *executions, double *lanes)
{
    const struct ls_p_values values = {at->sum, at->present, at->estimated, pg->p->n_metrics};
    return at->sum && at->present && at->estimated && ls_accesses(pg->p, &values, NULL, executions, lanes);
}

static const char *accesses_mark(const struct page *pg, const struct place *at)
{
    const char *mark = "";
    for (size_t i = 0; i < pg->p->n_metrics && !*mark; i++)
        if (pg->p->metrics[i].view.role == LANESCOPE_ROLE_LANES && at->present[i])
            mark = mark_at(pg, at, (int)i);
    return mark;
}

/* Numbers that assumed phases decide; that of accesses is counted. */
static bool rests_on_phases(const struct page *pg, const struct ls_p_metric *m)
{
    return ls_profile_role(pg->p, m->handler, LANESCOPE_ROLE_ASSUMED) >= 0 &&
           m->view.role != LANESCOPE_ROLE_EXECUTIONS && m->view.role != LANESCOPE_ROLE_LANES;
}

static void accesses_text(const struct page *pg, const struct place *at, const struct column *c, char out[64])
{
    double executions, lanes;
    if (accesses_at(pg, at, &executions, &lanes))
        snprintf(out, 64, "%s%s", accesses_mark(pg, at),
                 c->content == LANES ? show_ratio(lanes) : show_count(executions));
}

void annotate_cell(const struct page *pg, const struct place *at, const struct column *c, char out[64])
{
    double a, b;
    bool has_a = value_at(pg, at, c->metric, &a), has_b = value_at(pg, at, c->other, &b);
    const struct ls_p_metric *m = c->metric >= 0 ? &pg->p->metrics[c->metric] : NULL;
    const char *mark = has_a ? mark_at(pg, at, c->metric) : "";
    if (!*mark && has_b)
        mark = mark_at(pg, at, c->other);
    *out = 0;
    if (c->content == EXECUTIONS || c->content == LANES)
        accesses_text(pg, at, c, out);
    else if (c->content == LINES_AND_NEEDED && has_a)
        snprintf(out, 64, "%s%s/%s", mark, show_count(a), show_count(b));
    else if (c->content == METRIC && has_a)
        snprintf(out, 64, "%s%s%s%s", mark, m->is_ratio ? show_ratio(a) : show_count(a),
                 m->is_ratio && !strcmp(m->unit, "%") ? "%" : "",
                 at->assumed && rests_on_phases(pg, m) ? ASSUMED_MARK : "");
}

static void add_column(struct page *pg, enum content content, const char *head, int metric, int other)
{
    pg->columns[pg->n_columns++] =
        (struct column){.content = content, .metric = metric, .other = other, .head = text("%s", head)};
}

static bool any_line_exceeds(const struct ls_profile *p, size_t metric, double least)
{
    double v;
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            if (ls_profile_value(p, &p->kernels[i]->lines[j]->values, metric, &v) && v > least)
                return true;
    return false;
}

static const char *name_of(const struct ls_p_metric *m)
{
    return m->view.title ? m->view.title : m->name;
}

static const char *last_word(const char *name)
{
    const char *blank = strrchr(name, ' ');
    return blank ? blank + 1 : name;
}

/* What the metric is the excess of is told with it. */
static void add_beside(struct page *pg, size_t metric)
{
    const struct ls_p_metric *m = &pg->p->metrics[metric];
    int needed = ls_needed_metric(pg->p, metric);
    if (needed < 0) {
        add_column(pg, METRIC, name_of(m), (int)metric, -1);
        return;
    }
    char *both = text("%s/%s", last_word(name_of(m)), last_word(name_of(&pg->p->metrics[needed])));
    add_column(pg, LINES_AND_NEEDED, both, (int)metric, needed);
    free(both);
}

/* A recording without the default handlers: what each of its handlers names first. */
static void add_first_metrics(struct page *pg)
{
    const struct ls_profile *p = pg->p;
    const char *last = "";
    for (size_t i = 0; i < p->n_metrics && pg->n_columns < MAX_COLUMNS; i++) {
        if (p->metrics[i].is_ratio || !strcmp(p->metrics[i].handler, last))
            continue;
        last = p->metrics[i].handler;
        if (any_line_exceeds(p, i, -INFINITY))
            add_column(pg, METRIC, p->metrics[i].name, (int)i, -1);
    }
}

static void add_accesses(struct page *pg)
{
    if (ls_profile_role(pg->p, NULL, LANESCOPE_ROLE_LANES) < 0)
        return;
    add_column(pg, EXECUTIONS, "Executions", -1, -1);
    add_column(pg, LANES, "Lanes", -1, -1);
}

/* The last words of names are enough where they tell the columns apart. */
static void shorten_heads(struct page *pg)
{
    for (size_t c = 0; c < pg->n_columns; c++) {
        const char *word = last_word(pg->columns[c].head);
        bool alone = true;
        for (size_t i = 0; i < pg->n_columns; i++)
            alone &= i == c || strcmp(last_word(pg->columns[i].head), word) != 0;
        if (alone)
            memmove(pg->columns[c].head, word, strlen(word) + 1);
    }
}

/* What each handler says that a line costs; contention only where there is some. */
static void add_costs(struct page *pg)
{
    const struct ls_profile *p = pg->p;
    for (size_t i = 0; i < p->n_metrics && pg->n_columns + pg->o->n_metrics < MAX_COLUMNS; i++)
        if (ls_beside_source(p, i) &&
            any_line_exceeds(p, i, p->metrics[i].view.show == LANESCOPE_SHOW_ALWAYS ? -INFINITY : 0))
            add_beside(pg, i);
    shorten_heads(pg);
}

/* The first letters of each word: "Lines/Needed" is "Line/Need". */
static void make_brief(struct column *c)
{
    char *to = c->brief = text("%s", c->head);
    unsigned letters = 0;
    for (const char *s = c->head; *s; s++) {
        const bool between = *s == ' ' || *s == '/', begins = ((unsigned char)*s & 0xc0) != 0x80;
        letters = between ? 0 : letters + begins;
        if (letters <= BRIEF_LETTERS)
            *to++ = *s;
    }
    *to = 0;
}

int annotate_choose_columns(struct page *pg)
{
    struct ls_profile *p = pg->p;
    add_accesses(pg);
    add_costs(pg);
    for (size_t i = 0; i < pg->o->n_metrics; i++) {
        int metric, rc = find_metric_option(p, "--metric", pg->o->metrics[i], &metric);
        if (rc)
            return rc;
        add_column(pg, METRIC, p->metrics[metric].name, metric, -1);
        pg->columns[pg->n_columns - 1].asked = true;
    }
    if (!pg->n_columns)
        add_first_metrics(pg);
    for (size_t c = 0; c < pg->n_columns; c++)
        make_brief(&pg->columns[c]);
    return 0;
}

const char *annotate_head(const struct page *pg, const struct column *c)
{
    return pg->narrow ? c->brief : c->head;
}

int annotate_gap(const struct page *pg)
{
    return pg->narrow ? 1 : GAP;
}

int annotate_number_width(const struct page *pg)
{
    const int least = pg->narrow ? 5 : 7;
    return pg->digits + 1 > least ? pg->digits + 1 : least;
}

int annotate_gutter_width(const struct page *pg)
{
    int width = 0;
    for (size_t c = 0; c < pg->n_columns; c++)
        width += pg->columns[c].hidden ? 0 : annotate_gap(pg) + pg->columns[c].width;
    return width;
}

/* On a narrow terminal, average lanes are a column only where a line has idle ones; in a file, whoever reads it finds them. */
static bool tells_nothing(const struct page *pg, const struct source *s, const struct column *c)
{
    double executions, lanes;
    for (size_t i = 0; i < s->n_places; i++)
        if (accesses_at(pg, &s->places[i], &executions, &lanes) && ls_lanes_idle(lanes, s->places[i].lanes))
            return false;
    return pg->narrow && pg->cut && c->content == LANES;
}

/* Less is hidden sooner; of metrics those of which the file has less too much, and the last of equal ones. */
static int hiding_order(const struct column *c)
{
    static const int order[] = {[LANES] = 0, [EXECUTIONS] = 1, [METRIC] = 2, [LINES_AND_NEEDED] = 3};
    return order[c->content];
}

static void measure_columns(struct page *pg, const struct source *s)
{
    char text[64];
    for (size_t c = 0; c < pg->n_columns; c++) {
        pg->columns[c].hidden = tells_nothing(pg, s, &pg->columns[c]);
        pg->columns[c].width = text_width(annotate_head(pg, &pg->columns[c]));
        for (size_t i = 0; i < s->n_places; i++) {
            annotate_cell(pg, &s->places[i], &pg->columns[c], text);
            if (text_width(text) > pg->columns[c].width)
                pg->columns[c].width = text_width(text);
        }
    }
}

int annotate_source_width(const struct page *pg)
{
    return pg->t.width - annotate_gutter_width(pg) - annotate_number_width(pg) - 2;
}

static bool hides_before(const struct column *a, const struct column *b)
{
    const int first = hiding_order(a), second = hiding_order(b);
    return first < second || (first == second && a->most <= b->most);
}

/* Whether the file has too much of what the column counts; ratios say in other words what others count. */
static bool tells_cost(const struct page *pg, const struct column *c)
{
    return c->most > 0 && c->metric >= 0 && !pg->p->metrics[c->metric].is_ratio;
}

enum keep { KEEP_COSTS, KEEP_ASKED, KEEP_NONE };

static bool is_kept(const struct page *pg, const struct column *c, enum keep keep)
{
    return (keep < KEEP_NONE && c->asked) || (keep == KEEP_COSTS && tells_cost(pg, c));
}

/* Until the source has so many columns: what tells least about the cost of a line goes first; the last column stays. */
static void hide_columns(struct page *pg, int source, enum keep keep)
{
    while (annotate_source_width(pg) < source) {
        struct column *least = NULL;
        size_t n = 0;
        for (size_t c = 0; c < pg->n_columns; c++) {
            struct column *column = &pg->columns[c];
            n += !column->hidden;
            if (!column->hidden && !is_kept(pg, column, keep) && (!least || hides_before(column, least)))
                least = column;
        }
        if (n < 2 || !least)
            return;
        pg->hidden = least->hidden = true;
    }
}

uint32_t annotate_count_lines(const struct ls_p_file *f)
{
    uint32_t n = 0;
    for (size_t i = 0; i < f->size; i++)
        n += f->text[i] == '\n' || i + 1 == f->size;
    return n;
}

static int digits_of_lines(const struct page *pg, const struct source *s)
{
    const long context = pg->o->context;
    uint64_t last = s->n_places ? s->places[s->n_places - 1].line : 0;
    if (context >= 0)
        last += (uint64_t)context;
    else if (s->file->text && annotate_count_lines(s->file) > last)
        last = annotate_count_lines(s->file);
    return snprintf(NULL, 0, "%llu", (unsigned long long)last);
}

/* What the colour of a cell goes by: the excess, against the worst one of the file. Ratios of which more is
 * better go by what lacks to 100. */
static double excess(const struct page *pg, const struct place *at, const struct column *c)
{
    double a, b;
    value_at(pg, at, c->other, &b);
    if (!value_at(pg, at, c->metric, &a))
        return 0;
    if (c->content == LINES_AND_NEEDED)
        return a - b;
    int direction = ls_metric_direction(pg->p, c->metric);
    return direction > 0 ? a : direction < 0 && !strcmp(pg->p->metrics[c->metric].unit, "%") ? 100 - a : 0;
}

static void find_worst(struct page *pg, const struct source *s)
{
    for (size_t c = 0; c < pg->n_columns; c++) {
        pg->columns[c].most = 0;
        for (size_t i = 0; pg->columns[c].content != LANES && i < s->n_places; i++) {
            const double here = excess(pg, &s->places[i], &pg->columns[c]);
            pg->columns[c].most = here > pg->columns[c].most ? here : pg->columns[c].most;
        }
    }
}

void annotate_measure(struct page *pg, const struct source *s)
{
    find_worst(pg, s);
    pg->narrow = false;
    pg->digits = digits_of_lines(pg, s);
    measure_columns(pg, s);
    const int room = pg->cut ? pg->t.width : ELSEWHERE;
    pg->narrow = annotate_gutter_width(pg) + annotate_number_width(pg) + 2 > room / 2;
    if (pg->narrow)
        measure_columns(pg, s);
    if (!pg->narrow || !pg->cut)
        return;
    hide_columns(pg, room / 2, KEEP_COSTS);
    if (room >= ELSEWHERE)
        hide_columns(pg, room / 2, KEEP_ASKED);
    hide_columns(pg, SOURCE_LEAST, KEEP_NONE);
}

enum style annotate_heat(const struct page *pg, const struct place *at, const struct column *c)
{
    double here = excess(pg, at, c), executions, lanes;
    if (c->content == LANES)
        return accesses_at(pg, at, &executions, &lanes) && ls_lanes_idle(lanes, at->lanes) ? STYLE_WARN
                                                                                           : STYLE_CODE;
    if (here <= 0)
        return STYLE_CODE;
    return here >= c->most / 2 ? STYLE_BAD : here >= c->most / 10 ? STYLE_WARN : STYLE_CODE;
}
