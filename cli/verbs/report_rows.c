/* Tables that handlers have stored, as the report for people shows them. */
#include "report_page.h"
#include "cli/output/names.h"
#include "cli/output/row_tables.h"
#include "results/advice/advice.h"

#include <stdlib.h>
#include <string.h>

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
            report_time_mark(pg->r->profile, k, table->handler), style_off(t));
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

void report_print_rows(const struct page *pg, const struct ls_p_kernel *k)
{
    size_t n;
    struct row_table *tables = row_tables(k, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(tables[i].handler, LS_ADVICE_HANDLER)) /* it stands under the lines */
            print_row_table(pg, k, &tables[i]);
    row_tables_free(tables, n);
}
