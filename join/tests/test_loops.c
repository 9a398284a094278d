/* Loops of a control flow graph, by hand. */
#include "tests/check.h"
#include "join/machine/loops.h"

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

/* A loop that is entered in its middle, at 6, has padding in front of it, to be aligned: 3, to which no way leads, and which
 * would go on in the loop. Around both is another loop. */
static void padded(void **state)
{
    (void)state;
    const struct ls_branch b[] = {branch(2, 6, false), branch(5, 8, true), branch(7, 4, false),
                                  branch(8, 1, true)};
    expect(b, 4, 10, "0110222210");
    struct ls_loops *l = ls_loops_find(b, 4, 40);
    assert_int_not_equal(ls_loops_together(l, 4), ls_loops_together(l, 24));
    ls_loops_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight),
        cmocka_unit_test(nests),
        cmocka_unit_test(out_of_line),
        cmocka_unit_test(padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
