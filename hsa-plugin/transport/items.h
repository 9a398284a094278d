/*
 * items.h - what a worker has to do, in order.
 */
#ifndef HSA_PLUGIN_TRANSPORT_ITEMS_H
#define HSA_PLUGIN_TRANSPORT_ITEMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ls_item_kind { LS_ITEM_CHUNK, LS_ITEM_REST, LS_ITEM_END, LS_ITEM_JOB, LS_ITEM_STOP };

struct ls_item {
    enum ls_item_kind kind;
    uint32_t chunk;
    unsigned detail;            /* LS_ITEM_CHUNK: the part; LS_ITEM_REST: enum ls_chunk_left */
    void *subject;              /* struct ls_slot, or what a job is about */
    void (*run)(void *subject); /* LS_ITEM_JOB */
};

struct ls_item_row {
    struct ls_item *items;
    size_t room, n;
};

/* A queue, growing: the ring bounds how many chunks can be in it. The worker takes all that waits at once, so that it meets those who
 * bring more at the lock once, not for each. */
struct ls_items {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct ls_item_row waiting;
    struct ls_item_row taken; /* the worker's own; without the lock */
    size_t done;              /* of what is taken */
};

void ls_items_init(struct ls_items *q);
void ls_items_free(struct ls_items *q);

/* Nothing may be lost here: without memory the caller waits until the worker has made room. */
void ls_items_put(struct ls_items *q, struct ls_item item);

/* The next one, when there is one. `after_end`: the last one was the end of a dispatch, behind which nothing is urgent: small
 * dispatches that follow each other are taken several at a time, 0.1 ms later, not each by a wake-up of its own. Chunks of a dispatch
 * that goes on are urgent, as the GPU may wait for them. `idle` is called in a pause, and again while it returns true. */
struct ls_item ls_items_get(struct ls_items *q, bool after_end, bool (*idle)(void));

#endif
