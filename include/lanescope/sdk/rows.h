/*
 * rows.h - rows of a handler's own tables. A table with typed columns is declared once:
 *
 *     static const struct lanescope_column columns[] = {{"address", LANESCOPE_HEX},
 *                                                       {"accesses", LANESCOPE_UNSIGNED}};
 *     static const struct lanescope_table pages = {"pages", columns, 2};
 *
 * and a row is added in dispatch_end by its values:
 *
 *     const struct lanescope_value row[] = {lanescope_unsigned(address), lanescope_unsigned(n)};
 *     lanescope_add_row(host, results, &pages, LANESCOPE_NO_SITE, row);
 *
 * Rows that hold lists or other rows are written with json.h. Either way the
 * database has one JSON object per row, which no text of the program can break. It works with every Lanescope
 * that loads the handler.
 */
#ifndef LANESCOPE_SDK_ROWS_H
#define LANESCOPE_SDK_ROWS_H

#include <errno.h>

#include "lanescope/handler.h"
#include "lanescope/sdk/json.h"

/* ---- rows as JSON ---- */

/* Adds the row, begun with lanescope_json_begin, to a table of the handler and frees it. 0 or -ENOMEM, after an error in the log: then there is
 * no row. */
static inline int lanescope_json_end(struct lanescope_json *j, const struct lanescope_host *host,
                                     struct lanescope_results *r, const char *table, uint32_t site)
{
    char *text = lanescope_json_finish(j);
    if (text)
        host->row(r, table, site, text);
    else
        host->log(host, LANESCOPE_LOG_ERROR, "a row of the table '%s' is lost: out of memory", table);
    free(text);
    return text ? 0 : -ENOMEM;
}

/* ---- typed rows ---- */

enum lanescope_type {
    LANESCOPE_INTEGER = 1,
    LANESCOPE_UNSIGNED = 2,
    LANESCOPE_HEX = 3, /* values are unsigned; shown as 0x7f00 */
    LANESCOPE_TEXT = 4,
    LANESCOPE_BOOL = 5,
};

struct lanescope_column {
    const char *name; /* unique in its table */
    enum lanescope_type type;
};

struct lanescope_table {
    const char *name;
    const struct lanescope_column *columns;
    size_t n_columns;
};

/* A value of a row. Make it with the functions below. */
struct lanescope_value {
    enum lanescope_type type;
    bool none; /* there is no value */
    uint64_t number;
    const char *text; /* must live until the row is added */
};

static inline struct lanescope_value lanescope_value_of(enum lanescope_type type, bool none, uint64_t number,
                                                        const char *text)
{
    struct lanescope_value v = {type, none, number, text};
    return v;
}

static inline struct lanescope_value lanescope_integer(int64_t value)
{
    return lanescope_value_of(LANESCOPE_INTEGER, false, (uint64_t)value, NULL);
}

/* For columns of the types LANESCOPE_UNSIGNED and LANESCOPE_HEX. */
static inline struct lanescope_value lanescope_unsigned(uint64_t value)
{
    return lanescope_value_of(LANESCOPE_UNSIGNED, false, value, NULL);
}

static inline struct lanescope_value lanescope_text(const char *value)
{
    return lanescope_value_of(LANESCOPE_TEXT, !value, 0, value);
}

static inline struct lanescope_value lanescope_bool(bool value)
{
    return lanescope_value_of(LANESCOPE_BOOL, false, value, NULL);
}

/* No value, for a column of any type; null in JSON. */
static inline struct lanescope_value lanescope_none(void)
{
    return lanescope_value_of(LANESCOPE_TEXT, true, 0, NULL);
}

static inline void lanescope_json_value(struct lanescope_json *j, const struct lanescope_column *c,
                                        const struct lanescope_value *v)
{
    if (v->none)
        lanescope_json_null(j, c->name);
    else if (c->type == LANESCOPE_INTEGER)
        lanescope_json_integer(j, c->name, (int64_t)v->number);
    else if (c->type == LANESCOPE_UNSIGNED)
        lanescope_json_unsigned(j, c->name, v->number);
    else if (c->type == LANESCOPE_HEX)
        lanescope_json_hex(j, c->name, v->number);
    else if (c->type == LANESCOPE_BOOL)
        lanescope_json_bool(j, c->name, v->number != 0);
    else
        lanescope_json_text(j, c->name, v->text);
}

/* Adds a row of t->n_columns values, in the order of the columns, for a site or LANESCOPE_NO_SITE. Texts are
 * copied. 0, -ENOMEM, or -EINVAL after an error in the log: a value has another type than its column. */
static inline int lanescope_add_row(const struct lanescope_host *host, struct lanescope_results *r,
                                    const struct lanescope_table *t, uint32_t site,
                                    const struct lanescope_value *values)
{
    struct lanescope_json j;
    for (size_t i = 0; i < t->n_columns; i++) {
        enum lanescope_type type = t->columns[i].type;
        if (!values[i].none && values[i].type != (type == LANESCOPE_HEX ? LANESCOPE_UNSIGNED : type)) {
            host->log(host, LANESCOPE_LOG_ERROR, "a row of the table '%s' is lost: '%s' has another type",
                      t->name, t->columns[i].name);
            return -EINVAL;
        }
    }
    lanescope_json_begin(&j);
    for (size_t i = 0; i < t->n_columns; i++)
        lanescope_json_value(&j, &t->columns[i], &values[i]);
    return lanescope_json_end(&j, host, r, t->name, site);
}

#endif
