/*
 * streams.h - who gave something to the GPU: the thread, and the HIP stream that it worked for (the preloaded library
 * knows it, preload_streams.c).
 *
 * Threads that share a queue take places in it one by one, but whoever rings the doorbell first has the packets of the
 * others handled, too. So a thread leaves its name at each place that it takes.
 */
#ifndef HSA_PLUGIN_STREAMS_H
#define HSA_PLUGIN_STREAMS_H

#include "common/stream.h"
#include "hsa-plugin/runtime/api_tables.h"

struct ls_giver {
    int64_t thread; /* the system's number */
    struct ls_stream stream;
};

/* Puts our functions into the live table. */
void ls_streams_hooks(struct ls_core_table *core);
/* Of the calling thread. */
struct ls_giver ls_giver(void);
/* Of the packet at a place of a queue: who took the place, or else the calling thread. */
struct ls_giver ls_giver_of(const hsa_queue_t *queue, uint64_t place);

#endif
