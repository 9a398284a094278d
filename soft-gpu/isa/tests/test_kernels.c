/*
 * test_kernels.c - whole kernels through the loader, on every GPU, at -O0 and -O3, also with poison and
 * random order. Arguments: the directory that holds core-<arch>-O<n>.co.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xmmintrin.h>
#include <pmmintrin.h>
#include <cmocka.h>
#include "../loader.h"
#include "soft-gpu/isa/log/log_reader.h"

static const char *directory;

struct run {
    const char *arch;
    int level;
    bool poison;
    const char *log;
};

static const struct run runs[] = {
#ifdef SG_FEW_GPUS
    {"gfx942", 0, false, NULL},  {"gfx942", 3, false, NULL}, {"gfx1030", 0, false, NULL},
    {"gfx1200", 3, false, NULL}, {"gfx942", 3, true, NULL},
#else
    {"gfx90a", 0, false, NULL},  {"gfx90a", 3, false, NULL},  {"gfx942", 0, false, NULL},
    {"gfx942", 3, false, NULL},  {"gfx950", 0, false, NULL},  {"gfx950", 3, false, NULL},
    {"gfx1030", 0, false, NULL}, {"gfx1030", 3, false, NULL}, {"gfx1100", 0, false, NULL},
    {"gfx1100", 3, false, NULL}, {"gfx1200", 0, false, NULL}, {"gfx1200", 3, false, NULL},
    {"gfx90a", 0, true, NULL},   {"gfx942", 3, true, NULL},
#endif
};
enum { RUNS = sizeof runs / sizeof runs[0] };

/* What the check has found in all kernels since the device was made. */
static struct found {
    unsigned races, unwritten, others;
    char instruction[2][96];
} found;

static void keep_finding(void *user, const struct sg_check_report *r)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)user;
    if (!r->finding)
        return;
    pthread_mutex_lock(&lock);
    found.races += r->finding->kind == SG_FOUND_RACE;
    found.unwritten += r->finding->kind == SG_FOUND_UNINIT;
    found.others += r->finding->kind == SG_FOUND_LANES;
    if (r->finding->kind == SG_FOUND_RACE)
        memcpy(found.instruction, r->instruction, sizeof found.instruction);
    pthread_mutex_unlock(&lock);
}

static const struct sg_engine_ops ops = {.found = keep_finding};

struct device {
    struct sg_device *d;
    struct sg_object *o;
    struct sg_fault fault;
};

static struct device open_device(const struct run *r)
{
    struct device x = {0};
    char path[1024], why[256];
    const char *cause;
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated(r->arch),
                                 .threads = 2,
                                 .access_log = r->log,
                                 .poison = r->poison,
                                 .shuffle_waves = r->poison,
                                 .seed = 12345,
                                 .ops = &ops,
                                 .check = SG_CHECK_RACES | SG_CHECK_UNINIT};
    memset(&found, 0, sizeof found);
    x.d = sg_device_create(&c, &cause);
    assert_non_null(x.d);
    snprintf(path, sizeof path, "%s/core-%s-O%d.co", directory, r->arch, r->level);
    x.o = sg_object_load(x.d, path, why, sizeof why);
    if (!x.o)
        fail_msg("%s", why);
    return x;
}

static int launch(struct device *x, const char *kernel, uint32_t items, uint16_t group, const void *arguments,
                  size_t bytes)
{
    struct sg_launch l = {.kernel = kernel,
                          .grid = {items},
                          .workgroup = {group},
                          .arguments = arguments,
                          .argument_bytes = bytes};
    return sg_object_launch(x->d, x->o, &l, &x->fault);
}

static void expect_success(struct device *x, int status)
{
    if (status)
        fail_msg("%s (%s)", x->fault.message, x->fault.instruction);
}

static void expect_nothing_found(void)
{
    if (found.races || found.unwritten || found.others)
        fail_msg("%u races, %u unwritten, %u others; %s, %s", found.races, found.unwritten, found.others,
                 found.instruction[0], found.instruction[1]);
}

static void test_saxpy(void **state)
{
    (void)state;
    enum { N = 1000 };
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        float *in = sg_device_alloc(x.d, N * 4), *out = sg_device_alloc(x.d, N * 4);
        for (int i = 0; i < N; i++) {
            in[i] = (float)i;
            out[i] = 1;
        }
        struct {
            float *x, *y;
            float a;
            int n;
        } a = {in, out, 2.5f, N};
        expect_success(&x, launch(&x, "saxpy", 1024, 256, &a, sizeof a));
        for (int i = 0; i < N; i++)
            assert_true(out[i] == 2.5f * (float)i + 1); /* exact in float: multiples of a half */
        sg_device_destroy(x.d);
    }
}

/* An application that flushes denormals, rounds toward zero and traps exceptions changes nothing on the GPU. */
static void test_float_environment_of_the_application(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        const unsigned before = _mm_getcsr();
        _mm_setcsr(_MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON | _MM_ROUND_TOWARD_ZERO);
        struct device x = open_device(&runs[r]);
        _mm_setcsr(before);
        uint32_t *in = sg_device_alloc(x.d, 8), *out = sg_device_alloc(x.d, 8);
        /* 2^-128 + 2^-129, and 1 + 3/4 of the unit in the last place of 1, whose nearest is one whole. */
        in[0] = 0x00200000, out[0] = 0x00100000;
        in[1] = 0x3f800000, out[1] = 0x33c00000;
        struct {
            uint32_t *x, *y;
            float a;
            int n;
        } a = {in, out, 1, 2};
        expect_success(&x, launch(&x, "saxpy", 256, 256, &a, sizeof a));
        assert_int_equal(out[0], 0x00300000);
        assert_int_equal(out[1], 0x3f800001);
        sg_device_destroy(x.d);
    }
}

/* A grid of 10 x 7 x 5 in work-groups of 4 x 3 x 2: every dimension has a partial work-group. */
static void test_identify(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *out = sg_device_alloc(x.d, 350 * 4);
        struct {
            uint32_t *out;
            uint32_t width, height;
        } a = {out, 10, 7};
        struct sg_launch l = {.kernel = "identify",
                              .grid = {10, 7, 5},
                              .workgroup = {4, 3, 2},
                              .arguments = &a,
                              .argument_bytes = sizeof a};
        expect_success(&x, sg_object_launch(x.d, x.o, &l, &x.fault));
        for (uint32_t i = 0; i < 350; i++)
            assert_int_equal(out[i], i % 10 | i / 10 % 7 << 8 | i / 70 << 16 | 4u << 24);
        sg_device_destroy(x.d);
    }
}

/* Ids that a kernel does not ask for are not in v0, whatever the work-group's shape is: 4 x 3 x 2 work-items have each x six times, each
 * pair of x and y twice. */
static void test_ids_that_are_not_asked_for(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *counts = sg_device_alloc(x.d, 4096 * 4);
        struct sg_launch l = {.kernel = "count_columns",
                              .grid = {4, 3, 2},
                              .workgroup = {4, 3, 2},
                              .arguments = &counts,
                              .argument_bytes = sizeof counts};
        memset(counts, 0, 4096 * 4);
        expect_success(&x, sg_object_launch(x.d, x.o, &l, &x.fault));
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(counts[i], 6);
        memset(counts, 0, 4096 * 4);
        l.kernel = "count_places";
        expect_success(&x, sg_object_launch(x.d, x.o, &l, &x.fault));
        for (uint32_t i = 0; i < 12; i++)
            assert_int_equal(counts[i], 2);
        sg_device_destroy(x.d);
    }
}

static void test_grid_sync(void **state)
{
    (void)state;
    for (unsigned r = 0; r < 2 * RUNS; r++) {
        struct device x = open_device(&runs[r / 2]);
        uint32_t groups = r % 2 ? 200 : 40;
        uint32_t *counter = sg_device_alloc(x.d, 8);
        struct {
            uint32_t *counter;
            uint32_t groups, sleep;
        } a = {counter, groups, r % 2};
        expect_success(&x, launch(&x, "grid_sync", groups * 64, 64, &a, sizeof a));
        assert_int_equal(counter[0], groups);
        assert_int_equal(counter[1], groups);
        sg_device_destroy(x.d);
    }
}

static void test_wave_sync(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        if (ls_gpu_find(runs[r].arch)->family->split_barriers)
            continue; /* gfx12 has no global wave sync */
        struct device x = open_device(&runs[r]);
        const uint16_t lanes = ls_gpu_find(runs[r].arch)->family->lanes; /* work-groups of one wavefront */
        uint32_t *data = sg_device_alloc(x.d, 64), *seen = data + 8;
        struct {
            uint32_t *data, *seen;
        } a = {data, seen};
        expect_success(&x, launch(&x, "wave_sync", 7u * lanes, lanes, &a, sizeof a));
        for (unsigned i = 0; i < 7; i++) {
            assert_int_equal(data[i], 42);
            assert_int_equal(seen[i], 7);
        }
        sg_device_destroy(x.d);
    }
}

static void test_split_barriers(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        if (!ls_gpu_find(runs[r].arch)->family->split_barriers)
            continue;
        struct device x = open_device(&runs[r]);
        uint32_t *out = sg_device_alloc(x.d, 64);
        struct {
            uint32_t *out, rounds, none;
        } a = {out, 3, 0};
        expect_success(&x, launch(&x, "split_barrier", 128, 128, &a, sizeof a));
        assert_int_equal(out[0], 3);     /* one of four in each round */
        assert_int_equal(out[1], 3 * 4); /* all go on */
        assert_int_equal(out[2],
                         4 * 6 * 6u); /* of four wavefronts: 0 + 1 + 2 + 3, once, twice, three times */
        expect_nothing_found();
        expect_success(&x, launch(&x, "split_barrier_ends", 128, 128, &out, sizeof out));
        assert_int_equal(out[0], 3 + 2);
        assert_int_equal(launch(&x, "split_barrier_forgotten", 128, 128, &out, sizeof out), -1);
        assert_int_equal(x.fault.kind, SG_FAULT_DEADLOCK);
        assert_non_null(strstr(x.fault.message, "a barrier that not all have signalled"));
        sg_device_destroy(x.d);
    }
}

/* A signal does not wait: nobody else could say what the first wavefront sleeps for. The check takes its polling for races, as
 * relaxed atomic loads of LDS are plain ones in machine code. */
static void test_sleep_in_split_barrier(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        if (!ls_gpu_find(runs[r].arch)->family->split_barriers)
            continue;
        struct device x = open_device(&runs[r]);
        uint32_t *out = sg_device_alloc(x.d, 64);
        struct {
            uint32_t *out, rounds, none;
        } a = {out, 20, 0};
        expect_success(&x, launch(&x, "split_barrier_sleeps", 128, 128, &a, sizeof a));
        for (unsigned wave = 0; wave < 4; wave++)
            assert_int_equal(out[wave], 20);
        sg_device_destroy(x.d);
    }
}

/* More work-groups than are resident: each but the first sleeps for the one before it. */
static void test_look_back(void **state)
{
    enum { GROUPS = 300 };
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *sums = sg_device_alloc(x.d, 4 * (GROUPS + 1)), *seen = sg_device_alloc(x.d, 4 * GROUPS);
        struct {
            uint32_t *sums, *seen;
        } a = {sums, seen};
        expect_success(&x, launch(&x, "look_back", GROUPS * 256, 256, &a, sizeof a));
        for (uint32_t k = 0; k < GROUPS; k++) {
            assert_int_equal(seen[k], 1 + k * (k + 1) / 2);
            assert_int_equal(sums[k + 1], 1 + (k + 1) * (k + 2) / 2);
        }
        expect_nothing_found();
        sg_device_destroy(x.d);
    }
}

static void test_reduce(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *in = sg_device_alloc(x.d, 2048 * 4), *out = sg_device_alloc(x.d, 8 * 4), sum[8] = {0};
        for (uint32_t i = 0; i < 2048; i++) {
            in[i] = i * i;
            sum[i / 256] += i * i;
        }
        uint32_t *a[2] = {in, out};
        expect_success(&x, launch(&x, "reduce", 2048, 256, a, sizeof a));
        assert_memory_equal(out, sum, sizeof sum);
        sg_device_destroy(x.d);
        expect_nothing_found();
    }
}

/* Both reads race with the write, a pair of instructions each; without optimisation they are flat ones.
 * part[256] is never written, and what is read too early may not be yet. */
static void test_race(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *in = sg_device_alloc(x.d, 256 * 4), *out = sg_device_alloc(x.d, 256 * 4);
        uint32_t *a[2] = {in, out};
        expect_success(&x, launch(&x, "race", 256, 256, a, sizeof a));
        sg_device_destroy(x.d);
        assert_int_equal(found.races, 2);
        assert_true(found.unwritten >= 1);
        assert_int_equal(found.others, 0);
        assert_non_null(strstr(found.instruction[0], runs[r].level ? "ds_write" : "flat_store"));
        assert_non_null(strstr(found.instruction[1], runs[r].level ? "ds_read" : "flat_load"));
    }
}

static void test_calls_and_stack(void **state)
{
    (void)state;
    static const int fibonacci[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        int *out = sg_device_alloc(x.d, 128 * 4);
        expect_success(&x, launch(&x, "recurse", 128, 64, &out, sizeof out));
        for (int i = 0; i < 128; i++)
            assert_int_equal(out[i], fibonacci[i % 64 % 12]);
        struct {
            int *out;
            int n;
        } a = {out, 50};
        expect_success(&x, launch(&x, "stack", 128, 64, &a, sizeof a));
        for (int i = 0; i < 128; i++) {
            int sum = 0;
            for (int k = 0; k < 50; k++)
                sum += ((k * 7 + i % 64) & 63) * 3 + i % 64;
            assert_int_equal(out[i], sum);
        }
        sg_device_destroy(x.d);
    }
}

static void test_globals(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *out = sg_device_alloc(x.d, 64 * 4);
        expect_success(&x, launch(&x, "globals", 64, 64, &out, sizeof out));
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(out[i], i & 1 ? 33 : 22);
        sg_device_destroy(x.d);
    }
}

static void test_faults(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        uint32_t *in = sg_device_alloc(x.d, 192 * 4);
        in[130] = 77; /* work-group 2 */
        assert_int_equal(launch(&x, "trap", 192, 64, &in, sizeof in), -1);
        assert_int_equal(x.fault.kind, SG_FAULT_TRAP);
        assert_int_equal(x.fault.workgroup[0], 2);
        assert_non_null(strstr(x.fault.instruction, "s_trap"));
        assert_int_equal(launch(&x, "wild_store", 128, 64, &in, sizeof in), -1);
        assert_int_equal(x.fault.kind, SG_FAULT_PAGE);
        assert_true(x.fault.va == (uintptr_t)in + 4 * 0x40000000ull);
        assert_true(x.fault.is_write);
        assert_int_equal(x.fault.workgroup[0], 1);
        assert_int_equal(x.fault.lane, 6); /* work-item 70 */
        assert_int_equal(launch(&x, "halt", 64, 64, &in, sizeof in), -1);
        assert_int_equal(x.fault.kind, SG_FAULT_DEADLOCK);
        assert_int_equal(launch(&x, "nothing", 64, 64, &in, sizeof in), -1);
        assert_int_equal(x.fault.kind, SG_FAULT_RESOURCES);
        struct sg_launch big = {
            .kernel = "reduce", .grid = {256}, .workgroup = {256}, .dynamic_lds = 1 << 20};
        assert_int_equal(sg_object_launch(x.d, x.o, &big, &x.fault), -1);
        assert_int_equal(x.fault.kind, SG_FAULT_RESOURCES);
        in[130] = 0;
        expect_success(&x, launch(&x, "trap", 192, 64, &in, sizeof in)); /* the engine still works */
        sg_device_destroy(x.d);
    }
}

struct counter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned done, faults;
};

static void count_done(void *user, const struct sg_fault *fault)
{
    struct counter *c = user;
    pthread_mutex_lock(&c->lock);
    c->done++;
    c->faults += fault->kind != SG_FAULT_NONE;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* 64 dispatches in the engine at once, each waiting for the next one: they must run concurrently, in any
 * order. Every fourth has code that is invalidated meanwhile. */
static void test_concurrent_dispatches(void **state)
{
    (void)state;
    enum { DISPATCHES = 64 };
    for (unsigned r = 0; r < RUNS; r++) {
        struct device x = open_device(&runs[r]);
        struct counter c = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
        uint32_t *counter = sg_device_alloc(x.d, 8);
        struct arguments {
            uint32_t *counter;
            uint32_t groups, sleep;
        } *a = sg_device_alloc(x.d, 4096); /* hidden arguments behind it stay zero: the kernel uses none */
        *a = (struct arguments){counter, DISPATCHES, 1};
        struct sg_dispatch d = {.kernel_object = sg_object_symbol(x.o, "grid_sync.kd", NULL),
                                .kernarg = (uintptr_t)a,
                                .packet = (uintptr_t)a + 2048,
                                .queue = (uintptr_t)a + 3072,
                                .grid = {64, 1, 1},
                                .workgroup = {64, 1, 1},
                                .shared_aperture = 1ull << 48,
                                .private_aperture = 2ull << 48};
        const uint32_t *kd = (const uint32_t *)(uintptr_t)d.kernel_object;
        d.private_bytes = kd[1];
        d.scratch_bytes = 1024 * ((size_t)d.private_bytes * 64 + 1024);
        d.scratch_base = (uintptr_t)sg_device_alloc(x.d, d.scratch_bytes);
        for (unsigned i = 0; i < DISPATCHES; i++) {
            assert_int_equal(sg_engine_submit(sg_device_engine(x.d), &d, count_done, &c), 0);
            if (i % 4 == 3)
                sg_engine_invalidate_code(sg_device_engine(x.d), 0, UINT64_MAX);
        }
        pthread_mutex_lock(&c.lock);
        while (c.done < DISPATCHES)
            pthread_cond_wait(&c.changed, &c.lock);
        pthread_mutex_unlock(&c.lock);
        assert_int_equal(c.faults, 0);
        assert_int_equal(counter[0], DISPATCHES);
        assert_int_equal(counter[1], DISPATCHES);
        sg_device_destroy(x.d);
    }
}

/* The log of saxpy: 1000 elements in 16 wavefronts, two loads and a store each; addresses as computed here. */
static void test_access_log(void **state)
{
    (void)state;
    enum { N = 1000 };
    char path[] = "/tmp/sg-access-log-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct run r = {"gfx942", 3, false, path};
    struct device x = open_device(&r);
    float *in = sg_device_alloc(x.d, N * 4), *out = sg_device_alloc(x.d, N * 4);
    struct {
        float *x, *y;
        float a;
        int n;
    } a = {in, out, 2.5f, N};
    expect_success(&x, launch(&x, "saxpy", 1024, 256, &a, sizeof a));
    sg_device_destroy(x.d);

    const char *why;
    struct sg_log_reader *log = sg_log_open(path, &why);
    assert_non_null(log);
    assert_string_equal(sg_log_reader_header(log)->arch, "gfx942");
    union sg_log_any record;
    uint64_t addr[SG_MAX_LANES];
    unsigned dispatches = 0, ends = 0, loads = 0, stores = 0;
    int more;
    while ((more = sg_log_next(log, &record, addr)) == 1) {
        if (record.record.type == SG_LOG_DISPATCH) {
            dispatches++;
            assert_int_equal(record.dispatch.grid[0], 1024);
            assert_int_equal(record.dispatch.workgroup[0], 256);
        } else if (record.record.type == SG_LOG_END) {
            ends++;
            assert_int_equal(record.end.fault, SG_FAULT_NONE);
        } else if (record.access.space == SG_SPACE_GLOBAL) {
            bool store = record.access.kind == SG_ACCESS_STORE;
            uint64_t first = (record.access.workgroup * 4 + record.access.wave) * 64;
            assert_int_equal(record.access.access_bytes, 4);
            assert_true(record.access.exec == (first + 64 <= N ? ~0ull : (1ull << (N - first)) - 1));
            for (unsigned lane = 0; lane < 64; lane++)
                if (record.access.exec >> lane & 1) {
                    uint64_t offset = (first + lane) * 4;
                    assert_true(addr[lane] == (uintptr_t)out + offset ||
                                (!store && addr[lane] == (uintptr_t)in + offset));
                }
            store ? stores++ : loads++;
        }
    }
    assert_int_equal(more, 0);
    assert_int_equal(dispatches, 1);
    assert_int_equal(ends, 1);
    assert_int_equal(loads, 32);
    assert_int_equal(stores, 16);
    sg_log_reader_close(log);
    unlink(path);
}

int main(int argc, char **argv)
{
    directory = argc > 1 ? argv[1] : ".";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saxpy),
        cmocka_unit_test(test_identify),
        cmocka_unit_test(test_float_environment_of_the_application),
        cmocka_unit_test(test_ids_that_are_not_asked_for),
        cmocka_unit_test(test_grid_sync),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_split_barriers),
        cmocka_unit_test(test_sleep_in_split_barrier),
        cmocka_unit_test(test_look_back),
        cmocka_unit_test(test_wave_sync),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_globals),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_calls_and_stack),
        cmocka_unit_test(test_access_log),
        cmocka_unit_test(test_concurrent_dispatches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
