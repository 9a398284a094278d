#include "row_tables.h"
#include "results/profile/rows.h"

#include <stdlib.h>
#include <string.h>

static struct row_table *table_of(struct row_table **list, size_t *n, const struct ls_p_row *row)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp((*list)[i].handler, row->handler) && !strcmp((*list)[i].table, row->table))
            return &(*list)[i];
    struct row_table *t = LS_PUSH(*list, *n);
    t->handler = row->handler;
    t->table = row->table;
    return t;
}

static void add_column(struct row_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (!strcmp(t->columns[i], name))
            return;
    *LS_PUSH(t->columns, t->n_columns) = name;
}

static void add_row(struct row_table *t, const struct ls_p_row *row)
{
    struct row_line *line = LS_PUSH(t->rows, t->n_rows);
    const char *key;
    json_t *value;
    line->row = row;
    line->json = ls_row_content(row);
    if (!json_is_object(line->json))
        add_column(t, "value");
    json_object_foreach(line->json, key, value) add_column(t, key);
    const struct ls_p_row *first = t->rows[0].row;
    t->dispatches |= row->dispatch != first->dispatch || row->database != first->database;
    t->places |= row->line != NULL;
}

struct row_table *row_tables(const struct ls_p_kernel *k, size_t *n)
{
    struct row_table *list = NULL;
    *n = 0;
    for (size_t i = 0; i < k->n_rows; i++)
        add_row(table_of(&list, n, &k->rows[i]), &k->rows[i]);
    return list;
}

void row_tables_free(struct row_table *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(t[i].rows);
        free(t[i].columns);
    }
    free(t);
}

static const json_t *cell(const struct row_line *row, const char *column)
{
    return json_is_object(row->json) ? json_object_get(row->json, column)
           : strcmp(column, "value") ? NULL
                                     : row->json;
}

char *row_cell(const struct row_line *row, const char *column)
{
    const json_t *j = cell(row, column);
    if (!row->json)
        return strdup(strcmp(column, "value") ? "" : row->row->json);
    if (!j || json_is_null(j))
        return strdup("");
    if (json_is_string(j))
        return strdup(json_string_value(j));
    return json_dumps(j, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
}

bool row_is_number(const struct row_line *row, const char *column)
{
    return json_is_number(cell(row, column));
}
