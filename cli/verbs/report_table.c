/* A table of source lines, as the report for people shows it. */
#include "report_page.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "results/advice/advice.h"
#include "results/advice/compiler_words.h"
#include "results/file/error_text.h"
#include "lanescope/printable.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_LEAST 20

/* A column of a table as it is shown. */
struct shown {
    int metric;
    char head[2][40]; /* two lines */
    int width;
};

#define CELL 56

static void cell_text(const struct page *pg, const struct ls_p_line *line, int metric, char out[CELL])
{
    const struct ls_p_metric *m = &pg->r->profile->metrics[metric];
    double v;
    if (!ls_profile_value(pg->r->profile, &line->values, (size_t)metric, &v))
        strcpy(out, pg->t.utf8 ? "–" : "-");
    else
        snprintf(out, CELL, "%s%s%s", value_mark(pg->r->profile, line, (size_t)metric),
                 m->is_ratio ? show_ratio(v) : show_count(v),
                 m->is_ratio && !strcmp(m->unit, "%") ? "%" : "");
}

/* "Bank Conflicts/Access" on two lines, broken where both are about equally long. */
static void split_head(const char *name, char head[2][40])
{
    size_t n = strlen(name), best = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        bool here = name[i] == ' ' || name[i - 1] == '/';
        size_t longest = i > n - i ? i : n - i, so_far = best > n - best ? best : n - best;
        if (here && (!best || longest < so_far))
            best = i;
    }
    snprintf(head[0], 40, "%.*s", (int)best, name);
    snprintf(head[1], 40, "%s", name + best + (name[best] == ' '));
    ls_whole_end(head[0]);
    ls_whole_end(head[1]);
}

static bool all_zero(const struct page *pg, const struct ls_table *t, int metric)
{
    double v;
    for (size_t i = 0; i < t->n_rows; i++)
        if (ls_profile_value(pg->r->profile, &t->rows[i]->values, (size_t)metric, &v) && v != 0)
            return false;
    return true;
}

/* Whether no row has it: the handler tells it on other GPUs. */
static bool is_absent(const struct page *pg, const struct ls_table *t, int metric)
{
    double v;
    for (size_t i = 0; i < t->n_rows; i++)
        if (ls_profile_value(pg->r->profile, &t->rows[i]->values, (size_t)metric, &v))
            return false;
    return t->n_rows > 0;
}

static struct shown make_column(const struct page *pg, const struct ls_table *t,
                                const struct ls_column *column)
{
    const int metric = column->metric;
    struct shown c = {.metric = metric};
    char text[CELL];
    split_head(column->head ? column->head : pg->r->profile->metrics[metric].name, c.head);
    for (int i = 0; i < 2; i++)
        c.width = text_width(c.head[i]) > c.width ? text_width(c.head[i]) : c.width;
    for (size_t i = 0; i < t->n_rows; i++) {
        cell_text(pg, t->rows[i], metric, text);
        c.width = text_width(text) > c.width ? text_width(text) : c.width;
    }
    return c;
}

/* The width of keys and costs. */
static int must_have(const struct page *pg, const struct ls_table *t, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++) {
        struct shown c = make_column(pg, t, &t->columns[i]);
        if ((t->columns[i].show == LANESCOPE_SHOW_ALWAYS && !is_absent(pg, t, c.metric)) ||
            (t->columns[i].show == LANESCOPE_SHOW_COST && !all_zero(pg, t, c.metric)))
            width += c.width + GAP;
    }
    return width;
}

/* The columns that fit beside a label, or below it when not even keys and costs fit: costs and keys first, then
 * details, then rare ones; in the table's order. */
static size_t choose_columns(const struct page *pg, const struct ls_table *t, struct shown *out, int *hidden)
{
    static const int order[] = {LANESCOPE_SHOW_COST, LANESCOPE_SHOW_ALWAYS, LANESCOPE_SHOW_DETAIL,
                                LANESCOPE_SHOW_RARE};
    bool take[64] = {false};
    size_t n = t->n_columns < 64 ? t->n_columns : 64, shown = 0;
    const bool narrow = must_have(pg, t, n) > pg->t.width - INDENT - LABEL_LEAST;
    int room = pg->t.width - INDENT - (narrow ? 0 : LABEL_LEAST);
    *hidden = (int)(t->n_columns - n);
    for (size_t i = 0; i < n; i++)
        *hidden += t->columns[i].show == LANESCOPE_SHOW_EXPORT;
    for (size_t u = 0; u < sizeof order / sizeof *order; u++)
        for (size_t i = 0; i < n; i++) {
            const int use = order[u];
            if ((int)t->columns[i].show != use || is_absent(pg, t, t->columns[i].metric))
                continue;
            struct shown c = make_column(pg, t, &t->columns[i]);
            if ((use == LANESCOPE_SHOW_RARE || use == LANESCOPE_SHOW_COST) && all_zero(pg, t, c.metric))
                continue;
            if (room < c.width + GAP) {
                ++*hidden;
                continue;
            }
            room -= c.width + GAP;
            take[i] = true;
        }
    for (size_t i = 0; i < n; i++)
        if (take[i])
            out[shown++] = make_column(pg, t, &t->columns[i]);
    return shown;
}

static void print_right(const struct terminal *t, const char *s, int width)
{
    print_padding(t, GAP + width - text_width(s));
    fputs(s, t->out);
}

void report_print_sentence(const struct page *pg, enum style style, const char *text)
{
    print_padding(&pg->t, INDENT);
    fputs(style_on(&pg->t, style), pg->t.out);
    print_wrapped(&pg->t, text, INDENT, INDENT + 2);
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
}

static int label_width(const struct page *pg, const struct shown *columns, size_t n)
{
    int width = pg->t.width - INDENT;
    for (size_t i = 0; i < n; i++)
        width -= columns[i].width + GAP;
    return width;
}

/* There is no room beside the columns: labels stand above them. */
static bool label_above(int width)
{
    return width < LABEL_LEAST;
}

static char *label_of(const struct page *pg, const struct ls_p_line *line, bool with_space, char **access)
{
    *access = line_access(line, with_space);
    return line_place(pg->r->profile, line, pg->r->full_paths);
}

/* Lines of one table may lie in one address space or in several. */
static bool mixed_spaces(const struct ls_table *t)
{
    for (size_t i = 1; i < t->n_rows; i++)
        if (strcmp(t->rows[i]->space, t->rows[0]->space))
            return true;
    return false;
}

static void print_detail(const struct page *pg, enum style style, const char *before, const char *text)
{
    const struct terminal *t = &pg->t;
    print_padding(t, INDENT + 2);
    fputs(style_on(t, style), t->out);
    fputs(before, t->out);
    print_name(t, text, t->width - INDENT - 2 - text_width(before));
    fprintf(t->out, "%s\n", style_off(t));
}

/* A sentence of its own under a row. */
static void print_note(const struct page *pg, enum style style, const char *text)
{
    print_padding(&pg->t, INDENT + 2);
    fputs(style_on(&pg->t, style), pg->t.out);
    print_wrapped(&pg->t, text, INDENT + 2, INDENT + 4);
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
}

static void print_chain(const struct page *pg, const struct ls_p_line *line)
{
    char *text = line_calls(pg->r->profile, line, pg->r->full_paths, &pg->t);
    if (text)
        print_note(pg, STYLE_DIM, text);
    free(text);
}

/* Reasons that hold for the whole kernel stand above its tables. */
static void print_estimate(struct page *pg, const struct ls_p_line *line)
{
    char *reason = line->n_estimated ? ls_line_reason(pg->r->profile, line) : NULL, *text = NULL;
    if (reason && asprintf(&text, INEXACT_MARK " %s", reason) >= 0)
        print_note(pg, STYLE_WARN, text);
    free(text);
    free(reason);
    pg->inexact |= !ls_line_exact(pg->r->profile, line);
}

static void print_advice(const struct page *pg, const struct ls_p_kernel *k, const struct ls_p_line *line,
                         const char *handler)
{
    size_t n;
    char **advice = ls_advice(pg->r->profile, k, line, handler, &n);
    for (size_t i = 0; i < n; i++) {
        print_padding(&pg->t, INDENT + 2);
        fprintf(pg->t.out, "%s> ", style_on(&pg->t, STYLE_WARN));
        print_wrapped(&pg->t, advice[i], INDENT + 4, INDENT + 4);
        fprintf(pg->t.out, "%s\n", style_off(&pg->t));
    }
    ls_advice_free(advice, n);
}

/* Of Triton: what its compiler uses LDS for on this line. */
static void print_compiler(struct page *pg, const struct ls_p_line *line)
{
    char *words = ls_compiler_words(line->kernel, line);
    if (words)
        print_note(pg, STYLE_DIM, words);
    free(words);
}

static void print_details(struct page *pg, const struct ls_p_line *line)
{
    if (line->title_source)
        print_detail(pg, STYLE_CODE, "", line->title_source);
    else if (!line->alone || *line->title.file)
        print_detail(pg, STYLE_DIM, "source not shown: ", line->title_source_problem);
    print_chain(pg, line);
    if (line->isa.n) {
        char *isa = line->alone ? line_instruction(line) : joined(&line->isa, ", ");
        print_detail(pg, STYLE_DIM, line->isa_merged ? "* " : "", isa ? isa : "");
        free(isa);
    } else if (line->isa_merged) {
        print_detail(pg, STYLE_DIM, "* ", "done by another line's instruction");
    }
    pg->merged |= line->isa_merged;
    print_compiler(pg, line);
    print_estimate(pg, line);
}

/* The colour of a cell: what the table is about by what it costs, and idle lanes. STYLE_CODE: none. */
static enum style cell_style(const struct page *pg, const struct ls_p_kernel *k, const char *handler,
                             const struct ls_p_line *line, int metric)
{
    const struct ls_profile *p = pg->r->profile;
    double v;
    bool has = ls_profile_value(p, &line->values, (size_t)metric, &v);
    if (has && ls_shows_idle_lanes(p, metric, v, ls_kernel_lanes(k)))
        return STYLE_WARN;
    if (metric == ls_worst_metric(p, handler))
        return ls_line_weight(p, handler, line) > 0 ? STYLE_BAD : STYLE_GOOD;
    return ls_is_contention(p, metric) && has && v > 0 ? STYLE_BAD : STYLE_CODE;
}

static void print_row(struct page *pg, const struct ls_p_kernel *k, const char *handler,
                      const struct ls_p_line *line, const struct shown *columns, size_t n, bool with_space)
{
    const struct terminal *t = &pg->t;
    int width = label_width(pg, columns, n), used;
    char *access, *place = label_of(pg, line, with_space, &access);
    char marks[3];
    snprintf(marks, sizeof(marks), "%s%s", line->isa_merged ? "*" : "",
             ls_line_assumed(pg->r->profile, line, handler) ? ASSUMED_MARK : "");
    int access_width = text_width(access) + 1 + text_width(marks);
    print_padding(t, INDENT);
    fputs(style_on(t, STYLE_PLACE), t->out);
    /* A place that leaves no room for the access gets a line of its own. */
    const bool above = label_above(width), alone = above || text_width(place) + access_width > width;
    used = print_name(t, place, alone ? t->width - INDENT : width - access_width);
    fputs(style_off(t), t->out);
    if (alone && (!above || used + access_width > t->width - INDENT)) {
        fputc('\n', t->out);
        print_padding(t, INDENT);
        used = 0;
    }
    fputc(' ', t->out);
    used += 1 + print_cut(t, access, (above ? t->width - INDENT : width) - 1 - text_width(marks)) +
            text_width(marks);
    fputs(marks, t->out);
    if (above) {
        fputc('\n', t->out);
        print_padding(t, INDENT);
        used = 0;
    }
    pg->assumed |= strstr(marks, ASSUMED_MARK) != NULL;
    print_padding(t, width - used);
    for (size_t i = 0; i < n; i++) {
        char text[CELL];
        enum style style = cell_style(pg, k, handler, line, columns[i].metric);
        cell_text(pg, line, columns[i].metric, text);
        fputs(style == STYLE_CODE ? "" : style_on(t, style), t->out);
        print_right(t, text, columns[i].width);
        fputs(style == STYLE_CODE ? "" : style_off(t), t->out);
    }
    fputc('\n', t->out);
    free(access);
    free(place);
    print_details(pg, line);
}

const char *report_time_mark(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler)
{
    return !k->software_time || !ls_measures_time(p, handler) ? ""
           : k->hardware_time                                 ? " (partly software GPU time)"
                                                              : " (software GPU time)";
}

static void print_head(const struct page *pg, const struct ls_p_kernel *k, const struct ls_table *table,
                       const struct shown *columns, size_t n)
{
    char title[128];
    snprintf(title, sizeof(title), "%s%s", table->title, report_time_mark(pg->r->profile, k, table->handler));
    const struct terminal *t = &pg->t;
    int width = label_width(pg, columns, n);
    const bool above = label_above(width) || text_width(title) > width;
    if (above) {
        print_padding(t, INDENT);
        fputs(style_on(t, STYLE_DIM), t->out);
        print_wrapped(t, title, INDENT, INDENT + 2);
        fprintf(t->out, "%s\n", style_off(t));
    }
    for (int i = 0; i < 2; i++) {
        size_t last = n;
        while (last && !*columns[last - 1].head[i]) /* no blanks at the end of the line */
            last--;
        if (!i && !last)
            continue;
        print_padding(t, INDENT);
        fputs(style_on(t, i ? STYLE_HEAD : STYLE_DIM), t->out);
        print_padding(t, width - print_cut(t, i && !above ? title : "", width));
        for (size_t j = 0; j < last; j++)
            print_right(t, columns[j].head[i], columns[j].width);
        fprintf(t->out, "%s\n", style_off(t));
    }
}

/* What the table leaves out. */
static void print_rest(const struct page *pg, const struct ls_table *table, int hidden)
{
    size_t more = table->n_all - table->n_rows;
    const struct terminal *t = &pg->t;
    if (!more && !hidden)
        return;
    print_padding(t, INDENT);
    fputs(style_on(t, STYLE_DIM), t->out);
    char text[128], metrics[64] = "";
    if (hidden)
        snprintf(metrics, sizeof metrics, "%s%d more metric%s with --json or --csv", more ? "; " : "", hidden,
                 hidden == 1 ? "" : "s");
    snprintf(text, sizeof text, "%.0zu%s%s%s%s", more, more ? " more line" : "", more > 1 ? "s" : "",
             more ? " with --top 0" : "", metrics);
    print_wrapped(t, text, INDENT, INDENT + 2);
    fprintf(t->out, "%s\n", style_off(t));
}

void report_print_table(struct page *pg, const struct ls_p_kernel *k, const struct ls_table *table)
{
    struct shown columns[64];
    int hidden;
    size_t n = choose_columns(pg, table, columns, &hidden);
    bool with_space = mixed_spaces(table);
    fputc('\n', pg->t.out);
    print_head(pg, k, table, columns, n);
    for (size_t i = 0; i < table->n_rows; i++) {
        print_row(pg, k, table->handler, table->rows[i], columns, n, with_space);
        print_advice(pg, k, table->rows[i], table->handler);
    }
    print_rest(pg, table, hidden);
    if (table->note)
        report_print_sentence(pg, STYLE_DIM, table->note);
}
