/*
 * What is made of times and files: rates of clocks from moments that the host knows, clocks of dies, partitions. Expected
 * numbers are worked out by hand beside each test.
 */
#include "selftest/figures.h"
#include "selftest/partition.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* 1000 ticks between two reads. They took place between 0 and 2000 ns, and between 10000 and 12000 ns, so 8000 to 12000
 * ns lie between them: 1000 / 12 us are 83.3 MHz, 1000 / 8 us are 125. */
static void rate_of_a_clock(void **state)
{
    const struct clock_read first = {500, 0, 2000}, second = {1500, 10000, 12000};
    double least, most;
    (void)state;
    clock_rate(&first, &second, &least, &most);
    assert_float_equal(least, 1000 / 12.0, 1e-9);
    assert_float_equal(most, 125, 1e-9);
    /* A clock that stands still, or goes back. */
    clock_rate(&first, &first, &least, &most);
    assert_float_equal(least, 0, 0);
    clock_rate(&second, &first, &least, &most);
    assert_float_equal(least, 0, 0);
}

/* Die 0 goes on at 100 at the earliest, die 3 at 107: 7 ticks. The later wavefronts of each say nothing. */
static void clocks_of_dies(void **state)
{
    const struct meeting m[] = {{1, 0, {140, 0}, {0, 0}},
                                {1, 3, {107, 0}, {0, 0}},
                                {1, 0, {100, 0}, {0, 0}},
                                {1, 3, {160, 0}, {0, 0}}};
    (void)state;
    assert_int_equal(ticks_apart(m, 4), 7);
    assert_int_equal(ticks_apart(m, 1), 0);
    assert_int_equal(ticks_apart(m, 0), 0);
}

/* 1700 cycles in 100 ticks and 340 in 20 are 17 a tick; the third's counter turned over. */
static void cycles_of_ticks(void **state)
{
    const struct meeting m[] = {
        {1, 0, {0, 100}, {50, 1750}}, {1, 0, {5, 25}, {0, 340}}, {1, 0, {5, 25}, {900, 10}}};
    (void)state;
    assert_float_equal(cycles_per_tick(m, 3), 17, 1e-9);
    assert_float_equal(cycles_per_tick(m + 2, 1), 0, 0);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Bus 0x85, device 3, function 0 are 0x8500 | 3 << 3; the sixth partition of its card has 5 in the highest bits. */
static void partitions(void **state)
{
    char folder[] = "/tmp/partitionXXXXXX", device[64], path[128];
    struct partition p;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(device, sizeof device, "%s/0001:85:03.0", folder);
    assert_int_equal(mkdir(device, 0700), 0);
    write_file(device, "current_compute_partition", "CPX\n");
    partition_read(folder, 1, 0x50008518, &p);
    assert_string_equal(p.compute, "CPX");
    assert_string_equal(p.memory, "");
    assert_int_equal(p.number, 5);
    write_file(device, "current_memory_partition", "NPS4, and a long line of something else\n");
    partition_read(folder, 1, 0x8518, &p);
    assert_string_equal(p.memory, "NPS4");
    assert_int_equal(p.number, 0);
    partition_read(folder, 0, 0x8518, &p);
    assert_string_equal(p.compute, "");
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/current_%s_partition", device, i ? "memory" : "compute");
        remove(path);
    }
    remove(device);
    remove(folder);
}

static void figures_of_a_part(void **state)
{
    json_t *part = json_object();
    (void)state;
    add_figure(part, "a", 1.5, "GB/s");
    json_object_set_new(add_figure(part, "b", 2, "us"), "stride", json_integer(4));
    char *text = json_dumps(part, JSON_COMPACT | JSON_PRESERVE_ORDER);
    assert_string_equal(text, "{\"figures\":[{\"name\":\"a\",\"value\":1.5,\"unit\":\"GB/s\"},"
                              "{\"name\":\"b\",\"value\":2.0,\"unit\":\"us\",\"stride\":4}]}");
    free(text);
    json_decref(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_of_a_clock),   cmocka_unit_test(clocks_of_dies),
        cmocka_unit_test(cycles_of_ticks),   cmocka_unit_test(partitions),
        cmocka_unit_test(figures_of_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
