/* merge_copy.c - the rows of a recording under ids of the merged file. See merge_tables.h. */
#include "results/file/error_text.h"
#include "merge_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct copying {
    struct ls_merge *m;
    struct ls_merge_table *t;
    const char *path;
    struct ls_merge_column *column[LS_MERGE_COLUMNS_MOST]; /* of the recording's table, in its order */
    int n, id;                                             /* id: which of them is the row's own; -1: none */
    int by[2];  /* of LS_MERGE_ONCE: which of them tell equal rows */
    int shared; /* which of them names a dispatch with the same values: each gets its own; -1: none */
    sqlite3_stmt *read, *write, *same;
};

int64_t ls_merge_id(const struct ls_merge_table *t, int64_t id)
{
    struct ls_merge_id *found;
    if (t->kind == LS_MERGE_SHIFTED)
        return id > 0 && id <= LS_MERGE_ID_MOST ? id + t->shift : 0;
    HASH_FIND(hh, t->mapped, &id, sizeof(id), found);
    return found ? found->to : 0;
}

static void map(struct ls_merge_table *t, int64_t from, int64_t to)
{
    struct ls_merge_id *e = ls_realloc(NULL, sizeof(*e));
    *e = (struct ls_merge_id){.from = from, .to = to};
    HASH_ADD(hh, t->mapped, from, sizeof(e->from), e);
}

static void forget(struct ls_merge_table *t)
{
    struct ls_merge_id *e, *next;
    HASH_ITER(hh, t->mapped, e, next)
    {
        HASH_DEL(t->mapped, e);
        free(e);
    }
}

void ls_merge_forget(struct ls_merge *m)
{
    for (size_t i = 0; i < m->n_tables; i++)
        forget(&m->tables[i]);
}

/* An equal row that is there already; 0: none. */
static int64_t same_row(struct copying *c)
{
    int64_t id = 0;
    for (int i = 0; i < 2 && c->by[i] >= 0; i++)
        sqlite3_bind_value(c->same, i + 1, sqlite3_column_value(c->read, c->by[i]));
    if (sqlite3_step(c->same) == SQLITE_ROW)
        id = sqlite3_column_int64(c->same, 0);
    sqlite3_reset(c->same);
    return id;
}

/* Binds a row. False: an id is none. */
static bool bind_row(struct copying *c)
{
    for (int i = 0; i < c->n; i++) {
        const int refers = c->column[i]->refers;
        const bool own = i == c->id;
        if (i == c->shared) {
            sqlite3_bind_null(c->write, i + 1);
        } else if (own && c->t->kind == LS_MERGE_ONCE) {
            sqlite3_bind_null(c->write, i + 1);
        } else if ((own || refers >= 0) && sqlite3_column_type(c->read, i) != SQLITE_NULL) {
            int64_t id = ls_merge_id(own ? c->t : &c->m->tables[refers], sqlite3_column_int64(c->read, i));
            if (!id || id > LS_MERGE_ID_MOST)
                return false;
            if (own && id > c->t->most)
                c->t->most = id;
            sqlite3_bind_int64(c->write, i + 1, id);
        } else {
            sqlite3_bind_value(c->write, i + 1, sqlite3_column_value(c->read, i));
        }
    }
    return true;
}

static int copy_row(struct copying *c, char **error)
{
    int64_t own = c->id >= 0 ? sqlite3_column_int64(c->read, c->id) : 0;
    int64_t same = c->same ? same_row(c) : 0;
    if (same) {
        if (c->id >= 0)
            map(c->t, own, same);
        if (strcmp(c->t->name, "source_file") || !ls_merge_source(c->m, c->read, same))
            return 0;
        *error = ls_merge_error(c->m);
        return -1;
    }
    if (!bind_row(c)) {
        *error =
            ls_text("%s: a row of %s has an id that no recording has; record again", c->path, c->t->name);
        return -1;
    }
    int rc = sqlite3_step(c->write);
    sqlite3_reset(c->write);
    if (rc != SQLITE_DONE) {
        *error = ls_merge_error(c->m);
        return -1;
    }
    if (c->same && c->id >= 0)
        map(c->t, own, sqlite3_last_insert_rowid(c->m->sql));
    return 0;
}

static void find_columns(struct copying *c)
{
    const struct ls_merge_special *s = ls_merge_special(c->t->name);
    c->id = c->by[0] = c->by[1] = c->shared = -1;
    c->n = sqlite3_column_count(c->read);
    for (int i = 0; i < c->n; i++) {
        const char *name = sqlite3_column_name(c->read, i);
        c->column[i] = ls_merge_column(c->t, name);
        if (!strcmp(name, "id"))
            c->id = i;
        if (!strcmp(name, "same_as"))
            c->shared = i;
        for (int j = 0; j < 2; j++)
            if (s && s->by[j] && !strcmp(s->by[j], name))
                c->by[j] = i;
    }
}

/* "INSERT INTO t("a", "b") VALUES(?,?)"; malloc'd. */
static char *insert_text(const struct copying *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "INSERT INTO \"%s\"(", c->t->name);
    for (int i = 0; i < c->n; i++)
        fprintf(out, "%s\"%s\"", i ? ", " : "", c->column[i]->name);
    fputs(") VALUES(", out);
    for (int i = 0; i < c->n; i++)
        fputs(i ? ",?" : "?", out);
    fputc(')', out);
    fclose(out);
    return text;
}

static int prepare(struct copying *c, struct ls_results *r, char **error)
{
    const struct ls_merge_special *s = ls_merge_special(c->t->name);
    const char *order = s ? s->order : NULL;
    char *read =
        ls_text("SELECT * FROM \"%s\"%s%s", c->t->name, order ? " ORDER BY " : "", order ? order : "");
    int rc = sqlite3_prepare_v2(r->sql, read, -1, &c->read, NULL);
    free(read);
    if (rc != SQLITE_OK) {
        *error = ls_results_sql_error(c->path, r->sql);
        return -1;
    }
    find_columns(c);
    char *write = insert_text(c);
    c->write = write ? ls_merge_statement(c->m, write) : NULL;
    c->same = c->write && s ? ls_merge_statement(c->m, s->same) : NULL;
    free(write);
    if (c->write && (c->same || !s))
        return 0;
    *error = ls_merge_error(c->m);
    return -1;
}

int ls_merge_copy(struct ls_merge *m, struct ls_merge_table *t, struct ls_results *r, const char *path,
                  char **error)
{
    struct copying c = {.m = m, .t = t, .path = path};
    if (t->kind == LS_MERGE_FIXED || !t->there)
        return 0;
    t->shift = t->most;
    int rc = prepare(&c, r, error), step = SQLITE_DONE;
    while (!rc && (step = sqlite3_step(c.read)) == SQLITE_ROW)
        rc = copy_row(&c, error);
    if (!rc && step != SQLITE_DONE) {
        *error = ls_results_sql_error(path, r->sql);
        rc = -1;
    }
    sqlite3_finalize(c.read);
    return rc;
}
