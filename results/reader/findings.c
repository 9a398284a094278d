#include "findings.h"
#include "columns.h"
#include "results/file/error_text.h"
#include "objects.h"
#include "results/file/place.h"
#include "saturate.h"
#include "results/file/schema.h"

#include <stdlib.h>
#include <string.h>

/* ---- storing ---- */

struct store {
    sqlite3 *sql;
    sqlite3_stmt *finding, *access;
    int64_t process; /* 0: none with that pid */
    int rc;          /* of SQLite: the first that is no success stays */
};

static void run_sql(struct store *s, const char *sql)
{
    if (s->rc == SQLITE_OK)
        s->rc = sqlite3_exec(s->sql, sql, NULL, NULL, NULL);
}

static void prepare(struct store *s, const char *sql, sqlite3_stmt **st)
{
    if (s->rc == SQLITE_OK)
        s->rc = sqlite3_prepare_v2(s->sql, sql, -1, st, NULL);
}

static void put_int(struct store *s, sqlite3_stmt *st, int i, int64_t value)
{
    if (s->rc == SQLITE_OK)
        s->rc = sqlite3_bind_int64(st, i, value);
}

static void put_text(struct store *s, sqlite3_stmt *st, int i, const char *text)
{
    if (s->rc == SQLITE_OK)
        s->rc = sqlite3_bind_text(st, i, text, -1, SQLITE_TRANSIENT);
}

static void step(struct store *s, sqlite3_stmt *st)
{
    if (s->rc == SQLITE_OK && sqlite3_step(st) != SQLITE_DONE)
        s->rc = sqlite3_errcode(s->sql);
    if (s->rc == SQLITE_OK)
        s->rc = sqlite3_reset(st);
}

/* 0 when the database has no process of that number; -1 with *error. The number is asked for without touching
 * the file, which may be another process's that is still being written. */
static int64_t find_process(const char *path, int64_t pid, char **error)
{
    struct ls_results *r = ls_results_open(path, error);
    sqlite3_stmt *st = NULL;
    int64_t id = r ? 0 : -1;
    if (r && sqlite3_prepare_v2(r->sql, "SELECT id FROM process WHERE pid = ?", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(st, 1, pid) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        id = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    ls_results_close(r);
    return id;
}

static void store_access(struct store *s, int64_t finding, int side, const struct ls_finding_access *a)
{
    put_int(s, s->access, 1, finding);
    put_int(s, s->access, 2, side);
    put_text(s, s->access, 3, a->access);
    put_text(s, s->access, 4, a->file);
    put_int(s, s->access, 5, a->line);
    put_int(s, s->access, 6, a->column);
    put_text(s, s->access, 7, a->inlined);
    put_text(s, s->access, 8, a->instruction);
    put_int(s, s->access, 9, a->wave);
    put_int(s, s->access, 10, a->lane);
    step(s, s->access);
}

static void store_finding(struct store *s, const struct ls_finding *f)
{
    put_int(s, s->finding, 1, s->process);
    put_text(s, s->finding, 2, f->kind);
    put_text(s, s->finding, 3, f->severity);
    put_text(s, s->finding, 4, f->space);
    put_text(s, s->finding, 5, f->kernel);
    put_int(s, s->finding, 6, f->count);
    put_int(s, s->finding, 7, f->gpu);
    put_int(s, s->finding, 8, f->dispatch);
    for (int i = 0; i < 3; i++)
        put_int(s, s->finding, 9 + i, f->workgroup[i]);
    put_int(s, s->finding, 12, f->address);
    step(s, s->finding);
    int64_t id = sqlite3_last_insert_rowid(s->sql);
    for (size_t i = 0; i < f->n_sides; i++)
        store_access(s, id, (int)i, &f->side[i]);
}

static void store_all(struct store *s, const struct ls_finding *list, size_t n)
{
    run_sql(s, "BEGIN IMMEDIATE");
    prepare(s,
            "INSERT INTO finding(process, kind, severity, space, kernel, count, gpu, dispatch, workgroup_x,"
            " workgroup_y, workgroup_z, address) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            &s->finding);
    prepare(s,
            "INSERT INTO finding_access(finding, side, access, file, line, \"column\", inlined, instruction,"
            " wave, lane) VALUES(?,?,?,?,?,?,?,?,?,?)",
            &s->access);
    for (size_t i = 0; i < n; i++)
        store_finding(s, &list[i]);
    run_sql(s, "COMMIT");
    sqlite3_finalize(s->finding);
    sqlite3_finalize(s->access);
}

int ls_findings_store(const char *path, int64_t pid, const struct ls_finding *list, size_t n, char **error)
{
    struct store s = {.rc = SQLITE_OK, .process = find_process(path, pid, error)};
    if (s.process <= 0 || !n)
        return s.process < 0 ? -1 : s.process != 0;
    /* SQLite would roll it back. */
    if (ls_place_beside(path, "-journal") || ls_place_beside(path, "-wal")) {
        *error = ls_text("%s: cannot store the findings of the check: there is a journal beside it", path);
        return -1;
    }
    s.rc = sqlite3_open_v2(path, &s.sql, SQLITE_OPEN_READWRITE, NULL);
    if (s.rc == SQLITE_OK) {
        sqlite3_busy_timeout(s.sql, 3000);
        sqlite3_db_config(s.sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        if ((*error = ls_objects_check(path, s.sql))) {
            sqlite3_close(s.sql);
            return -1;
        }
        run_sql(&s, "PRAGMA foreign_keys = ON");
        store_all(&s, list, n);
    }
    if (s.rc != SQLITE_OK)
        *error = ls_text("%s: cannot store the findings of the check: %s", path, sqlite3_errmsg(s.sql));
    sqlite3_close(s.sql); /* rolls back what was not committed */
    return s.rc != SQLITE_OK ? -1 : 1;
}

/* ---- reading ---- */

static struct ls_finding_access read_access(struct ls_results *r, sqlite3_stmt *st)
{
    return (struct ls_finding_access){.access = text0(r, st, 1),
                                      .file = text0(r, st, 2),
                                      .line = number(st, 3),
                                      .column = number(st, 4),
                                      .inlined = text0(r, st, 5),
                                      .instruction = text0(r, st, 6),
                                      .wave = number(st, 7),
                                      .lane = number(st, 8)};
}

static struct ls_finding read_finding(struct ls_results *r, sqlite3_stmt *st)
{
    struct ls_finding f = {.kind = text0(r, st, 9),
                           .severity = text0(r, st, 10),
                           .space = text0(r, st, 11),
                           .kernel = text0(r, st, 12),
                           .count = number(st, 13),
                           .gpu = number(st, 14),
                           .dispatch = number(st, 15),
                           .address = number(st, 19)};
    for (int i = 0; i < 3; i++)
        f.workgroup[i] = number(st, 16 + i);
    return f;
}

int ls_findings_load(struct ls_results *r, struct ls_finding **list, size_t *n, char **error)
{
    sqlite3_stmt *st = NULL;
    int64_t last = -1;
    *list = NULL;
    *n = 0;
    if (!ls_results_has_table(r, "finding")) /* recorded before there was a check */
        return 0;
    int rc = sqlite3_prepare_v2(
        r->sql,
        "SELECT f.id, a.access, a.file, a.line, a.\"column\", a.inlined, a.instruction, a.wave, a.lane,"
        " f.kind, f.severity, f.space, f.kernel, f.count, f.gpu, f.dispatch, f.workgroup_x, f.workgroup_y,"
        " f.workgroup_z, f.address FROM finding f JOIN finding_access a ON a.finding = f.id"
        " ORDER BY f.id, a.side",
        -1, &st, NULL);
    while (next_row(st, &rc)) {
        if (number(st, 0) != last)
            *LS_PUSH(*list, *n) = read_finding(r, st);
        last = number(st, 0);
        struct ls_finding *f = &(*list)[*n - 1];
        if (f->n_sides < 2)
            f->side[f->n_sides++] = read_access(r, st);
    }
    return end_rows(r, st, rc, error);
}

/* ---- adding up ---- */

static bool same_access(const struct ls_finding_access *a, const struct ls_finding_access *b)
{
    return !strcmp(a->access, b->access) && !strcmp(a->file, b->file) && a->line == b->line &&
           a->column == b->column && !strcmp(a->inlined, b->inlined);
}

static bool same_finding(const struct ls_finding *a, const struct ls_finding *b)
{
    bool same = !strcmp(a->kind, b->kind) && !strcmp(a->severity, b->severity) &&
                !strcmp(a->space, b->space) && !strcmp(a->kernel, b->kernel) && a->n_sides == b->n_sides;
    for (size_t i = 0; same && i < a->n_sides; i++)
        same = same_access(&a->side[i], &b->side[i]);
    return same;
}

static void keep(struct ls_finding *f, struct ls_arena *arena)
{
    f->kind = ls_arena_string(arena, f->kind);
    f->severity = ls_arena_string(arena, f->severity);
    f->space = ls_arena_string(arena, f->space);
    f->kernel = ls_arena_string(arena, f->kernel);
    for (size_t i = 0; i < f->n_sides; i++) {
        struct ls_finding_access *a = &f->side[i];
        a->access = ls_arena_string(arena, a->access);
        a->file = ls_arena_string(arena, a->file);
        a->inlined = ls_arena_string(arena, a->inlined);
        a->instruction = ls_arena_string(arena, a->instruction);
    }
}

int ls_findings_add(struct ls_finding **list, size_t *n, struct ls_arena *arena, struct ls_results *r,
                    const regex_t *only, char **error)
{
    struct ls_finding *more;
    size_t n_more;
    if (ls_findings_load(r, &more, &n_more, error))
        return -1;
    for (size_t i = 0; i < n_more; i++) {
        size_t j = 0;
        if (only && regexec(only, more[i].kernel, 0, NULL, 0))
            continue;
        while (j < *n && !same_finding(&(*list)[j], &more[i]))
            j++;
        if (j < *n) {
            (*list)[j].count = ls_add((*list)[j].count, more[i].count, &r->saturated);
            continue;
        }
        struct ls_finding *f = LS_PUSH(*list, *n);
        *f = more[i];
        keep(f, arena);
    }
    free(more);
    return 0;
}
