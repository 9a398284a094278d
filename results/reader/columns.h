/* columns.h - rows of a results database, column by column, for those who read its tables. The names are short because a row is a list
 * of them. Texts live as long as the results; strangers' control characters are gone from them. */
#ifndef LANESCOPE_RESULTS_COLUMNS_H
#define LANESCOPE_RESULTS_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include "reader.h"
#include "saturate.h"

/* NULL: the column is. */
static inline const char *text(struct ls_results *r, sqlite3_stmt *st, int column)
{
    return ls_results_text(r, (const char *)sqlite3_column_text(st, column));
}

/* Never NULL, also in a damaged file. */
static inline const char *text0(struct ls_results *r, sqlite3_stmt *st, int column)
{
    const char *s = text(r, st, column);
    return s ? s : "";
}

/* Never NULL. JSON is escaped when it was taken apart. */
static inline const char *json0(struct ls_results *r, sqlite3_stmt *st, int column)
{
    const char *s = (const char *)sqlite3_column_text(st, column);
    return ls_arena_string(&r->arena, s ? s : "");
}

static inline int64_t number(sqlite3_stmt *st, int column)
{
    return sqlite3_column_int64(st, column);
}

/* Stops at the ends of 32 bits. */
static inline uint32_t number32(sqlite3_stmt *st, int column)
{
    return ls_to_uint32(sqlite3_column_int64(st, column));
}

/* Sums of integers in SQL fail where they overflow: ours come as sums of both halves, which cannot. Columns
 * of SUM(x), joined. */
#define SUM(x) "sum((" x ") >> 32), sum((" x ") & 4294967295)"
static inline int64_t joined(struct ls_results *r, sqlite3_stmt *st, int column)
{
    __int128 sum = (__int128)number(st, column) * ((int64_t)1 << 32) + number(st, column + 1);
    bool fits = sum >= INT64_MIN && sum <= INT64_MAX;
    return ls_saturated(!fits, (int64_t)sum, sum < 0, &r->saturated);
}

/* Prepares `query`, or `older`, the same of files that lack the newest columns (NULL: all have them). */
static inline int prepare_rows(struct ls_results *r, const char *query, const char *older, sqlite3_stmt **st)
{
    int rc = sqlite3_prepare_v2(r->sql, query, -1, st, NULL);
    return rc == SQLITE_ERROR && older ? sqlite3_prepare_v2(r->sql, older, -1, st, NULL) : rc;
}

/* Steps to the next row. *rc: what preparing gave, or the step before. */
static inline bool next_row(sqlite3_stmt *st, int *rc)
{
    if (*rc == SQLITE_OK || *rc == SQLITE_ROW)
        *rc = sqlite3_step(st);
    return *rc == SQLITE_ROW;
}

/* Frees the statement. 0 when all rows were read, else -1 with *error. */
static inline int end_rows(struct ls_results *r, sqlite3_stmt *st, int rc, char **error)
{
    if (rc != SQLITE_DONE)
        *error = ls_results_sql_error(r->path, r->sql);
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

#endif
