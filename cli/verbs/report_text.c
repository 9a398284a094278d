/* The report for people. */
#include "results/advice.h"
#include "results/compiler_words.h"
#include "results/coverage.h"
#include "results/unexplained.h"
#include "lanescope/printable.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "cli/output/overview.h"
#include "results/error_text.h"
#include "report.h"
#include "report_as.h"
#include "cli/output/blind.h"
#include "report_findings.h"
#include "cli/output/row_tables.h"
#include "cli/output/times.h"
#include "cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

#define INDENT 2
#define GAP 2
#define LABEL_LEAST 20
#define TIMES_MOST 10 /* rows of a table of times, unless --stats is given */

/* A column of a table as it is shown. */
struct shown {
    int metric;
    char head[2][40]; /* two lines */
    int width;
};

struct page {
    const struct report *r;
    struct terminal t;
    bool merged, inexact, assumed; /* a mark was shown and is to be explained */
};

/* ---- cells ---- */

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
        if (t->columns[i].show == LANESCOPE_SHOW_ALWAYS ||
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
            if ((int)t->columns[i].show != use)
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

static void print_sentence(const struct page *pg, enum style style, const char *text)
{
    print_padding(&pg->t, INDENT);
    fputs(style_on(&pg->t, style), pg->t.out);
    print_wrapped(&pg->t, text, INDENT, INDENT + 2);
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
}

/* ---- rows ---- */

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

/* What stands behind a title whose numbers are times that say nothing about a GPU. */
static const char *time_mark(const struct ls_profile *p, const struct ls_p_kernel *k, const char *handler)
{
    return !k->software_time || !ls_measures_time(p, handler) ? ""
           : k->hardware_time                                 ? " (partly software GPU time)"
                                                              : " (software GPU time)";
}

static void print_head(const struct page *pg, const struct ls_p_kernel *k, const struct ls_table *table,
                       const struct shown *columns, size_t n)
{
    char title[128];
    snprintf(title, sizeof(title), "%s%s", table->title, time_mark(pg->r->profile, k, table->handler));
    const struct terminal *t = &pg->t;
    int width = label_width(pg, columns, n);
    const bool above = label_above(width);
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

static void print_table(struct page *pg, const struct ls_p_kernel *k, const struct ls_table *table)
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
        print_sentence(pg, STYLE_DIM, table->note);
}

/* ---- rows of handlers ---- */

/* Columns of a table of rows: first those that are not keys of the row. */
enum { ROW_DISPATCH, ROW_PLACE, ROW_KEYS };

static char *row_text(const struct page *pg, const struct row_table *table, const struct row_line *row,
                      size_t column)
{
    char *text = NULL;
    if (column >= ROW_KEYS)
        return row_cell(row, table->columns[column - ROW_KEYS]);
    if (column == ROW_PLACE)
        return row->row->line ? line_place(pg->r->profile, row->row->line, pg->r->full_paths) : strdup("");
    int rc = pg->r->profile->n_databases > 1
                 ? asprintf(&text, "%zu:%lld", row->row->database + 1, (long long)row->row->dispatch)
                 : asprintf(&text, "%lld", (long long)row->row->dispatch);
    return rc < 0 ? NULL : text;
}

static const char *row_head(const struct row_table *table, size_t column)
{
    return column == ROW_DISPATCH ? "dispatch"
           : column == ROW_PLACE  ? "line"
                                  : table->columns[column - ROW_KEYS];
}

static bool row_column_right(const struct row_table *table, size_t column)
{
    for (size_t i = 0; column >= ROW_KEYS && i < table->n_rows; i++) {
        const char *key = table->columns[column - ROW_KEYS];
        if (row_is_number(&table->rows[i], key))
            return true;
    }
    return column == ROW_DISPATCH;
}

static void print_row_cell(const struct page *pg, const char *text, int width, bool right, bool last)
{
    int used = text_width(text) < width ? text_width(text) : width;
    if (right)
        print_padding(&pg->t, width - used);
    print_cut(&pg->t, text, width);
    if (!right && !last)
        print_padding(&pg->t, width - used);
    if (!last)
        print_padding(&pg->t, GAP);
}

static void print_row_table(const struct page *pg, const struct ls_p_kernel *k, const struct row_table *table)
{
    const struct terminal *t = &pg->t;
    size_t columns = ROW_KEYS + table->n_columns, n = table->n_rows, shown = 0, last = 0;
    size_t top = pg->r->tables.top && n > pg->r->tables.top ? pg->r->tables.top : n;
    int *width = ls_realloc(NULL, columns * sizeof(*width)), room = t->width - INDENT;
    for (size_t c = 0; c < columns; c++) {
        width[c] = (c == ROW_DISPATCH && !table->dispatches) || (c == ROW_PLACE && !table->places)
                       ? 0
                       : text_width(row_head(table, c));
        for (size_t i = 0; i < top && width[c]; i++) {
            char *text = row_text(pg, table, &table->rows[i], c);
            width[c] = text && text_width(text) > width[c] ? text_width(text) : width[c];
            free(text);
        }
        if (width[c] > 48)
            width[c] = 48;
        if (width[c] > room && shown)
            width[c] = 0; /* it does not fit: --json and --csv have it */
        room -= width[c] ? width[c] + GAP : 0;
        shown += width[c] != 0;
        last = width[c] ? c : last;
    }
    fprintf(t->out, "\n  %s%s: %s%s%s\n", style_on(t, STYLE_TITLE), table->handler, table->table,
            time_mark(pg->r->profile, k, table->handler), style_off(t));
    for (size_t i = 0; i <= top; i++) {
        print_padding(t, INDENT);
        fputs(i ? "" : style_on(t, STYLE_HEAD), t->out);
        for (size_t c = 0; c <= last; c++) {
            char *text = i ? row_text(pg, table, &table->rows[i - 1], c) : strdup(row_head(table, c));
            if (width[c])
                print_row_cell(pg, text ? text : "", width[c], row_column_right(table, c), c == last);
            free(text);
        }
        fprintf(t->out, "%s\n", i ? "" : style_off(t));
    }
    if (n > top)
        fprintf(t->out, "  %s%zu more row%s with --top 0%s\n", style_on(t, STYLE_DIM), n - top,
                n - top == 1 ? "" : "s", style_off(t));
    free(width);
}

static void print_row_tables(const struct page *pg, const struct ls_p_kernel *k)
{
    size_t n;
    struct row_table *tables = row_tables(k, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(tables[i].handler, LS_ADVICE_HANDLER)) /* it stands under the lines */
            print_row_table(pg, k, &tables[i]);
    row_tables_free(tables, n);
}

/* ---- kernels ---- */

static void print_launches(const struct page *pg, const struct ls_p_kernel *k)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s dispatch%s", show_count((double)k->dispatches), k->dispatches == 1 ? "" : "es");
    if (k->dispatches && k->observed == k->dispatches)
        fprintf(out, k->dispatches == 1 ? ", observed" : ", all observed");
    else if (k->dispatches)
        fprintf(out, ", %s observed", show_count((double)k->observed));
    for (size_t i = 0; i < k->n_not_observed; i++)
        fprintf(out, "%s%s %s%s", i ? ", " : "; not: ", show_count((double)k->not_observed[i].n),
                k->not_observed[i].name, blind_hint(k));
    if (k->dispatches) {
        fprintf(out, "; grid %ux%ux%u, work-group %ux%ux%u", k->grid[0], k->grid[1], k->grid[2],
                k->workgroup[0], k->workgroup[1], k->workgroup[2]);
        if (k->shapes > 1)
            fprintf(out, " and %s other shape%s", show_count((double)k->shapes - 1),
                    k->shapes == 2 ? "" : "s");
        fprintf(out, "; %s%s%s", show_time((double)k->duration_ns), k->software_time ? " of " : "",
                k->software_time ? ls_time_source(k) : "");
        if (k->software_time)
            fputs(" time", out);
    }
    fclose(out);
    print_sentence(pg, STYLE_DIM, text);
    free(text);
}

static void print_losses(const struct page *pg, const struct ls_p_kernel *k)
{
    char *reason = ls_kernel_reason(k), *text = NULL;
    const char *fix = k->dropped ? " (--on-full wait, or a larger --ring-size)" : "";
    if (reason && asprintf(&text, INEXACT_MARK " the numbers are too small: %s%s", reason, fix) >= 0)
        print_sentence(pg, STYLE_WARN, text);
    free(text);
    free(reason);
}

static void print_kernel_values(const struct page *pg, const struct ls_p_kernel *k)
{
    for (size_t i = 0; i < pg->r->profile->n_metrics; i++) {
        const struct ls_p_metric *m = &pg->r->profile->metrics[i];
        double v;
        char text[512];
        if (!ls_profile_value(pg->r->profile, &k->values, i, &v))
            continue;
        bool software = k->software_time && m->view.role == LANESCOPE_ROLE_TIME;
        snprintf(text, sizeof(text), "%s, whole kernel: %s%s%s%s%s", m->name,
                 ls_kernel_partial(k) ? INEXACT_MARK : "", m->is_ratio ? show_ratio(v) : show_count(v),
                 strcmp(m->unit, "%") ? " " : "", m->unit, software ? " of software GPU time" : "");
        print_sentence(pg, STYLE_CODE, text);
    }
}

/* That nothing was joined here, and that no GPU has said it. */
static void print_alone(const struct page *pg, const struct ls_p_kernel *k)
{
    char text[512];
    snprintf(text, sizeof(text),
             "%s: each machine instruction is a row, with what it accessed on the software GPU",
             k->not_instrumented);
    print_sentence(pg, STYLE_DIM, text);
}

static void print_kernel(struct page *pg, const struct ls_p_kernel *k)
{
    const struct terminal *t = &pg->t;
    size_t n;
    fprintf(t->out, "\n%s", style_on(t, STYLE_TITLE));
    int arch = text_width(k->arch);
    char *name = middle_cut(t, k->name, t->width - arch - GAP);
    int used = print_name(t, name ? name : "", t->width - arch - GAP);
    free(name);
    fputs(style_off(t), t->out);
    print_padding(t, t->width - arch - used > GAP ? t->width - arch - used : GAP);
    fprintf(t->out, "%s%s%s\n", style_on(t, STYLE_DIM), k->arch, style_off(t));
    print_launches(pg, k);
    if (k->not_instrumented && k->n_not_observed == 1 && strstr(k->not_observed[0].name, k->not_instrumented))
        return; /* said already */
    if (k->not_instrumented && k->alone) {
        print_alone(pg, k);
    } else if (k->not_instrumented) {
        char text[512];
        snprintf(text, sizeof(text), "not instrumented: %s", k->not_instrumented);
        print_sentence(pg, STYLE_WARN, text);
        return;
    }
    char *coverage = k->observed ? ls_coverage_text(k) : NULL;
    if (coverage)
        print_sentence(pg, k->n_not_covered ? STYLE_WARN : STYLE_DIM, coverage);
    free(coverage);
    char *unexplained = ls_unexplained_text(k);
    if (unexplained)
        print_sentence(pg, STYLE_WARN, unexplained);
    free(unexplained);
    print_losses(pg, k);
    print_kernel_values(pg, k);
    struct ls_table *tables = ls_tables(pg->r->profile, k, &pg->r->tables, &n);
    for (size_t i = 0; i < n; i++)
        print_table(pg, k, &tables[i]);
    ls_tables_free(tables, n);
    print_row_tables(pg, k);
}

/* ---- the whole ---- */

static void print_database(const struct page *pg, const struct ls_p_database *d)
{
    const struct terminal *t = &pg->t;
    fprintf(t->out, "%s%s%s", style_on(t, STYLE_TITLE), d->path, style_off(t));
    if (d->partial)
        fprintf(t->out, "  %s%s%s", style_on(t, STYLE_WARN),
                d->live ? "PARTIAL: the program is still running"
                        : "PARTIAL: the program was killed, or its results could not be written; what was "
                          "committed is shown",
                style_off(t));
    fputc('\n', t->out);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s%s%s (process %lld%s%s on %s, %s, %s)", d->part, *d->part ? ": " : "",
            *d->command ? d->command : "unknown command", (long long)d->pid, *d->rank ? ", rank " : "",
            d->rank, *d->hostname ? d->hostname : "unknown host", *d->gpu ? d->gpu : "unknown GPU",
            d->created);
    fclose(out);
    print_sentence(pg, STYLE_DIM, text);
    free(text);
    if (*d->filters)
        print_sentence(pg, STYLE_WARN, d->filters);
}

static void print_notes(const struct page *pg)
{
    static const char *const levels[] = {"error: ", "warning: ", "note: "};
    const struct ls_profile *p = pg->r->profile;
    for (size_t i = 0; i < p->n_notes; i++) {
        int level = p->notes[i].level < 0 ? 0 : p->notes[i].level > 2 ? 2 : p->notes[i].level;
        const struct terminal *t = &pg->t;
        if (i == 0)
            fputc('\n', t->out);
        fprintf(t->out, "%s%s%s",
                style_on(t, level == 0   ? STYLE_BAD
                            : level == 1 ? STYLE_WARN
                                         : STYLE_DIM),
                levels[level], style_off(t));
        print_wrapped(t, p->notes[i].text, text_width(levels[level]), INDENT);
        if (p->notes[i].count > 1)
            fprintf(t->out, " (%d times)", p->notes[i].count);
        fputc('\n', t->out);
    }
}

static void print_group(struct page *pg, const struct blind *b)
{
    char *group = blind_text(b, true);
    char *text =
        group ? ls_text("not observed: %s (--kernel . shows %s)", group, b->kernels == 1 ? "it" : "them")
              : NULL;
    fputc('\n', pg->t.out);
    print_sentence(pg, STYLE_WARN, text ? text : "");
    free(text);
    free(group);
}

static bool is_shown(const struct page *pg, const struct blind *groups, size_t n, const struct ls_p_kernel *k)
{
    const struct blind *group = blind_of(groups, n, k);
    return pg->r->all_kernels || (k->dispatches && (!group || !blind_is_folded(group)));
}

/* A table of all, and details of the worst. Libraries bring thousands of kernels; those that nothing is known
 * of take one line a library, those that were not dispatched are only counted. */
static size_t print_shown(struct page *pg, const struct blind *groups, size_t n_groups)
{
    const struct ls_profile *p = pg->r->profile;
    const struct ls_p_kernel **shown = NULL;
    size_t n = 0, most;
    for (size_t i = 0; i < p->n_kernels; i++)
        if (is_shown(pg, groups, n_groups, p->kernels[i]))
            *LS_PUSH(shown, n) = p->kernels[i];
    most = pg->r->kernels && pg->r->kernels < n ? pg->r->kernels : n;
    if (n > 1) {
        fputc('\n', pg->t.out);
        print_overview(&pg->t, p, shown, n, pg->r->full_paths);
        print_sentence(pg, STYLE_DIM, "Excess: work beyond need, in about cycles of the memory path");
    }
    for (size_t i = 0; i < most; i++)
        print_kernel(pg, shown[i]);
    if (most < n)
        fprintf(pg->t.out, "\n%sdetails of %s other kernel%s with --kernels 0%s\n",
                style_on(&pg->t, STYLE_DIM), show_count((double)(n - most)), n - most == 1 ? "" : "s",
                style_off(&pg->t));
    free(shown);
    return n;
}

static void print_kernels(struct page *pg)
{
    const struct ls_profile *p = pg->r->profile;
    size_t idle = 0, n;
    struct blind *groups = blind_groups(p, &n);
    size_t shown = print_shown(pg, groups, n);
    for (size_t i = 0; i < p->n_kernels && !pg->r->all_kernels; i++)
        idle += !p->kernels[i]->dispatches;
    for (size_t i = 0; i < n && !pg->r->all_kernels; i++)
        if (blind_is_folded(&groups[i]))
            print_group(pg, &groups[i]);
    free(groups);
    if (!shown && idle == p->n_kernels)
        fprintf(pg->t.out, "\nno kernels were dispatched%s\n",
                idle ? " (--kernel . shows those that were loaded)" : "");
    else if (idle)
        fprintf(pg->t.out, "\n%s%s other kernel%s not dispatched (--kernel . shows them)%s\n",
                style_on(&pg->t, STYLE_DIM), show_count((double)idle), idle == 1 ? " was" : "s were",
                style_off(&pg->t));
}

static void print_exactness(const struct page *pg)
{
    char *text = exactness_text(pg->r->profile, pg->r->full_paths, 0);
    if (text)
        print_sentence(pg, strstr(text, "; ") ? STYLE_WARN : STYLE_DIM, text);
    free(text);
}

/* What a mark means, under all tables. */
static void print_legend(const struct terminal *t, const char *text)
{
    fputc('\n', t->out);
    print_wrapped(t, text, 0, 2);
    fputc('\n', t->out);
}

static void print_as(const struct page *pg)
{
    size_t n = 0;
    char **list = pg->r->profile->as ? as_assumptions(pg->r->profile, &n) : NULL;
    if (n)
        fprintf(pg->t.out, "%sAS ON %s%s\n", style_on(&pg->t, STYLE_WARN), pg->r->profile->as,
                style_off(&pg->t));
    for (size_t i = 0; i < n; i++) {
        print_sentence(pg, STYLE_WARN, list[i] ? list[i] : "");
        free(list[i]);
    }
    free(list);
}

void report_stats(const struct report *r, FILE *out)
{
    struct page pg = {.r = r, .t = terminal_of(out)};
    for (size_t i = 0; i < r->profile->n_databases; i++)
        print_database(&pg, &r->profile->databases[i]);
    print_times(&pg.t, r->profile, 0, TIMES_KERNELS | (r->all_kernels ? 0 : TIMES_OTHERS));
    print_notes(&pg);
}

void report_text(const struct report *r, FILE *out)
{
    struct page pg = {.r = r, .t = terminal_of(out)};
    for (size_t i = 0; i < r->profile->n_databases; i++)
        print_database(&pg, &r->profile->databases[i]);
    print_as(&pg);
    print_exactness(&pg);
    report_findings_text(&pg.t, r->profile, r->full_paths);
    print_kernels(&pg);
    print_times(&pg.t, r->profile, TIMES_MOST, r->all_kernels ? 0 : TIMES_OTHERS); /* --stats: kernels, too */
    if (pg.merged)
        print_legend(&pg.t,
                     "* one instruction of the compiled kernel does this access together with neighbouring "
                     "ones of the source: its numbers stand once, at the line that the compiler gave the "
                     "instruction");
    if (pg.inexact)
        print_legend(&pg.t, INEXACT_LEGEND);
    if (pg.assumed)
        print_legend(&pg.t, ASSUMED_LEGEND);
    print_notes(&pg);
}
