/* test_library.c - the library of models: measured rows, arithmetic by hand, and everything that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "lanescope/models.h"

enum { LANES = 64 };

static struct lanescope_lds_cost lds(const char *gpu, enum lanescope_model_access access, unsigned bytes,
                                     unsigned lanes, uint32_t stride)
{
    uint32_t at[LANES];
    struct lanescope_lds_cost cost = {.size = sizeof cost};
    for (uint32_t i = 0; i < LANES; i++)
        at[i] = i * stride;
    assert_int_equal(
        lanescope_lds_cost(gpu, access, bytes, lanes == 64 ? ~0ull : (1ull << lanes) - 1, at, lanes, &cost),
        0);
    return cost;
}

/* SQ_LDS_BANK_CONFLICT of 64 reads on MI300X (amd-shark-ai, docs/empirical-lds/cdna3info.md). */
static void measured_rows_of_mi300x(void **unused)
{
    (void)unused;
    static const struct {
        unsigned bytes;
        uint32_t stride, conflicts;
    } rows[] = {{4, 4, 0},      {4, 8, 128},     {4, 16, 384},   {4, 128, 3968}, {4, 512, 3968},
                {8, 8, 0},      {8, 16, 256},    {8, 128, 3840}, {16, 16, 0},    {16, 32, 512},
                {16, 64, 1536}, {16, 128, 3584}, {16, 512, 3584}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lanescope_lds_cost c = lds("gfx942", LANESCOPE_MODEL_READ, rows[i].bytes, 64, rows[i].stride);
        assert_int_equal(64 * c.conflict_cycles, rows[i].conflicts);
        assert_int_equal(c.cycles, c.phases + c.conflict_cycles);
        assert_int_equal(c.basis, LANESCOPE_MODEL_MEASURED);
        assert_int_equal(c.banks, 32);
    }
}

/* ROCm Compute Profiler, "LDS examples", MI250: n work-items read array[n * 32]; 2 cycles and 0 conflicts for one,
 * one more of both for each further one. */
static void measured_rows_of_mi250(void **unused)
{
    (void)unused;
    for (unsigned n = 1; n <= 20; n++) {
        struct lanescope_lds_cost c = lds("gfx90a:sramecc+:xnack-", LANESCOPE_MODEL_READ, 4, n, 128);
        assert_int_equal(c.cycles, n + 1);
        assert_int_equal(c.conflict_cycles, n - 1);
        assert_int_equal(c.basis, LANESCOPE_MODEL_MEASURED);
    }
}

static void says_what_is_assumed(void **unused)
{
    (void)unused;
    assert_int_equal(lds("gfx90a", LANESCOPE_MODEL_READ, 8, 64, 8).basis, LANESCOPE_MODEL_ASSUMED);
    assert_int_equal(lds("gfx942", LANESCOPE_MODEL_WRITE, 4, 64, 4).basis, LANESCOPE_MODEL_ASSUMED);
    assert_int_equal(lds("gfx950", LANESCOPE_MODEL_WRITE, 8, 64, 8).basis, LANESCOPE_MODEL_MEASURED);
}

/* Halves of 32 lanes on one dword: 31 wait in each. */
static void atomics_on_one_dword_wait(void **unused)
{
    (void)unused;
    struct lanescope_lds_cost c = lds("gfx942", LANESCOPE_MODEL_ATOMIC, 4, 64, 0);
    assert_int_equal(c.cycles, 2);
    assert_int_equal(c.conflict_cycles, 0);
    assert_int_equal(c.address_conflict_cycles, 62);
}

static struct lanescope_global_cost global(const char *gpu, unsigned bytes, uint64_t base, uint64_t stride)
{
    uint64_t at[LANES];
    struct lanescope_global_cost cost = {.size = sizeof cost};
    for (uint64_t i = 0; i < LANES; i++)
        at[i] = base + i * stride;
    assert_int_equal(lanescope_global_cost(gpu, LANESCOPE_MODEL_READ, bytes, ~0ull, at, LANES, &cost), 0);
    return cost;
}

static void lines_and_requests(void **unused)
{
    (void)unused;
    /* 64 x 4 = 256 bytes side by side: 2 lines of 128, 4 of 64; four lanes share 16 bytes of one sector. */
    struct lanescope_global_cost c = global("gfx942", 4, 0x1000, 4);
    assert_int_equal(c.bytes, 256);
    assert_int_equal(c.l1_lines, 2);
    assert_int_equal(c.l1_lines_needed, 2);
    assert_int_equal(c.requests, 16);
    assert_true(c.coalescing > 99.9 && c.coalescing < 100.1);
    assert_int_equal(c.lines_basis, LANESCOPE_MODEL_DOCUMENTED);
    c = global("gfx90a", 4, 0x1000, 4);
    assert_int_equal(c.l1_lines, 4);
    assert_int_equal(c.l2_lines, 2);
    /* One line of 128 bytes beyond, because the base is 4 bytes off. */
    c = global("gfx942", 4, 0x1004, 4);
    assert_int_equal(c.l1_lines, 3);
    assert_int_equal(c.l1_lines_needed, 2);
    /* A line for each lane: 64 requests are none coalesced, 25 %. */
    c = global("gfx950", 4, 0, 4096);
    assert_int_equal(c.l1_lines, 64);
    assert_int_equal(c.requests, 64);
    assert_true(c.coalescing > 24.9 && c.coalescing < 25.1);
    assert_int_equal(c.requests_basis, LANESCOPE_MODEL_ASSUMED);
}

static int try_lds(const char *gpu, int access, unsigned bytes, uint64_t lanes, uint32_t address, size_t n)
{
    uint32_t at[65];
    struct lanescope_lds_cost cost = {.size = sizeof cost, .cycles = 12345};
    for (size_t i = 0; i < 65; i++)
        at[i] = address;
    int rc = lanescope_lds_cost(gpu, (enum lanescope_model_access)access, bytes, lanes, at, n, &cost);
    assert_true((rc == 0) == (cost.cycles != 12345)); /* after an error nothing is written */
    return rc;
}

static void refuses_what_no_hardware_does(void **unused)
{
    (void)unused;
    static const struct {
        int rc;
        const char *gpu;
        int access;
        unsigned bytes;
        uint64_t lanes;
        uint32_t address;
        size_t n;
    } rows[] = {
        {0, "gfx942", 0, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_NO_GPU, "gfx000", 0, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_NO_GPU, "", 0, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_NO_GPU, "gfx94", 0, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_ARGUMENT, NULL, 0, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_ACCESS, "gfx942", 3, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_ACCESS, "gfx942", -1, 4, ~0ull, 0, 64},
        {LANESCOPE_MODEL_WIDTH, "gfx942", 0, 0, ~0ull, 0, 64},
        {LANESCOPE_MODEL_WIDTH, "gfx942", 0, 3, ~0ull, 0, 64},
        {LANESCOPE_MODEL_WIDTH, "gfx942", 0, 32, ~0ull, 0, 64},
        {LANESCOPE_MODEL_WIDTH, "gfx942", 0, UINT32_MAX, ~0ull, 0, 64},
        {LANESCOPE_MODEL_WIDTH, "gfx942", 2, 16, ~0ull, 0, 64},
        {LANESCOPE_MODEL_LANES, "gfx942", 0, 4, 1, 0, 65},
        {LANESCOPE_MODEL_LANES, "gfx942", 0, 4, 1, 0, SIZE_MAX},
        {LANESCOPE_MODEL_LANES, "gfx1100", 0, 4, ~0ull, 0, 32},
        {LANESCOPE_MODEL_LANES, "gfx1100", 0, 4, 1, 0, 33},
        {0, "gfx1100", 0, 4, 0xffffffffu, 0, 32},
        {LANESCOPE_MODEL_NO_LANE, "gfx942", 0, 4, 0, 0, 64},
        {LANESCOPE_MODEL_NO_LANE, "gfx942", 0, 4, 1ull << 63, 0, 63},
        {LANESCOPE_MODEL_NO_LANE, "gfx942", 0, 4, 1, 0, 0},
        {LANESCOPE_MODEL_ALIGNMENT, "gfx942", 0, 4, 1, 2, 64},
        {LANESCOPE_MODEL_ALIGNMENT, "gfx942", 0, 2, 1, 1, 64},
        {LANESCOPE_MODEL_ALIGNMENT, "gfx942", 0, 16, 1, 6, 64},
        {LANESCOPE_MODEL_ALIGNMENT, "gfx942", 2, 8, 1, 4, 64},
        {0, "gfx942", 0, 16, 1, 4, 64},
        {0, "gfx942", 0, 1, 1, 3, 64},
        {LANESCOPE_MODEL_RANGE, "gfx942", 0, 4, 1, 65536, 64},
        {LANESCOPE_MODEL_RANGE, "gfx942", 0, 16, 1, 65528, 64},
        {0, "gfx942", 0, 8, 1, 65528, 64},
        {LANESCOPE_MODEL_RANGE, "gfx942", 0, 4, 1, UINT32_MAX - 3, 64},
        {0, "gfx950", 0, 4, 1, 163836, 64}, /* 160 KiB */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(
            try_lds(rows[i].gpu, rows[i].access, rows[i].bytes, rows[i].lanes, rows[i].address, rows[i].n),
            rows[i].rc);
}

static void refuses_wild_global_accesses(void **unused)
{
    (void)unused;
    uint64_t at[LANES] = {UINT64_MAX - 3};
    struct lanescope_global_cost cost = {.size = sizeof cost};
    assert_int_equal(lanescope_global_cost("gfx942", 0, 4, 1, at, 64, &cost), LANESCOPE_MODEL_RANGE);
    at[0] = 2;
    assert_int_equal(lanescope_global_cost("gfx942", 0, 4, 1, at, 64, &cost), 0);
    assert_int_equal(lanescope_global_cost("gfx942", LANESCOPE_MODEL_ATOMIC, 4, 1, at, 64, &cost),
                     LANESCOPE_MODEL_ALIGNMENT);
    assert_int_equal(lanescope_global_cost("gfx942", 0, 4, 1, NULL, 64, &cost), LANESCOPE_MODEL_ARGUMENT);
    assert_int_equal(lanescope_global_cost("gfx942", 0, 4, 1, at, 64, NULL), LANESCOPE_MODEL_ARGUMENT);
    cost.size = 0;
    assert_int_equal(lanescope_global_cost("gfx942", 0, 4, 1, at, 64, &cost), LANESCOPE_MODEL_ARGUMENT);
}

/* A program that was compiled when the structure ended earlier. */
static void writes_no_more_than_the_caller_has(void **unused)
{
    (void)unused;
    const uint32_t at[1] = {0};
    struct lanescope_lds_cost cost;
    memset(&cost, 0xff, sizeof cost);
    cost.size = offsetof(struct lanescope_lds_cost, phases);
    assert_int_equal(lanescope_lds_cost("gfx942", 0, 4, 1, at, 1, &cost), 0);
    assert_int_equal(cost.cycles, 2);
    assert_int_equal(cost.phases, UINT32_MAX);
    assert_int_equal(cost.size, offsetof(struct lanescope_lds_cost, phases));
}

static void lists_and_tells(void **unused)
{
    (void)unused;
    size_t n = 0, found = 0;
    for (const char *name; (name = lanescope_models_gpu(n)); n++)
        found += !strcmp(name, "gfx90a") || !strcmp(name, "gfx942") || !strcmp(name, "gfx950");
    assert_int_equal(found, 3);
    assert_null(lanescope_models_gpu(SIZE_MAX));
    assert_int_equal(lanescope_models_lanes("gfx942"), 64);
    assert_int_equal(lanescope_models_lanes("gfx1100"), 32);
    assert_int_equal(lanescope_models_lanes(NULL), 0);
    for (int e = LANESCOPE_MODEL_ARGUMENT; e < 0; e++)
        assert_string_not_equal(lanescope_models_error(e), "unknown error");
    assert_string_equal(lanescope_models_error(LANESCOPE_MODEL_ARGUMENT - 1), "unknown error");
    assert_string_equal(lanescope_models_error(1), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_rows_of_mi300x),
        cmocka_unit_test(measured_rows_of_mi250),
        cmocka_unit_test(says_what_is_assumed),
        cmocka_unit_test(atomics_on_one_dword_wait),
        cmocka_unit_test(lines_and_requests),
        cmocka_unit_test(refuses_what_no_hardware_does),
        cmocka_unit_test(refuses_wild_global_accesses),
        cmocka_unit_test(writes_no_more_than_the_caller_has),
        cmocka_unit_test(lists_and_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
