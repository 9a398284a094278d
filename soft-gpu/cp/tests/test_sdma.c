/*
 * SDMA packets, written dword by dword as in ROCr's sdma_registers.h.
 */
#include "rig.h"

#define LOW(p) ((uint32_t)(uintptr_t)(p))
#define HIGH(p) ((uint32_t)((uintptr_t)(p) >> 32))

static void pattern(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 13 + (i >> 8) * 7 + seed);
}

static void linear_copy(void **state)
{
    (void)state;
    struct rig r;
    struct test_sdma s;
    rig_open(&r);
    rig_sdma(&r, &s, 1);
    static const size_t sizes[] = {1, 3, 4096, 70001, 4194303, 5u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t n = sizes[i];
        uint8_t *src = (uint8_t *)rig_alloc(&r, n + 8) + i % 4,
                *dst = (uint8_t *)rig_alloc(&r, n + 8) + i % 3;
        pattern(src, n, (unsigned)i);
        uint32_t copy[] = {1, (uint32_t)(n - 1), 0, LOW(src), HIGH(src), LOW(dst), HIGH(dst)};
        sdma_put(&s, copy, 7);
        EVENTUALLY(atomic_load(s.read_pointer) == s.at);
        assert_memory_equal(src, dst, n);
        assert_int_equal(dst[n], 0); /* not one byte more */
    }
    rig_close(&r);
}

/* A 5 x 3 x 2 box of 4-byte elements between images of different pitch, against three nested loops. The pitch stands from
 * bit 13 on, on gfx12 from 16 on. */
static void copy_box(const char *gpu, unsigned pitch_at)
{
    struct rig r;
    struct test_sdma s;
    rig_open_as(&r, gpu);
    rig_sdma(&r, &s, 1);
    enum { SP = 16, SS = 16 * 8, DP = 12, DS = 12 * 6 }; /* pitches and slices in elements */
    uint32_t *src = rig_alloc(&r, SS * 4 * 4), *dst = rig_alloc(&r, DS * 4 * 4), want[DS * 4] = {0};
    pattern((uint8_t *)src, SS * 4 * 4, 3);
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 3; y++)
            for (unsigned x = 0; x < 5; x++)
                want[(z + 1) * DS + (y + 2) * DP + x + 4] = src[(z + 2) * SS + (y + 1) * SP + x + 3];
    uint32_t rect[13] = {
        1 | 4u << 8 | 2u << 29, /* copy, rectangle, elements of 1 << 2 bytes */
        LOW(src),
        HIGH(src),
        3 | 1u << 16,              /* x 3, y 1 */
        2 | (SP - 1u) << pitch_at, /* z 2, pitch - 1 */
        SS - 1,
        LOW(dst),
        HIGH(dst),
        4 | 2u << 16,
        1 | (DP - 1u) << pitch_at,
        DS - 1,
        4 | 2u << 16, /* 5 x 3, minus one each */
        1,            /* 2 slices */
    };
    sdma_put(&s, rect, 13);
    EVENTUALLY(atomic_load(s.read_pointer) == s.at);
    assert_memory_equal(dst, want, sizeof want);
    rig_close(&r);
}

static void rect_copy(void **state)
{
    (void)state;
    copy_box("gfx90a", 13);
    copy_box("gfx1201", 16);
}

static void fill(void **state)
{
    (void)state;
    struct rig r;
    struct test_sdma s;
    rig_open(&r);
    rig_sdma(&r, &s, 1);
    uint32_t n = 600000; /* dwords: more than one slice of copying */
    uint32_t *dst = rig_alloc(&r, n * 4 + 4);
    uint32_t packet[] = {11 | 2u << 30, LOW(dst), HIGH(dst), 0x11223344, (n - 1) * 4};
    sdma_put(&s, packet, 5);
    EVENTUALLY(atomic_load(s.read_pointer) == s.at);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(dst[i], 0x11223344);
    assert_int_equal(dst[n], 0);
    uint8_t *bytes = rig_alloc(&r, 64);
    uint32_t small[] = {11, LOW(bytes + 1), HIGH(bytes + 1), 0x77, 4}; /* byte fill of 5 bytes */
    sdma_put(&s, small, 5);
    EVENTUALLY(atomic_load(s.read_pointer) == s.at);
    static const uint8_t want[] = {0, 0x77, 0x77, 0x77, 0x77, 0x77, 0};
    assert_memory_equal(bytes, want, sizeof want);
    rig_close(&r);
}

/* What ROCr appends to a copy: wait for a dependency, time stamps, decrement, mailbox, interrupt. */
static void completion_sequence(void **state)
{
    (void)state;
    struct rig r;
    struct test_sdma s;
    rig_open(&r);
    rig_sdma(&r, &s, 1);
    struct test_signal *signal = rig_signal(&r, 1, 0);
    _Atomic uint32_t *dep = rig_alloc(&r, 4), *mailbox = rig_alloc(&r, 4);
    atomic_store(dep, 1);
    uint32_t poll[] = {8 | 3u << 28 | 1u << 31, LOW(dep), HIGH(dep), 0, 0xffffffff, 4 | 0xfffu << 16};
    uint32_t flush[] = {8, 0, 0x80000000, 0, 0, 0};
    uint32_t start[] = {13 | 2u << 8, LOW(&signal->start), HIGH(&signal->start)};
    uint32_t minus[] = {
        10 | 47u << 25, LOW(&signal->value), HIGH(&signal->value), 0xffffffff, 0xffffffff, 0, 0, 0};
    uint32_t fence[] = {5, LOW(mailbox), HIGH(mailbox), 33};
    uint32_t trap[] = {6, 33};
    uint32_t gcr[] = {17 | 1u << 8, 0, 0, 0, 0};
    sdma_put(&s, poll, 6);
    sdma_put(&s, flush, 6);
    sdma_put(&s, gcr, 5);
    sdma_put(&s, start, 3);
    sdma_put(&s, minus, 8);
    sdma_put(&s, fence, 4);
    sdma_put(&s, trap, 2);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(s.read_pointer), 0);
    assert_int_equal(atomic_load(&signal->value), 1);
    atomic_store(dep, 0);
    EVENTUALLY(atomic_load(s.read_pointer) == s.at);
    assert_int_equal(atomic_load(&signal->value), 0);
    assert_true(signal->start >= 1000);
    assert_int_equal(atomic_load(mailbox), 33);
    assert_int_equal(atomic_load(&events_seen[33]), 1);
    rig_close(&r);
}

/* Every comparison of POLL_REGMEM: value in memory 5, reference 4, 5, 6. */
static void poll_functions(void **state)
{
    (void)state;
    static const bool want[7][3] = {
        {1, 1, 1}, /* always */
        {0, 0, 1}, /* less: 5 < 6 */
        {0, 1, 1}, /* less or equal */
        {0, 1, 0}, /* equal */
        {1, 0, 1}, /* not equal */
        {1, 1, 0}, /* greater or equal */
        {1, 0, 0}, /* greater: 5 > 4 */
    };
    for (uint32_t f = 0; f < 7; f++) {
        for (uint32_t k = 0; k < 3; k++) {
            struct rig r;
            struct test_sdma s;
            rig_open(&r);
            rig_sdma(&r, &s, 1);
            uint32_t *word = rig_alloc(&r, 4);
            *word = 0xab05;
            uint32_t poll[] = {8 | f << 28 | 1u << 31, LOW(word), HIGH(word), 4 + k, 0xff, 0};
            sdma_put(&s, poll, 6);
            if (want[f][k]) {
                EVENTUALLY(atomic_load(s.read_pointer) == s.at);
            } else {
                sleep_us(2000);
                assert_int_equal(atomic_load(s.read_pointer), 0);
            }
            rig_close(&r);
        }
    }
}

/* Zero dwords pad the ring's end; pointers never wrap. Enough packets to go round several times. */
static void ring_wraps(void **state)
{
    (void)state;
    struct rig r;
    struct test_sdma s;
    rig_open(&r);
    rig_sdma(&r, &s, 1);
    _Atomic uint64_t *counter = rig_alloc(&r, 8);
    uint32_t add[] = {10 | 47u << 25, LOW(counter), HIGH(counter), 1, 0, 0, 0, 0}, zero = 0;
    for (unsigned i = 0; i < 1000; i++) {
        while (s.at % SDMA_RING_BYTES > SDMA_RING_BYTES - 40) /* no packet across the end, as ROCr does */
            sdma_put(&s, &zero, 1);
        sdma_put(&s, add, 8);
        EVENTUALLY(s.at - atomic_load(s.read_pointer) < SDMA_RING_BYTES / 2);
    }
    EVENTUALLY(atomic_load(s.read_pointer) == s.at);
    assert_int_equal(atomic_load(counter), 1000);
    assert_true(s.at > 7 * SDMA_RING_BYTES);
    rig_close(&r);
}

static void faults_stop_the_queue(void **state)
{
    (void)state;
    struct rig r;
    struct test_sdma bad, good;
    rig_open(&r);
    rig_sdma(&r, &bad, 1);
    rig_sdma(&r, &good, 2);
    _Atomic uint32_t *word = rig_alloc(&r, 4);
    uint32_t copy[] = {1, 63, 0, 0x5000, 0, LOW(word), HIGH(word)}; /* from address 0x5000: nothing there */
    uint32_t fence[] = {5, LOW(word), HIGH(word), 77};
    sdma_put(&bad, copy, 7);
    sdma_put(&bad, fence, 4);
    EVENTUALLY(atomic_load(&faults) == 1);
    assert_int_equal(atomic_load(&fault_va), 0x5000);
    sleep_us(GRACE_US);
    assert_int_equal(atomic_load(word), 0);
    sdma_put(&good, fence, 4);
    EVENTUALLY(atomic_load(word) == 77);
    uint32_t unknown = 0x63;
    sdma_put(&good, &unknown, 1);
    EVENTUALLY(atomic_load(&reports) == 2);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_copy),
        cmocka_unit_test(rect_copy),
        cmocka_unit_test(fill),
        cmocka_unit_test(completion_sequence),
        cmocka_unit_test(poll_functions),
        cmocka_unit_test(ring_wraps),
        cmocka_unit_test(faults_stop_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
