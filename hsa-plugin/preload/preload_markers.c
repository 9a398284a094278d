/*
 * preload_markers.c - roctx (roctracer's and rocprofiler's markers): stands in front of the program's
 * library, tells the tool library of each mark and range, and calls on. Without a library behind us we answer
 * as it would.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "preload.h"

#define PUBLIC __attribute__((visibility("default")))

/* What happened before the tool library was there to hear it. */
struct early {
    struct ls_marker_event event;
    struct early *next;
    char text[];
};

enum { EARLY_MAX = 65536, DEPTH_MAX = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ls_marker_listener listener;          /* under lock */
static struct early *first, **last = &first; /* under lock */
static unsigned n_early;
static atomic_uint_least64_t n_ranges;
static __thread uint64_t pushed[DEPTH_MAX]; /* ids of the thread's open ranges */
static __thread unsigned depth;
static pthread_key_t thread_key; /* of threads that pushed something: rounds of destructors, and one */
static bool has_thread_key;

static void keep(const struct ls_marker_event *e)
{
    size_t n = strlen(e->text) + 1;
    struct early *k = n_early < EARLY_MAX ? malloc(sizeof *k + n) : NULL;
    if (!k)
        return;
    *k = (struct early){.event = *e};
    memcpy(k->text, e->text, n);
    k->event.text = k->text;
    *last = k;
    last = &k->next;
    n_early++;
}

static void tell(enum ls_marker_kind kind, uint64_t id, const char *text)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    struct ls_marker_event e = {.kind = kind,
                                .id = id,
                                .ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec,
                                .thread = gettid(),
                                .text = text ? text : ""};
    pthread_mutex_lock(&lock);
    if (listener)
        listener(&e);
    else
        keep(&e);
    pthread_mutex_unlock(&lock);
}

/* Only the forking thread exists in the child, where nobody listens, and the lock is as it happened to be. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    listener = NULL;
    n_early = EARLY_MAX;
}

/* What a thread leaves open ends with it: the system will give its number to another one. Destructors of the program may
 * pop, or push, so ours waits for the last of the rounds that there are for those that come again. */
static void thread_ends(void *rounds)
{
    uintptr_t round = (uintptr_t)rounds;
    if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(thread_key, (void *)(round + 1));
        return;
    }
    while (depth)
        if (--depth < DEPTH_MAX)
            tell(LS_MARKER_POP, pushed[depth], NULL);
}

__attribute__((constructor)) static void at_start(void)
{
    has_thread_key = !pthread_key_create(&thread_key, thread_ends);
    pthread_atfork(NULL, NULL, in_child);
}

PUBLIC void lanescope_preload_markers(ls_marker_listener f)
{
    pthread_mutex_lock(&lock);
    listener = f;
    while (f && first) {
        struct early *k = first;
        f(&k->event);
        first = k->next;
        free(k);
    }
    if (!first)
        last = &first;
    pthread_mutex_unlock(&lock);
}

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

PUBLIC void roctxMarkA(const char *text);
PUBLIC int roctxRangePushA(const char *text);
PUBLIC int roctxRangePop(void);
PUBLIC int roctxProfilerPause(uint64_t thread);
PUBLIC int roctxProfilerResume(uint64_t thread);
PUBLIC uint64_t roctxRangeStartA(const char *text);
PUBLIC void roctxRangeStop(uint64_t id);

void roctxMarkA(const char *text)
{
    __typeof__(roctxMarkA) *next = NEXT(roctxMarkA);
    tell(LS_MARKER_MARK, 0, text);
    if (next)
        next(text);
}

/* Both return the level of the range, from 0 (roctx.h). */
int roctxRangePushA(const char *text)
{
    __typeof__(roctxRangePushA) *next = NEXT(roctxRangePushA);
    uint64_t id = atomic_fetch_add(&n_ranges, 1) + 1;
    int level = (int)depth++;
    if (!level && has_thread_key)
        pthread_setspecific(thread_key, (void *)1);
    if (level < DEPTH_MAX)
        pushed[level] = id;
    tell(LS_MARKER_PUSH, id, text);
    return next ? next(text) : level;
}

int roctxRangePop(void)
{
    __typeof__(roctxRangePop) *next = NEXT(roctxRangePop);
    int level = depth ? (int)--depth : -1;
    if (level >= 0 && level < DEPTH_MAX)
        tell(LS_MARKER_POP, pushed[level], NULL);
    return next ? next() : level;
}

/* The thread (roctx_thread_id_t, 0: all) is the library's business: see markers.c. Both return 0 (roctx.h). */
int roctxProfilerPause(uint64_t thread)
{
    __typeof__(roctxProfilerPause) *next = NEXT(roctxProfilerPause);
    tell(LS_MARKER_PAUSE, 0, NULL);
    return next ? next(thread) : 0;
}

int roctxProfilerResume(uint64_t thread)
{
    __typeof__(roctxProfilerResume) *next = NEXT(roctxProfilerResume);
    int rc = next ? next(thread) : 0;
    tell(LS_MARKER_RESUME, 0, NULL);
    return rc;
}

/* The library's own number if there is one; the program hands it back to stop the range. */
static const uint64_t started_bit = 1ull << 63;

uint64_t roctxRangeStartA(const char *text)
{
    __typeof__(roctxRangeStartA) *next = NEXT(roctxRangeStartA);
    uint64_t id = next ? next(text) : atomic_fetch_add(&n_ranges, 1) + 1;
    tell(LS_MARKER_START, id | started_bit, text);
    return id;
}

void roctxRangeStop(uint64_t id)
{
    __typeof__(roctxRangeStop) *next = NEXT(roctxRangeStop);
    tell(LS_MARKER_STOP, id | started_bit, NULL);
    if (next)
        next(id);
}
