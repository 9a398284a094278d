/* The writer under good and bad conditions: what it stores, and that nothing it meets stops the program. */
#include "ask.h"
#include "in.h"
#include "fault_vfs.h"
#include "results/reader/reader.h"
#include "sample.h"
#include "results/file/schema.h"
#include "results/writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static const struct ls_db_process process = {
    .pid = 1, .hostname = "h", .cwd = "/", .gpu = "hw", .runtime = "r"};

/* Agent, code object, module, kernel, site, metric and a dispatch: the least that a value needs. */
struct ids {
    int64_t agent, object, module, kernel, site, metric, dispatch;
};

static struct ids fill_least(struct ls_db *db)
{
    struct ids i;
    i.agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx90a"});
    i.object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = i.agent});
    i.module = ls_db_add_module(db, &(struct ls_db_module){.code_object = i.object, .hash = 1});
    i.kernel = ls_db_add_kernel(
        db, &(struct ls_db_kernel){.code_object = i.object, .module = i.module, .mangled = "k"});
    i.site = ls_db_add_site(
        db, &(struct ls_db_site){.module = i.module, .kernel = i.kernel, .kind = 1, .space = 3, .flags = 1});
    i.metric = ls_db_add_metric(db, &(struct ls_db_metric){.handler = "h", .name = "m"});
    i.dispatch = ls_db_add_dispatch(
        db, &(struct ls_db_dispatch){.number = 1, .kernel = i.kernel, .agent = i.agent, .observed = true});
    return i;
}

static struct ls_db *create(const char *path)
{
    char *error = NULL;
    struct ls_db *db = ls_db_create(path, &process, &error);
    if (!db)
        fail_msg("%s", error);
    return db;
}

static void values_of_one_site_add_up(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = create(in("sum/deep/a.db"));
    struct ids i = fill_least(db);
    assert_int_equal(ls_db_add_value(db, i.dispatch, i.site, i.metric, 40), 0);
    assert_int_equal(ls_db_add_value(db, i.dispatch, i.site, i.metric, 2), 0);
    assert_int_equal(ls_db_add_value(db, i.dispatch, 0, i.metric, 5), 0);
    assert_int_equal(ls_db_add_value(db, i.dispatch, 0, i.metric, -1), 0);
    assert_int_equal(ls_db_add_row(db, i.dispatch, 0, "h", "t", "{}"), 0);
    assert_int_equal(access(in("sum/deep/a.db"), F_OK), -1); /* the final name appears at the end only */
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    assert_null(error);
    assert_int_equal(access(in("sum/deep/a.db.partial"), F_OK), -1);
    assert_int_equal(ask(in("sum/deep/a.db"), "SELECT value FROM value"), 42);
    assert_int_equal(ask(in("sum/deep/a.db"), "SELECT value FROM dispatch_value"), 4);
    assert_int_equal(ask(in("sum/deep/a.db"), "SELECT count(*) FROM handler_row WHERE site IS NULL"), 1);
    assert_int_equal(ask(in("sum/deep/a.db"), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

static void copies_and_markers(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = create(in("facts.db"));
    struct ids i = fill_least(db);
    struct ls_db_copy c = {.number = 1, .to = i.agent, .bytes = 5, .start_ns = 7, .end_ns = 9};
    struct ls_db_marker m = {.kind = 1, .thread = 4, .start_ns = 7, .text = "open"};
    assert_true(ls_db_add_copy(db, &c) > 0);
    assert_true(ls_db_add_marker(db, &m) > 0);
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    assert_int_equal(ask(in("facts.db"), "SELECT count(*) FROM copy WHERE number = 1 AND source IS NULL AND"
                                         " destination = 1 AND bytes = 5 AND start_ns = 7 AND end_ns = 9"),
                     1);
    assert_int_equal(ask(in("facts.db"), "SELECT count(*) FROM marker WHERE kind = 1 AND thread = 4 AND"
                                         " text = 'open' AND start_ns = 7 AND end_ns IS NULL"),
                     1);
}

/* Values go to SQLite by several at once. Here 0 to 36, by turns to three dispatches: 0 + 3 + ... + 36 = 234,
 * 1 + 4 + ... + 34 = 210, 2 + 5 + ... + 35 = 222; and a commit where some wait for more. */
static void values_come_in_any_number(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = create(in("many_values.db"));
    struct ids i = fill_least(db);
    int64_t d[3] = {i.dispatch};
    for (int k = 1; k < 3; k++)
        d[k] = ls_db_add_dispatch(
            db, &(struct ls_db_dispatch){.number = 1 + (uint64_t)k, .kernel = i.kernel, .agent = i.agent});
    for (int v = 0; v <= 36; v++) {
        assert_int_equal(ls_db_add_value(db, d[v % 3], i.site, i.metric, v), 0);
        if (v == 20) { /* 0 to 20 are 210 */
            assert_int_equal(ls_db_commit(db), 0);
            assert_int_equal(ask(in("many_values.db.partial"), "SELECT sum(value) FROM value"), 210);
        }
    }
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    assert_int_equal(ask(in("many_values.db"), "SELECT value FROM value WHERE dispatch = 1"), 234);
    assert_int_equal(ask(in("many_values.db"), "SELECT value FROM value WHERE dispatch = 2"), 210);
    assert_int_equal(ask(in("many_values.db"), "SELECT value FROM value WHERE dispatch = 3"), 222);
}

/* Whatever row names another one: it is there, or nothing is written. */
static void each_reference_is_looked_at(void **state)
{
    (void)state;
    for (int which = 0; which < 9; which++) {
        char *error = NULL;
        struct ls_db *db = create(in("reference.db"));
        struct ids i = fill_least(db);
        const int64_t none = 99;
        switch (which) {
        case 0:
            ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = none});
            break;
        case 1:
            ls_db_add_module(db, &(struct ls_db_module){.code_object = none});
            break;
        case 2:
            ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = i.object, .module = none});
            break;
        case 3:
            ls_db_add_site(db, &(struct ls_db_site){.module = i.module, .index = 5, .kernel = none});
            break;
        case 4:
            ls_db_add_instruction(db, &(struct ls_db_instruction){.kernel = none});
            break;
        case 5:
            ls_db_add_metric(db, &(struct ls_db_metric){.handler = "h", .name = "n", .a = none});
            break;
        case 6:
            ls_db_add_dispatch(db, &(struct ls_db_dispatch){.number = 2, .kernel = 0, .agent = i.agent});
            break;
        case 7:
            ls_db_add_copy(db, &(struct ls_db_copy){.from = -1});
            break;
        case 8:
            ls_db_add_row(db, i.dispatch, none, "h", "t", "{}");
            break;
        }
        assert_non_null(ls_db_error(db));
        assert_non_null(strstr(ls_db_error(db), "reference.db.partial"));
        assert_int_equal(ls_db_finish(db, true, &error), -1);
        free(error);
        unlink(in("reference.db.partial"));
    }
}

static void unknown_id_is_an_error_that_stays(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = create(in("fk.db"));
    struct ids i = fill_least(db);
    assert_int_equal(ls_db_commit(db), 0);
    assert_null(ls_db_error(db));
    assert_int_equal(ls_db_add_value(db, i.dispatch, i.site + 7, i.metric, 1), -1);
    assert_non_null(strstr(ls_db_error(db), "fk.db.partial"));
    char *first = strdup(ls_db_error(db));
    assert_int_equal(ls_db_add_note(db, 0, "x"), -1);
    assert_int_equal(ls_db_add_agent(db, &(struct ls_db_agent){.arch = "a"}), 0);
    assert_int_equal(ls_db_commit(db), -1);
    assert_string_equal(ls_db_error(db), first);
    assert_int_equal(ls_db_finish(db, true, &error), -1);
    assert_string_equal(error, first);
    free(first);
    free(error);
    /* What was committed stays, under the temporary name, marked as partial. */
    assert_int_equal(ask(in("fk.db"), "SELECT count(*) FROM dispatch"), 1);
    assert_int_equal(ask(in("fk.db"), "SELECT count(*) FROM meta WHERE key='state' AND value='partial'"), 1);
}

static void killed_process_leaves_its_commits(void **state)
{
    (void)state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (!child) {
        struct ls_db *db = create(in("killed.db"));
        struct ids i = fill_least(db);
        ls_db_add_value(db, i.dispatch, i.site, i.metric, 1);
        ls_db_commit(db);
        ls_db_add_value(db, i.dispatch, i.site, i.metric, 100); /* never committed */
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    char c;
    int status;
    assert_int_equal(read(ready[0], &c, 1), 1);
    /* Readable while the recording goes on, and told apart from a dead one. */
    char *error = NULL;
    struct ls_results *r = ls_results_open(in("killed.db"), &error);
    assert_non_null(r);
    assert_true(r->partial && r->live);
    ls_results_close(r);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(ask(in("killed.db"), "SELECT value FROM value"), 1);
    r = ls_results_open(in("killed.db"), &error);
    assert_non_null(r);
    assert_true(r->partial && !r->live);
    ls_results_close(r);
    /* The name can be used again. */
    struct ls_db *db = create(in("killed.db"));
    fill_least(db);
    assert_int_equal(ls_db_finish(db, false, &error), 0);
    assert_int_equal(ask(in("killed.db"), "SELECT count(*) FROM value"), 0);
    assert_int_equal(ask(in("killed.db"), "SELECT value = 'partial' FROM meta WHERE key = 'state'"), 1);
}

/* Adds dispatches until something fails; the number that was committed. */
static int64_t fill_until_error(struct ls_db *db)
{
    struct ids i = fill_least(db);
    int64_t committed = ls_db_commit(db) ? 0 : 1;
    for (uint64_t n = 2; n < 20000 && committed == (int64_t)n - 1; n++) {
        char text[512];
        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = 0;
        ls_db_add_dispatch(db, &(struct ls_db_dispatch){
                                   .number = n, .kernel = i.kernel, .agent = i.agent, .not_observed = text});
        if (!ls_db_commit(db))
            committed++;
    }
    return committed;
}

static void file_size_limit_does_not_kill(void **state)
{
    (void)state;
    pid_t child = fork();
    if (!child) {
        struct rlimit limit = {300000, 300000};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct ls_db *db = create(in("limit.db"));
        int64_t n = fill_until_error(db);
        char *error = NULL;
        bool good = n > 10 && n < 2000 && ls_db_error(db) && strstr(ls_db_error(db), "limit.db.partial") &&
                    ls_db_finish(db, true, &error) == -1 && error &&
                    (strstr(error, "disk") || strstr(error, "space"));
        if (!good)
            fprintf(stderr, "%lld %s\n", (long long)n, error ? error : "no error");
        _exit(good ? (int)(n % 200) : 255);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status)); /* not killed by SIGXFSZ */
    assert_int_not_equal(WEXITSTATUS(status), 255);
    assert_int_equal(ask(in("limit.db"), "SELECT count(*) FROM dispatch") % 200, WEXITSTATUS(status));
    assert_int_equal(ask(in("limit.db"), "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

/* A file system of our own; false when this user may not make one. */
static bool mount_small(const char *options, unsigned long flags)
{
    if (geteuid() != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return false;
    if (geteuid() == 0 && unshare(CLONE_NEWNS))
        return false;
    return !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mkdir(in("disk"), 0777) &&
           !mount("tmpfs", in("disk"), "tmpfs", flags, options);
}

static void full_disk_is_reported(void **state)
{
    (void)state;
    pid_t child = fork();
    if (!child) {
        if (!mount_small("size=400k", 0))
            _exit(77);
        struct ls_db *db = create(in("disk/full.db"));
        int64_t n = fill_until_error(db);
        const char *text = ls_db_error(db);
        bool good =
            n > 10 && n < 2000 && text && strstr(text, "disk/full.db.partial") && strstr(text, "free space");
        int64_t found = ask(in("disk/full.db"), "SELECT count(*) FROM dispatch");
        if (!good || found != n)
            fprintf(stderr, "%lld of %lld: %s\n", (long long)found, (long long)n, text ? text : "no error");
        _exit(good && found == n ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    rmdir(in("disk"));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void read_only_directory_is_reported(void **state)
{
    (void)state;
    pid_t child = fork();
    if (!child) {
        char *error = NULL;
        if (!mount_small("size=400k", MS_RDONLY))
            _exit(77);
        struct ls_db *db = ls_db_create(in("disk/a.db"), &process, &error);
        bool file = !db && error && strstr(error, "disk/a.db.partial") && strstr(error, strerror(EROFS));
        free(error);
        db = ls_db_create(in("disk/sub/a.db"), &process, &error);
        bool sub = !db && error && strstr(error, "disk/sub: ") && strstr(error, strerror(EROFS));
        _exit(file && sub ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    rmdir(in("disk"));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* Fails the n-th write for every n until a recording goes through. */
static void every_write_may_fail(void **state)
{
    (void)state;
    long n = 1, failures = 0;
    for (bool done = false; !done; n++) {
        char *error = NULL;
        unlink(in("fault.db"));
        unlink(in("fault.db.partial"));
        unlink(in("fault.db.partial-journal"));
        fault_vfs_arm(n);
        struct ls_db *db = ls_db_create(in("fault.db"), &process, &error);
        if (db) {
            struct ids i = fill_least(db);
            ls_db_add_value(db, i.dispatch, i.site, i.metric, 1);
            ls_db_commit(db);
            ls_db_add_value(db, i.dispatch, i.site, i.metric, 1);
            ls_db_finish(db, true, &error);
        }
        bool hit = fault_vfs_hit();
        fault_vfs_arm(0);
        done = !hit;
        assert_int_equal(hit, error != NULL);
        failures += hit;
        if (error)
            assert_non_null(strstr(error, "fault.db.partial"));
        free(error);
        if (access(in("fault.db"), F_OK) == 0) {
            assert_false(hit);
            assert_int_equal(ask(in("fault.db"), "SELECT value FROM value"), 2);
        } else if (access(in("fault.db.partial"), F_OK) == 0) {
            /* Nothing, the first commit, or both: never half a commit. */
            int64_t v = ask(in("fault.db"), "SELECT ifnull(sum(value), 0) FROM value");
            assert_true(v >= 0 && v <= 2);
            assert_int_equal(ask(in("fault.db"), "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
                             1);
        }
    }
    assert_true(failures > 10);
}

/* Kills a recording before its n-th write for every n: inside commits, too, when a journal has to be rolled
 * back. */
static void every_write_may_be_the_last(void **state)
{
    (void)state;
    int64_t seen[4] = {0}, journals = 0;
    for (long n = 1;; n++) {
        unlink(in("last.db"));
        unlink(in("last.db.partial"));
        unlink(in("last.db.partial-journal"));
        pid_t child = fork();
        if (!child) {
            char *error = NULL;
            fault_vfs_arm_kill(n);
            struct ls_db *db = create(in("last.db"));
            struct ids i = fill_least(db);
            ls_db_add_value(db, i.dispatch, i.site, i.metric, 1);
            ls_db_commit(db);
            ls_db_add_value(db, i.dispatch, i.site, i.metric, 1);
            _exit(ls_db_finish(db, true, &error) ? 1 : 0);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFEXITED(status)) {
            assert_int_equal(status, 0);
            break;
        }
        char *error = NULL;
        struct stat journal;
        journals += stat(in("last.db.partial-journal"), &journal) == 0 && journal.st_size > 0;
        struct ls_results *r = ls_results_open(in("last.db"), &error);
        if (!r) {
            /* Killed inside ls_db_create: there is nothing yet, and that is what it says. */
            if (!strstr(error, "is empty") && !strstr(error, "No such file") &&
                !strstr(error, "no Lanescope"))
                fail_msg("%s", error);
            free(error);
            seen[3]++;
            continue;
        }
        ls_results_close(r);
        int64_t v = ask(in("last.db"), "SELECT ifnull(sum(value), 0) FROM value");
        assert_true(v >= 0 && v <= 2);
        assert_int_equal(ask(in("last.db"), "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
        seen[v]++;
    }
    /* Killed before, between and after the commits; and inside one. */
    assert_true(seen[3] && seen[0] && seen[1] && journals);
}

static void forked_child_cannot_write(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = create(in("fork.db"));
    struct ids i = fill_least(db);
    ls_db_commit(db);
    pid_t child = fork();
    if (!child) {
        int bad = ls_db_add_value(db, i.dispatch, i.site, i.metric, 1) != -1 || ls_db_commit(db) != -1 ||
                  ls_db_finish(db, true, &error) != -1 || !strstr(error, "belongs to process");
        _exit(bad);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(ls_db_add_value(db, i.dispatch, i.site, i.metric, 3), 0);
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    assert_int_equal(ask(in("fork.db"), "SELECT value FROM value"), 3);
}

static void one_name_for_two_processes_loses_nothing(void **state)
{
    (void)state;
    char *error = NULL, other[64];
    setenv("LANESCOPE_RUN_ID", "run-1", 1);
    struct ls_db *a = create(in("same.db")), *b = create(in("same.db")); /* at once */
    assert_int_equal(ls_db_finish(a, true, &error), 0);
    assert_int_equal(ls_db_finish(b, true, &error), 0);
    snprintf(other, sizeof(other), "same.%d.db", (int)getpid());
    assert_int_equal(access(in("same.db"), F_OK), 0);
    assert_int_equal(access(in(other), F_OK), 0);
    unlink(in(other));
    a = create(in("same.db")); /* one after the other */
    assert_int_equal(ls_db_finish(a, true, &error), 0);
    assert_int_equal(access(in(other), F_OK), 0);
    for (int i = 2; i < 5; i++) { /* one process that executes programs one after the other */
        a = create(in("same.db"));
        assert_int_equal(ls_db_finish(a, true, &error), 0);
        snprintf(other, sizeof(other), "same.%d-%d.db", (int)getpid(), i);
        assert_int_equal(access(in(other), F_OK), 0);
        unlink(in(other));
        b = create(in("same.db"));
        assert_int_equal(ls_db_finish(b, true, &error), 0);
        assert_int_equal(access(in(other), F_OK), 0);
    }
    /* A later run replaces the file. */
    setenv("LANESCOPE_RUN_ID", "run-2", 1);
    a = create(in("same.db"));
    assert_int_equal(ls_db_finish(a, true, &error), 0);
    assert_int_equal(ask(in("same.db"), "SELECT value = 'run-2' FROM meta WHERE key = 'run_id'"), 1);
    unsetenv("LANESCOPE_RUN_ID");
}

static void a_hundred_thousand_values_a_second(void **state)
{
    (void)state;
    enum { SITES = 100, DISPATCHES = 1000 };
    char *error = NULL;
    struct timespec a, b;
    struct ls_db *db = create(in("fast.db"));
    struct ids i = fill_least(db);
    int64_t sites[SITES];
    for (uint32_t s = 0; s < SITES; s++)
        sites[s] =
            ls_db_add_site(db, &(struct ls_db_site){.module = i.module, .index = s + 1, .kernel = i.kernel});
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (uint64_t d = 2; d < 2 + DISPATCHES; d++) {
        int64_t id = ls_db_add_dispatch(
            db,
            &(struct ls_db_dispatch){.number = d, .kernel = i.kernel, .agent = i.agent, .observed = true});
        for (int s = 0; s < SITES; s++)
            ls_db_add_value(db, id, sites[s], i.metric, s);
        ls_db_commit(db);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    assert_int_equal(ls_db_finish(db, true, &error), 0);
    /* 100,000 values. Processor time, and three times the goal: the machine may be busy, the build
     * unoptimised. */
    assert_true(seconds < 3.0);
    assert_int_equal(ask(in("fast.db"), "SELECT count(*) FROM value"), SITES * DISPATCHES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_one_site_add_up),
        cmocka_unit_test(copies_and_markers),
        cmocka_unit_test(values_come_in_any_number),
        cmocka_unit_test(each_reference_is_looked_at),
        cmocka_unit_test(unknown_id_is_an_error_that_stays),
        cmocka_unit_test(killed_process_leaves_its_commits),
        cmocka_unit_test(file_size_limit_does_not_kill),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(read_only_directory_is_reported),
        cmocka_unit_test(every_write_may_fail),
        cmocka_unit_test(every_write_may_be_the_last),
        cmocka_unit_test(forked_child_cannot_write),
        cmocka_unit_test(one_name_for_two_processes_loses_nothing),
        cmocka_unit_test(a_hundred_thousand_values_a_second),
    };
    fault_vfs_install();
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
