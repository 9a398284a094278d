/* preload.h - what liblanescope-preload.so does for the tool library. */
#ifndef HSA_PLUGIN_PRELOAD_H
#define HSA_PLUGIN_PRELOAD_H

#include <stdint.h>
#include "common/stream.h"

#define LS_PRELOAD_REGISTER "lanescope_preload_register"
/* finish: called once or more, on the thread that ends the process or replaces its image;
 * NULL takes it back. */
typedef void (*ls_preload_register)(void (*finish)(void));

enum ls_marker_kind {
    LS_MARKER_MARK,
    LS_MARKER_PUSH,
    LS_MARKER_POP,
    LS_MARKER_START,
    LS_MARKER_STOP,
    LS_MARKER_PAUSE,
    LS_MARKER_RESUME,
};

/* A call of roctx. POP and STOP have the id of their PUSH or START and no text, PAUSE and RESUME neither. */
struct ls_marker_event {
    enum ls_marker_kind kind;
    uint64_t id;
    uint64_t ns; /* CLOCK_BOOTTIME */
    int64_t thread;
    const char *text; /* for the call only */
};

#define LS_PRELOAD_MARKERS "lanescope_preload_markers"
/* listener: called for each event, first for those that happened before; never on two threads at once. NULL
 * takes it back. */
typedef void (*ls_marker_listener)(const struct ls_marker_event *e);
typedef void (*ls_preload_markers)(ls_marker_listener listener);

#define LS_PRELOAD_STREAM "lanescope_preload_stream"
/* The stream that the calling thread works for now. */
typedef struct ls_stream (*ls_preload_stream)(void);

/* For the dlsym of the library itself: what stands in front of HIP's function of that name, which is `own`. NULL: nothing
 * does, or another HIP's function was asked for before. */
void *preload_stream_call(const char *name, void *own);

#endif
