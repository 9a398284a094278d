/*
 * lanescope annotate [OPTION...] DB... [FILE...]: source text with a gutter of numbers, from the text that
 * the database holds. A line of the gutter adds up all accesses on that source line: of all kernels, inlined
 * copies and address spaces.
 */
#include "annotate.h"
#include "cli/common/safe_output.h"
#include "results/advice.h"
#include "cli/output/changed.h"
#include "cli/common/arguments.h"
#include "cli/common/cli.h"
#include "cli/common/output_file.h"
#include "cli/output/databases.h"
#include "cli/output/exactness.h"
#include "cli/output/names.h"
#include "cli/output/pager.h"
#include "results/saturate.h"
#include "results/tables.h"
#include "cli/output/terminal.h"

#include <argp.h>
#include <math.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONTEXT_DEFAULT 10
#define GAP 2
#define OPTION_COLUMNS 17
#define SOURCE_LEAST 16
#define REMARK_LEAST 32 /* below that, remarks stand under the numbers, too */
#define REMARK_INDENT 4
#define MAX_COLUMNS 24
#define BRIEF_LETTERS 4

struct options {
    const char *kernel, *output;
    long context; /* lines around those with numbers; -1: all */
    bool full_paths, no_pager, json;
    const char **metrics;
    size_t n_metrics;
    char **databases, **files;
    size_t n_databases, n_files;
};

enum { KEY_FULL = 0x100, KEY_NO_PAGER, KEY_JSON };

static const struct argp_option annotate_options[] = {
    {"kernel", 'k', "REGEX", 0, "only numbers of kernels whose name matches this extended regular expression",
     0},
    {"context", 'C', "N", 0, "show N lines around those with numbers (default: 10), or `all`", 0},
    {"metric", 'm', "METRIC", 0, "a further column of this metric; can be repeated", 0},
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-annotate/1): all metrics of lines with numbers",
     0},
    {"output", 'o', "FILE", 0, "write to FILE instead of the terminal", 0},
    {"no-pager", KEY_NO_PAGER, NULL, 0, "no pager ($PAGER, or less) on a terminal", 0},
    {"full-paths", KEY_FULL, NULL, 0, "show whole paths of source files", 0},
    LIBRARY_OPTION,
    {0},
};

/* Databases first, then source files, which never end in .db. */
static void take_words(struct options *o, struct argp_state *state)
{
    int i = state->next;
    o->databases = state->argv + i;
    while (i < state->argc &&
           (i == state->next || ends(state->argv[i], ".db") || ends(state->argv[i], ".db.partial")))
        i++;
    o->n_databases = (size_t)(i - state->next);
    o->files = state->argv + i;
    o->n_files = (size_t)(state->argc - i);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'k':
        o->kernel = arg;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case 'm':
        if (o->n_metrics == OPTION_COLUMNS)
            argp_error(state, "--metric: at most %d columns", OPTION_COLUMNS);
        *LS_PUSH(o->metrics, o->n_metrics) = arg;
        return 0;
    case 'C':
        o->context = strcmp(arg, "all")
                         ? (long)option_number(state, "--context", arg, LONG_MAX, "a number of lines, or all")
                         : -1;
        return 0;
    case KEY_LIBRARY:
        add_library_option(arg);
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_NO_PAGER:
        o->no_pager = true;
        return 0;
    case KEY_FULL:
        o->full_paths = true;
        return 0;
    case ARGP_KEY_ARGS:
        take_words(o, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no database given; give a file that `lanescope run` wrote (*_srclines.db)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp annotate_argp = {
    annotate_options,
    parse,
    "DATABASE... [FILE...]",
    "Shows source files with a gutter of numbers: executions, active lanes, bank conflict cycles, cache "
    "lines "
    "touched and needed, coalescing; of atomics that wait for each other, how much. Needs neither the source "
    "tree nor ROCm. FILE is the whole name of a source file or "
    "the end "
    "of it; without one all files that have numbers are shown, worst first.\v"
    "Example:\n  lanescope annotate --kernel transpose node1/1234_srclines.db transpose.hip",
    NULL,
    NULL,
    NULL};

/* ---- sums ---- */

static struct source *source_of(struct source **list, size_t *n, const struct ls_p_file *file)
{
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i].file == file)
            return &(*list)[i];
    struct source *s = LS_PUSH(*list, *n);
    s->file = file;
    return s;
}

static struct place *place_of(const struct ls_profile *p, struct source *s, uint32_t line)
{
    size_t at = 0;
    while (at < s->n_places && s->places[at].line < line)
        at++;
    if (at < s->n_places && s->places[at].line == line)
        return &s->places[at];
    (void)LS_PUSH(s->places, s->n_places);
    memmove(s->places + at + 1, s->places + at, (s->n_places - at - 1) * sizeof(*s->places));
    s->places[at] = (struct place){.line = line,
                                   .sum = calloc(p->n_metrics + 1, sizeof(int64_t)),
                                   .present = calloc(p->n_metrics + 1, sizeof(bool)),
                                   .estimated = calloc(p->n_metrics + 1, sizeof(bool))};
    return &s->places[at];
}

static void add_kernel_name(struct source *s, const char *name)
{
    for (size_t i = 0; i < s->n_kernels; i++)
        if (!strcmp(s->kernels[i], name))
            return;
    *LS_PUSH(s->kernels, s->n_kernels) = name;
}

/* Takes over a malloc'd text; kernels and inlined copies often say the same. */
static void add_text(struct ls_p_texts *t, char *text)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->items[i], text)) {
            free(text);
            return;
        }
    *LS_PUSH(t->items, t->n) = text;
}

static bool named(const struct options *o, const char *path)
{
    for (size_t i = 0; i < o->n_files; i++) {
        const char *name = o->files[i];
        size_t n = strlen(path), m = strlen(name);
        if (ends(path, name) && (n == m || path[n - m - 1] == '/'))
            return true;
    }
    return false;
}

/* Where a line's numbers are shown: at its title; in a library's file that the user asks for, at the line
 * that holds the access. */
static struct ls_p_place shown_at(const struct options *o, const struct ls_p_line *line)
{
    if (line->title_depth && named(o, line->file) && !named(o, line->title.file))
        return (struct ls_p_place){line->file, line->line, 0, line->function, true};
    return line->title;
}

static void add_line(struct ls_profile *p, const struct options *o, struct source **list, size_t *n,
                     const struct ls_p_kernel *k, const struct ls_p_line *line)
{
    struct ls_p_place shown = shown_at(o, line);
    const struct ls_p_file *file = ls_profile_file(p, shown.file);
    if (!file || !shown.line || !line->values.n)
        return;
    struct source *s = source_of(list, n, file);
    struct place *at = place_of(p, s, shown.line);
    at->numbers = true;
    at->partial |= ls_kernel_partial(k);
    at->assumed |= ls_line_assumed(p, line, NULL);
    at->coalesced |= ls_shows_all_coalesced(p, line);
    for (size_t i = 0; i < line->values.n && at->sum && at->present && at->estimated; i++) {
        at->sum[i] = ls_add(at->sum[i], line->values.sum[i], &p->saturated);
        at->present[i] |= line->values.present[i];
        at->estimated[i] |= line->values.estimated[i];
    }
    const double excess = ls_line_excess(p, line);
    at->weight += excess;
    at->lanes = ls_kernel_lanes(k) > at->lanes ? ls_kernel_lanes(k) : at->lanes;
    s->weight += excess;
    add_kernel_name(s, k->name);
    size_t n_advice;
    char **advice = ls_advice(p, k, line, NULL, &n_advice);
    for (size_t i = 0; i < n_advice; i++)
        add_text(&at->advice, advice[i]);
    free(advice);
}

/* "line 9", "other.h:9" */
static char *other_line(const struct ls_profile *p, const struct options *o, const struct ls_p_place *there,
                        const struct ls_p_place *here)
{
    char *text = NULL;
    int rc = !strcmp(there->file, here->file)
                 ? asprintf(&text, "line %u", there->line)
                 : asprintf(&text, "%s:%u", short_path(p, there->file, o->full_paths), there->line);
    return rc < 0 ? NULL : text;
}

/* Marks the lines of accesses that one instruction does together. */
static void add_merge(const struct ls_profile *p, const struct options *o, struct source **list, size_t *n,
                      const struct ls_p_merge *m)
{
    for (int side = 0; side < 2; side++) {
        const struct ls_p_place *here = side ? &m->counted : &m->other,
                                *there = side ? &m->other : &m->counted;
        const struct ls_p_file *file = ls_profile_file(p, here->file);
        char *text = file ? other_line(p, o, there, here) : NULL;
        if (!text)
            continue;
        struct place *at = place_of(p, source_of(list, n, file), here->line);
        add_text(side ? &at->done_here : &at->done_at, text);
    }
}

static int by_weight(const void *x, const void *y)
{
    const struct source *a = x, *b = y;
    if (a->weight != b->weight)
        return (a->weight < b->weight) - (a->weight > b->weight);
    return strcmp(a->file->path, b->file->path);
}

static struct source *collect(struct ls_profile *p, const struct options *o, size_t *n)
{
    struct source *list = NULL;
    *n = 0;
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_lines; j++)
            add_line(p, o, &list, n, p->kernels[i], p->kernels[i]->lines[j]);
    for (size_t i = 0; i < p->n_kernels; i++)
        for (size_t j = 0; j < p->kernels[i]->n_merges; j++)
            add_merge(p, o, &list, n, &p->kernels[i]->merges[j]);
    if (*n)
        qsort(list, *n, sizeof(*list), by_weight);
    return list;
}

static void free_texts(struct ls_p_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free((char *)t->items[i]);
    free(t->items);
}

static void free_sources(struct source *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < list[i].n_places; j++) {
            free(list[i].places[j].sum);
            free(list[i].places[j].present);
            free(list[i].places[j].estimated);
            free_texts(&list[i].places[j].advice);
            free_texts(&list[i].places[j].done_at);
            free_texts(&list[i].places[j].done_here);
        }
        free(list[i].places);
        free(list[i].kernels);
    }
    free(list);
}

/* ---- columns ---- */

enum content { EXECUTIONS, LANES, LINES_AND_NEEDED, METRIC };

struct column {
    enum content content;
    int metric, other;  /* METRIC: one; LINES_AND_NEEDED: touched, needed; else -1 */
    char *head, *brief; /* malloc'd; the latter where there is little room */
    int width;
    bool hidden; /* for want of room */
};

struct page {
    struct ls_profile *p;
    const struct options *o;
    struct terminal t;
    bool cut;              /* lines that are too long for the terminal */
    bool narrow;           /* short heads, numbers close together */
    bool hidden;           /* columns were left out for want of room */
    bool coalesced;        /* a line says 100 %, and that it touches more cache lines than needed */
    bool inexact, assumed; /* a mark was shown and is to be explained */
    int digits;            /* of the largest number of a line */
    struct column columns[MAX_COLUMNS];
    size_t n_columns;
};

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

static void cell_text(const struct page *pg, const struct place *at, const struct column *c, char out[64])
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
            (p->metrics[i].view.show == LANESCOPE_SHOW_ALWAYS || any_line_exceeds(p, i, 0)))
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

/* 0, or an exit code after a message. */
static int choose_columns(struct page *pg)
{
    struct ls_profile *p = pg->p;
    add_accesses(pg);
    add_costs(pg);
    for (size_t i = 0; i < pg->o->n_metrics; i++) {
        int metric, rc = find_metric_option(p, "--metric", pg->o->metrics[i], &metric);
        if (rc)
            return rc;
        add_column(pg, METRIC, p->metrics[metric].name, metric, -1);
    }
    if (!pg->n_columns)
        add_first_metrics(pg);
    for (size_t c = 0; c < pg->n_columns; c++)
        make_brief(&pg->columns[c]);
    return 0;
}

static const char *head_of(const struct page *pg, const struct column *c)
{
    return pg->narrow ? c->brief : c->head;
}

static int gap(const struct page *pg)
{
    return pg->narrow ? 1 : GAP;
}

/* Columns of a line's number, a blank before it included. */
static int number_width(const struct page *pg)
{
    const int least = pg->narrow ? 5 : 7;
    return pg->digits + 1 > least ? pg->digits + 1 : least;
}

static int gutter_width(const struct page *pg)
{
    int width = 0;
    for (size_t c = 0; c < pg->n_columns; c++)
        width += pg->columns[c].hidden ? 0 : gap(pg) + pg->columns[c].width;
    return width;
}

/* On a narrow terminal, average lanes are a column only where a line has idle ones. */
static bool tells_nothing(const struct page *pg, const struct source *s, const struct column *c)
{
    double executions, lanes;
    for (size_t i = 0; i < s->n_places; i++)
        if (accesses_at(pg, &s->places[i], &executions, &lanes) && ls_lanes_idle(lanes, s->places[i].lanes))
            return false;
    return pg->narrow && c->content == LANES;
}

/* Less is hidden sooner; of metrics the last. */
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
        pg->columns[c].width = text_width(head_of(pg, &pg->columns[c]));
        for (size_t i = 0; i < s->n_places; i++) {
            cell_text(pg, &s->places[i], &pg->columns[c], text);
            if (text_width(text) > pg->columns[c].width)
                pg->columns[c].width = text_width(text);
        }
    }
}

static int source_width(const struct page *pg)
{
    return pg->t.width - gutter_width(pg) - number_width(pg) - 2;
}

/* What tells least about the cost of a line goes first; the last column stays. */
static bool hide_column(struct page *pg)
{
    struct column *least = NULL;
    size_t n = 0;
    for (size_t c = 0; c < pg->n_columns; c++) {
        struct column *column = &pg->columns[c];
        n += !column->hidden;
        if (!column->hidden && (!least || hiding_order(column) <= hiding_order(least)))
            least = column;
    }
    if (n > 1)
        least->hidden = true;
    return n > 1;
}

static uint32_t count_lines(const struct ls_p_file *f)
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
    else if (s->file->text && count_lines(s->file) > last)
        last = count_lines(s->file);
    return snprintf(NULL, 0, "%llu", (unsigned long long)last);
}

/* Numbers stand closer where the source would have less than half of the terminal's width. */
static void measure(struct page *pg, const struct source *s)
{
    pg->narrow = false;
    pg->digits = digits_of_lines(pg, s);
    measure_columns(pg, s);
    pg->narrow = pg->cut && gutter_width(pg) + number_width(pg) + 2 > pg->t.width / 2;
    if (pg->narrow)
        measure_columns(pg, s);
    while (pg->narrow && source_width(pg) < SOURCE_LEAST && hide_column(pg))
        pg->hidden = true;
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

static enum style heat(const struct page *pg, const struct source *s, const struct place *at,
                       const struct column *c)
{
    double most = 0, here = excess(pg, at, c), executions, lanes;
    if (c->content == LANES)
        return accesses_at(pg, at, &executions, &lanes) && ls_lanes_idle(lanes, at->lanes) ? STYLE_WARN
                                                                                           : STYLE_CODE;
    for (size_t i = 0; i < s->n_places; i++) {
        double e = excess(pg, &s->places[i], c);
        most = e > most ? e : most;
    }
    if (here <= 0)
        return STYLE_CODE;
    return here >= most / 2 ? STYLE_BAD : here >= most / 10 ? STYLE_WARN : STYLE_CODE;
}

/* ---- lines ---- */

/* In place of numbers: the line that has those of the instruction. */
static bool print_with(const struct page *pg, const struct place *at)
{
    if (!at || at->numbers || at->done_at.n != 1 || 7 + text_width(at->done_at.items[0]) > gutter_width(pg))
        return false;
    print_padding(&pg->t, gutter_width(pg) - 5 - text_width(at->done_at.items[0]));
    fprintf(pg->t.out, "%swith ", style_on(&pg->t, STYLE_DIM));
    print_cut(&pg->t, at->done_at.items[0], text_width(at->done_at.items[0]));
    fputs(style_off(&pg->t), pg->t.out);
    return true;
}

static void print_gutter(struct page *pg, const struct source *s, const struct place *at)
{
    for (size_t c = 0; c < pg->n_columns; c++) {
        if (pg->columns[c].hidden)
            continue;
        char text[64] = "";
        if (at)
            cell_text(pg, at, &pg->columns[c], text);
        pg->inexact |= !strncmp(text, INEXACT_MARK, strlen(INEXACT_MARK));
        pg->assumed |= strstr(text, ASSUMED_MARK) != NULL;
        print_padding(&pg->t, gap(pg) + pg->columns[c].width - text_width(text));
        enum style style = at ? heat(pg, s, at, &pg->columns[c]) : STYLE_CODE;
        fprintf(pg->t.out, "%s%s%s", style_on(&pg->t, style), text,
                style == STYLE_CODE ? "" : style_off(&pg->t));
    }
}

/* The line with tabs as blanks up to the next multiple of 8 columns. malloc'd. */
static char *expanded(const char *text, size_t n)
{
    char *out = NULL;
    size_t size = 0;
    int column = 0;
    FILE *f = open_memstream(&out, &size);
    for (size_t i = 0; f && i < n; i++) {
        int blanks = text[i] == '\t' ? 8 - column % 8 : 0;
        if (blanks)
            column += fprintf(f, "%*s", blanks, "");
        else
            fputc(text[i], f);
        column += !blanks && ((unsigned char)text[i] & 0xc0) != 0x80; /* bytes that begin a character */
    }
    if (f)
        fclose(f);
    return out;
}

/* A remark under a line. */
static void print_below(const struct page *pg, enum style style, const char *before, const char *text,
                        const char *behind)
{
    char *whole = NULL;
    if (asprintf(&whole, "%s%s", text, behind) < 0)
        return;
    int column = gutter_width(pg) + number_width(pg) + 2;
    if (pg->narrow && source_width(pg) < REMARK_LEAST)
        column = REMARK_INDENT;
    print_padding(&pg->t, column);
    fprintf(pg->t.out, "%s%s", style_on(&pg->t, style), before);
    if (pg->cut)
        print_wrapped(&pg->t, whole, column + text_width(before), column + 2);
    else
        print_cut(&pg->t, whole, text_width(whole));
    fprintf(pg->t.out, "%s\n", style_off(&pg->t));
    free(whole);
}

static void print_source(struct page *pg, const struct source *s, uint32_t number, const struct place *at)
{
    size_t n;
    const char *text = ls_profile_line(s->file, number, &n);
    char *line = text ? expanded(text, n) : NULL;
    bool with = print_with(pg, at);
    pg->coalesced |= at && at->coalesced;
    if (!with)
        print_gutter(pg, s, at);
    fprintf(pg->t.out, "%s %*u%s", style_on(&pg->t, at ? STYLE_PLACE : STYLE_DIM), number_width(pg) - 1,
            number, style_off(&pg->t));
    if (line && *line) {
        fputs("  ", pg->t.out);
        print_cut(&pg->t, line, pg->cut ? source_width(pg) : text_width(line));
    }
    fputc('\n', pg->t.out);
    free(line);
    for (size_t i = 0; at && !with && i < at->done_at.n; i++)
        print_below(pg, STYLE_DIM, "* with ", at->done_at.items[i], ", whose numbers count both");
    for (size_t i = 0; at && i < at->done_here.n; i++)
        print_below(pg, STYLE_DIM, "* with ", at->done_here.items[i], ": one instruction");
    for (size_t i = 0; at && i < at->advice.n; i++)
        print_below(pg, STYLE_WARN, "> ", at->advice.items[i], "");
}

/* Names of templates can be longer than their kernels. */
static void print_kernel_name(const struct page *pg, const char *name, bool more, FILE *out)
{
    char *cut = middle_cut(&pg->t, name, pg->t.width - 4);
    fprintf(out, "%s%s", more ? ", " : "", cut ? cut : name);
    free(cut);
}

static void print_head(const struct page *pg, const struct source *s)
{
    const struct terminal *t = &pg->t;
    char *names = NULL;
    size_t size = 0;
    fprintf(t->out, "%s%s%s\n", style_on(t, STYLE_TITLE), short_path(pg->p, s->file->path, pg->o->full_paths),
            style_off(t));
    FILE *out = open_memstream(&names, &size);
    for (size_t i = 0; out && i < s->n_kernels; i++)
        print_kernel_name(pg, s->kernels[i], i > 0, out);
    if (out)
        fclose(out);
    fprintf(t->out, "%s  ", style_on(t, STYLE_DIM));
    print_wrapped(t, names ? names : "", 2, 4);
    fprintf(t->out, "%s\n", style_off(t));
    if (s->file->differs)
        fprintf(t->out, "%s  the recordings hold different texts of this file: the first one is shown%s\n",
                style_on(t, STYLE_WARN), style_off(t));
    fputs(style_on(t, STYLE_HEAD), t->out);
    for (size_t c = 0; c < pg->n_columns; c++) {
        if (pg->columns[c].hidden)
            continue;
        const char *head = head_of(pg, &pg->columns[c]);
        print_padding(t, gap(pg) + pg->columns[c].width - text_width(head));
        fputs(head, t->out);
    }
    fprintf(t->out, "%*s%s\n", number_width(pg), "Line", style_off(t));
    free(names);
}

/* Without text only the lines with numbers. */
static void print_numbers(struct page *pg, const struct source *s)
{
    fprintf(pg->t.out, "%s  source not shown: %s%s\n", style_on(&pg->t, STYLE_WARN), s->file->problem,
            style_off(&pg->t));
    for (size_t i = 0; i < s->n_places; i++)
        print_source(pg, s, s->places[i].line, &s->places[i]);
}

static void print_text(struct page *pg, const struct source *s)
{
    uint64_t last = count_lines(s->file);
    size_t next = 0; /* the first place at or behind the line */
    long context = pg->o->context;
    bool skipping = false;
    for (uint64_t line = 1; line <= last || next < s->n_places; line++) {
        if (line > last)
            line = s->places[next].line; /* the compiler's line number is beyond the text */
        const struct place *at = next < s->n_places && s->places[next].line == line ? &s->places[next] : NULL;
        bool near = context < 0 || (next < s->n_places && s->places[next].line - line <= (uint64_t)context) ||
                    (next > 0 && line - s->places[next - 1].line <= (uint64_t)context);
        if (near)
            print_source(pg, s, (uint32_t)line, at);
        else if (!skipping)
            fprintf(pg->t.out, "%*s%s...%s\n", gutter_width(pg) + number_width(pg) - 3, "",
                    style_on(&pg->t, STYLE_DIM), style_off(&pg->t));
        skipping = !near;
        next += at != NULL;
    }
}

/* ---- the whole ---- */

static bool wanted(const struct options *o, const char *path)
{
    return !o->n_files || named(o, path);
}

static size_t print_files(struct page *pg, const struct source *list, size_t n)
{
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) {
        if (!wanted(pg->o, list[i].file->path))
            continue;
        if (shown++)
            fputc('\n', pg->t.out);
        measure(pg, &list[i]);
        print_head(pg, &list[i]);
        if (list[i].file->text)
            print_text(pg, &list[i]);
        else
            print_numbers(pg, &list[i]);
    }
    return shown;
}

/* How many numbers are exact, and what the mark means. */
static void print_legend(const struct page *pg)
{
    const struct terminal *t = &pg->t;
    char *text = exactness_text(pg->p, pg->o->full_paths, 0);
    if (text) {
        fprintf(t->out, "\n%s", style_on(t, strstr(text, "; ") ? STYLE_WARN : STYLE_DIM));
        print_wrapped(t, text, 0, 2);
        fprintf(t->out, "%s\n", style_off(t));
    }
    free(text);
    if (pg->coalesced) {
        print_wrapped(t, LS_COALESCING_NOTE, 0, 2);
        fputc('\n', t->out);
    }
    if (pg->inexact) {
        print_wrapped(t, INEXACT_LEGEND, 0, 2);
        fputc('\n', t->out);
    }
    if (pg->assumed) {
        print_wrapped(t, ASSUMED_LEGEND, 0, 2);
        fputc('\n', t->out);
    }
    if (pg->hidden) {
        print_wrapped(t, "a wider terminal has more columns", 0, 2);
        fputc('\n', t->out);
    }
}

static int nothing_shown(const struct options *o, const struct source *list, size_t n)
{
    char *names = NULL;
    size_t size = 0;
    FILE *out = n ? open_memstream(&names, &size) : NULL;
    for (size_t i = 0; out && i < n; i++)
        fprintf(out, "%s%s", i ? ", " : "", list[i].file->path);
    if (out)
        fclose(out);
    if (n)
        message("no source file '%s' has numbers; those that have: %s", o->files[0], names ? names : "");
    else
        message("no source line has numbers here; `lanescope report` tells what was observed (compile with "
                "-g for "
                "source lines)");
    free(names);
    return EXIT_FAILED;
}

static int annotate_text(struct ls_profile *p, const struct options *o, const struct source *list, size_t n,
                         FILE *out)
{
    struct page pg = {.p = p, .o = o, .t = terminal_of(out), .cut = false};
    pg.cut = pg.t.cuts;
    int rc = choose_columns(&pg);
    if (!rc && !print_files(&pg, list, n))
        rc = nothing_shown(o, list, n);
    else if (!rc)
        print_legend(&pg);
    for (size_t c = 0; c < pg.n_columns; c++) {
        free(pg.columns[c].head);
        free(pg.columns[c].brief);
    }
    return rc;
}

/* Files that are not wanted are left out. */
static int annotate_as_json(const struct ls_profile *p, const struct options *o, struct source *list,
                            size_t n, FILE *out)
{
    json_t *root = annotate_json_root(p), *files = json_object_get(root, "files");
    for (size_t i = 0; i < n; i++)
        if (wanted(o, list[i].file->path))
            json_array_append_new(files, annotate_json_file(p, &list[i]));
    int rc = !json_array_size(files) ? nothing_shown(o, list, n)
             : write_json(root, out) ? EXIT_FAILED
                                     : EXIT_OK;
    json_decref(root);
    return rc;
}

static int annotate(struct ls_profile *p, const struct options *o)
{
    size_t n;
    FILE *out = open_output(o->output, o->databases, o->n_databases);
    if (!out)
        return EXIT_FAILED;
    if (out == stdout && !o->no_pager && !o->json)
        pager_start();
    struct source *list = collect(p, o, &n);
    int rc = o->json ? annotate_as_json(p, o, list, n, out) : annotate_text(p, o, list, n, out);
    free_sources(list, n);
    int closed = output_file_close(out, o->output, rc);
    return pager_end() ? rc : closed;
}

int verb_annotate(int argc, char **argv)
{
    struct options o = {.context = CONTEXT_DEFAULT};
    struct ls_profile *p;
    if (argp_parse(&annotate_argp, argc, argv, 0, NULL, &o))
        return EXIT_USAGE;
    int rc = load_profile(&p, o.databases, o.n_databases, o.kernel, o.json ? LOAD_RAW : 0);
    if (!rc) {
        tell_changed_sources(p);
        rc = annotate(p, &o);
        tell_doubts(p);
    }
    ls_profile_free(p);
    free(o.metrics);
    return rc;
}
