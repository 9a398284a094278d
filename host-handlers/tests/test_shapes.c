/* Costs that handlers remember by the lanes' distances: accesses that differ in one thing only, by turns. */
#include "harness.h"

enum { GLOBAL, IN_LDS, SITES };
static const struct lanescope_site sites[SITES] = {
    [GLOBAL] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_GLOBAL, .bytes = 4},
    [IN_LDS] = {.kind = LS_SITE_LOAD, .space = LANESCOPE_SPACE_LDS, .bytes = 4},
};
static const struct lanescope_dispatch dispatch = {HARNESS_DISPATCH(sites)};

static void say(struct harness *h, uint32_t site, uint64_t exec, uint64_t base, const uint32_t *words)
{
    const struct lanescope_wavefront wave = {.lanes = 64};
    const struct lanescope_access a = {.site = site,
                                       .pattern = LANESCOPE_DELTA,
                                       .active = (uint8_t)__builtin_popcountll(exec),
                                       .exec = exec,
                                       .base = base,
                                       .words = words,
                                       .length = 4,
                                       .wave = &wave};
    h->handler->accesses(h->state, &a, 1);
}

/* 256 bytes side by side: each quad of lanes has 16 of them, which lie in one block of 64, but for the four quads that
 * begin at byte 56 of one when the base does. */
static void phases(void **state)
{
    (void)state;
    uint32_t words[64];
    struct harness h;
    for (uint32_t k = 0; k < 64; k++)
        words[k] = 4 * k;
    assert_int_equal(harness_open(&h, "memory_coalescing"), 0);
    harness_begin(&h, &dispatch);
    for (uint32_t i = 0; i < 3; i++) {
        say(&h, GLOBAL, ~0ull, 0x70000 + 128 * i, words);
        say(&h, GLOBAL, ~0ull, 0x70038 + 128 * i, words);
    }
    harness_end(&h);
    assert_int_equal(harness_value(&h, GLOBAL, "Executions"), 6);
    assert_int_equal(harness_value(&h, GLOBAL, "Bytes"), 6 * 256);
    assert_int_equal(harness_value(&h, GLOBAL, "TA Requests"), 3 * (16 + 20));
    harness_close(&h);
}

/* Two groups of 32 lanes. All dwords 128 bytes apart: in one bank, 32 cycles a group; side by side: one. In the third
 * only the last word differs, and one bank has two dwords. With half of the lanes: 32 and 1. */
static void distances(void **state)
{
    (void)state;
    uint32_t apart[64], beside[64], twice[64];
    struct harness h;
    for (uint32_t k = 0; k < 64; k++) {
        apart[k] = 128 * k;
        twice[k] = beside[k] = 4 * k;
    }
    twice[63] = 4 * 62 + 128; /* lane 62's bank */
    assert_int_equal(harness_open(&h, "lds_bank_conflicts"), 0);
    harness_begin(&h, &dispatch);
    for (uint32_t i = 0; i < 3; i++) {
        say(&h, IN_LDS, ~0ull, 64 * i, apart);
        say(&h, IN_LDS, ~0ull, 64 * i, beside);
        say(&h, IN_LDS, ~0ull, 64 * i, twice);
        say(&h, IN_LDS, 0xffffffff, 64 * i, apart);
    }
    harness_end(&h);
    assert_int_equal(harness_value(&h, IN_LDS, "Executions"), 12);
    assert_int_equal(harness_value(&h, IN_LDS, "Active Lanes"), 3 * (3 * 64 + 32));
    assert_int_equal(harness_value(&h, IN_LDS, "Index Accesses"), 3 * (64 + 2 + 3 + 33));
    harness_close(&h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases), cmocka_unit_test(distances)};
    harness_directory = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
