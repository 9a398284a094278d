/* test_heatmap.c - counts worked out by hand. gfx90a: cache lines of 64 bytes. */
#include "harness.h"

static struct harness h;

enum { LOAD, STORE, LDS, SITES };
static const struct lanescope_site sites[SITES] = {
    [LOAD] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"},
    [STORE] = {.kind = LS_SITE_STORE, .space = 1, .bytes = 4, .instruction = "store"},
    [LDS] = {.kind = LS_SITE_LOAD, .space = 3, .bytes = 4, .instruction = "load"},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites)};

static void feed(const char *spec, const struct lanescope_dispatch *d)
{
    assert_int_equal(harness_open(&h, spec), 0);
    harness_begin(&h, d);
    harness_strided(&h, LOAD, 0, 0, ~0ull, 0x10000, 4, 4);  /* 256 bytes of page 0x10: 4 lines */
    harness_strided(&h, STORE, 0, 0, ~0ull, 0x10000, 4, 4); /* the same lines */
    harness_strided(&h, LOAD, 0, 0, 3, 0x11ffe, 4096,
                    4); /* each across a page's end: lines in 0x11, 0x12, 0x13 */
    harness_strided(&h, LDS, 0, 0, ~0ull, 0, 4, 4);
    harness_end(&h);
}

static void open_and_feed(const char *spec)
{
    feed(spec, &dispatch);
}

static void pages(void **state)
{
    (void)state;
    open_and_feed("heatmap");
    assert_int_equal(h.n_rows, 5); /* and one of memory that is no known allocation */
    assert_string_equal(
        h.row[1].json,
        "{\"address\":\"0x10000\",\"bytes\":4096,\"loads\":64,\"stores\":64,\"atomics\":0,\"lines\":4}");
    assert_string_equal(
        h.row[2].json,
        "{\"address\":\"0x11000\",\"bytes\":4096,\"loads\":1,\"stores\":0,\"atomics\":0,\"lines\":1}");
    /* the end of the first lane's access and the beginning of the second's */
    assert_string_equal(
        h.row[3].json,
        "{\"address\":\"0x12000\",\"bytes\":4096,\"loads\":1,\"stores\":0,\"atomics\":0,\"lines\":2}");
    assert_string_equal(
        h.row[4].json,
        "{\"address\":\"0x13000\",\"bytes\":4096,\"loads\":0,\"stores\":0,\"atomics\":0,\"lines\":1}");
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Pages"), 4);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Distinct Lines"), 8);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Lane Accesses"), 130);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Lane Accesses Not Mapped"), 0);
    harness_close(&h);
}

/*
 * Two allocations in page 0x10, the second ends in page 0x12: the first two accesses of open_and_feed go to
 * the first, the lane at 0x11ffe to the second, the lane at 0x12ffe to none. The line that a lane only
 * touches with its last bytes counts where it lies.
 */
static void allocations(void **state)
{
    static const struct lanescope_allocation list[] = {{0x10000, 0x100, 7}, {0x10100, 0x2000, 9}};
    struct lanescope_dispatch d = dispatch;
    d.allocations = list;
    d.n_allocations = 2;
    (void)state;
    feed("heatmap:rows=1", &d);
    assert_string_equal(
        harness_row(&h, "allocations", LANESCOPE_NO_SITE, 0),
        "{\"address\":\"0x10000\",\"bytes\":256,\"number\":7,\"loads\":64,\"stores\":64,\"atomics\":0,"
        "\"lines\":4,\"pages\":1}");
    assert_string_equal(harness_row(&h, "allocations", LANESCOPE_NO_SITE, 1),
                        "{\"address\":\"0x10100\",\"bytes\":8192,\"number\":9,\"loads\":1,\"stores\":0,"
                        "\"atomics\":0,\"lines\":2,"
                        "\"pages\":2}");
    assert_string_equal(
        harness_row(&h, "allocations", LANESCOPE_NO_SITE, 2),
        "{\"address\":null,\"bytes\":null,\"number\":null,\"loads\":1,\"stores\":0,\"atomics\":0,\"lines\":2,"
        "\"pages\":2}");
    harness_close(&h);
}

/* Only the hottest page makes a row; only one page is kept: two lane accesses are lost. */
static void limits(void **state)
{
    (void)state;
    open_and_feed("heatmap:rows=1");
    assert_int_equal(h.n_rows, 2);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Pages"), 4);
    harness_close(&h);
    open_and_feed("heatmap:pages=1");
    assert_int_equal(h.n_rows, 2);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Lane Accesses Not Mapped"), 2);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Lane Accesses"), 130);
    harness_close(&h);
}

/* One page of 64 KiB; 2 sets: lines alternate. 64 + 64 lanes in lines 0x400 to 0x403, 16 lanes each: 64 per
 * set; the two that cross a line add one access each to both sets. */
static void sets(void **state)
{
    (void)state;
    open_and_feed("heatmap:page=65536:sets=2");
    assert_string_equal(
        harness_row(&h, "pages", LANESCOPE_NO_SITE, 0),
        "{\"address\":\"0x10000\",\"bytes\":65536,\"loads\":66,\"stores\":64,\"atomics\":0,\"lines\":8}");
    assert_string_equal(harness_row(&h, "sets", LANESCOPE_NO_SITE, 0), "{\"set\":0,\"accesses\":66}");
    assert_string_equal(harness_row(&h, "sets", LANESCOPE_NO_SITE, 1), "{\"set\":1,\"accesses\":66}");
    harness_close(&h);
}

static void bad_options(void **state)
{
    (void)state;
    static const char *const bad[] = {"heatmap:page=1000", "heatmap:page", "heatmap:rows=0", "heatmap:x=1",
                                      "heatmap:rows=5x"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_true(harness_open(&h, bad[i]) < 0);
        assert_int_equal(h.errors, 1);
        harness_close(&h);
    }
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages), cmocka_unit_test(allocations),
                                       cmocka_unit_test(limits), cmocka_unit_test(sets),
                                       cmocka_unit_test(bad_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
