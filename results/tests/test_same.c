/* Values that several dispatches have: stored once, and each dispatch's all the same, whatever befalls the recording. */
#include "ask.h"
#include "fault_vfs.h"
#include "in.h"
#include "results/reader/reader.h"
#include "results/writer/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct ls_db *begin(const char *path, int64_t *agent, int64_t kernels[2])
{
    const struct ls_db_process process = {.pid = 1, .hostname = "h", .cwd = "/", .gpu = "hw", .runtime = "r"};
    char *error = NULL;
    struct ls_db *db = ls_db_create(path, &process, &error);
    free(error);
    if (!db)
        return NULL;
    *agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx90a"});
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = *agent});
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = object, .hash = 1});
    for (int i = 0; i < 2; i++) {
        kernels[i] = ls_db_add_kernel(
            db, &(struct ls_db_kernel){.code_object = object, .module = module, .mangled = i ? "j" : "k"});
        ls_db_add_site(db, &(struct ls_db_site){
                               .module = module, .index = (uint32_t)i, .kernel = kernels[i], .kind = 1});
    }
    ls_db_add_metric(db, &(struct ls_db_metric){.handler = "h", .name = "m"});
    return db;
}

/* Dispatches 1, 2 and 4 of the first kernel have the values 5 and 7 and, as a whole, 11; 3 and 5 of the second have 13. Commits
 * after 1, 2 and 4; `between` is called before the second dispatch. */
static int fill(struct ls_db *db, int64_t agent, const int64_t kernels[2], void (*between)(void))
{
    static const struct ls_db_value first[] = {{1, 1, 5}, {2, 1, 7}, {0, 1, 11}}, second[] = {{2, 1, 13}};
    for (uint64_t n = 1; n <= 5; n++) {
        const bool other = n == 3 || n == 5;
        if (n == 2 && between)
            between();
        ls_db_add_dispatch(db, &(struct ls_db_dispatch){.number = n,
                                                        .kernel = kernels[other],
                                                        .agent = agent,
                                                        .observed = true,
                                                        .values = other ? second : first,
                                                        .n_values = other ? 1 : 3});
        if (n == 1 || n == 2 || n == 4)
            ls_db_commit(db);
    }
    char *error = NULL;
    const int rc = ls_db_finish(db, true, &error);
    free(error);
    return rc;
}

/* 3 * 5 + 3 * 7 and 2 * 13; 3 * 11. By dispatch: 5 + 7 is the second one's. */
static void expect_all(const char *path)
{
    assert_int_equal(ask(path, "SELECT sum(value) FROM value"), 62);
    assert_int_equal(ask(path, "SELECT count(*) FROM value"), 8);
    assert_int_equal(ask(path, "SELECT sum(value) FROM dispatch_value"), 33);
    assert_int_equal(ask(path, "SELECT sum(value) FROM value v JOIN dispatch d ON d.id = v.dispatch WHERE"
                               " d.number = 2"),
                     12);
    assert_int_equal(ask(path, "SELECT sum(value) FROM line_view WHERE kernel = 'k'"), 36);
    assert_int_equal(ask(path, "SELECT count(*) FROM own_value"), 3);
    assert_int_equal(ask(path, "SELECT count(*) FROM own_dispatch_value"), 1);
    assert_int_equal(ask(path, "PRAGMA user_version"), 2);
    assert_int_equal(ask(path, "SELECT value FROM meta WHERE key = 'schema_version'"), 2);
    assert_int_equal(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

static void equal_values_are_stored_once(void **state)
{
    (void)state;
    int64_t agent, kernels[2];
    struct ls_r_total *totals;
    size_t n;
    char *error = NULL;
    struct ls_db *db = begin(in("same.db"), &agent, kernels);
    assert_non_null(db);
    assert_int_equal(fill(db, agent, kernels, NULL), 0);
    expect_all(in("same.db"));
    struct ls_results *r = ls_results_open(in("same.db"), &error);
    assert_non_null(r);
    assert_int_equal(ls_results_totals(r, &totals, &n, &error), 0);
    const struct ls_r_total want[] = {{1, 0, 1, 33}, {1, 1, 1, 15}, {1, 2, 1, 21}, {2, 2, 1, 26}};
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(&totals[i], &want[i], sizeof *totals);
    free(totals);
    ls_results_close(r);
}

/* Readers of the first version can read it. */
static void without_equal_values_it_is_as_before(void **state)
{
    (void)state;
    int64_t agent, kernels[2];
    char *error = NULL;
    struct ls_db *db = begin(in("unequal.db"), &agent, kernels);
    for (int i = 1; i <= 3; i++) {
        const struct ls_db_value value = {1, 1, i};
        assert_int_equal(ls_db_add_dispatch(db, &(struct ls_db_dispatch){.number = (uint64_t)i,
                                                                         .kernel = kernels[0],
                                                                         .agent = agent,
                                                                         .observed = true,
                                                                         .values = &value,
                                                                         .n_values = i < 3}),
                         i);
    }
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    assert_int_equal(ask(in("unequal.db"), "PRAGMA user_version"), 1);
    assert_int_equal(ask(in("unequal.db"), "SELECT count(*) FROM value"), 2);
    assert_int_equal(ask(in("unequal.db"), "SELECT type = 'table' FROM sqlite_master WHERE name = 'value'"),
                     1);
}

static void remove_it(void)
{
    assert_int_equal(unlink(in("lost.db.partial")), 0);
}

/* What makes values shared is the first that is written after the file went. */
static void the_file_may_lose_its_name(void **state)
{
    (void)state;
    int64_t agent, kernels[2];
    struct ls_db *db = begin(in("lost.db"), &agent, kernels);
    assert_non_null(db);
    assert_int_equal(fill(db, agent, kernels, remove_it), 0);
    expect_all(in("lost.db"));
}

static void remove_all(void)
{
    unlink(in("end.db"));
    unlink(in("end.db.partial"));
    unlink(in("end.db.partial-journal"));
}

/* Of the values 5 + 7 of each of three dispatches and 13 of each of two, those of 0, 1, 2, or 4 dispatches, or of all. */
static bool of_whole_commits(int64_t sum)
{
    return sum == 0 || sum == 12 || sum == 24 || sum == 49 || sum == 62;
}

static void expect_whole_commits(int64_t *sum)
{
    *sum = ask(in("end.db"), "SELECT ifnull(sum(value), 0) FROM value");
    assert_true(of_whole_commits(*sum));
    assert_int_equal(ask(in("end.db"), "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(ask(in("end.db"), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* In turns killed before and failed at the n-th write, for every n behind the first ones, which make the file: those are
 * test_writer's. */
static void every_write_may_be_the_last(void **state)
{
    (void)state;
    enum { FIRST = 64 };
    int64_t agent, kernels[2], sum;
    bool seen[64] = {false};
    int status = -1;
    for (long n = FIRST; status; n++) {
        remove_all();
        pid_t child = fork();
        if (!child) {
            n % 2 ? fault_vfs_arm(n) : fault_vfs_arm_kill(n);
            struct ls_db *db = begin(in("end.db"), &agent, kernels);
            _exit(!db || fill(db, agent, kernels, NULL) ? 1 : 0);
        }
        waitpid(child, &status, 0);
        expect_whole_commits(&sum);
        seen[sum] = true;
    }
    expect_all(in("end.db"));
    assert_true(seen[0] && seen[12] && seen[24] && seen[49]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_are_stored_once),
        cmocka_unit_test(without_equal_values_it_is_as_before),
        cmocka_unit_test(the_file_may_lose_its_name),
        cmocka_unit_test(every_write_may_be_the_last),
    };
    fault_vfs_install();
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
