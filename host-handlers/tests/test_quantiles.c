/* Quantiles of distributions whose ranks are known by arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lanescope/sdk/quantiles.h"

static void small_values_are_exact(void **unused)
{
    struct lanescope_quantiles q = {0};
    (void)unused;
    for (uint64_t v = 1; v <= 100; v++)
        assert_int_equal(lanescope_quantiles_add(&q, v, 1), 0);
    /* nearest rank: the 50th, 90th, 99th of 1..100 */
    assert_int_equal(lanescope_quantiles_at(&q, 500), 50);
    assert_int_equal(lanescope_quantiles_at(&q, 900), 90);
    assert_int_equal(lanescope_quantiles_at(&q, 990), 99);
    assert_int_equal(lanescope_quantiles_at(&q, 1000), 100);
    assert_int_equal(q.count, 100);
    assert_int_equal(q.sum, 5050);
    lanescope_quantiles_free(&q);
}

static void large_values_are_close(void **unused)
{
    (void)unused;
    for (uint64_t v = 128; v < 1ull << 62; v += v / 4 + 3) {
        struct lanescope_quantiles q = {0};
        assert_int_equal(lanescope_quantiles_add(&q, 0, 1),
                         0); /* so that the minimum does not round for us */
        assert_int_equal(lanescope_quantiles_add(&q, v, 3), 0);
        uint64_t at = lanescope_quantiles_at(&q, 500);
        assert_true(at <= v && v - at <= v / 128);
        assert_int_equal(q.max, v);
        lanescope_quantiles_free(&q);
    }
}

static void merging_is_adding(void **unused)
{
    struct lanescope_quantiles a = {0}, b = {0};
    (void)unused;
    lanescope_quantiles_add(&a, 7, 1);
    lanescope_quantiles_add(&b, 3, 2);
    lanescope_quantiles_add(&b, 90, 1);
    assert_int_equal(lanescope_quantiles_merge(&a, &b), 0);
    assert_int_equal(a.count, 4);
    assert_int_equal(a.min, 3);
    assert_int_equal(a.max, 90);
    assert_int_equal(a.sum, 103);
    assert_int_equal(lanescope_quantiles_at(&a, 500), 3); /* second of 3 3 7 90 */
    lanescope_quantiles_free(&a);
    lanescope_quantiles_free(&b);
}

static void nothing(void **unused)
{
    struct lanescope_quantiles q = {0};
    (void)unused;
    assert_int_equal(lanescope_quantiles_at(&q, 500), 0);
    lanescope_quantiles_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(large_values_are_close),
        cmocka_unit_test(merging_is_adding),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
