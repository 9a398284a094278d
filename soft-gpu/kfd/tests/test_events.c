/*
 * KFD event semantics: auto reset, all waiters wake, ages, time-outs, removal, memory faults.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft-gpu/kfd/events/events.h"

static struct events *e;

static uint32_t add(uint32_t type, bool auto_reset)
{
    uint32_t id = 0;
    assert_int_equal(events_add(e, type, auto_reset, &id), 0);
    return id;
}

static uint32_t wait_one(uint32_t id, uint32_t timeout, uint64_t age, uint64_t *age_out)
{
    struct kfd_event_data d = {.event_id = id, .last_event_age = age};
    uint32_t result = 99;
    assert_int_equal(events_wait(e, &d, 1, true, timeout, &result), 0);
    if (age_out)
        *age_out = d.last_event_age;
    return result;
}

static int setup(void **state)
{
    (void)state;
    e = events_create();
    return e ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    events_destroy(e);
    return 0;
}

static void auto_reset(void **state)
{
    (void)state;
    uint32_t once = add(KFD_EVENT_SIGNAL, true), stays = add(KFD_EVENT_SIGNAL, false);
    assert_int_equal(wait_one(once, 0, 0, NULL), KFD_WAIT_TIMEOUT);
    events_set(e, once);
    assert_int_equal(wait_one(once, 0, 0, NULL), KFD_WAIT_COMPLETE);
    assert_int_equal(wait_one(once, 0, 0, NULL), KFD_WAIT_TIMEOUT);
    events_set(e, stays);
    assert_int_equal(wait_one(stays, 0, 0, NULL), KFD_WAIT_COMPLETE);
    assert_int_equal(wait_one(stays, 0, 0, NULL), KFD_WAIT_COMPLETE);
    events_reset(e, stays);
    assert_int_equal(wait_one(stays, 0, 0, NULL), KFD_WAIT_TIMEOUT);
}

/* An event that was set and consumed by somebody else is still news to who saw an older age. */
static void ages(void **state)
{
    (void)state;
    uint64_t age, later;
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    events_set(e, id);
    assert_int_equal(wait_one(id, 0, 0, &age), KFD_WAIT_COMPLETE);
    assert_true(age > 1); /* 0 and 1 are reserved */
    assert_int_equal(wait_one(id, 0, age, NULL), KFD_WAIT_TIMEOUT);
    events_set(e, id);
    assert_int_equal(wait_one(id, 0, 0, NULL), KFD_WAIT_COMPLETE); /* consumed without an age */
    assert_int_equal(wait_one(id, 0, age, &later), KFD_WAIT_COMPLETE);
    assert_int_equal(later, age + 1);
}

/* kfd_event_create: the age of a new event is 1, which is what ROCr passes at first. */
static void a_new_event_is_no_news(void **state)
{
    (void)state;
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    assert_int_equal(wait_one(id, 0, 1, NULL), KFD_WAIT_TIMEOUT);
    events_set(e, id);
    assert_int_equal(wait_one(id, 0, 1, NULL), KFD_WAIT_COMPLETE);
}

static void *wait_with_first_age(void *arg)
{
    return (void *)(uintptr_t)wait_one((uint32_t)(uintptr_t)arg, 0, 1, NULL);
}

/* ROCr passes the first age again after it was told another: no news for the thread that was told, but still
 * for others, and for that thread when the event was set again. */
static void a_forgotten_age(void **state)
{
    (void)state;
    pthread_t other;
    void *result = NULL;
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    events_set(e, id);
    assert_int_equal(wait_one(id, 0, 1, NULL), KFD_WAIT_COMPLETE);
    assert_int_equal(wait_one(id, 0, 1, NULL), KFD_WAIT_TIMEOUT);
    events_set(e, id);
    assert_int_equal(wait_one(id, 0, 1, NULL), KFD_WAIT_COMPLETE);
    assert_int_equal(pthread_create(&other, NULL, wait_with_first_age, (void *)(uintptr_t)id), 0);
    pthread_join(other, &result);
    assert_int_equal((uintptr_t)result, KFD_WAIT_COMPLETE);
}

static void *wait_twice_without_age(void *arg)
{
    const uint32_t id = (uint32_t)(uintptr_t)arg, first = wait_one(id, 0, 0, NULL);
    return (void *)(uintptr_t)(first << 8 | wait_one(id, 0, 0, NULL));
}

/* Two threads wait for one event without ages: who comes first does not take it from the other one. */
static void two_without_ages(void **state)
{
    (void)state;
    pthread_t other;
    void *result = NULL;
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    events_set(e, id);
    assert_int_equal(wait_one(id, 0, 0, NULL), KFD_WAIT_COMPLETE);
    assert_int_equal(pthread_create(&other, NULL, wait_twice_without_age, (void *)(uintptr_t)id), 0);
    pthread_join(other, &result);
    assert_int_equal((uintptr_t)result, KFD_WAIT_COMPLETE << 8 | KFD_WAIT_TIMEOUT);
    assert_int_equal(wait_one(id, 0, 0, NULL), KFD_WAIT_TIMEOUT);
}

static void ids(void **state)
{
    (void)state;
    uint32_t id, first = add(KFD_EVENT_SIGNAL, true);
    assert_int_not_equal(first, 0);
    assert_true(add(KFD_EVENT_MEMORY, false) >= SIGNAL_EVENTS_MAX);
    for (unsigned i = 0; i < SIGNAL_EVENTS_MAX - 2; i++)
        assert_true(add(KFD_EVENT_SIGNAL, true) < SIGNAL_EVENTS_MAX);
    assert_int_equal(events_add(e, KFD_EVENT_SIGNAL, true, &id), -ENOSPC); /* 4095 in use: 1..4095 */
    assert_int_equal(events_remove(e, first), 0);
    assert_int_equal(events_remove(e, first), -EINVAL);
    assert_int_equal(add(KFD_EVENT_SIGNAL, true), first);
    struct kfd_event_data d = {.event_id = 5000};
    assert_int_equal(events_wait(e, &d, 1, true, 0, &id), -EINVAL);
}

static void time_out(void **state)
{
    (void)state;
    struct timespec a, b;
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(wait_one(id, 30, 0, NULL), KFD_WAIT_TIMEOUT);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6;
    assert_true(ms >= 30 && ms < 5000);
}

static _Atomic int woken;
static _Atomic pid_t about_to_wait[4];

/* Returns when the thread sleeps, which it does nowhere but in events_wait once its number is there. */
static void until_it_waits(_Atomic pid_t *thread)
{
    char path[64], state = 0;
    while (state != 'S') {
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)atomic_load(thread));
        FILE *f = fopen(path, "r");
        if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
            state = 0;
        if (f)
            fclose(f);
        usleep(100);
    }
}

static void *waiter(void *arg)
{
    static _Atomic int next;
    atomic_store(&about_to_wait[atomic_fetch_add(&next, 1)], gettid());
    if (wait_one((uint32_t)(uintptr_t)arg, UINT32_MAX, 0, NULL) == KFD_WAIT_COMPLETE)
        atomic_fetch_add(&woken, 1);
    return NULL;
}

static void every_waiter_wakes(void **state)
{
    (void)state;
    pthread_t t[4];
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    atomic_store(&woken, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, waiter, (void *)(uintptr_t)id), 0);
    for (int i = 0; i < 4; i++)
        until_it_waits(&about_to_wait[i]);
    events_set(e, id);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(atomic_load(&woken), 4);
    assert_int_equal(wait_one(id, 0, 0, NULL), KFD_WAIT_TIMEOUT); /* there were waiters: not left set */
}

static void any_and_all(void **state)
{
    (void)state;
    uint32_t a = add(KFD_EVENT_SIGNAL, false), b = add(KFD_EVENT_SIGNAL, false), result;
    struct kfd_event_data d[100] = {{.event_id = a}};
    for (int i = 1; i < 100; i++) /* more than fit on the stack */
        d[i].event_id = b;
    events_set(e, a);
    assert_int_equal(events_wait(e, d, 100, false, 0, &result), 0);
    assert_int_equal(result, KFD_WAIT_COMPLETE);
    assert_int_equal(events_wait(e, d, 100, true, 0, &result), 0);
    assert_int_equal(result, KFD_WAIT_TIMEOUT);
    events_set(e, b);
    assert_int_equal(events_wait(e, d, 100, true, 0, &result), 0);
    assert_int_equal(result, KFD_WAIT_COMPLETE);
}

static void *remover(void *arg)
{
    until_it_waits(&about_to_wait[0]);
    events_remove(e, (uint32_t)(uintptr_t)arg);
    return NULL;
}

static void removal_fails_waiters(void **state)
{
    (void)state;
    pthread_t t;
    uint32_t id = add(KFD_EVENT_SIGNAL, true);
    atomic_store(&about_to_wait[0], 0);
    pthread_create(&t, NULL, remover, (void *)(uintptr_t)id);
    atomic_store(&about_to_wait[0], gettid());
    assert_int_equal(wait_one(id, UINT32_MAX, 0, NULL), KFD_WAIT_FAIL);
    pthread_join(t, NULL);
}

static void memory_fault(void **state)
{
    (void)state;
    uint32_t a = add(KFD_EVENT_MEMORY, false), b = add(KFD_EVENT_MEMORY, false),
             other = add(KFD_EVENT_HW_EXCEPTION, false);
    struct kfd_memory_exception x = {.not_present = 1, .va = 0xabc000, .gpu_id = 7};
    struct kfd_event_data d[2] = {{.event_id = a}, {.event_id = b}};
    uint32_t result;
    events_memory_fault(e, &x);
    assert_int_equal(events_wait(e, d, 2, true, 0, &result), 0);
    assert_int_equal(result, KFD_WAIT_COMPLETE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(d[i].memory.va, 0xabc000);
        assert_int_equal(d[i].memory.not_present, 1);
        assert_int_equal(d[i].memory.gpu_id, 7);
    }
    assert_int_equal(wait_one(other, 0, 0, NULL), KFD_WAIT_TIMEOUT);
}

static void *setter(void *arg)
{
    usleep(20000);
    events_set(e, (uint32_t)(uintptr_t)arg);
    return NULL;
}

/* A watcher wakes by any event, and takes nothing away from the waiter. */
static void watching(void **state)
{
    (void)state;
    enum { FOR_EVER_MS = 1000000 };
    uint32_t a = add(KFD_EVENT_SIGNAL, true);
    uint64_t before = events_sets(e);
    pthread_t t;
    events_watch(e, before, 1);
    assert_int_equal(events_sets(e), before);
    pthread_create(&t, NULL, setter, (void *)(uintptr_t)a);
    events_watch(e, before, FOR_EVER_MS);
    pthread_join(t, NULL);
    assert_int_equal(events_sets(e), before + 1);
    events_watch(e, before, FOR_EVER_MS); /* missed nothing: returns at once */
    assert_int_equal(wait_one(a, 0, 0, NULL), KFD_WAIT_COMPLETE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(auto_reset),
        TEST(ages),
        TEST(a_new_event_is_no_news),
        TEST(a_forgotten_age),
        TEST(two_without_ages),
        TEST(ids),
        TEST(time_out),
        TEST(every_waiter_wakes),
        TEST(any_and_all),
        TEST(removal_fails_waiters),
        TEST(memory_fault),
        TEST(watching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
