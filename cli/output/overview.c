/* overview.c - see overview.h. */
#include "overview.h"
#include "cli/output/exactness.h"
#include "names.h"
#include "results/file/error_text.h"
#include "results/profile/places.h"
#include "results/profile/tables.h"

#include <stdlib.h>
#include <string.h>

enum { EXCESS, OBSERVED, TIME, LINE, NUMBERS };
enum { GAP = 2, INDENT = 2, LINE_MOST = 32, NAME_LEAST = 24, NAME_NARROW = 12 };

struct cells {
    char *text[NUMBERS];
};

static char *text_of(const char *text)
{
    return ls_text("%s", text);
}

/* Of a kernel without numbers the reason is told below the table, or by `report --kernel`. */
static const char *without_line(const struct ls_p_kernel *k)
{
    return k->not_instrumented && !k->observed ? "not instrumented"
           : !k->dispatches                    ? "not dispatched"
           : !k->observed                      ? "not observed"
                                               : "-";
}

/* Without a line table a kernel is told of by its instructions: the worst of them stands for its line. */
static char *worst_instruction(const struct ls_profile *p, const struct ls_p_kernel *k, bool full_paths)
{
    const struct ls_p_line *worst = NULL;
    for (size_t i = 0; i < k->n_lines; i++)
        if (!*k->lines[i]->title.file &&
            (!worst || ls_line_excess(p, k->lines[i]) > ls_line_excess(p, worst)))
            worst = k->lines[i];
    return worst && worst->alone ? line_title(p, worst, full_paths) : text_of("(no line)");
}

static char *worst_line(const struct ls_profile *p, const struct ls_p_kernel *k, bool full_paths)
{
    size_t n;
    struct ls_source_line *lines = ls_source_lines(p, k, &n);
    const struct ls_source_line *worst = n && lines[0].excess > 0 ? lines : NULL;
    const char *file = worst ? short_path(p, worst->file, full_paths) : "";
    char *text = !worst          ? text_of(without_line(k))
                 : !*worst->file ? worst_instruction(p, k, full_paths)
                 : !worst->line  ? ls_text("%s (no line)", file)
                                 : ls_text("%s:%u", file, worst->line);
    ls_source_lines_free(lines, n);
    return text;
}

static struct cells cells_of(const struct ls_profile *p, const struct ls_p_kernel *k, bool full_paths)
{
    const char *mark = k->estimated || ls_kernel_partial(k) ? INEXACT_MARK : "";
    struct cells c = {{NULL}};
    c.text[EXCESS] = k->observed && ls_kernel_priced(p, k)
                         ? ls_text("%s%s", mark, show_count(ls_kernel_excess(p, k)))
                         : text_of("-");
    c.text[OBSERVED] = ls_text("%s/%s", show_count((double)k->observed), show_count((double)k->dispatches));
    c.text[TIME] = text_of(k->dispatches ? show_time((double)k->duration_ns) : "-");
    c.text[LINE] = worst_line(p, k, full_paths);
    return c;
}

/* Of all columns before the name. */
static int table_width(const int width[NUMBERS])
{
    int used = INDENT;
    for (int c = 0; c < NUMBERS; c++)
        used += width[c] ? width[c] + GAP : 0;
    return used;
}

/* Times of the software GPU tell nothing about a GPU. */
static const char *time_head(const struct ls_p_kernel *const *kernels, size_t n)
{
    bool software = false, hardware = false;
    for (size_t i = 0; i < n; i++) {
        software |= kernels[i]->software_time;
        hardware |= kernels[i]->hardware_time;
    }
    return !software ? "" : hardware ? "Partly soft" : "Software";
}

/* The end of a place is its line. */
static void print_cell(const struct terminal *t, const char *text, int width, bool right)
{
    char *cut = middle_cut(t, text ? text : "", width);
    text = cut ? cut : "";
    if (right)
        print_padding(t, width - text_width(text));
    int used = print_cut(t, text, width);
    print_padding(t, (right ? 0 : width - used) + GAP);
    free(cut);
}

static void print_heads(const struct terminal *t, const int width[NUMBERS], const char *times)
{
    const char *const heads[2][NUMBERS] = {
        {"", "Observed/", times, ""}, {"Excess", "Dispatches", *times ? "GPU Time" : "Time", "Worst Line"}};
    for (int row = 0; row < 2; row++) {
        print_padding(t, INDENT);
        fputs(style_on(t, row ? STYLE_HEAD : STYLE_DIM), t->out);
        for (int i = 0; i < (row ? NUMBERS : LINE); i++)
            if (!width[i])
                continue;
            else if (row || i < TIME)
                print_cell(t, heads[row][i], width[i], i != LINE);
            else
                print_padding(t, width[i] - text_width(heads[row][i])), fputs(heads[row][i], t->out);
        fprintf(t->out, "%s%s\n", row ? "Kernel" : "", style_off(t));
    }
}

/* Of a narrow terminal: what the lines below the table say, too, is left out until the name has some room. */
static void leave_out(const struct terminal *t, int width[NUMBERS])
{
    static const int order[] = {OBSERVED, TIME, LINE};
    for (size_t i = 0; t->cuts && i < sizeof(order) / sizeof(*order); i++)
        if (table_width(width) + NAME_NARROW > t->width)
            width[order[i]] = 0;
}

/* The place gives way where the width is limited: its name has the least room that it can do with. A width of
 * 0: the column is left out. */
static void measure(const struct terminal *t, const struct cells *cells, size_t n, int width[NUMBERS])
{
    static const int least[NUMBERS] = {6, 10, 8, 10};
    int used = INDENT;
    for (int c = 0; c < NUMBERS; c++) {
        width[c] = least[c];
        for (size_t i = 0; i < n; i++) {
            int w = cells[i].text[c] ? text_width(cells[i].text[c]) : 0;
            width[c] = w > width[c] ? w : width[c];
        }
        used += c == LINE ? GAP : width[c] + GAP;
    }
    int most = t->cuts && t->width - used - NAME_LEAST < LINE_MOST ? t->width - used - NAME_LEAST : LINE_MOST;
    if (width[LINE] > most)
        width[LINE] = most > least[LINE] ? most : least[LINE];
    leave_out(t, width);
}

static void print_kernel_cell(const struct terminal *t, const char *name, int room)
{
    print_kernel_name(t, name, room);
    fputc('\n', t->out);
}

static void print_row(const struct terminal *t, const struct cells *cells, const int width[NUMBERS],
                      const char *kernel)
{
    print_padding(t, INDENT);
    for (int c = 0; c < NUMBERS; c++)
        if (width[c])
            print_cell(t, cells->text[c], width[c], c != LINE);
    print_kernel_cell(t, kernel, t->width - table_width(width));
}

void print_overview(const struct terminal *t, const struct ls_profile *p,
                    const struct ls_p_kernel *const *kernels, size_t n, bool full_paths)
{
    struct cells *cells = ls_realloc(NULL, (n + 1) * sizeof(*cells));
    int width[NUMBERS];
    for (size_t i = 0; i < n; i++)
        cells[i] = cells_of(p, kernels[i], full_paths);
    measure(t, cells, n, width);
    print_heads(t, width, time_head(kernels, n));
    for (size_t i = 0; i < n; i++) {
        char *name = kernel_heading(p, kernels[i]);
        print_row(t, &cells[i], width, name);
        free(name);
        for (int c = 0; c < NUMBERS; c++)
            free(cells[i].text[c]);
    }
    free(cells);
}
