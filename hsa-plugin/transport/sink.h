/*
 * sink.h - who receives what the transport's threads find. Workers call these; calls for one slot never
 * overlap, and come in order: its chunks, then its end.
 */
#ifndef HSA_PLUGIN_SINK_H
#define HSA_PLUGIN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include "agent.h"

struct ls_sink {
    /* A chunk of the slot's dispatch; its bytes are valid during the call. */
    void (*chunk)(struct ls_slot *s, const void *chunk, size_t size);
    /* The slot's dispatch is over: nothing more comes for it. The slot is free again afterwards. */
    void (*over)(struct ls_slot *s);
    /* A worker has nothing else to do. True: call again in a moment. */
    bool (*idle)(void);
    /* A worker did a piece of work, and may have some for hours. */
    void (*busy)(void);
};

#endif
