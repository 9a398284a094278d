/* test_coalescing_model.c - cache lines and requests, with numbers derived by hand beside each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Distinct blocks of `size` bytes that bytes lie in. */
static uint32_t distinct(const uint64_t *byte, unsigned n, unsigned size)
{
    uint64_t block[1024];
    uint32_t found = 0;
    for (unsigned i = 0; i < n; i++)
        block[i] = byte[i] / size;
    qsort(block, n, sizeof *block, by_value);
    for (unsigned i = 0; i < n; i++)
        found += !i || block[i] != block[i - 1];
    return found;
}

/* Bytes of the active ones of `lanes` lanes, one by one. */
static unsigned list(unsigned bytes, uint64_t exec, const uint64_t *addr, unsigned lanes, uint64_t *byte)
{
    unsigned n = 0;
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned k = 0; exec >> lane & 1 && k < bytes; k++)
            byte[n++] = addr[lane] + k;
    return n;
}

/* By every byte that is touched. */
static void compare(const char *arch, unsigned bytes, uint64_t exec, const uint64_t addr[64])
{
    const struct ls_gpu *gpu = ls_gpu_with_cache(arch);
    const unsigned lanes = ls_gpu_wave(gpu);
    uint64_t byte[1024];
    unsigned n = list(bytes, exec, addr, 64, byte);
    const uint32_t touched = distinct(byte, n, 1), l1 = distinct(byte, n, gpu->l1_line),
                   l2 = distinct(byte, n, gpu->l2_line);
    uint32_t requests = 0;
    for (unsigned q = 0; q < lanes; q += 4) {
        n = list(bytes, exec >> q, addr + q, 4, byte);
        requests += n ? distinct(byte, n, 64) : 1;
    }
    for (unsigned way = 0; way < 2; way++) {
        const struct ls_cache_cost c =
            way ? ls_cache_access_by_lane(gpu, bytes, exec, addr) : ls_cache_access(gpu, bytes, exec, addr);
        assert_int_equal(c.bytes, touched);
        assert_int_equal(c.l1_lines, l1);
        assert_int_equal(c.l2_lines, l2);
        assert_int_equal(c.l1_needed, (touched + gpu->l1_line - 1) / gpu->l1_line);
        assert_int_equal(c.l2_needed, (touched + gpu->l2_line - 1) / gpu->l2_line);
        assert_int_equal(c.requests, requests);
    }
}

static uint64_t any(void)
{
    static uint64_t x = 88172645463325252; /* Marsaglia's xorshift */
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* All lanes at once, one lane after the other, and byte by byte: the same. Addresses crowded and far apart, around 0, and so that
 * distances in 32 bits just fit and just do not. */
static void by_bytes(void **state)
{
    static const uint64_t base[] = {0, 1, 0x7f0000000000, 0xffffffff, 1ull << 48, ~0ull - 100},
                          range[] = {1, 16, 64, 200, 1024, 16384, 1ull << 20, 1ull << 31, 1ull << 32, ~0ull};
    static const unsigned bytes[] = {1, 2, 4, 8, 12, 16, 3};
    static const char *const arch[] = {"gfx90a", "gfx942", "gfx1030"};
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        const uint64_t from = base[any() % 6], size = range[any() % 10], unit = any() % 3 ? 4 : 1,
                       step = any() % 200;
        const unsigned a = (unsigned)(any() % 3), how = (unsigned)(any() % 4);
        uint64_t exec = any() % 2 ? ~0ull : any(), addr[64];
        exec = a == 2 ? exec & 0xffffffff : exec;
        for (unsigned lane = 0; lane < 64; lane++)
            addr[lane] = how == 0   ? from + any() % size
                         : how == 1 ? from + any() % size / unit * unit
                         : how == 2 ? from - lane * step * unit
                                    : from + (lane % 2 ? 0 : (1ull << 31) - 520 + step * 8);
        compare(arch[a], bytes[any() % 7], exec ? exec : 1, addr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous_dwords), cmocka_unit_test(misaligned),
        cmocka_unit_test(wide_stride),       cmocka_unit_test(broadcast),
        cmocka_unit_test(four_dwords),       cmocka_unit_test(overlapping_and_partial),
        cmocka_unit_test(by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
