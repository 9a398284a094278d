/*
 * writer_batch.c - dispatches and their values, of which a recording has most rows, many at a time.
 *
 * Rows wait in memory. One statement takes them all: INSERT ... SELECT from a table of SQLite's that has no storage and reads what waits
 * (a virtual table). So beginning a statement, finding the end of the tree and binding each number are paid once, not per row.
 */
#include "writer_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    sqlite3_vtab base;
    const struct batch *of;
};

struct at {
    sqlite3_vtab_cursor base;
    const struct batch *of;
    unsigned row;
};

static int connect_rows(sqlite3 *sql, void *batch, int argc, const char *const *argv, sqlite3_vtab **out,
                        char **error)
{
    (void)argc, (void)argv, (void)error;
    char text[256] = "CREATE TABLE rows(c0";
    struct rows *r = sqlite3_malloc(sizeof *r);
    if (!r)
        return SQLITE_NOMEM;
    *r = (struct rows){.of = batch};
    size_t n = strlen(text);
    for (unsigned i = 1; i < r->of->columns && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ",c%u", i);
    strcat(text, ")");
    *out = &r->base;
    return sqlite3_declare_vtab(sql, text);
}

static int disconnect_rows(sqlite3_vtab *rows)
{
    sqlite3_free(rows);
    return SQLITE_OK;
}

static int plan_rows(sqlite3_vtab *rows, sqlite3_index_info *info)
{
    (void)rows;
    info->estimatedCost = 1;
    return SQLITE_OK;
}

static int open_rows(sqlite3_vtab *rows, sqlite3_vtab_cursor **out)
{
    struct at *at = sqlite3_malloc(sizeof *at);
    if (!at)
        return SQLITE_NOMEM;
    *at = (struct at){.of = ((struct rows *)rows)->of};
    *out = &at->base;
    return SQLITE_OK;
}

static int close_rows(sqlite3_vtab_cursor *at)
{
    sqlite3_free(at);
    return SQLITE_OK;
}

static int first_row(sqlite3_vtab_cursor *at, int plan, const char *text, int argc, sqlite3_value **argv)
{
    (void)plan, (void)text, (void)argc, (void)argv;
    ((struct at *)at)->row = 0;
    return SQLITE_OK;
}

static int following_row(sqlite3_vtab_cursor *at)
{
    ((struct at *)at)->row++;
    return SQLITE_OK;
}

static int behind_rows(sqlite3_vtab_cursor *at)
{
    return ((struct at *)at)->row >= ((struct at *)at)->of->n;
}

static int column_of_row(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
    const struct at *at = (const struct at *)cursor;
    const struct cell *c = &at->of->cells[at->row * at->of->columns + (unsigned)column];
    if (c->type == CELL_TEXT)
        sqlite3_result_text(out, c->s, -1, SQLITE_STATIC);
    else if (c->type == CELL_INT || c->i)
        sqlite3_result_int64(out, c->i);
    return SQLITE_OK; /* else NULL, as it is without a word */
}

static int number_of_row(sqlite3_vtab_cursor *at, sqlite3_int64 *number)
{
    *number = ((struct at *)at)->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect_rows,
    .xBestIndex = plan_rows,
    .xDisconnect = disconnect_rows,
    .xOpen = open_rows,
    .xClose = close_rows,
    .xFilter = first_row,
    .xNext = following_row,
    .xEof = behind_rows,
    .xColumn = column_of_row,
    .xRowid = number_of_row,
};

int ls_db_offer_batches(struct ls_db *db)
{
    db->dispatches = (struct batch){db->dispatches.cells, db->dispatches.n, DISPATCH_COLUMNS};
    db->values = (struct batch){db->values.cells, db->values.n, VALUE_COLUMNS};
    int rc = sqlite3_create_module(db->sql, "waiting_dispatch", &module, &db->dispatches);
    return rc == SQLITE_OK ? sqlite3_create_module(db->sql, "waiting_value", &module, &db->values) : rc;
}

/* What was copied for the rows. */
static void forget_rows(struct batch *b)
{
    for (unsigned i = 0; i < b->n * b->columns; i++)
        if (b->cells[i].type == CELL_TEXT)
            free((char *)b->cells[i].s);
    b->n = 0;
}

static int write_rows(struct ls_db *db, enum statement which, struct batch *b)
{
    if (b->n && ls_db_usable(db))
        ls_db_write(db, which, NULL, 0);
    forget_rows(b);
    return ls_db_usable(db) ? 0 : -1;
}

int ls_db_flush(struct ls_db *db)
{
    int rc = write_rows(db, ADD_DISPATCHES, &db->dispatches);
    return write_rows(db, db->shared ? ADD_OWN_VALUES : ADD_VALUES, &db->values) ? -1 : rc;
}

/* Where the next row's cells go; NULL: no memory. */
static struct cell *room(struct ls_db *db, struct batch *b, unsigned most)
{
    if (!b->cells && !(b->cells = calloc((size_t)most * b->columns, sizeof *b->cells))) {
        db->error = db->error ? db->error : strdup("out of memory");
        return NULL;
    }
    return &b->cells[b->n * b->columns];
}

int64_t ls_db_keep_dispatch(struct ls_db *db, const struct cell *cells)
{
    if (!ls_db_usable(db) || !ls_db_has_all(db, cells, DISPATCH_COLUMNS))
        return 0;
    struct cell *to = room(db, &db->dispatches, DISPATCHES);
    if (!to)
        return 0;
    memcpy(to, cells, DISPATCH_COLUMNS * sizeof *cells);
    for (unsigned i = 0; i < DISPATCH_COLUMNS; i++)
        if (to[i].type == CELL_TEXT && to[i].s && !(to[i].s = strdup(to[i].s)))
            db->error = db->error ? db->error : strdup("out of memory");
    const int64_t id = ++db->last[DISPATCH];
    to[0] = INT(id);
    db->written = true;
    if (++db->dispatches.n == DISPATCHES)
        write_rows(db, ADD_DISPATCHES, &db->dispatches);
    return db->error ? 0 : id;
}

int ls_db_keep_value(struct ls_db *db, int64_t dispatch, int64_t site, int64_t metric, int64_t value)
{
    if (!ls_db_usable(db) || !ls_db_has(db, DISPATCH, dispatch) || !ls_db_has(db, SITE, site) ||
        !ls_db_has(db, METRIC, metric))
        return -1;
    struct cell *to = room(db, &db->values, VALUES);
    if (!to)
        return -1;
    to[0] = INT(dispatch);
    to[1] = INT(site);
    to[2] = INT(metric);
    to[3] = INT(value);
    db->written = true;
    return ++db->values.n < VALUES ? 0
                                   : write_rows(db, db->shared ? ADD_OWN_VALUES : ADD_VALUES, &db->values);
}

void ls_db_forget_batches(struct ls_db *db)
{
    forget_rows(&db->dispatches);
    forget_rows(&db->values);
    free(db->dispatches.cells);
    free(db->values.cells);
}
