/* times.c - see times.h. One entry per application signal that ever stood for a dispatch: a bounded number,
 * runtimes reuse theirs. */
#include "times.h"

#include <pthread.h>
#include <stdlib.h>
#include <uthash.h>

struct entry {
    uint64_t app_signal; /* key */
    uint64_t number;
    hsa_signal_t own; /* 0: final */
    uint64_t start, end;
    UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

static struct entry *find(uint64_t app_signal)
{
    struct entry *e;
    HASH_FIND(hh, entries, &app_signal, sizeof app_signal, e);
    return e;
}

void ls_times_bind(uint64_t app_signal, uint64_t number, hsa_signal_t own)
{
    pthread_mutex_lock(&lock);
    struct entry *e = find(app_signal);
    if (!e && (e = calloc(1, sizeof *e)) != NULL) {
        e->app_signal = app_signal;
        HASH_ADD(hh, entries, app_signal, sizeof e->app_signal, e);
    }
    if (e) {
        e->number = number;
        e->own = own;
    }
    pthread_mutex_unlock(&lock);
}

void ls_times_unbind(uint64_t app_signal)
{
    pthread_mutex_lock(&lock);
    struct entry *e = find(app_signal);
    if (e) {
        HASH_DEL(entries, e);
        free(e);
    }
    pthread_mutex_unlock(&lock);
}

void ls_times_final(uint64_t app_signal, uint64_t number, uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&lock);
    struct entry *e = app_signal ? find(app_signal) : NULL;
    if (e && e->number == number) {
        e->own.handle = 0;
        e->start = start;
        e->end = end;
    }
    pthread_mutex_unlock(&lock);
}

bool ls_times_find(uint64_t app_signal, hsa_signal_t *own, uint64_t *start, uint64_t *end)
{
    pthread_mutex_lock(&lock);
    const struct entry *e = find(app_signal);
    if (e) {
        *own = e->own;
        *start = e->start;
        *end = e->end;
    }
    pthread_mutex_unlock(&lock);
    return e != NULL;
}
