/* The helpers that several folders share. */
#include "tests/check.h"
#include "common/json.h"
#include "common/make_folders.h"
#include "common/names.h"
#include "common/vector.h"

static void base_names(void **state)
{
    (void)state;
    assert_string_equal(ls_base_name("/a/b.c"), "b.c");
    assert_string_equal(ls_base_name("b.c"), "b.c");
    assert_string_equal(ls_base_name("/a/"), "");
}

static void arrays_grow(void **state)
{
    (void)state;
    unsigned *list = NULL;
    size_t n = 0;
    for (; n < 1000; n++) {
        assert_true(LS_ROOM(list, n));
        list[n] = (unsigned)n;
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list[i], i);
    n = 3; /* what was taken back is written again */
    assert_true(LS_ROOM(list, n));
    assert_int_equal(list[2], 2);
    free(list);
}

/* An array too large for any memory stays what it is. */
static void no_memory(void **state)
{
    (void)state;
    char (*list)[1u << 30] = NULL;
    assert_false(LS_ROOM(list, (size_t)1 << 40));
    assert_null(list);
}

static void json_strings(void **state)
{
    (void)state;
    /* RFC 8259, section 7: a quotation mark, the reverse solidus and controls need an escape; what lies beyond
     * U+FFFF takes two: U+E0001 is d800 + (d0001 >> 10 = 340) = db40, dc00 + 1. A byte that is no UTF-8 becomes
     * U+FFFD. U+202E turns the direction of a terminal's text. */
    static const char text[] = "a\"\\\n\xc3\xa9\xff\xe2\x80\xae\xf3\xa0\x80\x81";
    char *json = NULL;
    size_t size;
    FILE *out = open_memstream(&json, &size);
    ls_json_string(out, text);
    fclose(out);
    assert_string_equal(json, "\"a\\\"\\\\\\u000a\xc3\xa9\\ufffd\\u202e\\udb40\\udc01\"");
    free(json);
}

/* A file stands where the second folder is to be. */
static void folders(void **state)
{
    (void)state;
    char root[] = "/tmp/lanescope-common-XXXXXX", path[128];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/a/b/name", root);
    assert_true(ls_make_parents(path, 0777));
    assert_true(ls_make_parents(path, 0777)); /* all are there */
    assert_string_equal(strrchr(path, '/'), "/name");
    fclose(fopen(path, "w"));
    strcat(path, "/c/d");
    assert_false(ls_make_parents(path, 0777));
    assert_int_equal(errno, ENOTDIR);
    assert_string_equal(strrchr(path, '/'), "/c");
    snprintf(path, sizeof path, "rm -rf '%s'", root);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(base_names), cmocka_unit_test(arrays_grow),
                                       cmocka_unit_test(no_memory), cmocka_unit_test(json_strings),
                                       cmocka_unit_test(folders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
