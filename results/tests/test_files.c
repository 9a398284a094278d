/* The files of recordings among other programs' files and readers:
 * nobody's data is lost or shown to others. */
#include "ask.h"
#include "in.h"
#include "results/file/place.h"
#include "results/reader/reader.h"
#include "results/file/schema.h"
#include "results/writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
}

static void put_text(const char *path, const char *text)
{
    put(path, text, strlen(text));
}

/* The file's content, malloc'd and with a zero behind it. */
static char *get(const char *path, size_t *n)
{
    struct stat st;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    char *data = calloc(1, (size_t)st.st_size + 1);
    *n = fread(data, 1, (size_t)st.st_size, f);
    fclose(f);
    return data;
}

static bool exists(const char *path)
{
    struct stat st;
    return !lstat(path, &st);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a recording ---- */

static enum ls_sources sources;
static int64_t kernel, agent;

static struct ls_db *create(const char *path)
{
    const struct ls_db_process process = {
        .pid = getpid(), .hostname = "h", .cwd = "/", .gpu = "hw", .runtime = "r", .sources = sources};
    char *error = NULL;
    struct ls_db *db = ls_db_create(path, &process, &error);
    if (!db)
        fail_msg("%s", error);
    agent = ls_db_add_agent(db, &(struct ls_db_agent){.arch = "gfx90a"});
    int64_t object = ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent});
    kernel = ls_db_add_kernel(db, &(struct ls_db_kernel){.code_object = object, .mangled = "k"});
    return db;
}

static void add_dispatches(struct ls_db *db, uint64_t from, uint64_t to, const char *text)
{
    for (; from < to; from++)
        assert_true(ls_db_add_dispatch(
                        db, &(struct ls_db_dispatch){
                                .number = from, .kernel = kernel, .agent = agent, .not_observed = text}) > 0);
}

static void finish(struct ls_db *db)
{
    char *error = NULL;
    if (ls_db_finish(db, true, &error))
        fail_msg("%s", error);
}

static void expect_whole(const char *path, int64_t dispatches)
{
    assert_int_equal(ask(path, "SELECT count(*) FROM dispatch"), dispatches);
    assert_int_equal(ask(path, "SELECT max(number) FROM dispatch"), dispatches);
    assert_int_equal(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(ask(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(ask(path, "SELECT value = 'complete' FROM meta WHERE key = 'state'"), 1);
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
static pid_t start_holder(const char *path, const char *text)
{
    int ready[2];
    char c;
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t child = fork();
    if (!child) {
        dup2(ready[1], STDOUT_FILENO);
        execl("/proc/self/exe", "test_files", "hold", path, text, (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]);
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

/* ---- journals of strangers ---- */

static void put32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* A rollback journal (file format, section 3) that gives page 1 its present content, and names `victim` as
 * super-journal unless that is NULL. */
static void plant_journal(const char *database, const char *victim)
{
    enum { SECTOR = 512 };
    static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    size_t n, used = SECTOR;
    char *data = get(database, &n), name[300];
    uint32_t page = (uint32_t)(unsigned char)data[16] << 8 | (unsigned char)data[17], sum = 12345;
    unsigned char *j = calloc(1, SECTOR + page + 1024);
    memcpy(j, magic, 8);
    put32(j + 8, 1);
    put32(j + 12, 12345);
    put32(j + 16, (uint32_t)(n / page));
    put32(j + 20, SECTOR);
    put32(j + 24, page);
    put32(j + used, 1);
    memcpy(j + used + 4, data, page);
    for (int64_t i = (int64_t)page - 200; i > 0; i -= 200)
        sum += (unsigned char)data[i];
    put32(j + used + 4 + page, sum);
    used += 8 + page;
    if (victim) {
        uint32_t length = (uint32_t)strlen(victim);
        put32(j + used, 0x40000000 / page + 1);
        memcpy(j + used + 4, victim, length);
        used += 4 + length;
        put32(j + used, length);
        sum = 0;
        for (uint32_t i = 0; i < length; i++)
            sum += (unsigned char)victim[i];
        put32(j + used + 4, sum);
        memcpy(j + used + 8, magic, 8);
        used += 16;
    }
    snprintf(name, sizeof(name), "%s-journal", database);
    put(name, j, used);
    free(j);
    free(data);
}

static unsigned notices;

static void count_notice(const char *text)
{
    notices +=
        strstr(text, "private copy") && strstr(text, strstr(text, "-wal") ? "another program" : "recorder");
}

/* The file, what stands beside it and the victim are what they were; nothing is added. */
static void expect_untouched(const char *name, const char *journal, bool readable)
{
    size_t n, m, length;
    char *error = NULL, *data = get(in(name), &n), *side = get(in(journal), &m), *after;
    put_text(in("victim"), "important");
    notices = 0;
    struct ls_results *r = ls_results_open(in(name), &error);
    assert_int_equal(r != NULL, readable);
    assert_int_equal(notices, readable);
    if (r)
        assert_int_equal(ls_results_load(r, &error), 0);
    else
        assert_non_null(strstr(error, "names another file"));
    ls_results_close(r);
    free(error);
    after = get(in(name), &length);
    assert_true(length == n && !memcmp(after, data, n));
    free(after);
    after = get(in(journal), &length);
    assert_true(length == m && !memcmp(after, side, m));
    free(after);
    assert_true(exists(in("victim")));
    free(data);
    free(side);
}

static void journals_are_applied_to_copies(void **state)
{
    (void)state;
    finish(create(in("j/a.db")));
    plant_journal(in("j/a.db"), NULL);
    expect_untouched("j/a.db", "j/a.db-journal", true);
    plant_journal(in("j/a.db"), in("victim"));
    expect_untouched("j/a.db", "j/a.db-journal", false);
    /* The journal stands beside what a link leads to. */
    assert_int_equal(symlink("j/a.db", in("alias.db")), 0);
    expect_untouched("alias.db", "j/a.db-journal", false);
    /* A read-only folder is no hindrance. */
    plant_journal(in("j/a.db"), NULL);
    assert_int_equal(chmod(in("j"), 0555), 0);
    expect_untouched("j/a.db", "j/a.db-journal", true);
    assert_int_equal(chmod(in("j"), 0777), 0);
    /* A journal that can never be read to its end. */
    unlink(in("j/a.db-journal"));
    assert_int_equal(mkfifo(in("j/a.db-journal"), 0666), 0);
    assert_int_equal(ask(in("j/a.db"), "SELECT count(*) FROM kernel"), 1);
    unlink(in("j/a.db-journal"));
}

/* Two recordings have one layout, so that SQLite would mix them: the counter of changes tells them apart. */
static void journal_of_another_recording_is_refused(void **state)
{
    (void)state;
    size_t n;
    char *error = NULL, *page;
    finish(create(in("o/a.db")));
    plant_journal(in("o/a.db"), NULL);
    page = get(in("o/a.db-journal"), &n);
    /* The record's page number, and byte 24 of the page: the commit had counted itself in the file; then two
     * more. */
    unsigned char *low = (unsigned char *)page + 512 + 4 + 24 + 3;
    for (int back = 0; back < 3; back++, --*low) {
        put(in("o/a.db-journal"), page, n);
        struct ls_results *r = ls_results_open(in("o/a.db"), &error);
        assert_true(back < 2 ? r != NULL : !r && strstr(error, "is of another database"));
        ls_results_close(r);
        free(error);
    }
    free(page);
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

static void write_ahead_log_is_read_from_a_copy(void **state)
{
    (void)state;
    size_t n;
    finish(create(in("w/a.db")));
    pid_t child = fork();
    if (!child) { /* ends without closing: the log stays */
        sqlite3 *sql;
        sqlite3_open(in("w/a.db"), &sql);
        sqlite3_exec(sql, "PRAGMA journal_mode = WAL; INSERT INTO meta VALUES('x', 'y')", NULL, NULL, NULL);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    unlink(in("w/a.db-shm"));
    assert_true(ls_place_beside(in("w/a.db"), "-wal"));
    char *log = get(in("w/a.db-wal"), &n);
    assert_int_equal(ask(in("w/a.db"), "SELECT count(*) FROM meta WHERE key = 'x'"), 1);
    assert_false(exists(in("w/a.db-shm")));
    notices = 0;
    char *error = NULL;
    ls_results_close(ls_results_open(in("w/a.db"), &error));
    assert_int_equal(notices, 1);
    size_t after;
    char *same = get(in("w/a.db-wal"), &after);
    assert_true(n == after && !memcmp(log, same, n));
    free(log);
    free(same);
    /* Without its log, but still marked as of that kind: SQLite would make new files beside it. */
    unlink(in("w/a.db-wal"));
    assert_int_equal(ask(in("w/a.db"), "SELECT count(*) FROM kernel"), 1);
    assert_false(exists(in("w/a.db-wal")) || exists(in("w/a.db-shm")));
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in("pipe.db"), 0666), 0);
    const char *const names[] = {in("pipe.db"), "/dev/null", directory};
    for (size_t i = 0; i < 3; i++) {
        char *error = NULL;
        assert_null(ls_results_open(names[i], &error));
        assert_true(strstr(error, "not a regular file") || strstr(error, "is a directory"));
        free(error);
    }
}

/* ---- who may read what ---- */

static gid_t source_group; /* 0: the process's */

/* Records a program of the given sources' modes (0: no more) and returns the mode of the database. */
static unsigned mode_with(const mode_t *modes, enum ls_sources which, mode_t mask)
{
    struct ls_db_frame frames[4];
    char name[16];
    size_t n = 0;
    for (; modes[n]; n++) {
        snprintf(name, sizeof(name), "%zu.hip", n);
        unlink(in(name));
        put_text(in(name), "int x;\n");
        chmod(in(name), modes[n]);
        assert_int_equal(source_group ? chown(in(name), (uid_t)-1, source_group) : 0, 0);
        frames[n] = (struct ls_db_frame){strdup(in(name)), 1, 1, "f", 0};
    }
    sources = which;
    mode_t before = umask(mask);
    struct ls_db *db = create(in("mode.db"));
    struct stat st;
    assert_int_equal(stat(in("mode.db.partial"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    int64_t module = ls_db_add_module(db, &(struct ls_db_module){.code_object = 1, .hash = 1});
    ls_db_add_site(db, &(struct ls_db_site){.module = module, .frames = frames, .n_frames = n});
    finish(db);
    umask(before);
    sources = LS_SOURCES_SHARED;
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)frames[i].file);
    assert_int_equal(stat(in("mode.db"), &st), 0);
    return st.st_mode & 07777;
}

static int64_t stored(void)
{
    return ask(in("mode.db"), "SELECT count(text) FROM source_file");
}

static void databases_are_no_wider_than_sources(void **state)
{
    (void)state;
    assert_int_equal(mode_with((const mode_t[]){0644, 0755, 0}, LS_SOURCES_SHARED, 022), 0644);
    assert_int_equal(stored(), 2);
    assert_int_equal(mode_with((const mode_t[]){0644, 0644, 0}, LS_SOURCES_SHARED, 027), 0640);
    assert_int_equal(mode_with((const mode_t[]){0644, 0640, 0}, LS_SOURCES_SHARED, 022), 0640);
    assert_int_equal(stored(), 2);
    assert_int_equal(mode_with((const mode_t[]){0664, 0604, 0}, LS_SOURCES_SHARED, 002), 0606 & ~002);
    /* What only its owner can read is left out, and does not count. */
    assert_int_equal(mode_with((const mode_t[]){0644, 0600, 0}, LS_SOURCES_SHARED, 022), 0644);
    assert_int_equal(stored(), 1);
    assert_int_equal(ask(in("mode.db"), "SELECT count(*) FROM source_file WHERE path LIKE '%/1.hip' AND"
                                        " modified_ns IS NULL AND problem LIKE '%--sources=all%'"),
                     1);
    assert_int_equal(mode_with((const mode_t[]){0644, 0600, 0}, LS_SOURCES_ALL, 022), 0600);
    assert_int_equal(stored(), 2);
    assert_int_equal(mode_with((const mode_t[]){0644, 0400, 0}, LS_SOURCES_NONE, 022), 0644);
    assert_int_equal(stored(), 0);
    assert_int_equal(
        ask(in("mode.db"), "SELECT count(*) FROM source_file WHERE problem LIKE '%--no-source%'"), 2);
    /* The owner can always read his results. */
    assert_int_equal(mode_with((const mode_t[]){0644, 0}, LS_SOURCES_SHARED, 0777), 0600);
}

/* Who is in a source's group is one of the others for a database of another group, and the other way round. */
static void groups_that_differ(void **state)
{
    (void)state;
    if (geteuid())
        skip();
    source_group = 65534;
    assert_int_equal(mode_with((const mode_t[]){0644, 0}, LS_SOURCES_SHARED, 022), 0644);
    assert_int_equal(mode_with((const mode_t[]){0640, 0}, LS_SOURCES_SHARED, 022), 0600);
    assert_int_equal(stored(), 1);
    assert_int_equal(mode_with((const mode_t[]){0604, 0}, LS_SOURCES_SHARED, 022), 0600);
    source_group = 0;
    assert_int_equal(mode_with((const mode_t[]){0604, 0}, LS_SOURCES_SHARED, 022), 0604);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "hold"))
        return hold(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursor_that_is_never_let_go),
        cmocka_unit_test(cursor_that_is_let_go),
        cmocka_unit_test(file_that_loses_its_name),
        cmocka_unit_test(much_data_does_not_wait),
        cmocka_unit_test(readers_in_a_loop),
        cmocka_unit_test(files_of_others_stay),
        cmocka_unit_test(file_that_appears_meanwhile_stays),
        cmocka_unit_test(journal_at_the_new_name_goes),
        cmocka_unit_test(journals_are_applied_to_copies),
        cmocka_unit_test(journal_of_another_recording_is_refused),
        cmocka_unit_test(nothing_is_left_of_a_file_that_cannot_be_begun),
        cmocka_unit_test(blocked_journals_make_another_name),
        cmocka_unit_test(write_ahead_log_is_read_from_a_copy),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(databases_are_no_wider_than_sources),
        cmocka_unit_test(groups_that_differ),
    };
    if (!mkdtemp(directory))
        return 1;
    ls_results_notice = count_notice;
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    return system(command) || rc;
}
