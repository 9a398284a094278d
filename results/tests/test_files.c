/* The files of recordings among other programs' files and readers:
 * nobody's data is lost or shown to others. */
#include "ask.h"
#include "in.h"
#include "recording.h"
#include "results/file/schema.h"
#include "results/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- readers ---- */

/* Executes the SQL on the file, holds what that gave it until it is killed, and says so by a byte. */
static int hold(const char *path, const char *text)
{
    sqlite3 *sql;
    sqlite3_stmt *st = NULL;
    if (sqlite3_open(path, &sql) != SQLITE_OK || sqlite3_busy_timeout(sql, 3000) != SQLITE_OK ||
        sqlite3_prepare_v2(sql, text, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW)
        return 1;
    if (write(STDOUT_FILENO, "x", 1) == 1)
        pause();
    return 0;
}

/* Another program: locks are a process's, and SQLite remembers them across fork. */
static int start_program(const char *how, const char *path, const char *text, pid_t *child)
{
    int ready[2];
    char c;
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    *child = fork();
    if (!*child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
        dup2(ready[1], STDOUT_FILENO);
        execl("/proc/self/exe", "test_files", how, path, text, (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(fcntl(ready[0], F_SETFL, O_NONBLOCK), 0);
    return ready[0];
}

static pid_t start_holder(const char *path, const char *text)
{
    pid_t child;
    close(start_program("hold", path, text, &child));
    return child;
}

static void stop(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
}

/* The recording goes on, each commit returns while the cursor is held, and in the end (PATIENCE_NS of writer.c) there is
 * another file. */
static void cursor_that_is_never_let_go(void **state)
{
    (void)state;
    struct ls_db *db = create(in("held.db"));
    add_dispatches(db, 1, 11, NULL);
    assert_int_equal(ls_db_commit(db), 0);
    pid_t child = start_holder(in("held.db.partial"), "SELECT * FROM dispatch");
    uint64_t n = 11;
    for (bool waited = false; !waited || ls_db_waiting(db); n++) {
        add_dispatches(db, n, n + 1, NULL);
        assert_int_equal(ls_db_commit(db), 0);
        waited |= ls_db_waiting(db);
        usleep(20000);
    }
    assert_int_equal(ask(in("held.db"), "SELECT count(*) FROM dispatch"), (int64_t)n - 1);
    pid_t second = start_holder(in("held.db.partial"), "SELECT * FROM dispatch");
    add_dispatches(db, n, n + 1, NULL);
    finish(db);
    assert_false(exists(in("held.db.partial")));
    assert_false(exists(in("held.db.partial.new")));
    assert_false(exists(in("held.db.partial-journal")));
    expect_whole(in("held.db"), (int64_t)n);
    stop(child);
    stop(second);
}

/* As a backup does, or a file system of a network: waits for all of the file, and gets it in the moment between two of our
 * transactions. Says so by a byte. */
static int hold_lock(const char *path)
{
    struct flock all = {.l_type = F_WRLCK};
    int fd = open(path, O_RDWR);
    if (fd < 0 || write(STDOUT_FILENO, "x", 1) != 1 || fcntl(fd, F_SETLKW, &all) ||
        write(STDOUT_FILENO, "x", 1) != 1)
        return 1;
    pause();
    return 0;
}

/* Nobody can read the file any more, and all that was committed is in the one that takes its place. */
static void lock_that_is_never_let_go(void **state)
{
    (void)state;
    struct ls_db *db = create(in("locked.db"));
    pid_t child;
    uint64_t n = 1;
    const int told = start_program("lock", in("locked.db.partial"), "", &child);
    for (char c; read(told, &c, 1) != 1; n++) {
        add_dispatches(db, n, n + 1, NULL);
        assert_int_equal(ls_db_commit(db), 0);
        usleep(1000);
    }
    close(told);
    add_dispatches(db, n, n + 10, NULL);
    finish(db);
    assert_false(exists(in("locked.db.partial")) || exists(in("locked.db.partial.new")));
    expect_whole(in("locked.db"), (int64_t)n + 9);
    stop(child);
}

/* What takes the file's name away while it is written. */
static void remove_it(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void move_it_away(const char *path)
{
    assert_int_equal(rename(path, in("moved")), 0);
}

static void put_another_there(const char *path)
{
    put_text(in("mine"), "my notes");
    assert_int_equal(rename(in("mine"), path), 0);
}

/* All rows go into a new file: between two commits, with rows that are not committed yet, before the last commit, and while
 * a reader has the old one open. */
static void file_that_loses_its_name(void **state)
{
    (void)state;
    void (*const ways[])(const char *) = {remove_it, move_it_away, put_another_there};
    for (size_t i = 0; i < 3; i++)
        for (int when = 0; when < 4; when++) {
            struct ls_db *db = create(in("lost.db"));
            add_dispatches(db, 1, 11, NULL);
            assert_int_equal(ls_db_commit(db), 0);
            if (when == 1)
                add_dispatches(db, 11, 21, NULL);
            pid_t reader = when == 3 ? start_holder(in("lost.db.partial"), "SELECT * FROM dispatch") : 0;
            ways[i](in("lost.db.partial"));
            if (when != 1)
                add_dispatches(db, 11, 21, NULL);
            assert_int_equal(when == 2 ? 0 : ls_db_commit(db), 0);
            if (when != 2)
                add_dispatches(db, 21, 22, NULL);
            finish(db);
            if (reader)
                stop(reader);
            expect_whole(in("lost.db"), when == 2 ? 20 : 21);
            if (ways[i] == put_another_there) {
                size_t n;
                char *data = get(in("lost.db.partial"), &n);
                assert_string_equal(data, "my notes");
                free(data);
                unlink(in("lost.db.partial"));
                unlink(in("lost.db.partial-journal")); /* an empty one, which may be that file's */
            }
            assert_false(exists(in("lost.db.partial")) || exists(in("lost.db.partial.new")) ||
                         exists(in("lost.db.partial-journal")) || exists(in("lost.db.partial.new-journal")));
        }
}

static void cursor_that_is_let_go(void **state)
{
    (void)state;
    struct ls_db *db = create(in("short.db"));
    ls_db_commit(db);
    pid_t child = start_holder(in("short.db.partial"), "SELECT * FROM meta");
    add_dispatches(db, 1, 100, NULL);
    assert_int_equal(ls_db_commit(db), 0);
    assert_true(ls_db_waiting(db));
    /* Our own readers are not kept out by what waits. */
    assert_int_equal(ask(in("short.db"), "SELECT count(*) FROM dispatch"), 0);
    stop(child);
    assert_int_equal(ls_db_commit(db), 0); /* nothing new is needed for that */
    assert_false(ls_db_waiting(db));
    assert_int_equal(ask(in("short.db"), "SELECT count(*) FROM dispatch"), 99);
    finish(db);
    expect_whole(in("short.db"), 99);
}

/* 100 rows of 1 MiB are more than what is kept in memory for a reader's sake (MUCH of writer.c, 64 MiB). */
static void much_data_does_not_wait(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20, N = 100 };
    char *text = malloc(BYTES + 1);
    memset(text, 'x', BYTES);
    text[BYTES] = 0;
    struct ls_db *db = create(in("much.db"));
    ls_db_commit(db);
    pid_t child = start_holder(in("much.db.partial"), "SELECT * FROM meta");
    for (uint64_t n = 1; n <= N; n++) {
        add_dispatches(db, n, n + 1, text);
        assert_int_equal(ls_db_commit(db), 0);
    }
    assert_int_equal(ask(in("much.db"), "SELECT count(*) >= 64 FROM dispatch"), 1);
    finish(db);
    stop(child);
    expect_whole(in("much.db"), N);
    free(text);
}

static void readers_in_a_loop(void **state)
{
    (void)state;
    struct ls_db *db = create(in("loop.db"));
    ls_db_commit(db);
    pid_t child = fork();
    if (!child) {
        for (;;) {
            char *error = NULL;
            struct ls_results *r = ls_results_open(in("loop.db"), &error);
            if (!r || ls_results_load(r, &error)) {
                fprintf(stderr, "%s\n", error);
                _exit(1);
            }
            ls_results_close(r);
        }
    }
    uint64_t n = 1;
    for (double start = seconds(); seconds() - start < 1; n++) {
        add_dispatches(db, n, n + 1, NULL);
        assert_int_equal(ls_db_commit(db), 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* the reader had no errors */
    stop(child);
    finish(db);
    expect_whole(in("loop.db"), (int64_t)n - 1);
}

/* ---- files of others ---- */

static void foreign_database(const char *path)
{
    sqlite3 *sql;
    assert_int_equal(sqlite3_open(path, &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "CREATE TABLE precious(x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
}

/* Records under a name at which something stands: it stays, and the results are beside it. */
static void expect_elsewhere(const char *name)
{
    char other[64];
    snprintf(other, sizeof(other), "%.*s.%d.db", (int)strlen(name) - 3, name, (int)getpid());
    unlink(in(other));
    struct ls_db *db = create(in(name));
    add_dispatches(db, 1, 3, NULL);
    finish(db);
    expect_whole(in(other), 2);
}

static void files_of_others_stay(void **state)
{
    (void)state;
    size_t before, after;
    char link[64];
    foreign_database(in("precious.db"));
    char *data = get(in("precious.db"), &before);
    expect_elsewhere("precious.db");
    char *again = get(in("precious.db"), &after);
    assert_true(before == after && !memcmp(data, again, before));
    free(data);
    free(again);

    put_text(in("notes.db"), "my notes");
    expect_elsewhere("notes.db");
    put_text(in("half.db.partial"), "somebody's download");
    expect_elsewhere("half.db");
    put_text(in("target"), "do not touch");
    assert_int_equal(symlink("target", in("to.db.partial")), 0);
    expect_elsewhere("to.db");
    assert_int_equal(symlink("target", in("link.db")), 0);
    expect_elsewhere("link.db");
    assert_true(readlink(in("link.db"), link, sizeof(link)) == 6);
    assert_int_equal(mkdir(in("folder.db"), 0777), 0);
    expect_elsewhere("folder.db");
    assert_int_equal(mkfifo(in("fifo.db.partial"), 0666), 0);
    expect_elsewhere("fifo.db");

    static const char *const texts[][2] = {
        {"notes.db", "my notes"}, {"half.db.partial", "somebody's download"}, {"target", "do not touch"}};
    for (size_t i = 0; i < 3; i++) {
        data = get(in(texts[i][0]), &after);
        assert_string_equal(data, texts[i][1]);
        free(data);
    }
}

/* Something that was put there while the program ran is not replaced either. */
static void file_that_appears_meanwhile_stays(void **state)
{
    (void)state;
    char *error = NULL;
    size_t n;
    struct ls_db *db = create(in("late.db"));
    put_text(in("late.db"), "hello");
    assert_int_equal(ls_db_finish(db, true, &error), -1);
    assert_non_null(strstr(error, "the results are in"));
    free(error);
    char *data = get(in("late.db"), &n);
    assert_string_equal(data, "hello");
    free(data);
    assert_int_equal(ask(in("late.db.partial"), "SELECT count(*) FROM kernel"), 1);
}

/* A journal that waits for a database to come to its name would change that. */
static void journal_at_the_new_name_goes(void **state)
{
    (void)state;
    put_text(in("fresh.db-journal"), "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and so on");
    finish(create(in("fresh.db")));
    assert_false(exists(in("fresh.db-journal")));
}

static void nothing_is_left_of_a_file_that_cannot_be_begun(void **state)
{
    (void)state;
    struct rlimit before, small;
    struct ls_db_process process = {.pid = getpid()};
    char *error = NULL;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t bytes = 0; bytes < 65536; bytes += 4096) {
        small = (struct rlimit){bytes, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        assert_null(ls_db_create(in("full/a.db"), &process, &error));
        setrlimit(RLIMIT_FSIZE, &before);
        assert_non_null(strstr(error, "ulimit -f"));
        free(error);
        assert_int_equal(rmdir(in("full")), 0);
    }
}

/* What is no journal stays, and the recording takes the next name. */
static void blocked_journals_make_another_name(void **state)
{
    (void)state;
    static const char *const names[] = {"b/a.db-journal", "b/a.db.partial-journal", "b/a.db-wal",
                                        "b/a.db.partial-shm"};
    char other[64];
    snprintf(other, sizeof other, "b/a.%d.db", (int)getpid());
    mkdir(in("b"), 0777);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(i % 2 ? symlink("victim", in(names[i])) : mkdir(in(names[i]), 0777), 0);
        finish(create(in("b/a.db")));
        assert_int_equal(ask(in(other), "SELECT count(*) FROM kernel"), 1);
        assert_int_equal(unlink(in(other)), 0);
        assert_int_equal(i % 2 ? unlink(in(names[i])) : rmdir(in(names[i])), 0);
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "hold"))
        return hold(argv[2], argv[3]);
    if (argc == 4 && !strcmp(argv[1], "lock"))
        return hold_lock(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursor_that_is_never_let_go),
        cmocka_unit_test(cursor_that_is_let_go),
        cmocka_unit_test(lock_that_is_never_let_go),
        cmocka_unit_test(file_that_loses_its_name),
        cmocka_unit_test(much_data_does_not_wait),
        cmocka_unit_test(readers_in_a_loop),
        cmocka_unit_test(files_of_others_stay),
        cmocka_unit_test(file_that_appears_meanwhile_stays),
        cmocka_unit_test(journal_at_the_new_name_goes),
        cmocka_unit_test(blocked_journals_make_another_name),
        cmocka_unit_test(nothing_is_left_of_a_file_that_cannot_be_begun),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
