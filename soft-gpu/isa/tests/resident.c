/*
 * resident.c - as many work-groups as the compute units hold meet each other; one more finds no place, and that is
 * told. Argument: directory of resident-<arch>.co.
 *
 * Units and what they hold, from gpus/table.c's sources: MI210 104 units of 4 SIMDs of 8 wavefronts and 512 VGPRs, 64 KiB of
 * LDS; MI300X 304 of the same; MI350X 256, 160 KiB of LDS; gfx1030 72 units of 2 SIMDs of 16 wavefronts and 1024 VGPRs
 * of 32 lanes, 64 KiB of LDS.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../loader.h"

/* Where nothing is to be told of, a machine that stands still for a while must not look like a GPU that does. */
enum { NEVER_REACHED = 3600 };

static const char *directory;

struct gpu {
    struct sg_device *d;
    struct sg_object *o;
    _Atomic uint32_t *count;
    pthread_mutex_t lock;
    unsigned n_told, to_be_told; /* when so many dispatches were told of, the host lets all go; 0: never */
    char told[2][256];
    bool placed[2]; /* the dispatch had a work-group on the GPU */
};

static void stalled(void *user, const struct sg_dispatch *d, const struct sg_fault *where)
{
    struct gpu *g = user;
    (void)d;
    pthread_mutex_lock(&g->lock);
    if (g->n_told < 2) {
        memcpy(g->told[g->n_told], where->message, sizeof g->told[0]);
        g->placed[g->n_told] = where->pc;
    }
    if (++g->n_told == g->to_be_told)
        g->count[1] = 1;
    pthread_mutex_unlock(&g->lock);
}

static void open_gpu(struct gpu *g, const char *arch, unsigned to_be_told, bool stop)
{
    static const struct sg_engine_ops ops = {.stalled = stalled};
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated(arch),
                                 .threads = 2,
                                 .ops = &ops,
                                 .user = g,
                                 .stall_seconds = to_be_told || stop ? 1 : NEVER_REACHED,
                                 .stall_stops = stop};
    char path[1024], why[256];
    const char *cause;
    memset(g, 0, sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    g->to_be_told = to_be_told;
    g->d = sg_device_create(&c, &cause);
    assert_non_null(g->d);
    snprintf(path, sizeof path, "%s/resident-%s.co", directory, arch);
    g->o = sg_object_load(g->d, path, why, sizeof why);
    if (!g->o)
        fail_msg("%s", why);
    g->count = sg_device_alloc(g->d, 4096);
}

struct work {
    struct gpu *gpu;
    const char *kernel;
    uint16_t items; /* of a work-group */
    uint32_t groups, n;
    unsigned units; /* of the mask; 0: all */
    int result;
    struct sg_fault fault;
};

static void *run(void *argument)
{
    struct work *w = argument;
    struct {
        void *count;
        uint32_t n;
    } block = {(void *)w->gpu->count, w->n};
    struct sg_launch l = {.kernel = w->kernel,
                          .grid = {w->items * w->groups},
                          .workgroup = {w->items},
                          .arguments = &block,
                          .argument_bytes = sizeof block,
                          .masked = w->units};
    for (unsigned i = 0; i < w->units; i++)
        l.units[i / 32] |= 1u << i % 32;
    w->result = sg_object_launch(w->gpu->d, w->gpu->o, &l, &w->fault);
    return NULL;
}

static void check_text(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, text);
}

/* `fit` work-groups meet; of one more it is told, and all go when the host lets them. */
static void check_fit(const char *arch, const char *kernel, uint16_t items, unsigned units, uint32_t fit,
                      const char *want)
{
#ifdef SG_FEW_PLACES
    if (fit > 1000)
        return;
#endif
    for (uint32_t n = fit; n <= fit + 1; n++) {
        struct gpu g;
        char expected[256];
        open_gpu(&g, arch, n - fit, false);
        struct work w = {.gpu = &g, .kernel = kernel, .items = items, .groups = n, .n = n, .units = units};
        run(&w);
        if (w.result)
            fail_msg("%s: %s", kernel, w.fault.message);
        assert_int_equal(g.count[2], n);
        assert_int_equal(g.n_told, n - fit);
        snprintf(expected, sizeof expected, "%u of its %u work-groups run; ", fit, n);
        if (n > fit) {
            check_text(g.told[0], expected);
            check_text(g.told[0], want);
            assert_true(g.placed[0]);
        }
        sg_device_destroy(g.d);
    }
}

static void test_limits(void **state)
{
    (void)state;
    /* 104 * 4 * 8; the same in work-groups of 4 wavefronts; the first 52 units */
    check_fit("gfx90a", "meet", 64, 0, 3328,
              "104 compute units hold at most 3328, for want of places for wavefronts");
    check_fit("gfx90a", "meet", 256, 0, 832, "for want of places for wavefronts");
    check_fit("gfx90a", "meet", 64, 52, 1664, "52 compute units, the queue's mask, of 104 hold at most 1664");
    /* 512 / 128 wavefronts for each of 4 SIMDs: 16 a unit; work-groups of 3 wavefronts: 5 */
    check_fit("gfx90a", "meet_vgprs", 64, 0, 1664, "for want of VGPRs");
    check_fit("gfx90a", "meet_vgprs", 192, 0, 520, "for want of VGPRs");
    /* 64 / 32 a unit */
    check_fit("gfx90a", "meet_lds", 64, 0, 208, "for want of LDS");
    check_fit("gfx942", "meet_lds", 64, 0, 608, "for want of LDS");
    /* 160 KiB in granules of 1280 bytes: 32 KiB take 26 of 128, so 4 fit */
    check_fit("gfx950", "meet_lds", 64, 0, 1024, "for want of LDS");
    /* 72 * 2 * 16; 1024 / 128 for each of 2 SIMDs */
    check_fit("gfx1030", "meet", 32, 0, 2304, "72 compute units hold at most 2304, for want of places");
    check_fit("gfx1030", "meet_vgprs", 32, 0, 1152, "for want of VGPRs");
    /* WGP mode: the 4 * 8 wavefronts that two units hold are one work-group of 1024 work-items, or 6 of 5 wavefronts */
    check_fit("gfx1030", "meet_vgprs", 1024, 0, 36, "for want of VGPRs");
    check_fit("gfx1030", "meet_vgprs", 160, 0, 216, "for want of VGPRs");
    /* 40 KiB: 3 in the 128 of two units; in CU mode one in each; on the first 8 units */
    check_fit("gfx1030", "meet_40k", 32, 0, 108, "for want of LDS");
    check_fit("gfx1030", "meet_40k_cu", 32, 0, 72, "for want of LDS");
    check_fit("gfx1030", "meet_40k", 32, 8, 12, "8 compute units, the queue's mask, of 72 hold at most 12");
}

static void test_stop(void **state)
{
    struct gpu g;
    (void)state;
    open_gpu(&g, "gfx90a", 0, true);
    struct work w = {.gpu = &g, .kernel = "meet", .items = 64, .groups = 3329, .n = 3329};
    run(&w);
    assert_int_equal(w.result, -1);
    assert_int_equal(w.fault.kind, SG_FAULT_DEADLOCK);
    check_text(w.fault.message, "3328 of its 3329 work-groups run");
    assert_int_equal(g.n_told, 1);
    sg_device_destroy(g.d);
}

/* A second dispatch that the first one waits for, with room and without. */
static void test_two(void **state)
{
    (void)state;
    for (uint32_t first = 3327; first <= 3328; first++) {
        struct gpu g;
        pthread_t thread;
        open_gpu(&g, "gfx90a", first == 3327 ? 0 : 2, false);
        struct work a = {.gpu = &g, .kernel = "meet", .items = 64, .groups = first, .n = first + 1};
        struct work b = {.gpu = &g, .kernel = "meet", .items = 64, .groups = 1, .n = 1};
        assert_int_equal(pthread_create(&thread, NULL, run, &a), 0);
        while (g.count[0] < first)
            sched_yield();
        run(&b);
        pthread_join(thread, NULL);
        assert_int_equal(a.result, 0);
        assert_int_equal(b.result, 0);
        assert_int_equal(g.count[2], first + 1);
        assert_int_equal(g.n_told, first == 3327 ? 0 : 2);
        if (first == 3328) {
            const unsigned of_b = g.placed[0];
            check_text(g.told[!of_b], "only the host can end it");
            check_text(g.told[of_b],
                       "it does not start: all wavefronts on the GPU wait, and leave it no place; 0 of "
                       "its 1 work-groups run; 104 compute units hold at most 3328");
            assert_false(g.placed[of_b]);
        }
        sg_device_destroy(g.d);
    }
}

/* A barrier of the whole grid, on half of the units: nobody can complete it, which needs no waiting to know. */
static void test_barrier(void **state)
{
    (void)state;
    for (uint32_t n = 1664; n <= 1665; n++) {
        struct gpu g;
        open_gpu(&g, "gfx90a", 0, false);
        struct work init = {.gpu = &g, .kernel = "barrier_init", .items = 1, .groups = 1, .n = n};
        struct work w = {
            .gpu = &g, .kernel = "meet_in_barrier", .items = 64, .groups = n, .n = n, .units = 52};
        run(&init);
        assert_int_equal(init.result, 0);
        run(&w);
        assert_int_equal(w.result, n == 1664 ? 0 : -1);
        assert_int_equal(g.count[2], n == 1664 ? n : 0);
        assert_int_equal(g.n_told, 0);
        if (n > 1664) {
            assert_int_equal(w.fault.kind, SG_FAULT_DEADLOCK);
            check_text(w.fault.message,
                       "wait in a grid barrier for more to arrive: 1664 of its 1665 work-groups run; 52 "
                       "compute units, the queue's mask, of 104 hold at most 1664");
        }
        sg_device_destroy(g.d);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_two), cmocka_unit_test(test_barrier)};
    if (argc != 2) {
        fprintf(stderr, "usage: test_sg_resident DIRECTORY\n");
        return 2;
    }
    directory = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
