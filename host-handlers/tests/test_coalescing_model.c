/* test_coalescing_model.c - cache lines and requests, with numbers derived by hand beside each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host-handlers/models/coalescing_model.h"

static struct ls_cache_cost strided(const char *arch, unsigned bytes, uint64_t base, int64_t stride,
                                    uint64_t exec)
{
    uint64_t addr[64];
    for (unsigned lane = 0; lane < 64; lane++)
        addr[lane] = base + (uint64_t)(stride * (int64_t)lane);
    return ls_cache_access(ls_gpu_with_cache(arch), bytes, exec, addr);
}

static void contiguous_dwords(void **state)
{
    (void)state;
    /* 64 x 4 = 256 bytes, aligned: 4 lines of 64, 2 of 128; each quad's 16 bytes lie in one block: 16
     * requests */
    struct ls_cache_cost c = strided("gfx90a", 4, 0x10000, 4, ~0ull);
    assert_int_equal(c.bytes, 256);
    assert_int_equal(c.l1_lines, 4);
    assert_int_equal(c.l1_needed, 4);
    assert_int_equal(c.l2_lines, 2);
    assert_int_equal(c.l2_needed, 2);
    assert_int_equal(c.requests, 16);
    c = strided("gfx942", 4, 0x10000, 4, ~0ull);
    assert_int_equal(c.l1_lines, 2);
    assert_int_equal(c.l1_needed, 2);
}

static void misaligned(void **state)
{
    (void)state;
    /* from byte 4: 4..259 touches lines 0..4 of 64 and 0..2 of 128; needed stays */
    struct ls_cache_cost c = strided("gfx90a", 4, 0x10004, 4, ~0ull);
    assert_int_equal(c.l1_lines, 5);
    assert_int_equal(c.l1_needed, 4);
    assert_int_equal(c.l2_lines, 3);
    assert_int_equal(c.l2_needed, 2);
    /* a quad is 16 bytes at 4 + 16 q: it crosses a 64-byte block when (4 + 16 q) mod 64 = 52, for q = 3, 7,
     * 11, 15 */
    assert_int_equal(c.requests, 20);
}

static void wide_stride(void **state)
{
    (void)state;
    struct ls_cache_cost c = strided("gfx90a", 4, 0x10000, 128, ~0ull);
    assert_int_equal(c.l1_lines, 64);
    assert_int_equal(c.l1_needed, 4);
    assert_int_equal(c.l2_lines, 64);
    assert_int_equal(c.l2_needed, 2);
    assert_int_equal(c.requests, 64); /* uncoalesced: 25 % */
    c = strided("gfx90a", 4, 0x10000 + 63 * 128, -128, ~0ull);
    assert_int_equal(c.l1_lines, 64); /* the direction does not matter */
    assert_int_equal(c.requests, 64);
}

static void broadcast(void **state)
{
    (void)state;
    struct ls_cache_cost c = strided("gfx90a", 4, 0x10000, 0, ~0ull);
    assert_int_equal(c.bytes, 4);
    assert_int_equal(c.l1_lines, 1);
    assert_int_equal(c.l1_needed, 1);
    assert_int_equal(c.requests, 16);
}

static void four_dwords(void **state)
{
    (void)state;
    /* 64 x 16 = 1024 bytes: 16 lines of 64, 8 of 128; a quad is exactly one 64-byte block */
    struct ls_cache_cost c = strided("gfx90a", 16, 0x10000, 16, ~0ull);
    assert_int_equal(c.l1_lines, 16);
    assert_int_equal(c.l1_needed, 16);
    assert_int_equal(c.l2_lines, 8);
    assert_int_equal(c.requests, 16);
    /* one lane: 16 bytes, one line; 16 quads are walked */
    c = strided("gfx90a", 16, 0x10000, 16, 1);
    assert_int_equal(c.bytes, 16);
    assert_int_equal(c.l1_lines, 1);
    assert_int_equal(c.requests, 16);
}

static void overlapping_and_partial(void **state)
{
    (void)state;
    /* stride 2, 4 bytes: bytes 0..(63*2+3) = 130 distinct bytes; lines of 64: 0..2 */
    struct ls_cache_cost c = strided("gfx90a", 4, 0x10000, 2, ~0ull);
    assert_int_equal(c.bytes, 130);
    assert_int_equal(c.l1_lines, 3);
    assert_int_equal(c.l1_needed, 3);
    /* even lanes, 8 bytes apart: 32 x 4 = 128 bytes spread over 256 - 4: 4 lines touched, 2 needed */
    c = strided("gfx90a", 4, 0x10000, 4, 0x5555555555555555ull);
    assert_int_equal(c.bytes, 128);
    assert_int_equal(c.l1_lines, 4);
    assert_int_equal(c.l1_needed, 2);
    /* an access that straddles two lines touches both */
    c = strided("gfx90a", 8, 0x1003c, 0, 1);
    assert_int_equal(c.l1_lines, 2);
    assert_int_equal(c.l1_needed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous_dwords), cmocka_unit_test(misaligned),
        cmocka_unit_test(wide_stride),       cmocka_unit_test(broadcast),
        cmocka_unit_test(four_dwords),       cmocka_unit_test(overlapping_and_partial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
