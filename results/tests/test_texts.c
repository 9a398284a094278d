/* The texts of sources that a recording stores, and what it says of those that are not what was compiled. */
#include "ask.h"
#include "in.h"
#include "recording.h"
#include "results/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void source_text_is_stored(void **state)
{
    (void)state;
    char *error = NULL;
    struct ls_db *db = create(in("src.db"));
    const int64_t module = add_module(db);
    put_text(in("s.hip"), "one\r\ntwo\n\nfour");
    struct ls_db_frame frames[] = {
        {in("s.hip"), 2, 1, "f", 0}, {"/nonexistent/t.hip", 9, 1, "g", 0}, {directory, 1, 1, "h", 0}};
    int64_t site = ls_db_add_site(
        db, &(struct ls_db_site){.module = module, .index = 1, .frames = frames, .n_frames = 3});
    assert_true(site > 0);
    finish(db);
    struct ls_results *r = ls_results_open(in("src.db"), &error);
    assert_non_null(r);
    assert_int_equal(ls_results_load(r, &error), 0);
    const struct ls_r_frame *frame = ls_results_frame(r, ls_results_site(r, site)->frame);
    const struct ls_r_file *file = ls_results_file(r, frame->file);
    size_t n;
    assert_int_equal(strncmp(ls_file_line(file, 1, &n), "one", 3), 0);
    assert_int_equal(n, 3);
    assert_int_equal(strncmp(ls_file_line(file, 2, &n), "two", 3), 0);
    assert_non_null(ls_file_line(file, 3, &n));
    assert_int_equal(n, 0);
    assert_int_equal(strncmp(ls_file_line(file, 4, &n), "four", 4), 0);
    assert_null(ls_file_line(file, 5, &n));
    assert_null(ls_file_line(file, 0, &n));
    frame = ls_results_frame(r, frame->parent);
    assert_string_equal(ls_results_file(r, frame->file)->problem, strerror(ENOENT));
    frame = ls_results_frame(r, frame->parent);
    assert_string_equal(ls_results_file(r, frame->file)->problem, "not a regular file");
    assert_int_equal(frame->parent, 0);
    ls_results_close(r);
}

/* A notebook's cell is no file: its text is handed over, once or with each kernel, and its readers are unknown. */
static void handed_texts_are_stored(void **state)
{
    (void)state;
    struct stat st;
    mode_t before = umask(022);
    struct ls_db *db = create(in("handed.db"));
    assert_int_equal(ls_db_add_source_text(db, "/none/cell.py", "first\n"), 0);
    assert_int_equal(ls_db_add_source_text(db, "/none/cell.py", "second\n"), 0);
    finish(db);
    umask(before);
    assert_int_equal(ask(in("handed.db"),
                         "SELECT count(*) FROM source_file WHERE path = '/none/cell.py' AND text = 'first' ||"
                         " char(10) AND problem IS NULL"),
                     1);
    assert_int_equal(stat(in("handed.db"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* Sources of "abc": one was compiled so, one otherwise, one in two ways; two without a sum are judged by
 * their times: one has the text of the first, which is known. */
static void other_texts_are_noted(void **state)
{
    static const char *const names[] = {"same.c", "other.c", "both.c", "late.c", "alike.c"};
    static const char abc[] = "900150983cd24fb0d6963f7d28e17f72", a[] = "0cc175b9c0f1b6a831c399e269772661";
    struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    char uri[300], program[256];
    (void)state;
    snprintf(program, sizeof program, "%s", in("program"));
    put_text(program, "x");
    assert_int_equal(utimensat(AT_FDCWD, program, old, 0), 0);
    snprintf(uri, sizeof uri, "file://%s", program);
    struct ls_db *db = create(in("texts.db"));
    const int64_t module = add_module(db);
    ls_db_add_code_object(db, &(struct ls_db_code_object){.agent = agent, .uri = uri, .instrumented = true});
    for (unsigned n = 0; n < 5; n++) {
        put_text(in(names[n]), n == 3 ? "late" : "abc");
        struct ls_db_frame frame = {.file = in(names[n]), .line = 1, .function = "f"};
        ls_db_add_site(db, &(struct ls_db_site){.module = module,
                                                .index = n + 1,
                                                .kernel = kernel,
                                                .kind = 1,
                                                .space = 3,
                                                .frames = &frame,
                                                .n_frames = 1});
    }
    assert_int_equal(ls_db_add_source_sum(db, in("same.c"), abc), 0);
    assert_int_equal(ls_db_add_source_sum(db, in("same.c"), abc), 0);
    assert_int_equal(ls_db_add_source_sum(db, in("other.c"), a), 0);
    assert_int_equal(ls_db_add_source_sum(db, in("both.c"), abc), 0);
    assert_int_equal(ls_db_add_source_sum(db, in("both.c"), a), 0);
    assert_int_equal(ls_db_add_source_sum(db, in("unknown.c"), a), 0); /* nothing names it */
    finish(db);
    assert_int_equal(ask(in("texts.db"), "SELECT count(*) FROM source_file"), 5);
    assert_int_equal(ask(in("texts.db"), "SELECT count(*) FROM note"), 3);
    assert_int_equal(
        ask(in("texts.db"), "SELECT count(*) FROM note WHERE text LIKE '%other.c is not the file that was%'"),
        1);
    assert_int_equal(
        ask(in("texts.db"), "SELECT count(*) FROM note WHERE text LIKE '%both.c is not the file that was%'"),
        1);
    assert_int_equal(
        ask(in("texts.db"), "SELECT count(*) FROM note WHERE text LIKE '%late.c is newer than the program%'"),
        1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_text_is_stored),
        cmocka_unit_test(handed_texts_are_stored),
        cmocka_unit_test(other_texts_are_noted),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
