/* row_tables.h - the rows that handlers stored for a kernel, as tables with named columns. */
#ifndef CLI_ROW_TABLES_H
#define CLI_ROW_TABLES_H

#include <jansson.h>
#include "results/profile/profile.h"

struct row_line {
    const struct ls_p_row *row;
    json_t *json; /* borrowed; NULL: the row is no JSON */
};

struct row_table {
    const char *handler, *table;
    const char *
        *columns; /* keys of the rows in order of first appearance; "value" for rows that are no objects */
    size_t n_columns;
    struct row_line *rows;
    size_t n_rows;
    bool dispatches; /* the rows belong to several dispatches */
    bool places;     /* a row has a source line */
};

/* One per handler and table, in order of arrival. malloc'd; free with row_tables_free. The kernel's rows must
 * outlive it. */
struct row_table *row_tables(const struct ls_p_kernel *k, size_t *n);
void row_tables_free(struct row_table *t, size_t n);

/* What stands in a column: text as it is, numbers as written, anything else as JSON; "" when the row lacks
 * it. malloc'd. */
char *row_cell(const struct row_line *row, const char *column);
bool row_is_number(const struct row_line *row, const char *column);

#endif
