/*
 * The address map against a model that is too simple to be wrong (an array of pages), with readers while a
 * writer runs, and the VRAM heap's offsets.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "../mem.h"
#include "../vram.h"

#define PAGE 4096ull
#define PAGES 512u
#define BASE 0x7f0000000000ull

/* The model: for every page the host address it maps to, 0 = unmapped, and its flags. */
static uint64_t model_host[PAGES];
static uint32_t model_flags[PAGES];

static uint32_t rnd_state = 12345;
static uint32_t rnd(uint32_t below)
{
    rnd_state = rnd_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)rnd_state * below) >> 32);
}

static void compare_all(struct sg_mem *m, struct sg_tlb *t)
{
    for (uint32_t p = 0; p < PAGES; p++) {
        uint64_t va = BASE + p * PAGE + rnd((uint32_t)PAGE);
        struct sg_range r;
        bool found = sg_mem_lookup(m, va, &r);
        const struct sg_range *c = sg_tlb_range(t, va);
        assert_int_equal(found, model_host[p] != 0);
        assert_int_equal(c != NULL, found);
        if (!found)
            continue;
        assert_true(r.lo <= va && va < r.hi);
        assert_int_equal(va + (uint64_t)r.delta, model_host[p] + (va & (PAGE - 1)));
        assert_int_equal(r.flags, model_flags[p]);
        assert_int_equal(va + (uint64_t)c->delta, model_host[p] + (va & (PAGE - 1)));
    }
}

static void random_operations(void **state)
{
    (void)state;
    struct sg_mem *m = sg_mem_create();
    struct sg_tlb t;
    sg_tlb_init(&t, m);
    for (int step = 0; step < 4000; step++) {
        uint32_t first = rnd(PAGES), n = 1 + rnd(PAGES - first < 40 ? PAGES - first : 40);
        uint64_t va = BASE + first * PAGE;
        if (rnd(3)) {
            uint64_t host = 0x10000000ull + rnd(1u << 20) * PAGE;
            uint32_t flags = 1 + rnd(7);
            assert_int_equal(sg_mem_map(m, va, n * PAGE, (void *)(uintptr_t)host, flags), 0);
            for (uint32_t i = 0; i < n; i++) {
                model_host[first + i] = host + i * PAGE;
                model_flags[first + i] = flags;
            }
        } else {
            assert_int_equal(sg_mem_unmap(m, va, n * PAGE), 0);
            memset(&model_host[first], 0, n * sizeof model_host[0]);
        }
        if (step % 16 == 0)
            compare_all(m, &t);
    }
    compare_all(m, &t);
    sg_mem_destroy(m);
}

static void edges(void **state)
{
    (void)state;
    struct sg_mem *m = sg_mem_create();
    struct sg_tlb t;
    struct sg_range r;
    sg_tlb_init(&t, m);
    assert_false(sg_mem_lookup(m, 0, &r));
    assert_null(sg_tlb_range(&t, 0));
    assert_int_equal(sg_mem_map(m, 0x1000, 0, NULL, 1), -EINVAL);
    assert_int_equal(sg_mem_map(m, UINT64_MAX - 1, 4096, NULL, 1), -EINVAL);
    assert_int_equal(sg_mem_map(m, 0x1000, 0x1000, (void *)0x1000, 1), 0);
    assert_null(sg_tlb_ptr(&t, 0xfff, 1));
    assert_ptr_equal(sg_tlb_ptr(&t, 0x1000, 0x1000), (void *)0x1000);
    assert_null(sg_tlb_ptr(&t, 0x1001, 0x1000)); /* one byte beyond the end */
    assert_null(sg_tlb_ptr(&t, 0x2000, 1));
    /* A cached translation must die with its range. */
    assert_int_equal(sg_mem_unmap(m, 0x1800, 4), 0);
    assert_null(sg_tlb_ptr(&t, 0x1800, 1));
    assert_ptr_equal(sg_tlb_ptr(&t, 0x1804, 1), (void *)0x1804);
    assert_ptr_equal(sg_tlb_ptr(&t, 0x17fc, 4), (void *)0x17fc);
    sg_mem_destroy(m);
}

/* Buffers of a page, of which 128 lie in each piece of 2 MiB, and a large one behind them: those that were looked at stay cached. */
static void small_buffers(void **state)
{
    (void)state;
    struct sg_mem *m = sg_mem_create();
    struct sg_tlb t;
    const uint64_t large = BASE + (1 << 20);
    assert_int_equal(sg_mem_map(m, large, 64 << 20, (void *)(uintptr_t)large, 1), 0);
    for (uint64_t k = 0; k < 64; k++)
        assert_int_equal(sg_mem_map(m, BASE + 2 * k * PAGE, PAGE, (void *)(BASE + 2 * k * PAGE), 1), 0);
    for (unsigned first = 0; first < 2; first++) { /* either may come first */
        sg_tlb_init(&t, m);
        for (unsigned round = 0; round < 3; round++) /* the large one takes the way of who came first, once */
            for (uint64_t k = 0; k < 64; k++) {
                const uint64_t small = BASE + 2 * k * PAGE + 8, va[2] = {small, large + 8};
                for (unsigned i = 0; i < 2; i++) {
                    const uint64_t at = va[i ^ first];
                    assert_true(round < 2 || sg_tlb_hit(&t, at));
                    const struct sg_range *r = sg_tlb_range(&t, at);
                    assert_true(r && at >= r->lo && at < r->hi);
                }
            }
    }
    /* The cached ones die with their ranges, too. */
    assert_int_equal(sg_mem_unmap(m, BASE, PAGE), 0);
    assert_null(sg_tlb_range(&t, BASE + 8));
    assert_int_equal(sg_tlb_range(&t, BASE + 2 * PAGE)->lo, BASE + 2 * PAGE);
    sg_mem_destroy(m);
}

/* Ranges 2k are mapped throughout, ranges 2k+1 come and go; every mapped range has delta = its index * 2^32,
   so a torn read would show. */
static struct sg_mem *shared;
static _Atomic bool stop;

static void *reader(void *arg)
{
    struct sg_tlb t;
    uint64_t bad = 0;
    uint32_t x = (uint32_t)(uintptr_t)arg;
    sg_tlb_init(&t, shared);
    while (!atomic_load(&stop)) {
        x = x * 1664525u + 1013904223u;
        uint64_t k = x >> 23; /* 0..511 */
        const struct sg_range *r = sg_tlb_range(&t, BASE + k * PAGE + 8);
        if (!r) {
            bad += !(k & 1);
            continue;
        }
        bad += r->lo != BASE + k * PAGE || r->hi != r->lo + PAGE || (uint64_t)r->delta != k << 32;
    }
    return (void *)(uintptr_t)bad;
}

static void readers_and_writer(void **state)
{
    (void)state;
    pthread_t thread[3];
    shared = sg_mem_create();
    for (uint64_t k = 0; k < 512; k += 2)
        sg_mem_map(shared, BASE + k * PAGE, PAGE, (void *)(BASE + k * PAGE + (k << 32)), 1);
    for (uintptr_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, reader, (void *)(i + 7)), 0);
    for (int step = 0; step < 60000; step++) {
        uint64_t k = rnd(256) * 2 + 1;
        if (rnd(2))
            sg_mem_map(shared, BASE + k * PAGE, PAGE, (void *)(BASE + k * PAGE + (k << 32)), 1);
        else
            sg_mem_unmap(shared, BASE + k * PAGE, PAGE);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) {
        void *bad;
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
    sg_mem_destroy(shared);
}

/* Limits last as long as the process: in a child. */
static void file_size_limit(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {4096, 4096};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(2);
        bool refused = !sg_vram_create("test", 64 * SG_VRAM_ALIGN) && errno == EFBIG;
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status)); /* SIGXFSZ did not end it */
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void vram_offsets(void **state)
{
    (void)state;
    struct sg_vram *v = sg_vram_create("test", 65 * SG_VRAM_ALIGN);
    uint64_t a, b, c, d;
    struct stat st;
    assert_non_null(v);
    assert_int_equal(sg_vram_alloc(v, 1, &a), 0);
    assert_int_equal(sg_vram_alloc(v, SG_VRAM_ALIGN + 1, &b), 0);
    assert_int_equal(sg_vram_alloc(v, 4096, &c), 0);
    assert_int_equal(a, SG_VRAM_ALIGN); /* never 0, which means "cannot be mapped" to libhsakmt */
    assert_int_equal(b, 2 * SG_VRAM_ALIGN);
    assert_int_equal(c, 4 * SG_VRAM_ALIGN); /* b took two units */
    memset(sg_vram_host(v, b), 0xab, 4096);
    fstat(sg_vram_fd(v), &st);
    assert_true(st.st_blocks > 0);
    sg_vram_free(v, b, SG_VRAM_ALIGN + 1);
    fstat(sg_vram_fd(v), &st);
    assert_int_equal(st.st_blocks, 0); /* pages went back */
    assert_int_equal(sg_vram_alloc(v, 2 * SG_VRAM_ALIGN, &d), 0);
    assert_int_equal(d, b);                                              /* the hole is used again */
    assert_int_equal(*(uint8_t *)sg_vram_host(v, d), 0);                 /* and reads as zero */
    assert_int_equal(sg_vram_alloc(v, 61 * SG_VRAM_ALIGN, &b), -ENOMEM); /* 64 - 1 - 2 - 1 = 60 are left */
    assert_int_equal(sg_vram_alloc(v, 60 * SG_VRAM_ALIGN, &b), 0);
    /* All spans merge again, whatever the order of the frees. */
    sg_vram_free(v, c, 4096);
    sg_vram_free(v, a, 1);
    sg_vram_free(v, b, 60 * SG_VRAM_ALIGN);
    sg_vram_free(v, d, 2 * SG_VRAM_ALIGN);
    assert_int_equal(sg_vram_alloc(v, 64 * SG_VRAM_ALIGN, &b), 0);
    assert_int_equal(b, SG_VRAM_ALIGN);
    sg_vram_destroy(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations),  cmocka_unit_test(edges),
        cmocka_unit_test(readers_and_writer), cmocka_unit_test(vram_offsets),
        cmocka_unit_test(file_size_limit),    cmocka_unit_test(small_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
