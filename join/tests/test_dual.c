/*
 * test_dual.c - two operations in one instruction of gfx11: what both write, and the one that computes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gcn/gcn.h"
#include "gcn/tests/assemble.h"
#include "join/machine/isa.h"

static void moves_and_adds(void **state)
{
    const struct code *c = assemble("gfx1100", "v_dual_mov_b32 v1, v2 :: v_dual_add_nc_u32 v4, 16, v5");
    struct gcn_target target;
    struct gcn_inst in;
    (void)state;
    assert_true(gcn_target_find("gfx1100", &target));
    assert_int_equal(c->n, 2);
    assert_int_equal(gcn_decode(target, c->words, 2, 0, &in), 8);
    struct ls_op op = ls_op_decoded(target, &in, 0);
    assert_int_equal(op.n_written, 2);
    assert_int_equal(op.written[0].first, 1);
    assert_int_equal(op.written[1].first, 4);
    assert_int_equal(op.kind, LS_OP_ADD);
    assert_int_equal(op.to.first, 4);
    assert_true(op.source[0].constant && op.source[0].value == 16);
    assert_int_equal(op.source[1].r.first, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_and_adds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
