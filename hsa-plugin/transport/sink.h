/*
 * sink.h - who receives what the transport's threads find. Workers call these. The chunks of a slot are spread over
 * its parts: those of one wavefront come in order, in one part, and calls for one part never overlap. The slot's end
 * comes behind all of them.
 */
#ifndef HSA_PLUGIN_SINK_H
#define HSA_PLUGIN_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include "agent.h"

/* What is left to do with a chunk, in the slot's first part. */
enum ls_chunk_left {
    LS_CHUNK_DONE,
    LS_CHUNK_ORDERED, /* handlers that take part there alone have not seen it */
    LS_CHUNK_WHOLE,   /* nobody has */
};

struct ls_sink {
    /* A chunk of the slot's dispatch, in one of its parts; its bytes are valid during the call. */
    enum ls_chunk_left (*chunk)(struct ls_slot *s, unsigned part, const void *chunk, size_t size);
    /* The rest, as that call said; in the first part. */
    void (*rest)(struct ls_slot *s, enum ls_chunk_left left, const void *chunk, size_t size);
    /* The slot's dispatch is over: nothing more comes for it. The slot is free again afterwards. */
    void (*over)(struct ls_slot *s);
    /* A worker has nothing else to do. True: call again in a moment. */
    bool (*idle)(void);
    /* A worker did a piece of work, and may have some for hours. */
    void (*busy)(void);
};

#endif
