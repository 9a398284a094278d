/* The helpers that several folders share. */
#include <stdio.h>
#include "tests/check.h"
#include "common/make_folders.h"
#include "common/names.h"
#include "common/numbers.h"
#include "common/vector.h"

static void base_names(void **state)
{
    (void)state;
    assert_string_equal(ls_base_name("/a/b.c"), "b.c");
    assert_string_equal(ls_base_name("b.c"), "b.c");
    assert_string_equal(ls_base_name("/a/"), "");
}

static void low_bits(void **state)
{
    (void)state;
    assert_int_equal(ls_low_bits(0), 0);
    assert_int_equal(ls_low_bits(3), 7);
    assert_true(ls_low_bits(63) == ~0ull >> 1 && ls_low_bits(64) == ~0ull && ls_low_bits(65) == ~0ull);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(base_names), cmocka_unit_test(low_bits),
                                       cmocka_unit_test(arrays_grow), cmocka_unit_test(no_memory),
                                       cmocka_unit_test(folders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
