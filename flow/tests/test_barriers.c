/* Barriers passed at least, on small graphs by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "barriers.h"

#define TO(...)                                                                                              \
    {.to = (const uint32_t[]){__VA_ARGS__}, .n_to = sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t)}

static void branch(void **state)
{
    /* 0 -> 1 or 2, both -> 3. Two barriers in 1, one in 2: at least one where they meet. */
    const struct ls_together_block b[] = {TO(1, 2), TO(3), TO(3), {0}};
    uint32_t before[4];
    (void)state;
    ls_barriers(b, 4, (const uint32_t[]){1, 2, 1, 5}, before);
    assert_memory_equal(before, ((const uint32_t[]){0, 1, 1, 2}), sizeof before);
}

static void loop(void **state)
{
    /* 0 -> 1 -> 1 or 2: one round is passed at least. */
    const struct ls_together_block b[] = {TO(1), TO(1, 2), {0}};
    uint32_t before[3];
    (void)state;
    ls_barriers(b, 3, (const uint32_t[]){0, 2, 0}, before);
    assert_memory_equal(before, ((const uint32_t[]){0, 0, 2}), sizeof before);
}

static void backwards_and_unreachable(void **state)
{
    /* 0 -> 3 -> 2 -> 1; nothing leads to 4. */
    const struct ls_together_block b[] = {TO(3), {0}, TO(1), TO(2), TO(1)};
    uint32_t before[5];
    (void)state;
    ls_barriers(b, 5, (const uint32_t[]){1, 0, 1, 1, 0}, before);
    assert_memory_equal(before, ((const uint32_t[]){0, 3, 2, 1, 0xffffffffu}), sizeof before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(branch), cmocka_unit_test(loop),
                                       cmocka_unit_test(backwards_and_unreachable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
