/* Loops of a control flow graph, by hand. */
#include "check.h"
#include "loops.h"
#include "together.h"

/* Units of 4 bytes, as all instructions here. */
static struct ls_branch branch(uint64_t at, uint64_t to, bool falls)
{
    return (struct ls_branch){
        .at = 4 * at, .next = 4 * at + 4, .target = 4 * to, .jumps = true, .falls = falls};
}

static void expect(const struct ls_branch *b, size_t n, uint64_t size, const char *depths)
{
    struct ls_loops *l = ls_loops_find(b, n, 4 * size);
    assert_non_null(l);
    for (uint64_t i = 0; i < size; i++)
        if (ls_loops_at(l, 4 * i) != (uint32_t)(depths[i] - '0'))
            fail_msg("instruction %u: depth %u, expected %c", (unsigned)i, ls_loops_at(l, 4 * i), depths[i]);
    ls_loops_free(l);
}

static void straight(void **state)
{
    (void)state;
    expect(NULL, 0, 4, "0000");
    /* if: 1 jumps over 2 */
    expect((const struct ls_branch[]){branch(1, 3, true)}, 1, 5, "00000");
}

static void nests(void **state)
{
    (void)state;
    /* 4 goes back to 1, inside 3 goes back to 2 */
    expect((const struct ls_branch[]){branch(3, 2, true), branch(4, 1, true)}, 2, 7, "0122100");
    /* a loop of one instruction */
    expect((const struct ls_branch[]){branch(1, 1, true)}, 1, 3, "010");
    /* two loops, one behind the other */
    expect((const struct ls_branch[]){branch(1, 0, true), branch(3, 2, true)}, 2, 5, "11110");
    /* two ways back to one header are one loop */
    expect((const struct ls_branch[]){branch(2, 1, true), branch(3, 1, true)}, 2, 5, "01110");
}

/* The block placement may put a part of a loop behind its end: 1 jumps to 5, 6 goes back to 2, 3 to 1. */
static void out_of_line(void **state)
{
    (void)state;
    struct ls_branch end = {.at = 16, .next = 20};
    const struct ls_branch b[] = {branch(1, 5, true), branch(3, 1, true), end, branch(6, 2, false)};
    expect(b, 4, 7, "0111011");
}

/* 0 -> 1 | 2; 1 -> 2 (a condition); 2 -> 3; 3 -> 3 | 4 (a loop); 4 -> 4 | 5 (another one); 5: the end. */
static void executed_together(void **state)
{
    (void)state;
    struct ls_together_block b[] = {{{1, 2}, 0, 0},
                                    {{2, LS_TOGETHER_END}, 0, 0},
                                    {{3, LS_TOGETHER_END}, 0, 0},
                                    {{3, 4}, 1, 1},
                                    {{4, 5}, 2, 2},
                                    {{LS_TOGETHER_END, LS_TOGETHER_END}, 0, 0}};
    static const uint32_t outer[3] = {0};
    uint32_t together[6];
    assert_int_equal(ls_together(b, 6, outer, together), 0);
    /* the two loops are each on all ways to the other, and yet differ in how often they run */
    static const uint32_t want[] = {0, 1, 0, 3, 4, 0};
    for (int k = 0; k < 6; k++)
        assert_int_equal(together[k], want[k]);
    /* with a way out of the condition, what comes behind is not always executed */
    b[1].to[0] = 5;
    assert_int_equal(ls_together(b, 6, outer, together), 0);
    assert_int_equal(together[2], 2);
    assert_int_equal(together[5], 0);
}

/* 0 -> 1; 1 -> 2 | 3; 2 -> 3 | 4; 3 -> 1: the loop is left at 2 only, which is yet not executed in each
 * round. Then with a loop inside: 3 -> 3 | 1; and the same without 2's way out: 2 -> 3, 3 -> 3 | 5, 5 -> 1
 * | 4. */
static void rounds_of_a_loop(void **state)
{
    (void)state;
    struct ls_together_block b[] = {{{1, LS_TOGETHER_END}, 0, 0},
                                    {{2, 3}, 1, 1},
                                    {{3, 4}, 1, 0},
                                    {{1, LS_TOGETHER_END}, 1, 0},
                                    {{LS_TOGETHER_END, LS_TOGETHER_END}, 0, 0},
                                    {{1, 4}, 1, 0}};
    static const uint32_t outer[3] = {0, 0, 1}, apart[] = {0, 1, 2, 3, 0}, rounds[] = {0, 1, 2, 3, 0, 1};
    uint32_t together[6];
    assert_int_equal(ls_together(b, 5, outer, together), 0);
    for (int k = 0; k < 5; k++)
        assert_int_equal(together[k], apart[k]);
    b[3] = (struct ls_together_block){{3, 1}, 2, 2};
    assert_int_equal(ls_together(b, 5, outer, together), 0);
    for (int k = 0; k < 5; k++)
        assert_int_equal(together[k], apart[k]);
    b[2].to[1] = LS_TOGETHER_END;
    b[3] = (struct ls_together_block){{3, 5}, 2, 2};
    assert_int_equal(ls_together(b, 6, outer, together), 0);
    for (int k = 0; k < 6; k++)
        assert_int_equal(together[k], rounds[k]);
}

/* A function that never ends has no way to its end; nothing is known but the block itself. */
static void endless(void **state)
{
    (void)state;
    struct ls_together_block b[] = {{{1, LS_TOGETHER_END}, 0, 0}, {{1, LS_TOGETHER_END}, 1, 1}};
    static const uint32_t outer[2] = {0};
    uint32_t together[2];
    assert_int_equal(ls_together(b, 2, outer, together), 0);
    assert_int_equal(together[0], 0);
    assert_int_equal(together[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight),         cmocka_unit_test(nests),
        cmocka_unit_test(out_of_line),      cmocka_unit_test(executed_together),
        cmocka_unit_test(rounds_of_a_loop), cmocka_unit_test(endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
