/* test_scratch.c - buffer instructions that access scratch memory, as compilers write them, and others. */
#include "tests/check.h"
#include "join/machine/text/op_text.h"
#include "join/machine/scratch.h"

static const char GFX90A[] = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
static const char GFX942[] = "amdgcn-amd-amdhsa--gfx942";

/* How many of these instructions access scratch memory. */
static int count(bool kernel, const char *target, const char *const *text)
{
    struct ls_scratch x = ls_scratch_begin(kernel, ls_scratch_has_instructions(target));
    int n = 0;
    for (; *text; text++) {
        const struct ls_op op = ls_op_text(*text, 64, 0, 0);
        n += ls_scratch_next(&x, &op);
    }
    return n;
}

#define CODE(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SPILL "buffer_store_dword v4, off, s[28:31], 0 offset:64"
#define OTHER "buffer_load_dword v4, v1, s[4:7], 0 offen"

static void kernels(void **state)
{
    (void)state;
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_mov_b64 s[30:31], s[2:3]", "s_mov_b64 s[28:29], s[0:1]",
                   "s_load_dwordx2 s[0:1], s[4:5], 0x0", "s_add_u32 s28, s28, s7", "s_addc_u32 s29, s29, 0",
                   SPILL, OTHER, "buffer_load_dword v1, off, s[28:31], 0", SPILL)),
        3);
    /* it stays where it is */
    assert_int_equal(count(true, GFX90A,
                           CODE("s_add_u32 s0, s0, s7", "s_addc_u32 s1, s1, 0",
                                "buffer_load_dword v1, v2, s[0:3], 0 offen", OTHER, SPILL)),
                     1);
    /* another sum; a resource that the program made */
    assert_int_equal(count(true, GFX90A, CODE("s_add_u32 s8, s8, s7", "s_addc_u32 s9, s9, 0", OTHER, SPILL)),
                     0);
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_mov_b64 s[30:31], s[4:5]", "s_add_u32 s28, s28, s7", "s_addc_u32 s29, s29, 0", SPILL)),
        0);
}

/* Buffers of the program's in the registers in which a kernel without scratch memory begins with its description, whose
 * addresses are computed much as that of scratch memory is. */
static void kernels_that_need_none(void **state)
{
    (void)state;
    static const char LOAD[] = "buffer_load_ushort v1, v1, s[0:3], 0 offen";
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_add_u32 s0, s0, 0x1400", "s_addc_u32 s1, s8, 0", "s_and_b32 s1, s1, 0xffff", LOAD)),
        0);
    assert_int_equal(count(true, GFX90A, CODE("s_add_u32 s0, s0, 0x1400", "s_addc_u32 s1, s1, 0", LOAD)), 0);
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_mul_i32 s0, s12, 0xc00", "s_add_u32 s0, s0, s7", "s_addc_u32 s1, s1, 0", LOAD)),
        0);
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_mov_b32 s3, 0x27000", "s_add_u32 s0, s0, s7", "s_addc_u32 s1, s1, 0", LOAD)),
        0);
    assert_int_equal(
        count(true, GFX90A, CODE("s_add_u32 s0, s0, s7", "s_mov_b32 s1, s8", "s_addc_u32 s1, s1, 0", LOAD)),
        0);
    /* the upper half was copied before it was overwritten, the lower one after */
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_mov_b64 s[30:31], s[2:3]", "s_load_dwordx4 s[0:3], s[4:5], 0x0",
                   "s_mov_b64 s[28:29], s[0:1]", "s_add_u32 s28, s28, s7", "s_addc_u32 s29, s29, 0", SPILL)),
        0);
    /* from where it was to where it stays */
    assert_int_equal(
        count(true, GFX90A,
              CODE("s_mov_b64 s[30:31], s[2:3]", "s_add_u32 s28, s0, s7", "s_addc_u32 s29, s1, 0", SPILL)),
        1);
}

static void functions(void **state)
{
    (void)state;
    const char *const *code =
        CODE("s_mov_b32 s4, s33", "buffer_store_dword v40, off, s[0:3], s33 offset:4",
             "buffer_load_dword v0, off, s[4:7], 0", "global_load_dword v0, v[0:1], off",
             "buffer_load_dword v40, off, s[0:3], s33 offset:4");
    assert_int_equal(count(false, GFX90A, code), 2);
    assert_int_equal(count(false, "gfx1030", code), 2);
    /* GPUs whose scratch has instructions of its own: a buffer of the program's */
    assert_int_equal(count(false, GFX942, code), 0);
    assert_int_equal(count(false, "gfx1100", code), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(kernels_that_need_none),
                                       cmocka_unit_test(functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
