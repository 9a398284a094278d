/* items.c - see items.h. */
#include "items.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

void ls_items_init(struct ls_items *q)
{
    *q = (struct ls_items){0};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->wake, NULL);
}

void ls_items_free(struct ls_items *q)
{
    free(q->waiting.items);
    free(q->taken.items);
    pthread_cond_destroy(&q->wake);
    pthread_mutex_destroy(&q->lock);
}

static bool grow(struct ls_item_row *r)
{
    size_t room = r->room ? 2 * r->room : 1024;
    struct ls_item *items = realloc(r->items, room * sizeof *items);
    if (!items)
        return false;
    r->items = items;
    r->room = room;
    return true;
}

/* With the lock given away meanwhile. */
static void nap(struct ls_items *q, long ns)
{
    const struct timespec t = {0, ns};
    pthread_mutex_unlock(&q->lock);
    nanosleep(&t, NULL);
    pthread_mutex_lock(&q->lock);
}

void ls_items_put(struct ls_items *q, struct ls_item item)
{
    enum { NO_MEMORY_NS = 200000 };
    struct ls_item_row *r = &q->waiting;
    pthread_mutex_lock(&q->lock);
    while (r->n == r->room && !grow(r))
        nap(q, NO_MEMORY_NS);
    r->items[r->n++] = item;
    const bool first = r->n == 1;
    pthread_mutex_unlock(&q->lock);
    if (first) /* without the lock, which the worker would only wait for */
        pthread_cond_signal(&q->wake);
}

/* A program that is killed loses nothing that was complete a moment before; commits are not for free, so a
 * worker that will have the next dispatch in a moment does not make one. */
static bool wait_item(struct ls_items *q, long ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ns;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    while (!q->waiting.n)
        if (pthread_cond_timedwait(&q->wake, &q->lock, &until) == ETIMEDOUT)
            break;
    return q->waiting.n != 0;
}

static void take_all(struct ls_items *q, bool after_end, bool (*idle)(void))
{
    enum { GATHER_NS = 100000, MOMENT_NS = 2000000, AGAIN_NS = 100000000 };
    pthread_mutex_lock(&q->lock);
    if (after_end && !q->waiting.n)
        nap(q, GATHER_NS);
    /* A commit that met a reader of the database is tried again and again. */
    for (long ns = MOMENT_NS; !q->waiting.n && !wait_item(q, ns); ns = AGAIN_NS) {
        pthread_mutex_unlock(&q->lock);
        bool again = idle();
        pthread_mutex_lock(&q->lock);
        if (!again)
            break;
    }
    while (!q->waiting.n)
        pthread_cond_wait(&q->wake, &q->lock);
    const struct ls_item_row empty = q->taken;
    q->taken = q->waiting;
    q->waiting = (struct ls_item_row){empty.items, empty.room, 0};
    q->done = 0;
    pthread_mutex_unlock(&q->lock);
}

struct ls_item ls_items_get(struct ls_items *q, bool after_end, bool (*idle)(void))
{
    if (q->done == q->taken.n)
        take_all(q, after_end, idle);
    return q->taken.items[q->done++];
}
