/*
 * events.c - one lock for all events; every waiting thread has its own condition variable and is linked into
 * each event that it waits for.
 */
#include "events.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OTHER_EVENTS_MAX 256u
#define EVENTS_MAX (SIGNAL_EVENTS_MAX + OTHER_EVENTS_MAX)
#define WAITS_INLINE 64u
#define TOLD_MAX 4u

/* Ages of kfd_event_create and init_event_waiter (kfd_events.c): a waiter passes 0 when it knows no ages; 1
 * is the age of an event that was never set, and what ROCr passes before it has seen another. */
enum { AGE_NOT_GIVEN = 0, AGE_NEVER_SET = 1 };

/* One thread in WAIT_EVENTS. */
struct waiting {
    pthread_cond_t wake;
    uint32_t activated; /* how many of its entries */
    bool failed;        /* an event was destroyed */
};

/* The link between a waiting thread and one event. */
struct wait_entry {
    struct wait_entry *next;
    struct waiting *who;
    bool activated;
};

struct event {
    bool exists, auto_reset, signaled;
    uint32_t type;
    uint64_t age;
    const void *told[TOLD_MAX]; /* threads that have learned of this age */
    unsigned n_told;
    struct kfd_memory_exception memory;
    struct wait_entry *waiters;
};

struct events {
    pthread_mutex_t lock;
    struct event event[EVENTS_MAX];
    uint32_t next_signal; /* where the search for a free id starts */
    pthread_cond_t changed;
    unsigned watchers; /* threads in events_watch */
    uint64_t sets;     /* how often some event was set */
};

static void init_condition(pthread_cond_t *c)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attr);
    pthread_condattr_destroy(&attr);
}

struct events *events_create(void)
{
    struct events *e = calloc(1, sizeof *e);
    if (e) {
        pthread_mutex_init(&e->lock, NULL);
        init_condition(&e->changed);
        e->next_signal = 1;
    }
    return e;
}

void events_destroy(struct events *e)
{
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* Event 0 is never given out: its id in a mailbox would look like an empty one. */
int events_add(struct events *e, uint32_t type, bool auto_reset, uint32_t *id)
{
    bool signal = type == KFD_EVENT_SIGNAL || type == KFD_EVENT_DEBUG;
    uint32_t first = signal ? 1 : SIGNAL_EVENTS_MAX, end = signal ? SIGNAL_EVENTS_MAX : EVENTS_MAX;
    int err = -ENOSPC;
    pthread_mutex_lock(&e->lock);
    uint32_t start = signal ? e->next_signal : first;
    for (uint32_t n = 0; n < end - first; n++) {
        uint32_t i = first + (start - first + n) % (end - first);
        if (e->event[i].exists)
            continue;
        e->event[i] =
            (struct event){.exists = true, .auto_reset = auto_reset, .type = type, .age = AGE_NEVER_SET};
        if (signal)
            e->next_signal = i + 1 < end ? i + 1 : first;
        *id = i;
        err = 0;
        break;
    }
    pthread_mutex_unlock(&e->lock);
    return err;
}

static struct event *find(struct events *e, uint32_t id)
{
    return id < EVENTS_MAX && e->event[id].exists ? &e->event[id] : NULL;
}

int events_remove(struct events *e, uint32_t id)
{
    pthread_mutex_lock(&e->lock);
    struct event *ev = find(e, id);
    if (ev) {
        for (struct wait_entry *w = ev->waiters; w; w = w->next) {
            w->who->failed = true;
            pthread_cond_signal(&w->who->wake);
        }
        ev->exists = false;
        ev->waiters = NULL;
    }
    pthread_mutex_unlock(&e->lock);
    return ev ? 0 : -EINVAL;
}

/* Under the lock. */
static void set_event(struct event *ev)
{
    ev->signaled = !ev->auto_reset || !ev->waiters;
    if (++ev->age <= AGE_NEVER_SET)
        ev->age = AGE_NEVER_SET + 1;
    ev->n_told = 0;
    for (struct wait_entry *w = ev->waiters; w; w = w->next) {
        if (!w->activated) {
            w->activated = true;
            w->who->activated++;
        }
        pthread_cond_signal(&w->who->wake);
    }
}

/* Under the lock. */
static void tell_watchers(struct events *e)
{
    e->sets++;
    if (e->watchers)
        pthread_cond_broadcast(&e->changed);
}

int events_set(struct events *e, uint32_t id)
{
    pthread_mutex_lock(&e->lock);
    struct event *ev = find(e, id);
    if (ev) {
        set_event(ev);
        tell_watchers(e);
    }
    pthread_mutex_unlock(&e->lock);
    return ev ? 0 : -EINVAL;
}

int events_reset(struct events *e, uint32_t id)
{
    pthread_mutex_lock(&e->lock);
    struct event *ev = find(e, id);
    if (ev)
        ev->signaled = false;
    pthread_mutex_unlock(&e->lock);
    return ev ? 0 : -EINVAL;
}

void events_memory_fault(struct events *e, const struct kfd_memory_exception *x)
{
    pthread_mutex_lock(&e->lock);
    for (uint32_t i = SIGNAL_EVENTS_MAX; i < EVENTS_MAX; i++) {
        if (e->event[i].exists && e->event[i].type == KFD_EVENT_MEMORY) {
            e->event[i].memory = *x;
            set_event(&e->event[i]);
        }
    }
    tell_watchers(e);
    pthread_mutex_unlock(&e->lock);
}

/* Who is calling: the same address may serve a later thread. */
static const void *this_thread(void)
{
    static _Thread_local char here;
    return &here;
}

static bool is_told(const struct event *ev)
{
    for (unsigned i = 0; i < ev->n_told; i++)
        if (ev->told[i] == this_thread())
            return true;
    return false;
}

static void note_told(struct event *ev)
{
    if (!is_told(ev))
        ev->told[ev->n_told < TOLD_MAX ? ev->n_told++ : 0] = this_thread();
}

/* Whether the event was set since the caller looked. ROCr forgets ages: its asynchronous thread (ROCr 6.4 and
 * 7, Runtime::AsyncEventsLoop) starts again with AGE_NEVER_SET whenever an event has another place in its
 * list, or is there twice; the kernel's driver then answers at once, each time, and the thread burns a core.
 * A thread that was told this very age has looked at its signals since, so for it nothing is new. */
static bool newer(const struct event *ev, uint64_t last_age)
{
    if (ev->type != KFD_EVENT_SIGNAL || last_age == AGE_NOT_GIVEN || last_age == ev->age)
        return false;
    return last_age != AGE_NEVER_SET || !is_told(ev);
}

/* Before it knew ages, ROCr had two threads wait for one event: who destroys an intercepted queue, and the asynchronous thread,
 * which is to answer. The kernel's driver lets the first one that waits take the event, and if that is not the one which is to
 * answer, both sleep for ever. With two threads at work on few processors that is no rare case. So others are told once, too:
 * waits may end for nothing. */
static bool taken_by_another(const struct event *ev, uint64_t last_age)
{
    return ev->type == KFD_EVENT_SIGNAL && ev->auto_reset && last_age == AGE_NOT_GIVEN &&
           ev->age > AGE_NEVER_SET && ev->n_told < TOLD_MAX && !is_told(ev);
}

/* Links the entry and tells whether the event is set already. */
static void enlist(struct event *ev, struct wait_entry *w, struct waiting *who, uint64_t last_age)
{
    *w = (struct wait_entry){.next = ev->waiters,
                             .who = who,
                             .activated =
                                 ev->signaled || newer(ev, last_age) || taken_by_another(ev, last_age)};
    ev->waiters = w;
    if (w->activated) {
        who->activated++;
        if (ev->auto_reset)
            ev->signaled = false;
    }
}

static void delist(struct event *ev, struct wait_entry *w)
{
    struct wait_entry **link = &ev->waiters;
    while (*link && *link != w)
        link = &(*link)->next;
    if (*link)
        *link = w->next;
}

static struct timespec deadline_after(uint32_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static uint32_t sleep_until(struct events *e, struct waiting *me, uint32_t needed, uint32_t timeout)
{
    struct timespec deadline = deadline_after(timeout);
    int err = 0;
    while (me->activated < needed && !me->failed && err != ETIMEDOUT && timeout) {
        if (timeout == UINT32_MAX)
            err = pthread_cond_wait(&me->wake, &e->lock);
        else
            err = pthread_cond_timedwait(&me->wake, &e->lock, &deadline);
    }
    return me->failed ? KFD_WAIT_FAIL : me->activated >= needed ? KFD_WAIT_COMPLETE : KFD_WAIT_TIMEOUT;
}

/* Tells the caller about the events that were set. */
static void hand_out(struct event *ev, const struct wait_entry *w, struct kfd_event_data *data)
{
    if (!w->activated)
        return;
    if (ev->type == KFD_EVENT_MEMORY) {
        data->memory = ev->memory;
    } else if (ev->type == KFD_EVENT_SIGNAL) {
        data->last_event_age = ev->age;
        note_told(ev);
    }
}

static int wait_with(struct events *e, struct wait_entry *entry, struct kfd_event_data *data, uint32_t count,
                     bool all, uint32_t timeout, uint32_t *result)
{
    struct waiting me = {0};
    uint32_t n = 0;
    init_condition(&me.wake);
    pthread_mutex_lock(&e->lock);
    for (; n < count; n++) {
        struct event *ev = find(e, data[n].event_id);
        if (!ev)
            break;
        enlist(ev, &entry[n], &me, data[n].last_event_age);
    }
    if (n == count)
        *result = sleep_until(e, &me, all ? count : count ? 1 : 0, timeout);
    for (uint32_t i = 0; i < n; i++) {
        struct event *ev = find(e, data[i].event_id);
        if (!ev)
            continue; /* removed while we waited: its list is gone */
        delist(ev, &entry[i]);
        if (n == count && *result == KFD_WAIT_COMPLETE)
            hand_out(ev, &entry[i], &data[i]);
    }
    pthread_mutex_unlock(&e->lock);
    pthread_cond_destroy(&me.wake);
    return n == count ? 0 : -EINVAL;
}

int events_wait(struct events *e, struct kfd_event_data *data, uint32_t count, bool all, uint32_t timeout,
                uint32_t *result)
{
    struct wait_entry here[WAITS_INLINE], *entry = here;
    if (count > EVENTS_MAX)
        return -EINVAL;
    if (count > WAITS_INLINE)
        entry = calloc(count, sizeof *entry);
    if (!entry)
        return -ENOMEM;
    *result = KFD_WAIT_FAIL;
    int err = wait_with(e, entry, data, count, all, timeout, result);
    if (entry != here)
        free(entry);
    return err;
}

uint64_t events_sets(struct events *e)
{
    pthread_mutex_lock(&e->lock);
    uint64_t sets = e->sets;
    pthread_mutex_unlock(&e->lock);
    return sets;
}

void events_watch(struct events *e, uint64_t sets, uint32_t ms)
{
    struct timespec deadline = deadline_after(ms);
    int err = 0;
    pthread_mutex_lock(&e->lock);
    e->watchers++;
    while (e->sets == sets && err != ETIMEDOUT)
        err = pthread_cond_timedwait(&e->changed, &e->lock, &deadline);
    e->watchers--;
    pthread_mutex_unlock(&e->lock);
}
