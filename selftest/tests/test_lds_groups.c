/*
 * Groups are found from times that stand here: 100 cycles for a pair that does not meet in a phase, one more for each
 * of 16 operations when it does.
 */
#include "selftest/lds_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FAST = 100, OPERATIONS = 16, SLOW = FAST + OPERATIONS };

/* Times of lanes whose group is lane_group[lane]. */
static struct lds_timing timing(unsigned lanes, const uint8_t *lane_group)
{
    struct lds_timing t = {.lanes = lanes, .operations = OPERATIONS, .alone = FAST};
    for (unsigned j = 1; j < lanes; j++)
        for (unsigned i = 0; i < j; i++)
            t.pair[lds_pair_number(i, j)] = lane_group[i] == lane_group[j] ? SLOW : FAST;
    return t;
}

static void pairs_are_numbered_without_gaps(void **state)
{
    (void)state;
    assert_int_equal(lds_pair_number(0, 1), 0);
    assert_int_equal(lds_pair_number(0, 2), 1);
    assert_int_equal(lds_pair_number(1, 2), 2);
    assert_int_equal(lds_pair_number(62, 63), LDS_MAX_PAIRS - 1);
}

static void finds_halves(void **state)
{
    (void)state;
    uint8_t group[64];
    for (unsigned lane = 0; lane < 64; lane++)
        group[lane] = lane / 32;
    struct lds_timing t = timing(64, group);
    struct lds_groups g = lds_find_groups(&t);
    assert_int_equal(g.verdict, LDS_FOUND);
    assert_int_equal(g.n, 2);
    assert_int_equal(g.groups[0], 0xffffffffull);
    assert_int_equal(g.groups[1], 0xffffffff00000000ull);
    assert_int_equal(g.fast, FAST);
    assert_int_equal(g.slow, SLOW);
}

/* A lane of its own and groups of different sizes: lanes 0 and 3; 1; 2, 4, 5, 6, 7. */
static void finds_groups_of_any_size(void **state)
{
    (void)state;
    static const uint8_t group[8] = {0, 1, 2, 0, 2, 2, 2, 2};
    struct lds_timing t = timing(8, group);
    struct lds_groups g = lds_find_groups(&t);
    assert_int_equal(g.verdict, LDS_FOUND);
    assert_int_equal(g.n, 3);
    assert_int_equal(g.groups[0], 0x09);
    assert_int_equal(g.groups[1], 0x02);
    assert_int_equal(g.groups[2], 0xf4);
}

static void one_group_shows_against_lanes_apart(void **state)
{
    (void)state;
    static const uint8_t group[32] = {0};
    struct lds_timing t = timing(32, group);
    struct lds_groups g = lds_find_groups(&t);
    assert_int_equal(g.verdict, LDS_FOUND);
    assert_int_equal(g.n, 1);
    assert_int_equal(g.groups[0], 0xffffffffull);
}

static void equal_times_show_nothing(void **state)
{
    (void)state;
    uint8_t group[64];
    for (unsigned lane = 0; lane < 64; lane++)
        group[lane] = (uint8_t)lane;
    struct lds_timing t = timing(64, group);
    struct lds_groups g = lds_find_groups(&t);
    assert_int_equal(g.verdict, LDS_NO_STEP);
    assert_int_equal(g.n, 0);
}

/* Up to 7 cycles of noise on 16 of difference leave a line of 9. */
static void noise_below_the_step_is_harmless(void **state)
{
    (void)state;
    uint8_t group[64];
    for (unsigned lane = 0; lane < 64; lane++)
        group[lane] = lane / 16;
    struct lds_timing t = timing(64, group);
    for (unsigned p = 0; p < LDS_MAX_PAIRS; p++)
        t.pair[p] += p * 7919 % 8;
    struct lds_groups g = lds_find_groups(&t);
    assert_int_equal(g.verdict, LDS_FOUND);
    assert_int_equal(g.n, 4);
    assert_int_equal(g.groups[3], 0xffffull << 48);
}

static void noise_above_the_step_is_told(void **state)
{
    (void)state;
    uint8_t group[64];
    for (unsigned lane = 0; lane < 64; lane++)
        group[lane] = lane / 16;
    struct lds_timing t = timing(64, group);
    for (unsigned p = 0; p < LDS_MAX_PAIRS; p++)
        t.pair[p] += p * 7919 % 40;
    assert_int_not_equal(lds_find_groups(&t).verdict, LDS_FOUND);
}

/* One pair that is later than a conflict makes it: the line between it and all others is no step. With one group of all lanes, and
 * with four. */
static void one_late_pair_is_told(void **state)
{
    (void)state;
    for (unsigned size = 16; size <= 64; size += 48) {
        uint8_t group[64];
        for (unsigned lane = 0; lane < 64; lane++)
            group[lane] = (uint8_t)(lane / size);
        struct lds_timing t = timing(64, group);
        t.pair[lds_pair_number(3, 5)] += 100 * OPERATIONS;
        assert_int_equal(lds_find_groups(&t).verdict, LDS_TOO_NOISY);
    }
}

/* 0 with 1, 1 with 2, but not 0 with 2: one pair contradicts. */
static void chains_are_no_groups(void **state)
{
    (void)state;
    static const uint8_t group[8] = {0, 0, 1, 2, 3, 4, 5, 6};
    struct lds_timing t = timing(8, group);
    t.pair[lds_pair_number(1, 2)] = SLOW;
    struct lds_groups g = lds_find_groups(&t);
    assert_int_equal(g.verdict, LDS_NOT_CLIQUES);
    assert_int_equal(g.wrong, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_numbered_without_gaps),
        cmocka_unit_test(finds_halves),
        cmocka_unit_test(finds_groups_of_any_size),
        cmocka_unit_test(one_group_shows_against_lanes_apart),
        cmocka_unit_test(equal_times_show_nothing),
        cmocka_unit_test(noise_below_the_step_is_harmless),
        cmocka_unit_test(noise_above_the_step_is_told),
        cmocka_unit_test(one_late_pair_is_told),
        cmocka_unit_test(chains_are_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
