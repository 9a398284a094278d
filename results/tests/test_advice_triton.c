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

static struct ls_compiler_tile of_bytes(int64_t element)
{
    return (struct ls_compiler_tile){.element = element, .plain = true};
}

static bool has_layout(const char *kind, int64_t element, int64_t pitch, int64_t add, int64_t unit)
{
    const struct ls_compiler_tile tile = of_bytes(element);
    return ls_triton_has_layout(kind, &tile, pitch, add, unit);
}

static char *written(void (*put)(FILE *out, const struct ls_compiler_tile *tile, int64_t pitch,
                                 int64_t change),
                     struct ls_compiler_tile tile, int64_t pitch, int64_t change)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    put(out, &tile, pitch, change);
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
    char *text = written(ls_triton_put_swizzle, of_bytes(4), N * 4, 4);
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
    text = written(ls_triton_put_swizzle, of_bytes(2), 128, 16); /* halves in vectors of 8 */
    assert_true(strstr(text, "vec=8, per_phase=1, max_phase=8, order), rows of 64 elements of 2 B"));
    free(text);
}

/* PaddedSharedLayout: after each `interval` elements come `padding` ones that nobody uses. */
static void test_pad(void **state)
{
    (void)state;
    char *text = written(ls_triton_put_pad, of_bytes(4), N * 4, 4);
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
    assert_true(has_layout("pad", 4, 128, 4, 0) && has_layout("pad", 2, 128, 16, 0));
    assert_true(!has_layout("pad", 4, 128, 12, 0) && !has_layout("pad", 4, 1088, 16, 0));
    assert_true(!has_layout("pad", 4, 130, 4, 0) && !has_layout("pad", 0, 128, 4, 0));
    assert_true(has_layout("xor", 4, 128, 0, 16) && !has_layout("xor", 4, 128, 0, 2));
    assert_true(!has_layout("split", 4, 128, 0, 4) && !has_layout("grow", 4, 128, 4, 0));
}

/* A tile of 64 x 64 halves, whose column 64 banks of 4 bytes are to serve: the replay XORs rows of 256 bytes, all banks, which are two of
 * the tile. By Triton's definition: with per_phase=2, max_phase=32 no two rows of a column share a bank; as they are, 32 do. */
static void test_tile_of_short_rows(void **state)
{
    (void)state;
    const struct ls_compiler_tile tile = {64, 128, 2, true}, longer = {128, 128, 2, true},
                                  swizzled = {64, 128, 2, false};
    unsigned vec, phase, phases;
    char *text = written(ls_triton_put_swizzle, tile, 256, 4);
    assert_true(sscanf(text, "in Gluon SwizzledSharedLayout(vec=%u, per_phase=%u, max_phase=%u, order)", &vec,
                       &phase, &phases) == 3);
    assert_null(strstr(text, "rows of"));
    for (unsigned column = 0; column < 64; column++) {
        uint64_t banks = 0;
        for (unsigned row = 0; row < 64; row++)
            banks |=
                1ull << (row * 64 + ((column / vec) ^ (row / phase % phases)) * vec + column % vec) / 2 % 64;
        assert_true(banks == ~0ull);
    }
    free(text);
    assert_true(ls_triton_has_layout("xor", &tile, 256, 0, 4) &&
                ls_triton_has_layout("xor", &longer, 128, 0, 4));
    assert_true(!ls_triton_has_layout("xor", &longer, 256, 0, 4)); /* of 64 groups, but a row has 32 units */
    assert_true(!ls_triton_has_layout("xor", &tile, 64, 0, 4));    /* half a row */
    assert_true(!ls_triton_has_layout("xor", &swizzled, 256, 0, 4) &&
                !ls_triton_has_layout("pad", &swizzled, 128, 4,
                                      0)); /* the replay moved what had been moved already */
    text = written(ls_triton_put_pad, tile, 128, 4);
    assert_string_equal(text, "in Gluon PaddedSharedLayout.with_identity_for([[64, 2]], shape, order)");
    free(text);
}

static void told(const char *compiler, const char *kind, bool expected, struct ls_compiler_tile tile)
{
    static uint32_t columns[] = {13};
    struct ls_compiler_tile found = {0};
    const struct ls_p_kernel k = {.compiler = compiler};
    const struct ls_p_line line = {
        .file = "/x/k.py", .line = 15, .columns = columns, .n_columns = 1, .kind = kind, .space = "LDS"};
    assert_int_equal(ls_compiler_tile(&k, &line, &found), expected);
    if (expected)
        assert_true(found.rows == tile.rows && found.row == tile.row && found.element == tile.element &&
                    found.plain == tile.plain);
}

static void test_tiles(void **state)
{
    (void)state;
    const struct ls_compiler_tile one = {64, 128, 2, true}, none = {0};
    told("code=stock\ntile=k.py:15:13:load 64 128 2 1", "load", true, one);
    told("tile=k.py:15:13:load 64 128 2 1\ntile=k.py:15:13:load 64 128 2 1\n", "load", true, one);
    told("tile=k.py:15:13:load 64 128 2 1\ntile=k.py:15:13:load 32 128 2 1", "load", true, none);
    told("tile=k.py:15:13:access 0 0 0 0", "store", true, none);
    /* elsewhere: all places have one; or several; or some whose layout is the compiler's */
    told("tile=k.py:15:13:load 64 128 2 1\ntile=k.py:13:5:LDS DMA write 64 128 2 1", "store", true, one);
    told("tile=k.py:15:14:load 64 128 2 1\ntile=k.py:15:13:store 64 128 4 1", "load", false, none);
    told("tile=k.py:13:5:store 64 128 2 1\ntile=k.py:14:5:access 0 0 0 0", "load", false, none);
    told("tile=k.py:15:13:load 64 128 2\ntile=", "load", false, none);
    told(NULL, "load", false, none);
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
        cmocka_unit_test(test_swizzle),        cmocka_unit_test(test_pad),
        cmocka_unit_test(test_what_gluon_has), cmocka_unit_test(test_tile_of_short_rows),
        cmocka_unit_test(test_tiles),          cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests_name("advice_triton", tests, NULL, NULL);
}
