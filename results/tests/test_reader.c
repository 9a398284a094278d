/* The reader: damaged files are named with their cause; the sums are those worked out in sample.c. */
#include "results/profile/coverage.h"
#include "results/profile/exact.h"
#include "results/profile/unexplained.h"
#include "lanescope/sites.h"
#include "loaded.h"
#include "results/reader/reader.h"
#include "sample.h"
#include "in.h"
#include "results/file/schema.h"
#include "results/profile/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static int setup(void **state)
{
    return make_directory(state) || sample_write(in("a.db"), in("transpose.hip"), 1234, false);
}

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *data = malloc(1 << 20);
    *n = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

static void spill(const char *path, const char *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
}

/* Opening (and loading) must fail, and the error must name the file and say `cause` and `fix`. */
static void expect_error(const char *path, const char *cause, const char *fix)
{
    char *error = NULL;
    struct ls_profile *p = ls_profile_new();
    assert_int_equal(ls_profile_add_file(p, path, NULL, &error), -1);
    assert_non_null(error);
    if (!strstr(error, path) || !strstr(error, cause) || !strstr(error, fix))
        fail_msg("unexpected: %s", error);
    free(error);
    ls_profile_free(p);
}

static void foreign_and_damaged_files(void **state)
{
    (void)state;
    size_t n;
    char *good = slurp(in("a.db"), &n);
    expect_error(in("none.db"), "No such file", "give a database");
    expect_error(directory, "is a directory", "give the databases in it");
    spill(in("empty.db"), "", 0);
    expect_error(in("empty.db"), "is empty", "record again");
    spill(in("text.db"), "hello, world, this is no database at all", 40);
    expect_error(in("text.db"), "not a results database", "lanescope run");
    spill(in("short.db"), good, n / 2);
    expect_error(in("short.db"), "truncated", "copy the file again");
    spill(in("tiny.db"), good, 40);
    expect_error(in("tiny.db"), "truncated", "copy the file again");
    /* The pages behind the first: every table's content. */
    char *bad = malloc(n);
    memcpy(bad, good, n);
    memset(bad + 4096, 0xa5, n - 4096);
    spill(in("damaged.db"), bad, n);
    expect_error(in("damaged.db"), "damaged", "record again");
    /* Header fields of sqlite.org/fileformat.html: 60 user version, 68 application id; big endian. */
    memcpy(bad, good, n);
    bad[63] = LS_SCHEMA_VERSION + 1;
    spill(in("newer.db"), bad, n);
    expect_error(in("newer.db"), "newer Lanescope (schema 3", "at least as new");
    memcpy(bad, good, n);
    memset(bad + 68, 0, 4);
    spill(in("foreign.db"), bad, n);
    expect_error(in("foreign.db"), "of another program", "lanescope run");
    free(bad);
    free(good);
}

#define LDS "lds_bank_conflicts"
#define MEM "memory_coalescing"

static void sums_of_the_sample(void **state)
{
    (void)state;
    struct ls_profile *p = load(in("a.db"), NULL);
    assert_int_equal(p->n_kernels, 2);
    const struct ls_p_kernel *k = p->kernels[0];
    assert_string_equal(k->name, "transpose(float*, float const*)");
    assert_int_equal(k->n_lines, 5);
    const struct ls_p_line *l = line_at(k, 6, "load", "LDS");
    assert_int_equal(l->n_sites, 2);
    assert_int_equal(l->n_columns, 2);
    assert_int_equal(l->columns[0], 15);
    assert_int_equal(l->columns[1], 31);
    assert_true(l->isa_merged);
    assert_int_equal(l->isa.n, 1);
    assert_true(value(p, l, LDS, "Executions") == 64);
    assert_true(value(p, l, LDS, "Active Lanes") == 3072);
    assert_true(value(p, l, LDS, "Active Lanes/Execution") == 48);
    assert_true(value(p, l, LDS, "Index Accesses") == 1224);
    assert_true(value(p, l, LDS, "Bank Conflict") == 1080);
    assert_true(value(p, l, LDS, "Bank Conflicts/Access") == 7.5);
    assert_true(value(p, l, LDS, "Bank Conflict Rate") == 23.4375);
    l = line_at(k, 4, "store", "LDS");
    assert_true(value(p, l, LDS, "Bank Conflicts/Access") == 0);
    assert_string_equal(l->source, "tile[threadIdx.x] = in[threadIdx.x];");
    double none;
    assert_false(ls_profile_value(p, &l->values, (size_t)ls_profile_metric(p, MEM, "Coalescing"), &none));
    l = line_at(k, 6, "store", "global");
    assert_true(value(p, l, MEM, "Cache Lines") == 2048);
    assert_true(value(p, l, MEM, "Cache Lines Needed") == 128);
    assert_true(value(p, l, MEM, "Cache Lines/Needed") == 16);
    assert_true(value(p, l, MEM, "Coalescing") == 25);
    l = line_at(k, 9, "load", "global");
    assert_true(value(p, l, MEM, "Coalescing") == 50);
    assert_int_equal(l->n_chain, 1);
    assert_int_equal(l->chain[0].line, 7);
    assert_int_equal(l->chain[0].column, 5);
    assert_string_equal(l->chain[0].function, "transpose");
    assert_string_equal(l->function, "helper");
    assert_true(value(p, line_at(k, 4, "load", "global"), MEM, "Coalescing") == 100);
    ls_profile_free(p);
}

static void coverage_and_dispatches(void **state)
{
    (void)state;
    struct ls_profile *p = load(in("a.db"), NULL);
    const struct ls_p_kernel *k = p->kernels[0];
    char *text = ls_coverage_text(k);
    assert_string_equal(text, "6 of 9 memory instructions observed; not: 2 image loads, 1 scratch access");
    free(text);
    assert_int_equal(k->dispatches, 3);
    assert_int_equal(k->observed, 2);
    assert_int_equal(k->n_not_observed, 1);
    assert_int_equal(k->messages, 192);
    assert_int_equal(k->duration_ns, 4500);
    assert_int_equal(k->shapes, 1);
    assert_string_equal(p->kernels[1]->not_instrumented, "its code object has no site table");
    assert_int_equal(p->n_notes, 1);
    assert_string_equal(p->databases[0].command, "./app --size 'a b'");
    ls_profile_free(p);
}

static void databases_add_up(void **state)
{
    (void)state;
    char *error = NULL;
    assert_int_equal(sample_write(in("b.db"), in("transpose.hip"), 77, false), 0);
    struct ls_profile *p = load(in("a.db"), NULL);
    assert_int_equal(ls_profile_add_file(p, in("b.db"), NULL, &error), 0);
    assert_int_equal(p->n_kernels, 2);
    const struct ls_p_kernel *k = p->kernels[0];
    assert_int_equal(k->dispatches, 6);
    assert_int_equal(k->shapes, 1);
    assert_int_equal(k->instructions, 9); /* the same code: not counted twice */
    assert_int_equal(k->n_lines, 5);
    const struct ls_p_line *l = line_at(k, 6, "load", "LDS");
    assert_int_equal(l->n_sites, 2);
    assert_true(value(p, l, LDS, "Bank Conflict") == 2160);
    assert_true(value(p, l, LDS, "Bank Conflicts/Access") == 7.5);
    ls_profile_free(p);
    /* Two shapes, of which both recordings have one:
     * a first launch of another size, then that of the sample. */
    sqlite3 *sql;
    assert_int_equal(sqlite3_open(in("b.db"), &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "UPDATE dispatch SET grid_x = 512 WHERE id = 1", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(sql);
    p = load(in("a.db"), NULL);
    assert_int_equal(ls_profile_add_file(p, in("b.db"), NULL, &error), 0);
    assert_int_equal(p->kernels[0]->shapes, 2);
    ls_profile_free(p);
}

/* The first of the metrics that the text fits, of which there are `wanted`; -1: none. */
static int metric(const struct ls_profile *p, const char *text, size_t wanted)
{
    size_t n;
    int *list = ls_metrics_named(p, text, &n), first = n ? list[0] : -1;
    assert_int_equal(n, wanted);
    free(list);
    return first;
}

static void worst_lines_come_first(void **state)
{
    (void)state;
    struct ls_profile *p = load(in("a.db"), NULL);
    struct ls_table_options o = {.sort = -1, .top = 2};
    size_t n;
    struct ls_table *t = ls_tables(p, p->kernels[0], &o, &n);
    assert_int_equal(n, 2);
    assert_string_equal(t[0].handler, LDS);
    assert_int_equal(t[0].rows[0]->line, 6);
    assert_int_equal(t[1].n_all, 3);
    assert_int_equal(t[1].n_rows, 2);
    assert_int_equal(t[1].rows[0]->line, 6); /* excess 1920, then 128 */
    assert_int_equal(t[1].rows[1]->line, 9);
    ls_tables_free(t, n);
    o.sort = metric(p, MEM ".Coalescing", 1);
    t = ls_tables(p, p->kernels[0], &o, &n);
    assert_int_equal(t[1].rows[0]->line, 6); /* the least is the worst: 6.25 %, 50 %, then 100 % of line 4 */
    assert_int_equal(t[1].rows[1]->line, 9);
    ls_tables_free(t, n);
    metric(p, "nothing", 0);
    assert_int_equal(metric(p, "bank c", 3), ls_profile_metric(p, LDS, "Bank Conflict")); /* and two ratios */
    assert_int_equal(metric(p, "bank conflict", 1), ls_profile_metric(p, LDS, "Bank Conflict"));
    ls_profile_free(p);
}

static void kernels_are_chosen_by_name(void **state)
{
    (void)state;
    regex_t re;
    assert_int_equal(regcomp(&re, "^Cijk", REG_EXTENDED | REG_NOSUB), 0);
    struct ls_profile *p = load(in("a.db"), &re);
    assert_int_equal(p->n_kernels, 1);
    assert_string_equal(p->kernels[0]->name, "Cijk_gemm");
    assert_int_equal(p->kernels[0]->n_lines, 0);
    ls_profile_free(p);
    regfree(&re);
}

/* Sites without a kernel lie in functions that several kernels reach. */
static void shared_functions(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = ls_db_create(in("shared.db"), &(struct ls_db_process){.pid = 1}, &error);
    assert_non_null(db);
    int64_t agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx942"});
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = object});
    int64_t kernels[2],
        metric = ls_db_add_metric(db, &(struct ls_db_metric){.handler = "mine", .name = "Things"});
    for (int i = 0; i < 2; i++)
        kernels[i] = ls_db_add_kernel(
            db,
            &(struct ls_db_kernel){.code_object = object, .module = module, .mangled = i ? "two" : "one"});
    struct ls_db_frame frame = {"/f.hip", 3, 4, "shared", 0};
    struct ls_db_site s = {
        .module = module, .kind = 1, .space = 1, .bytes = 4, .flags = 1, .frames = &frame, .n_frames = 1};
    int64_t seen = ls_db_add_site(db, &s);
    s.index = 1;
    s.flags = 0;
    s.reason = 4;
    s.instruction = "llvm.amdgcn.new";
    assert_true(ls_db_add_site(db, &s) > 0);
    for (int i = 0; i < 2; i++) {
        int64_t d = ls_db_add_dispatch(
            db, &(struct ls_db_dispatch){
                    .number = (uint64_t)i + 1, .kernel = kernels[i], .agent = agent, .observed = true});
        if (i == 0)
            ls_db_add_value(db, d, seen, metric, 9);
        ls_db_add_value(db, d, 0, metric, 100 + i);
    }
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    struct ls_profile *p = load(in("shared.db"), NULL);
    char *one = ls_coverage_text(p->kernels[0]), *two = ls_coverage_text(p->kernels[1]);
    assert_string_equal(one,
                        "1 of 2 memory instructions observed; not: 1 unknown intrinsic (llvm.amdgcn.new)");
    assert_string_equal(two,
                        "0 of 1 memory instruction observed; not: 1 unknown intrinsic (llvm.amdgcn.new)");
    free(one);
    free(two);
    assert_int_equal(p->kernels[0]->n_lines, 1);
    assert_int_equal(p->kernels[1]->n_lines, 0);
    double v;
    assert_true(ls_profile_value(p, &p->kernels[1]->values, 0, &v) && v == 101);
    ls_profile_free(p);
}

/* Calls of functions without probes count in the coverage of the kernel that made them. */
static void calls_of_functions_without_probes(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = ls_db_create(in("calls.db"), &(struct ls_db_process){.pid = 1}, &error);
    assert_non_null(db);
    int64_t agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx942"});
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = object});
    int64_t kernel =
        ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object, .module = module, .mangled = "k"});
    struct ls_db_frame frame = {"/source/f.hip", 3, 4, "shared", 0};
    struct ls_db_site s = {
        .module = module, .kind = LS_SITE_CALL, .flags = LS_SITE_OBSERVED, .frames = &frame, .n_frames = 1};
    int64_t with_line = ls_db_add_site(db, &s);
    s.index = 1;
    s.n_frames = 0;
    s.function = "_Z1gv";
    int64_t without = ls_db_add_site(db, &s);
    for (uint64_t i = 1; i <= 2; i++) {
        int64_t d = ls_db_add_dispatch(
            db, &(struct ls_db_dispatch){.number = i, .kernel = kernel, .agent = agent, .observed = true});
        assert_int_equal(ls_db_add_call(db, d, with_line, 20 * i, 64), 0);
        if (i == 2)
            assert_int_equal(ls_db_add_call(db, d, without, 1, 64), 0);
    }
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    struct ls_profile *p = load(in("calls.db"), NULL);
    char *text = ls_coverage_text(p->kernels[0]);
    assert_string_equal(text,
                        "no memory instructions; not: 60 calls through the pointer at f.hip:3 to functions "
                        "without probes, 1 call through the pointer in _Z1gv to a function without probes");
    free(text);
    ls_profile_free(p);
    /* a recording from before that table */
    sqlite3 *sql;
    assert_int_equal(sqlite3_open(in("calls.db"), &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "DROP TABLE unprobed_call", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
    p = load(in("calls.db"), NULL);
    assert_int_equal(p->kernels[0]->n_not_covered, 0);
    ls_profile_free(p);
}

/* A kernel of eight vector instructions; the first four are executed together, the next two in a branch, and
 * the seventh where nothing is counted. The last one, together with the first, reads kernel arguments. */
static void vector_instructions(struct ls_db *db, int64_t module, int64_t kernel, const int64_t site[4])
{
    static const struct {
        const char *text;
        uint32_t line, together;
        int site; /* -1: none */
        bool tells;
    } all[] = {
        {"global_load_dword v0, v1, s[2:3]", 11, 0, 0, true},
        {"global_load_dword v2, v1, s[2:3]", 11, 0, 0, true}, /* two for one access */
        {"ds_write_b32 v1, v0", 12, 0, 1, true},
        {"global_load_dwordx2 v[4:5], v1, s[2:3]", 0, 0, -1, false},
        {"global_store_dword v0, v1, s[2:3]", 14, 5, 2, true},
        {"global_load_dwordx4 v[4:7], v1, s[2:3]", 14, 5, -1, false},
        {"ds_read_b32 v1, v0", 15, 9, -1, false},
        {"global_load_ushort v1, v1, s[0:1]", 16, 0, 3, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        int64_t row = ls_db_add_instruction(db, &(struct ls_db_instruction){.kernel = kernel,
                                                                            .module = module,
                                                                            .offset = 8 * i,
                                                                            .text = all[i].text,
                                                                            .file = "/source/f.hip",
                                                                            .line = all[i].line,
                                                                            .vector = true,
                                                                            .together = all[i].together});
        if (all[i].site >= 0)
            assert_int_equal(ls_db_join_instruction(db, row, site[all[i].site], all[i].tells), 0);
    }
}

/* The store and the load of 8 bytes become copies of one access, of which no single one tells. The latter is executed 8 times,
 * as others tell, and the access never; then it is, too: in the branch nobody tells how often. */
static void expect_too_much(sqlite3 *sql)
{
    assert_int_equal(sqlite3_exec(sql,
                                  "UPDATE value SET value = 8 WHERE value = 7;"
                                  "UPDATE instruction SET site = 3 WHERE line = 0;"
                                  "UPDATE vector_instruction SET tells = 0 WHERE instruction IN"
                                  " (SELECT id FROM instruction WHERE site = 3)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    struct ls_profile *p = load(in("unexplained.db"), NULL);
    assert_int_equal(p->kernels[0]->contradictions, 2);
    char *text = ls_unexplained_text(p->kernels[0]);
    assert_non_null(strstr(text, "2 vector memory instructions are executed as often as others, but"));
    free(text);
    ls_profile_free(p);
    assert_int_equal(sqlite3_exec(sql,
                                  "INSERT INTO value SELECT dispatch, 3, metric, 8 FROM value WHERE site = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    p = load(in("unexplained.db"), NULL);
    assert_int_equal(p->kernels[0]->contradictions, 0);
    ls_profile_free(p);
}

/* Three accesses that are observed and joined, and one that reads kernel arguments. */
static void add_sites(struct ls_db *db, int64_t module, int64_t kernel, int64_t site[4])
{
    for (uint32_t i = 0; i < 3; i++) {
        site[i] = ls_db_add_site(db, &(struct ls_db_site){.module = module,
                                                          .index = i,
                                                          .kernel = kernel,
                                                          .kind = i ? 2 : 1,
                                                          .space = i == 1 ? 3 : 1,
                                                          .bytes = 4,
                                                          .flags = LS_SITE_OBSERVED});
        ls_db_join_site(db, site[i], &(struct ls_db_join){.state = 1, .flags = LS_SITE_OBSERVED});
    }
    site[3] = ls_db_add_site(db, &(struct ls_db_site){.module = module,
                                                      .index = 3,
                                                      .kernel = kernel,
                                                      .kind = LS_SITE_LOAD,
                                                      .space = 4,
                                                      .bytes = 2,
                                                      .reason = LS_REASON_KERNARG});
}

/* What no site counts is named, with the executions of what is executed together with it. */
static void unexplained_instructions(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = ls_db_create(in("unexplained.db"), &(struct ls_db_process){.pid = 1}, &error);
    assert_non_null(db);
    int64_t agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx90a"});
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = object});
    int64_t kernel =
        ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object, .module = module, .mangled = "k"});
    int64_t global = ls_db_add_metric(
                db, &(struct ls_db_metric){.handler = "memory_coalescing", .name = "Executions"}),
            lds = ls_db_add_metric(
                db, &(struct ls_db_metric){.handler = "lds_bank_conflicts", .name = "Executions"}),
            site[4];
    add_sites(db, module, kernel, site);
    vector_instructions(db, module, kernel, site);
    int64_t d = ls_db_add_dispatch(
        db, &(struct ls_db_dispatch){.number = 1, .kernel = kernel, .agent = agent, .observed = true});
    ls_db_add_value(db, d, site[0], global, 16); /* 8 executions of each of its two instructions */
    ls_db_add_value(db, d, site[1], lds, 8);
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    struct ls_profile *p = load(in("unexplained.db"), NULL);
    char *text = ls_unexplained_text(p->kernels[0]);
    /* the branch was never taken, and with it the wide load; nobody knows of the read in LDS */
    assert_string_equal(text, "2 vector memory instructions that no observed access explains: "
                              "no line global_load_dwordx2 (8 executions); f.hip:15 ds_read_b32");
    free(text);
    assert_int_equal(ls_unexplained_count(p->kernels[0]), 2);
    text = ls_arguments_text(p->kernels[0]);
    assert_string_equal(text, "1 vector memory instruction reads kernel arguments, which are not counted: "
                              "f.hip:16 global_load_ushort (8 executions)");
    free(text);
    assert_int_equal(p->kernels[0]->contradictions, 0);
    ls_profile_free(p);
    /* two sites whose instructions are executed together, and were not */
    sqlite3 *sql;
    assert_int_equal(sqlite3_open(in("unexplained.db"), &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "UPDATE value SET value = 7 WHERE value = 8", NULL, NULL, NULL),
                     SQLITE_OK);
    p = load(in("unexplained.db"), NULL);
    assert_int_equal(p->kernels[0]->contradictions, 3);
    text = ls_unexplained_text(p->kernels[0]);
    assert_non_null(strstr(text, "no line global_load_dwordx2; f.hip:15 ds_read_b32. 3 vector memory "));
    free(text);
    ls_profile_free(p);
    expect_too_much(sql);
    /* a recording from before that table */
    assert_int_equal(sqlite3_exec(sql, "DROP TABLE vector_instruction", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
    p = load(in("unexplained.db"), NULL);
    assert_null(ls_unexplained_text(p->kernels[0]));
    ls_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_and_damaged_files), cmocka_unit_test(sums_of_the_sample),
        cmocka_unit_test(coverage_and_dispatches),   cmocka_unit_test(databases_add_up),
        cmocka_unit_test(worst_lines_come_first),    cmocka_unit_test(kernels_are_chosen_by_name),
        cmocka_unit_test(shared_functions),          cmocka_unit_test(calls_of_functions_without_probes),
        cmocka_unit_test(unexplained_instructions),
    };
    return cmocka_run_group_tests(tests, setup, remove_directory);
}
