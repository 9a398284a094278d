/*
 * API tables of several versions of ROCr. Each table here is an array of slots numbered by position; the
 * numbers of the functions that we use are counted in the public headers of that version:
 *
 *   ROCr         major  extension slots  agents_allow_access  signal_create  intercept
 *   5.2 to 5.5   1      48 to 51         17                   31             35 and 36
 *   5.6, 5.7     1      55               19                   33             37 and 38
 *   6.0          2      67               as 5.6
 *   6.4          2      71               as 5.6
 *   7.x          2      74               as 5.6
 *   10.0         2      91               as 5.6; step 0x12, counted_queue_acquire 76, queue_create 86
 *
 * queue_cu_get_mask is 47 of 48, 50 of 51, and 52 since 5.6; no version is known to have 49 or 50.
 */
#include "tests/check.h"
#include "hsa-plugin/runtime/api_tables.h"

struct table {
    struct ls_table_version version;
    uintptr_t slots[160];
};

static struct table make(uint32_t major, uint32_t slots, uintptr_t base)
{
    struct table t = {.version = {major, (uint32_t)(sizeof t.version + slots * sizeof(void *)), 0, 0}};
    for (uint32_t i = 0; i < slots; i++)
        t.slots[i] = base + i;
    return t;
}

static uint32_t step;

static bool copy(uint32_t root, uint32_t core_major, uint32_t core_slots, uint32_t amd_major,
                 uint32_t amd_slots, struct ls_api *api)
{
    struct table core = make(core_major, core_slots, 1000), amd = make(amd_major, amd_slots, 2000);
    amd.version.step_id = step;
    struct ls_api_tables t = {{root, sizeof t, 0, 0}, (void *)&core, (void *)&amd};
    const char *why = NULL;
    bool ok = ls_api_copy(api, &t, &why);
    assert_true(ok || why);
    return ok;
}

#define SLOT(f) ((unsigned)(uintptr_t)(f))

static void layouts(void **state)
{
    (void)state;
    static const struct {
        uint32_t root, core, amd, slots, first, mask;
    } versions[] = {{1, 1, 1, 48, 17, 2047}, {1, 1, 1, 50, 17, 0},    {1, 1, 1, 51, 17, 2050},
                    {1, 1, 1, 55, 19, 2052}, {2, 2, 2, 67, 19, 2052}, {3, 2, 2, 68, 19, 2052},
                    {3, 2, 2, 71, 19, 2052}, {3, 2, 2, 74, 19, 2052}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct ls_api api;
        unsigned first = versions[i].first;
        assert_true(copy(versions[i].root, versions[i].core, 125, versions[i].amd, versions[i].slots, &api));
        assert_int_equal(SLOT(api.core.queue_create), 1007);
        assert_int_equal(SLOT(api.core.executable_freeze), 1086);
        assert_int_equal(SLOT(api.core.executable_load_agent_code_object), 1120);
        assert_int_equal(SLOT(api.amd.profiling_get_dispatch_time), 2004);
        assert_int_equal(SLOT(api.amd.memory_pool_allocate), 2013);
        assert_int_equal(SLOT(api.amd_tail.agents_allow_access), 2000 + first);
        assert_int_equal(SLOT(api.amd_tail.signal_create), 2000 + first + 14);
        assert_int_equal(SLOT(api.amd_tail.queue_intercept_create), 2000 + first + 18);
        assert_int_equal(SLOT(api.amd_tail.queue_intercept_register), 2000 + first + 19);
        assert_int_equal(SLOT(api.amd_tail.queue_set_priority), 2000 + first + 20);
        assert_int_equal(SLOT(api.amd_tail.memory_async_copy_rect), 2000 + first + 21);
        assert_int_equal(SLOT(api.amd.memory_async_copy), 2015);
        assert_int_equal(SLOT(api.copy_on_engine), first == 19 ? 2016 : 0);
        assert_int_equal(SLOT(api.queue_cu_get_mask), versions[i].mask);
        assert_null(api.amd_queue_create);
        assert_null(api.counted_queue_acquire);
        assert_null(api.batch_copy);
    }
}

/* Slot 78 from step 10 on. */
static void batch_copy(void **state)
{
    (void)state;
    struct ls_api api;
    step = 0xa;
    assert_true(copy(3, 2, 125, 2, 79, &api));
    assert_int_equal(SLOT(api.batch_copy), 2078);
    assert_true(copy(3, 2, 125, 2, 78, &api)); /* ends before it */
    assert_null(api.batch_copy);
    step = 9;
    assert_true(copy(3, 2, 125, 2, 79, &api));
    assert_null(api.batch_copy);
    step = 0;
}

/* The slot belongs to hsa_amd_queue_create only from that step on. */
static void queue_create(void **state)
{
    (void)state;
    struct ls_api api;
    step = 0x12;
    assert_true(copy(3, 2, 125, 2, 91, &api));
    assert_int_equal(SLOT(api.amd_queue_create), 2086);
    assert_int_equal(SLOT(api.counted_queue_acquire), 2076);
    assert_true(copy(3, 2, 125, 2, 86, &api)); /* ends before it */
    assert_null(api.amd_queue_create);
    step = 0xf;
    assert_true(copy(3, 2, 125, 2, 91, &api));
    assert_null(api.amd_queue_create);
    step = 0;
}

static void unknown(void **state)
{
    (void)state;
    struct ls_api api;
    assert_false(copy(4, 2, 125, 2, 74, &api));
    assert_false(copy(0, 1, 125, 1, 48, &api));
    assert_false(copy(3, 3, 125, 2, 74, &api));
    assert_false(copy(3, 2, 124, 2, 74, &api)); /* too short */
    assert_false(copy(3, 2, 125, 3, 74, &api));
    assert_false(copy(3, 2, 125, 2, 48, &api)); /* a new table cannot be as short as an old one */
    assert_false(copy(1, 1, 125, 1, 36, &api)); /* ends before the last slot that we use */
    assert_false(copy(1, 1, 125, 1, 53, &api)); /* between the two layouts */
    assert_false(ls_api_copy(&api, NULL, &(const char *){NULL}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts), cmocka_unit_test(queue_create),
                                       cmocka_unit_test(batch_copy), cmocka_unit_test(unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
