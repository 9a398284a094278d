/*
 * test_weak.c - the caches alone: what may be stale, what must not be. Each case runs with many seeds: what the
 * model forbids may happen with none, what it allows has to happen with some.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "weak.h"

enum { SEEDS = 200, BYTES = 1 << 16, DATA = 0, FLAG = 4096 };

struct rig {
    struct sg_mem *mem;
    struct sg_weak *weak;
    struct sg_weak_wave *a, *b;
    uint8_t *memory;
};

/* One operation is enough here. */
static uint64_t add(void *host, unsigned op, bool wide, uint64_t a, uint64_t b)
{
    (void)op;
    (void)b;
    assert_false(wide);
    return __atomic_fetch_add((uint32_t *)host, (uint32_t)a, __ATOMIC_SEQ_CST);
}

static bool follow, pairs; /* of the rigs that are made */

/* Two wavefronts on units of one die, or of two. */
static struct rig make(uint64_t seed, unsigned dies, uint32_t flags)
{
    struct rig r = {.mem = sg_mem_create(), .memory = aligned_alloc(4096, BYTES)};
    memset(r.memory, 0, BYTES);
    assert_int_equal(
        sg_mem_map(r.mem, (uintptr_t)r.memory, BYTES, r.memory, SG_RANGE_READ | SG_RANGE_WRITE | flags), 0);
    const struct sg_weak_config config = {
        .mem = r.mem, .dies = dies, .units = 4, .seed = seed, .rmw = add, .follow = follow, .pairs = pairs};
    r.weak = sg_weak_create(&config);
    r.a = sg_weak_wave_create(r.weak);
    r.b = sg_weak_wave_create(r.weak);
    sg_weak_wave_begin(r.a, 0, 0, 0, 0);
    sg_weak_wave_begin(r.b, dies - 1, 1, 1, 0);
    return r;
}

static void end(struct rig *r)
{
    sg_weak_wave_free(r->a);
    sg_weak_wave_free(r->b);
    sg_weak_destroy(r->weak);
    sg_mem_destroy(r->mem);
    free(r->memory);
}

static void put(struct rig *r, struct sg_weak_wave *v, unsigned at, uint32_t value)
{
    sg_weak_lock(v);
    sg_weak_issue(v);
    sg_weak_store(v, (uintptr_t)r->memory + at, 4, false, &value);
    sg_weak_unlock(v);
    (void)sg_weak_turn(v);
}

static uint32_t get(struct rig *r, struct sg_weak_wave *v, unsigned at, enum sg_weak_past past)
{
    uint32_t value;
    sg_weak_lock(v);
    sg_weak_issue(v);
    sg_weak_load(v, (uintptr_t)r->memory + at, 4, past, &value);
    sg_weak_unlock(v);
    (void)sg_weak_turn(v);
    return value;
}

static uint32_t increment(struct rig *r, struct sg_weak_wave *v, unsigned at, bool returns)
{
    sg_weak_lock(v);
    sg_weak_issue(v);
    uint32_t old = (uint32_t)sg_weak_rmw(v, (uintptr_t)r->memory + at, 0, false, 1, 0, returns);
    sg_weak_unlock(v);
    (void)sg_weak_turn(v);
    return old;
}

enum { WAIT = 1, WRITE_BACK = 2, INVALIDATE = 4, INVALIDATE_NEAR = 8, INVALIDATE_SHARED = 16 };

static void fence(struct sg_weak_wave *v, unsigned what)
{
    sg_weak_lock(v);
    if (what & WRITE_BACK)
        sg_weak_write_back(v);
    if (what & WAIT)
        sg_weak_wait(v, 0);
    if (what & INVALIDATE)
        sg_weak_invalidate(v);
    if (what & INVALIDATE_NEAR)
        sg_weak_invalidate_near(v);
    if (what & INVALIDATE_SHARED)
        sg_weak_invalidate_shared(v);
    sg_weak_unlock(v);
}

/* a stores data, then raises a flag by an atomic; b sees the flag and reads the data. In how many of the seeds it
 * reads what was there before. */
static unsigned stale(unsigned dies, uint32_t flags, unsigned fence_a, unsigned fence_b)
{
    unsigned n = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, dies, flags);
        put(&r, r.a, DATA, 7);
        fence(r.a, fence_a);
        increment(&r, r.a, FLAG, false);
        for (unsigned k = 0; !get(&r, r.b, FLAG, SG_WEAK_PAST); k++) {
            assert_true(k < 10000);
            (void)sg_weak_turn(r.a);
        }
        fence(r.b, fence_b);
        uint32_t seen = get(&r, r.b, DATA, SG_WEAK_CACHED);
        assert_true(seen == 0 || seen == 7);
        n += seen == 0;
        end(&r);
    }
    return n;
}

static void test_one_l2(void **state)
{
    (void)state;
    assert_int_equal(stale(1, 0, WAIT, INVALIDATE), 0);
    assert_true(stale(1, 0, 0, INVALIDATE) > 0);
    assert_true(stale(1, 0, WAIT, 0) > 0);
}

static void test_two_l2(void **state)
{
    (void)state;
    assert_int_equal(stale(2, 0, WRITE_BACK | WAIT, INVALIDATE), 0);
    assert_true(stale(2, 0, WAIT, INVALIDATE) > 0);       /* in the L2 of the other die */
    assert_true(stale(2, 0, WRITE_BACK, INVALIDATE) > 0); /* nobody waits for it */
    assert_true(stale(2, 0, WRITE_BACK | WAIT, 0) > 0);
}

/* No L2 has what is uncached. */
static void test_uncached(void **state)
{
    (void)state;
    assert_int_equal(stale(2, SG_RANGE_UNCACHED, WAIT, INVALIDATE), 0);
    assert_true(stale(2, SG_RANGE_UNCACHED, 0, INVALIDATE) > 0);
}

/* b has loaded the data before a stores it; in how many of the seeds it then reads what was there before. a is on unit 0, and
 * units 0 and 1 are a pair. */
static unsigned stale_of_pairs(unsigned unit, unsigned fence_b, enum sg_weak_past past)
{
    unsigned n = 0;
    pairs = true;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 1, 0);
        sg_weak_wave_end(r.b);
        sg_weak_wave_begin(r.b, 0, unit, 0, 1);
        (void)get(&r, r.b, DATA, SG_WEAK_CACHED);
        put(&r, r.a, DATA, 7);
        fence(r.a, WAIT);
        fence(r.b, fence_b);
        n += get(&r, r.b, DATA, past) == 0;
        end(&r);
    }
    pairs = false;
    return n;
}

/* An L0 for each unit, one cache more for the pair: of the same unit nothing is needed, of the other its L0 has to go, of
 * another pair both. */
static void test_pairs(void **state)
{
    (void)state;
    assert_int_equal(stale_of_pairs(0, 0, SG_WEAK_CACHED), 0);
    assert_true(stale_of_pairs(1, 0, SG_WEAK_CACHED) > 0);
    assert_true(stale_of_pairs(1, INVALIDATE_SHARED, SG_WEAK_CACHED) > 0);
    assert_int_equal(stale_of_pairs(1, INVALIDATE_NEAR, SG_WEAK_CACHED), 0);
    assert_int_equal(stale_of_pairs(1, 0, SG_WEAK_PAST_NEAR), 0);
    assert_true(stale_of_pairs(2, INVALIDATE_NEAR, SG_WEAK_CACHED) > 0);
    assert_true(stale_of_pairs(2, INVALIDATE_SHARED, SG_WEAK_CACHED) > 0);
    assert_true(stale_of_pairs(2, 0, SG_WEAK_PAST_NEAR) > 0);
    assert_int_equal(stale_of_pairs(2, INVALIDATE_NEAR | INVALIDATE_SHARED, SG_WEAK_CACHED), 0);
    assert_int_equal(stale_of_pairs(2, INVALIDATE, SG_WEAK_CACHED), 0);
    assert_int_equal(stale_of_pairs(2, 0, SG_WEAK_PAST), 0);
}

/* A wavefront sees its own accesses in order, whatever is under way. */
static void test_own_order(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 2, 0);
        for (uint32_t i = 0; i < 300; i++) {
            unsigned at = i * 36 % 1024;
            put(&r, r.a, at, i);
            assert_int_equal(get(&r, r.a, at, i % 3 ? SG_WEAK_CACHED : SG_WEAK_PAST), i);
            assert_int_equal(increment(&r, r.a, at, true), i);
            increment(&r, r.a, at, false);
            assert_int_equal(get(&r, r.a, at, i % 5 ? SG_WEAK_CACHED : SG_WEAK_PAST), i + 2);
        }
        end(&r);
    }
}

/* a stores, and nobody waits; b is of a work-group on a's unit, or on another. In how many of the seeds b loads what was there
 * before, or its own store to the same bytes does not come last. */
static unsigned late_for_neighbour(unsigned unit, uint64_t group)
{
    unsigned n = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 1, 0);
        sg_weak_wave_end(r.b);
        sg_weak_wave_begin(r.b, 0, unit, group, 1);
        (void)get(&r, r.b, DATA, SG_WEAK_CACHED);
        put(&r, r.a, DATA, 7);
        bool late = get(&r, r.b, DATA, seed % 2 ? SG_WEAK_CACHED : SG_WEAK_PAST) != 7;
        increment(&r, r.a, DATA + 64, false);
        late |= increment(&r, r.b, DATA + 64, true) != 1;
        put(&r, r.a, DATA + 128, 1);
        put(&r, r.b, DATA + 128, 2);
        fence(r.b, WAIT);
        fence(r.a, WAIT);
        late |= get(&r, r.a, DATA + 128, SG_WEAK_PAST) != 2;
        n += late;
        end(&r);
    }
    return n;
}

/* One compute unit makes the accesses of a work-group to an address in their order: LLVM puts no wait between a store, a barrier and
 * the load of another wavefront there. (AMDGPUUsage, gfx90a and gfx942, fences of work-group scope without TgSplit.) */
static void test_order_in_work_group(void **state)
{
    (void)state;
    assert_int_equal(late_for_neighbour(0, 0), 0);
    assert_true(late_for_neighbour(0, 1) > 0); /* which work-groups share a unit nobody knows */
    assert_true(late_for_neighbour(1, 0) > 0); /* WGP mode */
}

/* a has stored, and b, of its work-group, makes a release at agent scope, maybe behind a barrier. In how many of the seeds somebody elsewhere
 * reads what was there before. */
static unsigned late_behind(bool barrier, unsigned dies, unsigned fence_b)
{
    unsigned n = 0, late = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, dies, 0);
        struct sg_weak_wave *mate = sg_weak_wave_create(r.weak);
        sg_weak_wave_begin(mate, 0, 0, 0, 1);
        put(&r, r.a, DATA, 7);
        if (barrier)
            sg_weak_barrier((struct sg_weak_wave *[]){r.a, mate}, 2);
        put(&r, r.a, FLAG, 7);
        fence(mate, fence_b);
        late += get(&r, r.b, FLAG, SG_WEAK_PAST) != 7;
        n += get(&r, r.b, DATA, SG_WEAK_PAST) != 7;
        sg_weak_wave_end(mate);
        sg_weak_wave_free(mate);
        end(&r);
    }
    assert_true(late > 0 || fence_b & WRITE_BACK); /* what comes behind the barrier */
    return n;
}

/* A write-back goes behind all that the compute unit has stored. A wait is for what the wavefront has stored, and on gfx9 for what the
 * others had before their barrier. */
static void test_release_for_others(void **state)
{
    (void)state;
    assert_int_equal(late_behind(false, 2, WRITE_BACK | WAIT), 0);
    assert_true(late_behind(false, 1, WAIT) > 0);
    assert_true(late_behind(true, 1, 0) > 0);
    assert_int_equal(late_behind(true, 1, WAIT), 0);
    assert_true(late_behind(true, 2, WAIT) > 0); /* in the L2 of its die */
    pairs = true;
    assert_true(late_behind(true, 1, WAIT) > 0);
    pairs = false;
}

/* What one wavefront has seen, another one on its unit sees, too: a unit never goes back. */
static void test_never_back(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 1, 0);
        uint32_t last = 0;
        for (uint32_t i = 1; i < 200; i++) {
            put(&r, r.a, DATA, i);
            uint32_t now = get(&r, r.b, DATA, i % 7 ? SG_WEAK_CACHED : SG_WEAK_PAST);
            assert_true(now >= last);
            last = now;
        }
        end(&r);
    }
}

/* s_waitcnt vmcnt(1): the last but one has arrived, the last need not have. */
static void test_counted_wait(void **state)
{
    (void)state;
    unsigned late = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 1, 0);
        put(&r, r.a, DATA, 1);
        put(&r, r.a, FLAG, 1);
        sg_weak_lock(r.a);
        sg_weak_wait(r.a, 1);
        sg_weak_unlock(r.a);
        assert_int_equal(get(&r, r.b, DATA, SG_WEAK_PAST), 1);
        late += !get(&r, r.b, FLAG, SG_WEAK_PAST);
        end(&r);
    }
    assert_true(late > 0);
}

/* What the host finds when a dispatch has ended, by the packet's scope. */
static unsigned unseen_by_host(unsigned dies, enum sg_weak_scope scope)
{
    unsigned n = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, dies, 0);
        put(&r, r.a, DATA, 1);
        sg_weak_wave_end(r.a);
        sg_weak_arrive(r.weak);
        sg_weak_release(r.weak, scope);
        n += !r.memory[DATA];
        end(&r);
    }
    return n;
}

static void test_release(void **state)
{
    (void)state;
    assert_int_equal(unseen_by_host(1, SG_WEAK_SYSTEM), 0);
    assert_int_equal(unseen_by_host(2, SG_WEAK_SYSTEM), 0);
    assert_int_equal(unseen_by_host(2, SG_WEAK_AGENT), 0); /* between dies: by way of memory */
    assert_true(unseen_by_host(1, SG_WEAK_AGENT) > 0);
    assert_true(unseen_by_host(2, SG_WEAK_NONE) > 0);
}

/* What the host changes between dispatches is seen after an acquire, in vector and scalar loads. */
static void test_acquire(void **state)
{
    (void)state;
    for (enum sg_weak_scope scope = SG_WEAK_NONE; scope <= SG_WEAK_SYSTEM; scope++) {
        unsigned old = 0;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            struct rig r = make(seed, 1, 0);
            uint32_t scalar;
            get(&r, r.b, DATA, SG_WEAK_CACHED);
            sg_weak_scalar_load(r.b, (uintptr_t)r.memory, 4, &scalar);
            r.memory[DATA] = 1;
            sg_weak_acquire(r.weak, scope);
            sg_weak_scalar_load(r.b, (uintptr_t)r.memory, 4, &scalar);
            old += !get(&r, r.b, DATA, SG_WEAK_CACHED) + !scalar;
            end(&r);
        }
        assert_true(scope == SG_WEAK_NONE ? old > SEEDS : old == 0);
    }
}

/* Two wavefronts on two dies write halves of one line. Each finds its own half, whatever leaves which L2 when. */
static void test_shared_line(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 2, 0);
        for (uint32_t i = 1; i < 50; i++) {
            put(&r, r.a, 0, i);
            put(&r, r.b, 32, i);
            fence(r.b, WAIT);
            fence(r.a, i % 2 ? WRITE_BACK | WAIT : WAIT);
            for (int k = 0; k < 4; k++) {
                assert_int_equal(get(&r, r.b, 32, SG_WEAK_CACHED), i);
                assert_int_equal(get(&r, r.a, 0, SG_WEAK_CACHED), i);
            }
        }
        end(&r);
    }
}

/* As `stale`, with places: each stale read is found, with the reason, and nothing else is. */
static void found_is_stale(unsigned dies, unsigned fence_a, unsigned fence_b, unsigned reasons)
{
    enum { PC_DATA = 0x100, PC_FLAG = 0x200, PC_READ = 0x300 };
    unsigned seen = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct sg_weak_finding f;
        struct rig r = make(seed, dies, 0);
        sg_weak_at(r.a, PC_DATA, 5);
        put(&r, r.a, DATA, 7);
        fence(r.a, fence_a);
        sg_weak_at(r.a, PC_FLAG, 0);
        increment(&r, r.a, FLAG, false);
        sg_weak_at(r.b, PC_FLAG, 0);
        while (!get(&r, r.b, FLAG, SG_WEAK_PAST))
            (void)sg_weak_turn(r.a);
        assert_false(sg_weak_found(r.b, &f));
        fence(r.b, fence_b);
        sg_weak_at(r.b, PC_READ, 9);
        const bool stale = get(&r, r.b, DATA, SG_WEAK_CACHED) != 7;
        assert_int_equal(sg_weak_found(r.b, &f), stale);
        if (stale) {
            assert_int_equal(f.address, (uintptr_t)r.memory + DATA);
            assert_true(f.write.pc == PC_DATA && f.write.lane == 5 && f.write.group == 0);
            assert_true(f.read.pc == PC_READ && f.read.lane == 9 && f.read.group == 1);
            seen |= 1u << f.why;
        }
        assert_false(sg_weak_found(r.b, &f));
        end(&r);
    }
    assert_int_equal(seen, reasons);
}

static void test_found(void **state)
{
    (void)state;
    follow = true;
    found_is_stale(1, WAIT, INVALIDATE, 0);
    found_is_stale(1, 0, INVALIDATE, 1u << SG_WEAK_UNDER_WAY);
    found_is_stale(1, WAIT, 0, 1u << SG_WEAK_STALE);
    found_is_stale(2, WRITE_BACK | WAIT, INVALIDATE, 0);
    found_is_stale(2, WAIT, INVALIDATE, 1u << SG_WEAK_OTHER_L2);
    follow = false;
}

/* a adds to the data, without result, and perhaps waits; b learns of it. In how many of the seeds it is found that b reads what was
 * there before: whenever it does, if what is added is not 0. */
static unsigned found_coming(uint64_t added, unsigned fence_a)
{
    unsigned n = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct sg_weak_finding f;
        struct rig r = make(seed, 1, 0);
        sg_weak_lock(r.a);
        sg_weak_issue(r.a);
        (void)sg_weak_rmw(r.a, (uintptr_t)r.memory + DATA, 0, false, added, 0, false);
        sg_weak_unlock(r.a);
        fence(r.a, fence_a);
        increment(&r, r.a, FLAG, true);
        (void)get(&r, r.b, FLAG, SG_WEAK_PAST);
        fence(r.b, WAIT | INVALIDATE);
        const bool old = get(&r, r.b, DATA, SG_WEAK_CACHED) != added;
        assert_int_equal(sg_weak_found(r.b, &f), old);
        assert_true(!old || (f.why == SG_WEAK_UNDER_WAY && f.address == (uintptr_t)r.memory + DATA));
        n += old;
        end(&r);
    }
    return n;
}

static void test_found_coming(void **state)
{
    (void)state;
    follow = true;
    assert_true(found_coming(1, 0) > 0);
    assert_int_equal(found_coming(1, WAIT), 0);
    assert_int_equal(found_coming(0, 0), 0);
    follow = false;
}

/* Who has heard nothing of a write may find what was there before. */
static void test_nothing_is_invented(void **state)
{
    (void)state;
    follow = true;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct sg_weak_finding f;
        struct rig r = make(seed, 2, 0);
        for (uint32_t i = 1; i < 4; i++) {
            put(&r, r.a, DATA, i);
            increment(&r, r.a, FLAG, true);
            get(&r, r.b, DATA, SG_WEAK_CACHED);
            get(&r, r.b, DATA, SG_WEAK_PAST);
            assert_false(sg_weak_found(r.b, &f));
        }
        end(&r);
    }
    follow = false;
}

/* b loads and perhaps invalidates, a stores and waits, both go through a barrier of the grid; b reads what a stored. In how many
 * of the seeds that is what was there before. */
static unsigned stale_behind_barrier(bool invalidates, bool loads_then)
{
    unsigned n = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct rig r = make(seed, 1, 0);
        (void)get(&r, r.b, DATA, SG_WEAK_CACHED);
        if (invalidates)
            fence(r.b, WAIT | INVALIDATE);
        if (loads_then)
            (void)get(&r, r.b, FLAG, SG_WEAK_CACHED);
        put(&r, r.a, DATA, 7);
        fence(r.a, WAIT);
        sg_weak_lock(r.b);
        sg_weak_grid_barrier(r.b);
        sg_weak_unlock(r.b);
        n += get(&r, r.b, DATA, SG_WEAK_CACHED) != 7;
        end(&r);
    }
    return n;
}

static void test_grid_barrier(void **state)
{
    (void)state;
    assert_int_equal(stale_behind_barrier(true, false), 0);
    assert_in_range(stale_behind_barrier(true, true), SEEDS / 10, SEEDS);
    assert_in_range(stale_behind_barrier(false, false), SEEDS / 10, SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_l2),
        cmocka_unit_test(test_two_l2),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_uncached),
        cmocka_unit_test(test_own_order),
        cmocka_unit_test(test_order_in_work_group),
        cmocka_unit_test(test_release_for_others),
        cmocka_unit_test(test_never_back),
        cmocka_unit_test(test_counted_wait),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_acquire),
        cmocka_unit_test(test_shared_line),
        cmocka_unit_test(test_grid_barrier),
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_found_coming),
        cmocka_unit_test(test_nothing_is_invented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
