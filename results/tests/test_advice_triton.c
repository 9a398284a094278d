/* Layouts as Gluon writes them, applied by Triton's own definitions to a column of a tile of 32 x 32 floats: of 32 lanes that
 * read it, each must have a bank of its own (32 banks of 4 bytes), which without a layout is one bank for all. */
#include "results/advice/advice_triton.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 32, BANKS = 32 };

static char *written(void (*put)(FILE *out, int64_t element, int64_t pitch, int64_t change), int64_t element,
                     int64_t pitch, int64_t change)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    put(out, element, pitch, change);
    fclose(out);
    return text;
}

static int banks_of(const unsigned offset[N])
{
    uint32_t banks = 0;
    for (unsigned i = 0; i < N; i++)
        banks |= 1u << offset[i] % BANKS;
    return __builtin_popcount(banks);
}

/* SwizzledSharedLayout: the column's vector number is XORed by row / per_phase % max_phase. */
static void test_swizzle(void **state)
{
    (void)state;
    char *text = written(ls_triton_put_swizzle, 4, N * 4, 4);
    unsigned vec, phase, phases, offset[N];
    assert_true(sscanf(text, "in Gluon SwizzledSharedLayout(vec=%u, per_phase=%u, max_phase=%u, order)", &vec,
                       &phase, &phases) == 3);
    assert_true(strstr(text, "rows of 32 elements of 4 B"));
    for (unsigned column = 0; column < N; column++) {
        for (unsigned row = 0; row < N; row++)
            offset[row] = row * N + ((column / vec) ^ (row / phase % phases)) * vec + column % vec;
        assert_true(banks_of(offset) == BANKS);
    }
    free(text);
    text = written(ls_triton_put_swizzle, 2, 128, 16); /* halves in vectors of 8 */
    assert_true(strstr(text, "vec=8, per_phase=1, max_phase=8, order), rows of 64 elements of 2 B"));
    free(text);
}

/* PaddedSharedLayout: after each `interval` elements come `padding` ones that nobody uses. */
static void test_pad(void **state)
{
    (void)state;
    char *text = written(ls_triton_put_pad, 4, N * 4, 4);
    unsigned interval, padding, offset[N], plain[N];
    assert_true(
        sscanf(text, "in Gluon PaddedSharedLayout.with_identity_for([[%u, %u]]", &interval, &padding) == 2);
    for (unsigned row = 0; row < N; row++) {
        plain[row] = row * N + 5;
        offset[row] = plain[row] + plain[row] / interval * padding;
    }
    assert_true(banks_of(plain) == 1 && banks_of(offset) == BANKS);
    free(text);
}

/* Triton refuses intervals, paddings and phases that are no powers of two. */
static void test_what_gluon_has(void **state)
{
    (void)state;
    assert_true(ls_triton_has_layout("pad", 4, 128, 4, 0) && ls_triton_has_layout("pad", 2, 128, 16, 0));
    assert_true(!ls_triton_has_layout("pad", 4, 128, 12, 0) && !ls_triton_has_layout("pad", 4, 1088, 16, 0));
    assert_true(!ls_triton_has_layout("pad", 4, 130, 4, 0) && !ls_triton_has_layout("pad", 0, 128, 4, 0));
    assert_true(ls_triton_has_layout("xor", 4, 128, 0, 16) && !ls_triton_has_layout("xor", 4, 128, 0, 2));
    assert_true(!ls_triton_has_layout("split", 4, 128, 0, 4) && !ls_triton_has_layout("grow", 4, 128, 4, 0));
}

static void check_divisibility(const char *kernel, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ls_triton_put_divisibility(out, kernel, 4);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void test_arguments(void **state)
{
    static const char not_told[] =
        "Triton could not tell that they are one (tl.multiple_of, tl.max_contiguous, tl.max_constancy)";
    (void)state;
    check_divisibility(
        "layernorm<x=*fp32:16, w=*fp32:16, columns=i32, BLOCK=1024, num_warps=4, num_stages=2>",
        "columns may not be divisible by 16; pad to a multiple of 16, or, where 4 always divides it, use n "
        "// 4 * 4 for n");
    check_divisibility("k<x=*fp16, n=i64, m=i32:16, o=u32, f=fp32, SHAPE=(1, 2), num_warps=8>",
                       "x may not start at a multiple of 16 B, n, o may not be divisible by 16; pad to a "
                       "multiple of 16, or, where 4 "
                       "always divides them, use n // 4 * 4 for n");
    check_divisibility("k<x=*fp32, num_warps=4>", "x may not start at a multiple of 16 B");
    check_divisibility("k<x=*fp32:16, num_warps=4>", not_told);
    check_divisibility("plain", not_told);
    check_divisibility("void k<int, 4>(float*)", not_told);
    check_divisibility("cut<x=", not_told);
    assert_true(ls_triton_option("k<x=*fp32, num_warps=8, num_stages=2>", "num_warps") == 8);
    assert_true(ls_triton_option("k(float*)", "num_warps") == 0 &&
                ls_triton_option("k<num_warps", "num_warps") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swizzle),
        cmocka_unit_test(test_pad),
        cmocka_unit_test(test_what_gluon_has),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests_name("advice_triton", tests, NULL, NULL);
}
