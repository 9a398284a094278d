/* Sizes of a clone's launch, and the times that stand for the application's signals. */
#include "tests/check.h"
#include "hsa-plugin/code/launch.h"
#include "hsa-plugin/intercept/times.h"

static hsa_kernel_dispatch_packet_t packet(uint16_t dims, uint32_t gx, uint32_t gy, uint32_t gz, uint16_t wx,
                                           uint16_t wy, uint16_t wz)
{
    return (hsa_kernel_dispatch_packet_t){.setup = dims,
                                          .grid_size_x = gx,
                                          .grid_size_y = gy,
                                          .grid_size_z = gz,
                                          .workgroup_size_x = wx,
                                          .workgroup_size_y = wy,
                                          .workgroup_size_z = wz};
}

static void shapes(void **state)
{
    (void)state;
    struct ls_launch_shape s;
    hsa_kernel_dispatch_packet_t p =
        packet(1, 1000, 77, 77, 256, 9, 9); /* one dimension: the others do not count */
    assert_true(ls_launch_shape(&p, 64, &s));
    assert_int_equal(s.n_workgroups[0], 4); /* 1000 / 256, rounded up */
    assert_int_equal(s.n_workgroups[1], 1);
    assert_int_equal(s.waves_per_workgroup, 4);
    assert_int_equal(s.n_waves, 16);
    p = packet(3, 65, 3, 2, 10, 3, 2); /* work-groups of 60 work-items: one wavefront of 64, two of 32 */
    assert_true(ls_launch_shape(&p, 64, &s));
    assert_int_equal(s.n_workgroups[0], 7);
    assert_int_equal(s.waves_per_workgroup, 1);
    assert_true(ls_launch_shape(&p, 32, &s));
    assert_int_equal(s.waves_per_workgroup, 2);
    assert_int_equal(s.n_waves, 14);
    p = packet(1, 0xffffffff, 1, 1, 1, 1, 1); /* 2^32 - 1 wavefronts: the last that can be counted */
    assert_true(ls_launch_shape(&p, 64, &s));
    p = packet(2, 0xffffffff, 2, 1, 1, 1, 1);
    assert_false(ls_launch_shape(&p, 64, &s));
    p = packet(1, 0, 1, 1, 64, 1, 1);
    assert_false(ls_launch_shape(&p, 64, &s));
    p = packet(1, 64, 1, 1, 0, 1, 1);
    assert_false(ls_launch_shape(&p, 64, &s));
}

static void segments(void **state)
{
    (void)state;
    assert_int_equal(ls_launch_group(1024 + 512, 1024, 1024), 1536); /* 512 bytes of dynamic LDS stay */
    assert_int_equal(ls_launch_group(4096, 0, 0), 4096);             /* all of it dynamic */
    assert_int_equal(ls_launch_group(1024, 1024, 3072), 3072);       /* the clone's own is larger */
    assert_int_equal(ls_launch_private(0, 0, 24), 24);
    assert_int_equal(ls_launch_private(1024, 24, 48), 1048); /* a raised stack stays raised by as much */
}

/* 307 million work-items are 4.8 million wavefronts of 64. 614 MB of records. Two such launches
 * fit on a GPU of 8 GiB, 18 on one of 64 GiB, whose sixth is 11.4 GB. */
static void records(void **state)
{
    (void)state;
    const uint64_t launch = 307200000ull / 64 * sizeof(struct ls_wave);
    assert_true(2 * launch <= ls_agent_waves_limit(8ull << 30));
    assert_true(18 * launch <= ls_agent_waves_limit(64ull << 30));
    assert_true(ls_agent_waves_limit(0) > 0);
}

/* Scopes: bits 10:9 acquire, 12:11 release; 0 none, 1 agent, 2 system (hsa.h). */
static void header(void **state)
{
    (void)state;
    assert_int_equal(ls_launch_header(0x1002, false), 0x1202); /* none becomes agent; release and type stay */
    assert_int_equal(ls_launch_header(0x1302, false), 0x1302); /* with the barrier bit */
    assert_int_equal(ls_launch_header(0x1402, false), 0x1402);
    assert_int_equal(ls_launch_header(0x1002, true), 0x1402);
    assert_int_equal(ls_launch_header(0x1302, true), 0x1502);
    assert_int_equal(ls_launch_header(0x1402, true), 0x1402);
}

static uint32_t queue_mask[32];
static hsa_status_t mask_answer;

static hsa_status_t get_mask(const hsa_queue_t *queue, uint32_t bits, uint32_t *mask)
{
    (void)queue;
    assert_int_equal(bits, 32 * 32);
    memcpy(mask, queue_mask, sizeof queue_mask);
    return mask_answer;
}

/* 104 units: four words, of the last one 8 bits. */
static void units(void **state)
{
    const struct ls_agent a = {.compute_units = 104};
    struct ls_api api = {.queue_cu_get_mask = get_mask};
    (void)state;
    memset(queue_mask, 0xff, sizeof queue_mask);
    assert_int_equal(ls_agent_units(&api, &a, NULL), 104);
    queue_mask[0] = 0;
    queue_mask[3] = 0x80000081;
    assert_int_equal(ls_agent_units(&api, &a, NULL), 66);
    mask_answer = HSA_STATUS_ERROR_INVALID_QUEUE;
    assert_int_equal(ls_agent_units(&api, &a, NULL), 104);
    mask_answer = HSA_STATUS_SUCCESS;
    memset(queue_mask, 0, sizeof queue_mask);
    assert_int_equal(ls_agent_units(&api, &a, NULL), 104);
    api.queue_cu_get_mask = NULL;
    assert_int_equal(ls_agent_units(&api, &a, NULL), 104);
}

static void times(void **state)
{
    (void)state;
    hsa_signal_t own = {.handle = 0x1000}, found = {0};
    uint64_t start = 0, end = 0;
    assert_false(ls_times_find(7, &found, &start, &end));
    ls_times_bind(7, 1, own);
    assert_true(ls_times_find(7, &found, &start, &end));
    assert_int_equal(found.handle, 0x1000);
    ls_times_final(7, 2, 10, 20); /* another dispatch's times: not ours */
    assert_true(ls_times_find(7, &found, &start, &end) && found.handle == 0x1000);
    ls_times_final(7, 1, 10, 20);
    assert_true(ls_times_find(7, &found, &start, &end));
    assert_int_equal(found.handle, 0);
    assert_int_equal(start, 10);
    assert_int_equal(end, 20);
    ls_times_unbind(7);
    assert_false(ls_times_find(7, &found, &start, &end));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes),  cmocka_unit_test(segments),
                                       cmocka_unit_test(units),   cmocka_unit_test(header),
                                       cmocka_unit_test(records), cmocka_unit_test(times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
