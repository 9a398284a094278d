/* test_lanes.c - code that switches off all lanes but the lowest one, as compilers write it and otherwise. */
#include "tests/check.h"
#include "join/machine/text/op_text.h"
#include "join/machine/lanes.h"

enum { STEP = 8 }; /* bytes per instruction */

/* The region that the last of these instructions stands in. */
static struct ls_lanes_region last_of(unsigned lanes, const char *const *text)
{
    struct ls_lanes x = {0};
    struct ls_lanes_region r = {0};
    for (uint64_t i = 0; text[i]; i++) {
        const struct ls_op op = ls_op_text(text[i], lanes, 0, 0);
        r = ls_lanes_next(&x, &op, i * STEP, STEP, 0);
    }
    return r;
}
static struct ls_lanes_region last(const char *const *text)
{
    return last_of(64, text);
}

#define CODE(...) ((const char *const[]){__VA_ARGS__, NULL})
#define LOW "v_mbcnt_lo_u32_b32 v1, exec_lo, 0"
#define HIGH "v_mbcnt_hi_u32_b32 v1, exec_hi, v1"
#define FIRST "v_cmp_eq_u32_e32 vcc, 0, v1"
#define SAVE "s_and_saveexec_b64 s[2:3], vcc"
#define ATOMIC "global_atomic_add v0, v1, s[0:1]"

static void found(void **state)
{
    (void)state;
    struct ls_lanes_region r = last(CODE(LOW, HIGH, FIRST, SAVE, ATOMIC));
    assert_int_equal(r.start, 3 * STEP + 1);
    assert_int_equal(r.counted, 0);
    assert_int_equal(r.behind, 0);
    r = last(CODE(LOW, HIGH, FIRST, "s_and_b64 exec, exec, vcc", ATOMIC));
    assert_int_equal(r.start, 3 * STEP + 1);
    /* the mask copied first, other instructions in between, a branch */
    r = last(CODE("s_nop 0", "s_mov_b64 s[4:5], exec", "v_mbcnt_lo_u32_b32 v7, s4, 0",
                  "global_store_dword v[2:3], v6, off", "v_mbcnt_hi_u32_b32 v8, s5, v7",
                  "v_mov_b32_e32 v7, 0", "v_cmp_eq_u32_e64 s[8:9], 0, v8",
                  "s_and_saveexec_b64 s[2:3], s[8:9]", "s_xor_b64 s[2:3], exec, s[2:3]", "s_cbranch_execz 5",
                  "s_bcnt1_i32_b64 s4, s[4:5]", ATOMIC));
    assert_int_equal(r.start, 7 * STEP + 1);
    assert_int_equal(r.counted, 1 * STEP);
    assert_int_equal(r.behind, 10 * STEP);
}

/* As LLVM 19 and later write it: the mask is made in a pair of registers first. */
static void through_registers(void **state)
{
    (void)state;
    struct ls_lanes_region r = last(CODE(LOW, HIGH, FIRST, "s_and_b64 s[2:3], exec, vcc",
                                         "s_mov_b64 exec, s[2:3]", "s_cbranch_execz 8", ATOMIC));
    assert_int_equal(r.start, 4 * STEP + 1);
    assert_int_equal(r.counted, 0);
    assert_int_equal(r.behind, 6 * STEP);
    r = last(CODE(LOW, HIGH, FIRST, "s_and_b64 vcc, vcc, exec", "s_nop 0", "s_mov_b64 exec, vcc", ATOMIC));
    assert_int_equal(r.start, 5 * STEP + 1);
    /* other lanes; another pair; changed in between; all but the lowest */
    assert_int_equal(
        last(CODE(LOW, HIGH, FIRST, "s_and_b64 s[2:3], exec, s[6:7]", "s_mov_b64 exec, s[2:3]", ATOMIC))
            .start,
        0);
    assert_int_equal(
        last(CODE(LOW, HIGH, FIRST, "s_and_b64 s[2:3], exec, vcc", "s_mov_b64 exec, s[4:5]", ATOMIC)).start,
        0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, "s_and_b64 s[2:3], exec, vcc", "s_mov_b32 s3, 0",
                               "s_mov_b64 exec, s[2:3]", ATOMIC))
                         .start,
                     0);
    assert_int_equal(
        last(CODE(LOW, HIGH, FIRST, "s_andn2_b64 s[2:3], exec, vcc", "s_mov_b64 exec, s[2:3]", ATOMIC)).start,
        0);
}

/* Wavefronts of 32 lanes: masks are one register, and v_mbcnt_lo has counted them all. */
static void of_32_lanes(void **state)
{
    (void)state;
    struct ls_lanes_region r = last_of(
        32, CODE("s_mov_b32 s4, exec_lo", "v_mbcnt_lo_u32_b32 v1, s4, 0", "v_cmp_eq_u32_e32 vcc_lo, 0, v1",
                 "s_and_saveexec_b32 s2, vcc_lo", "s_cbranch_execz 5", ATOMIC));
    assert_int_equal(r.start, 3 * STEP + 1);
    assert_int_equal(r.counted, 0);
    assert_int_equal(r.behind, 5 * STEP);
    r = last_of(32, CODE("v_mbcnt_lo_u32_b32 v1, exec_lo, 0", "v_cmp_eq_u32_e64 s3, 0, v1",
                         "s_and_b32 s5, exec_lo, s3", "s_mov_b32 exec_lo, s5", ATOMIC));
    assert_int_equal(r.start, 3 * STEP + 1);
    /* the comparison writes exec itself; that of another number, of another register, or of 64 lanes and half of them */
    r = last_of(32, CODE("s_mov_b32 s4, exec_lo", "s_mov_b32 s5, exec_lo", "v_mbcnt_lo_u32_b32 v1, s4, 0",
                         "v_cmpx_eq_u32_e32 0, v1", "s_cbranch_execz 5", ATOMIC));
    assert_int_equal(r.start, 3 * STEP + 1);
    assert_int_equal(r.behind, 5 * STEP);
    assert_int_equal(last_of(32, CODE(LOW, "v_cmpx_eq_u32_e64 0, v1", ATOMIC)).start, 1 * STEP + 1);
    assert_int_equal(last_of(32, CODE(LOW, "v_cmpx_eq_u32_e32 1, v1", ATOMIC)).start, 0);
    assert_int_equal(last_of(32, CODE(LOW, "v_cmpx_eq_u32_e32 0, v2", ATOMIC)).start, 0);
    assert_int_equal(last_of(32, CODE(LOW, "v_cmpx_ne_u32_e32 0, v1", ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, "v_cmpx_eq_u32_e32 0, v1", ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, "v_cmpx_eq_u32_e32 vcc, 0, v1", ATOMIC)).start,
                     2 * STEP + 1); /* gfx9 */
    /* the upper lanes are none there, so that their count changes nothing */
    assert_int_equal(last_of(32, CODE(LOW, HIGH, "v_cmpx_eq_u32_e32 0, v1", ATOMIC)).start, 2 * STEP + 1);
    /* of 64 lanes that is half of them, and a mask of 32 bits is none */
    assert_int_equal(
        last(CODE("v_mbcnt_lo_u32_b32 v1, exec_lo, 0", "v_cmp_eq_u32_e32 vcc, 0, v1", SAVE, ATOMIC)).start,
        0);
    assert_int_equal(last_of(32, CODE("v_mbcnt_lo_u32_b32 v1, exec_lo, 0", "v_cmp_eq_u32_e32 vcc_lo, 0, v1",
                                      "s_andn2_saveexec_b32 s2, vcc_lo", ATOMIC))
                         .start,
                     0);
}

static void over(void **state)
{
    (void)state;
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, SAVE, ATOMIC, "s_or_b64 exec, exec, s[2:3]")).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, SAVE, "s_cbranch_vccz 4", ATOMIC)).start, 0);
    assert_int_equal(
        last(CODE(LOW, HIGH, FIRST, SAVE, "s_cbranch_execz 4", "s_cbranch_scc1 2", ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, SAVE, "s_cbranch_execnz 40", ATOMIC)).start, 0);
}

static void something_else(void **state)
{
    (void)state;
    /* not the active lanes; the second lane; not equal; another condition */
    assert_int_equal(last(CODE("v_mbcnt_lo_u32_b32 v1, -1, 0", HIGH, FIRST, SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, "v_cmp_eq_u32_e32 vcc, 1, v1", SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, "v_cmp_ne_u32_e32 vcc, 0, v1", SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, "s_and_saveexec_b64 s[2:3], s[6:7]", ATOMIC)).start, 0);
    assert_int_equal(
        last(CODE("v_mbcnt_lo_u32_b32 v1, s4, 0", "v_mbcnt_hi_u32_b32 v1, s5, v1", FIRST, SAVE)).start, 0);
    /* of the lower lanes only, or added to something */
    assert_int_equal(last(CODE(LOW, FIRST, SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE("v_mbcnt_lo_u32_b32 v1, exec_lo, v2", HIGH, FIRST, SAVE, ATOMIC)).start, 0);
    /* registers or lanes changed in between */
    assert_int_equal(last(CODE(LOW, HIGH, "v_add_u32_e32 v1, 1, v1", FIRST, SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, "global_load_dwordx2 v[0:1], v[4:5], off", FIRST, SAVE)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, "v_cmp_lt_u32_e32 vcc, 3, v9", SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, "v_add_co_u32_e32 v3, vcc, v4, v5", SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE(LOW, HIGH, FIRST, "s_or_b64 exec, exec, s[8:9]", SAVE, ATOMIC)).start, 0);
    assert_int_equal(last(CODE("s_mov_b64 s[4:5], exec", "s_mov_b32 s5, 0", "v_mbcnt_lo_u32_b32 v1, s4, 0",
                               "v_mbcnt_hi_u32_b32 v1, s5, v1", FIRST, SAVE))
                         .start,
                     0);
}

/* Only counts of active lanes can mean that one lane does an atomic: not of all lanes, nor of a mask that may be another one in
 * each lane, which Triton's atomics count for themselves. */
static void counts(void **state)
{
    (void)state;
    struct ls_lanes x = {0};
    const struct {
        const char *text;
        uint32_t counts;
    } cases[] = {{"v_mbcnt_lo_u32_b32 v1, -1, 0", 0},
                 {"v_mbcnt_lo_u32_b32 v8, v8, 0", 0},
                 {LOW, 1},
                 {"v_mbcnt_lo_u32_b32 v1, s4, v9", 2}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ls_op op = ls_op_text(cases[i].text, 64, 0, 0);
        ls_lanes_next(&x, &op, i * STEP, STEP, 0);
        assert_int_equal(x.counts, cases[i].counts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found),          cmocka_unit_test(through_registers),
                                       cmocka_unit_test(of_32_lanes),    cmocka_unit_test(over),
                                       cmocka_unit_test(something_else), cmocka_unit_test(counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
