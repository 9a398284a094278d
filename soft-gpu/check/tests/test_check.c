/*
 * Tests of the check for races: sequences of accesses, and what must and must not be found. What is expected
 * follows from the definition: two accesses of different wavefronts to the same byte, at least one of them a
 * write, not both atomic, no barrier and no chain of atomics between them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { LDS = 1024, PC = 0x1000, NONE = 0 };
enum { R = SG_CHECK_READ, W = SG_CHECK_WRITE, A = SG_CHECK_ATOMIC };

static struct sg_check_job *job;
static struct sg_check_group *group;
static uint8_t lds[LDS];
static struct sg_finding found[64];
static unsigned n_found;
static uint64_t lost;

static void start(unsigned what, unsigned waves)
{
    job = sg_check_job_begin(what);
    assert_non_null(job);
    group = sg_check_group_begin(job, NULL, 0, waves, LDS);
    assert_non_null(group);
    memset(lds, 0, sizeof lds);
}

static void keep(void *user, const struct sg_finding *f)
{
    (void)user;
    assert_true(n_found < 64);
    found[n_found++] = *f;
}

/* Ends the work-group and the dispatch; found[0 .. n_found) are sorted by instruction. */
static void finish(void)
{
    sg_check_group_end(group);
    n_found = 0;
    sg_check_job_end(job, keep, NULL, &lost);
    sg_check_group_free(group);
    assert_int_equal(lost, 0);
}

/* Lanes of `exec` access `bytes` at first + lane * step;
 * stores write `value` in every byte, and it is done. */
static void lanes(unsigned pc, unsigned wave, enum sg_check_kind kind, unsigned first, unsigned step,
                  unsigned bytes, uint64_t exec, const uint8_t *value)
{
    uint64_t addr[64];
    uint8_t data[64][SG_CHECK_BYTES];
    for (unsigned i = 0; i < 64; i++) {
        addr[i] = first + i * step;
        memset(data[i], value ? *value : (int)i, sizeof data[i]);
    }
    struct sg_check_access a = {.pc = pc,
                                .wave = wave,
                                .kind = kind,
                                .space = SG_CHECK_LDS,
                                .bytes = bytes,
                                .lanes = exec,
                                .addr = addr,
                                .data = (const uint8_t (*)[SG_CHECK_BYTES])data,
                                .memory = lds};
    sg_check_access(group, &a);
    for (unsigned i = 0; i < 64 && kind == W; i++)
        if (exec >> i & 1)
            memcpy(lds + addr[i], data[i], bytes);
}

/* One lane, one dword; a store's value is its instruction's address, so that different ones differ. */
static void one(unsigned pc, unsigned wave, enum sg_check_kind kind, unsigned at)
{
    uint8_t value = (uint8_t)(pc + wave);
    lanes(pc, wave, kind, at, 0, 4, 1, &value);
}

static void expect_race(unsigned i, unsigned a, unsigned b, uint64_t address, uint64_t count)
{
    assert_true(i < n_found);
    assert_int_equal(found[i].kind, SG_FOUND_RACE);
    assert_int_equal(found[i].a.pc, a);
    assert_int_equal(found[i].b.pc, b);
    assert_int_equal(found[i].address, address);
    assert_int_equal(found[i].count, count);
}

static void write_then_read(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 2);
    one(PC, 0, W, 16);
    one(PC + 8, 1, R, 16);
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC, PC + 8, 16, 1);
    assert_int_equal(found[0].a.wave, 0);
    assert_int_equal(found[0].b.wave, 1);
    assert_int_equal(found[0].b.kind, R);
    assert_false(found[0].harmless);
}

/* The write comes first in the report, whatever came first in time. */
static void read_then_write(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 2);
    one(PC, 0, R, 16);
    one(PC + 8, 1, W, 16);
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC + 8, PC, 16, 1);
}

static void barrier_orders(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 2);
    one(PC, 0, W, 16);
    sg_check_barrier(group);
    one(PC + 8, 1, R, 16);
    sg_check_barrier(group);
    one(PC, 0, W, 16);
    finish();
    assert_int_equal(n_found, 0);
}

static void one_wavefront_is_in_order(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 2);
    lanes(PC, 0, W, 0, 4, 4, ~0ull, NULL);
    lanes(PC + 8, 0, R, 4, 4, 4, ~0ull >> 1, NULL); /* each lane its neighbour's */
    finish();
    assert_int_equal(n_found, 0);
}

static void reads_do_not_race(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 16);
    for (unsigned wave = 0; wave < 16; wave++)
        one(PC, wave, R, 16);
    finish();
    assert_int_equal(n_found, 0);
}

/* More readers than accesses are kept: the write after them is found all the same. */
static void many_readers(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 16);
    for (unsigned wave = 0; wave < 16; wave++)
        one(PC, wave, R, 16);
    one(PC + 8, 0, W, 16);
    one(PC + 8, 15, W, 16);
    finish();
    assert_int_equal(n_found, 2);
    assert_int_equal(found[0].a.pc, PC + 8);
    assert_int_equal(found[0].b.pc, PC);
    expect_race(1, PC + 8, PC + 8, 16, 1);
}

static void same_value_is_harmless(void **state)
{
    (void)state;
    uint8_t same = 7, other = 8;
    start(SG_CHECK_RACES, 3);
    lanes(PC, 0, W, 16, 0, 4, 1, &same);
    lanes(PC, 1, W, 16, 0, 4, 1, &same);
    lanes(PC + 8, 0, W, 32, 0, 4, 1, &same);
    lanes(PC + 8, 1, W, 32, 0, 4, 1, &other);
    finish();
    assert_int_equal(n_found, 2);
    assert_true(found[0].harmless);
    assert_false(found[1].harmless);
}

static void bytes_of_a_dword(void **state)
{
    (void)state;
    uint8_t x = 1, y = 2;
    start(SG_CHECK_RACES, 3);
    lanes(PC, 0, W, 16, 0, 1, 1, &x);
    lanes(PC + 8, 1, W, 17, 0, 1, 1, &y);
    lanes(PC + 16, 2, W, 18, 0, 2, 1, &y); /* 18, 19 */
    finish();
    assert_int_equal(n_found, 0);
    start(SG_CHECK_RACES, 2);
    lanes(PC, 0, W, 16, 0, 2, 1, &x);
    lanes(PC + 8, 1, W, 17, 0, 2, 1, &y);
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC, PC + 8, 17, 1);
}

static void atomics_do_not_race(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 4);
    for (unsigned wave = 0; wave < 4; wave++)
        lanes(PC, wave, A, 16, 0, 4, ~0ull, NULL);
    finish();
    assert_int_equal(n_found, 0);
}

/* A histogram whose bins are read before the barrier; and a counter that is set to 0 without one. */
static void atomic_against_plain(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 2);
    one(PC, 0, A, 16);
    one(PC + 8, 0, R, 16);
    one(PC, 1, A, 16);
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC, PC + 8, 16, 1);

    start(SG_CHECK_RACES, 2);
    one(PC, 0, W, 16);
    one(PC + 8, 0, A, 16);
    one(PC + 8, 1, A, 16);
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC, PC + 8, 16, 1);
}

/* data at 16, lock at 32: compare-and-swap, use, unlock by a plain store. */
static void lock_orders(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 3);
    for (unsigned wave = 0; wave < 3; wave++) {
        one(PC, wave, A, 32);
        one(PC, (wave + 1) % 3, A, 32); /* fails to take it */
        one(PC + 8, wave, R, 16);
        one(PC + 16, wave, W, 16);
        one(PC + 24, wave, W, 32);
    }
    finish();
    assert_int_equal(n_found, 0);
}

/* An atomic after the access publishes it; one before does not. */
static void message_through_a_flag(void **state)
{
    (void)state;
    start(SG_CHECK_RACES, 2);
    one(PC, 0, W, 16);
    one(PC + 8, 0, A, 32);
    one(PC + 16, 1, A, 32);
    one(PC + 24, 1, R, 16);
    finish();
    assert_int_equal(n_found, 0);

    start(SG_CHECK_RACES, 2);
    one(PC, 0, A, 32);
    one(PC + 8, 0, W, 16);
    one(PC + 16, 1, A, 32);
    one(PC + 24, 1, R, 16);
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC + 8, PC + 24, 16, 1);
}

static void lanes_contradict(void **state)
{
    (void)state;
    uint8_t same = 3;
    start(SG_CHECK_RACES, 1);
    lanes(PC, 0, W, 16, 0, 4, 0xf, NULL); /* each lane its number */
    lanes(PC + 8, 0, W, 32, 0, 4, 0xf, &same);
    lanes(PC + 16, 0, W, 64, 4, 4, ~0ull, NULL);
    finish();
    assert_int_equal(n_found, 2);
    assert_int_equal(found[0].kind, SG_FOUND_LANES);
    assert_int_equal(found[0].a.lane, 0);
    assert_int_equal(found[0].b.lane, 1);
    assert_int_equal(found[0].address, 16);
    assert_false(found[0].harmless);
    assert_int_equal(found[1].kind, SG_FOUND_LANES);
    assert_true(found[1].harmless);
}

static void unwritten_bytes(void **state)
{
    (void)state;
    uint8_t x = 1;
    start(SG_CHECK_UNINIT, 2);
    lanes(PC, 0, W, 16, 0, 2, 1, &x);
    one(PC + 8, 1, R, 16);                   /* bytes 18, 19 */
    lanes(PC + 16, 1, R, 16, 0, 2, 1, NULL); /* written */
    one(PC + 24, 0, A, 40);                  /* reads, and writes */
    one(PC + 32, 0, R, 40);
    lanes(PC + 40, 0, R, 100, 8, 8, ~0ull, NULL); /* 64 lanes of two dwords each */
    lanes(PC + 48, 0, R, LDS - 4, 0, 8, 1, NULL); /* beyond the end: reads 0 */
    finish();
    assert_int_equal(n_found, 3);
    assert_int_equal(found[0].a.pc, PC + 8);
    assert_int_equal(found[0].address, 18);
    assert_int_equal(found[0].kind, SG_FOUND_UNINIT);
    assert_int_equal(found[0].b.pc, NONE);
    assert_int_equal(found[1].a.pc, PC + 24);
    assert_int_equal(found[1].a.kind, A);
    assert_int_equal(found[2].a.pc, PC + 40);
    assert_int_equal(found[2].count, 128);
}

/* Memory is used again by the next work-group, what was found is not. */
static void work_groups_are_apart(void **state)
{
    (void)state;
    start(SG_CHECK_RACES | SG_CHECK_UNINIT, 2);
    one(PC, 0, W, 16);
    sg_check_group_end(group);
    group = sg_check_group_begin(job, group, 1, 2, LDS);
    one(PC + 8, 1, R, 16);
    finish();
    assert_int_equal(n_found, 1);
    assert_int_equal(found[0].kind, SG_FOUND_UNINIT);
    assert_int_equal(found[0].group, 1);
}

/* The example is the lowest work-group's, in whatever order they run; the counts add up. */
static void lowest_work_group_is_the_example(void **state)
{
    (void)state;
    const unsigned order[3] = {5, 2, 9};
    start(SG_CHECK_RACES, 2);
    for (unsigned i = 0; i < 3; i++) {
        sg_check_group_end(group);
        group = sg_check_group_begin(job, group, order[i], 2, LDS);
        one(PC, 0, W, 4 * order[i]);
        one(PC + 8, 1, R, 4 * order[i]);
    }
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC, PC + 8, 8, 3);
    assert_int_equal(found[0].group, 2);
}

/* One lane, one dword of global memory. */
static void global(unsigned pc, unsigned wave, enum sg_check_kind kind, uint64_t at, uint8_t value)
{
    uint8_t data[1][SG_CHECK_BYTES], before[1][SG_CHECK_BYTES] = {{9, 9, 9, 9}};
    memset(data, value, sizeof data);
    struct sg_check_access a = {.pc = pc,
                                .wave = wave,
                                .kind = kind,
                                .space = SG_CHECK_MEMORY,
                                .bytes = 4,
                                .lanes = 1,
                                .addr = &at,
                                .data = (const uint8_t (*)[SG_CHECK_BYTES])data,
                                .before = (const uint8_t (*)[SG_CHECK_BYTES])before};
    sg_check_access(group, &a);
}

/* Work-group 0 ends, `flat` starts. */
static void next_group(unsigned flat)
{
    sg_check_group_end(group);
    group = sg_check_group_begin(job, group, flat, 2, LDS);
    assert_non_null(group);
}

static void work_groups_race(void **state)
{
    (void)state;
    const uint64_t at = 0x7f0000001000;
    start(SG_CHECK_GLOBAL, 2);
    global(PC, 0, W, at, 1);
    global(PC, 1, R, at + 4, 1);
    sg_check_barrier(group);
    global(PC + 8, 1, R, at, 1); /* behind a barrier of its work-group */
    next_group(1);
    global(PC + 16, 0, R, at, 1);     /* races with PC */
    global(PC + 24, 0, R, at + 4, 1); /* both read */
    global(PC + 32, 0, W, at + 8, 9);
    next_group(2);
    global(PC + 40, 1, W, at + 8, 9); /* what stands there */
    finish();
    assert_int_equal(n_found, 2);
    expect_race(0, PC, PC + 16, at, 1);
    assert_int_equal(found[0].a.group, 0);
    assert_int_equal(found[0].b.group, 1);
    assert_true(found[1].harmless);
}

/* Who has heard of others may know everything; a barrier passes it on within the work-group. */
static void hearing_orders(void **state)
{
    (void)state;
    start(SG_CHECK_GLOBAL, 2);
    global(PC, 0, W, 64, 1);
    next_group(1);
    sg_check_acquire(group, 0);
    global(PC + 8, 0, R, 64, 1);
    global(PC + 16, 1, R, 64, 1); /* the other wavefront has not */
    finish();
    assert_int_equal(n_found, 1);
    expect_race(0, PC, PC + 16, 64, 1);

    start(SG_CHECK_GLOBAL, 2);
    global(PC, 0, W, 64, 1);
    next_group(1);
    sg_check_acquire(group, 0);
    sg_check_barrier(group);
    global(PC + 16, 1, R, 64, 1);
    finish();
    assert_int_equal(n_found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_then_read),
        cmocka_unit_test(read_then_write),
        cmocka_unit_test(barrier_orders),
        cmocka_unit_test(one_wavefront_is_in_order),
        cmocka_unit_test(reads_do_not_race),
        cmocka_unit_test(many_readers),
        cmocka_unit_test(same_value_is_harmless),
        cmocka_unit_test(bytes_of_a_dword),
        cmocka_unit_test(atomics_do_not_race),
        cmocka_unit_test(atomic_against_plain),
        cmocka_unit_test(lock_orders),
        cmocka_unit_test(message_through_a_flag),
        cmocka_unit_test(lanes_contradict),
        cmocka_unit_test(unwritten_bytes),
        cmocka_unit_test(work_groups_are_apart),
        cmocka_unit_test(lowest_work_group_is_the_example),
        cmocka_unit_test(work_groups_race),
        cmocka_unit_test(hearing_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
