/* A recording whose program takes what the writer needs: all descriptors, or the folder. */
#include "ask.h"
#include "in.h"
#include "results/writer/writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

static struct ls_db *create(const char *path)
{
    const struct ls_db_process process = {
        .pid = getpid(), .hostname = "h", .cwd = "/", .gpu = "hw", .runtime = "r"};
    char *error = NULL;
    struct ls_db *db = ls_db_create(path, &process, &error);
    if (!db)
        fail_msg("%s", error);
    return db;
}

static void finish(struct ls_db *db)
{
    char *error = NULL;
    if (ls_db_finish(db, true, &error))
        fail_msg("%s", error);
}

/* Descriptors of /dev/null until there are no more; the program's. */
static int taken[64], n_taken;

static void take_all(void)
{
    int fd;
    while (n_taken < 64 && (fd = open("/dev/null", O_RDONLY)) >= 0)
        taken[n_taken++] = fd;
    assert_true(n_taken < 64);
}

static void give_all(void)
{
    while (n_taken)
        close(taken[--n_taken]);
}

static void add_notes(struct ls_db *db, int n)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(ls_db_add_note(db, 2, "text"), 0);
}

/* SQLite opens the journal anew for each transaction; what it closes, the program takes. */
static void no_descriptors_are_left(void **state)
{
    (void)state;
    struct rlimit before, few;
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = 40;
    for (int rounds = 0; rounds < 4; rounds++) {
        struct ls_db *db = create(in("few.db"));
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        for (int i = 0; i < rounds; i++) {
            take_all();
            add_notes(db, 10);
            take_all();
            assert_int_equal(ls_db_commit(db), 0);
        }
        take_all();
        finish(db);
        give_all();
        setrlimit(RLIMIT_NOFILE, &before);
        assert_int_equal(ask(in("few.db"), "SELECT count(*) FROM note"), 10 * rounds);
        assert_int_equal(ask(in("few.db"), "SELECT value = 'complete' FROM meta WHERE key = 'state'"), 1);
    }
}

/* The folder is made again, and what was recorded before is in the new file, too. */
static void folder_goes_away(void **state)
{
    (void)state;
    char command[600];
    for (int moved = 0; moved < 2; moved++) {
        struct ls_db *db = create(in("deep/gone/a.db"));
        add_notes(db, 10);
        assert_int_equal(ls_db_commit(db), 0);
        snprintf(command, sizeof(command), moved ? "mv %s %s" : "rm -r %s", in("deep"), in("elsewhere"));
        assert_int_equal(system(command), 0);
        add_notes(db, 5);
        assert_int_equal(ls_db_commit(db), 0);
        finish(db);
        assert_int_equal(ask(in("deep/gone/a.db"), "SELECT count(*) FROM note"), 15);
        unlink(in("deep/gone/a.db"));
    }
}

/* Where none can be made, the user is told. */
static void folder_becomes_a_file(void **state)
{
    (void)state;
    struct ls_db *db = create(in("file/a.db"));
    char *error = NULL;
    ls_db_commit(db);
    assert_int_equal(unlink(in("file/a.db.partial")) | unlink(in("file/a.db.partial-journal")), 0);
    assert_int_equal(rmdir(in("file")), 0);
    close(open(in("file"), O_WRONLY | O_CREAT, 0600));
    assert_int_equal(ls_db_add_note(db, 2, "text"), -1);
    ls_db_commit(db);
    assert_int_equal(ls_db_finish(db, true, &error), -1);
    assert_non_null(strstr(error, "the file was removed or renamed while it was written"));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_descriptors_are_left),
        cmocka_unit_test(folder_goes_away),
        cmocka_unit_test(folder_becomes_a_file),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
