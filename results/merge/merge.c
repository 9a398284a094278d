/* merge.c - see merge.h. */
#include "merge.h"
#include "results/file/error_text.h"
#include "results/file/guid.h"
#include "merge_tables.h"
#include "results/file/schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ls_merge *ls_merge_begin(const char *path, char **error)
{
    char *script = NULL;
    struct ls_merge *m = ls_realloc(NULL, sizeof(*m));
    *m = (struct ls_merge){.path = strdup(path)};
    int rc = sqlite3_open_v2(path, &m->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    script = ls_text("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;"
                     "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN",
                     LS_APPLICATION_ID, LS_SCHEMA_VERSION_UNSHARED);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(m->sql, script, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(m->sql, ls_schema_sql, NULL, NULL, NULL);
    free(script);
    if (rc == SQLITE_OK && ls_merge_layout(m))
        return m;
    *error = ls_merge_error(m);
    ls_merge_drop(m);
    return NULL;
}

/* ---- where each process is from ---- */

struct source {
    struct ls_merge *m;
    const struct ls_results *r;
    const char *path;
    bool failed;
};

/* Those of an earlier merge know it already. */
static void add_source(void *user, sqlite3_stmt *st)
{
    struct source *s = user;
    sqlite3_stmt *add = ls_merge_statement(
        s->m, "INSERT INTO merged(process, file, run_id, created, lanescope_version, state)"
              " VALUES(?,?,?,?,?,?) ON CONFLICT DO NOTHING");
    const char *texts[] = {s->path, s->r->run_id, s->r->created, s->r->version,
                           s->r->partial ? "partial" : "complete"};
    const struct ls_merge_table *processes = &s->m->tables[ls_merge_table(s->m, "process")];
    int rc =
        add ? sqlite3_bind_int64(add, 1, ls_merge_id(processes, sqlite3_column_int64(st, 0))) : SQLITE_ERROR;
    for (int i = 0; rc == SQLITE_OK && i < 5; i++)
        rc = sqlite3_bind_text(add, i + 2, texts[i], -1, SQLITE_TRANSIENT);
    s->failed |= rc != SQLITE_OK || sqlite3_step(add) != SQLITE_DONE;
    sqlite3_reset(add);
}

static int note_run(struct ls_merge *m, struct ls_results *r, const char *path, char **error)
{
    struct source s = {m, r, path, false};
    bool good = ls_merge_rows(r->sql, "SELECT id FROM process", NULL, add_source, &s);
    m->partial |= r->partial;
    m->several_runs |= m->files && strcmp(m->run_id, r->run_id) != 0;
    m->run_id = ls_arena_string(&m->arena, r->run_id);
    m->files++;
    if (good && !s.failed)
        return 0;
    *error = good ? ls_merge_error(m) : ls_results_sql_error(path, r->sql);
    return -1;
}

int ls_merge_add(struct ls_merge *m, const char *path, char **error)
{
    struct ls_results *r = ls_results_open(path, error);
    if (!r)
        return -1;
    ls_results_keep_raw(r);
    *error = ls_merge_check(m, r, path);
    int rc = *error ? -1 : 0;
    for (size_t i = 0; !rc && i < m->n_tables; i++)
        rc = ls_merge_copy(m, &m->tables[i], r, path, error);
    if (!rc)
        rc = note_run(m, r, path, error);
    ls_merge_forget(m);
    ls_results_close(r);
    return rc;
}

static bool set_meta(struct ls_merge *m, const char *key, const char *value)
{
    sqlite3_stmt *st = ls_merge_statement(m, "INSERT INTO meta VALUES(?,?)");
    bool good = st && sqlite3_bind_text(st, 1, key, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                sqlite3_bind_text(st, 2, value, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                sqlite3_step(st) == SQLITE_DONE;
    sqlite3_reset(st);
    return good;
}

static bool write_meta(struct ls_merge *m)
{
    char guid[LS_GUID], number[24], created[64];
    time_t now = time(NULL);
    struct tm tm;
    ls_make_guid(guid);
    strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    snprintf(number, sizeof(number), "%d", LS_SCHEMA_VERSION_UNSHARED);
    bool good = set_meta(m, "schema", "lanescope") && set_meta(m, "schema_version", number) &&
                set_meta(m, "lanescope_version", LANESCOPE_VERSION) &&
                set_meta(m, "state", m->partial ? "partial" : "complete") && set_meta(m, "guid", guid) &&
                set_meta(m, "run_id", m->several_runs ? "" : m->run_id) && set_meta(m, "created", created);
    snprintf(number, sizeof(number), "%lld", (long long)m->files);
    return good && set_meta(m, "merged", number);
}

int ls_merge_finish(struct ls_merge *m, char **error)
{
    int rc = write_meta(m) && sqlite3_exec(m->sql, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
    if (rc)
        *error = ls_merge_error(m);
    ls_merge_drop(m);
    return rc;
}

void ls_merge_drop(struct ls_merge *m)
{
    ls_merge_forget(m);
    for (struct ls_merge_statement *s = m->statements; s; s = s->hh.next)
        sqlite3_finalize(s->st);
    HASH_CLEAR(hh, m->statements);
    sqlite3_close(m->sql);
    free(m->tables);
    free(m->path);
    ls_arena_free(&m->arena);
    free(m);
}
