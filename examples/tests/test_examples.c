/* test_examples.c - the example handlers on accesses written by hand. argv[1]: directory of the modules,
 * argv[2]: the only one to test. */
#include "harness.h"

static struct harness h;

enum { LOAD, STORE, SITES };
static const struct lanescope_site sites[SITES] = {
    [LOAD] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"},
    [STORE] = {.kind = LS_SITE_STORE, .space = 1, .bytes = 4, .instruction = "store"},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites), .grid = {256, 1, 1},
                                                   .workgroup = {64, 1, 1}};

/* Work-group 0: 3 loads (one uniform, one of one lane, one irregular), 1: 2 stores, 2: 1 load, 3: nothing. */
static void feed(const char *spec)
{
    uint64_t addr[64];
    for (unsigned l = 0; l < 64; l++)
        addr[l] = 0x1000 + l * l * 4;
    assert_int_equal(harness_open(&h, spec), 0);
    harness_begin(&h, &dispatch);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0x1000, 0, 4);
    harness_strided(&h, LOAD, 0, 0, 1, 0x1000, 0, 4);
    harness_lanes(&h, LOAD, 0, 0, ~0ull, addr, 4);
    harness_strided(&h, STORE, 1, 0, ~0ull, 0x1000, 4, 4);
    harness_strided(&h, STORE, 1, 0, ~0ull, 0x1000, 8, 4);
    harness_strided(&h, LOAD, 2, 0, ~0ull, 0x1000, 4, 4);
    harness_end(&h);
}

static void template(void **state)
{
    (void)state;
    feed("template");
    assert_int_equal(harness_value(&h, LOAD, "Executions"), 4);
    assert_int_equal(harness_value(&h, STORE, "Executions"), 2);
    harness_close(&h);
    assert_true(harness_open(&h, "template:x") < 0);
    harness_close(&h);
}

static void uniform_loads(void **state)
{
    (void)state;
    feed("uniform_loads");
    assert_int_equal(harness_value(&h, LOAD, "Uniform Loads"), 1);
    assert_int_equal(harness_value(&h, LOAD, "Loads"), 3); /* not that of a single lane */
    assert_int_equal(harness_value(&h, STORE, "Loads"), INT64_MIN);
    harness_close(&h);
}

static void stride_histogram(void **state)
{
    (void)state;
    feed("stride_histogram:rows=1");
    assert_int_equal(h.n_rows, 5);
    assert_string_equal(harness_row(&h, "strides", LOAD, 0),
                        "{\"stride\":0,\"kind\":\"regular\",\"accesses\":1}");
    assert_string_equal(harness_row(&h, "strides", LOAD, 1),
                        "{\"stride\":null,\"kind\":\"others\",\"accesses\":1}");
    assert_string_equal(harness_row(&h, "strides", LOAD, 2),
                        "{\"stride\":null,\"kind\":\"irregular\",\"accesses\":1}");
    assert_string_equal(harness_row(&h, "strides", STORE, 0),
                        "{\"stride\":4,\"kind\":\"regular\",\"accesses\":1}");
    assert_string_equal(harness_row(&h, "strides", STORE, 1),
                        "{\"stride\":null,\"kind\":\"others\",\"accesses\":1}");
    harness_close(&h);
    assert_true(harness_open(&h, "stride_histogram:rows=0") < 0);
    harness_close(&h);
}

static void group_balance(void **state)
{
    (void)state;
    feed("group_balance");
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Busiest Work-Group"), 3);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Idlest Work-Group"), 0);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Work-Groups"), 4);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {cmocka_unit_test(template), cmocka_unit_test(uniform_loads),
                                       cmocka_unit_test(stride_histogram), cmocka_unit_test(group_balance)};
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
