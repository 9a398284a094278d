/* test_moves.c - which loads filled the registers that a store writes out, of decoded instructions of gfx1030. */
#include "tests/check.h"
#include "gcn/gcn.h"
#include "join/machine/moves.h"

/* Words of LLVM's assembler for -mcpu=gfx1030. */
static const uint32_t load_x4[] = {0xdc388000, 0x047d0002};  /* global_load_dwordx4 v[4:7], v[2:3], off */
static const uint32_t load_hi[] = {0xdc948000, 0x047d0002};  /* global_load_short_d16_hi v4, v[2:3], off */
static const uint32_t store_x2[] = {0xdc748000, 0x007d0502}; /* global_store_dwordx2 v[2:3], v[5:6], off */
static const uint32_t store_pair[] = {0xd9380100,
                                      0x00060400};          /* ds_write2_b64 v0, v[4:5], v[6:7] offset1:1 */
static const uint32_t move[] = {0x7e120304};                /* v_mov_b32 v9, v4 */
static const uint32_t add[] = {0x4a0a0a80};                 /* v_add_nc_u32 v5, 0, v5 */
static const uint32_t store_9[] = {0xdc708000, 0x007d0902}; /* global_store_dword v[2:3], v9, off */
static const uint32_t no_lane[] = {0xbefe0380};             /* s_mov_b32 exec_lo, 0 */

static struct ls_moves moves;

static struct ls_moved next(const uint32_t *words, unsigned n, uint32_t number)
{
    struct gcn_target target;
    struct gcn_inst in;
    assert_true(gcn_target_find("gfx1030", &target));
    target.lanes = 32;
    assert_int_equal(gcn_decode(target, words, n, 0, &in), 4 * n);
    const struct ls_op op = ls_op_decoded(target, &in, 0);
    return ls_moves_next(&moves, &op, number);
}
#define NEXT(words, number) next(words, sizeof(words) / sizeof *(words), number)

static int begin(void **state)
{
    (void)state;
    ls_moves_block(&moves);
    NEXT(load_x4, 7);
    return 0;
}

static void expect(struct ls_moved m, const struct ls_moved *want)
{
    assert_memory_equal(m.load, want->load, sizeof m.load);
    for (unsigned k = 0; k < LS_MOVED_DWORDS; k++)
        assert_int_equal(m.load[k] ? m.dword[k] : 0, want->dword[k]);
}
#define EXPECT(m, ...) expect(m, &(struct ls_moved){__VA_ARGS__})

static void what_was_loaded(void **state)
{
    (void)state;
    EXPECT(NEXT(store_x2, 8), {8, 8}, {1, 2});
    EXPECT(NEXT(store_pair, 9), {8, 8, 8, 8}, {0, 1, 2, 3});
}

static void a_copy(void **state)
{
    (void)state;
    NEXT(move, 0);
    EXPECT(NEXT(store_9, 8), {8}, {0});
}

static void something_else(void **state)
{
    (void)state;
    NEXT(add, 0);
    EXPECT(NEXT(store_x2, 8), {0, 8}, {0, 2});
    NEXT(load_hi, 8); /* half of the register is what it was */
    EXPECT(NEXT(store_pair, 9), {0, 0, 8, 8}, {0, 0, 2, 3});
}

static void other_lanes(void **state)
{
    (void)state;
    NEXT(no_lane, 0);
    EXPECT(NEXT(store_x2, 8), {0}, {0});
}

static void other_block(void **state)
{
    (void)state;
    ls_moves_block(&moves);
    EXPECT(NEXT(store_x2, 8), {0}, {0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_was_loaded, begin), cmocka_unit_test_setup(a_copy, begin),
        cmocka_unit_test_setup(something_else, begin),  cmocka_unit_test_setup(other_lanes, begin),
        cmocka_unit_test_setup(other_block, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
