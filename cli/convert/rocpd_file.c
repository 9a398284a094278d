/* rocpd_file.c - see rocpd_file.h. */
#include "rocpd_file.h"
#include "cli/common/cli.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "rocpd_schema.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct rocpd_string {
    UT_hash_handle hh;
    int64_t id;
    char text[];
};

/* The columns behind %s of "INSERT INTO rocpd_TABLE{{uuid}}(COLUMNS)", and those that are the same in all rows. */
static const struct {
    const char *table, *columns;
    unsigned n; /* cells */
    const char *more, *values;
} kinds[ROCPD_KINDS] = {
    [ROCPD_METADATA] = {"metadata", "tag, value", 2, "", ""},
    [ROCPD_NODE] = {"info_node", "id, hash, machine_id, hostname", 4,
                    ", system_name, release, version, hardware_name, domain_name", ", '', '', '', '', ''"},
    [ROCPD_PROCESS] = {"info_process", "id, nid, ppid, pid, init, fini, start, \"end\", command, extdata", 10,
                       "", ""},
    [ROCPD_THREAD] = {"info_thread", "id, nid, ppid, pid, tid, name", 6, "", ""},
    [ROCPD_AGENT] =
        {"info_agent",
         "id, nid, pid, type, absolute_index, logical_index, type_index, name, product_name, user_name", 10,
         ", uuid, model_name, vendor_name", ", 0, '', ''"},
    [ROCPD_QUEUE] = {"info_queue", "id, nid, pid, name", 4, "", ""},
    [ROCPD_STREAM] = {"info_stream", "id, nid, pid, name", 4, "", ""},
    [ROCPD_PMC] = {"info_pmc",
                   "id, nid, pid, agent_id, name, symbol, description, component, units, block, extdata", 11,
                   ", target_arch, event_code, instance_id, value_type, expression, is_constant, is_derived",
                   ", 'GPU', 0, 0, 'ACCUM', '', 0, 1"},
    [ROCPD_CODE_OBJECT] = {"info_code_object",
                           "id, nid, pid, agent_id, uri, load_base, load_size, storage_type", 8,
                           ", load_delta", ", 0"},
    [ROCPD_KERNEL] = {"info_kernel_symbol",
                      "id, nid, pid, code_object_id, kernel_name, display_name, group_segment_size,"
                      " private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count, extdata",
                      12, ", kernel_object, kernarg_segment_size, kernarg_segment_alignment", ", 0, 0, 0"},
    [ROCPD_TRACK] = {"track", "nid, pid, tid, name_id", 4, "", ""},
    [ROCPD_EVENT] = {"event", "category_id, stack_id, extdata", 3, ", parent_stack_id, correlation_id",
                     ", 0, 0"},
    [ROCPD_PMC_EVENT] = {"pmc_event", "event_id, pmc_id, value, extdata", 4, "", ""},
    [ROCPD_REGION] = {"region", "nid, pid, tid, start, \"end\", name_id, event_id", 7, "", ""},
    [ROCPD_SAMPLE] = {"sample", "track_id, timestamp, event_id", 3, "", ""},
    [ROCPD_DISPATCH] =
        {"kernel_dispatch",
         "nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\","
         " private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y,"
         " workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id",
         20, "", ""},
    [ROCPD_COPY] =
        {"memory_copy",
         "nid, pid, tid, start, \"end\", name_id, dst_agent_id, src_agent_id, size, stream_id, event_id", 11,
         ", dst_address, src_address, queue_id", ", 0, 0, 0"},
};

static void fail(struct rocpd_file *f, const char *why)
{
    if (!f->failed)
        message("%s: cannot write the file: %s", f->path, why);
    f->failed = true;
}

static void run(struct rocpd_file *f, const char *sql)
{
    if (!f->failed && sqlite3_exec(f->sql, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(f, sqlite3_errmsg(f->sql));
}

/* The text with {{guid}} and {{uuid}} replaced. malloc'd. */
static char *filled(const struct rocpd_file *f, const char *template)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    for (const char *s = template, *hole; *s; s = hole) {
        hole = strstr(s, "{{");
        if (!hole)
            hole = s + strlen(s);
        fwrite(s, 1, (size_t)(hole - s), out);
        if (*hole) {
            fputs(!strncmp(hole, "{{guid}}", 8) ? f->guid : f->uuid, out);
            hole += 8;
        }
    }
    if (fclose(out))
        abort();
    return text;
}

static void run_filled(struct rocpd_file *f, char *template)
{
    if (!template)
        abort();
    char *sql = filled(f, template);
    run(f, sql);
    free(sql);
    free(template);
}

/* ---- open ---- */

static void name_recording(struct rocpd_file *f, const char *guid)
{
    snprintf(f->guid, sizeof(f->guid), "%s", guid);
    snprintf(f->uuid, sizeof(f->uuid), "_%s", guid);
    for (char *s = f->uuid; *s; s++)
        if (*s == '-')
            *s = '_';
}

void rocpd_file_open(struct rocpd_file *f, const char *path, const char *shown, const char *guid)
{
    *f = (struct rocpd_file){.path = shown};
    name_recording(f, guid);
    if (sqlite3_open_v2(path, &f->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        fail(f, f->sql ? sqlite3_errmsg(f->sql) : "out of memory");
    if (f->failed)
        return;
    sqlite3_db_config(f->sql, SQLITE_DBCONFIG_DQS_DDL, 1, NULL); /* AMD's defaults stand in double quotes */
    run(f, "PRAGMA journal_mode = OFF");
    run(f, "PRAGMA synchronous = OFF");
    run(f, "PRAGMA foreign_keys = OFF"); /* checked at the end */
    run(f, "BEGIN");
    for (size_t i = 0; i < n_rocpd_tables; i++) {
        const struct rocpd_table *t = &rocpd_tables[i];
        run_filled(f, ls_text("CREATE TABLE \"rocpd_%s{{uuid}}\" (%s)", t->name, t->columns));
        run_filled(f,
                   ls_text("CREATE VIEW rocpd_%s AS SELECT * FROM \"rocpd_%s{{uuid}}\"", t->name, t->name));
    }
    for (size_t i = 0; i < n_rocpd_views; i++)
        run_filled(f, ls_text("CREATE VIEW %s AS %s", rocpd_views[i].name, rocpd_views[i].select));
}

/* ---- rows ---- */

static sqlite3_stmt *prepare(struct rocpd_file *f, enum rocpd_kind kind)
{
    char marks[3 * 32] = "?";
    for (unsigned i = 1; i < kinds[kind].n; i++)
        strcat(marks, ", ?");
    char *template = ls_text("INSERT INTO \"rocpd_%s{{uuid}}\"(%s%s) VALUES(%s%s)", kinds[kind].table,
                             kinds[kind].columns, kinds[kind].more, marks, kinds[kind].values);
    if (!template)
        abort();
    char *sql = filled(f, template);
    if (sqlite3_prepare_v2(f->sql, sql, -1, &f->insert[kind], NULL) != SQLITE_OK)
        fail(f, sqlite3_errmsg(f->sql));
    free(sql);
    free(template);
    return f->insert[kind];
}

static void bind(sqlite3_stmt *st, int at, const struct rocpd_cell *c)
{
    if (c->type == ROCPD_NUMBER)
        sqlite3_bind_int64(st, at, c->number);
    else if (c->type == ROCPD_REAL)
        sqlite3_bind_double(st, at, c->real);
    else
        sqlite3_bind_text(st, at, c->text, -1, SQLITE_STATIC);
}

int64_t rocpd_file_row(struct rocpd_file *f, enum rocpd_kind kind, const struct rocpd_cell *cells)
{
    if (f->failed)
        return 0;
    sqlite3_stmt *st = f->insert[kind] ? f->insert[kind] : prepare(f, kind);
    if (f->failed)
        return 0;
    for (unsigned i = 0; i < kinds[kind].n; i++)
        bind(st, (int)i + 1, &cells[i]);
    if (sqlite3_step(st) != SQLITE_DONE)
        fail(f, sqlite3_errmsg(f->sql));
    sqlite3_reset(st);
    return sqlite3_last_insert_rowid(f->sql);
}

static void insert_string(struct rocpd_file *f, struct rocpd_string *s)
{
    if (!f->add_string && !f->failed) {
        char *sql = filled(f, "INSERT INTO \"rocpd_string{{uuid}}\"(string) VALUES(?)");
        if (sqlite3_prepare_v2(f->sql, sql, -1, &f->add_string, NULL) != SQLITE_OK)
            fail(f, sqlite3_errmsg(f->sql));
        free(sql);
    }
    if (f->failed)
        return;
    sqlite3_bind_text(f->add_string, 1, s->text, -1, SQLITE_STATIC);
    if (sqlite3_step(f->add_string) != SQLITE_DONE)
        fail(f, sqlite3_errmsg(f->sql));
    sqlite3_reset(f->add_string);
    s->id = sqlite3_last_insert_rowid(f->sql);
}

int64_t rocpd_file_string(struct rocpd_file *f, const char *text)
{
    struct rocpd_string *s;
    HASH_FIND_STR(f->strings, text, s);
    if (!s) {
        s = ls_realloc(NULL, sizeof(*s) + strlen(text) + 1);
        memset(s, 0, sizeof(*s));
        strcpy(s->text, text);
        insert_string(f, s);
        HASH_ADD_STR(f->strings, text, s);
    }
    return s->id;
}

/* ---- close ---- */

static void check_references(struct rocpd_file *f)
{
    sqlite3_stmt *st = NULL;
    if (!f->failed && sqlite3_prepare_v2(f->sql, "PRAGMA foreign_key_check", -1, &st, NULL) != SQLITE_OK)
        fail(f, sqlite3_errmsg(f->sql));
    if (!f->failed && sqlite3_step(st) == SQLITE_ROW)
        fail(f, "a row in it refers to what is not there; `lanescope check` the database");
    sqlite3_finalize(st);
}

int rocpd_file_close(struct rocpd_file *f)
{
    struct rocpd_string *s, *next;
    run(f, "COMMIT");
    check_references(f);
    for (size_t i = 0; i < ROCPD_KINDS; i++)
        sqlite3_finalize(f->insert[i]);
    sqlite3_finalize(f->add_string);
    if (sqlite3_close(f->sql) != SQLITE_OK)
        fail(f, "it cannot be closed");
    HASH_ITER(hh, f->strings, s, next)
    {
        HASH_DEL(f->strings, s);
        free(s);
    }
    return f->failed ? EXIT_FAILED : EXIT_OK;
}
