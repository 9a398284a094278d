/* test_masks.c - which instructions have the same active lanes where conditions have no branch: code as LLVM
 * writes it, and each instruction that writes EXEC, for wavefronts of 64 and of 32 lanes. */
#include "tests/check.h"
#include "join/machine/text/op_text.h"
#include "join/machine/masks.h"

/* Runs the code; a line "." is an access. `want` has a letter for each: those of one letter have the same
 * active lanes, no others; '0' are those of the block. */
static void expect(unsigned lanes, const char *want, const char *const *text)
{
    struct ls_masks m = {0};
    uint32_t got[16];
    size_t n = 0;
    for (uint64_t at = 0; text[at / 4]; at += 4) {
        const char *line = text[at / 4];
        const struct ls_op op = ls_op_text(*line == '.' ? "s_nop 0" : line, lanes, 0, (int64_t)at);
        if (*line == '.')
            got[n++] = m.now;
        ls_masks_next(&m, &op, at);
    }
    assert_int_equal(n, strlen(want));
    for (size_t i = 0; i < n; i++) {
        if ((got[i] == 0) != (want[i] == '0'))
            fail_msg("%s: access %zu: %x", want, i, got[i]);
        for (size_t k = 0; k < i; k++)
            if ((got[k] == got[i]) != (want[k] == want[i]))
                fail_msg("%s: accesses %zu and %zu: %x and %x", want, k, i, got[k], got[i]);
    }
}
#define EXPECT(lanes, want, ...) expect(lanes, want, (const char *const[]){__VA_ARGS__, NULL})

static void conditions(void **state)
{
    (void)state;
    EXPECT(64, "0aa0", ".", "s_and_saveexec_b64 s[2:3], vcc", ".", "v_mov_b32_e32 v0, 0", ".",
           "s_or_b64 exec, exec, s[2:3]", ".");
    EXPECT(64, "a0", "s_and_saveexec_b64 s[2:3], vcc", "s_xor_b64 s[2:3], exec, s[2:3]", ".",
           "s_or_b64 exec, exec, s[2:3]", ".");
    EXPECT(64, "0a0", ".", "s_mov_b64 s[2:3], exec", "s_and_b64 exec, exec, vcc", ".",
           "s_mov_b64 exec, s[2:3]", ".");
    /* LLVM 19 and later */
    EXPECT(64, "a0", "s_and_b64 s[2:3], exec, vcc", "s_xor_b64 s[4:5], s[2:3], exec",
           "s_mov_b64 exec, s[2:3]", ".", "s_or_b64 exec, exec, s[4:5]", ".");
    /* behind a branch all are of its block */
    EXPECT(64, "a0", "s_and_saveexec_b64 s[2:3], vcc", ".", "s_cbranch_execz 8", ".");
}

static void conditions_in_conditions(void **state)
{
    (void)state;
    EXPECT(64, "aba0", "s_and_saveexec_b64 s[2:3], vcc", ".", "s_and_saveexec_b64 s[4:5], s[6:7]", ".",
           "s_or_b64 exec, exec, s[4:5]", ".", "s_or_b64 exec, exec, s[2:3]", ".");
    EXPECT(64, "ab0", "s_and_saveexec_b64 s[2:3], vcc", ".", "s_and_saveexec_b64 s[4:5], s[6:7]", ".",
           "s_or_b64 exec, exec, s[2:3]", ".");
}

/* D = EXEC; EXEC = S0 & ~EXEC ("AMD Instinct MI200 ISA", section SOP1: S_ANDN2_SAVEEXEC_B64): the lanes behind
 * it are other ones, not fewer. */
static void otherwise(void **state)
{
    (void)state;
    EXPECT(64, "ab0", "s_and_saveexec_b64 s[2:3], vcc", "s_xor_b64 s[2:3], exec, s[2:3]", ".",
           "s_andn2_saveexec_b64 s[2:3], s[2:3]", ".", "s_or_b64 exec, exec, s[2:3]", ".");
    EXPECT(64, "a0b0", "s_and_saveexec_b64 s[2:3], vcc", "s_xor_b64 s[2:3], exec, s[2:3]", ".",
           "s_or_saveexec_b64 s[2:3], s[2:3]", ".", "s_xor_b64 exec, exec, s[2:3]", ".",
           "s_or_b64 exec, exec, s[2:3]", ".");
    /* inside another condition: what comes together again is that one */
    EXPECT(64, "abca0", "s_and_saveexec_b64 s[8:9], vcc", ".", "s_and_saveexec_b64 s[2:3], s[6:7]",
           "s_xor_b64 s[2:3], exec, s[2:3]", ".", "s_andn2_saveexec_b64 s[2:3], s[2:3]", ".",
           "s_or_b64 exec, exec, s[2:3]", ".", "s_or_b64 exec, exec, s[8:9]", ".");
    /* of the others some were switched off and not on again: nobody knows what comes together */
    EXPECT(64, "abcd", "s_and_saveexec_b64 s[2:3], vcc", "s_xor_b64 s[2:3], exec, s[2:3]", ".",
           "s_andn2_saveexec_b64 s[2:3], s[2:3]", ".", "s_and_b64 exec, exec, s[6:7]", ".",
           "s_or_b64 exec, exec, s[2:3]", ".");
}

/* Each makes a new set of lanes, which is neither that before it nor that of the block. */
static void all_that_write_exec(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "s_and_saveexec_b64 s[4:5], s[6:7]",
        "s_andn1_saveexec_b64 s[4:5], s[6:7]",
        "s_andn2_saveexec_b64 s[4:5], s[6:7]",
        "s_xor_saveexec_b64 s[4:5], s[6:7]",
        "s_nand_saveexec_b64 s[4:5], s[6:7]",
        "s_nor_saveexec_b64 s[4:5], s[6:7]",
        "s_xnor_saveexec_b64 s[4:5], s[6:7]",
        "s_orn1_saveexec_b64 s[4:5], s[6:7]",
        "s_orn2_saveexec_b64 s[4:5], s[6:7]",
        "s_andn1_wrexec_b64 s[4:5], s[6:7]",
        "s_andn2_wrexec_b64 s[4:5], s[6:7]",
        "s_and_b64 exec, exec, s[6:7]",
        "s_and_b64 exec, s[6:7], exec",
        "s_andn2_b64 exec, exec, s[6:7]",
        "s_andn2_b64 exec, s[6:7], exec",
        "s_xor_b64 exec, exec, s[6:7]",
        "v_cmpx_gt_u32_e32 3, v0",
        "s_lshl_b64 exec, exec, 1",
        "s_mov_b32 exec_lo, s6",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        EXPECT(64, "0ab", ".", "s_and_saveexec_b64 s[2:3], vcc", ".", texts[i], ".");
    /* who came here another way */
    EXPECT(64, "00", "s_or_b64 exec, exec, s[6:7]", ".", "s_mov_b64 exec, s[6:7]", ".");
    EXPECT(64, "0", "s_or_saveexec_b64 s[2:3], s[6:7]", ".");
    /* registers that were written since */
    EXPECT(64, "ab0", "s_and_saveexec_b64 s[2:3], vcc", ".", "s_and_saveexec_b64 s[4:5], s[6:7]", ".",
           "s_mov_b32 s5, 0", "s_or_b64 exec, exec, s[4:5]", ".");
}

static void of_32_lanes(void **state)
{
    (void)state;
    EXPECT(32, "0aba0", ".", "s_and_saveexec_b32 s2, vcc_lo", ".", "s_and_saveexec_b32 s3, s6", ".",
           "s_or_b32 exec_lo, exec_lo, s3", ".", "s_or_b32 exec_lo, exec_lo, s2", ".");
    EXPECT(32, "ab0", "s_and_saveexec_b32 s2, vcc_lo", "s_xor_b32 s2, exec_lo, s2", ".",
           "s_and_not1_saveexec_b32 s2, s2", ".", "s_or_b32 exec_lo, exec_lo, s2", ".");
    EXPECT(32, "a0", "s_mov_b32 s2, exec_lo", "s_and_b32 exec_lo, exec_lo, vcc_lo", ".",
           "s_mov_b32 exec_lo, s2", ".");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions), cmocka_unit_test(conditions_in_conditions), cmocka_unit_test(otherwise),
        cmocka_unit_test(all_that_write_exec), cmocka_unit_test(of_32_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
