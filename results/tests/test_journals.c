/* Journals and logs of strangers beside a recording: read from a copy or refused, never applied where they are. */
#include "ask.h"
#include "in.h"
#include "recording.h"
#include "results/file/place.h"
#include "results/reader/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(journals_are_applied_to_copies),
        cmocka_unit_test(journal_of_another_recording_is_refused),
        cmocka_unit_test(write_ahead_log_is_read_from_a_copy),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    ls_results_notice = count_notice;
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
