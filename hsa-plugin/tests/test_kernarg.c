/*
 * The clone's argument block. The sizes are those that clang 15 and 22 give to
 * k(ptr, ptr, i32, 16-byte struct): explicit arguments end at 36, so H = 40.
 *   code object v4:     original 36, clone 48 (no hidden arguments)
 *   code object v5, v6: original 296, clone 304; the 13 hidden arguments at 40.. move to 48..
 */
#include "tests/check.h"

#include <sys/mman.h>
#include "hsa-plugin/code/kernarg.h"

static void number(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 7 + 1);
}

static void without_hidden(void **state)
{
    (void)state;
    unsigned char src[36], dst[48];
    uint64_t ctx;
    number(src, sizeof src);
    memset(dst, 0xee, sizeof dst);
    assert_null(ls_kernarg_check(36, 48, 40));
    ls_kernarg_build(dst, 48, src, 36, 40, 0x1122334455667788);
    assert_memory_equal(dst, src, 36);
    assert_memory_equal(dst + 36, "\0\0\0\0", 4); /* padding in front of the pointer */
    memcpy(&ctx, dst + 40, 8);
    assert_true(ctx == 0x1122334455667788);
}

static void with_hidden(void **state)
{
    (void)state;
    unsigned char src[296], dst[304];
    uint64_t ctx;
    number(src, sizeof src);
    memset(dst, 0xee, sizeof dst);
    assert_null(ls_kernarg_check(296, 304, 40));
    ls_kernarg_build(dst, 304, src, 296, 40, 99);
    assert_memory_equal(dst, src, 40);
    memcpy(&ctx, dst + 40, 8);
    assert_true(ctx == 99);
    assert_memory_equal(dst + 48, src + 40, 256);
}

/* k(): no explicit arguments at all. */
static void no_arguments(void **state)
{
    (void)state;
    unsigned char src[256], dst[264];
    uint64_t ctx;
    assert_null(ls_kernarg_check(0, 8, 0));
    ls_kernarg_build(dst, 8, NULL, 0, 0, 5);
    memcpy(&ctx, dst, 8);
    assert_true(ctx == 5);
    number(src, sizeof src);
    assert_null(ls_kernarg_check(256, 264, 0));
    ls_kernarg_build(dst, 264, src, 256, 0, 6);
    assert_memory_equal(dst + 8, src, 256);
}

static void refused(void **state)
{
    (void)state;
    assert_non_null(ls_kernarg_check(36, 44, 36));   /* H must be a multiple of 8 */
    assert_non_null(ls_kernarg_check(36, 56, 48));   /* H behind the original's arguments */
    assert_non_null(ls_kernarg_check(36, 40, 40));   /* no room for the pointer */
    assert_non_null(ls_kernarg_check(36, 304, 40));  /* hidden arguments only in the clone */
    assert_non_null(ls_kernarg_check(296, 312, 40)); /* one hidden argument more */
    assert_non_null(ls_kernarg_check(UINT32_MAX, UINT32_MAX, 40));
}

/* A clone that needs fewer hidden arguments than the original gets those that it has room for. */
static void fewer_hidden(void **state)
{
    (void)state;
    unsigned char src[296], dst[64 + 8];
    number(src, sizeof src);
    memset(dst, 0xee, sizeof dst);
    assert_null(ls_kernarg_check(296, 64, 40));
    ls_kernarg_build(dst, 64, src, 296, 40, 1);
    assert_memory_equal(dst + 48, src + 40, 16);
    assert_int_equal(dst[64], 0xee); /* nothing is written behind the block */
}

/* Blocks of every length, at every place of a page up to its last byte, behind which there is nothing to read. */
static void every_place(void **state)
{
    enum { PAGE = 4096, MOST = 100 };
    unsigned char dst[MOST + 16], want[MOST + 16];
    (void)state;
    unsigned char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    assert_int_equal(mprotect(page + PAGE, PAGE, PROT_NONE), 0);
    number(page, PAGE);
    for (uint32_t n = 0; n <= MOST; n++)
        for (uint32_t gap = 0; gap < 20; gap++) {
            const uint32_t h = (n + 7) & ~7u;
            const uint64_t ctx = 0x1122334455667788;
            const unsigned char *src = page + PAGE - gap - n;
            memset(want, 0, sizeof want);
            memcpy(want, src, n);
            memcpy(want + h, &ctx, sizeof ctx);
            memset(dst, 0xee, sizeof dst);
            ls_kernarg_build(dst, h + 8, src, n, h, ctx);
            assert_memory_equal(dst, want, h + 8);
        }
    munmap(page, 2 * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_hidden), cmocka_unit_test(with_hidden),
                                       cmocka_unit_test(no_arguments),   cmocka_unit_test(refused),
                                       cmocka_unit_test(fewer_hidden),   cmocka_unit_test(every_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
