/*
 * doorbell.h - noticing a doorbell without polling it.
 *
 * A doorbell is a plain store of the application into a shared page. While every queue is idle the page is
 * write-protected with userfaultfd, so that the first store wakes the command processor; the storing thread
 * waits about 140 us once. Where userfaultfd is refused (container profiles) the caller polls with naps.
 */
#ifndef SOFT_GPU_CP_DOORBELL_H
#define SOFT_GPU_CP_DOORBELL_H

#include <stdbool.h>
#include <stddef.h>

struct doorbell_watch {
    int fd; /* userfaultfd, -1 when there is none */
    void *page;
    size_t bytes;
    bool refused; /* the system does not let us */
};

void doorbell_init(struct doorbell_watch *w);
void doorbell_close(struct doorbell_watch *w);
/* The application's mapping; NULL forgets it. */
void doorbell_set_page(struct doorbell_watch *w, void *page, size_t bytes);
/* Starts trapping stores. False: not possible, poll instead. */
bool doorbell_arm(struct doorbell_watch *w);
/* Stops trapping and lets waiting stores go on. */
void doorbell_disarm(struct doorbell_watch *w);

#endif
