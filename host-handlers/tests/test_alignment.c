/* test_alignment.c - counts worked out by hand. gfx90a: cache lines of 64 bytes. */
#include "harness.h"

static struct harness h;

enum { LOAD4, LOAD12, LDS8, SITES };
static const struct lanescope_site sites[SITES] = {
    [LOAD4] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 4, .instruction = "load"},
    [LOAD12] = {.kind = LS_SITE_LOAD, .space = 1, .bytes = 12, .instruction = "load"},
    [LDS8] = {.kind = LS_SITE_LOAD, .space = 3, .bytes = 8, .instruction = "load"},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites)};

static void check(uint32_t site, int64_t executions, int64_t unaligned, int64_t lanes, int64_t not16,
                  int64_t line)
{
    assert_int_equal(harness_value(&h, site, "Executions"), executions);
    assert_int_equal(harness_value(&h, site, "Unaligned"), unaligned);
    assert_int_equal(harness_value(&h, site, "Unaligned Lanes"), lanes);
    assert_int_equal(harness_value(&h, site, "Not 16-Aligned"), not16);
    assert_int_equal(harness_value(&h, site, "Not Line-Aligned"), line);
}

static void counts(void **state)
{
    (void)state;
    assert_int_equal(harness_open(&h, "alignment"), 0);
    harness_begin(&h, &dispatch);
    harness_strided(&h, LOAD4, 0, 0, ~0ull, 0x1000, 16, 4); /* aligned to everything */
    harness_strided(&h, LOAD4, 0, 0, ~0ull, 0x1004, 4, 4);  /* only to its size */
    harness_strided(&h, LOAD4, 0, 0, 0xf, 0x1000, 6,
                    4); /* 0, 6, 12, 18: lanes 1 and 3 are off, not the first */
    harness_strided(&h, LOAD4, 0, 0, 0x2, 0x0ffc, 4, 4);      /* one lane, at 0x1000 */
    harness_strided(&h, LOAD12, 0, 0, ~0ull, 0x1000, 12, 12); /* dwords are aligned */
    harness_strided(&h, LOAD12, 0, 0, 1, 0x1002, 12, 12);
    harness_strided(&h, LDS8, 0, 0, 3, 4, 8, 8); /* LDS has no cache lines */
    harness_end(&h);
    check(LOAD4, 4, 1, 2, 2, 1);
    check(LOAD12, 2, 1, 1, 2, 1);
    check(LDS8, 1, 1, 2, 1, 0);
    harness_close(&h);
    assert_true(harness_open(&h, "alignment:x=1") < 0);
    harness_close(&h);
}

/*
 * LDS8 is read as two dwords by one ds_read2_b32, 8 bytes apart, LOAD4 is half of a global_load_dwordx2 that
 * counts at LOAD12, and what LOAD12 itself asks for is there with it: three accesses, each with the width of
 * the hardware's.
 */
static void counts_passes(void **state)
{
    static const struct lanescope_pass pair[] = {{LDS8, 0, 4, 1}, {LDS8, 8, 4, 0}}, wide = {LOAD12, 4, 8, 1};
    static const struct lanescope_isa isa[SITES] = {[LOAD4] = {LANESCOPE_ISA_VECTOR, 1, &wide},
                                                    [LOAD12] = {LANESCOPE_ISA_VECTOR, 0, NULL},
                                                    [LDS8] = {LANESCOPE_ISA_VECTOR, 2, pair}};
    struct lanescope_dispatch d = dispatch;
    d.isa = isa;
    (void)state;
    assert_int_equal(harness_open(&h, "alignment"), 0);
    harness_begin(&h, &d);
    harness_strided(&h, LOAD4, 0, 0, 3, 0x1004, 4, 4); /* 0x1008 and 0x100c: the second is no multiple of 8 */
    harness_strided(&h, LOAD12, 0, 0, 3, 0x1002, 12, 12);
    harness_strided(&h, LDS8, 0, 0, 1, 8, 8, 8); /* dwords at 8 and at 16: aligned, the first not to 16 */
    harness_end(&h);
    check(LOAD12, 1, 1, 1, 1, 1);
    check(LDS8, 2, 0, 0, 1, 0);
    assert_true(harness_value(&h, LOAD4, "Executions") == INT64_MIN);
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(counts_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
