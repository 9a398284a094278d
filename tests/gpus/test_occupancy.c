/* test_occupancy.c - the tool library's occupancy, linked with the made-up rows: gfx90c has 48 KiB of LDS, so
 * that three work-groups of 16 KiB fit where gfx90a has room for four. */
#include "gpus/occupancy.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static void groups(void **state)
{
    const struct ls_kernel_registers few = {.known = true};
    (void)state;
    assert_int_equal(ls_occupancy("gfx90c", 1, 28, &few, 1, 16384), 3);
    assert_int_equal(ls_occupancy("gfx90a", 1, 32, &few, 1, 16384), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
