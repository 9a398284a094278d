/* merge_tables.c - see merge_tables.h. */
#include "merge_tables.h"
#include "results/file/error_text.h"

#include <string.h>

static const struct ls_merge_special special[] = {
    {"meta", LS_MERGE_FIXED, NULL, {NULL, NULL}, NULL},
    {"site_kind", LS_MERGE_FIXED, NULL, {NULL, NULL}, NULL},
    {"address_space", LS_MERGE_FIXED, NULL, {NULL, NULL}, NULL},
    {"site_reason", LS_MERGE_FIXED, NULL, {NULL, NULL}, NULL},
    {"source_file", LS_MERGE_ONCE, "SELECT id FROM source_file WHERE path = ?1", {"path", NULL}, NULL},
    {"metric",
     LS_MERGE_ONCE,
     "SELECT id FROM metric WHERE handler = ?1 AND name = ?2",
     {"handler", "name"},
     "is_ratio, id"},
    {"handler", LS_MERGE_ONCE, "SELECT 1 FROM handler WHERE name = ?1", {"name", NULL}, NULL},
};
enum { SPECIAL = sizeof(special) / sizeof(*special) };

const struct ls_merge_special *ls_merge_special(const char *table)
{
    for (int i = 0; i < SPECIAL; i++)
        if (!strcmp(special[i].table, table))
            return &special[i];
    return NULL;
}

int ls_merge_table(const struct ls_merge *m, const char *name)
{
    for (size_t i = 0; i < m->n_tables; i++)
        if (!sqlite3_stricmp(m->tables[i].name, name))
            return (int)i;
    return -1;
}

struct ls_merge_column *ls_merge_column(struct ls_merge_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (!sqlite3_stricmp(t->column[i].name, name))
            return &t->column[i];
    return NULL;
}

char *ls_merge_error(const struct ls_merge *m)
{
    return ls_text("%s: cannot write the database: %s", m->path, sqlite3_errmsg(m->sql));
}

const char *ls_merge_text(sqlite3_stmt *st, int column)
{
    const char *s = (const char *)sqlite3_column_text(st, column);
    return s ? s : "";
}

sqlite3_stmt *ls_merge_statement(struct ls_merge *m, const char *sql)
{
    struct ls_merge_statement *s;
    HASH_FIND_STR(m->statements, sql, s);
    if (!s) {
        const size_t size = strlen(sql) + 1;
        s = ls_arena_alloc(&m->arena, sizeof(*s) + size);
        memcpy(s->sql, sql, size);
        if (sqlite3_prepare_v2(m->sql, sql, -1, &s->st, NULL) != SQLITE_OK)
            return NULL;
        HASH_ADD_STR(m->statements, sql, s);
    }
    sqlite3_clear_bindings(s->st);
    return s->st;
}

bool ls_merge_rows(sqlite3 *sql, const char *query, const char *parameter,
                   void (*each)(void *user, sqlite3_stmt *st), void *user)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(sql, query, -1, &st, NULL);
    if (rc == SQLITE_OK && parameter)
        rc = sqlite3_bind_text(st, 1, parameter, -1, SQLITE_TRANSIENT);
    while ((rc == SQLITE_OK || rc == SQLITE_ROW) && (rc = sqlite3_step(st)) == SQLITE_ROW)
        each(user, st);
    sqlite3_finalize(st);
    return rc == SQLITE_DONE;
}

struct layout {
    struct ls_merge *m;
    struct ls_merge_table *t;
};

static void add_table(void *user, sqlite3_stmt *st)
{
    struct ls_merge *m = user;
    const struct ls_merge_special *s = ls_merge_special(ls_merge_text(st, 0));
    *LS_PUSH(m->tables, m->n_tables) =
        (struct ls_merge_table){.name = ls_arena_string(&m->arena, ls_merge_text(st, 0)),
                                .kind = s ? s->kind : LS_MERGE_SHIFTED,
                                .sql = ls_arena_string(&m->arena, ls_merge_text(st, 1))};
}

static void add_column(void *user, sqlite3_stmt *st)
{
    struct layout *l = user;
    if (l->t->n_columns == LS_MERGE_COLUMNS_MOST)
        return;
    l->t->has_id |= !strcmp(ls_merge_text(st, 0), "id");
    l->t->column[l->t->n_columns++] =
        (struct ls_merge_column){ls_arena_string(&l->m->arena, ls_merge_text(st, 0)), -1};
}

static void add_reference(void *user, sqlite3_stmt *st)
{
    struct layout *l = user;
    struct ls_merge_column *c = ls_merge_column(l->t, ls_merge_text(st, 0));
    if (c)
        c->refers = ls_merge_table(l->m, ls_merge_text(st, 1));
}

bool ls_merge_layout(struct ls_merge *m)
{
    bool good =
        ls_merge_rows(m->sql, "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid", NULL,
                      add_table, m);
    for (size_t i = 0; good && i < m->n_tables; i++) {
        struct layout l = {m, &m->tables[i]};
        good = ls_merge_rows(m->sql, "SELECT name FROM pragma_table_info(?1)", l.t->name, add_column, &l) &&
               ls_merge_rows(m->sql, "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)", l.t->name,
                             add_reference, &l);
    }
    return good;
}
