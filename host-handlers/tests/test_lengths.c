/* test_lengths.c - copies of any length, as the GPU's memory may have them after the program has written over
 * it: no handler walks through all of it, and what it counts is right or said to be lost. */
#include "harness.h"
#include "lanescope/wire.h"

static struct harness h;

#define LONG ((1ull << 40) + 20)

enum { COPY, TO_LDS, HUGE_LDS, MOST_LDS, MOST_GLOBAL, SITES };
static const struct lanescope_site sites[SITES] = {
    [COPY] = {.kind = LS_SITE_COPY_READ, .space = 1, .align = 16, .instruction = "llvm.memcpy"},
    [TO_LDS] = {.kind = LS_SITE_COPY_WRITE, .space = 0, .align = 16, .instruction = "llvm.memcpy"},
    [HUGE_LDS] = {.kind = LS_SITE_COPY_WRITE,
                  .space = 3,
                  .bytes = 4000000000u,
                  .align = 16,
                  .instruction = "llvm.memcpy"},
    [MOST_LDS] = {.kind = LS_SITE_COPY_READ,
                  .space = 3,
                  .bytes = LS_LDS_MOST,
                  .align = 16,
                  .instruction = "llvm.memcpy"},
    [MOST_GLOBAL] = {.kind = LS_SITE_COPY_READ,
                     .space = 1,
                     .bytes = 4000000000u,
                     .align = 16,
                     .instruction = "llvm.memcpy"},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites)};

static void feed(const char *handler)
{
    uint64_t addr[64];
    for (unsigned i = 0; i < 64; i++)
        addr[i] = 0x10000 + i * 72; /* a multiple of neither line */
    assert_int_equal(harness_open(&h, handler), 0);
    harness_begin(&h, &dispatch);
    harness_strided(&h, COPY, 0, 0, 1, 0x10000, 0, LONG);
    harness_strided(&h, TO_LDS, 0, 0, 1, 0x10000, 0, LONG);
    harness_lanes(&h, TO_LDS, 0, 0, ~0ull, addr, 1ull << 48);
    harness_strided(&h, HUGE_LDS, 0, 0, ~0ull, 0, 16, sites[HUGE_LDS].bytes);
    harness_end(&h);
}

/* One lane from a line's begin on, in pieces of 16 bytes: 2^36 of them, one more, and 4 bytes. Each touches a
 * line. */
static void coalescing(void **state)
{
    (void)state;
    feed("memory_coalescing");
    assert_int_equal(harness_value(&h, COPY, "Bytes"), LONG);
    assert_int_equal(harness_value(&h, COPY, "Cache Lines"), (1ll << 36) + 2);
    assert_int_equal(harness_value(&h, COPY, "Wavefronts"), (1ll << 36) + 2);
    harness_close(&h);
}

/* The first line of each lane is marked; all 66 are said not to be followed. */
static void heatmap(void **state)
{
    (void)state;
    feed("heatmap");
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Lane Accesses"), 66);
    assert_int_equal(harness_value(&h, LANESCOPE_NO_SITE, "Lane Accesses Not Mapped"), 66);
    harness_close(&h);
}

/* All bytes are counted; those which were looked at are pieces of 16, at most 2^22 of them. */
static void redundancy(void **state)
{
    (void)state;
    feed("redundancy");
    int64_t loaded = harness_value(&h, COPY, "Bytes Loaded");
    int64_t lost = harness_value(&h, COPY, "Bytes Not Tracked");
    assert_int_equal(loaded, LONG);
    assert_in_range(lost, LONG - (16ull << 22), LONG);
    harness_close(&h);
}

/* All lanes of a wavefront copy that much, each elsewhere: of a length that the message tells, and of one that the site has. */
static void redundancy_of_all_lanes(void **state)
{
    (void)state;
    uint64_t addr[64];
    for (unsigned i = 0; i < 64; i++)
        addr[i] = 0x10000 + ((uint64_t)i << 41);
    assert_int_equal(harness_open(&h, "redundancy"), 0);
    harness_begin(&h, &dispatch);
    harness_lanes(&h, COPY, 0, 0, ~0ull, addr, LONG);
    harness_lanes(&h, MOST_GLOBAL, 0, 0, ~0ull, addr, sites[MOST_GLOBAL].bytes);
    harness_end(&h);
    assert_int_equal(harness_value(&h, COPY, "Bytes Loaded"), 64 * LONG);
    assert_int_equal(harness_value(&h, MOST_GLOBAL, "Bytes Loaded"), 64ll * sites[MOST_GLOBAL].bytes);
    harness_close(&h);
}

/* Lanes that copy 20, 4 and no bytes, the first two from one address: 20 bytes. Then one copies the 16 behind the first 8, of which 12 were
 * there. */
static void redundancy_of_short_copies(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {20, 4, 0};
    const struct lanescope_wavefront wave = {.lanes = 64};
    struct lanescope_access a = {.site = COPY,
                                 .pattern = LANESCOPE_STRIDED,
                                 .active = 3,
                                 .exec = 7,
                                 .base = 0x10000,
                                 .lengths = lengths,
                                 .wave = &wave};
    assert_int_equal(harness_open(&h, "redundancy"), 0);
    harness_begin(&h, &dispatch);
    h.handler->accesses(h.state, &a, 1);
    harness_strided(&h, COPY, 0, 0, 1, 0x10008, 0, 16);
    harness_end(&h);
    assert_int_equal(harness_value(&h, COPY, "Bytes Loaded"), 20 + 16);
    assert_int_equal(harness_value(&h, COPY, "Bytes Loaded Again"), 12);
    harness_close(&h);
}

/* The others come to an end. */
static void others(void **state)
{
    (void)state;
    static const char *const names[] = {"lds_bank_conflicts", "alignment", "advice"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        feed(names[i]);
        assert_int_equal(harness_value(&h, HUGE_LDS, "Bank Conflict"), INT64_MIN);
        harness_close(&h);
    }
}

/* As many messages of the greatest length as a kernel likes, each with addresses of its own. Lanes 0 and 1 are a
 * row of banks (128 bytes) or some of them apart, so each of the 16,384 pieces of a message has one conflict cycle. */
static void many_long_copies(void **state)
{
    (void)state;
    enum { MESSAGES = 20000, PIECES = LS_LDS_MOST / 16 };
    static const char *const names[] = {"lds_bank_conflicts", "advice"};
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(harness_open(&h, names[k]), 0);
        harness_begin(&h, &dispatch);
        for (uint64_t i = 0; i < MESSAGES; i++) {
            uint64_t addr[64] = {i * 4, i * 4 + 128 * (1 + i % 1000)};
            harness_lanes(&h, MOST_LDS, 0, 0, 3, addr, LS_LDS_MOST);
            addr[1] = 0x10000 + i * 64;
            harness_lanes(&h, MOST_GLOBAL, 0, 0, 3, addr, sites[MOST_GLOBAL].bytes);
        }
        harness_end(&h);
        if (!k) {
            assert_int_equal(harness_value(&h, MOST_LDS, "Executions"), MESSAGES);
            assert_int_equal(harness_value(&h, MOST_LDS, "Bank Conflict"), (int64_t)MESSAGES * PIECES);
        }
        harness_close(&h);
    }
}

int main(int argc, char **argv)
{
    harness_directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {cmocka_unit_test(coalescing),
                                       cmocka_unit_test(heatmap),
                                       cmocka_unit_test(redundancy),
                                       cmocka_unit_test(others),
                                       cmocka_unit_test(redundancy_of_all_lanes),
                                       cmocka_unit_test(redundancy_of_short_copies),
                                       cmocka_unit_test(many_long_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
