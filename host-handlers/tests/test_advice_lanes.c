/* test_advice_lanes.c - what the advice handler finds of lanes: which are neighbours, and which are no work-items. gfx90a: 32 banks
 * of 4 bytes, cache lines of 64 bytes. */
#include "advice_test.h"

/*
 * Neighbours are those of one row of the work-group: of 32x2 lanes 31 + 31 pairs are 128 bytes apart, and no others; rows of 48 do not
 * fit into a wavefront, so lane 31 counts as a neighbour of lane 32. Reads of b64 in 32 banks, of gfx950 in 64, which writes b64 in
 * 32 (gpus/table.c). Global memory: 31 + 31 pairs of active lanes 16 bytes apart, every second one of 64 bytes.
 */
static void neighbours_of_rows(void **state)
{
    (void)state;
    struct lanescope_dispatch known = dispatch;
    static const struct lanescope_site written[] = {
        {.kind = LS_SITE_STORE, .space = 3, .bytes = 8, .align = 8, .instruction = "store"},
        {.kind = LS_SITE_LOAD, .space = 3, .bytes = 8, .align = 8, .instruction = "load"}};
    uint64_t column[64], apart[64];
    for (unsigned l = 0; l < 64; l++) {
        column[l] = 128 * (l % 32) + 4 * (l / 32);
        apart[l] = 0x7f0000001000 + 16 * (l % 32) + 4096 * (l / 32);
    }
    for (uint32_t x = 32; x <= 48; x += 16) {
        known.workgroup[0] = x;
        known.workgroup[1] = 2;
        assert_int_equal(harness_open(&h, "advice"), 0);
        harness_begin(&h, &known);
        harness_lanes(&h, LOAD, 0, 0, ~0ull, column, 4);
        harness_lanes(&h, X, 0, 0, ~0ull, apart, 4);
        harness_end(&h);
        const char *const pairs = x == 32 ? "\"step_pairs\":62,\"pairs\":62,\"row\":32"
                                          : "\"step_pairs\":62,\"pairs\":63,\"row\":64";
        has("lds", LOAD, pairs);
        has("global", X, pairs);
        harness_close(&h);
    }
    for (int cdna4 = 0; cdna4 < 2; cdna4++) {
        const struct lanescope_dispatch of = {HARNESS_DISPATCH(written), .grid = {64, 1, 1},
                                              .workgroup = {64, 1, 1}};
        known = of;
        known.arch = cdna4 ? "gfx950" : "gfx90a";
        assert_int_equal(harness_open(&h, "advice"), 0);
        harness_begin(&h, &known);
        harness_strided(&h, 0, 0, 0, ~0ull, 0, 256, 8);
        harness_strided(&h, 1, 0, 0, ~0ull, 0, 256, 8);
        harness_end(&h);
        has("lds", 0, "\"banks\":32,\"piece\":8");
        has("lds", 1, cdna4 ? "\"banks\":64,\"piece\":8" : "\"banks\":32,\"piece\":8");
        harness_close(&h);
    }
}

/*
 * Work-groups of 48x2 = 96 work-items: their first wavefront is whole, their second has 32, so 32 lanes are empty. The grid is 60 wide:
 * work-group 1 has 12x2 = 24 work-items in one wavefront, so 40 are empty. One execution each by 16 lanes; of the
 * whole wavefront alone nothing is empty.
 */
static void lanes_without_work_items(void **state)
{
    (void)state;
    struct lanescope_dispatch known = dispatch;
    known.grid[0] = 60;
    known.grid[1] = 2;
    known.workgroup[0] = 48;
    known.workgroup[1] = 2;
    assert_int_equal(harness_open(&h, "advice"), 0);
    harness_begin(&h, &known);
    harness_strided(&h, X, 0, 0, 0xffff, 0x7f0000001000, 4, 4);
    harness_strided(&h, Y, 0, 0, 0xffff, 0x7f0000001000, 4, 4);
    harness_strided(&h, Y, 0, 1, 0xffff, 0x7f0000001000, 4, 4);
    harness_strided(&h, Z, 1, 0, 0xffff, 0x7f0000001000, 4, 4);
    harness_end(&h);
    has("lanes", X, "\"executions\":1,\"active\":16,\"empty\":0,");
    has("lanes", Y, "\"executions\":2,\"active\":32,\"empty\":32,");
    has("lanes", Z, "\"executions\":1,\"active\":16,\"empty\":40,");
    harness_close(&h);
}

/*
 * 48 of 64 lanes, 4 bytes each, from byte 32 of a line on: 192 bytes in 4 lines, where 3 would do. It begins amiss; that the lanes at
 * the end are idle costs nothing.
 */
static void misaligned_with_idle_lanes(void **state)
{
    (void)state;
    begin();
    harness_strided(&h, X, 0, 0, (1ull << 48) - 1, 0x7f0000001020, 4, 4);
    harness_end(&h);
    has("global", X, "\"lines\":4,\"needed\":3,\"kind\":\"misaligned\",");
    has("global", X, "\"after\":3,");
    harness_close(&h);
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_of_rows),
        cmocka_unit_test(lanes_without_work_items),
        cmocka_unit_test(misaligned_with_idle_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
