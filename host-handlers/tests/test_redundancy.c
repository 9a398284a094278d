/* test_redundancy.c - counts worked out by hand. */
#include "harness.h"

static struct harness h;

enum { A, B, WIDE, STORE, SITES };
static const struct lanescope_site sites[SITES] = {
    [A] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"},
    [B] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"},
    [WIDE] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 32, .instruction = "load"},
    [STORE] = {.kind = LS_SITE_STORE, .space = 1, .bytes = 4, .instruction = "store"},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites), .grid = {256, 1, 1},
                                                   .workgroup = {128, 1, 1}};

static void counts(void **state)
{
    (void)state;
    assert_int_equal(harness_open(&h, "redundancy"), 0);
    harness_begin(&h, &dispatch);
    harness_strided(&h, A, 0, 0, ~0ull, 0x1000, 4, 4); /* 256 bytes */
    harness_strided(&h, A, 0, 1, ~0ull, 0x1080, 4, 4); /* the other wavefront: 128 of its 256 bytes again */
    harness_strided(&h, A, 1, 0, ~0ull, 0x1000, 4, 4); /* another work-group: nothing again */
    harness_strided(&h, B, 0, 0, ~0ull, 0x1000, 0,
                    4); /* 64 lanes, the same 4 bytes: new for B, not for the group */
    harness_strided(&h, WIDE, 1, 0, 3, 0x8000, 16,
                    32); /* bytes 0 to 31 and 16 to 47: two pieces, 16 bytes again */
    harness_strided(&h, STORE, 0, 0, ~0ull, 0x1000, 4, 4);
    harness_end(&h);
    assert_int_equal(harness_value(&h, A, "Bytes Loaded"), 768);
    assert_int_equal(harness_value(&h, A, "Bytes Loaded Again"), 128);
    assert_int_equal(harness_value(&h, B, "Bytes Loaded"), 4);
    assert_int_equal(harness_value(&h, B, "Bytes Loaded Again"), 0);
    assert_int_equal(harness_value(&h, WIDE, "Bytes Loaded"), 64);
    assert_int_equal(harness_value(&h, WIDE, "Bytes Loaded Again"), 16);
    assert_int_equal(harness_value(&h, STORE, "Bytes Loaded"), INT64_MIN);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Bytes Loaded"), 836);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Bytes Loaded Again"), 148);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Bytes Not Tracked"), 0);
    harness_close(&h);
}

/* Two blocks are remembered: the site's and the dispatch's of the first 64 bytes. */
static void limit(void **state)
{
    (void)state;
    assert_int_equal(harness_open(&h, "redundancy:blocks=2"), 0);
    harness_begin(&h, &dispatch);
    harness_strided(&h, A, 0, 0, 0xffff, 0x1000, 4, 4);
    harness_strided(&h, A, 0, 0, 0xffff, 0x1000, 4, 4);
    harness_strided(&h, A, 0, 0, 0xffff, 0x2000, 4, 4);
    harness_end(&h);
    assert_int_equal(harness_value(&h, A, "Bytes Loaded"), 192);
    assert_int_equal(harness_value(&h, A, "Bytes Loaded Again"), 64);
    assert_int_equal(harness_value(&h, A, "Bytes Not Tracked"), 64);
    harness_close(&h);
}

/* Many blocks: the table grows without losing any. */
static void growth(void **state)
{
    (void)state;
    assert_int_equal(harness_open(&h, "redundancy"), 0);
    harness_begin(&h, &dispatch);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 20000; i++)
            harness_strided(&h, A, 0, 0, 1, 0x100000 + i * 64, 4, 4);
    harness_end(&h);
    assert_int_equal(harness_value(&h, A, "Bytes Loaded"), 160000);
    assert_int_equal(harness_value(&h, A, "Bytes Loaded Again"), 80000);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(limit),
                                       cmocka_unit_test(growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
