/* test_handler.c - a handler that was linked with the made-up rows, through its public interface. By hand:
 * gfx90c serves all 64 lanes in one phase with 32 banks. 64 dwords side by side are two in each bank: two
 * cycles, one of them a conflict, where gfx90a takes two phases without any. Reads of 4 bytes are assumed in
 * that row, writes measured. */
#include "harness.h"

enum { LOAD, STORE, SITES };
static const struct lanescope_site sites[SITES] = {
    [LOAD] = {.kind = LS_SITE_LOAD, .space = 3, .bytes = 4, .align = 4},
    [STORE] = {.kind = LS_SITE_STORE, .space = 3, .bytes = 4, .align = 4},
};

static void check(const char *arch, int64_t conflicts, int64_t assumed_load, int64_t assumed_store)
{
    static struct harness h;
    memset(&h, 0, sizeof h);
    struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites), .grid = {64, 1, 1},
                                          .workgroup = {64, 1, 1}};
    dispatch.arch = arch;
    assert_int_equal(harness_open(&h, "lds_bank_conflicts"), 0);
    harness_begin(&h, &dispatch);
    for (uint32_t site = 0; site < SITES; site++)
        harness_strided(&h, site, 0, 0, ~0ull, 0, 4, 4);
    harness_end(&h);
    for (uint32_t site = 0; site < SITES; site++) {
        assert_int_equal(harness_value(&h, site, "Index Accesses"), 2);
        assert_int_equal(harness_value(&h, site, "Bank Conflict"), conflicts);
    }
    assert_int_equal(harness_value(&h, LOAD, "Assumed Cycles"), assumed_load);
    assert_int_equal(harness_value(&h, STORE, "Assumed Cycles"), assumed_store);
    harness_close(&h);
}

static void made_up(void **state)
{
    (void)state;
    check("gfx90c", 1, 2, 0);
}

static void of_the_table(void **state)
{
    (void)state;
    check("gfx90a", 0, 0, 2); /* docs/hardware.md: reads of 4 bytes are measured on MI250, writes are not */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_up), cmocka_unit_test(of_the_table)};
    harness_directory = argc == 2 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
