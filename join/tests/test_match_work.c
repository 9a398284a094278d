/* test_match_work.c - what the joins of a function and a module may cost, in operations. */
#include "tests/check.h"
#include "join/machine/text/op_text.h"
#include "join/match_parts.h"

#include <stdlib.h>

enum { N = 60 };

/* A search without end, see budget() in test_cover.c; each `number` makes another one. */
static bool hopeless(struct ls_match *x, struct function *f, uint32_t number)
{
    struct ls_cover_site s[N];
    struct ls_cover_instruction i[N / 2];
    for (uint32_t k = 0; k < N; k++)
        s[k] = (struct ls_cover_site){.addr = 4 * k, .bytes = 4, .line = number, .space = 3};
    for (uint32_t k = 0; k < N / 2; k++) {
        i[k] = (struct ls_cover_instruction){.line = number};
        i[k].form = ls_isa_form(k == 0  ? "ds_read2_b32 v[0:1], v9 offset1:2"
                                : k % 2 ? "ds_read2_b32 v[0:1], v9 offset1:1"
                                        : "ds_read2_b32 v[0:1], v9 offset1:3");
    }
    f->given_up = false;
    return ls_join_search(x, f, s, N, i, N / 2, false);
}

/* One access, one instruction. */
static bool simple(struct ls_match *x, struct function *f)
{
    struct ls_cover_site s = {.bytes = 4, .line = 7, .space = 3};
    struct ls_cover_instruction i = {.form = ls_isa_form("ds_read_b32 v0, v9"), .line = 7};
    f->given_up = false;
    return ls_join_search(x, f, &s, 1, &i, 1, false);
}

/* A search that is given up leaves work for others of its function, and costs nothing when it comes again. */
static void once(void **state)
{
    (void)state;
    struct ls_match x = {.work = ls_join_work_of_module()};
    struct function f = {.work = ls_join_work_of_function()};
    assert_false(hopeless(&x, &f, 1));
    assert_true(f.given_up);
    assert_true(simple(&x, &f));
    assert_false(f.given_up);
    uint64_t left = f.work.left;
    assert_false(hopeless(&x, &f, 1));
    assert_true(f.given_up);
    assert_int_equal(f.work.left, left);
    free(x.failed);
}

/* A function that uses up its own work leaves some for the others, until the module's is used up, too: then
 * nothing is searched any more. */
static void all_of_it(void **state)
{
    (void)state;
    struct ls_match x = {.work = ls_join_work_of_module()};
    const uint64_t module = x.work.left, function = ls_join_work_of_function().left;
    uint32_t functions = 0;
    for (uint32_t number = 1; !x.work.over && functions < 100; functions++) {
        struct function f = {.work = ls_join_work_of_function()};
        assert_true(simple(&x, &f));
        while (!ls_join_over(&x, &f))
            assert_false(hopeless(&x, &f, number++));
        assert_int_equal(f.work.over ? f.work.left : 0, 0);
        assert_false(simple(&x, &f));
        assert_true(f.given_up);
    }
    assert_int_equal(x.work.left, 0);
    assert_in_range(functions, module / function, module / function + 1);
    free(x.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(once), cmocka_unit_test(all_of_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
